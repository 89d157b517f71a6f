#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::stand_in::StandIn;
use crate::provider::{self, samples};
use serde_json::{Value, json};

fn resend(url: &str) -> Arc<dyn Provider> {
    let settings = Settings {
        url: Some(url.to_owned()),
        key: Some("re_key".to_owned()),
        timeout: Duration::from_secs(2),
        ..Settings::default()
    };
    provider::build("resend", &settings).unwrap()
}

async fn send(service: &StandIn) -> SendOutcome {
    let envelope = samples::envelope();
    let resend = resend(&service.url);
    resend.send(Permit::for_test(&envelope)).await
}

#[tokio::test]
async fn the_request_has_resends_shape() {
    let service = StandIn::answering(200, &[], r#"{"id":"49a3999c-0ce1"}"#).await;
    let accepted = SendOutcome::Accepted {
        message_id: Some("49a3999c-0ce1".to_owned()),
    };
    assert_eq!(send(&service).await, accepted);
    let [request] = &service.requests()[..] else {
        panic!("one request");
    };
    assert_eq!(
        (request.method.as_str(), request.path()),
        ("POST", "/emails")
    );
    assert_eq!(request.header("authorization"), Some("Bearer re_key"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let reference = "00000000-0000-0000-0123-456789abcdef";
    assert_eq!(
        request.header("idempotency-key"),
        Some(format!("{reference}/2").as_str())
    );
    assert_eq!(
        request.json(),
        json!({
            "from": "\"株式会社サンプル, 受注係\" <order@example.com>",
            "to": ["a..b.@example.ne.jp"],
            "subject": "ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます",
            "text": "本文\r\n二行目",
            "html": "<p>本文</p>",
            "reply_to": "\"Sample Co.\" <info@example.com>",
            "headers": {"X-Denpyo-Ref": reference},
            "tags": [
                {"name": "ref", "value": reference},
                {"name": "attempt", "value": "2"},
                {"name": "order_id", "value": "1001"},
                {"name": "installation", "value": "shop-1"},
            ],
        })
    );
}

/// A tag that Resend would refuse must not cost the mail.
#[test]
fn tags_that_resend_does_not_take_are_left_out() {
    let mut envelope = samples::envelope();
    envelope.labels.order_id = "注文 1001".to_owned();
    envelope.labels.installation = "a".repeat(257);
    let body: Value = serde_json::from_slice(&message(&envelope)).unwrap();
    let names = body["tags"].as_array().unwrap().iter().map(|t| &t["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["ref", "attempt"]);
}

/// A replay must be the very request: the digest tells whether it would be.
#[test]
fn the_digest_is_of_this_very_request() {
    let service = resend(DEFAULT_URL);
    let envelope = samples::envelope();
    let digest = service.request_digest(&envelope).unwrap();
    assert_eq!(digest.len(), 64);
    assert_eq!(service.request_digest(&envelope.clone()).unwrap(), digest);
    type Change = fn(&mut Envelope);
    let changes: [Change; 6] = [
        |e| e.labels.attempt += 1,
        |e| e.labels.reference = uuid::Uuid::nil(),
        |e| e.labels.installation = "shop-2".to_owned(),
        |e| e.content.sender.name = None,
        |e| e.content.body_text = None,
        |e| e.content.subject.push('!'),
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut other = envelope.clone();
        change(&mut other);
        assert_ne!(
            service.request_digest(&other).unwrap(),
            digest,
            "change {i}"
        );
    }
    assert_eq!(service.asking(), Asking::Replay { window: WINDOW });
}

#[tokio::test]
async fn each_answer_has_its_meaning() {
    use app::model::views::Outcome::{Accepted, Account, Refused, Temporary, Unknown};
    for (status, name, message, outcome) in [
        (201, "", "", Accepted),
        (
            400,
            "validation_error",
            "We found an error with one or more fields",
            Refused,
        ),
        (400, "validation_error", "API key is invalid", Account),
        (401, "missing_api_key", "Missing API key", Account),
        (
            401,
            "restricted_api_key",
            "restricted to only send emails",
            Account,
        ),
        (403, "invalid_api_key", "API key is invalid", Account),
        (
            403,
            "validation_error",
            "The shop.example domain is not verified",
            Account,
        ),
        (
            404,
            "not_found",
            "The requested endpoint does not exist",
            Account,
        ),
        (405, "method_not_allowed", "Method is not allowed", Account),
        (
            409,
            "concurrent_idempotent_requests",
            "still in progress",
            Unknown,
        ),
        (
            409,
            "invalid_idempotent_request",
            "different request payload",
            Unknown,
        ),
        (413, "", "", Refused),
        (422, "missing_required_field", "missing", Refused),
        (422, "invalid_from_address", "Invalid from field", Refused),
        (429, "rate_limit_exceeded", "Too many requests", Temporary),
        (
            429,
            "daily_quota_exceeded",
            "daily email sending quota",
            Account,
        ),
        (
            429,
            "monthly_quota_exceeded",
            "monthly email sending quota",
            Account,
        ),
        (
            451,
            "security_error",
            "We may have found a security issue",
            Account,
        ),
        (408, "", "", Unknown),
        (302, "", "", Unknown),
        (
            500,
            "application_error",
            "An unexpected error occurred",
            Unknown,
        ),
        (503, "", "", Unknown),
    ] {
        let body = json!({"statusCode": status, "name": name, "message": message}).to_string();
        let service = StandIn::answering(status, &[("retry-after", "7")], &body).await;
        let got = send(&service).await;
        assert_eq!(got.word(), outcome, "{status} {name}: {got:?}");
        assert_eq!(service.requests().len(), 1, "{status} is not repeated");
        if let SendOutcome::Temporary { retry_after, .. } = got {
            assert_eq!(retry_after, Some(Duration::from_secs(7)));
        }
    }
}

#[tokio::test]
async fn a_2xx_that_cannot_be_read_is_accepted() {
    for body in ["", "{", "[]", r#"{"id":7}"#, r#"{"id":""}"#] {
        let service = StandIn::answering(200, &[], body).await;
        let accepted = SendOutcome::Accepted { message_id: None };
        assert_eq!(send(&service).await, accepted, "{body}");
    }
}

#[tokio::test]
async fn without_a_connection_nothing_left() {
    let service = resend("http://127.0.0.1:9");
    let envelope = samples::envelope();
    let outcome = service.send(Permit::for_test(&envelope)).await;
    assert!(
        matches!(outcome, SendOutcome::NeverLeft { .. }),
        "{outcome:?}"
    );
    assert!(service.reachable().await.is_err());
}
