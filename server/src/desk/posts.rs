//! The posts of events that this process had: counted in memory, since anybody may post.

use crate::db::Stamp;
use app::model::Moment;
use app::model::views::{PostRefusal, Posts as View};
use chrono::Utc;
use std::sync::Mutex;

/// What came, since the start.
#[derive(Default)]
pub struct Posts(Mutex<Tally>);

#[derive(Clone, Copy, Default)]
struct Tally {
    taken: i64,
    events: i64,
    taken_at: Option<Stamp>,
    refused: i64,
    refusal: Option<(Stamp, PostRefusal)>,
}

impl Posts {
    /// A good one, with this many events.
    pub fn took(&self, events: usize) {
        self.count(|tally, now| {
            tally.taken += 1;
            tally.events += i64::try_from(events).unwrap_or(i64::MAX);
            tally.taken_at = Some(now);
        });
    }

    /// One that was refused.
    pub fn refused(&self, why: PostRefusal) {
        self.count(|tally, now| {
            tally.refused += 1;
            tally.refusal = Some((now, why));
        });
    }

    fn count(&self, add: impl FnOnce(&mut Tally, Stamp)) {
        if let Ok(mut tally) = self.0.lock() {
            add(&mut tally, Stamp::new(Utc::now()));
        }
    }

    /// As the desk shows them.
    pub(super) fn seen(&self, moment: impl Fn(Stamp) -> Moment) -> View {
        let tally = self.0.lock().map(|tally| *tally).unwrap_or_default();
        View {
            taken: tally.taken,
            events: tally.events,
            taken_at: tally.taken_at.map(&moment),
            refused: tally.refused,
            refusal: tally.refusal.map(|(at, why)| (moment(at), why)),
        }
    }
}
