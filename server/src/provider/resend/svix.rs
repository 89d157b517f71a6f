//! Resend's events, which Svix delivers.
//!
//! - Three headers hold an id, a time and signatures, several while a secret is being changed:
//!   HMAC-SHA256 over id, time and raw body. <https://docs.svix.com/receiving/verifying-payloads/how-manual>
//! - A post is repeated for about 28 hours, the last time 10 hours after the one before.
//!   <https://resend.com/docs/webhooks/retries-and-replays>
//! - A post is one event: `{"type","created_at","data":{"email_id","tags":…}}`. Tags come as an
//!   object or as a list of names and values. <https://resend.com/docs/webhooks/event-types>
//!
//! The signature is made by Svix's own library of the Standard Webhooks; its checking allows five
//! minutes and no more, which would refuse what waited for this program to be up again.

use crate::provider::ProviderError;
use crate::provider::events::{EventKind, Events, MailEvent, NotEvents, Post};
use crate::provider::http::words;
use crate::provider::signed;
use chrono::{DateTime, Utc};
use serde_json::Value;
use sha2::{Digest, Sha256};
use standardwebhooks::Webhook;
use std::time::Duration;
use uuid::Uuid;

const ID: &str = "svix-id";
const TIMESTAMP: &str = "svix-timestamp";
const SIGNATURE: &str = "svix-signature";
/// How long a post is repeated: 27 h 35 min 5 s, and the time that the attempts take.
const WINDOW: Duration = Duration::from_secs(28 * 3600);

/// What posts are checked with: `whsec_…`.
pub struct Secret(Webhook);

impl Secret {
    /// Reads the signing secret as it is shown.
    pub fn parse(text: &str) -> Result<Secret, ProviderError> {
        let refused = || ProviderError::WebhookKey("it is no secret such as whsec_…".to_owned());
        let webhook = Webhook::new(text).map_err(|_| refused())?;
        // An empty secret would let anybody sign.
        if text.trim_start_matches("whsec_").is_empty() {
            return Err(refused());
        }
        Ok(Secret(webhook))
    }

    /// Checks a post and reads its event. `key` is kept out of what is stored.
    pub fn read(&self, key: &str, post: Post<'_>) -> Result<Events, NotEvents> {
        let header = |name| signed::header(post.headers, name);
        let (id, timestamp) = (header(ID)?, header(TIMESTAMP)?);
        let seconds: i64 = timestamp.parse().map_err(|_| NotEvents::Signature)?;
        let right = self.0.sign(id, seconds, post.body);
        let right = Sha256::digest(right.map_err(|_| NotEvents::Signature)?);
        // Digests are compared, so that the time tells nothing.
        let mut given = header(SIGNATURE)?.split(' ');
        if !given.any(|signature| Sha256::digest(signature) == right) {
            return Err(NotEvents::Signature);
        }
        signed::fresh(seconds, post.now, WINDOW)?;
        let told: Value = serde_json::from_slice(post.body)
            .ok()
            .filter(Value::is_object)
            .ok_or_else(|| NotEvents::Unreadable("no JSON object".to_owned()))?;
        let mut read = Events::default();
        match event(&told, key) {
            Some(event) => read.events.push(event),
            None => read.odd += 1,
        }
        Ok(read)
    }
}

fn kind(word: &str) -> Option<EventKind> {
    match word {
        "email.sent"
        | "email.scheduled"
        | "email.delivery_delayed"
        | "email.opened"
        | "email.clicked" => Some(EventKind::Accepted),
        "email.delivered" => Some(EventKind::Delivered),
        "email.bounced" | "email.failed" | "email.suppressed" => Some(EventKind::Bounced),
        "email.complained" => Some(EventKind::Complained),
        _ => None,
    }
}

/// `None` where anything that is needed is missing or of another type than documented.
fn event(told: &Value, key: &str) -> Option<MailEvent> {
    let data = told.get("data")?.as_object()?;
    let tags = data.get("tags").unwrap_or(&Value::Null);
    let reason = ["bounce", "failed", "suppressed"]
        .iter()
        .find_map(|name| data.get(*name))
        .and_then(|about| about.get("message").or_else(|| about.get("reason")));
    Some(MailEvent {
        kind: kind(told.get("type")?.as_str()?)?,
        reference: tag(tags, "ref").and_then(|r| Uuid::parse_str(r).ok()),
        attempt: tag(tags, "attempt").and_then(|a| a.parse().ok()),
        at: Some(time(told.get("created_at")?.as_str()?)?),
        message_id: data
            .get("email_id")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty() && id.len() <= 255)
            .map(|id| words(id, key)),
        detail: reason.and_then(Value::as_str).map(|r| words(r, key)),
    })
}

fn tag<'a>(tags: &'a Value, name: &str) -> Option<&'a str> {
    match tags {
        Value::Object(tags) => tags.get(name)?.as_str(),
        Value::Array(tags) => tags
            .iter()
            .find(|tag| tag.get("name").and_then(Value::as_str) == Some(name))?
            .get("value")?
            .as_str(),
        _ => None,
    }
}

/// RFC 3339; older events have a blank in the middle and a zone of two digits.
fn time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f%#z"))
        .ok()
        .map(|t| t.to_utc())
}

#[cfg(test)]
#[path = "svix_tests.rs"]
mod tests;
