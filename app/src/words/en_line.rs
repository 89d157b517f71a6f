//! English: the stops of the time-line.

use super::en::{status, when};
use super::numbers::service;
use crate::model::timeline::What;
use crate::model::views::{ActRecord, Attempt, Cause, Mail, Outcome};
use crate::model::{DeliveryState, Status};

pub(super) fn stop(what: &What) -> String {
    match what {
        What::Decided => "Decided".into(),
        What::Attempt(a) => {
            let end = match (a.outcome, a.cause) {
                (None, _) => "sending began",
                (Some(Outcome::Accepted), _) => "accepted",
                (Some(Outcome::NeverLeft), Some(Cause::Build)) => "could not be put together",
                (Some(Outcome::NeverLeft), _) => "no connection",
                (Some(Outcome::Temporary), _) if a.code == Some(429) => "refused for now, too busy",
                (Some(Outcome::Temporary), _) => "refused for now",
                (Some(Outcome::Refused), _) => "refused",
                (Some(Outcome::Account), _) => "account refused",
                (Some(Outcome::Unknown), Some(Cause::Cut)) => "connection cut",
                (Some(Outcome::Unknown), Some(Cause::Vanished)) => "the sending process stopped",
                (Some(Outcome::Unknown), Some(Cause::Timeout)) => "no answer",
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
                "late_refused" => format!("Late answer: {of} was refused"),
                "screened" => "Refused by the check before sending".into(),
                _ => "Learnt later".into(),
            }
        }
        What::Delivery(DeliveryState::Delivered) => "Notified: delivered".into(),
        What::Delivery(DeliveryState::Bounced) => "Notified: bounced".into(),
        What::Delivery(DeliveryState::Complained) => "Notified: reported as spam".into(),
        What::Act(act) => act_head(act),
    }
}

fn act_head(act: &ActRecord) -> String {
    let name = &act.actor;
    match (act.act.as_str(), act.after) {
        ("resend", _) => format!("{name} sent it again"),
        ("confirm_sent", _) => format!("{name} answered: it did go out"),
        ("confirm_not_sent", _) => format!("{name} answered: it did not go out"),
        (_, Some(Status::Canceled)) => format!("{name} called it off"),
        (_, Some(after)) if Some(after) != act.before => {
            format!("{name} changed it to “{}”", status(after))
        }
        _ => format!("{name} acted"),
    }
}

pub(super) fn stop_note(what: &What, mail: &Mail) -> String {
    match what {
        What::Attempt(a) => attempt_note(a, mail),
        What::LeasePassed => {
            "The process that sent it gave no outcome in time. It is not tried again by itself."
                .into()
        }
        What::Assumed(_) => "Nobody knows whether it was accepted.".into(),
        What::Observed(o) if o.kind == "screened" => "Nothing was sent.".into(),
        What::Delivery(DeliveryState::Delivered) => "The recipient’s mail server took it.".into(),
        What::Delivery(DeliveryState::Bounced) => {
            "The recipient’s mail server did not take it.".into()
        }
        What::Act(ActRecord {
            reason: Some(reason),
            ..
        }) => format!("Reason: {reason}"),
        _ => String::new(),
    }
}

fn attempt_note(a: &Attempt, mail: &Mail) -> String {
    let p = service(&a.provider);
    let mut text = match &a.actor {
        Some(name) => format!("Claimed by {} for {name}.", a.worker),
        None => format!("Claimed by {}.", a.worker),
    };
    text += &match (a.outcome, a.code) {
        (None, _) => " No outcome recorded yet.".into(),
        (Some(Outcome::NeverLeft | Outcome::Released), _) => " Nothing was sent.".into(),
        (Some(Outcome::Unknown), _) if a.cause == Some(Cause::Vanished) => {
            " It then stopped, and there is no record of whether it was sent.".into()
        }
        (Some(Outcome::Unknown), Some(code)) => {
            format!(" {p} answered {code}; it is not known whether it was accepted.")
        }
        (Some(Outcome::Unknown), None) => {
            " Sending had begun, so it is not known whether it was accepted.".into()
        }
        (Some(_), Some(code)) => format!(" {p} answered {code}."),
        (Some(Outcome::Accepted), None) => format!(" {p} accepted it."),
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
