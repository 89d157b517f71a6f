//! The protocol over one row, in one place: what each step of a worker, a person, the reconciler
//! and the clock needs, and what it changes.
//!
//! The product carries these steps out in SQL, one statement or transaction each
//! (`server/src/outbox/`). A test walks both in lockstep on both databases, and any difference
//! fails it; the model checker then explores every order of steps on this very code. So what the
//! checker shows, it shows of the product.
//!
//! - A claim takes what is due, or what a person saw; nothing that is held, and nothing that a
//!   replay is at.
//! - A negative answer, a release and an unknown count only under the row's own token, and the
//!   first two not once the attempt was replayed: what the first post met says nothing of the
//!   second.
//! - Proof counts always.
//! - A look-up's "no", and a person's word, count only while the question is open.
//! - What is only assumed is claimed by no worker.
//!
//! Time is what the row shows of it: a lease lives or has passed, an attempt is due or is not.

mod questions;
mod steps;
#[cfg(test)]
mod tests;

use super::views::Outcome;
use super::{SettledBy, Status};
use serde::{Deserialize, Serialize};

/// What an unknown outcome becomes: `DENPYO_ON_UNKNOWN`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// It stays `requesting`, and somebody finds out.
    #[default]
    Hold,
    /// It is taken for accepted, and marked as assumed.
    Synced,
    /// It is taken for not accepted, marked as assumed, and never retried by itself.
    Failed,
}

impl OnUnknown {
    /// The word of the setting.
    pub fn as_str(self) -> &'static str {
        match self {
            OnUnknown::Hold => "hold",
            OnUnknown::Synced => "synced",
            OnUnknown::Failed => "failed",
        }
    }
}

/// The settings that steps depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// `DENPYO_ON_UNKNOWN`
    pub on_unknown: OnUnknown,
    /// `DENPYO_MAX_ATTEMPTS`
    pub max_attempts: i32,
}

/// A lease: column `lease_until`, where it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lease {
    /// It ends later.
    Lives,
    /// It has ended.
    Passed,
}

/// When a worker may take the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// Not by itself: `next_attempt_at` is null.
    Never,
    /// Later.
    Later,
    /// Now.
    Now,
}

/// An attempt's row in `submission_attempts`, and what was observed beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// How it was closed; `None` while it is open.
    pub outcome: Option<Outcome>,
    /// A 2xx came after it was closed, or the row was settled: `late_accepted`.
    pub late_accepted: bool,
    /// The same of a negative answer: `late_refused`.
    pub late_refused: bool,
    /// The same of an unknown outcome: `late_unknown`.
    pub late_unknown: bool,
    /// It was given back before its first byte, after it was closed: `late_released`.
    pub late_released: bool,
    /// A look-up found it: `lookup_found`.
    pub found: bool,
}

impl Attempt {
    /// It is known that the service accepted it.
    pub fn proved(&self) -> bool {
        self.outcome == Some(Outcome::Accepted) || self.late_accepted || self.found
    }

    fn late(&mut self, outcome: Outcome) -> &mut bool {
        match outcome {
            Outcome::Accepted => &mut self.late_accepted,
            Outcome::Unknown => &mut self.late_unknown,
            _ => &mut self.late_refused,
        }
    }
}

/// A question in the schedule of look-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The attempt in question.
    pub attempt: i32,
    /// No more asking: a person has to find out.
    pub ended: bool,
}

/// A row as the protocol sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// `status`
    pub status: Status,
    /// `settled_by`
    pub settled_by: Option<SettledBy>,
    /// `attempts_counted`
    pub counted: i32,
    /// The row holds the token of its last attempt.
    pub token: bool,
    /// `lease_until`
    pub lease: Option<Lease>,
    /// `replay_token`: the last replay of the attempt in question.
    pub replay: Option<u8>,
    /// `unknown_at` is set.
    pub unknown: bool,
    /// `next_attempt_at`; what is pending is due.
    pub due: Due,
    /// `held_reason` is set.
    pub held: bool,
    /// `possible_duplicate`
    pub possible_duplicate: bool,
    /// The last claim took it from `pending`: told apart while it is `requesting`.
    pub from_pending: bool,
    /// Every attempt; the first has number 1. Their count is `attempts`.
    pub log: Vec<Attempt>,
    /// Its line in `lookups`.
    pub question: Option<Question>,
}

/// Something that is done to a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A worker claims it.
    ClaimByWorker,
    /// A person's resend claims it. `as_seen`: version and attempts are those that they saw, or
    /// they named none.
    ClaimByPerson {
        /// The row has not changed since.
        as_seen: bool,
    },
    /// The process that claimed an attempt writes what its post came to.
    Settle {
        /// The attempt.
        attempt: i32,
        /// What it came to; not `Released`.
        outcome: Outcome,
    },
    /// The process that claimed an attempt gives it back before the first byte.
    Release {
        /// The attempt.
        attempt: i32,
    },
    /// A lease that passed without an outcome is marked.
    Lapse,
    /// A question that stands in no schedule is put there.
    Sweep,
    /// A question that is open no longer is forgotten.
    Forget,
    /// The service, asked about an attempt, shows these attempts' mails.
    Found {
        /// The attempt in question.
        asked: i32,
        /// The attempts whose mails it shows.
        mails: Vec<i32>,
    },
    /// The service does not have the attempt, and that is proved.
    NotThere {
        /// The attempt.
        attempt: i32,
    },
    /// The service's answer decided nothing.
    Undecided {
        /// The attempt.
        attempt: i32,
        /// It is asked again.
        again: bool,
    },
    /// The attempt's request is to be posted again under its own idempotency key.
    Replay {
        /// The attempt.
        attempt: i32,
        /// The replay's token.
        by: u8,
    },
    /// The replay's answer decided nothing.
    EndReplay {
        /// The replay's token.
        by: u8,
    },
    /// A person says what became of the attempt in question.
    PersonSays {
        /// It was accepted; else it was not.
        sent: bool,
        /// The row has not changed since they saw it.
        as_seen: bool,
    },
    /// The row is held for a person.
    Hold,
    /// A person lets go of it.
    LetGo,
    /// The lease ends.
    LeasePasses,
    /// Its time comes.
    ComesDue,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Taken {
    /// The row changed, and its version went up.
    Changed,
    /// The row's version stays; what was learnt stands beside it, or time passed.
    Noted,
    /// Nothing changed.
    Refused,
}

/// What a row waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// A worker takes it, now or when it is due.
    Worker,
    /// A lease's end; what follows is named by [`Row::waits_for`] of the row whose lease passed.
    Lease,
    /// A look-up; a person may also answer.
    Lookup,
    /// A person.
    Person,
    /// Nothing: it is over.
    Nothing,
}

impl Default for Row {
    /// A row as a shop inserts it.
    fn default() -> Row {
        Row {
            status: Status::Pending,
            settled_by: None,
            counted: 0,
            token: false,
            lease: None,
            replay: None,
            unknown: false,
            due: Due::Now,
            held: false,
            possible_duplicate: false,
            from_pending: false,
            log: Vec::new(),
            question: None,
        }
    }
}
