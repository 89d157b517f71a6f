#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

const REF: &str = "00000000-0000-0000-0123-456789abcdef";

#[test]
fn each_record_has_its_meaning() {
    let read = |changes: Value| {
        let mut event = json!({"MessageID": "m-1", "Metadata": {"ref": REF, "attempt": "2"}});
        for (name, value) in changes.as_object().unwrap() {
            event[name] = value.clone();
        }
        read(event.to_string().as_bytes()).unwrap()
    };
    for (changes, kind, detail) in [
        (
            json!({"RecordType": "Delivery", "DeliveredAt": "2026-04-01T00:00:00Z"}),
            EventKind::Delivered,
            None,
        ),
        (
            json!({"RecordType": "Bounce", "Type": "HardBounce", "BouncedAt": "2026-04-01T00:00:00.0000000Z",
            "Details": "550 a@example.com unknown"}),
            EventKind::Bounced,
            Some("550 …@example.com unknown"),
        ),
        (
            json!({"RecordType": "Bounce", "Type": "Transient", "BouncedAt": "2026-04-01T00:00:00Z"}),
            EventKind::Accepted,
            None,
        ),
        (
            json!({"RecordType": "SpamComplaint", "BouncedAt": "2026-04-01T00:00:00Z"}),
            EventKind::Complained,
            None,
        ),
        (
            json!({"RecordType": "Open", "ReceivedAt": "2026-04-01T00:00:00Z"}),
            EventKind::Accepted,
            None,
        ),
        (
            json!({"RecordType": "Click", "ReceivedAt": "2026-04-01T00:00:00Z"}),
            EventKind::Accepted,
            None,
        ),
    ] {
        let got = read(changes);
        let event = MailEvent {
            reference: Uuid::parse_str(REF).ok(),
            attempt: Some(2),
            kind,
            at: checks::time("2026-04-01T00:00:00Z"),
            message_id: Some("m-1".to_owned()),
            detail: detail.map(str::to_owned),
        };
        assert_eq!(
            got,
            Events {
                events: vec![event],
                odd: 0
            }
        );
    }
    for odd in ["SubscriptionChange", "Inbound", "x"] {
        assert_eq!(read(json!({"RecordType": odd})).odd, 1);
    }
    assert_eq!(read(json!({"RecordType": 7})).odd, 1);
    let foreign = read(json!({"RecordType": "Delivery", "Metadata": {"ref": "x", "attempt": {}}}));
    assert_eq!(
        (foreign.events[0].reference, foreign.events[0].attempt),
        (None, None)
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
        prop_oneof!["Bounce", "Delivery", "Open", "2026-04-01T00:00:00Z"].prop_map(Value::from),
    ];
    let name = prop_oneof![
        "RecordType|Type|Metadata|MessageID|BouncedAt|DeliveredAt|ReceivedAt|Details|ref|attempt",
        ".*"
    ];
    leaf.prop_recursive(3, 30, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map(name.clone(), inner, 0..8)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&body);
    }

    #[test]
    fn any_json_is_read_or_refused(value in any_json()) {
        let read = read(value.to_string().as_bytes());
        prop_assert_eq!(read.is_ok(), value.is_object());
    }
}
