//! What reports say.

use super::catalogue::Text;
use crate::model::filter::Basis;
use crate::model::report::Column;
use crate::model::views::{Closed, Count, MonthNotice, MonthReport, Unsettled};
use crate::model::{Moment, Month};

/// Reports, and what leaves as a file.
pub struct ReportWords {
    /// In the bar.
    pub title: Text,
    /// A month.
    pub month: fn(Month) -> String,
    /// The page's title.
    pub month_title: fn(Month) -> String,
    /// Names the links to other months.
    pub months: Text,
    /// The field for another month.
    pub other: Text,
    /// Its button.
    pub show: Text,
    /// What was typed is no month.
    pub bad_month: Text,
    /// The month is not over.
    pub under_way: Text,
    /// It has not begun.
    pub ahead: Text,
    /// It is over, and nobody closed it.
    pub open: Text,
    /// Who closed it.
    pub closed: fn(&Closed, zone: &str) -> String,
    /// How to read a closed month.
    pub closed_note: Text,
    /// The same, where something has changed since.
    pub closed_changed: Text,
    /// Names the switch.
    pub basis_label: Text,
    /// What days mean.
    pub basis: fn(Basis) -> Text,
    /// What the figures are, in a sentence.
    pub stated: fn(&MonthReport) -> String,
    /// What the table is.
    pub caption: fn(Month) -> String,
    /// Head of the first column.
    pub kind: Text,
    /// Heads of the others.
    pub column: fn(Column) -> Text,
    /// All of the month before.
    pub last_month: Text,
    /// All of the same month a year before.
    pub last_year: Text,
    /// These months were closed, and their kept figures are compared with.
    pub pasts_kept: fn(&[Month]) -> String,
    /// The last line, where there are too many kinds.
    pub rest: Text,
    /// The last line.
    pub sum: Text,
    /// Nothing in the month.
    pub none: Text,
    /// Counting took too long.
    pub not_counted: Text,
    /// What needs checking.
    pub still: fn(i64) -> String,
    /// What becomes of it.
    pub still_note: fn(Basis) -> Text,
    /// Nothing needs checking.
    pub still_none: Text,
    /// Accepted, nobody knows when.
    pub untimed: fn(i64) -> String,
    /// Why it is not in the table.
    pub untimed_note: Text,
    /// The figure now, where it is not the one that was kept.
    pub adjusted: fn(now: i64, by: i64) -> String,
    /// Opens the form.
    pub close: fn(Month) -> String,
    /// What would still change afterwards.
    pub close_open: fn(&Unsettled) -> String,
    /// What closing means.
    pub close_note: Text,
    /// The field.
    pub close_reason: Text,
    /// In the empty field.
    pub close_example: Text,
    /// The button.
    pub close_confirm: fn(Month) -> String,
    /// The button, while it works.
    pub close_busy: Text,
    /// What came of it.
    pub month_notice: fn(&MonthNotice) -> String,
    /// Saves the table.
    pub save_table: fn(format: &str, rows: i64) -> String,
    /// Saves the rows behind it.
    pub save_rows: fn(format: &str, rows: Count) -> String,
    /// Names the links that save.
    pub save: Text,
    /// Accepted mails a day.
    pub days: Text,
    /// Of which time.
    pub days_note: fn(zone: &str) -> String,
    /// None.
    pub days_empty: Text,
    /// What it is, for those who do not see it.
    pub days_caption: Text,
    /// Shows the numbers.
    pub as_table: Text,
    /// A day under the plot.
    pub day_short: fn(u32, u32) -> String,
    /// After today's day.
    pub so_far: Text,
    /// Columns: day, accepted.
    pub days_columns: [Text; 2],
}

/// A zone by the name that people use.
pub(super) fn is_japan(zone: &str) -> bool {
    matches!(zone, "Asia/Tokyo" | "Japan")
}

/// The day before a month's end: `until` is the first moment after it.
pub(super) fn last_moment(until: &Moment) -> Moment {
    Moment(until.0 - chrono::Duration::microseconds(1))
}
