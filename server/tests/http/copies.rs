//! `POST /api/v1/submissions/{id}/copies`.

use crate::common::RunningSandbox;
use crate::run::{Home, on_both};
use crate::site::Site;
use reqwest::StatusCode;
use serde_json::{Value, json};

on_both!(a_copy_is_made_once_and_sent, every_refusal_has_its_reason,);

async fn copy(site: &Site, id: i64, body: Value) -> (StatusCode, Value) {
    site.post(&format!("/{id}/copies"), &body).await
}

async fn a_copy_is_made_once_and_sent(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    site.row_in(id, "synced").await;
    let before = site.stored(id).await;
    // What the resend of an accepted mail points at.
    let (_, problem) = site.post(&format!("/{id}/resend"), &json!({})).await;
    let path = problem["copies"].as_str().unwrap();
    assert_eq!(path, format!("/api/v1/submissions/{id}/copies"));

    let body = json!({"copy": 1, "recipient": "other@example.com", "reason": "お客様のご依頼"});
    let request = site.api(reqwest::Method::POST, &format!("/{id}/copies"));
    let answer = request.json(&body).send().await.unwrap();
    let at = answer.headers()["location"].to_str().unwrap().to_owned();
    let (status, made) = crate::site::read(answer).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(at, format!("/api/v1/submissions/{}", made["id"]));
    assert_eq!(
        (&made["copy"], &made["original_id"]),
        (&json!(1), &json!(id))
    );
    assert_eq!(made["recipient"], "other@example.com");
    assert_eq!(made["decided_by"], "api");
    for _ in 0..2 {
        let (status, again) = copy(&site, id, body.clone()).await;
        assert_eq!((status, &again["id"]), (StatusCode::OK, &made["id"]));
    }
    let sent = site.row_in(made["id"].as_i64().unwrap(), "synced").await;
    assert_eq!(sent["attempt_log"][0]["recipient"], "other@example.com");
    assert_eq!(service.holds("1001"), 2);
    assert_eq!(site.stored(id).await, before, "the original stays as it is");
    // The same mail handed over again is still the original.
    let (status, row) = site.post("", &crate::site::mail("1001")).await;
    assert_eq!((status, &row["id"]), (StatusCode::OK, &json!(id)));
}

async fn every_refusal_has_its_reason(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    site.row_in(id, "synced").await;
    for (body, field) in [
        (json!({}), "copy"),
        (json!({"copy": null}), "copy"),
        (json!({"copy": 0}), "copy"),
        (json!({"copy": "1"}), "copy"),
        (json!({"copy": 1, "recipient": "nobody"}), "recipient"),
        (json!({"copy": 1, "reason": 7}), "reason"),
        (json!({"copy": 1, "version": 1}), "version"),
    ] {
        let (status, problem) = copy(&site, id, body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{field}");
        assert_eq!(problem["errors"][0]["field"], field);
    }
    let (status, problem) = copy(&site, id, json!({"copy": 2})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(
        (&problem["reason"], &problem["next"]),
        (&json!("copy_taken"), &json!(1))
    );
    let (status, _) = copy(&site, id, json!({"copy": 1, "request_id": "shop-1"})).await;
    assert_eq!(status, StatusCode::CREATED);
    // The same request again is the same copy, and another that is late learns the next number.
    let (status, _) = copy(&site, id, json!({"copy": 1, "request_id": "shop-1"})).await;
    assert_eq!(status, StatusCode::OK);
    let late = json!({"copy": 1, "recipient": "other@example.com"});
    let (status, problem) = copy(&site, id, late).await;
    assert_eq!(
        (status, &problem["next"]),
        (StatusCode::CONFLICT, &json!(2))
    );

    let mut later = crate::site::mail("1002");
    later["not_before"] = json!("2090-01-01T00:00:00Z");
    let (_, waiting) = site.post("", &later).await;
    let waiting = waiting["id"].as_i64().unwrap();
    let (status, problem) = copy(&site, waiting, json!({"copy": 1})).await;
    assert_eq!(
        (status, &problem["reason"]),
        (StatusCode::CONFLICT, &json!("not_accepted"))
    );
    assert_eq!(problem["submission"]["id"], waiting);
    let (status, _) = copy(&site, 4711, json!({"copy": 1})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let unsigned = site.ask(
        reqwest::Method::POST,
        &format!("/api/v1/submissions/{id}/copies"),
    );
    assert_eq!(
        unsigned.send().await.unwrap().status(),
        StatusCode::UNAUTHORIZED
    );
}
