//! English: what Denpyo does by itself, and forms that want a reason.

use super::ReasonWords;
use super::en::{mails, when};
use super::en_line::{did, service};
use super::numbers::grouped;
use crate::model::Status;
use crate::model::plan::{Plan, Step, Why};
use crate::model::views::{LotAnswer, LotNotice};

/// Before what was held after a restore is let go.
const RESTORED: &str = " If the database was restored, those that went out after the backup will arrive twice: first have whoever can see the mail service’s records find those that it already has.";

pub(super) const REASON: ReasonWords = ReasonWords {
    reason: "Reason",
    missing: "Enter a reason. It is kept in the record.",
    busy: "Recording…",
    release: "Release it",
    release_note: |mail| {
        let then = match mail.status {
            Status::Pending if mail.idle => {
                "It then waits until a sending process runs: none is running now."
            }
            Status::Pending => "It then goes out by itself at once.",
            Status::Failed if mail.next_attempt_at.is_some() && !mail.idle => {
                "It is then tried again by itself."
            }
            _ => "It is not sent by itself, but it can then be sent again.",
        };
        let first = match (mail.after_backup(), mail.status) {
            (true, _) => RESTORED,
            (false, Status::Pending | Status::Failed) => {
                " Make sure first that it may still be sent."
            }
            _ => "",
        };
        format!("{then}{first}")
    },
    release_reason: "Required. Say why it need not be held any longer; it is kept in the record",
    release_example: "Example: the customer said on the phone that it may be sent now.",
    release_confirm: "Release it for this reason",
    release_lot: |n| format!("Release the {} of this list", mails(n)),
    release_lot_note: |n| {
        format!(
            "Releases the {} that match the filters shown. Those that wait to be sent go out by themselves at once.{RESTORED}",
            mails(n)
        )
    },
    release_lot_confirm: |n| format!("Release {} for this reason", mails(n)),
    release_lot_role: "Leads and administrators may release many at once. One at a time, use the mail’s own page.",
    release_lot_too_many: |most| {
        format!(
            "At most {} may be released at once. Narrow the filters.",
            mails(most)
        )
    },
    lot_notice,
};

fn lot_notice(notice: &LotNotice) -> String {
    match notice.what {
        LotAnswer::Released(1) => "1 mail was released.".into(),
        LotAnswer::Released(n) => format!("{} were released.", mails(n)),
        LotAnswer::Changed { shown, now } => {
            let first = match (notice.by.as_deref(), notice.at) {
                (Some(by), Some(at)) => {
                    let did = did(by, "released mails", "Mails were released");
                    format!("{did} at {}. ", at.clock())
                }
                _ => String::new(),
            };
            let numbers = if shown == now {
                "The list has changed since it was shown.".to_owned()
            } else {
                format!(
                    "{} were shown, and there are {} now.",
                    grouped(shown),
                    grouped(now)
                )
            };
            format!("{first}{numbers} None was released. This is the latest list.")
        }
        LotAnswer::TooMany => {
            "These are more than may be released at once. None was released. Narrow the filters."
                .into()
        }
        LotAnswer::ReasonMissing => REASON.missing.into(),
    }
}

/// Why a service cannot tell.
pub(super) fn why(why: Why) -> &'static str {
    match why {
        Why::NoService => "no mail service is set",
        Why::NoLookup => "this service has no look-up",
        Why::Refused => "the mail service refuses to answer",
        Why::Unreachable => "no answer comes from the mail service",
        Why::Incomplete => "the mail service’s answer does not settle it",
        Why::Elsewhere => "it went to another service or account than the one set now",
        Why::TooOld => "the mail service keeps records no longer than that",
        Why::Unsaid => "asking gives no answer",
    }
}

/// What the service has answered so far.
fn asked(not_found: i32, unclear: i32, last: Option<Why>) -> String {
    let reason = last.map_or_else(String::new, |last| {
        format!(" (the last time: {})", why(last))
    });
    match (not_found, unclear) {
        (..=0, ..=0) => String::new(),
        (n, ..=0) => format!(" Asked {}; not found yet.", times(n)),
        (..=0, n) => format!(" Asked {}, it gave no clear answer{reason}.", times(n)),
        (a, b) => format!(
            " Asked {}: not found {}, no clear answer {}{reason}.",
            times(a + b),
            times(a),
            times(b)
        ),
    }
}

fn times(n: i32) -> String {
    match n {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

pub(super) fn plan(plan: &Plan) -> String {
    let name = plan.service.as_deref().map_or("the mail service", service);
    match plan.next {
        Step::Person(reason) => {
            let first = match plan.assumed {
                None => "A person has to find out",
                Some(Status::Synced) => "It goes on counting as accepted",
                Some(_) => "It goes on counting as not sent",
            };
            let then = match plan.assumed {
                None => "",
                Some(Status::Synced) => {
                    " If it turns out that it did not go out, send a further copy."
                }
                Some(_) => " A person decides whether it is sent again.",
            };
            format!("Nothing by itself. {first}, because {}.{then}", why(reason))
        }
        Step::Ask {
            at,
            again,
            not_found,
            unclear,
            last,
        } => {
            let again = if again { " again" } else { "" };
            let mut text = match at {
                Some(at) => format!("It asks {name}{again} at {}.", when(&at, &plan.as_of)),
                None => format!("It asks {name}{again} in a moment."),
            };
            text += &asked(not_found, unclear, last);
            let missing = match plan.deadline {
                Some(at) if at <= plan.as_of && not_found > 0 => {
                    "a further look-up does not find it either".to_owned()
                }
                Some(at) if at <= plan.as_of => "look-ups do not find it".to_owned(),
                Some(at) => format!("it is still not there after {}", when(&at, &plan.as_of)),
                None => "it is still not there after the time limit for look-ups".to_owned(),
            };
            let then = if plan.resends {
                "it is sent again by itself"
            } else {
                "it counts as not sent"
            };
            text +=
                &format!(" If the service has it, it counts as accepted; if {missing}, {then}.");
            text
        }
    }
}
