#![allow(clippy::unwrap_used)]

use super::*;
use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

const REF: &str = "00000000-0000-0000-0123-456789abcdef";
const SIGNING: &str = "signing-key";

fn event(kind: &str, reference: &str, id: &str) -> Value {
    json!({"event": kind, "timestamp": 1_775_000_100.25, "user-variables": {"ref": reference, "attempt": "2"},
        "message": {"headers": {"message-id": id}}})
}

const NOW: u64 = 1_775_000_000;

fn signed(at: u64, key: &str, data: &Value) -> Value {
    let timestamp = at.to_string();
    let token = "c".repeat(50);
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    mac.update(format!("{timestamp}{token}").as_bytes());
    let digest = mac.finalize().into_bytes();
    let signature: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    json!({"signature": {"timestamp": timestamp, "token": token, "signature": signature},
        "event-data": data})
}

fn read(body: &str) -> Result<Events, NotEvents> {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    super::read(body.as_bytes(), SIGNING, now)
}

/// The digest is what Python's hmac makes of timestamp and token.
#[test]
fn the_signature_is_the_documented_one() {
    let value = json!({"signature": {
        "timestamp": "1529006854",
        "token": "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0",
        "signature": "789244a146c6637126bae16cc09e8755be4ea925e0cff2854851cd2b3f9dfcaf",
    }});
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_529_006_900);
    assert_eq!(check_signature(&value, SIGNING, now), Ok(()));
}

#[test]
fn events_want_a_fresh_signature() {
    let data = event("delivered", REF, "<b@x>");
    let of = |at: u64, key: &str| signed(at, key, &data).to_string();
    let hour = 3600;
    for good in [NOW, NOW - 8 * hour, NOW + 600] {
        assert_eq!(read(&of(good, SIGNING)).unwrap().events.len(), 1);
    }
    for old in [NOW - 10 * hour, NOW + 2 * hour, 0] {
        assert_eq!(read(&of(old, SIGNING)), Err(NotEvents::Stale));
    }
    let mut altered = signed(NOW, SIGNING, &data);
    altered["signature"]["token"] = json!("d".repeat(50));
    let mut shortened = signed(NOW, SIGNING, &data);
    shortened["signature"]["signature"] = json!("ab");
    for bad in [
        of(NOW, "another-key"),
        altered.to_string(),
        shortened.to_string(),
        data.to_string(),
        json!({"signature": {}, "event-data": data}).to_string(),
        "no JSON".to_owned(),
    ] {
        assert_eq!(read(&bad), Err(NotEvents::Signature), "{bad}");
    }
    let empty = signed(NOW, SIGNING, &json!(7)).to_string();
    assert!(matches!(read(&empty), Err(NotEvents::Unreadable(_))));
}

#[test]
fn each_event_has_its_meaning() {
    for (kind, severity, expected) in [
        ("delivered", None, Some(EventKind::Delivered)),
        ("failed", Some("permanent"), Some(EventKind::Bounced)),
        ("failed", Some("temporary"), Some(EventKind::Accepted)),
        ("complained", None, Some(EventKind::Complained)),
        ("accepted", None, Some(EventKind::Accepted)),
        ("opened", None, Some(EventKind::Accepted)),
        ("clicked", None, Some(EventKind::Accepted)),
        ("unsubscribed", None, Some(EventKind::Accepted)),
        ("rejected", None, None),
        ("list_member_uploaded", None, None),
    ] {
        let mut data = event(kind, REF, "<b@x>");
        data["severity"] = json!(severity);
        data["delivery-status"] = json!({"message": "550 a@example.jp unknown"});
        data["user-variables"]["attempt"] = json!(2);
        let got = read(&signed(NOW, SIGNING, &data).to_string()).unwrap();
        let events = expected.map(|kind| MailEvent {
            reference: Uuid::parse_str(REF).ok(),
            attempt: Some(2),
            kind,
            at: DateTime::from_timestamp_millis(1_775_000_100_250),
            message_id: Some("b@x".to_owned()),
            detail: (kind == EventKind::Bounced).then(|| "550 …@example.jp unknown".to_owned()),
        });
        let odd = usize::from(events.is_none());
        assert_eq!(
            got,
            Events {
                events: events.into_iter().collect(),
                odd
            },
            "{kind}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_refused(body in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(super::read(&body, SIGNING, SystemTime::UNIX_EPOCH).is_err());
    }

    #[test]
    fn any_event_is_read_or_odd(
        kind in "delivered|failed|opened|.*",
        time in any::<f64>(),
        labels in prop_oneof![Just(json!(null)), any::<i64>().prop_map(|n| json!({"ref": n, "attempt": n})),
            ".*".prop_map(|t| json!({"ref": t, "attempt": t})), Just(json!([1]))],
        message in prop_oneof![Just(json!(7)), ".*".prop_map(|t| json!({"headers": {"message-id": t}}))],
        signature in prop_oneof![Just(json!([])), ".*".prop_map(|t| json!({"timestamp": t, "token": t, "signature": t}))],
    ) {
        let data = json!({"event": kind, "timestamp": time, "user-variables": labels,
            "message": message, "delivery-status": message});
        let _ = read_event(&data);
        let now = SystemTime::UNIX_EPOCH;
        let unsigned = json!({"signature": signature, "event-data": data});
        prop_assert!(check_signature(&unsigned, SIGNING, now).is_err());
    }
}
