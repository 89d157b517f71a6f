//! What services tell by themselves: signed posts to `/webhooks/{provider}`.

use chrono::{DateTime, Utc};
use http::HeaderMap;
use std::time::SystemTime;
use uuid::Uuid;

/// A post as it came: signatures cover these very bytes.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a> {
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body, unchanged.
    pub body: &'a [u8],
    /// When it came.
    pub now: SystemTime,
}

/// Something that happened to a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailEvent {
    /// The mail's own reference, where the event carries one; without it the event is foreign.
    pub reference: Option<Uuid>,
    /// The attempt, where the event carries it.
    pub attempt: Option<i32>,
    /// What happened.
    pub kind: EventKind,
    /// When, by the service's clock.
    pub at: Option<DateTime<Utc>>,
    /// The service's id of the mail.
    pub message_id: Option<String>,
    /// The service's words (a bounce's reason), shortened, without addresses.
    pub detail: Option<String>,
}

/// What happened to a mail. Each of them proves that the service had accepted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The service took it, and nothing more is said (processed, deferred, opened, clicked, …).
    Accepted,
    /// The recipient's server took it.
    Delivered,
    /// It will not arrive: the recipient's server refused it, or the service dropped it.
    Bounced,
    /// The recipient called it spam.
    Complained,
}

impl EventKind {
    /// Its word, as in `submission_observations`.
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::Accepted => "accepted",
            EventKind::Delivered => "delivered",
            EventKind::Bounced => "bounced",
            EventKind::Complained => "complained",
        }
    }
}

/// What a good post holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// The events that could be read.
    pub events: Vec<MailEvent>,
    /// How many were of unknown kinds or could not be read: counted, logged, and no harm.
    pub odd: usize,
}

/// Why a post is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEvents {
    /// No key is set to check signatures with, or the service sends no events.
    #[error("events are not taken: DENPYO_WEBHOOK_KEY is not set, or the service sends none")]
    Off,
    /// Unsigned, altered, signed by somebody else.
    #[error("the signature does not fit")]
    Signature,
    /// Older than the service would still repeat it.
    #[error("signed too long ago")]
    Stale,
    /// What is needed to check it could not be had; the service is to post it again.
    #[error("cannot be checked now: {0}")]
    NotNow(String),
    /// Signed, and not what the service documents.
    #[error("cannot be read: {0}")]
    Unreadable(String),
}
