//! Events of the mail service, posted to a real process.

mod way;

use crate::common::RunningSandbox;
use crate::run::{Home, on_both};
use crate::signer::Signer;
use crate::site::{Site, read};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

struct Hooked {
    signer: Signer,
    site: Site,
    _sandbox: RunningSandbox,
}

async fn hooked(mut home: Home) -> Hooked {
    let (signer, sandbox) = (Signer::new(), RunningSandbox::start().await);
    home.send_through(&sandbox.url)
        .set("WEBHOOK_KEY", signer.key());
    Hooked {
        signer,
        site: home.web_kept().await,
        _sandbox: sandbox,
    }
}

impl Hooked {
    fn post(&self) -> RequestBuilder {
        self.site.ask(Method::POST, "/webhooks/sendgrid")
    }

    /// Signed and sent as it is.
    fn signed(&self, body: impl Into<Vec<u8>>) -> RequestBuilder {
        let body = body.into();
        let mut request = self.post();
        for (name, value) in self.signer.headers(&body, 0) {
            request = request.header(name, value);
        }
        request.body(body)
    }

    async fn tell(&self, events: &Value) -> StatusCode {
        let answer = self.signed(events.to_string()).send().await.unwrap();
        read(answer).await.0
    }

    /// Hands a mail over; returns its id and reference.
    async fn mail(&self, order: &str) -> (i64, String) {
        let id = self.site.enqueue(order).await;
        let row = self.site.row(id).await;
        (id, row["ref"].as_str().unwrap().to_owned())
    }

    async fn counted(&self, kind: &str) -> u64 {
        let text = self.site.get("/metrics").send().await.unwrap();
        let line = format!("denpyo_events_total{{kind=\"{kind}\"}} ");
        let text = text.text().await.unwrap();
        let value = text.lines().find_map(|l| l.strip_prefix(&line));
        value.map_or(0, |v| v.parse().unwrap())
    }
}

fn event(kind: &str, reference: &str, at: i64) -> Value {
    json!({
        "email": "a@example.com", "event": kind, "timestamp": 1_767_000_000 + at,
        "sg_event_id": "e", "sg_message_id": "m.recvd-1", "ref": reference, "attempt": "1",
    })
}

async fn an_event_is_taken_without_session_and_origin(home: Home) {
    let hooked = hooked(home).await;
    let (id, own) = hooked.mail("1001").await;
    let body = json!([event("delivered", &own, 0)]).to_string();
    for kind in [
        "application/json",
        "text/plain; charset=UTF-8",
        "application/x-www-form-urlencoded",
        "",
    ] {
        let request = hooked
            .signed(body.clone())
            .header("origin", "https://elsewhere.example")
            .header("sec-fetch-site", "cross-site");
        let request = if kind.is_empty() {
            request
        } else {
            request.header("content-type", kind)
        };
        let (status, answer) = read(request.send().await.unwrap()).await;
        assert_eq!(
            (status, answer),
            (StatusCode::OK, json!({"events": 1})),
            "{kind}"
        );
    }
    let row = hooked.site.row(id).await;
    assert_eq!(row["status"], "synced", "{row}");
    assert_eq!(row["settled_by"], "webhook", "{row}");
    assert_eq!(row["delivery_state"], "delivered", "{row}");
    assert_eq!(row["delivery_at"], "2025-12-29T09:20:00.000000Z", "{row}");
    assert_eq!(row["observations"].as_array().unwrap().len(), 1, "{row}");
    assert_eq!(row["observations"][0]["kind"], "event_delivered", "{row}");
    assert_eq!(
        (
            hooked.counted("delivered").await,
            hooked.counted("repeated").await
        ),
        (1, 3)
    );
}

