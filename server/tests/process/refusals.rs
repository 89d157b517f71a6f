//! One status for many things: what Postmark refuses with 422, told apart by the code beside it. A
//! suppressed recipient and an invalid mail wait for a person; what is about the sender or the
//! account pauses the service and costs no mail an attempt.

use crate::common::listening;
use crate::run::{Home, on_both};
use crate::site::{Site, With, mail};
use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

on_both!(each_code_beside_a_422_has_its_meaning);

/// A code of Postmark's, and its words.
const CODES: [(u16, &str); 6] = [
    (
        406,
        "You tried to send to recipients that have all been marked as inactive.",
    ),
    (300, "Invalid 'To' address: '300@example.com'."),
    (429, "Rate limit exceeded."),
    (
        400,
        "The 'From' address you supplied is not a Sender Signature on your account.",
    ),
    (
        401,
        "The Sender Signature that you are trying to send with is not confirmed.",
    ),
    (405, "Not allowed to send: you ran out of credits."),
];

/// Postmark, which refuses a mail to `406@…` with code 406. `busy@…` meets a plain 429.
async fn postmark() -> String {
    let send = async |Json(mail): Json<Value>| -> Response {
        let to = mail["To"].as_str().unwrap().to_owned();
        let wait = HeaderMap::from_iter([(RETRY_AFTER, "120".parse().unwrap())]);
        if to.starts_with("busy@") {
            return (StatusCode::TOO_MANY_REQUESTS, wait).into_response();
        }
        match CODES
            .iter()
            .find(|(code, _)| to == format!("{code}@example.com"))
        {
            Some((code, words)) => {
                let said = json!({"ErrorCode": code, "Message": words});
                (StatusCode::UNPROCESSABLE_ENTITY, wait, Json(said)).into_response()
            }
            None => {
                Json(json!({"ErrorCode": 0, "MessageID": "m-1", "Message": "OK"})).into_response()
            }
        }
    };
    let app = axum::Router::new().route("/email", axum::routing::post(send));
    listening(app).await
}

async fn counted(home: &Home, id: i64) -> i64 {
    let sql = format!("SELECT attempts_counted FROM email_submissions WHERE id = {id}");
    home.db.number(&sql).await
}

/// Whether the service stands paused; then it is let go on.
async fn was_paused(home: &Home) -> bool {
    home.db.run("DELETE FROM service_pauses").await == 1
}

async fn page(site: &Site, session: &str, id: i64, lang: &str) -> String {
    let page = site.get(&format!("/submissions/{id}")).with(session);
    let page = page.header("accept-language", lang).send().await.unwrap();
    page.text().await.unwrap()
}

async fn each_code_beside_a_422_has_its_meaning(mut home: Home) {
    home.set("PROVIDER", "postmark")
        .set("PROVIDER_URL", postmark().await)
        .set("PROVIDER_KEY", "server-token")
        .set("FROM", "Shop <order@shop.example>");
    home.add_user("sato", "support", "correct horse");
    let site = home.serve().await;
    let session = site.sign_in("sato", "correct horse").await;

    for (code, ja, en) in [
        (
            406,
            "送信サービスがこの宛先への送信を止めています",
            "sends nothing to this recipient any more",
        ),
        (
            300,
            "正しくないところがあると、送信サービスが判断しました",
            "found the recipient or another part of the mail not valid",
        ),
    ] {
        let id = site.enqueue(&code.to_string()).await;
        let row = site.row_in(id, "rejected").await;
        assert_eq!(row["attempt_log"][0]["outcome"], "refused", "{row}");
        assert_eq!(counted(&home, id).await, 1);
        for (lang, words, refused) in [("ja", ja, "受け付けを断られました"), ("en", en, "refused")]
        {
            let page = page(&site, &session, id, lang).await;
            assert!(page.contains(words) && page.contains(refused), "{page}");
        }
        assert!(!was_paused(&home).await);
    }

    for (order, wait) in [("busy", 120), ("429", 120)] {
        let id = site.enqueue(order).await;
        let row = site.row_in(id, "failed").await;
        assert_eq!(row["attempt_log"][0]["outcome"], "temporary", "{row}");
        let time = |at: &Value| chrono::DateTime::parse_from_rfc3339(at.as_str().unwrap()).unwrap();
        let waits = time(&row["next_attempt_at"]) - time(&row["attempt_log"][0]["closed_at"]);
        assert!((wait..=wait + 13).contains(&waits.num_seconds()), "{row}");
        assert_eq!(counted(&home, id).await, 1);
        assert!(!was_paused(&home).await);
    }

    for code in [400, 401, 405] {
        let id = site.enqueue(&code.to_string()).await;
        let row = site.row_in(id, "failed").await;
        assert_eq!(row["attempt_log"][0]["outcome"], "account", "{row}");
        assert!(row["next_attempt_at"].is_string(), "{row}");
        assert_eq!(counted(&home, id).await, 0);
        // What comes behind it is not even tried.
        let mut next = mail(&format!("behind-{code}"));
        next["recipient"] = json!("fine@example.com");
        let (_, next) = site.post("", &next).await;
        let next = next["id"].as_i64().unwrap();
        for (lang, words) in [
            ("ja", "送信を止めています（422）"),
            ("en", "refuses this account (422)"),
        ] {
            let page = page(&site, &session, next, lang).await;
            assert!(page.contains(words), "{page}");
        }
        assert_eq!(site.row(next).await["attempts"], 0);
        assert!(was_paused(&home).await);
        site.row_in(next, "synced").await;
    }
}
