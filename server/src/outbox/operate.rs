//! What a person decides about a mail whose outcome nobody knows.

use super::audit;
use super::row::{Row, columns, needs_checking};
use crate::db::{Db, DbError, Sql};
use crate::in_tx;
use app::desk::Answer;
use app::model::ActKind;

const CONFIRM: Sql = Sql::same(concat!(
    "UPDATE email_submissions SET status = $3, settled_by = 'person', next_attempt_at = NULL, \
     error = CASE WHEN $3 = 'synced' THEN NULL ELSE error END, \
     held_reason = CASE WHEN $3 = 'synced' THEN NULL ELSE held_reason END, \
     held_by = CASE WHEN $3 = 'synced' THEN NULL ELSE held_by END, \
     claim_token = NULL, replay_token = NULL, lease_until = NULL, unknown_at = NULL, version = version + 1, updated_at = {now} \
     WHERE id = $1 AND version = $2 AND ",
    needs_checking!(),
    " RETURNING attempts"
));
const CLOSE: Sql = Sql::same(
    "UPDATE submission_attempts SET closed_at = {now}, outcome = 'unknown', cause = 'vanished' \
     WHERE submission_id = $1 AND attempt = $2 AND closed_at IS NULL",
);
const ROW: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM email_submissions WHERE id = $1"
));

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("operate::CONFIRM", CONFIRM),
    ("operate::CLOSE", CLOSE),
    ("operate::ROW", ROW),
];

/// How an answer was taken.
#[derive(Debug)]
pub enum Answered {
    /// The row says so now.
    Recorded,
    /// The row is not in question any more, or changed since it was seen.
    Refused(Box<Row>),
    /// No such row.
    NotFound,
}

/// Records what a person found out, with the reason, in one transaction.
pub async fn answer(
    db: &Db,
    actor: &str,
    id: i64,
    version: i64,
    answer: Answer,
    reason: &str,
) -> Result<Answered, DbError> {
    let (status, kind) = match answer {
        Answer::Sent => ("synced", ActKind::ConfirmSent),
        Answer::NotSent => ("failed", ActKind::ConfirmNotSent),
    };
    let mut tx = db.begin().await?;
    let sql = db.text(CONFIRM);
    let attempt: Option<i32> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql)
        .bind(id).bind(version).bind(status).fetch_optional(c).await)?;
    let Some(attempt) = attempt else {
        let sql = db.text(ROW);
        let row: Option<Row> =
            in_tx!(&mut tx, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?;
        return Ok(row.map_or(Answered::NotFound, |row| Answered::Refused(Box::new(row))));
    };
    let sql = db.text(CLOSE);
    in_tx!(&mut tx, c => sqlx::query(&sql).bind(id).bind(attempt).execute(c).await.map(|r| r.rows_affected()))?;
    let act = audit::Act {
        reason: Some(reason),
        before_status: Some("requesting"),
        after_status: Some(status),
        attempt: Some(attempt),
        version_seen: Some(version),
        ..audit::Act::of(actor, kind, id)
    };
    audit::record(db, &mut tx, &act).await?;
    tx.commit().await?;
    Ok(Answered::Recorded)
}
