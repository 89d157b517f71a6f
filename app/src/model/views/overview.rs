//! The overview.

use super::Count;
use crate::model::{Filter, Moment};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// The overview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// When this was read.
    pub as_of: Moment,
    /// Mails that nothing will move but a person.
    pub needs_person: i64,
    /// Beside them, mails in doubt whose service is still being asked.
    pub still_asked: i64,
    /// Of those still asked about, the ones that count as not sent.
    pub asked_failed: i64,
    /// Mails that are due.
    pub due: i64,
    /// How many need checking of each [`Age`](crate::model::Age).
    pub check_by_age: [i64; 4],
    /// `rejected`.
    pub rejected: i64,
    /// `failed`, and not tried again by itself.
    pub failed_final: i64,
    /// Held rows.
    pub held: i64,
    /// Of those held, the ones that stand under another head too.
    pub held_too: i64,
    /// Mails of the last 30 days that bounced or were reported as spam: their list, and how many.
    pub bounced: (Filter, Count),
    /// Counts by state.
    pub counts: Counts,
    /// Mails decided in the last 30 days, by number of attempts.
    pub histogram: Histogram,
    /// Accepted mails a day.
    pub days: Days,
    /// A service is set.
    pub service: bool,
    /// Mails in doubt whose service is asked what became of them.
    pub lookups: i64,
    /// Of those, without a clear answer three times in a row.
    pub lookups_failing: i64,
    /// Processes seen in the last hour, most recently seen first.
    pub workers: Vec<Worker>,
}

/// A process that sends says that it lives every five seconds; after this many without a word from any,
/// what is due is not sent.
const IDLE: i64 = 60;

impl Overview {
    /// Whether mails are due and no process sends by itself.
    pub fn idle(&self) -> bool {
        let sends = |w: &Worker| !w.resends_only && self.as_of.seconds_since(&w.seen) <= IDLE;
        self.service && self.due > 0 && !self.workers.iter().any(sends)
    }
}

/// Counts by state, of all time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Waiting to send.
    pub pending: i64,
    /// Being sent right now.
    pub sending: i64,
    /// Needs checking.
    pub check: i64,
    /// Accepted, delivered and bounced ones included.
    pub synced: Count,
    /// Of those accepted, only assumed so.
    pub synced_assumed: i64,
    /// Not sent.
    pub failed: i64,
    /// Of those, tried again by themselves.
    pub failed_retrying: i64,
    /// Of those not sent, only assumed so.
    pub failed_assumed: i64,
    /// Refused.
    pub rejected: i64,
    /// Called off.
    pub canceled: i64,
}

/// Mails by number of attempts and how they ended. Mails never attempted are not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// For 1, 2, 3, 4, and 5 or more attempts.
    pub bars: [Bar; 5],
}

/// One bar of the histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// Accepted.
    pub accepted: i64,
    /// Not sent.
    pub failed: i64,
    /// Refused.
    pub rejected: i64,
    /// Called off.
    pub canceled: i64,
    /// Sending, or needs checking.
    pub open: i64,
}

impl Bar {
    /// All of them.
    pub fn sum(&self) -> i64 {
        self.accepted + self.failed + self.rejected + self.canceled + self.open
    }
}

/// Accepted mails a day, up to today.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Days {
    /// The zone that days are counted in.
    pub zone: String,
    /// The days, the oldest first; none where they could not be counted in time.
    pub days: Option<Vec<DayCount>>,
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayCount {
    /// The day.
    pub day: NaiveDate,
    /// Accepted on it.
    pub count: i64,
}

/// A process that sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    /// Host and process.
    pub name: String,
    /// `serve --no-worker`: sends only what a person resends.
    pub resends_only: bool,
    /// When it last wrote that it lives.
    pub seen: Moment,
    /// Mails it is sending.
    pub in_flight: i64,
    /// Mails accepted through it in the last hour.
    pub accepted_last_hour: i64,
}
