#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::ProviderError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;
use http::HeaderMap;
use proptest::prelude::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::json;
use std::sync::LazyLock;
use std::time::SystemTime;

/// What stands before the point in the SubjectPublicKeyInfo of every key of the curve P-256.
const SPKI: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

struct Signer(EcdsaKeyPair);

impl Signer {
    fn new() -> Signer {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pair = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Signer(EcdsaKeyPair::from_pkcs8(algorithm, pair.as_ref(), &random).unwrap())
    }

    /// As SendGrid shows it.
    fn shown(&self) -> String {
        STANDARD.encode([&SPKI[..], self.0.public_key().as_ref()].concat())
    }

    fn headers(&self, timestamp: &str, body: &[u8]) -> HeaderMap {
        let message = [timestamp.as_bytes(), body].concat();
        let signature = self.0.sign(&SystemRandom::new(), &message).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(SIGNATURE, STANDARD.encode(signature).parse().unwrap());
        headers.insert(TIMESTAMP, timestamp.parse().unwrap());
        headers
    }
}

static SIGNER: LazyLock<Signer> = LazyLock::new(Signer::new);

fn key() -> P256Key {
    P256Key::parse(&SIGNER.shown()).unwrap()
}

fn post(headers: &HeaderMap, body: &[u8]) -> Result<Events, NotEvents> {
    let now = SystemTime::now();
    let post = Post { headers, body, now };
    read(&key(), "SG.key", post)
}

fn signed(body: &[u8]) -> Result<Events, NotEvents> {
    let now = Utc::now().timestamp().to_string();
    post(&SIGNER.headers(&now, body), body)
}

fn told(events: &Value) -> Events {
    signed(events.to_string().as_bytes()).unwrap()
}

#[test]
fn every_documented_kind_is_known() {
    let reference = Uuid::from_u128(7);
    for (word, kind) in [
        ("processed", EventKind::Accepted),
        ("deferred", EventKind::Accepted),
        ("open", EventKind::Accepted),
        ("click", EventKind::Accepted),
        ("unsubscribe", EventKind::Accepted),
        ("group_unsubscribe", EventKind::Accepted),
        ("group_resubscribe", EventKind::Accepted),
        ("delivered", EventKind::Delivered),
        ("bounce", EventKind::Bounced),
        ("dropped", EventKind::Bounced),
        ("spamreport", EventKind::Complained),
    ] {
        let read = told(&json!([{
            "event": word, "timestamp": 1_767_000_000, "ref": reference, "attempt": "2",
            "email": "a@example.com", "sg_event_id": "x", "sg_message_id": "abc.recvd-1",
            "reason": "550 no <a@example.com> here",
        }]));
        let event = MailEvent {
            reference: Some(reference),
            attempt: Some(2),
            kind,
            at: DateTime::from_timestamp(1_767_000_000, 0),
            message_id: Some("abc.recvd-1".to_owned()),
            detail: Some("550 no <…@example.com> here".to_owned()),
        };
        assert_eq!((read.events, read.odd), (vec![event], 0), "{word}");
    }
}

#[test]
fn odd_events_do_not_spoil_the_others() {
    let read = told(&json!([
        {"event": "delivered", "timestamp": 1_767_000_000, "ref": Uuid::from_u128(1), "attempt": "1"},
        {"event": "teleported", "timestamp": 1_767_000_000},
        {"event": "delivered"},
        {"event": "delivered", "timestamp": "soon"},
        {"event": "delivered", "timestamp": 1e300},
        {"event": "delivered", "timestamp": 1_767_000_000, "ref": 12},
        {"event": "bounce", "timestamp": 1_767_000_000, "reason": 550},
        {"event": 5, "timestamp": 1_767_000_000},
        "delivered", null, [], 7,
        {"event": "delivered", "timestamp": 1_767_000_000.0, "ref": "somebody else's"},
        {"event": "processed", "timestamp": 1_767_000_000},
    ]));
    assert_eq!((read.events.len(), read.odd), (3, 11));
    assert_eq!(read.events[1].reference, None);
}

