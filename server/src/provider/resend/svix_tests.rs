#![allow(clippy::unwrap_used)]

use super::*;
use http::HeaderMap;
use proptest::prelude::*;
use serde_json::json;
use std::time::SystemTime;

const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const OLD: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn sign(secret: &str, at: i64, body: &[u8]) -> String {
    Webhook::new(secret)
        .unwrap()
        .sign("msg_1", at, body)
        .unwrap()
}

fn headers(at: &str, signature: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ID, "msg_1".parse().unwrap());
    headers.insert(TIMESTAMP, at.parse().unwrap());
    headers.insert(SIGNATURE, signature.parse().unwrap());
    headers
}

fn post(headers: &HeaderMap, body: &[u8]) -> Result<Events, NotEvents> {
    let now = SystemTime::now();
    let post = Post { headers, body, now };
    Secret::parse(SECRET).unwrap().read("re_key", post)
}

fn aged(age: i64, body: &[u8]) -> Result<Events, NotEvents> {
    let at = Utc::now().timestamp() - age;
    post(&headers(&at.to_string(), &sign(SECRET, at, body)), body)
}

fn told(event: &Value) -> Events {
    aged(0, event.to_string().as_bytes()).unwrap()
}

fn sample(word: &str, tags: Value) -> Value {
    json!({
        "type": word,
        "created_at": "2026-04-01T00:00:00.126Z",
        "data": {
            "email_id": "56761188-7520", "from": "Shop <order@example.com>",
            "to": ["a@example.com"], "subject": "ご注文", "tags": tags,
            "bounce": {"message": "550 no <a@example.com>", "type": "Permanent"},
        },
    })
}

#[test]
fn every_documented_kind_is_known() {
    let reference = Uuid::from_u128(7);
    for (word, kind) in [
        ("email.sent", EventKind::Accepted),
        ("email.scheduled", EventKind::Accepted),
        ("email.delivery_delayed", EventKind::Accepted),
        ("email.opened", EventKind::Accepted),
        ("email.clicked", EventKind::Accepted),
        ("email.delivered", EventKind::Delivered),
        ("email.bounced", EventKind::Bounced),
        ("email.failed", EventKind::Bounced),
        ("email.suppressed", EventKind::Bounced),
        ("email.complained", EventKind::Complained),
    ] {
        for tags in [
            json!({"ref": reference, "attempt": "2"}),
            json!([{"name": "ref", "value": reference}, {"name": "attempt", "value": "2"}]),
        ] {
            let event = MailEvent {
                reference: Some(reference),
                attempt: Some(2),
                kind,
                at: time("2026-04-01T00:00:00.126Z"),
                message_id: Some("56761188-7520".to_owned()),
                detail: Some("550 no <…@example.com>".to_owned()),
            };
            assert_eq!(told(&sample(word, tags)).events, [event], "{word}");
        }
    }
}

#[test]
fn what_is_no_mails_event_is_odd() {
    let mut no_time = sample("email.sent", Value::Null);
    no_time["created_at"] = json!("soon");
    let mut no_data = sample("email.sent", Value::Null);
    no_data["data"] = json!([]);
    for odd in [
        sample("contact.created", Value::Null),
        sample("email.received", Value::Null),
        sample("email.teleported", Value::Null),
        no_time,
        no_data,
        json!({"type": 7}),
        json!({}),
    ] {
        assert_eq!(
            told(&odd),
            Events {
                events: Vec::new(),
                odd: 1
            },
            "{odd}"
        );
    }
    // Somebody else's mails of the same account.
    for tags in [
        Value::Null,
        json!("ref"),
        json!({"ref": 7}),
        json!([7, {"name": "ref"}]),
    ] {
        assert_eq!(told(&sample("email.sent", tags)).events[0].reference, None);
    }
}

#[test]
fn old_shapes_of_times_are_read() {
    let at = time("2026-04-01T00:00:00.126Z");
    assert!(at.is_some());
    for text in [
        "2026-04-01T00:00:00.126000+00:00",
        "2026-04-01 00:00:00.126+00",
    ] {
        assert_eq!(time(text), at, "{text}");
    }
}

/// While a secret is changed, posts carry a signature of each.
#[test]
fn one_of_several_signatures_is_enough() {
    let body = sample("email.sent", Value::Null).to_string().into_bytes();
    let at = Utc::now().timestamp();
    let (ours, other) = (sign(SECRET, at, &body), sign(OLD, at, &body));
    let at = at.to_string();
    for fine in [
        ours.clone(),
        format!("{other} {ours}"),
        format!("v1a,AAAA {ours} {other}"),
    ] {
        assert!(post(&headers(&at, &fine), &body).is_ok(), "{fine}");
    }
    let bare = ours.trim_start_matches("v1,").to_owned();
    for bad in [
        other.clone(),
        bare.clone(),
        format!("v2,{bare}"),
        "v1,".to_owned(),
        String::new(),
        ours[..20].to_owned(),
    ] {
        assert_eq!(
            post(&headers(&at, &bad), &body),
            Err(NotEvents::Signature),
            "{bad}"
        );
    }
    for missing in [ID, TIMESTAMP, SIGNATURE] {
        let mut headers = headers(&at, &ours);
        headers.remove(missing);
        assert_eq!(
            post(&headers, &body),
            Err(NotEvents::Signature),
            "{missing}"
        );
    }
    let good = headers(&at, &ours);
    for other in [&body[..body.len() - 1], &[&body[..], b"\r\n"].concat()] {
        assert_eq!(post(&good, other), Err(NotEvents::Signature));
    }
    for other in ["1767000000", "soon", ""] {
        assert_eq!(
            post(&headers(other, &ours), &body),
            Err(NotEvents::Signature)
        );
    }
}

#[test]
fn posts_are_taken_as_long_as_they_are_repeated() {
    let body = sample("email.sent", Value::Null).to_string().into_bytes();
    for (age, fine) in [
        (0, true),
        (27 * 3600 + 2106, true),
        (28 * 3600 + 5, false),
        (-29 * 3600, false),
    ] {
        assert_eq!(aged(age, &body).is_ok(), fine, "{age}");
    }
    for body in ["[]", "", "nonsense"] {
        assert!(
            matches!(aged(0, body.as_bytes()), Err(NotEvents::Unreadable(_))),
            "{body}"
        );
    }
}

#[test]
fn secrets_that_could_check_nothing_are_refused() {
    assert!(Secret::parse(&SECRET[6..]).is_ok());
    for bad in ["", "whsec_", "whsec_!!", "hunter2"] {
        let refused = Secret::parse(bad).map(|_| ());
        assert!(
            matches!(refused, Err(ProviderError::WebhookKey(_))),
            "{bad}"
        );
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body in proptest::collection::vec(any::<u8>(), 0..200), text in ".{0,200}", signature in "[ -~]{0,80}") {
        prop_assert!(aged(0, text.as_bytes()).is_err());
        let headers = headers("1767000000", &signature);
        prop_assert_eq!(post(&headers, &body), Err(NotEvents::Signature));
    }

    #[test]
    fn no_json_makes_it_panic(data in crate::provider::samples::json(), word in "email\\.[a-z]{4,9}") {
        let mut event = sample(&word, Value::Null);
        event["data"] = data.clone();
        let read = told(&event);
        prop_assert_eq!(read.events.len() + read.odd, 1);
        let mut event = sample("email.bounced", data.clone());
        event["data"]["bounce"] = data;
        prop_assert_eq!(told(&event).events.len(), 1);
    }
}
