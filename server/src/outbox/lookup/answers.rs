//! What a service's answers to open questions change.

use super::{FORGET, Open, open_question};
use crate::db::{Db, DbError, Sql, Stamp, Tx};
use crate::in_tx;
use crate::outbox::claim::after;
use crate::outbox::proof::{Proof, prove};
use crate::outbox::{audit, row::shorten};
use crate::provider::asking::FoundMail;
use app::model::SettledBy;
use std::time::Duration;

const LOCK: Sql = Sql {
    sqlite: "SELECT 1 FROM email_submissions WHERE id = $1",
    postgres: "SELECT 1 FROM email_submissions WHERE id = $1 FOR UPDATE",
};
const STILL_OPEN: Sql = Sql::same(concat!(
    "SELECT COUNT(*) FROM email_submissions s WHERE s.id = $1 AND ",
    open_question!()
));
/// The service does not have it. What was only assumed accepted is not sent by itself; what is
/// set free otherwise is due at once, within `DENPYO_MAX_ATTEMPTS` (`$4`).
const FREE: Sql = Sql::same(concat!(
    "UPDATE email_submissions AS s SET settled_by = 'lookup', error = $3, \
     attempts_counted = attempts_counted + 1, \
     next_attempt_at = CASE WHEN status = 'synced' OR attempts_counted + 1 >= $4 THEN NULL ELSE {now} END, \
     status = 'failed', claim_token = NULL, replay_token = NULL, lease_until = NULL, \
     unknown_at = NULL, sent_at = NULL, version = version + 1, updated_at = {now} \
     WHERE s.id = $1 AND (s.replay_token IS NULL OR s.lease_until <= {now}) AND ",
    open_question!()
));
const AGAIN: Sql = Sql::same(
    "UPDATE lookups SET next_at = {after $3}, ended = $4, \
     unclear = CASE WHEN $5 = 1 THEN unclear + 1 ELSE 0 END \
     WHERE submission_id = $1 AND attempt = $2",
);
/// A question may be answered before the lapse of the lease was written down: then nobody else
/// closes the attempt.
const CLOSE_LAPSED: Sql = Sql::same(
    "UPDATE submission_attempts SET closed_at = {now}, outcome = 'unknown', cause = 'vanished' \
     WHERE submission_id = $1 AND attempt = $2 AND closed_at IS NULL AND lease_until <= {now}",
);

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] = &[
    ("lookup::LOCK", LOCK),
    ("lookup::STILL_OPEN", STILL_OPEN),
    ("lookup::FREE", FREE),
    ("lookup::AGAIN", AGAIN),
    ("lookup::CLOSE_LAPSED", CLOSE_LAPSED),
];

/// What an answer changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The row says so now.
    Recorded,
    /// The row was settled otherwise while the service was asked; kept as an observation where it
    /// is proof, else dropped.
    Late,
}

async fn lock(db: &Db, tx: &mut Tx, id: i64) -> Result<(), DbError> {
    let sql = db.text(LOCK);
    in_tx!(tx, c => sqlx::query(&sql).bind(id).execute(c).await.map(|_| ()))?;
    Ok(())
}

async fn still_open(db: &Db, tx: &mut Tx, open: &Open) -> Result<bool, DbError> {
    let sql = db.text(STILL_OPEN);
    let count: i64 = in_tx!(tx, c => sqlx::query_scalar(&sql).bind(open.id).bind(open.attempt)
        .fetch_one(c).await)?;
    Ok(count > 0)
}

/// The question is answered, and its attempt is over.
async fn forget(db: &Db, tx: &mut Tx, open: &Open) -> Result<(), DbError> {
    for sql in [db.text(CLOSE_LAPSED), db.text(FORGET)] {
        in_tx!(&mut *tx, c => sqlx::query(&sql).bind(open.id).bind(open.attempt)
            .execute(c).await.map(|_| ()))?;
    }
    Ok(())
}

/// The service has it: proof, whatever the row says meanwhile.
pub async fn found(db: &Db, open: &Open, mails: &[FoundMail]) -> Result<Written, DbError> {
    let mut tx = db.begin().await?;
    lock(db, &mut tx, open.id).await?;
    let mut rows = 0;
    for mail in mails {
        let attempt = mail.attempt.unwrap_or(open.attempt);
        let detail = mail.message_id.as_deref();
        let service = Some(open.provider.as_str());
        let kind = "lookup_found";
        audit::observe(db, &mut tx, open.id, Some(attempt), kind, service, detail).await?;
        let proof = Proof {
            by: SettledBy::Lookup,
            attempt: Some(attempt),
            provider: &open.provider,
            message_id: detail,
            at: mail.accepted_at.map(Stamp::new),
        };
        rows += prove(db, &mut tx, open.id, &proof).await?;
    }
    forget(db, &mut tx, open).await?;
    tx.commit().await?;
    Ok(if rows > 0 {
        Written::Recorded
    } else {
        Written::Late
    })
}

/// The service does not have it, and that is proved: the row may be sent again.
pub async fn not_there(
    db: &Db,
    open: &Open,
    why: &str,
    max_attempts: i32,
) -> Result<Written, DbError> {
    let mut tx = db.begin().await?;
    lock(db, &mut tx, open.id).await?;
    let sql = db.text(FREE);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql)
        .bind(open.id).bind(open.attempt).bind(why).bind(max_attempts)
        .execute(c).await.map(|r| r.rows_affected()))?;
    if rows == 0 {
        return Ok(Written::Late);
    }
    let service = Some(open.provider.as_str());
    let attempt = Some(open.attempt);
    audit::observe(
        db,
        &mut tx,
        open.id,
        attempt,
        "lookup_no",
        service,
        Some(why),
    )
    .await?;
    forget(db, &mut tx, open).await?;
    tx.commit().await?;
    Ok(Written::Recorded)
}

/// An answer that decides nothing.
#[derive(Clone, Copy, Debug)]
pub enum Undecided<'a> {
    /// Not found, and too early for that to be proof.
    NotYet,
    /// No clear answer: the word of its cause, and the service's own words.
    Unclear {
        /// [`crate::provider::asking::Unclear::as_str`]
        why: &'a str,
        /// In words.
        detail: &'a str,
    },
}

/// Keeps an answer that decides nothing, and sets when to ask again; `None`: no more, a person
/// has to find out.
pub async fn undecided(
    db: &Db,
    open: &Open,
    answer: Undecided<'_>,
    again: Option<Duration>,
) -> Result<Written, DbError> {
    let mut tx = db.begin().await?;
    lock(db, &mut tx, open.id).await?;
    if !still_open(db, &mut tx, open).await? {
        return Ok(Written::Late);
    }
    let (kind, detail) = match answer {
        Undecided::NotYet => ("lookup_not_yet", None),
        Undecided::Unclear { why, detail } => (
            "lookup_unclear",
            Some(shorten(&format!("{why}: {detail}"), 300)),
        ),
    };
    let service = Some(open.provider.as_str());
    let attempt = Some(open.attempt);
    audit::observe(
        db,
        &mut tx,
        open.id,
        attempt,
        kind,
        service,
        detail.as_deref(),
    )
    .await?;
    let wait = again.map_or(0, after);
    let sql = db.text(AGAIN);
    let unclear = i32::from(matches!(answer, Undecided::Unclear { .. }));
    in_tx!(&mut tx, c => sqlx::query(&sql)
        .bind(open.id).bind(open.attempt).bind(wait).bind(again.is_none()).bind(unclear)
        .execute(c).await.map(|_| ()))?;
    tx.commit().await?;
    Ok(Written::Recorded)
}
