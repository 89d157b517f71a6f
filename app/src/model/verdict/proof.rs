//! What a verdict rests on.

use super::sent_by_person;
use crate::model::plan::{Why, undecided};
use crate::model::timeline::adds;
use crate::model::unsendable::Unsendable;
use crate::model::views::{Cause, Mail, Outcome};
use crate::model::{DeliveryState, Moment, Status};

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// When it was known.
    pub at: Moment,
    /// What was known.
    pub what: Known,
}

/// What was known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Attempts in a row that ended alike.
    Attempts {
        /// The first of them.
        first: i32,
        /// The last of them.
        last: i32,
        /// How they ended; `None` while open.
        outcome: Option<Outcome>,
        /// Why.
        cause: Option<Cause>,
        /// The answer's HTTP status.
        code: Option<i32>,
        /// The service.
        provider: String,
    },
    /// A late answer: accepted after all.
    LateAccepted(Option<i32>),
    /// Asked, the service had it.
    LookupFound(Option<i32>),
    /// Asked after the horizon, the service did not have it.
    LookupNo(Option<i32>),
    /// Asked, the service does not show it, which proves nothing yet.
    LookupNotYet(Option<i32>),
    /// Asked, the service gave no clear answer.
    LookupUnclear(Why),
    /// The service told by itself that it took it.
    EventAccepted(Option<i32>),
    /// The content was refused before it was sent, and for what.
    Screened(Option<Unsendable>),
    /// A person checked.
    Person {
        /// Who.
        name: String,
        /// What they found.
        sent: bool,
    },
    /// A person called it off.
    CalledOff(String),
    /// An event said what became of it.
    Delivery(DeliveryState),
}

/// What a verdict on a mail rests on, oldest first.
pub(super) fn proofs(mail: &Mail) -> Vec<Proof> {
    let mut proofs: Vec<Proof> = Vec::new();
    for a in &mail.attempts {
        let at = a.closed_at.unwrap_or(a.claimed_at);
        if let Some(Proof {
            at: seen,
            what:
                Known::Attempts {
                    last,
                    outcome,
                    cause,
                    code,
                    provider,
                    ..
                },
        }) = proofs.last_mut()
            && (*outcome, *cause, *code, provider.as_str())
                == (a.outcome, a.cause, a.code, a.provider.as_str())
        {
            *last = a.attempt;
            *seen = at;
            continue;
        }
        proofs.push(Proof {
            at,
            what: Known::Attempts {
                first: a.attempt,
                last: a.attempt,
                outcome: a.outcome,
                cause: a.cause,
                code: a.code,
                provider: a.provider.clone(),
            },
        });
    }
    // Of the answers that decide nothing, the last one counts, and only while nothing else does.
    let asked = mail.observations.iter().rposition(undecided);
    let still_asked = mail.plan().is_some();
    for (i, o) in mail.observations.iter().enumerate() {
        let what = match o.kind.as_str() {
            "late_accepted" => Known::LateAccepted(o.attempt),
            "lookup_found" => Known::LookupFound(o.attempt),
            "lookup_no" => Known::LookupNo(o.attempt),
            "lookup_not_yet" if still_asked && asked == Some(i) => Known::LookupNotYet(o.attempt),
            "lookup_unclear" if still_asked && asked == Some(i) => {
                Known::LookupUnclear(Why::parse(o.detail.as_deref()))
            }
            "event_accepted" if adds(mail, i) => Known::EventAccepted(o.attempt),
            "screened" => Known::Screened(o.detail.as_deref().and_then(Unsendable::parse)),
            _ => continue,
        };
        proofs.push(Proof { at: o.at, what });
    }
    for act in &mail.acts {
        let what = match sent_by_person(act) {
            Some(sent) => Known::Person {
                name: act.actor.clone(),
                sent,
            },
            None if act.after == Some(Status::Canceled) => Known::CalledOff(act.actor.clone()),
            None => continue,
        };
        proofs.push(Proof { at: act.at, what });
    }
    if let (Some(state), Some(at)) = (mail.delivery, mail.delivery_at) {
        proofs.push(Proof {
            at,
            what: Known::Delivery(state),
        });
    }
    proofs.sort_by_key(|p| p.at);
    // What is accepted needs no list of what failed before; the time-line has it.
    if mail.status == Status::Synced && proofs.iter().any(|p| speaks_of_acceptance(&p.what)) {
        proofs.retain(|p| speaks_of_acceptance(&p.what));
    }
    // The latest decide; the box stays small.
    let surplus = proofs.len().saturating_sub(4);
    proofs.drain(..surplus);
    proofs
}

fn speaks_of_acceptance(known: &Known) -> bool {
    matches!(
        known,
        Known::Attempts {
            outcome: Some(Outcome::Accepted),
            ..
        } | Known::LateAccepted(_)
            | Known::LookupFound(_)
            | Known::EventAccepted(_)
            | Known::Person { sent: true, .. }
            | Known::Delivery(_)
    )
}
