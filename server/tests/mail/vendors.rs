//! Postmark's and Mailgun's own clients and Denpyo against one stand-in: what they ask must be
//! understood as the same, and what the stand-in answers must be what those clients can read.

use crate::node;
use crate::run::{Home, eventually};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, Uri};
use chrono::DateTime;
use denpyo::provider::asking::{Finding, Question};
use denpyo::provider::{self, Provider, Settings};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

/// Characters outside the old standards, and ones that belong together.
const ODD: &str = "ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧邉󠄂";
const SHOP: &str = "㈱髙﨑①👨‍👩‍👧, 受注係";

/// A request as the stand-in understood it.
#[derive(Clone, Debug, PartialEq)]
struct Understood {
    what: String,
    authorization: Option<String>,
    fields: BTreeMap<String, Value>,
}

#[derive(Clone)]
struct StandIn {
    understood: Arc<Mutex<Vec<Understood>>>,
    answers: Arc<dyn Fn(&Understood) -> Value + Send + Sync>,
}

impl StandIn {
    async fn start(
        answers: impl Fn(&Understood) -> Value + Send + Sync + 'static,
    ) -> (StandIn, String) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let stand_in = StandIn {
            understood: Arc::default(),
            answers: Arc::new(answers),
        };
        let app = Router::new().fallback(take).with_state(stand_in.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (stand_in, host)
    }

    fn understood(&self) -> Vec<Understood> {
        self.understood.lock().unwrap().clone()
    }
}

