//! What became of a month's sends.

use super::{Office, reports};
use crate::db::limited::PATIENCE;
use crate::db::{DbError, Stamp};
use crate::outbox::report;
use crate::outbox::sending::{self, Offsets};
use app::model::views::Sending;
use app::model::{Month, sending as rules};
use chrono::{Duration, Offset};

/// How long after its month a mail may be accepted and still count in its own hour, should the
/// clock change twice.
const LATEST: i64 = 62;

impl Office {
    /// What became of a month's sends; each part that takes too long is none.
    pub(super) async fn read_sending(&self, query: &str) -> Result<Sending, DbError> {
        let now = self.db.now().await?;
        let this = Month::of(self.moment(now).0.date_naive());
        let (month, basis, _) = reports::asked(query, this);
        // Every month that can be asked for has a beginning in every zone.
        let span = self.bounds(month).unwrap_or((now, now));
        let db = &self.db;
        let (tries, quarters, waits, doubts, closed) = tokio::try_join!(
            sending::tries(db, span, PATIENCE),
            sending::quarters(db, span, self.offsets(span), PATIENCE),
            sending::waits(db, span, PATIENCE),
            sending::doubts(db, span, PATIENCE),
            report::closed(db, month),
        )?;
        let of = |name: &str| {
            url::form_urlencoded::parse(query.as_bytes())
                .find(|(key, value)| key == name && !value.is_empty())
                .map(|(_, value)| value.into_owned())
        };
        Ok(Sending {
            month,
            basis,
            zone: self.zone().to_owned(),
            closed: closed.is_some(),
            kind: of("kind"),
            service: of("service"),
            tries: tries.map(rules::tries),
            hours: quarters.map(rules::hours),
            delays: waits.map(rules::delays),
            unknowns: doubts.map(rules::unknowns),
            on_unknown: self.config.on_unknown,
        })
    }

    /// The zone's offset at the beginning of a span, and its next change within reach.
    fn offsets(&self, (from, until): (Stamp, Stamp)) -> Offsets {
        let ahead = |at: Stamp| self.local(at).offset().fix().local_minus_utc();
        let before = ahead(from);
        let end = until.utc() + Duration::days(LATEST);
        let mut at = from.utc();
        // Clocks change at a quarter of an hour.
        while at < end {
            let stamp = Stamp::new(at);
            if ahead(stamp) != before {
                return Offsets {
                    before,
                    change: stamp,
                    after: ahead(stamp),
                };
            }
            at += Duration::minutes(15);
        }
        Offsets {
            before,
            change: Stamp::new(end),
            after: before,
        }
    }
}
