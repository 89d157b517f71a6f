//! Reports, in English.

use super::ReportWords;
use super::catalogue_reports::{is_japan, last_moment};
use super::en::{WORDS, mails};
use super::isolate;
use super::numbers::grouped;
use crate::model::date::{month_name, month_short};
use crate::model::filter::Basis;
use crate::model::report::Column;
use crate::model::views::{Count, MonthAnswer, MonthReport};
use crate::model::{Face, Month};

pub(super) const REPORTS: ReportWords = ReportWords {
    title: "Reports",
    month,
    month_title: |m| format!("Report for {}", month(m)),
    months: "Months",
    other: "Another month",
    show: "Show",
    bad_month: "The month was not understood. Write it as 2026-11. This month is shown.",
    under_way: "under way",
    ahead: "not begun yet",
    open: "not closed yet",
    closed: |closed, zone| {
        let counted = if closed.zone == zone {
            String::new()
        } else {
            format!(" (counted by days in {})", zone_name(&closed.zone))
        };
        let why = closed
            .reason
            .as_ref()
            .map(|reason| format!(" Reason: {}", isolate(reason)))
            .unwrap_or_default();
        format!(
            "Closed on {} by {}{counted}.{why}",
            (WORDS.date_time)(&closed.at),
            isolate(&closed.by)
        )
    },
    closed_note: "The figures are those of the closing.",
    closed_changed: " Where something has changed since, the figure now and the difference stand beside it.",
    basis_label: "Counted by",
    basis: |basis| match basis {
        Basis::Decided => "Day recorded",
        Basis::Accepted => "Day accepted",
    },
    stated,
    caption: |m| format!("{}: mails by kind and state", month(m)),
    kind: "Kind",
    column: |column| match column {
        Column::Accepted => (WORDS.face)(Face::Accepted),
        Column::AcceptedAssumed | Column::FailedAssumed => "assumed",
        Column::Bounced => "bounced or reported as spam",
        Column::Pending => (WORDS.face)(Face::Waiting),
        Column::Sending => (WORDS.face)(Face::Sending),
        Column::Check => (WORDS.face)(Face::NeedsChecking),
        Column::Failed => (WORDS.face_short)(Face::NotSent),
        Column::Rejected => (WORDS.face)(Face::Refused),
        Column::Canceled => (WORDS.face)(Face::CalledOff),
        Column::Total => "Total",
        Column::Further => "copies",
    },
    last_month: "Last month",
    last_year: "A year before",
    pasts_kept: |months| {
        let names: Vec<String> = months.iter().map(|m| month(*m)).collect();
        format!(
            "The figures of {} are those of the closing.",
            names.join(" and ")
        )
    },
    rest: "Other kinds",
    sum: "Total",
    none: "There are no mails in this month.",
    not_counted: "Counting took too long, so the figures are shown as “—”. Wait a moment, then open the page again.",
    still: |n| format!("Still being checked: {}", grouped(n)),
    still_note: |basis| match basis {
        Basis::Decided => "Once they are settled, the total stays and the states move.",
        Basis::Accepted => {
            "Recorded before the month’s end, and nobody knows yet. If they were accepted, they may still come to count here."
        }
    },
    still_none: "No mail needs checking.",
    untimed: |n| format!("Accepted, time not known: {}", grouped(n)),
    untimed_note: "Recorded in this month, and accepted by assumption or by a person’s word. The day is not known, so no month’s table has them.",
    adjusted: |now, by| format!("now {} ({})", grouped(now), signed(by)),
    close: |m| format!("Close {}", month(m)),
    close_open: |open| {
        let parts = [
            ("waiting to be sent", open.waiting),
            ("to be retried", open.retrying),
            ("on hold", open.held),
            ("being sent or checked", open.open),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(what, n)| format!("{} {what}", grouped(n)))
            .collect();
        let (are, them) = match open.sum() {
            1 => ("is", "it"),
            _ => ("are", "them"),
        };
        format!(
            "{} {are} not settled yet ({}). What becomes of {them} afterwards is shown as a difference from the kept figures.",
            mails(open.sum()),
            parts.join(", ")
        )
    },
    close_note: "Keeps the figures as they are now. This cannot be undone. What changes afterwards is shown beside the kept figures.",
    close_reason: "Reason (optional)",
    close_example: "For example: the monthly report was handed in",
    close_confirm: |m| format!("Close {}", month(m)),
    close_busy: "Closing…",
    month_notice: |n| {
        let name = month(n.month);
        let by = n.closed.as_ref().map(|closed| {
            format!(
                " {} closed it on {}.",
                isolate(&closed.by),
                (WORDS.date_time)(&closed.at)
            )
        });
        match n.what {
            MonthAnswer::Closed => format!("{name} is closed."),
            MonthAnswer::ClosedBefore => {
                format!("{name} was closed before.{}", by.unwrap_or_default())
            }
            MonthAnswer::NotOver => {
                format!(
                    "{name} is not over, so it cannot be closed yet. It can be on the first of the next month."
                )
            }
            MonthAnswer::NotCounted => format!(
                "{name} was not closed, because counting it took too long. Wait a moment, then try again."
            ),
        }
    },
    save_table: |format, rows| format!("Save this table as {format} ({})", rows_of(rows)),
    save_rows: |format, rows| {
        let rows = match rows {
            Count::AtLeast(n) => format!("{} rows or more", grouped(n)),
            Count::Unknown => "rows not counted".into(),
            Count::Exact(n) => rows_of(n),
            count => format!("{} rows", (WORDS.count)(count)),
        };
        format!("Save the mails as {format} ({rows})")
    },
    save: "Save",
    days: "Accepted a day",
    days_note: |zone| format!("The last 30 days, {}. Today is not over.", zone_name(zone)),
    days_empty: "No mails were accepted in the last 30 days.",
    days_caption: "Mails accepted in the last 30 days, by day",
    as_table: "Show as a table",
    day_short: |month, day| format!("{day} {}", month_short(month)),
    so_far: " (so far)",
    days_columns: ["Day", "Accepted"],
};

