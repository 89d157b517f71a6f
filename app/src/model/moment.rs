//! Points in time, already in the business's zone: the browser has no zone table and needs none.

use chrono::{DateTime, Datelike, FixedOffset, Timelike};
use serde::{Deserialize, Serialize};

/// A point in time with the zone's offset at that time. Serialised as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub DateTime<FixedOffset>);

impl Moment {
    /// For `<time datetime>`: RFC 3339 with the offset, to the second.
    pub fn machine(&self) -> String {
        self.0.to_rfc3339_opts(chrono::SecondsFormat::Secs, false)
    }

    /// `14:02:11`.
    pub fn clock(&self) -> String {
        format!(
            "{:02}:{:02}:{:02}",
            self.0.hour(),
            self.0.minute(),
            self.0.second()
        )
    }

    /// Whole seconds from `earlier` to this moment; 0 where it lies before.
    pub fn seconds_since(&self, earlier: &Moment) -> i64 {
        (self.0 - earlier.0).num_seconds().max(0)
    }

    /// Whether both fall on one day of the zone.
    pub fn same_day(&self, other: &Moment) -> bool {
        self.0.date_naive() == other.0.date_naive()
    }

    /// Year, month, day and day of the week (0 is Sunday).
    pub fn day(&self) -> (i32, u32, u32, usize) {
        let d = self.0.date_naive();
        (
            d.year(),
            d.month(),
            d.day(),
            d.weekday().num_days_from_sunday() as usize,
        )
    }
}
