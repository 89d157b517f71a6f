//! One mail, and what needs checking.

use super::{Attempt, MailRow, ServiceState};
use crate::model::filter::Hint;
use crate::model::{Age, DeliveryState, HeldBy, Intake, Moment, SettledBy, Status};
use serde::{Deserialize, Serialize};

/// What was learnt beside an attempt's own answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// When it was written down.
    pub at: Moment,
    /// `late_accepted`, `late_refused`, `late_released`, `screened`, `held`, `lookup_…`, `event_…`.
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
    /// The recipient from then on, where it changed.
    pub to: Option<String>,
    /// The further copy that it made: its id and its number.
    pub copy: Option<(i64, i32)>,
}

/// When the service is asked what became of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// When it is asked next.
    pub next_at: Moment,
    /// How often it was asked.
    pub asked: i32,
    /// How often it answered "not found", which proved nothing yet.
    pub not_found: i32,
    /// How often its answer was not clear.
    pub unclear: i32,
    /// It is asked no more: a person has to find out.
    pub ended: bool,
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
    /// Who holds it.
    pub held_by: Option<HeldBy>,
    /// When its service is asked what became of its last attempt.
    pub lookup: Option<Lookup>,
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
    /// While nobody knows the last attempt's outcome: until when its service may still come to show
    /// it, so that "not found" proves nothing.
    pub shows_by: Option<Moment>,
    /// Why its content cannot be sent as it stands, as [`Unsendable`](crate::model::unsendable)
    /// writes it.
    pub unsendable: Option<String>,
    /// By which way it was decided.
    pub intake: Intake,
    /// The mail that this is a further copy of.
    pub original: Option<i64>,
    /// The number that the next further copy would get.
    pub next_copy: i32,
    /// Its `Message-ID` without the brackets, where it went to a mail server: what a person searches
    /// that server's log for.
    pub message_id: Option<String>,
    /// The service's id for it.
    pub provider_message_id: Option<String>,
    /// The service it went to last.
    pub provider: Option<String>,
    /// Its addresses are masked for who reads this.
    pub masked: bool,
    /// The most automatic attempts (`DENPYO_MAX_ATTEMPTS`).
    pub max_attempts: i32,
    /// Whether a service is set and sending is not paused.
    pub service: ServiceState,
    /// A service is set, and no process that sends by itself was seen for a minute.
    pub idle: bool,
    /// Attempts, first to last.
    pub attempts: Vec<Attempt>,
    /// What was learnt beside them, first to last.
    pub observations: Vec<Observation>,
    /// What people did, first to last.
    pub acts: Vec<ActRecord>,
    /// Other mails for the order, newest first.
    pub others: Vec<MailRow>,
}

impl Mail {
    /// Whether its address was corrected after an attempt.
    pub fn corrected_after(&self, attempt: &Attempt) -> bool {
        self.acts
            .iter()
            .any(|act| act.to.is_some() && act.attempt.is_some_and(|n| n > attempt.attempt))
    }

    /// Whether it is, read later, as it was read here. Other mails may have changed meanwhile.
    pub fn still(&self, later: &Mail) -> bool {
        let read_then = Mail {
            as_of: self.as_of,
            others: self.others.clone(),
            ..later.clone()
        };
        *self == read_then
    }
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
    /// Until when its service may still come to show it, so that "not found" proves nothing.
    pub shows_by: Option<Moment>,
    /// Its `Message-ID` without the brackets, where it went to a mail server.
    pub message_id: Option<String>,
    /// The last attempt.
    pub attempt: Option<Attempt>,
    /// When its service is asked what became of that attempt.
    pub lookup: Option<Lookup>,
    /// The service's last answer that decided nothing.
    pub last_answer: Option<Observation>,
}

/// What needs checking, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// When this was read.
    pub as_of: Moment,
    /// The age that was asked for; none where all are.
    pub age: Option<Age>,
    /// What was not understood of the URL.
    pub hints: Vec<Hint>,
    /// How many there are of each age.
    pub by_age: [i64; 4],
    /// The oldest of what was asked for, at most `page_size`; with them those that the page showed before
    /// and that have grown older since.
    pub cases: Vec<Case>,
    /// Cases a page holds at most.
    pub page_size: i64,
    /// Whether a service is set that can be asked.
    pub service: ServiceState,
    /// The most automatic attempts (`DENPYO_MAX_ATTEMPTS`).
    pub max_attempts: i32,
}

impl Cases {
    /// How many there are of one age, or of all.
    pub fn count(&self, age: Option<Age>) -> i64 {
        match age {
            Some(age) => self.by_age[age.index()],
            None => self.by_age.iter().sum(),
        }
    }

    /// Whether one of them is of the age that was asked for.
    pub fn holds(&self, case: &Case) -> bool {
        let age = Age::of(self.as_of.seconds_since(&case.claimed_at));
        self.age.is_none_or(|asked| asked == age)
    }
}
