//! Whatever strangers send: no panic, no 5xx, and the site goes on. Drawn anew from one seed, so
//! that a failure can be run again.

use crate::run::{Home, on_both};
use crate::site::{Site, With, encoded};
use proptest::arbitrary::any;
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

on_both!(no_stranger_breaks_the_api, no_stranger_breaks_the_desk);

/// SendGrid's, of no account.
const PUBLIC_KEY: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";

/// Draws for each kind of thing.
const DRAWS: usize = 40;

/// Texts as people and machines write them, and as neither does.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z0-9.@+_-]{0,40}",
        "[\\x00-\\x1f\u{7f}\u{85}\u{2028}\u{202e}\u{feff}a]{0,10}",
        "[\u{3000}-\u{30ff}\u{4e00}-\u{4e20}＠．，]{0,20}",
        Just(String::new()),
        Just("x".repeat(70_000)),
        Just("9223372036854775808".to_owned()),
        Just("-1".to_owned()),
        Just("2026-11-30T00:00:00Z".to_owned()),
        Just("9999-12-31T23:59:60+23:59".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            btree_map(text(), inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

fn member() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 15] = [
        "order_id",
        "kind",
        "occasion",
        "recipient",
        "subject",
        "body_text",
        "body_html",
        "reply_to",
        "sender",
        "not_before",
        "version",
        "attempt",
        "reason",
        "request_id",
        "copy",
    ];
    prop_oneof![
        9 => (0..KNOWN.len()).prop_map(|i| KNOWN[i].to_owned()),
        1 => text(),
    ]
}

/// An object that looks much like a mail.
fn mail() -> impl Strategy<Value = Value> {
    (btree_map(member(), prop_oneof![3 => text().prop_map(Value::from), 1 => value()], 0..6), any::<bool>())
        .prop_map(|(members, whole)| {
            let mut mail = json!({});
            if whole {
                mail = json!({"order_id": "1", "kind": "k", "recipient": "a@example.com", "body_text": "b"});
            }
            for (name, value) in members {
                mail[name] = value;
            }
            mail
        })
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    const NAMES: [&str; 19] = [
        "q", "match", "error", "days", "status", "kind", "from", "to", "needs", "cursor", "limit",
        "order_id", "id", "version", "attempt", "answer", "reason", "name", "lang",
    ];
    let name = prop_oneof![
        9 => (0..NAMES.len()).prop_map(|i| NAMES[i].to_owned()),
        1 => text().prop_filter("as long as an address may be", |t| t.len() < 2000),
    ];
    let cursor = "[on]-?[0-9]{0,20}_-?[0-9]{0,20}";
    let short = text().prop_filter("as long as an address may be", |t| t.len() < 2000);
    vec((name, prop_oneof![4 => short, 1 => cursor]), 0..6)
}

fn draw<T>(runner: &mut TestRunner, strategy: &impl Strategy<Value = T>) -> T {
    strategy.new_tree(runner).unwrap().current()
}

/// Sends it; the answer may refuse, and must be an answer.
async fn survives(what: &str, request: RequestBuilder) {
    let answer = request
        .send()
        .await
        .unwrap_or_else(|e| panic!("{what:.300}: {e}"));
    let status = answer.status().as_u16();
    assert!(status < 500, "{status} to {what:.300}");
}

async fn goes_on(site: Site) {
    assert_eq!(
        site.get("/healthz").send().await.unwrap().status().as_u16(),
        200
    );
    let log = site.program.log();
    assert!(!log.contains("panicked"), "{log}");
}

async fn no_stranger_breaks_the_api(mut home: Home) {
    home.send_through("http://127.0.0.1:9")
        .set("WEBHOOK_KEY", PUBLIC_KEY);
    let site = home.web().await;
    let id = site.enqueue("1001").await;
    let runner = &mut TestRunner::deterministic();
    let json = "application/json";
    for _ in 0..DRAWS {
        let body = draw(runner, &prop_oneof![4 => mail(), 1 => value()]).to_string();
        let request = |path: &str| {
            site.api(Method::POST, path)
                .header("content-type", json)
                .body(body.clone())
        };
        survives(&body, request("")).await;
        survives(&body, request(&format!("/{id}/resend"))).await;
        let bytes = draw(runner, &vec(any::<u8>(), 0..200));
        let raw = site
            .api(Method::POST, "")
            .header("content-type", json)
            .body(bytes.clone());
        survives(&format!("{bytes:?}"), raw).await;
        let query = query(&draw(runner, &pairs()));
        survives(&query, site.api(Method::GET, &format!("?{query}"))).await;
        let path = percent(&draw(runner, &text()).chars().take(300).collect::<String>());
        survives(&path, site.api(Method::GET, &format!("/{path}"))).await;
        survives(
            &path,
            site.ask(Method::POST, &format!("/webhooks/{path}"))
                .body(body.clone()),
        )
        .await;
        survives(
            &body,
            site.ask(Method::POST, "/webhooks/sendgrid")
                .body(body.clone()),
        )
        .await;
    }
    goes_on(site).await;
}

async fn no_stranger_breaks_the_desk(home: Home) {
    home.add_user("sato", "lead", "correct horse");
    let site = home.web().await;
    site.enqueue("1001").await;
    let session = site.sign_in("sato", "correct horse").await;
    let runner = &mut TestRunner::deterministic();
    for _ in 0..DRAWS {
        let fields = draw(runner, &pairs());
        let query = query(&fields);
        for page in [
            "/submissions",
            "/submissions/errors",
            "/stuck",
            "/",
            "/login",
        ] {
            survives(&query, site.get(&format!("{page}?{query}")).with(&session)).await;
        }
        let path = percent(&draw(runner, &text()).chars().take(300).collect::<String>());
        survives(
            &path,
            site.get(&format!("/submissions/{path}")).with(&session),
        )
        .await;
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        for act in ["resend", "resolve", "list", "mail"] {
            survives(
                &encoded(&fields),
                site.form(&format!("/_desk/{act}"), &fields).with(&session),
            )
            .await;
        }
        let cookie = draw(runner, &"[ -~]{0,80}");
        survives(
            &cookie,
            site.get("/").header("cookie", format!("denpyo={cookie}")),
        )
        .await;
        let bytes = draw(runner, &vec(any::<u8>(), 0..200));
        let raw = site
            .form("/_desk/resolve", &[])
            .with(&session)
            .body(bytes.clone());
        survives(&format!("{bytes:?}"), raw).await;
    }
    for _ in 0..20 {
        let (name, password) = (draw(runner, &text()), draw(runner, &text()));
        let fields = [("name", name.as_str()), ("password", password.as_str())];
        survives(&name, site.form("/session", &fields)).await;
    }
    goes_on(site).await;
}

fn query(fields: &[(String, String)]) -> String {
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    encoded(&fields)
}

fn percent(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}
