//! What monitors ask: none of it needs a session, none sets a cookie.

use crate::common::{Port, RunningSandbox, listening};
use crate::run::{Home, on_both};
use crate::site::{Site, header, mail};
use reqwest::{Method, StatusCode};
use serde_json::json;
use std::collections::BTreeMap;

on_both!(
    probes_answer_get_and_head,
    metrics_can_be_read_strictly,
    without_a_worker_somebody_is_told_that_mails_wait
);

async fn probes_answer_get_and_head(home: Home) {
    let site = home.web().await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        let get = site.get(path).send().await.unwrap();
        let head = site.ask(Method::HEAD, path).send().await.unwrap();
        for answer in [&get, &head] {
            assert_eq!(answer.status(), StatusCode::OK, "{path}");
            assert_eq!(header(answer, "set-cookie"), "", "{path}");
            assert_eq!(header(answer, "cache-control"), "no-store", "{path}");
        }
        let kind = header(&get, "content-type");
        let right = match path {
            "/metrics" => "text/plain; version=0.0.4; charset=utf-8",
            _ => "text/plain; charset=utf-8",
        };
        assert_eq!(kind, right, "{path}");
        assert_eq!(header(&head, "content-type"), kind);
        assert!(!get.text().await.unwrap().is_empty(), "{path}");
        assert_eq!(head.text().await.unwrap(), "", "{path}");
    }
}

/// Names with labels, and values, by the rules of the text format; panics on what breaks them.
fn parse(text: &str) -> BTreeMap<String, f64> {
    let name = |text: &str| {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        assert!(!text.is_empty() && text.chars().all(fine), "{text:?}");
        assert!(!text.starts_with(|c: char| c.is_ascii_digit()), "{text:?}");
    };
    assert!(text.ends_with('\n') && !text.contains('\r'));
    let mut kinds = BTreeMap::new();
    let mut samples = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(comment) = line.strip_prefix("# ") {
            let (word, rest) = comment.split_once(' ').unwrap();
            let (of, rest) = rest.split_once(' ').unwrap();
            name(of);
            match word {
                "TYPE" => {
                    assert!(
                        ["counter", "gauge", "histogram", "summary"].contains(&rest),
                        "{line}"
                    );
                    assert!(kinds.insert(of, rest).is_none(), "two types of {of}");
                }
                "HELP" => assert!(!rest.is_empty()),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let value: f64 = value.parse().unwrap();
        let (of, labels) = match series.split_once('{') {
            Some((of, labels)) => (of, labels.strip_suffix('}').unwrap()),
            None => (series, ""),
        };
        name(of);
        for label in labels.split(',').filter(|l| !l.is_empty()) {
            let (key, value) = label.split_once('=').unwrap();
            name(key);
            let value = value
                .strip_prefix('"')
                .and_then(|v| v.strip_suffix('"'))
                .unwrap();
            assert!(!value.contains(['"', '\\']), "{line}");
        }
        let base = ["_sum", "_count", "_bucket"]
            .iter()
            .find_map(|end| of.strip_suffix(end))
            .unwrap_or(of);
        assert!(
            kinds.contains_key(of) || kinds.contains_key(base),
            "no type: {line}"
        );
        assert!(
            samples.insert(series.to_owned(), value).is_none(),
            "twice: {line}"
        );
    }
    samples
}

async fn metrics(site: &Site) -> BTreeMap<String, f64> {
    let answer = site.get("/metrics").send().await.unwrap();
    parse(&answer.text().await.unwrap())
}

async fn metrics_can_be_read_strictly(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let site = home.serve().await;
    let empty = metrics(&site).await;
    assert_eq!(empty["denpyo_submissions{status=\"synced\"}"], 0.0);
    assert_eq!(empty["denpyo_oldest_pending_seconds"], 0.0);

    for kind in ["a\"b", "a\\b", "請求書", "a{b}=,c", "# TYPE x"] {
        let mut odd = mail("1001");
        odd["kind"] = json!(kind);
        let (status, row) = site.post("", &odd).await;
        assert_eq!(status, StatusCode::CREATED, "{row}");
        site.row_in(row["id"].as_i64().unwrap(), "synced").await;
    }
    // A line feed gets in only past the API.
    home.db
        .run("INSERT INTO email_submissions (order_id, kind, recipient) VALUES ('a\nb', 'x\ny', 'z')")
        .await;
    site.row_in(6, "rejected").await;
    let after = metrics(&site).await;
    for (series, value) in [
        ("denpyo_submissions{status=\"synced\"}", 5.0),
        ("denpyo_submissions{status=\"rejected\"}", 1.0),
        ("denpyo_submissions{status=\"pending\"}", 0.0),
        ("denpyo_submissions{status=\"requesting\"}", 0.0),
        ("denpyo_submissions{status=\"failed\"}", 0.0),
        ("denpyo_submissions{status=\"canceled\"}", 0.0),
        ("denpyo_needs_person", 1.0),
        ("denpyo_sends_total{outcome=\"accepted\"}", 5.0),
        ("denpyo_send_seconds_count", 5.0),
    ] {
        assert_eq!(after.get(series), Some(&value), "{series} in {after:#?}");
    }
    assert!(after["denpyo_send_seconds_sum"] > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn not_ready_without_the_service() {
    let mut home = Home::sqlite().await;
    let nobody = Port::reserve();
    home.send_through(&nobody.url());
    let site = home.web().await;
    for method in [Method::GET, Method::HEAD] {
        let ready = site.ask(method, "/readyz").send().await.unwrap();
        assert_eq!(ready.status(), StatusCode::SERVICE_UNAVAILABLE);
        let text = ready.text().await.unwrap();
        assert!(!text.contains("127.0.0.1"), "{text}");
    }
    let alive = site.get("/healthz").send().await.unwrap();
    assert_eq!(alive.status(), StatusCode::OK);
    let metrics = site.get("/metrics").send().await.unwrap();
    assert_eq!(metrics.status(), StatusCode::OK);
}

async fn without_a_worker_somebody_is_told_that_mails_wait(mut home: Home) {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel::<serde_json::Value>();
    let hear = async move |axum::Json(body): axum::Json<serde_json::Value>| {
        tell.send(body).unwrap();
    };
    let app = axum::Router::new().route("/hook", axum::routing::post(hear));
    let hook = listening(app).await + "/hook";
    home.migrate();
    let old = home.db.at(-7200);
    home.db
        .run(&format!(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
             VALUES ('1', 'k', 'a@example.com', 's', 'b', {old})"
        ))
        .await;
    home.set("ALERT_URL", hook);
    let _site = home.web().await;
    let heard = tokio::time::timeout(crate::run::PATIENCE, told.recv()).await;
    assert_eq!(heard.unwrap().unwrap()["condition"], "queue_old");
}
