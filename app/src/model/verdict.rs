//! The one question people ask: did it go out, and may it be sent again? Answered from what is
//! stored, and never further than that.

mod proof;

pub use proof::{Known, Proof};

use super::service::is_replayed;
use super::unsendable::Unsendable;
use super::views::{ActRecord, Attempt, Case, Mail, NoticeKind, Outcome, ServiceState};
use super::{DeliveryState, Face, HeldBy, Moment, SettledBy, Standing, Status};
use proof::proofs;

/// The answer, what it rests on, and what may be done now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Did it go out?
    pub answer: Answer,
    /// What the answer rests on, oldest first.
    pub proofs: Vec<Proof>,
    /// What follows from it.
    pub next: Next,
    /// Until when the answer may still come by itself: what is done before may double the mail.
    pub until: Option<Moment>,
    /// An earlier attempt whose outcome nobody ever found out.
    pub doubt: Option<i32>,
}

/// Did it go out?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Not yet; it goes out by itself.
    WaitingToSend,
    /// Not while it is held.
    Held,
    /// It is held because the database may have been restored: whether it went out after the backup is
    /// not known here.
    HeldAfterBackup,
    /// It is being sent; the answer comes by this time, if it comes.
    Sending {
        /// The lease's end.
        until: Moment,
    },
    /// Nobody knows.
    NotKnown,
    /// The service took it.
    Accepted(Basis),
    /// The service took it, and so did the recipient's server.
    Delivered,
    /// The service took it; the recipient's server did not.
    Bounced,
    /// It arrived, and the recipient called it spam.
    Complained,
    /// It was never accepted: sending it again cannot double it.
    SafeToResend,
    /// As above, on a person's word.
    NotSentByPerson,
    /// It counts as not sent, but only because the settings say so.
    NotSentAssumed,
    /// Refused for what it is.
    Refused,
    /// A person closed it without sending.
    CalledOff,
}

/// What acceptance rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The service said so: an answer, a look-up or an event.
    Service,
    /// A person checked.
    Person,
    /// The settings say that the unknown counts as accepted.
    Assumed,
    /// Another system said so.
    Imported,
}

/// What may be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: the mail itself cannot be sent as it stands.
    NeedsChange,
    /// Send it again.
    Resend {
        /// The number the new attempt would get.
        attempt: i32,
        /// When it would be tried by itself.
        by_itself: Option<Moment>,
    },
    /// Not while it is held.
    Release,
    /// Not while no service is set.
    NeedsService,
    /// A person answers what became of it.
    Check,
    /// Look again later.
    Wait,
    /// Nothing: it would arrive twice.
    WouldDouble,
    /// Nothing: the service has it, so it will not be sent again from here.
    Nothing,
}

/// Answers the question for one mail.
pub fn verdict(mail: &Mail) -> Verdict {
    let doubt = doubt(mail);
    let answer = answer(mail, doubt);
    Verdict {
        answer,
        proofs: proofs(mail),
        next: next(mail, answer),
        until: until(mail, answer),
        doubt,
    }
}

fn answer(mail: &Mail, doubt: Option<i32>) -> Answer {
    match mail.status {
        Status::Pending | Status::Failed | Status::Rejected if mail.after_backup() => {
            Answer::HeldAfterBackup
        }
        Status::Canceled => Answer::CalledOff,
        Status::Requesting => match (mail.row.face, mail.lease_until) {
            (Face::Sending, Some(until)) if until > mail.as_of => Answer::Sending { until },
            _ => Answer::NotKnown,
        },
        Status::Synced => match mail.delivery {
            Some(DeliveryState::Delivered) => Answer::Delivered,
            Some(DeliveryState::Bounced) => Answer::Bounced,
            Some(DeliveryState::Complained) => Answer::Complained,
            None => Answer::Accepted(match mail.settled_by {
                Some(SettledBy::Person) => Basis::Person,
                Some(SettledBy::Assumed) => Basis::Assumed,
                Some(SettledBy::Imported) => Basis::Imported,
                _ if mail.row.assumed => Basis::Assumed,
                _ => Basis::Service,
            }),
        },
        Status::Rejected => Answer::Refused,
        Status::Pending if mail.row.held => Answer::Held,
        Status::Pending => Answer::WaitingToSend,
        Status::Failed => match mail.settled_by {
            Some(SettledBy::Person) => Answer::NotSentByPerson,
            Some(SettledBy::Assumed) => Answer::NotSentAssumed,
            _ if mail.row.assumed || doubt.is_some() => Answer::NotSentAssumed,
            _ => Answer::SafeToResend,
        },
    }
}

