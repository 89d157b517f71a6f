//! English: the stops of the time-line.

use super::en::{status, when};
use super::en_cause::cause;
use super::en_plan::why;
use super::isolate;
use crate::model::Actor;
use crate::model::plan::Why;
use crate::model::timeline::What;
use crate::model::views::{ActRecord, Attempt, Cause, Mail, Outcome};
use crate::model::{DeliveryState, Intake, Status};

/// A mail service's name; a mail server is called what it is.
pub(super) fn service(stored: &str) -> &str {
    super::numbers::service(stored, "the mail server")
}

/// Who did what: `active` behind a name, `passive` where there is none.
pub(super) fn did(who: &str, active: &str, passive: &str) -> String {
    match Actor::of(who) {
        Actor::Person(name) => format!("{} {active}", isolate(name)),
        Actor::Api => format!("{passive} through the API"),
        Actor::Process(name) => format!("The process {} {active}", isolate(name)),
    }
}

/// With its first letter in capitals, to begin a sentence.
pub(super) fn begin(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

pub(super) fn stop(what: &What, mail: &Mail) -> String {
    match what {
        What::Decided(way) => match way {
            Intake::Insert => "Recorded through the database".into(),
            Intake::Api => "Recorded through the API".into(),
            Intake::Token(name) => format!("Recorded through the API ({})", isolate(name)),
            Intake::Command => "Recorded with denpyo enqueue".into(),
            Intake::Copy | Intake::Unknown => "Recorded".into(),
        },
        What::Attempt(a) => {
            let end = match (a.outcome, a.cause) {
                (None, _) => "sending began",
                (Some(Outcome::Accepted), _) => "accepted",
                (Some(Outcome::NeverLeft), Some(Cause::Build)) => "could not be put together",
                (Some(Outcome::NeverLeft), Some(Cause::Fault)) => {
                    "not sent, a fault of the program"
                }
                (Some(Outcome::NeverLeft), _) => "no connection",
                (Some(Outcome::Temporary), _) if a.code == Some(429) => {
                    "temporarily not taken, too busy"
                }
                (Some(Outcome::Temporary), _) => "temporarily not taken",
                (Some(Outcome::Refused), _) => "refused",
                (Some(Outcome::Account), _) if a.code.is_none() => "no connection as set",
                (Some(Outcome::Account), _) => "account refused",
                (Some(Outcome::Unknown), Some(Cause::Cut)) => "connection cut",
                (Some(Outcome::Unknown), Some(Cause::Vanished)) => "the sending process stopped",
                (Some(Outcome::Unknown), Some(Cause::Timeout)) => "no answer",
                (Some(Outcome::Unknown), Some(Cause::Fault)) => "a fault of the program",
                (Some(Outcome::Unknown), _) => "outcome not known",
                (Some(Outcome::Released), _) => "given back before sending",
            };
            format!("Attempt {}: {end}", a.attempt)
        }
        What::LeasePassed => "The time for an answer has passed".into(),
        What::Assumed(Status::Synced) => "Counted as accepted, by the settings".into(),
        What::Assumed(_) => "Counted as not sent, by the settings".into(),
        What::Observed(o) => {
            let of = o
                .attempt
                .map_or("it".to_owned(), |n| format!("attempt {n}"));
            match o.kind.as_str() {
                "late_accepted" => format!("Late answer: {of} was accepted"),
                "late_refused" => format!("Late answer: {of} was not accepted"),
                "late_released" => format!("Said later: {of} was given back before it was sent"),
                "late_unknown" => "Late answer: outcome not known".into(),
                "lookup_found" => format!("Looked up: {of} was accepted"),
                "lookup_no" => format!("Looked up: {of} was not accepted"),
                "event_accepted" => format!("Notified: {of} was accepted"),
                "event_delivered" => "Notified: delivered".into(),
                "event_bounced" => "Notified: bounced".into(),
                "event_complained" => "Notified: reported as spam".into(),
                "held" => "Put on hold".into(),
                "screened" => "Refused by the check before sending".into(),
                _ => "Learnt later".into(),
            }
        }
        What::Asked { seen, .. } if seen.kind == "lookup_not_yet" => {
            "Looked up: not found yet".into()
        }
        What::Asked { seen, .. } if !Why::parse(seen.detail.as_deref()).was_asked() => {
            "Cannot be looked up".into()
        }
        What::Asked { .. } => "Looked up: no clear answer".into(),
        What::Delivery { state, .. } => match state {
            DeliveryState::Delivered => "Notified: delivered",
            DeliveryState::Bounced => "Notified: bounced",
            DeliveryState::Complained => "Notified: reported as spam",
        }
        .into(),
        What::Act(act) => super::en_agent::act(act, mail).unwrap_or_else(|| act_head(act)),
    }
}

fn act_head(act: &ActRecord) -> String {
    let name = act.actor.as_str();
    match (act.act.as_str(), act.after) {
        ("release", _) if name == "denpyo release" => "Released by denpyo release".into(),
        ("release", _) => did(name, "released it", "Released"),
        ("resend", _) if act.attempt == Some(1) => did(name, "sent it", "Sent"),
        ("resend", _) => did(name, "sent it again", "Sent again"),
        ("confirm_sent", _) => did(name, "answered: it did go out", "Answered: it did go out,"),
        ("confirm_not_sent", _) => did(
            name,
            "answered: it did not go out",
            "Answered: it did not go out,",
        ),
        (_, Some(Status::Canceled)) => did(name, "called it off", "Called off"),
        (_, Some(after)) if Some(after) != act.before => {
            let after = status(after);
            did(
                name,
                &format!("changed it to “{after}”"),
                &format!("Changed to “{after}”"),
            )
        }
        _ => did(name, "acted", "Changed"),
    }
}

pub(super) fn stop_note(what: &What, mail: &Mail) -> String {
    match what {
        What::Attempt(a) => attempt_note(a, mail),
        What::LeasePassed => {
            "The process that sent it gave no outcome in time. It is not tried again by itself until it is known not to have been accepted."
                .into()
        }
        What::Assumed(_) => "Nobody knows whether it was accepted.".into(),
        What::Observed(o) => match o.kind.as_str() {
            "screened" => "Nothing was sent.".into(),
            "lookup_found" => "The mail service has it in its records.".into(),
            "lookup_no" => {
                "Not found after the time in which the service would show it: it does not have it. Sending it again cannot double it."
                    .into()
            }
            "event_delivered" => delivery_note(DeliveryState::Delivered).into(),
            "event_bounced" => delivery_note(DeliveryState::Bounced).into(),
            "held" => held_note(o.detail.as_deref()),
            _ => String::new(),
        },
        What::Asked { seen, times, last } => {
            let mut text = if seen.kind == "lookup_not_yet" {
                "The mail service may show it later.".to_owned()
            } else {
                match Why::parse(seen.detail.as_deref()) {
                    Why::Unsaid => String::new(),
                    reason => format!("The reason: {}.", why(reason)),
                }
            };
            if *times > 1 {
                text += &format!(
                    " The same answer {times} times, the last at {}.",
                    when(last, &seen.at)
                );
            }
            text
        }
        What::Delivery { state, .. } => delivery_note(*state).into(),
        What::Act(ActRecord { act, actor, .. })
            if act == "release" && actor == "denpyo release" =>
        {
            String::new()
        }
        What::Act(ActRecord {
            reason: Some(reason),
            ..
        }) => format!("Reason: {reason}"),
        _ => String::new(),
    }
}

fn delivery_note(state: DeliveryState) -> &'static str {
    match state {
        DeliveryState::Delivered => "The recipient’s mail server took it.",
        DeliveryState::Bounced => "The recipient’s mail server did not take it.",
        DeliveryState::Complained => "",
    }
}

