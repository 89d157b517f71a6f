//! A verdict in words for programs: they stay the same whatever the desk's sentences become.

use super::verdict::{Answer, Basis, Known, Next, Verdict};

/// The five answers that programs turn on, and what became of a mail that nobody sends.
pub fn answer(verdict: &Verdict) -> &'static str {
    match verdict.answer {
        Answer::WaitingToSend | Answer::Held | Answer::Sending { .. } => "wait",
        Answer::NotKnown
        | Answer::HeldAfterBackup
        | Answer::NotSentAssumed
        | Answer::Accepted(Basis::Assumed) => "not_known",
        Answer::Accepted(_) | Answer::Delivered | Answer::Bounced | Answer::Complained => {
            "accepted"
        }
        Answer::SafeToResend | Answer::NotSentByPerson => "safe_to_resend",
        Answer::Refused => "refused",
        Answer::CalledOff => "called_off",
    }
}

/// The answer more closely.
pub fn detail(verdict: &Verdict) -> &'static str {
    match verdict.answer {
        Answer::WaitingToSend => "waiting_to_send",
        Answer::Held => "held",
        Answer::HeldAfterBackup => "held_after_backup",
        Answer::Sending { .. } => "sending",
        Answer::NotKnown => "not_known",
        Answer::Accepted(Basis::Service) => "accepted_by_service",
        Answer::Accepted(Basis::Person) => "accepted_by_person",
        Answer::Accepted(Basis::Assumed) => "accepted_assumed",
        Answer::Accepted(Basis::Imported) => "accepted_imported",
        Answer::Delivered => "delivered",
        Answer::Bounced => "bounced",
        Answer::Complained => "complained",
        Answer::SafeToResend => "never_accepted",
        Answer::NotSentByPerson => "not_sent_by_person",
        Answer::NotSentAssumed => "not_sent_assumed",
        Answer::Refused => "refused",
        Answer::CalledOff => "called_off",
    }
}

/// What may be done now.
pub fn next(verdict: &Verdict) -> &'static str {
    match verdict.next {
        Next::NeedsChange => "change",
        Next::Resend { .. } => "resend",
        Next::Release => "release",
        Next::NeedsService => "set_a_service",
        Next::Check => "check",
        Next::Wait => "wait",
        Next::WouldDouble | Next::Nothing => "nothing",
    }
}

/// What a piece of evidence is.
pub fn known(known: &Known) -> &'static str {
    match known {
        Known::Attempts { outcome, .. } => match outcome {
            None => "attempt_open",
            Some(outcome) => outcome.as_str(),
        },
        Known::LateAccepted(_) => "late_accepted",
        Known::LookupFound(_) => "lookup_found",
        Known::LookupNo(_) => "lookup_no",
        Known::LookupNotYet(_) => "lookup_not_yet",
        Known::LookupUnclear(_) => "lookup_unclear",
        Known::EventAccepted(_) => "event_accepted",
        Known::Screened(_) => "screened",
        Known::Person { sent: true, .. } => "confirm_sent",
        Known::Person { sent: false, .. } => "confirm_not_sent",
        Known::CalledOff(_) => "cancel",
        Known::Delivery(state) => state.as_str(),
    }
}

/// The attempts that a piece of evidence speaks of, first and last.
pub fn attempts(known: &Known) -> Option<(i32, i32)> {
    match known {
        Known::Attempts { first, last, .. } => Some((*first, *last)),
        Known::LateAccepted(n)
        | Known::LookupFound(n)
        | Known::LookupNo(n)
        | Known::LookupNotYet(n)
        | Known::EventAccepted(n) => n.map(|n| (n, n)),
        Known::LookupUnclear(_)
        | Known::Screened(_)
        | Known::Person { .. }
        | Known::CalledOff(_)
        | Known::Delivery(_) => None,
    }
}