fn next(mail: &Mail, answer: Answer) -> Next {
    match answer {
        Answer::Sending { .. } | Answer::WaitingToSend => Next::Wait,
        Answer::NotKnown => Next::Check,
        Answer::Held | Answer::HeldAfterBackup => Next::Release,
        Answer::Accepted(_) | Answer::Delivered => Next::WouldDouble,
        Answer::Bounced | Answer::Complained | Answer::CalledOff => Next::Nothing,
        Answer::SafeToResend
        | Answer::NotSentByPerson
        | Answer::NotSentAssumed
        | Answer::Refused => match mail.standing().resend() {
            Ok(()) => Next::Resend {
                attempt: mail.row.attempts + 1,
                by_itself: mail.next_attempt_at,
            },
            Err(NoticeKind::Held) => Next::Release,
            Err(NoticeKind::NoService) => Next::NeedsService,
            // Its content cannot be sent: the check before sending would find it again.
            Err(_) => Next::NeedsChange,
        },
    }
}

fn until(mail: &Mail, answer: Answer) -> Option<Moment> {
    match answer {
        Answer::Sending { until } => Some(until),
        Answer::WaitingToSend => mail.not_before.filter(|at| *at > mail.as_of),
        Answer::NotKnown
        | Answer::NotSentByPerson
        | Answer::NotSentAssumed
        | Answer::Accepted(Basis::Assumed) => {
            still_open(mail.lease_until, mail.shows_by, mail.as_of)
        }
        _ => None,
    }
}

/// The later of the lease's end and of when the service shows all it has, where that lies ahead.
fn still_open(lease: Option<Moment>, shows: Option<Moment>, as_of: Moment) -> Option<Moment> {
    lease.max(shows).filter(|at| *at > as_of)
}

impl Mail {
    /// Whether it may be held for a restore, so that what is stored of it may be out of date: a reason is
    /// for people, and proves nothing.
    pub fn after_backup(&self) -> bool {
        self.row.held && self.held_by.is_none_or(HeldBy::after_backup)
    }

    /// What a person's acts are judged by.
    pub fn standing(&self) -> Standing {
        Standing {
            status: self.status,
            delivery: self.delivery,
            held: self.row.held,
            fault: self.unsendable.as_deref().and_then(Unsendable::parse),
            service: self.service != ServiceState::None,
        }
    }
}

impl Case {
    /// Until when "it did not go out" would be said too early.
    pub fn until(&self, as_of: Moment) -> Option<Moment> {
        still_open(Some(self.lease_until), self.shows_by, as_of)
    }
}

/// The latest attempt of a mail that is not sent of which nobody knows whether it was accepted: an
/// unknown outcome, or none at all, that no later word of a person or of the service cleared up.
fn doubt(mail: &Mail) -> Option<i32> {
    let is_over = matches!(
        mail.status,
        Status::Failed | Status::Rejected | Status::Canceled
    );
    if !is_over {
        return None;
    }
    let cleared = |attempt: &Attempt| {
        let by_person = mail.acts.iter().any(|act| {
            act.at >= attempt.claimed_at && sent_by_person(act).is_some_and(|sent| !sent)
        });
        let late = mail.observations.iter().any(|o| {
            o.attempt == Some(attempt.attempt)
                && match o.kind.as_str() {
                    "late_refused" | "lookup_no" => true,
                    // Of its first post alone: a replay may have been taken all the same.
                    "late_released" => !is_replayed(&attempt.provider),
                    _ => false,
                }
        });
        by_person || late
    };
    mail.attempts
        .iter()
        .rev()
        .find(|a| matches!(a.outcome, None | Some(Outcome::Unknown)) && !cleared(a))
        .map(|a| a.attempt)
}

/// Whether nobody knows yet if the service accepted it.
pub fn in_doubt(mail: &Mail) -> bool {
    mail.status == Status::Requesting
        || mail.row.assumed
        || mail.after_backup()
        || doubt(mail).is_some()
}

/// Whether nothing but the default sender keeps it from being sent.
pub fn sender_at_fault(mail: &Mail) -> bool {
    mail.standing().fault == Some(Unsendable::SenderMissing)
}

/// What a person said of the outcome, where the act is such an answer.
pub fn sent_by_person(act: &ActRecord) -> Option<bool> {
    match act.act.as_str() {
        "confirm_sent" => Some(true),
        "confirm_not_sent" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
pub(crate) mod tests;
