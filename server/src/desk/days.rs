//! Accepted mails a day.

use super::Office;
use crate::db::limited::PATIENCE;
use crate::db::{DbError, Stamp};
use crate::outbox::report;
use app::model::views::{DayCount, Days};
use chrono::Days as Span;

/// Days shown, today included.
const DAYS: u64 = 30;

impl Office {
    /// The last days up to today, as the zone counts them.
    pub(super) async fn accepted_days(&self, now: Stamp) -> Result<Days, DbError> {
        let today = self.local(now).date_naive();
        let days: Vec<_> = (0..DAYS)
            .rev()
            .filter_map(|back| today.checked_sub_days(Span::new(back)))
            .collect();
        let bounds: Vec<Stamp> = days
            .iter()
            .copied()
            .chain(today.checked_add_days(Span::new(1)))
            .filter_map(|day| self.day_begins(day))
            .collect();
        let counts = report::accepted_between(&self.db, &bounds, PATIENCE).await?;
        Ok(Days {
            zone: self.zone().to_owned(),
            // A day without a beginning, which no calendar has, would shift all counts.
            days: counts
                .filter(|counts| counts.len() == days.len())
                .map(|counts| {
                    days.into_iter()
                        .zip(counts)
                        .map(|(day, count)| DayCount { day, count })
                        .collect()
                }),
        })
    }
}
