//! What happened to one mail, as stops on a line: solid where we knew, dashed where we did not.

use super::verdict::sent_by_person;
use super::views::{ActRecord, Attempt, Mail, Observation, Outcome};
use super::{DeliveryState, Face, Moment, SettledBy, Status};

/// One stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// When.
    pub at: Moment,
    /// What happened.
    pub what: What,
    /// The state after it, where it changed.
    pub face: Option<Face>,
    /// How the line runs.
    pub line: Line,
}

/// How the line runs from a stop to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its outcome was known.
    Known,
    /// From here on nobody knew.
    BlindFrom,
    /// Still nobody knew.
    Blind,
    /// Here somebody found out.
    FoundOut,
}

/// What happened at a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The mail was decided.
    Decided,
    /// An attempt.
    Attempt(Attempt),
    /// The lease passed without an answer.
    LeasePassed,
    /// The settings settled what nobody knew.
    Assumed(Status),
    /// Something was learnt beside an attempt's own answer.
    Observed(Observation),
    /// An event said what became of it.
    Delivery(DeliveryState),
    /// A person acted.
    Act(ActRecord),
}

/// The stops of a mail, first to last.
pub fn timeline(mail: &Mail) -> Vec<Stop> {
    let mut stops = vec![stop(
        mail.row.created_at,
        What::Decided,
        Some(Face::Waiting),
    )];
    for attempt in &mail.attempts {
        let face = attempt_face(attempt);
        stops.push(stop(
            attempt.claimed_at,
            What::Attempt(attempt.clone()),
            Some(face),
        ));
    }
    // An outcome known to be unknown needs no second stop for the same news.
    let open = mail.attempts.last().is_none_or(|a| a.outcome.is_none());
    if mail.status == Status::Requesting
        && open
        && let Some(until) = mail.lease_until
        && until <= mail.as_of
    {
        stops.push(stop(until, What::LeasePassed, Some(Face::NeedsChecking)));
    }
    if mail.settled_by == Some(SettledBy::Assumed)
        && let Some(last) = mail.attempts.last()
    {
        let at = mail
            .unknown_at
            .or(last.closed_at)
            .unwrap_or(last.claimed_at);
        let face = Face::of(mail.status, false, None);
        stops.push(stop(at, What::Assumed(mail.status), Some(face)));
    }
    for seen in &mail.observations {
        let face = match seen.kind.as_str() {
            "late_accepted" => Some(Face::Accepted),
            "screened" => Some(Face::Refused),
            _ => None,
        };
        stops.push(stop(seen.at, What::Observed(seen.clone()), face));
    }
    if let (Some(state), Some(at)) = (mail.delivery, mail.delivery_at) {
        let face = Face::of(Status::Synced, false, Some(state));
        stops.push(stop(at, What::Delivery(state), Some(face)));
    }
    for act in &mail.acts {
        // A resend's own attempt tells the state.
        let face = match (act.attempt, act.after) {
            (None, Some(after)) if Some(after) != act.before => Some(Face::of(after, false, None)),
            _ => None,
        };
        stops.push(stop(act.at, What::Act(act.clone()), face));
    }
    stops.sort_by_key(|s| (s.at, rank(&s.what)));
    draw_lines(&mut stops);
    stops
}

fn stop(at: Moment, what: What, face: Option<Face>) -> Stop {
    Stop {
        at,
        what,
        face,
        line: Line::Known,
    }
}

/// Which of two stops at one moment comes first: what causes comes before what follows.
fn rank(what: &What) -> u8 {
    match what {
        What::Decided => 0,
        What::Act(act) if sent_by_person(act).is_none() => 1,
        What::Attempt(_) => 2,
        What::LeasePassed => 3,
        What::Assumed(_) => 4,
        What::Observed(_) => 5,
        What::Delivery(_) => 6,
        What::Act(_) => 7,
    }
}

fn attempt_face(attempt: &Attempt) -> Face {
    match attempt.outcome {
        None => Face::Sending,
        Some(Outcome::Accepted) => Face::Accepted,
        Some(Outcome::NeverLeft | Outcome::Temporary | Outcome::Account) => Face::NotSent,
        Some(Outcome::Refused) => Face::Refused,
        Some(Outcome::Unknown) => Face::NeedsChecking,
        // Given back as if never claimed: it waits again.
        Some(Outcome::Released) if attempt.attempt <= 1 => Face::Waiting,
        Some(Outcome::Released) => Face::NotSent,
    }
}

fn draw_lines(stops: &mut [Stop]) {
    let mut blind = false;
    for stop in stops {
        let (begins, ends) = match &stop.what {
            What::Attempt(a) => (
                matches!(a.outcome, None | Some(Outcome::Unknown)),
                a.outcome == Some(Outcome::Accepted),
            ),
            What::Observed(o) => (false, o.kind == "late_accepted" || o.kind == "late_refused"),
            What::Delivery(_) => (false, true),
            What::Act(a) => (false, sent_by_person(a).is_some()),
            What::Decided | What::LeasePassed | What::Assumed(_) => (false, false),
        };
        stop.line = match (blind, begins, ends) {
            (false, true, _) => Line::BlindFrom,
            (true, true, _) => Line::Blind,
            (true, false, true) => Line::FoundOut,
            (true, false, false) => Line::Blind,
            (false, false, _) => Line::Known,
        };
        blind = matches!(stop.line, Line::BlindFrom | Line::Blind);
    }
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests;
