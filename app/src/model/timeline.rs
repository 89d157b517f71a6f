//! What happened to one mail, as stops on a line: solid where we knew, dashed where we did not.

use super::plan::{Why, undecided};
use super::verdict::sent_by_person;
use super::views::{ActRecord, Attempt, Mail, Observation, Outcome};
use super::{DeliveryState, Face, Intake, Moment, SettledBy, Status};

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
    /// The mail was decided, by this way.
    Decided(Intake),
    /// An attempt.
    Attempt(Attempt),
    /// The lease passed without an answer.
    LeasePassed,
    /// The settings settled what nobody knew.
    Assumed(Status),
    /// Something was learnt beside an attempt's own answer.
    Observed(Observation),
    /// The service was asked, and its answers decided nothing: answers alike stand as one.
    Asked {
        /// The first of them.
        seen: Observation,
        /// How many.
        times: i32,
        /// When the last of them came.
        last: Moment,
    },
    /// An event said what became of it.
    Delivery {
        /// What.
        state: DeliveryState,
        /// The service's words.
        detail: Option<String>,
    },
    /// A person acted.
    Act(ActRecord),
}

/// The stops of a mail, first to last.
pub fn timeline(mail: &Mail) -> Vec<Stop> {
    let mut stops = vec![stop(
        mail.row.created_at,
        What::Decided(way(mail)),
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
    // The event that the row's own state tells of is one stop with it.
    let told = mail.observations.iter().rposition(|o| {
        mail.delivery_at.is_some() && event(&o.kind).is_some_and(|state| state == mail.delivery)
    });
    for (i, seen) in mail.observations.iter().enumerate() {
        if Some(i) != told && adds(mail, i) {
            stops.push(observed(seen));
        }
    }
    if let (Some(state), Some(at)) = (mail.delivery, mail.delivery_at) {
        let face = Face::of(Status::Synced, false, Some(state));
        let detail = told.and_then(|i| mail.observations[i].detail.clone());
        stops.push(stop(at, What::Delivery { state, detail }, Some(face)));
    }
    for act in &mail.acts {
        // A resend's own attempt tells the state.
        let face = match (act.attempt, act.after) {
            (None, Some(after)) if Some(after) != act.before => Some(Face::of(after, false, None)),
            _ => None,
        };
        // A resend and its attempt are one transaction, whose times may differ by a little: what
        // causes comes before what follows.
        let begun = mail
            .attempts
            .iter()
            .find(|a| act.act == "resend" && Some(a.attempt) == act.attempt)
            .map_or(act.at, |a| act.at.min(a.claimed_at));
        stops.push(stop(begun, What::Act(act.clone()), face));
    }
    stops.sort_by_key(|s| (s.at, rank(&s.what)));
    let mut stops = fold(stops);
    draw_lines(&mut stops);
    stops
}

/// By which way it was decided. Who made a further copy is told by their act, whatever way they came.
fn way(mail: &Mail) -> Intake {
    let made = |act: &ActRecord| act.copy.is_some_and(|(id, _)| id == mail.row.id);
    if mail.acts.iter().any(made) {
        Intake::Copy
    } else {
        mail.intake.clone()
    }
}

/// What an event's observation tells of: a state after acceptance, or acceptance alone.
fn event(kind: &str) -> Option<Option<DeliveryState>> {
    match kind.strip_prefix("event_")? {
        "accepted" => Some(None),
        word => DeliveryState::parse(word).map(Some),
    }
}

/// Whether an observation tells something new. Services send an event each time that a mail is
/// deferred, opened or clicked, and each says once more that it was accepted.
pub(super) fn adds(mail: &Mail, index: usize) -> bool {
    let seen = &mail.observations[index];
    if seen.kind != "event_accepted" {
        return true;
    }
    let before = mail.observations[..index]
        .iter()
        .any(|o| o.attempt == seen.attempt && event(&o.kind).is_some());
    let answered = mail.attempts.iter().any(|a| {
        a.outcome == Some(Outcome::Accepted) && seen.attempt.is_none_or(|n| n == a.attempt)
    });
    !before && !answered
}

fn observed(seen: &Observation) -> Stop {
    if undecided(seen) {
        let what = What::Asked {
            seen: seen.clone(),
            times: 1,
            last: seen.at,
        };
        return stop(seen.at, what, None);
    }
    let face = match seen.kind.as_str() {
        "late_accepted" | "lookup_found" => Some(Face::Accepted),
        "lookup_no" => Some(Face::NotSent),
        "screened" => Some(Face::Refused),
        kind => event(kind).map(|state| Face::of(Status::Synced, false, state)),
    };
    stop(seen.at, What::Observed(seen.clone()), face)
}

/// Answers alike with nothing between them become one stop.
fn fold(stops: Vec<Stop>) -> Vec<Stop> {
    let mut folded: Vec<Stop> = Vec::with_capacity(stops.len());
    for stop in stops {
        if let What::Asked { seen, .. } = &stop.what
            && let Some(Stop {
                what:
                    What::Asked {
                        seen: first,
                        times,
                        last,
                    },
                ..
            }) = folded.last_mut()
            && (&first.kind, first.attempt) == (&seen.kind, seen.attempt)
            && Why::parse(first.detail.as_deref()) == Why::parse(seen.detail.as_deref())
        {
            *times += 1;
            *last = seen.at;
            // The last words are the ones that still hold.
            first.detail.clone_from(&seen.detail);
            continue;
        }
        folded.push(stop);
    }
    folded
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
        What::Decided(_) => 0,
        What::Act(act) if sent_by_person(act).is_none() => 1,
        What::Attempt(_) => 2,
        What::LeasePassed => 3,
        What::Assumed(_) => 4,
        What::Observed(_) | What::Asked { .. } => 5,
        What::Delivery { .. } => 6,
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
            What::Observed(o) => (
                false,
                matches!(
                    o.kind.as_str(),
                    "late_accepted"
                        | "late_refused"
                        | "late_released"
                        | "lookup_found"
                        | "lookup_no"
                ) || event(&o.kind).is_some(),
            ),
            What::Delivery { .. } => (false, true),
            What::Act(a) => (false, sent_by_person(a).is_some()),
            What::Decided(_) | What::LeasePassed | What::Assumed(_) | What::Asked { .. } => {
                (false, false)
            }
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
