//! Mailgun's webhooks.

use super::{message_id, time};
use crate::provider::events::{EventKind, Events, MailEvent, NotEvents};
use crate::provider::{checks, http as shared};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::time::{Duration, SystemTime};

/// Eight hours of repeats, and one for clocks that go wrong.
const STALE: Duration = Duration::from_secs(9 * 3600);
/// How far ahead Mailgun's clock may be.
const AHEAD: Duration = Duration::from_secs(3600);

/// Checks a post's signature, and reads its event.
pub(super) fn read(body: &[u8], key: &str, now: SystemTime) -> Result<Events, NotEvents> {
    let value: Value = serde_json::from_slice(body).map_err(|_| NotEvents::Signature)?;
    check_signature(&value, key, now)?;
    let event = value.get("event-data").filter(|e| e.is_object());
    let event = event.ok_or_else(|| NotEvents::Unreadable("no event-data".to_owned()))?;
    let events: Vec<_> = read_event(event).into_iter().collect();
    let odd = usize::from(events.is_empty());
    Ok(Events { events, odd })
}

fn check_signature(value: &Value, key: &str, now: SystemTime) -> Result<(), NotEvents> {
    let signature = value.get("signature").ok_or(NotEvents::Signature)?;
    let part = |name: &str| checks::text(signature, name).ok_or(NotEvents::Signature);
    let (timestamp, token) = (part("timestamp")?, part("token")?);
    let digest = hex(part("signature")?).ok_or(NotEvents::Signature)?;
    let mut mac =
        Hmac::<Sha256>::new_from_slice(key.as_bytes()).map_err(|_| NotEvents::Signature)?;
    mac.update(timestamp.as_bytes());
    mac.update(token.as_bytes());
    // Compares in the same time wherever they differ.
    mac.verify_slice(&digest)
        .map_err(|_| NotEvents::Signature)?;
    let seconds = timestamp.parse().map_err(|_| NotEvents::Signature)?;
    let signed = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    let signed = signed.ok_or(NotEvents::Signature)?;
    let fresh = match now.duration_since(signed) {
        Ok(age) => age <= STALE,
        Err(ahead) => ahead.duration() <= AHEAD,
    };
    if fresh { Ok(()) } else { Err(NotEvents::Stale) }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| u8::try_from(c.to_digit(16)?).ok())
        .collect();
    let digits = digits?;
    (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|two| two[0] * 16 + two[1]).collect())
}

fn read_event(event: &Value) -> Option<MailEvent> {
    let kind = match checks::text(event, "event")? {
        "delivered" => EventKind::Delivered,
        "failed" if checks::text(event, "severity") == Some("temporary") => EventKind::Accepted,
        "failed" => EventKind::Bounced,
        "complained" => EventKind::Complained,
        "accepted" | "opened" | "clicked" | "unsubscribed" => EventKind::Accepted,
        // Among them "rejected": refused after all, so it proves nothing.
        _ => return None,
    };
    let labels = event.get("user-variables");
    let detail = match (kind, event.get("delivery-status")) {
        (EventKind::Bounced, Some(status)) => checks::text(status, "message")
            .or(checks::text(status, "description"))
            .or(checks::text(event, "reason")),
        _ => None,
    };
    Some(MailEvent {
        reference: checks::reference(labels),
        attempt: checks::attempt(labels),
        kind,
        at: time(event),
        message_id: message_id(event),
        // No key can be in a bounce's words; the NUL is in no text that is kept.
        detail: detail.map(|words| shared::words(words, "\0")),
    })
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
