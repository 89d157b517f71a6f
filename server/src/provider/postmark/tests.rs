#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::stand_in::StandIn;
use crate::provider::{self, samples};
use chrono::DateTime;
use http::HeaderMap;
use std::time::SystemTime;
use uuid::Uuid;

const REF: &str = "00000000-0000-0000-0123-456789abcdef";

fn postmark(url: &str) -> Arc<dyn Provider> {
    let settings = Settings {
        url: Some(url.to_owned()),
        key: Some("server-token".to_owned()),
        timeout: Duration::from_secs(5),
        webhook_key: Some("denpyo:p:w".to_owned()),
        ..Settings::default()
    };
    provider::build("postmark", &settings).unwrap()
}

async fn outcome(status: u16, body: &str) -> SendOutcome {
    let service = StandIn::start().await;
    service.answer(status, body);
    let envelope = samples::envelope();
    let outcome = postmark(&service.url)
        .send(Permit::for_test(&envelope))
        .await;
    assert_eq!(service.requests().len(), 1, "posted once");
    outcome
}

#[tokio::test]
async fn the_request_has_postmarks_shape() {
    let service = StandIn::start().await;
    service.answer(
        200,
        r#"{"ErrorCode":0,"Message":"OK","MessageID":"b7bc-1"}"#,
    );
    let envelope = samples::envelope();
    let got = postmark(&service.url)
        .send(Permit::for_test(&envelope))
        .await;
    let message_id = Some("b7bc-1".to_owned());
    assert_eq!(got, SendOutcome::Accepted { message_id });
    let request = &service.requests()[0];
    assert_eq!(
        (request.method.as_str(), request.path()),
        ("POST", "/email")
    );
    assert_eq!(
        request.header("x-postmark-server-token"),
        Some("server-token")
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    let body = request.json();
    assert_eq!(
        body,
        json!({
            "From": "\"株式会社サンプル, 受注係\" <order@example.com>",
            "To": "a..b.@example.ne.jp",
            "ReplyTo": "\"Sample Co.\" <info@example.com>",
            "Subject": "ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます",
            "TextBody": "本文\r\n二行目",
            "HtmlBody": "<p>本文</p>",
            "Headers": [{"Name": "X-Denpyo-Ref", "Value": REF}],
            "Metadata": {"ref": REF, "order_id": "1001", "attempt": "2", "installation": "shop-1"},
        })
    );
}

#[test]
fn metadata_keep_to_their_limits() {
    let mut labels = samples::envelope().labels;
    labels.order_id = "𠮷".repeat(500);
    let metadata = metadata(&labels);
    let order_id = metadata["order_id"].as_str().unwrap();
    assert_eq!(order_id.chars().count(), 80);
    assert!(order_id.ends_with('…'));
    assert_eq!(metadata["ref"], REF);
    labels.order_id = "1".repeat(80);
    assert_eq!(
        super::metadata(&labels)["order_id"],
        labels.order_id.as_str()
    );
}

#[tokio::test]
async fn each_code_has_its_meaning() {
    let said = |code: i64, words: &str| json!({"ErrorCode": code, "Message": words}).to_string();
    for (status, body, word) in [
        (
            422,
            said(406, "You tried to send to a recipient that is inactive."),
            "refused",
        ),
        (422, said(300, "Invalid 'To' address: 'x'."), "refused"),
        (422, said(402, "Invalid JSON"), "refused"),
        (422, "no JSON".to_owned(), "refused"),
        (413, String::new(), "refused"),
        (
            422,
            said(300, "The 'From' address is not a Sender Signature."),
            "account",
        ),
        (
            422,
            said(
                400,
                "The 'From' address you supplied is not a Sender Signature",
            ),
            "account",
        ),
        (422, said(401, "not confirmed"), "account"),
        (
            422,
            said(405, "Not allowed to send: you ran out of credits"),
            "account",
        ),
        (422, said(412, "pending approval"), "account"),
        (
            401,
            said(10, "No Account or Server API tokens were supplied"),
            "account",
        ),
        (404, String::new(), "account"),
        (429, String::new(), "temporary"),
        (422, said(429, "Rate limit exceeded"), "temporary"),
        (500, said(0, "oops"), "unknown"),
        (503, said(100, "Maintenance"), "unknown"),
        (302, String::new(), "unknown"),
        (408, String::new(), "unknown"),
        // A 200 that says otherwise.
        (200, said(406, "inactive"), "refused"),
        (200, said(405, "no credit"), "account"),
    ] {
        let got = outcome(status, &body).await;
        assert_eq!(got.word().as_str(), word, "{status} {body}: {got:?}");
    }
    for (code, words, detail) in [
        (
            406,
            "Found inactive addresses: a@example.com.",
            "the service sends nothing to this recipient any more: \
             Found inactive addresses: …@example.com.",
        ),
        (
            300,
            "Invalid 'To' address.",
            "the service found the mail not valid: Invalid 'To' address.",
        ),
        (402, "Invalid JSON", "Invalid JSON"),
    ] {
        let expected = SendOutcome::Refused {
            code: 422,
            detail: detail.to_owned(),
        };
        assert_eq!(outcome(422, &said(code, words)).await, expected);
    }
}

#[tokio::test]
async fn an_unreadable_200_is_accepted_without_an_id() {
    for body in [
        "",
        "<p>no JSON</p>",
        "{}",
        r#"{"ErrorCode":0}"#,
        r#"{"MessageID":7}"#,
        "{\"Err",
    ] {
        let got = outcome(200, body).await;
        assert_eq!(got, SendOutcome::Accepted { message_id: None }, "{body}");
    }
}

#[tokio::test]
async fn a_429_waits_as_long_as_it_says() {
    let service = StandIn::start().await;
    service.answer_with(429, &[("retry-after", "7")], "");
    let envelope = samples::envelope();
    let got = postmark(&service.url)
        .send(Permit::for_test(&envelope))
        .await;
    let seven = Some(Duration::from_secs(7));
    assert!(matches!(got, SendOutcome::Temporary { retry_after, .. } if retry_after == seven));
}

fn question() -> Question {
    Question {
        reference: Uuid::parse_str(REF).unwrap(),
        attempt: 2,
        recipient: "a..b.@example.ne.jp".to_owned(),
        subject: "s".to_owned(),
        message_id: None,
        since: DateTime::UNIX_EPOCH,
        until: None,
    }
}

async fn finding(status: u16, body: Value) -> Finding {
    let service = StandIn::start().await;
    service.answer(status, body.to_string());
    let finding = postmark(&service.url).lookup(&question()).await;
    let request = &service.requests()[0];
    assert_eq!(
        (request.method.as_str(), request.path()),
        ("GET", "/messages/outbound")
    );
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let query = [
        pair("count", "500"),
        pair("offset", "0"),
        pair("metadata_ref", REF),
    ];
    assert_eq!(request.query(), query);
    assert_eq!(
        request.header("x-postmark-server-token"),
        Some("server-token")
    );
    finding
}

#[tokio::test]
async fn a_mail_is_found_by_its_very_reference() {
    let message = |reference: &str| {
        json!({"MessageID": "m-1", "ReceivedAt": "2026-04-01T07:25:02.8782715-05:00",
            "Status": "Sent", "Metadata": {"ref": reference, "attempt": "2"}})
    };
    let got = finding(200, json!({"TotalCount": 1, "Messages": [message(REF)]})).await;
    let Finding::Found(mails) = got else {
        panic!("{got:?}")
    };
    let accepted_at = mails[0].accepted_at.unwrap().to_rfc3339();
    assert_eq!(accepted_at, "2026-04-01T12:25:02.878271500+00:00");
    assert_eq!(mails[0].message_id.as_deref(), Some("m-1"));
    assert_eq!((mails.len(), mails[0].attempt), (1, Some(2)));

    let none = json!({"TotalCount": 0, "Messages": []});
    assert_eq!(finding(200, none).await, Finding::NotFound);
    // Whatever the service takes for a match, another mail's is none.
    let other = Uuid::nil().to_string();
    let got = finding(200, json!({"TotalCount": 1, "Messages": [message(&other)]})).await;
    assert_eq!(got, Finding::NotFound);
}

#[tokio::test]
async fn what_is_not_whole_is_no_answer() {
    for (status, body, expected) in [
        (
            200,
            json!({"TotalCount": 501, "Messages": []}),
            Unclear::Incomplete,
        ),
        (200, json!({"TotalCount": 0}), Unclear::Unreachable),
        (200, json!({"Messages": []}), Unclear::Unreachable),
        (
            200,
            json!({"TotalCount": 1, "Messages": [{}]}),
            Unclear::Unreachable,
        ),
        (200, json!("?"), Unclear::Unreachable),
        (401, json!({"ErrorCode": 10}), Unclear::Refused),
        (500, json!({}), Unclear::Unreachable),
    ] {
        let got = finding(status, body.clone()).await;
        assert!(
            matches!(got, Finding::Unclear { why, .. } if why == expected),
            "{body}: {got:?}"
        );
    }
}

/// What is shown of the mail is proof, whatever else is missing.
#[tokio::test]
async fn a_mail_that_is_shown_is_proof_though_the_answer_is_not_whole() {
    let own = json!({"MessageID": "m-1", "Metadata": {"ref": REF}});
    for body in [
        json!({"TotalCount": 501, "Messages": [own]}),
        json!({"Messages": [own]}),
        json!({"TotalCount": 2, "Messages": [{}, own]}),
    ] {
        let got = finding(200, body.clone()).await;
        assert!(
            matches!(&got, Finding::Found(mails) if mails.len() == 1),
            "{body}: {got:?}"
        );
    }
}

async fn post(authorization: Option<&str>, body: &[u8]) -> Result<Events, NotEvents> {
    let mut headers = HeaderMap::new();
    if let Some(value) = authorization {
        headers.insert("authorization", value.parse().unwrap());
    }
    let post = Post {
        headers: &headers,
        body,
        now: SystemTime::now(),
    };
    postmark("http://127.0.0.1:1").events(post).await
}

#[tokio::test]
async fn events_want_the_user_and_password() {
    let body = br#"{"RecordType":"Delivery"}"#;
    // denpyo:p:w, and then wrong ones.
    let good = "Basic ZGVucHlvOnA6dw==";
    assert_eq!(post(Some(good), body).await.unwrap().events.len(), 1);
    assert!(post(Some("basic ZGVucHlvOnA6dw=="), body).await.is_ok());
    for bad in [
        None,
        Some("Basic ZGVucHlvOnA6eA=="),
        Some("Basic"),
        Some("Basic ?"),
        Some("Bearer ZGVucHlvOnA6dw=="),
        Some("Basic ZGVucHlvOnA="),
    ] {
        assert_eq!(post(bad, body).await, Err(NotEvents::Signature), "{bad:?}");
    }
    assert!(matches!(
        post(Some(good), b"[").await,
        Err(NotEvents::Unreadable(_))
    ));
    let settings = Settings {
        key: Some("t".to_owned()),
        timeout: Duration::from_secs(1),
        ..Settings::default()
    };
    let headers = HeaderMap::new();
    let unset = provider::build("postmark", &settings).unwrap();
    let got = unset
        .events(Post {
            headers: &headers,
            body,
            now: SystemTime::now(),
        })
        .await;
    assert_eq!(got, Err(NotEvents::Off));
    let settings = Settings {
        webhook_key: Some("only-a-password".to_owned()),
        ..settings
    };
    let error = provider::build("postmark", &settings).err();
    assert!(matches!(error, Some(ProviderError::WebhookKey(_))));
}
