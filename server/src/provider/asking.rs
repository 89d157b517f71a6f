//! Asking a service afterwards whether it accepted a mail.

use chrono::{DateTime, Utc};
use std::time::Duration;
use uuid::Uuid;

/// How a service can be asked what became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// It cannot: events may still tell, else a person finds out.
    Never,
    /// It has a look-up that finds a mail by its `ref`.
    Lookup {
        /// How long after the lease's end "not found" proves nothing, unless
        /// `DENPYO_LOOKUP_HORIZON` says otherwise.
        horizon: Duration,
        /// How long the service keeps what the look-up reads.
        retention: Duration,
    },
    /// It knows idempotency keys: the stored request is posted again under its own key.
    Replay {
        /// How long the service remembers a key.
        window: Duration,
    },
}

/// One attempt that is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The mail's own reference; the answer turns on nothing else.
    pub reference: Uuid,
    /// The attempt's number.
    pub attempt: i32,
    /// The recipient of that attempt, as it was posted.
    pub recipient: String,
    /// The mail's subject.
    pub subject: String,
    /// The service's id of the mail, where it is known.
    pub message_id: Option<String>,
    /// Accepted no earlier than this; clocks that go wrong are allowed for.
    pub since: DateTime<Utc>,
    /// Accepted no later than this, likewise; `None` is now.
    pub until: Option<DateTime<Utc>>,
}

/// What a service answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It has these mails of that very `ref`; at least one.
    Found(Vec<FoundMail>),
    /// It does not show it, and what it showed was complete.
    NotFound,
    /// Neither: refused, unreachable, or too much to be complete.
    Unclear {
        /// Why.
        why: Unclear,
        /// In words, shortened, without addresses or secrets.
        detail: String,
    },
}

impl Finding {
    /// What was found is proof, however the rest of the search went; "not found" is said only after
    /// a search that was whole.
    pub fn of(found: Vec<FoundMail>, whole: Result<(), (Unclear, String)>) -> Finding {
        match whole {
            _ if !found.is_empty() => Finding::Found(found),
            Ok(()) => Finding::NotFound,
            Err((why, detail)) => Finding::Unclear { why, detail },
        }
    }
}

/// A mail that the service has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundMail {
    /// Its id there.
    pub message_id: Option<String>,
    /// When the service accepted it, by its own clock.
    pub accepted_at: Option<DateTime<Utc>>,
    /// The attempt whose mail it is, where the service keeps that.
    pub attempt: Option<i32>,
}

/// Why an answer says neither yes nor no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// The service has no look-up.
    NoLookup,
    /// The service refused to answer (a key without the permission, a limit).
    Refused,
    /// No answer, or none that could be read.
    Unreachable,
    /// More matches than the service shows.
    Incomplete,
    /// The attempt went to another service or account than the one set now.
    Elsewhere,
    /// The attempt is older than what the service keeps.
    TooOld,
}

impl Unclear {
    /// Its word, as in `submission_observations`.
    pub fn as_str(self) -> &'static str {
        match self {
            Unclear::NoLookup => "no_lookup",
            Unclear::Refused => "refused",
            Unclear::Unreachable => "unreachable",
            Unclear::Incomplete => "incomplete",
            Unclear::Elsewhere => "elsewhere",
            Unclear::TooOld => "too_old",
        }
    }

    /// Whether asking again later may help.
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            Unclear::Refused | Unclear::Unreachable | Unclear::Incomplete
        )
    }
}
