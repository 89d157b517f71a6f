#![allow(clippy::unwrap_used)]

use super::*;
use crate::outbox::claim::Permit;
use crate::provider::{self, Provider, SendOutcome, Settings, samples};
use app::model::views::Cause;
use reqwest::{Client, Method};
use std::io;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A sandbox on a port of its own.
pub(super) struct Running {
    pub(super) sandbox: Sandbox,
    pub(super) url: String,
    pub(super) client: Client,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

pub(super) async fn start() -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let sandbox = Sandbox::new();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async {
        stopped.await.ok();
    };
    provider::http::tls();
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .unwrap();
    Running {
        task: tokio::spawn(serve(listener, sandbox.clone(), shutdown)),
        stop: Some(stop),
        sandbox,
        url,
        client,
    }
}

impl Running {
    fn sendgrid(&self) -> Arc<dyn Provider> {
        let settings = Settings {
            url: Some(self.url.clone()),
            key: Some("SG.key".to_owned()),
            timeout: Duration::from_millis(800),
            ..Settings::default()
        };
        provider::build("sendgrid", &settings).unwrap()
    }

    async fn send(&self) -> SendOutcome {
        let envelope = samples::envelope();
        self.sendgrid().send(Permit::for_test(&envelope)).await
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.url))
            .bearer_auth("SG.key");
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    pub(super) async fn get(&self, path: &str) -> (u16, Value) {
        self.ask(Method::GET, path, None).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.ask(Method::POST, path, Some(body)).await
    }

    pub(super) async fn put_faults(&self, faults: Value) -> u16 {
        self.ask(Method::PUT, "/_sandbox/faults", Some(faults))
            .await
            .0
    }

    /// Stops it, and waits until it has.
    pub(super) async fn stop(mut self) {
        drop(self.stop.take());
        self.task.await.unwrap();
    }
}

pub(super) fn mail(to: &str) -> Value {
    json!({
        "personalizations": [{"to": [{"email": to, "name": "山田"}]}],
        "from": {"email": "order@example.com", "name": "店, 受注係"},
        "reply_to": {"email": "info@example.com"},
        "subject": "ご注文",
        "content": [{"type": "text/plain", "value": "本文"}],
        "custom_args": {"ref": format!("ref-{to}")},
    })
}

#[tokio::test]
async fn an_accepted_mail_is_kept_as_sent() {
    let running = start().await;
    let outcome = running.send().await;
    let SendOutcome::Accepted {
        message_id: Some(id),
    } = outcome
    else {
        panic!("{outcome:?}");
    };
    let (status, shown) = running.get("/_sandbox/messages").await;
    assert_eq!((status, &shown["dropped"]), (200, &json!(0)));
    let mut message = shown["messages"][0].clone();
    let sg_id = message["sg_message_id"].as_str().unwrap().to_owned();
    assert!(sg_id.starts_with(&id) && sg_id.len() > id.len());
    let object = message.as_object_mut().unwrap();
    object.remove("sg_message_id");
    object.remove("received_at").unwrap();
    assert_eq!(
        message,
        json!({
            "message_id": id,
            "ref": "00000000-0000-0000-0123-456789abcdef",
            "to": {"email": "a..b.@example.ne.jp"},
            "from": {"email": "order@example.com", "name": "株式会社サンプル, 受注係"},
            "reply_to": {"email": "info@example.com", "name": "Sample Co."},
            "subject": "ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます",
            "content": [
                {"type": "text/plain", "value": "本文\r\n二行目"},
                {"type": "text/html", "value": "<p>本文</p>"},
            ],
            "custom_args": {
                "ref": "00000000-0000-0000-0123-456789abcdef",
                "order_id": "1001",
                "attempt": "2",
                "installation": "shop-1",
            },
        })
    );
    let (_, none) = running.get("/_sandbox/messages?ref=other").await;
    assert_eq!(none["messages"], json!([]));
    let (status, _) = running
        .ask(Method::DELETE, "/_sandbox/messages", None)
        .await;
    assert_eq!(status, 204);
    assert!(running.sandbox.messages().is_empty());
    running.stop().await;
}