pub(super) fn month(m: Month) -> String {
    format!("{} {}", month_name(m.number()), m.year())
}

fn rows_of(n: i64) -> String {
    if n == 1 {
        "1 row".into()
    } else {
        format!("{} rows", grouped(n))
    }
}

pub(super) fn zone_name(zone: &str) -> String {
    if is_japan(zone) {
        "Japan time".into()
    } else {
        format!("{zone} time")
    }
}

fn signed(by: i64) -> String {
    if by > 0 {
        format!("+{}", grouped(by))
    } else {
        grouped(by)
    }
}

fn stated(r: &MonthReport) -> String {
    let what = match r.basis {
        Basis::Decided => "Mails by the day they were recorded",
        Basis::Accepted => "Mails by the day the mail service accepted them",
    };
    let zone = zone_name(&r.zone);
    let (_, month, day, _) = r.from.day();
    let from = format!("{day} {}, {}", month_name(month), &r.from.clock()[..5]);
    if r.ahead {
        return format!("{what}. {zone}, from {from}.");
    }
    let until = if r.over {
        let (_, month, day, _) = last_moment(&r.until).day();
        format!("the end of {day} {}", month_name(month))
    } else {
        let (_, month, day, _) = r.until.day();
        format!("{day} {}, {}", month_name(month), &r.until.clock()[..5])
    };
    format!("{what}. {zone}, from {from} to {until}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::views::Unsettled;

    #[test]
    fn one_mail_is_spoken_of_as_one() {
        let held = |held| Unsettled {
            held,
            ..Unsettled::default()
        };
        let one = (REPORTS.close_open)(&held(1));
        assert!(
            one.starts_with("1 mail is not settled yet (1 on hold)") && one.contains("of it "),
            "{one}"
        );
        let two = (REPORTS.close_open)(&held(2));
        assert!(
            two.starts_with("2 mails are not settled yet (2 on hold)") && two.contains("of them "),
            "{two}"
        );
    }
}
