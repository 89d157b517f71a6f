//! A person calls off what is not sent. The key stays taken.

use super::audit::{self, Act};
use super::claim::SEEN;
use super::row::Row;
use crate::db::{Db, DbError, Sql};
use crate::in_tx;
use app::model::{ActKind, Status};

/// A replay under way may yet find it accepted: whoever calls off waits for that.
const CALL_OFF: Sql = Sql::same(
    "UPDATE email_submissions SET status = 'canceled', settled_by = 'person', next_attempt_at = NULL, \
     held_reason = NULL, held_by = NULL, version = version + 1, updated_at = {now} \
     WHERE id = $1 AND version = $2 AND status IN ('pending', 'failed', 'rejected') \
     AND (replay_token IS NULL OR lease_until <= {now})",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[("call_off::CALL_OFF", CALL_OFF)];

/// What came of it.
#[derive(Debug)]
pub enum CalledOff {
    /// It will not be sent.
    Done,
    /// Somebody was faster: the row as it stands.
    Refused(Box<Row>),
    /// No such row.
    NotFound,
}

/// Closes a mail without sending it, if it is still the version that the person saw, and writes
/// the act into the audit trail in the same transaction.
pub async fn call_off(
    db: &Db,
    actor: &str,
    id: i64,
    version: i64,
    reason: &str,
) -> Result<CalledOff, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(SEEN);
    let row: Option<Row> =
        in_tx!(&mut tx, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?;
    let Some(row) = row else {
        return Ok(CalledOff::NotFound);
    };
    let sql = db.text(CALL_OFF);
    let done = in_tx!(&mut tx, c => sqlx::query(&sql).bind(id).bind(version)
        .execute(c).await.map(|r| r.rows_affected()))?;
    if done == 0 {
        return Ok(CalledOff::Refused(Box::new(row)));
    }
    let act = Act {
        reason: Some(reason),
        before_status: Some(row.status()?.as_str()),
        after_status: Some(Status::Canceled.as_str()),
        version_seen: Some(version),
        ..Act::of(actor, ActKind::Cancel, id)
    };
    audit::record(db, &mut tx, &act).await?;
    tx.commit().await?;
    Ok(CalledOff::Done)
}
