//! What can be chosen of a list, as SQL.

use crate::db::Db;
use crate::outbox::row::needs_checking;
use app::model::Status;
use app::model::filter::{ListStatus, Only};

/// The text with each `$?` numbered, from the one after `last`.
pub(in crate::outbox) fn number(text: &str, last: &mut usize) -> String {
    let mut parts = text.split("$?");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        *last += 1;
        out.push_str(&format!("${last}{part}"));
    }
    out
}

/// The text with its `{recipient}` in the words of the index.
pub(in crate::outbox) fn with_recipient(db: &Db, text: &str) -> String {
    let recipient = if db.is_postgres() {
        "substr(lower(recipient COLLATE \"C\"), 1, 320)"
    } else {
        "substr(lower(recipient), 1, 320)"
    };
    text.replace("{recipient}", recipient)
}

pub(super) fn condition_of(status: ListStatus) -> &'static str {
    match status {
        ListStatus::Stored(Status::Pending) => "status = 'pending'",
        ListStatus::Stored(Status::Requesting) => "status = 'requesting'",
        ListStatus::Stored(Status::Synced) => "status = 'synced'",
        ListStatus::Stored(Status::Failed) => "status = 'failed'",
        ListStatus::Stored(Status::Rejected) => "status = 'rejected'",
        ListStatus::Stored(Status::Canceled) => "status = 'canceled'",
        ListStatus::Sending => {
            "(status = 'requesting' AND unknown_at IS NULL AND lease_until > {now})"
        }
        ListStatus::Check => {
            concat!("(", needs_checking!(), ")")
        }
    }
}

/// What a row of it has as its status.
pub(super) fn stored(status: ListStatus) -> Status {
    match status {
        ListStatus::Stored(status) => status,
        ListStatus::Sending | ListStatus::Check => Status::Requesting,
    }
}

/// Rows with one of these statuses, none of which is `synced`, in the words of the index of what is
/// not accepted. SQLite does not conclude them, nor guess how few rows these are, and would read
/// every row.
pub(super) fn unsettled(statuses: &[Status]) -> String {
    let mut names: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    format!(
        "status <> 'synced' AND status IN ('{}')",
        names.join("', '")
    )
}

pub(super) fn condition_of_only(only: Only) -> &'static str {
    match only {
        Only::Assumed => "settled_by = 'assumed'",
        Only::Delivered => "delivery_state = 'delivered'",
        // In the words of the index, of which each takes a part.
        Only::Bounced => {
            "delivery_state IN ('bounced', 'complained') AND delivery_state = 'bounced'"
        }
        Only::Complained => {
            "delivery_state IN ('bounced', 'complained') AND delivery_state = 'complained'"
        }
        Only::BouncedOrComplained => "delivery_state IN ('bounced', 'complained')",
        Only::Further => "copy > 0",
        Only::Original => "copy = 0",
        Only::Untimed => "status = 'synced' AND sent_at IS NULL",
    }
}
