//! Reports.

use crate::model::filter::Basis;
use crate::model::report::Figures;
use crate::model::{Moment, Month};
use serde::{Deserialize, Serialize};

/// The month's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonthReport {
    /// When this was read.
    pub as_of: Moment,
    /// The zone that days are counted in, such as `Asia/Tokyo`.
    pub zone: String,
    /// The month.
    pub month: Month,
    /// The month in the address was none; this one is shown instead.
    pub bad_month: bool,
    /// What its days mean.
    pub basis: Basis,
    /// Its first moment.
    pub from: Moment,
    /// Its end, or this moment where it is not over.
    pub until: Moment,
    /// It is over.
    pub over: bool,
    /// It has not begun.
    pub ahead: bool,
    /// The figures; none where they could not be counted in time.
    pub table: Option<MonthTable>,
    /// Mails that need checking and may still come to count here; none where not counted in time.
    pub still_checking: Option<i64>,
    /// Mails accepted without a known time: in no month by the day of acceptance.
    pub untimed: Option<i64>,
    /// Whoever closed it.
    pub closed: Option<Closed>,
    /// Months compared with that were closed: their kept figures stand here.
    pub kept_pasts: Vec<Month>,
    /// What closing it would leave open, where the caller may close it now.
    pub may_close: Option<Unsettled>,
}

/// Mails decided in a month whose state may change after it is closed, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsettled {
    /// Waiting to send.
    pub waiting: i64,
    /// Not sent, and tried again by themselves.
    pub retrying: i64,
    /// Held.
    pub held: i64,
    /// Being sent, or in need of checking.
    pub open: i64,
}

impl Unsettled {
    /// All of them.
    pub fn sum(&self) -> i64 {
        self.waiting + self.retrying + self.held + self.open
    }
}

/// The month's table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonthTable {
    /// A line a kind, the largest first.
    pub lines: Vec<KindLine>,
    /// The sums of all lines.
    pub sum: KindLine,
}

impl MonthTable {
    /// Whether something has changed since the month was closed.
    pub fn changed(&self) -> bool {
        let differs = |line: &KindLine| line.kept.is_some_and(|kept| kept != line.now);
        self.lines.iter().any(differs)
    }
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindLine {
    /// The kind as stored.
    pub kind: String,
    /// A list can be asked for this kind.
    pub linked: bool,
    /// Now.
    pub now: Figures,
    /// As kept when the month was closed; 0 for a kind that had none then.
    pub kept: Option<Figures>,
    /// All of the month before.
    pub last_month: Past,
    /// All of the same month a year before.
    pub last_year: Past,
}

/// All mails of a month that is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Now; none where not counted in time.
    pub now: Option<i64>,
    /// As kept when that month was closed.
    pub kept: Option<i64>,
}

impl Past {
    /// The figure that counts.
    pub fn figure(&self) -> Option<i64> {
        self.kept.or(self.now)
    }
}

/// A closed month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// When.
    pub at: Moment,
    /// By whom.
    pub by: String,
    /// Why, where they said so.
    pub reason: Option<String>,
    /// The zone that its days were counted in.
    pub zone: String,
}

/// What came of closing a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MonthAnswer {
    /// Its figures are kept.
    Closed,
    /// Refused: somebody closed it before.
    ClosedBefore,
    /// Refused: it is not over.
    NotOver,
    /// Refused: its figures could not be counted in time.
    NotCounted,
}

/// What came of closing a month, to be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonthNotice {
    /// The month.
    pub month: Month,
    /// What happened.
    pub what: MonthAnswer,
    /// Who closed it, and when.
    pub closed: Option<Closed>,
}
