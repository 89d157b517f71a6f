//! English: one mail, what needs checking, and what came of an act.

use super::en::{WORDS, mails, when};
use super::en_cause::cause;
use super::en_line::{begin, did, service, stop, stop_note};
use super::en_list::age;
use super::en_plan::plan;
use super::en_proof::known;
use super::isolate;
use super::{MailWords, StuckWords};
use crate::model::service::is_mail_server;
use crate::model::verdict::{Answer, Basis, Next, Verdict, in_doubt, sender_at_fault};
use crate::model::views::{Case, Cause, Mail, Notice, NoticeKind, Outcome, ServiceState};
use crate::model::{DeliveryState, HeldBy, Status};

pub(super) const MAIL: MailWords = MailWords {
    title: |order| format!("Order {}", isolate(order)),
    kind: "Kind",
    copy: "Copy",
    occasion: "Occasion",
    to: "Recipient",
    subject: "Subject",
    from: "From",
    reply_to: "Reply to",
    attempts: "Attempts",
    attempts_of: |mail| {
        let n = mail.row.attempts;
        if mail.status == Status::Failed && n >= mail.max_attempts {
            format!("{n} (at most {} by itself)", mail.max_attempts)
        } else {
            n.to_string()
        }
    },
    decided: "Recorded",
    accepted: "Accepted",
    not_accepted: "not accepted",
    accepted_unknown: "not known yet",
    accepted_by_person: "time not known (confirmed by a person)",
    delivered: |state| match state {
        Some(DeliveryState::Bounced) => "Bounced",
        Some(DeliveryState::Complained) => "Reported as spam",
        Some(DeliveryState::Delivered) | None => "Delivered",
    },
    not_before: "Not before",
    held: "On hold for",
    held_by: "Held by",
    holder: |by| match by {
        HeldBy::Hold => "an administrator (denpyo hold)",
        HeldBy::Installation => "Denpyo, after a restore or copy",
        HeldBy::Age => "Denpyo, for its age",
    },
    error: "Cause",
    duplicate: "It may have arrived twice: while a newer attempt was under way, an older one turned out to be accepted. Ask the customer.",
    answer,
    known,
    next,
    doubt: |n| {
        format!(
            "Nobody knows whether attempt {n} was accepted. If it was, sending again makes it arrive twice."
        )
    },
    plan,
    too_complex: "This mail’s HTML is too large or too deeply nested to be shown here.",
    judged: |m| format!("Judged at {}.", m.clock()),
    resend: |attempts| if attempts == 0 { "Send" } else { "Send again" },
    resending: |attempts| {
        if attempts == 0 {
            "Sending…"
        } else {
            "Sending again…"
        }
    },
    check: "Say what you found out",
    refresh: "Show the latest state",
    timeline: "What happened",
    stop,
    stop_note,
    cause,
    quoted: |text| format!("The service said: {text}"),
    numbered: |provider, id| format!("{}: {id}", (WORDS.mail.provider_id)(provider)),
    recorded: |text| format!("Recorded: {}", cause(text)),
    body: "As the customer sees it",
    no_body: "No text is stored.",
    others: "Other mails for this order",
    other_columns: ["Kind", "Status", "Recorded"],
    ids: "Numbers",
    mail_id: "Mail id",
    provider_id: |provider| match provider {
        Some(p) if is_mail_server(p) => "The mail server’s id".into(),
        Some(p) => format!("{} id", service(p)),
        None => "Service id".into(),
    },
    no_provider_id: |mail| {
        if in_doubt(mail) {
            "not known yet"
        } else if mail.status == Status::Synced {
            "not known"
        } else {
            "none"
        }
    },
    copy_button: "Copy",
    copy_what: |what| format!("Copy: {what}"),
    copied: "Copied",
};