fn held_note(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!("Reason: {}", cause(reason)))
}

fn attempt_note(a: &Attempt, mail: &Mail) -> String {
    let p = service(&a.provider);
    let mut text = match a.actor.as_deref().map(Actor::of) {
        Some(Actor::Person(name)) => format!("Claimed by {} for {}.", a.worker, isolate(name)),
        Some(_) => format!("Claimed by {}, asked through the API.", a.worker),
        None => format!("Claimed by {}.", a.worker),
    };
    if !a.recipient.is_empty() && a.recipient != mail.row.recipient {
        text += &format!(" To {}.", isolate(&a.recipient));
    } else if mail.masked && mail.corrected_after(a) {
        // Two addresses may look alike once they are masked.
        text += &format!(
            " To {}, which was corrected afterwards.",
            isolate(&a.recipient)
        );
    }
    text += &match (a.outcome, a.code) {
        (None, _) => " No outcome recorded yet.".into(),
        (Some(Outcome::NeverLeft | Outcome::Released), _) => " Nothing was sent.".into(),
        (Some(Outcome::Unknown), _) if a.cause == Some(Cause::Vanished) => {
            " It then stopped, and there is no record of whether it was sent.".into()
        }
        (Some(Outcome::Unknown), Some(code)) => {
            format!(
                " {} answered {code}; it is not known whether it was accepted.",
                begin(p)
            )
        }
        (Some(Outcome::Unknown), None) => {
            " Sending had begun, so it is not known whether it was accepted.".into()
        }
        (Some(_), Some(code)) => format!(" {} answered {code}.", begin(p)),
        (Some(Outcome::Accepted), None) => format!(" {} accepted it.", begin(p)),
        (Some(Outcome::Account), None) => " Nothing was sent.".into(),
        (Some(_), None) => String::new(),
    };
    if let Some(at) = a.next_attempt_at {
        text += &format!(
            " The next attempt was set for {}.",
            when(&at, &a.claimed_at)
        );
    } else if a
        .outcome
        .is_some_and(|o| matches!(o, Outcome::NeverLeft | Outcome::Temporary))
        && a.attempt >= mail.max_attempts
    {
        text += &format!(
            " That was the last of {}, so it is not tried again by itself.",
            mail.max_attempts
        );
    }
    text
}