/// The very bytes are what is signed: line ends between and after events, Japanese as it is,
/// escaped slashes, numbers as they are written.
#[test]
fn the_raw_bytes_are_what_is_signed() {
    let body = "[{\"event\": \"delivered\",\"timestamp\":1767000000.0,\"note\":\"ご注文\",\
                \"url\":\"https:\\/\\/example.com\"},\r\n{\"event\":\"open\",\"timestamp\":1767000000}]\r\n"
        .as_bytes();
    let now = Utc::now().timestamp().to_string();
    let headers = SIGNER.headers(&now, body);
    assert_eq!(post(&headers, body).unwrap().events.len(), 2);
    let text = String::from_utf8(body.to_vec()).unwrap();
    let written_again = serde_json::from_str::<Value>(&text).unwrap().to_string();
    for other in [
        text.trim_end().to_owned(),
        text.replace("\r\n", "\n"),
        text.replace("\\/", "/"),
        text.replacen('5', "6", 1) + " ",
        text.replace("open", "opeN"),
        // One thing alone each: a blank trimmed, two keys in the other order.
        text.replace("\"event\": \"delivered\"", "\"event\":\"delivered\""),
        text.replace(
            "\"event\":\"open\",\"timestamp\":1767000000",
            "\"timestamp\":1767000000,\"event\":\"open\"",
        ),
        written_again,
    ] {
        assert_ne!(other, text);
        assert_eq!(post(&headers, other.as_bytes()), Err(NotEvents::Signature));
    }
}

#[test]
fn only_sendgrid_is_believed() {
    let now = Utc::now().timestamp().to_string();
    let body = b"[]";
    let good = SIGNER.headers(&now, body);
    assert_eq!(post(&good, body), Ok(Events::default()));
    let other = Signer::new().headers(&now, body);
    assert_eq!(post(&other, body), Err(NotEvents::Signature));
    for (name, value) in [
        (SIGNATURE, ""),
        (SIGNATURE, "!!!"),
        (SIGNATURE, "AAAA"),
        (TIMESTAMP, "1767000000"),
        (TIMESTAMP, ""),
    ] {
        let mut headers = good.clone();
        headers.insert(name, value.parse().unwrap());
        assert_eq!(post(&headers, body), Err(NotEvents::Signature), "{name}");
        headers.remove(name);
        assert_eq!(post(&headers, body), Err(NotEvents::Signature), "{name}");
    }
}

#[test]
fn old_posts_are_refused() {
    let now = Utc::now().timestamp();
    for (age, fine) in [
        (0, true),
        (23 * 3600, true),
        (24 * 3600 + 5, false),
        (-300, true),
        (-25 * 3600, false),
    ] {
        let headers = SIGNER.headers(&(now - age).to_string(), b"[]");
        assert_eq!(post(&headers, b"[]").is_ok(), fine, "{age}");
    }
    for odd in ["soon", "-1", "99999999999999999999"] {
        let headers = SIGNER.headers(odd, b"[]");
        assert_eq!(post(&headers, b"[]"), Err(NotEvents::Stale), "{odd}");
    }
}

#[test]
fn what_is_signed_and_no_array_is_unreadable() {
    for body in ["{}", "", "nonsense", "[", "\"[]\""] {
        let read = signed(body.as_bytes());
        assert!(matches!(read, Err(NotEvents::Unreadable(_))), "{body}");
    }
}

#[test]
fn keys_that_could_check_nothing_are_refused() {
    let shown = SIGNER.shown();
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{shown}\n-----END PUBLIC KEY-----\n");
    assert!(P256Key::parse(&pem).is_ok());
    // Of the curve P-384, cut, and nothing at all.
    let p384 = "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE";
    for bad in [p384, &shown[..40], "secret", "", "AAAA"] {
        let refused = P256Key::parse(bad).map(|_| ());
        assert!(
            matches!(refused, Err(ProviderError::WebhookKey(_))),
            "{bad}"
        );
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body in proptest::collection::vec(any::<u8>(), 0..200), header in "[ -~]{0,80}") {
        let _ = signed(&body);
        let mut headers = SIGNER.headers("1", &body);
        headers.insert(SIGNATURE, header.parse().unwrap());
        prop_assert_eq!(post(&headers, &body), Err(NotEvents::Signature));
    }

    #[test]
    fn no_json_makes_it_panic(items in proptest::collection::vec(crate::provider::samples::json(), 0..8)) {
        let count = items.len();
        let read = told(&Value::Array(items));
        prop_assert_eq!(read.events.len() + read.odd, count);
    }
}
