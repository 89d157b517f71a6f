//! Attempts, and how they end.

use crate::model::Moment;
use serde::{Deserialize, Serialize};

/// How an attempt ended, as stored in `submission_attempts.outcome`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The service took it.
    Accepted,
    /// Nothing left this machine: refused connection, unknown host, TLS.
    NeverLeft,
    /// The service said: not now.
    Temporary,
    /// The service refused the mail for its content or recipient.
    Refused,
    /// The service refused the account, not the mail.
    Account,
    /// The request left; nobody knows what became of it.
    Unknown,
    /// Given back before the first byte.
    Released,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 7] = [
        Outcome::Accepted,
        Outcome::NeverLeft,
        Outcome::Temporary,
        Outcome::Refused,
        Outcome::Account,
        Outcome::Unknown,
        Outcome::Released,
    ];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::NeverLeft => "never_left",
            Outcome::Temporary => "temporary",
            Outcome::Refused => "refused",
            Outcome::Account => "account",
            Outcome::Unknown => "unknown",
            Outcome::Released => "released",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|o| o.as_str() == word)
    }
}

/// Why an attempt ended as it did, told apart so that pages can say it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The service answered; `code` is its HTTP status.
    Answer,
    /// No connection could be made.
    Connect,
    /// The request left, and no answer came in time.
    Timeout,
    /// The request left, and the connection was cut.
    Cut,
    /// The request could not be built from the row.
    Build,
    /// The lease would have lapsed before the answer.
    Lease,
    /// The process was asked to stop.
    Stopping,
    /// The process that had claimed it never wrote an outcome.
    Vanished,
    /// The program itself failed over it.
    Fault,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Cause; 9] = [
        Cause::Answer,
        Cause::Connect,
        Cause::Timeout,
        Cause::Cut,
        Cause::Build,
        Cause::Lease,
        Cause::Stopping,
        Cause::Vanished,
        Cause::Fault,
    ];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::Answer => "answer",
            Cause::Connect => "connect",
            Cause::Timeout => "timeout",
            Cause::Cut => "cut",
            Cause::Build => "build",
            Cause::Lease => "lease",
            Cause::Stopping => "stopping",
            Cause::Vanished => "vanished",
            Cause::Fault => "fault",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Cause> {
        Cause::ALL.into_iter().find(|c| c.as_str() == word)
    }
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// 1, 2, …
    pub attempt: i32,
    /// The process that claimed it.
    pub worker: String,
    /// The person whose resend it was.
    pub actor: Option<String>,
    /// To whom it went, or was to go.
    pub recipient: String,
    /// The service, such as `sendgrid`.
    pub provider: String,
    /// It went to another service or account than the one set now.
    pub elsewhere: bool,
    /// When it was claimed.
    pub claimed_at: Moment,
    /// When it was closed; `None` while it is open.
    pub closed_at: Option<Moment>,
    /// How it ended; `None` while it is open.
    pub outcome: Option<Outcome>,
    /// Why.
    pub cause: Option<Cause>,
    /// The answer's HTTP status.
    pub code: Option<i32>,
    /// The service's own words, shortened.
    pub error: Option<String>,
    /// Milliseconds from claim to answer.
    pub took_ms: Option<i64>,
    /// When the next attempt was set for.
    pub next_attempt_at: Option<Moment>,
}
