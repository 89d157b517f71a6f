//! What has changed since the last look. A look costs the same whatever the table holds, and asks
//! nothing of those who write: every change but a settle leaves a new row somewhere, and a settle
//! takes a row out of the few that are open.

use super::read;
use crate::db::{Db, DbError, Sql, Stamp};
use crate::on_read;
use app::model::live::Changed;
use std::collections::HashSet;

/// How many of the newest rows of a table are looked at. Ids become visible out of order where
/// transactions overlap, so that the highest one alone would miss some.
const NEWEST: usize = 100;

const LOOK: Sql = Sql::same(
    "SELECT CAST(1 AS bigint), id, id FROM email_submissions \
     WHERE id > (SELECT MAX(id) - 100 FROM email_submissions) \
     UNION ALL SELECT 2, id, submission_id FROM submission_attempts \
     WHERE id > (SELECT MAX(id) - 100 FROM submission_attempts) \
     UNION ALL SELECT 3, id, submission_id FROM submission_observations \
     WHERE id > (SELECT MAX(id) - 100 FROM submission_observations) \
     UNION ALL SELECT 4, id, COALESCE(submission_id, 0) FROM audit_events \
     WHERE id > (SELECT MAX(id) - 100 FROM audit_events) \
     UNION ALL SELECT 5, version, id FROM (SELECT version, id FROM email_submissions \
     WHERE status = 'requesting' ORDER BY lease_until DESC LIMIT 1000) AS open_rows \
     UNION ALL SELECT 6, CAST(pauses AS bigint), 0 FROM service_pauses \
     UNION ALL SELECT 7, (SELECT COUNT(*) FROM bulk_items i \
     WHERE i.job_id = j.id AND i.result IS NOT NULL), -j.id FROM bulk_jobs j WHERE j.state = 'running'",
);
/// Whether anything was written at `$1` or later.
const SINCE: Sql = Sql::same(
    "SELECT EXISTS (SELECT 1 FROM email_submissions \
     WHERE id > (SELECT MAX(id) - 100 FROM email_submissions) AND updated_at >= $1) \
     OR EXISTS (SELECT 1 FROM submission_attempts \
     WHERE id > (SELECT MAX(id) - 100 FROM submission_attempts) AND (claimed_at >= $1 OR closed_at >= $1)) \
     OR EXISTS (SELECT 1 FROM submission_observations \
     WHERE id > (SELECT MAX(id) - 100 FROM submission_observations) AND at >= $1) \
     OR EXISTS (SELECT 1 FROM audit_events \
     WHERE id > (SELECT MAX(id) - 100 FROM audit_events) AND at >= $1) \
     OR EXISTS (SELECT 1 FROM email_submissions WHERE status = 'requesting' AND updated_at >= $1)",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[("pulse::LOOK", LOOK), ("pulse::SINCE", SINCE)];

/// The sets that [`LOOK`] reads: of the first ones a new row is a change, of the others also one
/// that went away.
const OPEN: i64 = 5;
const PAUSES: i64 = 6;
/// Running jobs that resend many, under their negative ids.
const JOBS: i64 = 7;

/// The database at one moment, as far as changes are told by it.
#[derive(Clone, Debug)]
pub struct Look {
    /// When, by the database's clock.
    pub at: Stamp,
    /// Rows that need checking.
    pub check: i64,
    rows: HashSet<Line>,
}

/// A set, what tells its rows apart, and the mail.
type Line = (i64, i64, i64);

/// Looks.
pub async fn look(db: &Db) -> Result<Look, DbError> {
    let at = db.now().await?;
    let sql = db.text(LOOK);
    let rows: Vec<Line> = on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?;
    Ok(Look {
        at,
        check: read::needs_checking(db).await?,
        rows: rows.into_iter().collect(),
    })
}

/// Whether anything was written since that moment.
pub async fn since(db: &Db, at: Stamp) -> Result<bool, DbError> {
    let sql = db.text(SINCE);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(at).fetch_one(c).await)?)
}

impl Look {
    /// What has changed since an earlier look.
    pub fn after(&self, before: &Look) -> Changed {
        let new: Vec<_> = self.rows.difference(&before.rows).collect();
        let gone: Vec<_> = before.rows.difference(&self.rows).collect();
        let paused = |rows: &[&Line]| rows.iter().any(|(set, ..)| *set == PAUSES);
        if paused(&new) || paused(&gone) || (1..OPEN).any(|set| self.jumped(before, set)) {
            return Changed::Anything;
        }
        let mut ids: Vec<i64> = new.iter().map(|(.., id)| *id).collect();
        // Of the other sets a row that is gone is merely not among the newest any more.
        ids.extend(
            gone.iter()
                .filter(|(set, ..)| matches!(*set, OPEN | JOBS))
                .map(|(.., id)| *id),
        );
        // Mail 0 is none in particular. And where a lease ran out, nothing was written.
        if ids.contains(&0) || (ids.is_empty() && self.check != before.check) {
            return Changed::Anything;
        }
        match ids.is_empty() {
            true => Changed::Nothing,
            false => Changed::These(Vec::new()).and(Changed::These(ids)),
        }
    }

    /// Whether there may be new rows of a set that are not among the newest any more.
    fn jumped(&self, before: &Look, set: i64) -> bool {
        let of = |line: &&Line| line.0 == set;
        let (now, then) = (
            self.rows.iter().filter(of).count(),
            before.rows.iter().any(|l| l.0 == set),
        );
        let kept = self.rows.intersection(&before.rows).filter(of).count();
        now - kept >= NEWEST || (then && now > 0 && kept == 0)
    }
}