async fn one_odd_event_spoils_no_batch(home: Home) {
    let mut hooked = hooked(home).await;
    let mut batch = Vec::new();
    let mut ids = Vec::new();
    for order in 0..50 {
        let (id, own) = hooked.mail(&order.to_string()).await;
        ids.push(id);
        for (i, kind) in ["processed", "deferred", "open", "delivered", "click"]
            .iter()
            .enumerate()
        {
            batch.push(event(kind, &own, i as i64));
        }
        batch.push(event("bounce", &own, 100));
        batch.extend((0..4).map(|n| event("open", &own, 10 + n)));
    }
    for odd in &mut batch[40..50] {
        odd["event"] = json!("teleported");
    }
    batch[60].as_object_mut().unwrap().remove("timestamp");
    batch[70]["ref"] = json!("7a7cbb2c-3df0-4d02-8a6f-3b6f9e6b3c11");
    batch[80]["sg_message_id"] = json!(12);
    assert_eq!(batch.len(), 500);
    let resident = || {
        let path = format!("/proc/{}/status", hooked.site.program.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status
            .lines()
            .find_map(|l| l.strip_prefix("VmRSS:"))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    let mut after_five = 0;
    for turn in 0..46 {
        assert_eq!(
            hooked.tell(&Value::Array(batch.clone())).await,
            StatusCode::OK
        );
        if turn == 5 {
            after_five = resident();
        }
    }
    let grown = resident().saturating_sub(after_five);
    assert!(grown < 16 * 1024, "{grown} kB more");
    for (order, id) in ids.into_iter().enumerate() {
        let row = hooked.site.row(id).await;
        // What is left of each mail's ten events: all of one mail's were of unknown kinds.
        let (status, delivery, kept) = match order {
            4 => ("pending", json!(null), 0),
            6..=8 => ("synced", json!("bounced"), 9),
            _ => ("synced", json!("bounced"), 10),
        };
        assert_eq!(row["status"], status, "{row}");
        assert_eq!(row["delivery_state"], delivery, "{row}");
        assert_eq!(row["observations"].as_array().unwrap().len(), kept, "{row}");
    }
    assert_eq!(hooked.counted("odd").await, 46 * 12);
    assert_eq!(hooked.counted("foreign").await, 46);
    assert_eq!(hooked.counted("repeated").await, 45 * 487);
    let counts = |log: &str, fresh: u64, repeated: u64| {
        let counts = format!("fresh={fresh} repeated={repeated} foreign=1 odd=12");
        log.lines().filter(|line| line.ends_with(&counts)).count()
    };
    let log = hooked
        .site
        .program
        .wait_for("a line for each batch", |program| {
            let log = program.log();
            (counts(&log, 0, 487) >= 45).then_some(log)
        })
        .await;
    assert_eq!(
        (counts(&log, 487, 0), counts(&log, 0, 487)),
        (1, 45),
        "{log}"
    );
    assert!(!log.contains("teleported"));
    // A foreign one alone is counted there as well.
    let foreign = event("delivered", "7a7cbb2c-3df0-4d02-8a6f-3b6f9e6b3c11", 0);
    assert_eq!(hooked.tell(&json!([foreign])).await, StatusCode::OK);
    let counts = "fresh=0 repeated=0 foreign=1\n";
    hooked.site.program.logs(counts).await;
}

on_both!(
    an_event_is_taken_without_session_and_origin,
    one_odd_event_spoils_no_batch,
);

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_the_services_is_refused() {
    let mut hooked = hooked(Home::sqlite().await).await;
    let (id, own) = hooked.mail("1001").await;
    let body = json!([event("delivered", &own, 0)]).to_string();
    let aged = |age| {
        let mut request = hooked.post();
        for (name, value) in hooked.signer.headers(body.as_bytes(), age) {
            request = request.header(name, value);
        }
        request.body(body.clone())
    };
    let at = |path: &str| {
        let mut request = hooked.site.ask(Method::POST, path);
        for (name, value) in hooked.signer.headers(body.as_bytes(), 0) {
            request = request.header(name, value);
        }
        request.body(body.clone())
    };
    let other = Signer::new().headers(body.as_bytes(), 0);
    let mut forged = hooked.post().body(body.clone());
    for (name, value) in other {
        forged = forged.header(name, value);
    }
    for (what, request, status) in [
        ("unsigned", hooked.post().body(body.clone()), 401),
        ("forged", forged, 401),
        ("old", aged(25 * 3600), 400),
        ("no events", hooked.signed("{}"), 400),
        ("another service", at("/webhooks/resend"), 404),
        ("no service", at("/webhooks/nothing"), 404),
        ("nobody", at("/webhooks/%ff"), 404),
        ("a question", hooked.site.get("/webhooks/sendgrid"), 405),
    ] {
        let (got, problem) = read(request.send().await.unwrap()).await;
        assert_eq!(got.as_u16(), status, "{what}: {problem}");
    }
    let row = hooked.site.row(id).await;
    assert_eq!(
        (&row["status"], &row["version"]),
        (&json!("pending"), &json!(1))
    );
    let refused = "the signature does not fit";
    hooked.site.program.logs(refused).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_or_a_service_there_is_nothing_to_post_to() {
    let home = Home::sqlite().await.web_kept().await;
    let request = home.ask(Method::POST, "/webhooks/sendgrid").body("[]");
    assert_eq!(
        read(request.send().await.unwrap()).await.0,
        StatusCode::NOT_FOUND
    );
    let sandbox = RunningSandbox::start().await;
    let mut home = Home::sqlite().await;
    home.send_through(&sandbox.url);
    let site = home.web_kept().await;
    let request = site.ask(Method::POST, "/webhooks/sendgrid").body("[]");
    let (status, problem) = read(request.send().await.unwrap()).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("DENPYO_WEBHOOK_KEY")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_can_check_nothing_stops_the_start() {
    let mut home = Home::sqlite().await;
    home.send_through("http://127.0.0.1:9")
        .set("WEBHOOK_KEY", "hunter2");
    let done = home.run(["serve", "--no-worker"], b"");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("DENPYO_WEBHOOK_KEY"), "{done:?}");
    assert!(!done.err.contains("hunter2"), "{done:?}");
}
