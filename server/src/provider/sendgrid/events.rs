//! SendGrid's Event Webhook.
//!
//! - A post is a JSON array of events. The signed webhook puts into two headers a time and an
//!   ECDSA signature (P-256, SHA-256, ASN.1 in base64) over that time and the raw body.
//!   <https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features>
//! - A post that is not answered with 2xx is repeated for 24 hours.
//!   <https://www.twilio.com/docs/sendgrid/api-reference/webhooks/test-event-notification-settings>
//! - `custom_args` stand among an event's own members. `dropped` and `bounce` (of type `blocked`
//!   too) say that a mail will not arrive; `deferred` says that SendGrid goes on trying.
//!   <https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event>
//! - `sg_event_id` has been seen to change when an event is repeated, so nothing turns on it.
//!   <https://github.com/sendgrid/sendgrid-nodejs/issues/1435>

use crate::provider::events::{EventKind, Events, MailEvent, NotEvents, Post};
use crate::provider::http::words;
use crate::provider::signed::{self, P256Key};
use chrono::DateTime;
use serde_json::{Map, Value};
use std::time::Duration;
use uuid::Uuid;

const SIGNATURE: &str = "x-twilio-email-event-webhook-signature";
const TIMESTAMP: &str = "x-twilio-email-event-webhook-timestamp";
/// How long SendGrid repeats a post.
const WINDOW: Duration = Duration::from_secs(24 * 3600);

/// Checks a post and reads its events. `secret` is kept out of what is stored.
pub fn read(key: &P256Key, secret: &str, post: Post<'_>) -> Result<Events, NotEvents> {
    let signature = signed::base64(signed::header(post.headers, SIGNATURE)?);
    let timestamp = signed::header(post.headers, TIMESTAMP)?;
    let message = [timestamp.as_bytes(), post.body].concat();
    key.verify(&message, &signature.ok_or(NotEvents::Signature)?)?;
    let seconds = timestamp.trim().parse().map_err(|_| NotEvents::Stale)?;
    signed::fresh(seconds, post.now, WINDOW)?;
    let Ok(Value::Array(items)) = serde_json::from_slice(post.body) else {
        return Err(NotEvents::Unreadable("no JSON array".to_owned()));
    };
    let mut read = Events::default();
    for item in &items {
        match item.as_object().and_then(|members| event(members, secret)) {
            Some(event) => read.events.push(event),
            None => read.odd += 1,
        }
    }
    Ok(read)
}

fn kind(word: &str) -> Option<EventKind> {
    match word {
        "processed" | "deferred" | "open" | "click" | "unsubscribe" | "group_unsubscribe"
        | "group_resubscribe" => Some(EventKind::Accepted),
        "delivered" => Some(EventKind::Delivered),
        "bounce" | "blocked" | "dropped" => Some(EventKind::Bounced),
        "spamreport" => Some(EventKind::Complained),
        _ => None,
    }
}

/// `None` where anything that is needed is missing or of another type than documented.
fn event(members: &Map<String, Value>, secret: &str) -> Option<MailEvent> {
    let text = |name: &str| match members.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(Value::String(text)) => Some(Some(text.as_str())),
        Some(_) => None,
    };
    let seconds = members.get("timestamp")?.as_f64()?;
    #[allow(clippy::cast_possible_truncation)] // a cast saturates, and is looked through below
    let at = DateTime::from_timestamp_millis((seconds * 1000.0) as i64)?;
    Some(MailEvent {
        kind: kind(text("event")??)?,
        reference: text("ref")?.and_then(|r| Uuid::parse_str(r).ok()),
        attempt: text("attempt")?.and_then(|a| a.parse().ok()),
        at: Some(at),
        message_id: text("sg_message_id")?
            .filter(|id| !id.is_empty() && id.len() <= 255)
            .map(|id| words(id, secret)),
        detail: text("reason")?
            .or(text("response")?)
            .map(|reason| words(reason, secret)),
    })
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
