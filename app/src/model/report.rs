//! Months, and what a report counts: pure rules from grouped rows to figures, and from a figure
//! back to the filter that shows its rows.

use super::filter::{Basis, Filter, ListStatus, Only};
use super::{Status, date};
use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Rows that a workbook's sheet has below its heads.
pub const WORKBOOK_ROWS: i64 = 1_048_575;

/// A month of the business's calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Month {
    year: i32,
    /// 1 to 12.
    month: u32,
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl Month {
    /// The month that a day lies in.
    pub fn of(day: NaiveDate) -> Month {
        Month {
            year: day.year(),
            month: day.month(),
        }
    }

    /// Reads `2026-11`, and what people type for it: `2026/11`, `2026年11月`, `202611`, full-width
    /// digits. `None` for anything else, and outside the years 1000 to 9998.
    pub fn parse(text: &str) -> Option<Month> {
        let narrow: String = text.trim().chars().map(date::narrow).collect();
        let bare = narrow.trim_end_matches('月');
        let (year, month) = match bare.split_once(['-', '/', '.', '年']) {
            Some(parts) => parts,
            None if bare.len() == 6 => bare.split_at_checked(4)?,
            None => return None,
        };
        let digits = |text: &str, most: usize| -> Option<u32> {
            let fine = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
            fine.then(|| text.parse().ok())?
        };
        let year = i32::try_from(digits(year, 4)?).ok()?;
        let month = digits(month, 2)?;
        ((1000..=9998).contains(&year) && (1..=12).contains(&month))
            .then_some(Month { year, month })
    }

    /// The year.
    pub fn year(self) -> i32 {
        self.year
    }

    /// 1 to 12.
    pub fn number(self) -> u32 {
        self.month
    }

    /// The month after it.
    pub fn next(self) -> Month {
        match self.month {
            12 => Month {
                year: self.year + 1,
                month: 1,
            },
            month => Month {
                month: month + 1,
                ..self
            },
        }
    }

    /// The month before it.
    pub fn previous(self) -> Month {
        match self.month {
            1 => Month {
                year: self.year - 1,
                month: 12,
            },
            month => Month {
                month: month - 1,
                ..self
            },
        }
    }

    /// The same month of the year before.
    pub fn year_before(self) -> Month {
        Month {
            year: self.year - 1,
            ..self
        }
    }

    /// Its first day.
    pub fn first_day(self) -> NaiveDate {
        // Years 999 to 9999 and months 1 to 12 are all there is of this type.
        NaiveDate::from_ymd_opt(self.year, self.month, 1).unwrap_or_default()
    }

    /// Its last day.
    pub fn last_day(self) -> NaiveDate {
        let next = self.next().first_day();
        next.pred_opt().unwrap_or(next)
    }
}

/// A column of the month's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Column {
    /// Accepted, delivered and bounced ones included.
    Accepted,
    /// Of those, only assumed so.
    AcceptedAssumed,
    /// Of those accepted, bounced or complained about.
    Bounced,
    /// Waiting to send.
    Pending,
    /// Being sent.
    Sending,
    /// Needs checking.
    Check,
    /// Not sent.
    Failed,
    /// Of those, only assumed so.
    FailedAssumed,
    /// Refused.
    Rejected,
    /// Called off.
    Canceled,
    /// All of them.
    Total,
    /// Of all, deliberate further copies.
    Further,
}

impl Column {
    /// Every column, in the table's order.
    pub const ALL: [Column; 12] = [
        Column::Accepted,
        Column::AcceptedAssumed,
        Column::Bounced,
        Column::Pending,
        Column::Sending,
        Column::Check,
        Column::Failed,
        Column::FailedAssumed,
        Column::Rejected,
        Column::Canceled,
        Column::Total,
        Column::Further,
    ];

    /// Whether it is a part of another column, and not a state of its own.
    pub fn is_part(self) -> bool {
        matches!(
            self,
            Column::AcceptedAssumed | Column::Bounced | Column::FailedAssumed | Column::Further
        )
    }

