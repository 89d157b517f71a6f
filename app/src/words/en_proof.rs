//! English: what a verdict rests on.

use super::en_cause::cause;
use super::en_line::{did, service};
use super::en_plan::why;
use crate::model::DeliveryState;
use crate::model::verdict::Known;
use crate::model::views::{Cause, Outcome};

fn times(first: i32, last: i32) -> String {
    match last - first {
        0 => format!("Attempt {first}"),
        1 => format!("Attempts {first} and {last}"),
        _ => format!("Attempts {first} to {last}"),
    }
}

pub(super) fn known(known: &Known) -> String {
    match known {
        Known::Attempts {
            first,
            last,
            outcome,
            cause,
            code,
            provider,
        } => {
            let n = times(*first, *last);
            let p = service(provider);
            let code = code.map(|c| format!(" ({c})")).unwrap_or_default();
            match outcome {
                None => format!("{n}: no outcome recorded yet"),
                Some(Outcome::Accepted) => format!("{n}: accepted by {p}{code}"),
                Some(Outcome::NeverLeft) => match cause {
                    Some(Cause::Build) => {
                        format!("{n}: could not be put together, nothing was sent")
                    }
                    Some(Cause::Fault) => {
                        format!("{n}: stopped by a fault of the program, nothing was sent")
                    }
                    _ => format!("{n}: no connection, nothing was sent"),
                },
                Some(Outcome::Temporary) => format!("{n}: {p} temporarily did not take it{code}"),
                Some(Outcome::Refused) => format!("{n}: refused by {p}{code}"),
                Some(Outcome::Account) if code.is_empty() => {
                    format!("{n}: {p} does not offer what the settings ask for, nothing was sent")
                }
                Some(Outcome::Account) => format!("{n}: {p} refused the account{code}"),
                Some(Outcome::Unknown) => match cause {
                    Some(Cause::Timeout) => format!("{n}: sent, but no answer came"),
                    Some(Cause::Cut) => format!("{n}: sent, but the connection was cut"),
                    Some(Cause::Vanished) => {
                        format!("{n}: the sending process stopped without a word")
                    }
                    Some(Cause::Fault) => format!(
                        "{n}: stopped by a fault of the program, not known whether it was accepted"
                    ),
                    _ => format!("{n}: not known whether it was accepted{code}"),
                },
                Some(Outcome::Released) => format!("{n}: given back before anything was sent"),
            }
        }
        Known::LateAccepted(Some(n)) => format!("A late answer: attempt {n} was accepted"),
        Known::LateAccepted(None) => "A late answer: it was accepted".into(),
        Known::LookupFound(Some(n)) => format!("Asked, the service has attempt {n}"),
        Known::LookupFound(None) => "Asked, the service has it".into(),
        Known::LookupNo(Some(n)) => format!("Asked, the service does not have attempt {n}"),
        Known::LookupNo(None) => "Asked, the service does not have it".into(),
        Known::LookupNotYet(_) => "Asked, not found yet".into(),
        Known::LookupUnclear(reason) if reason.was_asked() => {
            format!("Asked, no clear answer: {}", why(*reason))
        }
        Known::LookupUnclear(reason) => format!("Cannot be looked up: {}", why(*reason)),
        Known::EventAccepted(Some(n)) => format!("Notified: attempt {n} was accepted"),
        Known::EventAccepted(None) => "Notified: accepted".into(),
        Known::Screened(Some(fault)) => {
            format!("Checked before sending: {}", cause(&fault.to_string()))
        }
        Known::Screened(None) => {
            "Checked before sending: the recipient or content cannot be sent".into()
        }
        Known::Person { name, sent: true } => {
            did(name, "answered: it did go out", "Answered: it did go out,")
        }
        Known::Person { name, sent: false } => did(
            name,
            "answered: it did not go out",
            "Answered: it did not go out,",
        ),
        Known::CalledOff(name) => did(name, "called it off", "Called off"),
        Known::Delivery(DeliveryState::Delivered) => "Notified: delivered".into(),
        Known::Delivery(DeliveryState::Bounced) => "Notified: bounced".into(),
        Known::Delivery(DeliveryState::Complained) => "Notified: reported as spam".into(),
    }
}
