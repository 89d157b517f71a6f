//! The rows of the story, members named as the columns.

use crate::db::Stamp;
use serde::{Serialize, Serializer};

/// A point in time, in microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At(pub i64);

pub(super) const SECOND: i64 = 1_000;
pub(super) const MINUTE: i64 = 60 * SECOND;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

impl At {
    /// So many milliseconds later.
    pub(super) fn plus(self, ms: i64) -> At {
        At(self.0 + ms * 1_000)
    }
    /// Milliseconds since an earlier time.
    pub(super) fn since(self, earlier: At) -> i64 {
        (self.0 - earlier.0) / 1_000
    }
}

impl Serialize for At {
    /// As SQLite keeps it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let at = Stamp::from_micros(self.0).ok_or_else(|| serde::ser::Error::custom("no time"))?;
        serializer.collect_str(&at.utc().format("%Y-%m-%d %H:%M:%S%.6f"))
    }
}

/// The columns that change; named as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct State {
    pub recipient: Option<String>,
    pub first_recipient: Option<String>,
    pub status: &'static str,
    pub settled_by: Option<&'static str>,
    pub attempts: i32,
    pub attempts_counted: i32,
    pub error: Option<String>,
    pub held_reason: Option<&'static str>,
    pub held_by: Option<&'static str>,
    pub released_at: Option<At>,
    pub version: i64,
    pub provider: Option<&'static str>,
    pub provider_message_id: Option<String>,
    pub delivery_state: Option<&'static str>,
    pub delivery_at: Option<At>,
    pub possible_duplicate: bool,
    pub claim_token: Option<String>,
    pub claimed_from: Option<&'static str>,
    pub claimed_at: Option<At>,
    pub unknown_at: Option<At>,
    pub updated_at: At,
    pub next_attempt_at: Option<At>,
    pub lease_until: Option<At>,
    pub sent_at: Option<At>,
}

/// A row of `submission_attempts`, in its last state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Attempt {
    pub attempt: i32,
    pub claim_token: String,
    pub worker: &'static str,
    pub actor: Option<&'static str>,
    pub recipient: Option<String>,
    pub provider: &'static str,
    /// Another account than the one that the demo has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<&'static str>,
    pub claimed_at: At,
    pub lease_until: At,
    pub closed_at: Option<At>,
    pub outcome: Option<&'static str>,
    pub cause: Option<&'static str>,
    pub code: Option<u16>,
    pub error: Option<String>,
    pub provider_message_id: Option<String>,
    pub took_ms: Option<i64>,
    pub next_attempt_at: Option<At>,
}

/// A row of `submission_observations`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Observation {
    pub attempt: Option<i32>,
    pub at: At,
    pub kind: &'static str,
    pub detail: Option<String>,
}

/// A row of `lookups`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Lookup {
    pub attempt: i32,
    pub lease_until: At,
    pub next_at: At,
    pub asked: i32,
    pub ended: bool,
    pub unclear: i32,
}

/// A row of `audit_events`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Act {
    pub at: At,
    pub actor: &'static str,
    pub act: &'static str,
    pub reason: Option<&'static str>,
    pub before_status: Option<&'static str>,
    pub after_status: Option<&'static str>,
    pub before_recipient: Option<String>,
    pub after_recipient: Option<String>,
    pub attempt: Option<i32>,
    pub version_seen: Option<i64>,
    pub copy_id: Option<i64>,
}