async fn take(
    State(stand_in): State<StandIn>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> String {
    let header = |name: &str| headers.get(name).map(|v| v.to_str().unwrap().to_owned());
    let content_type = header("content-type").unwrap_or_default();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let mut fields = pairs(uri.query().unwrap_or_default());
    if let Some((_, boundary)) = content_type.split_once("boundary=") {
        fields.extend(parts(&body, boundary));
    } else if content_type.contains("json") && !body.is_empty() {
        let members: BTreeMap<String, Value> = serde_json::from_str(&body).unwrap();
        fields.extend(members);
    } else {
        fields.extend(pairs(&body));
    }
    let understood = Understood {
        what: format!("{method} {}", uri.path()),
        authorization: header("authorization").or(header("x-postmark-server-token")),
        fields,
    };
    let answer = (stand_in.answers)(&understood);
    stand_in.understood.lock().unwrap().push(understood);
    answer.to_string()
}

fn pairs(text: &str) -> BTreeMap<String, Value> {
    url::form_urlencoded::parse(text.as_bytes())
        .map(|(name, value)| (name.into_owned(), json!(value)))
        .collect()
}

/// The fields of a form in parts (RFC 7578).
fn parts(body: &str, boundary: &str) -> BTreeMap<String, Value> {
    body.split(&format!("--{boundary}"))
        .filter_map(|part| {
            let (head, value) = part.split_once("\r\n\r\n")?;
            let (_, name) = head.split_once("name=\"")?;
            let (name, _) = name.split_once('"')?;
            let value = value.strip_suffix("\r\n").unwrap_or(value);
            Some((name.to_owned(), json!(value)))
        })
        .collect()
}

/// Has Denpyo send one mail; returns its reference.
async fn send(service: &str, url: &str) -> (Home, Uuid) {
    let mut home = Home::sqlite().await;
    home.set("PROVIDER", service)
        .set("PROVIDER_URL", url)
        .set(
            "PROVIDER_KEY",
            if service == "postmark" {
                "server-token"
            } else {
                "key-1"
            },
        )
        .set("INSTALLATION", "shop-1")
        .set("FROM", format!("{SHOP} <order@example.com>"));
    home.migrate();
    let mail = json!({"order_id": "1001", "kind": "k", "recipient": "a..b.@example.ne.jp",
        "subject": ODD, "body_text": "本文\r\n二行目", "body_html": "<p>本文</p>",
        "reply_to": "Sample Co. <info@example.com>"});
    let done = home.run(["enqueue"], mail.to_string().as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    let worker = home.worker().await;
    let synced = "SELECT COUNT(*) FROM email_submissions \
        WHERE status = 'synced' AND provider_message_id = 'm-1@example.com'";
    eventually("the mail is accepted", async || {
        (home.db.number(synced).await == 1).then_some(())
    })
    .await;
    worker.kill().await;
    let id = home.db.id_of("1001").await;
    let reference = home.db.column(id, "ref").await.unwrap();
    (home, Uuid::parse_str(&reference).unwrap())
}

async fn ask(service: &str, url: &str, key: &str, reference: Uuid) -> Finding {
    let settings = Settings {
        url: Some(url.to_owned()),
        key: Some(key.to_owned()),
        timeout: Duration::from_secs(10),
        from: app::model::address::Mailbox::parse("order@example.com").ok(),
        ..Settings::default()
    };
    let service: Arc<dyn Provider> = provider::build(service, &settings).unwrap();
    let question = Question {
        reference,
        attempt: 1,
        recipient: "a..b.@example.ne.jp".to_owned(),
        subject: String::new(),
        message_id: None,
        since: DateTime::from_timestamp(1_775_000_000, 0).unwrap(),
        until: None,
    };
    service.lookup(&question).await
}

/// Runs a vendor's client; returns what it read.
async fn client(script: &str, at: &str, request: &Value) -> Value {
    let mut program = node::start(script, &[at, &request.to_string()]);
    serde_json::from_str(&program.says("read ").await).unwrap()
}

fn assert_found(finding: &Finding) {
    let Finding::Found(mails) = finding else {
        panic!("{finding:?}")
    };
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].message_id.as_deref(), Some("m-1@example.com"));
    assert_eq!(mails[0].attempt, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn postmarks_client_asks_what_denpyo_asks() {
    let kept = Mutex::new(Value::Null);
    let (stand_in, host) = StandIn::start(move |asked| {
        let mut kept = kept.lock().unwrap();
        if asked.what == "POST /email" {
            *kept = asked.fields["Metadata"].clone();
            return json!({"To": asked.fields["To"], "SubmittedAt": "2026-04-01T00:00:00Z",
                "MessageID": "m-1@example.com", "ErrorCode": 0, "Message": "OK"});
        }
        json!({"TotalCount": 1, "Messages": [{"MessageID": "m-1@example.com", "Status": "Sent",
            "ReceivedAt": "2026-04-01T00:00:00.1234567-05:00", "Metadata": *kept}]})
    })
    .await;
    let url = format!("http://{host}");
    let (_home, reference) = send("postmark", &url).await;
    assert_found(&ask("postmark", &url, "server-token", reference).await);

    let mail = json!({"From": format!("\"{SHOP}\" <order@example.com>"),
        "To": "a..b.@example.ne.jp", "ReplyTo": "\"Sample Co.\" <info@example.com>",
        "Subject": ODD, "TextBody": "本文\r\n二行目", "HtmlBody": "<p>本文</p>",
        "Headers": [{"Name": "X-Denpyo-Ref", "Value": reference}],
        "Metadata": {"ref": reference, "order_id": "1001", "attempt": "1", "installation": "shop-1"}});
    let filter = json!({"count": 500, "offset": 0, "metadata_ref": reference});
    let request = json!({"mail": mail, "filter": filter});
    let read = client("mail/postmark.mjs", &host, &request).await;
    assert_eq!(read["sent"]["MessageID"], "m-1@example.com");
    assert_eq!(read["found"]["TotalCount"], 1);
    assert_eq!(
        read["found"]["Messages"][0]["Metadata"]["ref"],
        json!(reference)
    );
    let asked = stand_in.understood();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert_eq!(asked[0], asked[2]);
    assert_eq!(asked[1], asked[3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn mailguns_client_asks_what_denpyo_asks() {
    let kept = Mutex::new(Value::Null);
    let (stand_in, host) = StandIn::start(move |asked| {
        let mut kept = kept.lock().unwrap();
        if asked.what == "POST /v3/example.com/messages" {
            *kept = json!({"ref": asked.fields["v:ref"], "attempt": asked.fields["v:attempt"]});
            return json!({"id": "<m-1@example.com>", "message": "Queued. Thank you."});
        }
        let next = "https://api.mailgun.net/v3/example.com/events/W3siYSI6";
        let first = asked.what == "GET /v3/example.com/events";
        let items = if first {
            json!([{"event": "accepted", "timestamp": 1_775_000_100.25, "user-variables": *kept,
                "message": {"headers": {"message-id": "m-1@example.com"}}}])
        } else {
            json!([])
        };
        json!({"items": items, "paging": {"next": next, "previous": next, "first": next, "last": next}})
    })
    .await;
    let url = format!("http://{host}");
    let (_home, reference) = send("mailgun", &url).await;
    assert_found(&ask("mailgun", &url, "key-1", reference).await);

    let mail = json!({"from": format!("\"{SHOP}\" <order@example.com>"),
        "to": "a..b.@example.ne.jp", "h:Reply-To": "\"Sample Co.\" <info@example.com>",
        "subject": ODD, "text": "本文\r\n二行目", "html": "<p>本文</p>",
        "h:X-Denpyo-Ref": reference, "v:ref": reference, "v:order_id": "1001",
        "v:attempt": "1", "v:installation": "shop-1"});
    let filter = json!({"begin": "1775000000", "ascending": "yes", "limit": 300,
        "recipient": "a..b.@example.ne.jp"});
    let request = json!({"domain": "example.com", "mail": mail, "filter": filter});
    let read = client("mail/mailgun.mjs", &url, &request).await;
    assert_eq!(read["sent"]["id"], "<m-1@example.com>");
    assert_eq!(
        read["found"]["items"][0]["user-variables"]["ref"],
        json!(reference)
    );
    let asked = stand_in.understood();
    // Denpyo reads on until the empty page.
    assert_eq!(asked.len(), 5, "{asked:?}");
    assert_eq!(asked[2].what, "GET /v3/example.com/events/W3siYSI6");
    assert_eq!(asked[0], asked[3]);
    assert_eq!(asked[1], asked[4]);
}