pub(super) const STUCK: StuckWords = StuckWords {
    title: "Needs checking",
    count: |n| {
        format!(
            "{}, oldest first. Nobody can say yet whether {} accepted.",
            mails(n),
            if n == 1 { "it was" } else { "they were" }
        )
    },
    shown: |shown, total| {
        format!("The oldest {shown} of {total} are shown. Each answer brings up the next.")
    },
    ages: "By age",
    every_age: "All",
    age,
    none_of_age: "No mail of this age needs checking.",
    see_all: |n| format!("Show all: {}", mails(n)),
    none: "No mail needs checking.",
    none_help: "A mail appears here when its sending broke off without an answer.",
    settled: "It needs no checking any more. Open the mail to see what became of it.",
    since: |time| format!("since {time}"),
    why: "Why it is here",
    why_text,
    next: "What Denpyo does next",
    how_head: "How to find out",
    how: |attempt| {
        match attempt {
        Some(a) if is_mail_server(&a.provider) => {
            "Have whoever can see the mail server’s log look for this Message-ID, or ask the customer.".into()
        }
        _ => {
            let name = attempt.map_or("the mail service", |a| service(&a.provider));
            format!(
                "Have whoever can see the console of {name} look for the recipient and the time, or ask the customer."
            )
        }
    }
    },
    reason_note: "Required. Say how you found out; it is kept in the record",
    sent: "It did go out",
    not_sent: "It did not",
    sent_note: "It will count as accepted, and cannot be sent again.",
    not_sent_note: "It will count as not sent, and can be sent again. If it did go out after all, sending again makes it arrive twice.",
    sent_example: "Example: the customer said on the phone that it has arrived.",
    not_sent_example: |attempt| match attempt {
        Some(a) if is_mail_server(&a.provider) => {
            "Example: the mail server’s log does not hold this Message-ID."
        }
        _ => "Example: the console of the mail service shows nothing for this recipient.",
    },
    confirm_sent: "Confirm it went out",
    confirm_not_sent: "Confirm it did not go out",
};

fn answer(verdict: &Verdict, mail: &Mail) -> String {
    match verdict.answer {
        Answer::WaitingToSend => match mail.not_before {
            _ if mail.service == ServiceState::None => {
                "Not sent yet. It is not sent until a mail service is set.".into()
            }
            _ if mail.idle => {
                "Not sent yet: no sending process is running, and it is not sent until one is.".into()
            }
            _ if matches!(mail.service, ServiceState::Paused { .. }) => {
                "Not sent yet. It goes out by itself once sending goes on.".into()
            }
            Some(at) if at > mail.as_of => {
                format!(
                    "Not sent yet. It goes out by itself from {}.",
                    when(&at, &mail.as_of)
                )
            }
            _ => "Not sent yet. It goes out by itself when its turn comes.".into(),
        },
        Answer::Held => "Not sent yet. It is on hold, because it was recorded too long ago.".into(),
        Answer::HeldAfterBackup => match mail.held_by {
            Some(HeldBy::Installation) => {
                "It is on hold, because the database was restored or copied. Whether it went out after the backup is not known here."
            }
            _ => {
                "An administrator holds it. If that is because the database was restored, whether it went out after the backup is not known here."
            }
        }
        .into(),
        Answer::Sending { until } => {
            format!(
                "It is being sent. Wait until {}.",
                when(&until, &mail.as_of)
            )
        }
        Answer::NotKnown => "Nobody knows whether it went out.".into(),
        Answer::Accepted(Basis::Service) => {
            "The mail service has accepted it. Whether it has arrived is not known yet.".into()
        }
        Answer::Accepted(Basis::Person) => "A person has checked: it did go out.".into(),
        Answer::Accepted(Basis::Assumed) => {
            "Nobody knows whether it was accepted. By the settings it counts as accepted.".into()
        }
        Answer::Accepted(Basis::Imported) => {
            "It was already accepted in the system it came from.".into()
        }
        Answer::Delivered => "It went out, and the recipient’s mail server has it.".into(),
        Answer::Bounced => {
            "The mail service accepted it, but the recipient’s mail server did not.".into()
        }
        Answer::Complained => "It arrived, but the recipient reported it as spam.".into(),
        Answer::SafeToResend => "It was not accepted. Sending it again cannot double it.".into(),
        Answer::NotSentByPerson => {
            "A person has checked: it did not go out. It can be sent again.".into()
        }
        Answer::NotSentAssumed => {
            "Nobody knows whether it was accepted. It can be sent again, but may arrive twice."
                .into()
        }
        Answer::Refused if mail.attempts.is_empty() => {
            "It was not sent: the check before sending found something that cannot be sent.".into()
        }
        Answer::Refused => "It was refused, for its recipient or its content.".into(),
        Answer::CalledOff => "It was called off.".into(),
    }
}

