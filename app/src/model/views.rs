//! What pages are given to show. Counts are exact unless they say otherwise.

use super::filter::{Filter, Hint};
use super::{DeliveryState, Face, Moment, Role, SettledBy, Status};
use serde::{Deserialize, Serialize};

/// The person at the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// Sign-in name.
    pub name: String,
    /// What they may do.
    pub role: Role,
}

/// A count that may be cut short or estimated where exactness costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Count {
    /// Exactly this many.
    Exact(i64),
    /// At least this many; counting stopped here.
    AtLeast(i64),
    /// Roughly this many, from the database's own figures.
    About(i64),
    /// Not known: shown as a dash, never as 0.
    Unknown,
}

/// Whether mails can go out at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServiceState {
    /// None is set: decisions are recorded, nothing is sent.
    None,
    /// Set, and nothing is known to be wrong.
    Ready {
        /// Its name as people know it, such as `SendGrid`.
        name: String,
    },
    /// Sending is paused: the service refuses this account.
    Paused {
        /// Its name.
        name: String,
        /// The answer's HTTP status, where there was one.
        code: Option<i32>,
        /// Since when.
        since: Moment,
        /// When one mail tries again.
        until: Moment,
    },
}

/// What every page shows around its own matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Who is signed in.
    pub me: Me,
    /// When this was read.
    pub as_of: Moment,
    /// The zone's name, such as `Asia/Tokyo`.
    pub zone: String,
    /// Rows that need checking.
    pub needs_checking: i64,
    /// Whether mails can go out.
    pub service: ServiceState,
}

/// The overview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// When this was read.
    pub as_of: Moment,
    /// Needs checking by age of the claim: under 15 minutes, 1 hour, 1 day, older.
    pub check_by_age: [i64; 4],
    /// `rejected`.
    pub rejected: i64,
    /// `failed`, and not tried again by itself.
    pub failed_final: i64,
    /// Held rows.
    pub held: i64,
    /// Counts by state.
    pub counts: Counts,
    /// Mails decided in the last 30 days, by number of attempts.
    pub histogram: Histogram,
    /// Processes seen in the last hour, most recently seen first.
    pub workers: Vec<Worker>,
}

/// Counts by state, of all time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Waiting to send.
    pub pending: i64,
    /// Being sent right now.
    pub sending: i64,
    /// Needs checking.
    pub check: i64,
    /// Accepted, delivered and bounced ones included.
    pub synced: Count,
    /// Of those accepted, only assumed so.
    pub synced_assumed: i64,
    /// Not sent.
    pub failed: i64,
    /// Of those, tried again by themselves.
    pub failed_retrying: i64,
    /// Of those not sent, only assumed so.
    pub failed_assumed: i64,
    /// Refused.
    pub rejected: i64,
    /// Called off.
    pub canceled: i64,
}

/// Mails by number of attempts and how they ended. Mails never attempted are not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// For 1, 2, 3, 4, and 5 or more attempts.
    pub bars: [Bar; 5],
}

/// One bar of the histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// Accepted.
    pub accepted: i64,
    /// Not sent.
    pub failed: i64,
    /// Refused.
    pub rejected: i64,
    /// Sending, or needs checking.
    pub open: i64,
}

impl Bar {
    /// All of them.
    pub fn sum(&self) -> i64 {
        self.accepted + self.failed + self.rejected + self.open
    }
}

/// A process that sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    /// Host and process.
    pub name: String,
    /// `serve --no-worker`: sends only what a person resends.
    pub resends_only: bool,
    /// When it last wrote that it lives.
    pub seen: Moment,
    /// Mails it is sending.
    pub in_flight: i64,
    /// Mails accepted through it in the last hour.
    pub accepted_last_hour: i64,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailRow {
    /// Its id.
    pub id: i64,
    /// What the mail is about.
    pub order_id: String,
    /// What sort of mail it is.
    pub kind: String,
    /// 0 the original; 1, 2, … deliberate further copies.
    pub copy: i32,
    /// Tells apart mails of one kind for one order.
    pub occasion: String,
    /// To whom; empty where the row has none.
    pub recipient: String,
    /// The state as shown.
    pub face: Face,
    /// The status was only assumed.
    pub assumed: bool,
    /// Held.
    pub held: bool,
    /// Claims made so far.
    pub attempts: i32,
    /// Decided at.
    pub created_at: Moment,
    /// Accepted at, so far as known.
    pub sent_at: Option<Moment>,
}

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailList {
    /// When this was read.
    pub as_of: Moment,
    /// The filter as understood.
    pub filter: Filter,
    /// What was not understood.
    pub hints: Vec<Hint>,
    /// The rows, newest first.
    pub rows: Vec<MailRow>,
    /// The filter of the page with newer rows, where there are any.
    pub newer: Option<Filter>,
    /// The filter of the page with older rows, where there are any.
    pub older: Option<Filter>,
    /// Rows in the filter.
    pub count: Count,
    /// Kinds to choose from.
    pub kinds: Vec<String>,
    /// Rows a page holds at most.
    pub page_size: i64,
}

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
}