#[tokio::test]
async fn a_bad_request_is_refused_in_sendgrids_shape() {
    let running = start().await;
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 13] = [
        (|m| m["personalizations"] = json!([]), "personalizations"),
        (
            |m| m["personalizations"][0]["to"] = json!([]),
            "personalizations.0.to",
        ),
        (
            |m| m["personalizations"][0]["to"][0]["email"] = json!("nobody"),
            "personalizations.0.to.0.email",
        ),
        (|m| m["from"] = Value::Null, "from"),
        (|m| m["from"]["email"] = json!("x@y@z"), "from.email"),
        (|m| m["reply_to"]["email"] = json!(""), "reply_to.email"),
        (|m| m["subject"] = json!(""), "subject"),
        (|m| m["subject"] = Value::Null, "subject"),
        (|m| m["content"] = json!([]), "content"),
        (|m| m["content"][0]["value"] = json!(""), "content.0.value"),
        (
            |m| {
                m["content"] = json!([
                    {"type": "text/html", "value": "x"},
                    {"type": "text/plain", "value": "x"},
                ]);
            },
            "content.1.type",
        ),
        (|m| m["custom_args"]["n"] = json!(1), "custom_args.n"),
        (
            |m| m["custom_args"]["n"] = json!("x".repeat(10_000)),
            "custom_args",
        ),
    ];
    for (change, field) in cases {
        let mut body = mail("a@example.com");
        change(&mut body);
        let (status, answer) = running.post("/v3/mail/send", body).await;
        assert_eq!(
            (status, &answer["errors"][0]["field"]),
            (400, &json!(field))
        );
        assert!(answer["errors"][0]["message"].is_string(), "{answer}");
    }
    for (key, body, status) in [
        (Some("k"), "{", 400),
        (Some("k"), "[]", 400),
        (Some(""), "{}", 401),
        (None, "{}", 401),
    ] {
        let mut request = running.client.post(format!("{}/v3/mail/send", running.url));
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        let answer = request.body(body).send().await.unwrap();
        assert_eq!(answer.status(), status);
        let answer: Value = answer.json().await.unwrap();
        assert!(answer["errors"][0].get("help").is_some(), "{answer}");
    }
    assert_eq!(running.get("/v3/other").await.0, 404);
    assert!(running.sandbox.messages().is_empty());
    running.stop().await;
}

#[tokio::test]
async fn each_fault_looks_as_it_should_from_outside() {
    let running = start().await;
    let unknown = |cause, code| (Some(cause), code);
    for (fault, kept, expected) in [
        ("accept_then_hang", 1, unknown(Cause::Timeout, None)),
        ("accept_then_reset", 1, unknown(Cause::Cut, None)),
        ("accept_then_close", 1, unknown(Cause::Cut, None)),
        ("accept_then_500", 1, unknown(Cause::Answer, Some(500))),
        ("refuse_500", 0, unknown(Cause::Answer, Some(500))),
        ("hang_without_accept", 0, unknown(Cause::Timeout, None)),
        ("redirect", 0, unknown(Cause::Answer, Some(302))),
        ("refuse_429", 0, (None, Some(429))),
        ("refuse_400", 0, (None, Some(400))),
    ] {
        *running.sandbox.store() = Store::default();
        assert_eq!(running.put_faults(json!({fault: 1.0})).await, 200);
        let got = match running.send().await {
            SendOutcome::Unknown { cause, code, .. } => (Some(cause), code),
            SendOutcome::Temporary {
                code, retry_after, ..
            } => {
                let wait = retry_after.unwrap();
                assert!(wait <= Duration::from_secs(2), "{wait:?}");
                (None, Some(code))
            }
            SendOutcome::Refused { code, .. } => (None, Some(code)),
            other => panic!("{fault}: {other:?}"),
        };
        assert_eq!(got, expected, "{fault}");
        assert_eq!(running.sandbox.messages().len(), kept, "{fault}");
    }
    // With hanging requests under way it still ends.
    running.put_faults(json!({"accept_then_hang": 1.0})).await;
    let hanging = running.client.post(format!("{}/v3/mail/send", running.url));
    let hanging = hanging.bearer_auth("k").json(&mail("hangs@example.com"));
    let hanging = tokio::spawn(hanging.send());
    while running.sandbox.messages().is_empty()
        || running.sandbox.messages().last().unwrap().to.email != "hangs@example.com"
    {
        tokio::task::yield_now().await;
    }
    running.stop().await;
    assert!(hanging.await.unwrap().is_err());
}

/// Reads what the socket itself sees: an end, or an error.
async fn raw_end(url: &str) -> io::Result<usize> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let body = mail("a@example.com").to_string();
    let request = format!(
        "POST /v3/mail/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.read(&mut [0; 64]).await
}