fn next(verdict: &Verdict, mail: &Mail) -> String {
    match verdict.next {
        Next::Resend { attempt, by_itself: Some(at) } if at > mail.as_of && !mail.idle => format!(
            "Goes out at once as attempt {attempt}. Otherwise it is tried by itself at {}.",
            when(&at, &mail.as_of)
        ),
        Next::Resend { attempt, .. } if verdict.answer == Answer::Refused => format!(
            "Goes out as attempt {attempt}. If the address is wrong, correct it first. Sent again unchanged, it will be refused again while the cause remains."
        ),
        Next::Resend { attempt, .. } => format!("Goes out at once as attempt {attempt}."),
        Next::NeedsChange if mail.standing().correct().is_ok() => {
            "It cannot be sent as it stands. With a corrected address it can.".into()
        }
        Next::NeedsChange if sender_at_fault(mail) => {
            "It cannot be sent again: something is wrong with the sender that is set. Tell an administrator.".into()
        }
        Next::NeedsChange => {
            "It cannot be sent as it stands, so it cannot be sent again.".into()
        }
        Next::Release if mail.after_backup() => {
            "Before it is released, have whoever can see the mail service’s records make sure that it has not gone out already.".into()
        }
        Next::Release => match mail.status {
            Status::Pending => "Once released, it goes out by itself.",
            Status::Failed if mail.next_attempt_at.is_some() => {
                "It is on hold, so it cannot be sent again. Once released, it is tried again by itself."
            }
            _ => "It is on hold, so it cannot be sent again. Once released, it can be.",
        }
        .into(),
        Next::NeedsService => {
            "No mail service is set, so it cannot be sent again. Tell an administrator.".into()
        }
        Next::Check => {
            "Sending it again now might make it arrive twice. Find out first whether it went out.".into()
        }
        Next::Wait if mail.idle && mail.status == Status::Pending => "Ask an administrator whether a sending process runs.".into(),
        Next::Wait if mail.status == Status::Pending => "There is nothing to do.".into(),
        Next::Wait => "Sending it again now might make it arrive twice.".into(),
        Next::WouldDouble => match verdict.answer {
            Answer::Accepted(Basis::Assumed) => {
                "It cannot be sent again: it might arrive twice.".into()
            }
            _ => "It cannot be sent again: it would arrive twice.".into(),
        },
        Next::Nothing => match verdict.answer {
            Answer::Bounced => {
                "It cannot be sent again: the same address would not take it. Ask the customer for the right one, and send a further copy there.".into()
            }
            Answer::Complained => "Neither it nor a copy can be sent to this person. Reach them in another way, such as by phone.".into(),
            _ => "What was called off cannot be sent again. If it is needed after all, ask an administrator whether it can be recorded as another mail.".into(),
        },
    }
}

fn why_text(case: &Case) -> String {
    let n = case.row.attempts;
    match case.attempt.as_ref().map(|a| (a.outcome, a.cause)) {
        Some((Some(Outcome::Unknown), Some(Cause::Timeout))) => {
            format!(
                "Attempt {n} was sent, and no answer came. It is not known whether it was accepted."
            )
        }
        Some((Some(Outcome::Unknown), Some(Cause::Cut))) => {
            format!(
                "Attempt {n} was sent, and the connection was cut. It is not known whether it was accepted."
            )
        }
        Some((Some(Outcome::Unknown), Some(Cause::Fault))) => format!(
            "A fault of the program stopped attempt {n}. It is not known whether it was accepted."
        ),
        Some((Some(Outcome::Unknown), Some(Cause::Vanished)) | (None, _)) => match &case.attempt {
            Some(a) => format!(
                "{} stopped during attempt {n}. There is no record of whether it was sent.",
                a.worker
            ),
            None => format!("There is no record of attempt {n}."),
        },
        _ => match case.attempt.as_ref().and_then(|a| Some((a, a.code?))) {
            Some((a, code)) => format!(
                "{} answered attempt {n} with {code}. It is not known whether it was accepted.",
                begin(service(&a.provider))
            ),
            None => format!("The outcome of attempt {n} is still not known."),
        },
    }
}

