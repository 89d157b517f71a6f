//! Resending many mails, in English.

use super::BulkWords;
use super::en::{WORDS, mails};
use super::{grouped, isolate};
use crate::model::views::{BulkAnswer, BulkState, Count, NoticeKind};

pub(super) const BULK: BulkWords = BulkWords {
    title: "Resend many",
    how: "Filter the list of mails, then choose “Resend many” above it.",
    no_jobs: "Nothing was resent this way yet.",
    job_columns: ["Started", "Filter", "State", "By"],
    new_title: "Resend many",
    job_title: |id| format!("Resend many, no. {id}"),
    all_jobs: "All resends of many",
    state: |state| match state {
        BulkState::Preview => "Not started",
        BulkState::Running => "Under way",
        BulkState::Stopped => "Stopped",
        BulkState::Done => "Finished",
    },
    filter: "Filter",
    to_list: "To the list",
    now: "In it now",
    mails: |count| match count {
        Count::Exact(n) => mails(n),
        count => format!("{} mails", (WORDS.count)(count)),
    },
    prepare_note: "The mails that are in this list now are kept as they are, and you are shown which of them can be resent and why the others cannot. Nothing is sent yet. What joins the list later is not resent.",
    prepare: "Look through these mails",
    preparing: "Looking through…",
    no_filter: "Filter the list first: only mails of a filtered list can be resent together.",
    nothing: "There is no mail in this list.",
    too_many: |most| {
        format!(
            "At most {} mails can be resent together. Filter the list further.",
            grouped(most)
        )
    },
    frozen: "As seen",
    started: "Started",
    stopped: "Stopped",
    revoked: "Stopped by itself: the person who started it may not resend many mails any more. What was not resent yet can be resent from the list.",
    outdated: "These mails were looked through more than a day ago, so resending them can no longer be started. Look through the list again.",
    ended: "Finished",
    eligible: |eligible, total| format!("{} of {} can be resent", grouped(eligible), mails(total)),
    left_unsent: |turns, waiting| {
        let their = if turns == 1 { "its" } else { "their" };
        match waiting {
            0 => format!("Stopped after {} had {their} turn", mails(turns)),
            n => format!(
                "Stopped: {} not resent ({} had {their} turn)",
                mails(n),
                grouped(turns)
            ),
        }
    },
    prepare_rest: "Prepare the rest",
    prepare_rest_note: "With the same filter, the mails that are in the list now are looked through again.",
    doubtful_count: |n| {
        format!(
            "Not known whether they were accepted (may arrive twice): {}",
            grouped(n)
        )
    },
    doubtful_warning: |n| {
        let arrive = if n == 1 { "it arrives" } else { "they arrive" };
        format!(
            "Of {}, nobody knows whether the last attempt was accepted. If it was, {arrive} twice.",
            mails(n)
        )
    },
    doubtful: "may arrive twice",
    left_out: "Not resent",
    refused: |kind, n| format!("{}: {}", why(kind), grouped(n)),
    why,
    none_eligible: "None of these mails can be resent.",
    start: |n| format!("Resend {}", mails(n)),
    start_note: "They are sent again one after the other, ten a second at most. A mail that has changed since it was looked at is left alone. You can leave this page meanwhile, and stop at any time.",
    reason_note: "Required. Why are they resent? It is kept with each of them.",
    reason_example: "E.g. The mail service refused everything between 9:00 and 9:40; it works again.",
    start_confirm: |n| format!("Resend {} now", mails(n)),
    stop: "Stop resending",
    stopping: "Stopping…",
    stop_note: "What is being sent is finished; no further mail is begun.",
    progress: "Mails that had their turn",
    turns: |done, of| format!("{} of {}", grouped(done), grouped(of)),
    skipped_count: |n| format!("Left alone: {}", grouped(n)),
    caption: "Mails in the order in which they are resent",
    columns: ["Order", "Kind", "Recipient", "Result"],
    waiting: |state| match state {
        BulkState::Preview => "can be resent",
        BulkState::Running => "waits for its turn",
        BulkState::Stopped | BulkState::Done => "not resent, it was stopped before",
    },
    attempt: |n| format!("attempt {n}"),
    skipped: |kind, by| match by {
        Some(by) => format!("Left alone: {} – {} was faster", why(kind), isolate(by)),
        None => format!("Left alone: {}", why(kind)),
    },
    pager: "Other mails",
    before: |n| format!("The {n} before"),
    after: |n| format!("The next {n}"),
    notice: |answer| match answer {
        BulkAnswer::Started => "Resending has begun.",
        BulkAnswer::Stopped => "Resending is stopped. No further mail is begun.",
        BulkAnswer::ReasonMissing => "Enter a reason first. Nothing was sent.",
        BulkAnswer::NotStarted => {
            "It was started already, was looked through too long ago, or there is nothing to resend. This is how it stands now."
        }
        BulkAnswer::NotRunning => "It does not run any more. This is how it stands now.",
        BulkAnswer::TooMany => "There are too many mails by now. Filter the list further.",
        BulkAnswer::Nothing => "There is nothing to resend. Check the filter.",
    },
};

fn why(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::InFlight => "being sent, or needs checking",
        NoticeKind::AlreadyAccepted => "accepted by the mail service",
        NoticeKind::CalledOff => "called off",
        NoticeKind::Held => "on hold",
        NoticeKind::StillWaiting => "waits to be sent by itself",
        NoticeKind::BadRecipient => "the recipient is no address",
        NoticeKind::BadContent => "its content cannot be sent",
        NoticeKind::NoService => "no mail service is set",
        _ => "changed since it was looked at",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mail_is_spoken_of_as_one() {
        let left = BULK.left_unsent;
        assert_eq!(left(1, 0), "Stopped after 1 mail had its turn");
        assert_eq!(left(2, 1), "Stopped: 1 mail not resent (2 had their turn)");
        assert!((BULK.doubtful_warning)(1).ends_with("it arrives twice."));
        assert!((BULK.doubtful_warning)(2).ends_with("they arrive twice."));
    }
}