    /// The filter's part that makes it: which statuses, and which part of them.
    fn condition(self) -> (Option<ListStatus>, Option<Only>) {
        let stored = |status| Some(ListStatus::Stored(status));
        match self {
            Column::Accepted => (stored(Status::Synced), None),
            Column::AcceptedAssumed => (stored(Status::Synced), Some(Only::Assumed)),
            Column::Bounced => (stored(Status::Synced), Some(Only::BouncedOrComplained)),
            Column::Pending => (stored(Status::Pending), None),
            Column::Sending => (Some(ListStatus::Sending), None),
            Column::Check => (Some(ListStatus::Check), None),
            Column::Failed => (stored(Status::Failed), None),
            Column::FailedAssumed => (stored(Status::Failed), Some(Only::Assumed)),
            Column::Rejected => (stored(Status::Rejected), None),
            Column::Canceled => (stored(Status::Canceled), None),
            Column::Total => (None, None),
            Column::Further => (None, Some(Only::Further)),
        }
    }
}

/// The filter that shows exactly the rows behind a figure; `kind` is none in the sums.
pub fn rows_of(month: Month, basis: Basis, kind: Option<&str>, column: Column) -> Filter {
    let (status, only) = column.condition();
    Filter {
        statuses: status.into_iter().collect(),
        only: only.into_iter().collect(),
        kind: kind.map(str::to_owned),
        basis,
        from: Some(month.first_day()),
        to: Some(month.last_day()),
        ..Filter::default()
    }
}

/// Mails accepted by somebody's word or an assumption: no day of acceptance has them. Those that
/// were decided on in this month.
pub fn untimed(month: Month) -> Filter {
    Filter {
        only: vec![Only::Untimed],
        from: Some(month.first_day()),
        to: Some(month.last_day()),
        ..Filter::default()
    }
}

/// Mails of which nobody can say yet whether they were accepted, and which may still come to
/// count in this month.
pub fn still_checking(month: Month, basis: Basis) -> Filter {
    Filter {
        statuses: vec![ListStatus::Check],
        from: (basis == Basis::Decided).then(|| month.first_day()),
        to: Some(month.last_day()),
        ..Filter::default()
    }
}

/// The figures of a kind, by [`Column`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures([i64; 12]);

impl Figures {
    /// From the columns in their order.
    pub fn new(figures: [i64; 12]) -> Figures {
        Figures(figures)
    }

    /// One of them.
    pub fn get(&self, column: Column) -> i64 {
        self.0[column as usize]
    }

    fn add(&mut self, column: Column, count: i64) {
        self.0[column as usize] += count;
    }

    /// Adds each to each.
    pub fn plus(mut self, other: &Figures) -> Figures {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
        self
    }
}

/// What a counted group of rows has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// All rows, or all further copies among them.
    All {
        /// Deliberate further copies.
        further: bool,
    },
    /// Rows that are not accepted.
    Unsettled {
        /// Their status.
        status: Status,
        /// `requesting`, lease passed or outcome unknown.
        open_question: bool,
        /// Only assumed.
        assumed: bool,
    },
    /// Accepted rows that are only assumed so.
    Assumed,
    /// Accepted rows that bounced.
    Bounced,
}

/// From groups to figures by kind. What is accepted is the rest: all but the unsettled, so that
/// the large set is never looked at row by row.
pub fn tally(groups: impl IntoIterator<Item = (String, Group, i64)>) -> BTreeMap<String, Figures> {
    let mut kinds: BTreeMap<String, Figures> = BTreeMap::new();
    for (kind, group, n) in groups {
        let figures = kinds.entry(kind).or_default();
        match group {
            Group::All { further } => {
                figures.add(Column::Total, n);
                figures.add(Column::Accepted, n);
                if further {
                    figures.add(Column::Further, n);
                }
            }
            Group::Unsettled {
                status,
                open_question,
                assumed,
            } => {
                let column = match status {
                    Status::Pending => Column::Pending,
                    Status::Requesting if open_question => Column::Check,
                    Status::Requesting => Column::Sending,
                    Status::Failed => Column::Failed,
                    Status::Rejected => Column::Rejected,
                    Status::Canceled => Column::Canceled,
                    // Is among the accepted already.
                    Status::Synced => continue,
                };
                figures.add(column, n);
                figures.add(Column::Accepted, -n);
                if assumed && status == Status::Failed {
                    figures.add(Column::FailedAssumed, n);
                }
            }
            Group::Assumed => figures.add(Column::AcceptedAssumed, n),
            Group::Bounced => figures.add(Column::Bounced, n),
        }
    }
    kinds
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
