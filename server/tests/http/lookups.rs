//! What a program sees of questions that are put to the service afterwards.

use crate::common::RunningSandbox;
use crate::run::{Home, faults, on_both};
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
    home.set("LOOKUP_HORIZON", "4s");
    let hidden = Faults {
        accept_then_hang: 1.0,
        index_delay_ms: 3_600_000,
        ..Faults::default()
    };
    faults(&service.sandbox, hidden);
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    let once = |row: &Value| row["lookup"]["asked"].as_i64() >= Some(1);
    let row = site.row_when(id, "a first question", once).await;
    assert_eq!(row["status"], "requesting");
    assert_eq!(kinds(&row).first(), Some(&"lookup_not_yet"));
    assert_eq!(row["lookup"]["ended"], false);
    assert!(row["lookup"]["next_at"].is_string(), "{row}");
    faults(&service.sandbox, Faults::default());
    let row = site.row_in(id, "synced").await;
    assert_eq!(row["settled_by"], "lookup");
    assert_eq!(row["lookup"], Value::Null);
    let last = row["observations"].as_array().unwrap().last().unwrap();
    assert_eq!(last["kind"], "lookup_found");
    assert_eq!(last["detail"], row["provider_message_id"]);
    assert_eq!(service.holds("1001"), 1);
}
