//! What a program sees of questions that are put to the service afterwards.

use crate::common::RunningSandbox;
use crate::run::{Home, faults, on_both};
use crate::site::With;
use denpyo::sandbox::Faults;
use serde_json::Value;

on_both!(an_open_question_is_shown_until_it_is_answered);

fn kinds(row: &Value) -> Vec<&str> {
    let seen = row["observations"].as_array().unwrap();
    seen.iter().map(|o| o["kind"].as_str().unwrap()).collect()
}

async fn an_open_question_is_shown_until_it_is_answered(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url).lease(300, 1_500);
    home.set("LOOKUP_HORIZON", "60s");
    let hidden = Faults {
        accept_then_hang: 1.0,
        index_delay_ms: 3_600_000,
        ..Faults::default()
    };
    faults(&service.sandbox, hidden);
    home.add_user("sato", "support", "correct horse");
    let site = home.serve().await;
    let session = site.sign_in("sato", "correct horse").await;
    let overview = async || {
        let page = site.get("/").with(&session).send().await.unwrap();
        page.text().await.unwrap()
    };
    assert!(overview().await.contains("照会中のメールはありません。"));
    let id = site.enqueue("1001").await;
    let answered = |row: &Value| !kinds(row).is_empty();
    let row = site.row_when(id, "a first answer", answered).await;
    assert_eq!(row["status"], "requesting");
    assert_eq!(kinds(&row).first(), Some(&"lookup_not_yet"));
    assert_eq!(row["lookup"]["ended"], false);
    assert!(row["lookup"]["next_at"].is_string(), "{row}");
    // Whoever reads the overview sees it too.
    let page = overview().await;
    assert!(page.contains("照会中のメール：1件"), "{page}");
    faults(&service.sandbox, Faults::default());
    let row = site.row_in(id, "synced").await;
    assert_eq!(row["settled_by"], "lookup");
    assert_eq!(row["lookup"], Value::Null);
    let last = row["observations"].as_array().unwrap().last().unwrap();
    assert_eq!(last["kind"], "lookup_found");
    assert_eq!(last["detail"], row["provider_message_id"]);
    assert_eq!(service.holds("1001"), 1);
}