impl Cause {
    /// Every cause.
    pub const ALL: [Cause; 8] = [
        Cause::Answer,
        Cause::Connect,
        Cause::Timeout,
        Cause::Cut,
        Cause::Build,
        Cause::Lease,
        Cause::Stopping,
        Cause::Vanished,
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

/// What was learnt beside an attempt's own answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// When it was written down.
    pub at: Moment,
    /// `late_accepted`, `late_refused`, `screened`, later `lookup` and `event`.
    pub kind: String,
    /// The attempt it speaks of.
    pub attempt: Option<i32>,
    /// The service's own words, shortened.
    pub detail: Option<String>,
}

/// What a person did, as stored in `audit_events.act`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActRecord {
    /// When.
    pub at: Moment,
    /// The sign-in name, or `api`.
    pub actor: String,
    /// `resend`, `confirm_sent`, `confirm_not_sent`, …
    pub act: String,
    /// Their reason, where one was given.
    pub reason: Option<String>,
    /// The status before.
    pub before: Option<Status>,
    /// The status after.
    pub after: Option<Status>,
    /// The attempt it began, for a resend.
    pub attempt: Option<i32>,
}

/// Everything known of one mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// When this was read.
    pub as_of: Moment,
    /// The list's line.
    pub row: MailRow,
    /// The stored status.
    pub status: Status,
    /// What it rests on.
    pub settled_by: Option<SettledBy>,
    /// What became of it after acceptance.
    pub delivery: Option<DeliveryState>,
    /// When.
    pub delivery_at: Option<Moment>,
    /// The row's version as read: part of the resend ticket.
    pub version: i64,
    /// What the mail carries and look-ups match.
    pub reference: String,
    /// Subject, as stored.
    pub subject: String,
    /// Sender, where the row names one.
    pub sender: Option<String>,
    /// Reply-To, where the row names one.
    pub reply_to: Option<String>,
    /// Whether there is a body to show.
    pub has_body: bool,
    /// Why the last attempt did not succeed.
    pub error: Option<String>,
    /// Why it is held.
    pub held_reason: Option<String>,
    /// A newer attempt was under way when an older one turned out accepted.
    pub possible_duplicate: bool,
    /// Not before this time.
    pub not_before: Option<Moment>,
    /// When it is tried again by itself.
    pub next_attempt_at: Option<Moment>,
    /// The lease's end, while claimed.
    pub lease_until: Option<Moment>,
    /// Since when its outcome is known to be unknown.
    pub unknown_at: Option<Moment>,
    /// The service's id for it.
    pub provider_message_id: Option<String>,
    /// The service it went to last.
    pub provider: Option<String>,
    /// The most automatic attempts (`DENPYO_MAX_ATTEMPTS`).
    pub max_attempts: i32,
    /// Whether a service is set and sending is not paused.
    pub service: ServiceState,
    /// Attempts, first to last.
    pub attempts: Vec<Attempt>,
    /// What was learnt beside them, first to last.
    pub observations: Vec<Observation>,
    /// What people did, first to last.
    pub acts: Vec<ActRecord>,
    /// Other mails for the order, newest first.
    pub others: Vec<MailRow>,
}

/// One mail that needs checking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The list's line.
    pub row: MailRow,
    /// The row's version as read: part of the answer's ticket.
    pub version: i64,
    /// When the last attempt was claimed.
    pub claimed_at: Moment,
    /// The lease's end.
    pub lease_until: Moment,
    /// The last attempt.
    pub attempt: Option<Attempt>,
}

/// What needs checking, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// When this was read.
    pub as_of: Moment,
    /// All of them.
    pub total: i64,
    /// The oldest of them, at most `page_size`.
    pub cases: Vec<Case>,
    /// Cases a page holds at most.
    pub page_size: i64,
}

/// What to tell somebody after an act, once. Names and times are read from the row itself, so
/// that nothing in a URL can put words into the desk's mouth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The mail it is about.
    pub id: i64,
    /// Its order number.
    pub order_id: String,
    /// What happened.
    pub what: NoticeKind,
    /// Who was first, for a refusal: the last person or process that changed the row.
    pub by: Option<String>,
    /// When.
    pub at: Option<Moment>,
    /// The attempt's number, for a resend.
    pub attempt: Option<i32>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The resend began.
    Resent,
    /// It is now recorded as accepted.
    ConfirmedSent,
    /// It is now recorded as not sent.
    ConfirmedNotSent,
    /// Refused: somebody was faster, the row has changed since it was shown.
    Changed,
    /// Refused: it is being sent, or nobody knows yet whether it was.
    InFlight,
    /// Refused: the service has it.
    AlreadyAccepted,
    /// Refused: called off.
    CalledOff,
    /// Refused: it waits to be sent by itself.
    StillWaiting,
    /// Refused: held.
    Held,
    /// Refused: no service is set.
    NoService,
    /// Refused: the lease is alive, so the answer may still come.
    LeaseAlive,
    /// Refused: a reason is needed.
    ReasonMissing,
    /// Refused: the recipient is no address.
    BadRecipient,
    /// Refused: something else in the mail cannot be sent.
    BadContent,
}
