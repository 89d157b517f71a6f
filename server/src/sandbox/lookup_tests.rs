#![allow(clippy::unwrap_used)]

use super::tests::{mail, start};
use serde_json::{Value, json};

#[tokio::test]
async fn mails_are_found_as_with_sendgrid() {
    let running = start().await;
    for to in ["a@example.com", "b@example.com", "o'hara@example.com"] {
        assert_eq!(running.post("/v3/mail/send", mail(to)).await.0, 202);
    }
    let kept = running.sandbox.messages();
    let (id, sg_id) = (&kept[0].message_id, &kept[0].sg_message_id);
    let found = |answer: &Value| -> Vec<String> {
        let list = answer["messages"].as_array().unwrap();
        list.iter()
            .map(|m| m["to_email"].as_str().unwrap().to_owned())
            .collect()
    };
    let owned = |list: &[&str]| -> Vec<String> { list.iter().map(|s| (*s).to_owned()).collect() };
    let all = ["o'hara@example.com", "b@example.com", "a@example.com"];
    for (query, expected) in [
        (String::new(), &all[..]),
        ("to_email=\"a@example.com\"".to_owned(), &all[2..]),
        ("to_email = \"o'hara@example.com\"".to_owned(), &all[..1]),
        ("to_email='o\\'hara@example.com'".to_owned(), &all[..1]),
        ("to_email='A@example.com'".to_owned(), &[]),
        (format!("sg_message_id='{sg_id}'"), &all[2..]),
        (format!("sg_message_id='{id}'"), &[]),
        (
            "subject='ご注文' AND status IN ('delivered', 'processed')".to_owned(),
            &all,
        ),
        ("status IN ('bounced')".to_owned(), &[]),
        (
            "to_email='b@example.com' AND sg_message_id_created_at > TIMESTAMP \
             \"2026-01-01T00:00:00Z\" AND sg_message_id_created_at <= TIMESTAMP \
             '2999-01-01T09:00:00+09:00'"
                .to_owned(),
            &all[1..2],
        ),
        (
            "sg_message_id_created_at < TIMESTAMP \"2020-01-01T00:00:00Z\"".to_owned(),
            &[],
        ),
    ] {
        let (status, answer) = running.post("/v3/logs", json!({"query": query})).await;
        assert_eq!((status, found(&answer)), (200, owned(expected)), "{query}");
    }
    let (_, two) = running.post("/v3/logs", json!({"limit": 2})).await;
    assert_eq!(found(&two), all[..2]);
    assert_eq!(
        two["messages"][0]["sg_message_id"],
        json!(kept[2].sg_message_id)
    );
    assert_eq!(two["messages"][0]["custom_args"], Value::Null);

    let (status, one) = running.get(&format!("/v3/logs/{sg_id}")).await;
    assert_eq!(
        (status, &one["custom_args"]["ref"]),
        (200, &json!("ref-a@example.com"))
    );
    assert_eq!(running.get(&format!("/v3/logs/{id}")).await.0, 404);

    for (query, expected) in [
        (
            "unique_args['ref']=\"ref-b@example.com\"".to_owned(),
            &all[1..2],
        ),
        (
            "(unique_args['ref']=\"ref-b@example.com\")".to_owned(),
            &all[1..2],
        ),
        (format!("msg_id LIKE '{id}%'"), &all[2..]),
        (
            format!("msg_id=\"{sg_id}\" AND to_email=\"b@example.com\""),
            &[],
        ),
        (
            "status=\"processed\" AND from_email=\"order@example.com\"".to_owned(),
            &all,
        ),
    ] {
        let mut url = url::Url::parse(&running.url).unwrap();
        url.query_pairs_mut()
            .append_pair("query", &query)
            .append_pair("limit", "10");
        let path = format!("/v3/messages?{}", url.query().unwrap());
        let (status, answer) = running.get(&path).await;
        assert_eq!((status, found(&answer)), (200, owned(expected)), "{query}");
    }
    running.stop().await;
}

#[tokio::test]
async fn queries_that_sendgrid_refuses_are_refused() {
    let running = start().await;
    for query in [
        "custom_args='x'",
        "unique_args['ref']='x'",
        "to_email LIKE 'a%'",
        "status='processed'",
        "to_email=a@example.com",
        "to_email='a@example.com",
        "to_email='a' OR to_email='b'",
        "to_email='a' to_email='b'",
        "to_email='a' AND",
        "(to_email='a'",
        "sg_message_id_created_at > '2026-01-01T00:00:00Z'",
        "sg_message_id_created_at > TIMESTAMP 'yesterday'",
        "=",
        "あ",
    ] {
        let (status, answer) = running.post("/v3/logs", json!({"query": query})).await;
        assert_eq!(status, 400, "{query}: {answer}");
    }
    for limit in [0, 1001] {
        let (status, answer) = running.post("/v3/logs", json!({"limit": limit})).await;
        assert_eq!(
            (status, &answer["errors"][0]["field"]),
            (400, &json!("limit"))
        );
    }
    assert_eq!(running.get("/v3/messages?limit=abc").await.0, 400);
    assert_eq!(
        running.get("/v3/messages?query=reason%3D%22x%22").await.0,
        400
    );
    for path in ["/v3/messages", "/v3/logs/x"] {
        let answer = running.client.get(format!("{}{path}", running.url));
        assert_eq!(answer.send().await.unwrap().status(), 401);
    }
    running.stop().await;
}

#[tokio::test]
async fn look_ups_do_not_see_what_is_too_young() {
    let running = start().await;
    running
        .put_faults(json!({"index_delay_ms": 3_600_000}))
        .await;
    running.post("/v3/mail/send", mail("a@example.com")).await;
    let id = running.sandbox.messages()[0].sg_message_id.clone();
    let seen = async || {
        let logs = running.post("/v3/logs", json!({})).await.1;
        let activity = running.get("/v3/messages").await.1;
        let one = running.get(&format!("/v3/logs/{id}")).await.0;
        let count = |v: &Value| v["messages"].as_array().unwrap().len();
        (count(&logs), count(&activity), one)
    };
    assert_eq!(seen().await, (0, 0, 404));
    // It is there all the same.
    assert_eq!(
        running.get("/_sandbox/messages").await.1["messages"][0]["sg_message_id"],
        json!(id)
    );
    running.put_faults(json!({"index_delay_ms": 0})).await;
    assert_eq!(seen().await, (1, 1, 200));
    running
        .put_faults(json!({"index_delay_ms": u64::MAX}))
        .await;
    assert_eq!(seen().await, (0, 0, 404));
    running.stop().await;
}
