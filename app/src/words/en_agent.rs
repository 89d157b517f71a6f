//! English: a support agent's acts on one mail.

use super::en::{WORDS, when};
use super::en_line::{begin, did};
use super::en_mail::{changed, sent};
use super::{AddressWords, AgentWords, FormWords, ReplyWords, isolate};
use crate::model::Status;
use crate::model::service::is_mail_server;
use crate::model::unsendable::Unsendable;
use crate::model::views::{Mail, Notice, NoticeKind};

pub(super) const AGENT: AgentWords = AgentWords {
    early: |until, today, went_to| {
        format!(
            "Wait until {}. Until then the mail may still turn up in {}, so not finding it there does not mean that it did not go out.",
            when(until, today),
            records(went_to)
        )
    },
    until: |until, today, went_to| {
        format!(
            "Until {} it may still turn up in {}.",
            when(until, today),
            records(went_to)
        )
    },
    address: AddressWords {
        correct: "The right address",
        copy: "Recipient",
        copy_hint: "Left empty, it goes where the mail itself went.",
        tidied: |address| format!("Trimmed, it goes to: {address}"),
        fault: |fault| (WORDS.mail.cause)(&Unsendable::RecipientBad(fault).to_string()),
        place: "It is this character:",
    },
    correct: FormWords {
        open: "Correct the address and send",
        note: |mail| {
            format!(
                "Goes out at once as attempt {}, to the corrected address. The old one stays on record.",
                mail.row.attempts + 1
            )
        },
        reason_note: "Required. Say how you learnt the right address; it is kept in the record",
        example: "Example: the customer gave the right address on the phone.",
        confirm: |_| "Send to this address".into(),
    },
    copy: FormWords {
        open: "Send a further copy",
        note: |mail| {
            let times = match mail.with_one_more() {
                2 => "twice".to_owned(),
                n => format!("{n} times"),
            };
            let mails = match mail.with_one_more() {
                ..=1 => String::new(),
                _ if mail.row.assumed => {
                    format!("If it did go out, the customer will have the same mail {times}.")
                }
                _ => format!("The customer will have the same mail {times}."),
            };
            format!(
                "The same mail goes out once more, as {}. The original stays as it is. {mails}",
                (WORDS.copy)(mail.next_copy).to_lowercase()
            )
        },
        reason_note: "Required. Say why another one is sent; it is kept in the record",
        example: "Example: the customer has deleted the mail and asks for it again.",
        confirm: |mail| format!("Send {}", (WORDS.copy)(mail.next_copy).to_lowercase()),
    },
    call_off: FormWords {
        open: "Call it off",
        note: |mail| {
            match mail.status {
                Status::Pending => "The mail will not be sent. This cannot be undone.",
                _ => "The mail will not be sent again. This cannot be undone.",
            }
            .into()
        },
        reason_note: "Required. Say why it is called off; it is kept in the record",
        example: "Example: the order was cancelled, so no notice is needed.",
        confirm: |_| "Call it off now".into(),
    },
    reveal: FormWords {
        open: "Show the address",
        note: |_| "It is shown for 10 minutes, and that you saw it stays on record.".into(),
        reason_note: "Required. Say why you need to see it; it is kept in the record",
        example: "Example: the customer asks on the phone which address it went to.",
        confirm: |_| "Show".into(),
    },
    typed: "What you wrote, which was not used",
    between: " ",
    theirs: |to| format!("That copy goes to {}.", isolate(to)),
    original: "See the original",
    reply: ReplyWords {
        title: "Reply for the customer",
        langs: ["Japanese", "English"],
        copy: ["the Japanese reply", "the English reply"],
    },
};

/// Where a person looks.
fn records(went_to: Option<&str>) -> &'static str {
    if went_to.is_some_and(is_mail_server) {
        "the mail server’s log"
    } else {
        "the service’s records"
    }
}

/// What a person's act came to, where it is one of these.
pub(super) fn notice(notice: &Notice) -> Option<String> {
    let at = notice
        .at
        .map(|m| format!(" at {}", m.clock()))
        .unwrap_or_default();
    let order = isolate(&notice.order_id);
    let first = match (&notice.by, notice.attempt) {
        (Some(by), Some(n)) => format!("{}{at}. ", sent(by, n)),
        (Some(by), None) => format!("{}{at}. ", changed(by)),
        (None, _) => String::new(),
    };
    let copy = notice.copy.map_or_else(
        || "a further copy".into(),
        |(_, n)| (WORDS.copy)(n).to_lowercase(),
    );
    Some(match notice.what {
        NoticeKind::Tidied => {
            "The address was trimmed. Nothing has been sent yet: check it, and press once more."
                .into()
        }
        NoticeKind::Copied => format!("Order {order}: {copy} will be sent."),
        NoticeKind::CopyTaken => match &notice.by {
            Some(by) => {
                let did = did(
                    by,
                    &format!("already asked for {copy}"),
                    &format!("{} was already asked for", begin(&copy)),
                );
                format!("{did}{at}. No further one was made. This is the latest state.")
            }
            None => "Another copy was made meanwhile. None was made now. This is the latest state."
                .into(),
        },
        NoticeKind::NotAccepted => {
            format!("{first}The mail service has not accepted order {order} yet. No copy was made.")
        }
        NoticeKind::Complained => "The recipient reported it as spam. No copy was made.".into(),
        NoticeKind::Canceled => format!("Order {order} was called off."),
        NoticeKind::TooLate => {
            format!("{first}It was not called off. This is the latest state.")
        }
        NoticeKind::Revealed => {
            "The address is shown for 10 minutes. That you saw it is on record.".into()
        }
        _ => return None,
    })
}

/// What an act's stop on the time-line is called, where it is one of these.
pub(super) fn act(act: &crate::model::views::ActRecord, mail: &Mail) -> Option<String> {
    let name = &act.actor;
    Some(match (act.act.as_str(), act.copy) {
        ("copy", copy) if copy.is_none_or(|(id, _)| mail.row.id == id) => did(
            name,
            "asked for this further copy",
            "This further copy was asked for",
        ),
        ("copy", Some((_, n))) => {
            let copy = (WORDS.copy)(n).to_lowercase();
            did(
                name,
                &format!("asked for {copy}"),
                &format!("{} was asked for", begin(&copy)),
            )
        }
        ("reveal", _) => did(name, "was shown the address", "The address was shown"),
        ("resend", _) if act.to.is_some() => did(
            name,
            "corrected the address and sent it",
            "Sent to a corrected address",
        ),
        _ => return None,
    })
}