pub(super) fn notice(notice: &Notice) -> String {
    let at = notice
        .at
        .map(|m| format!(" at {}", m.clock()))
        .unwrap_or_default();
    let order = isolate(&notice.order_id);
    let by = notice.by.as_deref();
    // Who was first, and when.
    let first = match (by, notice.attempt) {
        (Some(by), Some(n)) => format!("{}{at} (attempt {n}). ", sent(by, n)),
        (Some(by), None) => format!("{}{at}. ", changed(by)),
        (None, _) => String::new(),
    };
    if let Some(text) = super::en_agent::notice(notice) {
        return text;
    }
    match notice.what {
        NoticeKind::Resent => match notice.attempt {
            Some(1) => format!("Order {order} is being sent."),
            Some(n) => format!("Order {order} is being sent again, as attempt {n}."),
            None => format!("Order {order} is being sent again."),
        },
        NoticeKind::ConfirmedSent => format!("Order {order} is now recorded as accepted."),
        NoticeKind::ConfirmedNotSent => {
            format!("Order {order} is now recorded as not sent. It can be sent again.")
        }
        NoticeKind::Changed => match (by, notice.attempt) {
            (Some(by), Some(n)) => format!("{}{at}. This is the latest state.", sent(by, n)),
            (Some(by), None) => format!("{}{at}. This is the latest state.", changed(by)),
            (None, _) => format!("It was already changed{at}. This is the latest state."),
        },
        NoticeKind::InFlight => format!(
            "{first}Order {order} is being sent, or its outcome is not known. It was not sent again, because it might arrive twice."
        ),
        NoticeKind::AlreadyAccepted => {
            format!("{first}The mail service already has order {order}. It was not sent again.")
        }
        NoticeKind::CalledOff => {
            format!("{first}Order {order} is called off. It was not sent again.")
        }
        NoticeKind::StillWaiting => {
            format!("Order {order} is waiting and goes out by itself. It was not sent again.")
        }
        NoticeKind::Held => format!("Order {order} is on hold. It was not sent again."),
        NoticeKind::Released => format!("Order {order} was released."),
        NoticeKind::NotHeld => match by {
            Some(by) => {
                let did = did(
                    by,
                    &format!("already released order {order}"),
                    &format!("Order {order} was already released"),
                );
                format!("{did}{at}. This is the latest state.")
            }
            None => format!("Order {order} is on hold no longer. This is the latest state."),
        },
        NoticeKind::NoService => {
            "No mail service is set, so it was not sent again. Tell an administrator.".into()
        }
        NoticeKind::LeaseAlive => format!(
            "Order {order} is still being sent, and an answer may come. Yours was not recorded. Wait a moment, then try again."
        ),
        NoticeKind::ReasonMissing => WORDS.reason.missing.into(),
        NoticeKind::BadRecipient => "The recipient is no address. It was not sent again.".into(),
        NoticeKind::BadContent => {
            "Something in the mail itself cannot be sent. It was not sent again.".into()
        }
        // Said above.
        _ => String::new(),
    }
}

/// Who has changed it.
pub(super) fn changed(by: &str) -> String {
    did(by, "already changed it", "It was already changed")
}

/// Who has sent it, as which attempt.
pub(super) fn sent(by: &str, attempt: i32) -> String {
    if attempt == 1 {
        did(by, "already sent it", "It was already sent")
    } else {
        did(by, "already sent it again", "It was already sent again")
    }
}