#[tokio::test]
async fn a_reset_is_a_reset_and_a_close_is_a_close() {
    let running = start().await;
    running.put_faults(json!({"accept_then_reset": 1})).await;
    let error = raw_end(&running.url).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    running.put_faults(json!({"accept_then_close": 1})).await;
    assert_eq!(raw_end(&running.url).await.unwrap(), 0);
    running.stop().await;
}

#[tokio::test]
async fn half_an_answer_begins_as_an_acceptance_and_never_ends() {
    let running = start().await;
    let half = json!({"accept_then_truncate": 1});
    assert_eq!(running.put_faults(half).await, 200);
    let request = running.client.post(format!("{}/v3/mail/send", running.url));
    let request = request.bearer_auth("k").json(&mail("a@example.com"));
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 202);
    let kept = running.sandbox.messages();
    let id = answer.headers()["x-message-id"].to_str().unwrap();
    assert_eq!(id, kept[0].message_id);
    assert!(answer.bytes().await.is_err(), "the body is not whole");
    // The head is what proves it.
    assert!(matches!(running.send().await, SendOutcome::Accepted { .. }));
    running.stop().await;
}

#[tokio::test]
async fn whoever_follows_the_redirect_is_fooled() {
    let running = start().await;
    running.put_faults(json!({"redirect": 1})).await;
    provider::http::tls();
    let follower = Client::builder().no_proxy().build().unwrap();
    let request = follower.post(format!("{}/v3/mail/send", running.url));
    let request = request.bearer_auth("k").json(&mail("a@example.com"));
    assert_eq!(request.send().await.unwrap().status(), 200);
    assert!(running.sandbox.messages().is_empty());
    running.stop().await;
}

#[tokio::test]
async fn faults_are_checked_and_shown() {
    let running = start().await;
    for (bad, word) in [
        (json!({"explode": 1}), "explode"),
        (json!({"redirect": 1.1}), "redirect"),
        (json!({"redirect": -0.1}), "redirect"),
        (json!({"redirect": 0.6, "refuse_400": 0.6}), "more than 1"),
        (json!({"latency_ms": -1}), "-1"),
        (json!([1]), "invalid type"),
    ] {
        let (status, answer) = running
            .ask(Method::PUT, "/_sandbox/faults", Some(bad))
            .await;
        let message = answer["errors"][0]["message"].as_str().unwrap();
        assert_eq!(status, 400, "{message}");
        assert!(message.contains(word), "{message}");
    }
    assert_eq!(running.sandbox.faults(), Faults::default());
    let faults = json!({"seed": 7, "refuse_500": 0.25, "latency_ms": 3});
    assert_eq!(running.put_faults(faults).await, 200);
    let (_, shown) = running.get("/_sandbox/faults").await;
    assert_eq!(
        (&shown["seed"], &shown["refuse_500"]),
        (&json!(7), &json!(0.25))
    );
    assert_eq!(
        (&shown["latency_ms"], &shown["redirect"]),
        (&json!(3), &json!(0.0))
    );
    // What is left out is back to nothing.
    running.put_faults(json!({})).await;
    assert_eq!(running.sandbox.faults(), Faults::default());
    running.stop().await;
}

#[tokio::test]
async fn the_same_seed_repeats_a_run() {
    let running = start().await;
    let mut runs = Vec::new();
    for seed in [1, 1, 2] {
        let rates = json!({"seed": seed, "refuse_500": 0.2, "refuse_400": 0.2, "refuse_429": 0.2});
        running.put_faults(rates).await;
        let mut run = Vec::new();
        for i in 0..60 {
            // Half of them malformed: they draw too.
            let body = if i % 2 == 0 {
                mail("a@example.com")
            } else {
                json!({})
            };
            run.push(running.post("/v3/mail/send", body).await.0);
        }
        runs.push(run);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
    for status in [202, 400, 429, 500] {
        assert!(runs[0].contains(&status), "{status}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_slow_answer_comes_after_the_mail_is_kept() {
    let running = start().await;
    running.put_faults(json!({"latency_ms": 60_000})).await;
    let outcome = running.send().await;
    assert!(matches!(
        outcome,
        SendOutcome::Unknown {
            cause: Cause::Timeout,
            ..
        }
    ));
    assert_eq!(running.sandbox.messages().len(), 1);
    running.stop().await;
}
