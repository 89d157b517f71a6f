//! A real process tells of what needs a person: to a webhook, in Slack's shape, and in its log; once
//! when it begins and once when it is over.

use crate::common::listening;
use crate::run::{Home, Program, eventually, on_both};
use axum::Json;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

on_both!(what_needs_a_person_is_told_once_and_once_when_it_is_over);

/// What was heard, and where.
type Heard = Arc<Mutex<Vec<(&'static str, Value)>>>;

async fn receiver() -> (String, Heard) {
    let heard = Heard::default();
    let take = |path: &'static str| {
        let heard = Arc::clone(&heard);
        axum::routing::post(async move |Json(body): Json<Value>| {
            heard.lock().unwrap().push((path, body));
        })
    };
    let app = axum::Router::new()
        .route("/hook", take("hook"))
        .route("/slack", take("slack"));
    let address = listening(app).await;
    (address, heard)
}

/// The lines of the log that tell of an alert.
fn logged(program: &Program) -> Vec<String> {
    let log = program.log();
    let alerts = log.lines().filter(|line| line.contains("denpyo::alerts"));
    alerts.map(str::to_owned).collect()
}

async fn what_needs_a_person_is_told_once_and_once_when_it_is_over(mut home: Home) {
    let (address, heard) = receiver().await;
    home.set("ALERT_URL", format!("{address}/hook"))
        .set("ALERT_SLACK_URL", format!("{address}/slack"))
        .set("BASE_URL", "https://desk.example");
    home.migrate();
    let mail = crate::site::mail("1001").to_string();
    assert_eq!(home.run(["enqueue"], mail.as_bytes()).code, 0);
    let done = home.run(["hold", "--reason", "restored from Tuesday"], b"");
    assert_eq!(done.code, 0, "{done:?}");

    let mut process = home.start(["serve"]);
    process.logs("began").await;
    eventually("both have heard", async || {
        (heard.lock().unwrap().len() == 2).then_some(())
    })
    .await;
    let done = home.run(["release"], b"");
    assert_eq!(done.code, 0, "{done:?}");
    process.logs("alert: over").await;
    eventually("both have heard of the end", async || {
        (heard.lock().unwrap().len() == 4).then_some(())
    })
    .await;
    process.signal("TERM");
    assert_eq!(process.exit().await, 0);

    let lines = logged(&process);
    assert_eq!(lines.len(), 2, "{lines:?}");
    for word in [" WARN ", "needs_person", "began", "count=1"] {
        assert!(lines[0].contains(word), "{lines:?}");
    }
    for word in [" INFO ", "needs_person", "over"] {
        assert!(lines[1].contains(word), "{lines:?}");
    }
    let heard = heard.lock().unwrap();
    let of = |place: &str| -> Vec<Value> {
        let there = heard.iter().filter(|(path, _)| *path == place);
        there.map(|(_, body)| body.clone()).collect()
    };
    let told = of("hook");
    for (told, state, count, text, text_ja) in [
        (
            &told[0],
            "began",
            1,
            "Mails that wait for a person: 1.",
            "対応を待っているメールが1件あります。",
        ),
        (
            &told[1],
            "over",
            0,
            "No mail waits for a person any more.",
            "対応を待っているメールはなくなりました。",
        ),
    ] {
        let expected = json!({
            "condition": "needs_person", "state": state, "count": count,
            "since": told["since"], "text": text, "text_ja": text_ja,
            "url": "https://desk.example/submissions?needs=person",
        });
        assert_eq!(told, &expected);
        assert!(told["since"].is_string(), "{told}");
    }
    assert_eq!(told[0]["since"], told[1]["since"]);
    let slack = of("slack");
    assert!(
        slack[0]["text"].as_str().unwrap().contains("1件"),
        "{slack:?}"
    );
    assert!(
        slack[1]["text"].as_str().unwrap().contains("any more"),
        "{slack:?}"
    );
}
