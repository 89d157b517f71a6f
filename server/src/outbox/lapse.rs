//! Leases that ran out: the process that had claimed the row never wrote an outcome. Whether the
//! mail left is not known; `DENPYO_ON_UNKNOWN` decides what the row says.

use super::settle::{OnUnknown, assume};
use crate::db::{Db, DbError, LooseText, Sql};
use crate::{in_tx, on_read};
use app::model::recorded::VANISHED;

const LAPSED: Sql = Sql::same(
    "SELECT id, kind, claim_token FROM email_submissions \
     WHERE status = 'requesting' AND unknown_at IS NULL AND lease_until <= {now} \
     ORDER BY lease_until, id LIMIT 200",
);
const CLOSE: Sql = Sql::same(
    "UPDATE submission_attempts SET closed_at = {now}, outcome = 'unknown', cause = 'vanished' \
     WHERE submission_id = $1 AND claim_token = $2 AND closed_at IS NULL",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[("lapse::LAPSED", LAPSED), ("lapse::CLOSE", CLOSE)];

/// Marks what has lapsed, at most 200 rows a call; returns how many. Safe in many processes at
/// once: the row's own token decides.
pub async fn mark_lapsed(
    db: &Db,
    on_unknown: impl Fn(&str) -> OnUnknown,
) -> Result<usize, DbError> {
    let sql = db.text(LAPSED);
    let rows: Vec<(i64, LooseText, String)> =
        on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?;
    let mut marked = 0;
    for (id, kind, token) in rows {
        let mut tx = db.begin().await?;
        let changed = assume(db, &mut tx, id, &token, VANISHED, on_unknown(kind.shown())).await?;
        if changed == 1 {
            let sql = db.text(CLOSE);
            in_tx!(&mut tx, c => sqlx::query(&sql).bind(id).bind(&token).execute(c).await.map(|r| r.rows_affected()))?;
            marked += 1;
            tracing::warn!(id, "a lease ran out without an outcome");
        }
        tx.commit().await?;
    }
    Ok(marked)
}
