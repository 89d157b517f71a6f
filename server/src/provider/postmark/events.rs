//! Postmark's webhooks.

use crate::provider::events::{EventKind, Events, MailEvent, NotEvents};
use crate::provider::{checks, http as shared};
use serde_json::Value;

/// Reads the one event of a post.
pub(super) fn read(body: &[u8]) -> Result<Events, NotEvents> {
    let value: Value =
        serde_json::from_slice(body).map_err(|_| NotEvents::Unreadable("no JSON".to_owned()))?;
    if !value.is_object() {
        return Err(NotEvents::Unreadable("no JSON object".to_owned()));
    }
    let mut events = Events::default();
    match read_event(&value) {
        Some(event) => events.events.push(event),
        None => events.odd = 1,
    }
    Ok(events)
}

fn read_event(value: &Value) -> Option<MailEvent> {
    let (kind, at) = match checks::text(value, "RecordType")? {
        "Delivery" => (EventKind::Delivered, "DeliveredAt"),
        "Bounce" => (bounce(checks::text(value, "Type")), "BouncedAt"),
        "SpamComplaint" => (EventKind::Complained, "BouncedAt"),
        "Open" | "Click" => (EventKind::Accepted, "ReceivedAt"),
        _ => return None,
    };
    let labels = value.get("Metadata");
    let detail = match kind {
        EventKind::Bounced => checks::text(value, "Details").or(checks::text(value, "Description")),
        _ => None,
    };
    Some(MailEvent {
        reference: checks::reference(labels),
        attempt: checks::attempt(labels),
        kind,
        at: checks::text(value, at).and_then(checks::time),
        message_id: checks::text(value, "MessageID").and_then(checks::message_id),
        // No key can be in a bounce's words; the NUL is in no text that is kept.
        detail: detail.map(|words| shared::words(words, "\0")),
    })
}

/// Some of what Postmark calls a bounce is a delay, or an answer by a machine.
/// <https://postmarkapp.com/developer/api/bounce-api#bounce-types>
fn bounce(kind: Option<&str>) -> EventKind {
    match kind {
        Some(
            "Transient"
            | "AutoResponder"
            | "Subscribe"
            | "Unsubscribe"
            | "AddressChange"
            | "ChallengeVerification"
            | "OpenRelayTest",
        ) => EventKind::Accepted,
        Some("SpamComplaint") => EventKind::Complained,
        _ => EventKind::Bounced,
    }
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
