//! Holding rows for a person: after a restore, when the installation's name disagrees, and what
//! is too old to be sent by itself. A held row is claimed by nobody, until somebody lets it go. One
//! that is `requesting` is settled as ever, and then waits: nothing posts it again, not even a replay.

use super::claim::before;
use super::due::{again, waiting};
use super::list::{self, Where};
use super::row::{Row, shorten};
use super::{audit, read};
use crate::db::{Db, DbError, Sql, id_list};
use crate::{in_tx, on_read};
use app::model::ActKind;
use app::model::recorded::TOO_OLD as TOO_OLD_REASON;
use app::model::views::{LARGEST_LOT, LotAnswer, Seen};
use std::time::Duration;

pub use app::model::HeldBy as By;

/// What a claim could take, by a worker or by a person's resend, now or once its attempt is over.
macro_rules! claimable {
    () => {
        "held_reason IS NULL AND status IN ('pending', 'requesting', 'failed', 'rejected') \
         AND status <> 'synced'"
    };
}
const CLAIMABLE: Sql = Sql::same(concat!(
    "SELECT id FROM email_submissions WHERE id > $1 AND ",
    claimable!(),
    " ORDER BY id LIMIT $2"
));
const CLAIMABLE_COUNT: Sql = Sql::same(concat!(
    "SELECT COUNT(*) FROM email_submissions WHERE ",
    claimable!()
));
/// What a worker would take by itself, and is too old for that. `$1` is the age, negative.
const TOO_OLD: Sql = Sql::same(concat!(
    "SELECT id FROM email_submissions WHERE ",
    waiting!(),
    " AND created_at <= {after $1} \
     AND (released_at IS NULL OR released_at <= {after $1}) \
     UNION SELECT id FROM email_submissions WHERE status = 'pending' AND held_reason IS NULL \
     AND not_before <= {after $1} AND created_at <= {after $1} \
     AND (released_at IS NULL OR released_at <= {after $1}) \
     UNION SELECT id FROM email_submissions WHERE ",
    again!(),
    " AND created_at <= {after $1} AND (not_before IS NULL OR not_before <= {after $1}) \
     AND (released_at IS NULL OR released_at <= {after $1}) LIMIT $2"
));
/// What somebody claimed meanwhile is not held for its age.
const HOLD: Sql = Sql::same(
    "UPDATE email_submissions SET held_reason = $2, held_by = $3, version = version + 1, \
     updated_at = {now} WHERE id {ids $1} AND held_reason IS NULL \
     AND (status IN ('pending', 'failed', 'rejected') \
     OR (status = 'requesting' AND CAST($3 AS text) <> 'age')) RETURNING id",
);
const HELD_SO: Sql = Sql::same(
    "SELECT id FROM email_submissions WHERE id > $1 AND held_reason IS NOT NULL \
     AND held_by IN ('hold', 'installation') ORDER BY id LIMIT $2",
);
macro_rules! let_go {
    ($which:literal) => {
        concat!(
            "UPDATE email_submissions SET held_reason = NULL, held_by = NULL, released_at = {now}, \
             version = version + 1, updated_at = {now} WHERE ",
            $which,
            " AND held_reason IS NOT NULL"
        )
    };
}
const RELEASE: Sql = Sql::same(concat!(let_go!("id {ids $1}"), " RETURNING id"));
const RELEASE_ONE: Sql = Sql::same(let_go!("id = $1 AND version = $2"));

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("hold::CLAIMABLE", CLAIMABLE),
    ("hold::CLAIMABLE_COUNT", CLAIMABLE_COUNT),
    ("hold::TOO_OLD", TOO_OLD),
    ("hold::HOLD", HOLD),
    ("hold::HELD_SO", HELD_SO),
    ("hold::RELEASE", RELEASE),
    ("hold::RELEASE_ONE", RELEASE_ONE),
];

/// Rows a transaction changes at most: no other program waits long for a row.
const BATCH: i64 = 500;

/// How many rows a claim could take, by a worker or by a person's resend.
pub async fn claimable(db: &Db) -> Result<i64, DbError> {
    let sql = db.text(CLAIMABLE_COUNT);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// Holds everything that a claim could take, now or once its attempt is over; returns how many rows.
pub async fn hold_all(db: &Db, by: By, reason: &str) -> Result<u64, DbError> {
    let mut held = 0;
    // Another program may give rows ids of its own on SQLite, negative ones too.
    let mut after = i64::MIN;
    loop {
        let sql = db.text(CLAIMABLE);
        let ids: Vec<i64> = on_read!(db, c => sqlx::query_scalar(&sql).bind(after).bind(BATCH)
            .fetch_all(c).await)?;
        let Some(last) = ids.last() else {
            return Ok(held);
        };
        after = *last;
        held += hold(db, &ids, by, reason).await?;
    }
}

/// Holds what has grown too old to be sent by itself, at most some hundred rows a call; returns
/// how many.
pub async fn hold_old(db: &Db, max_age: Duration) -> Result<u64, DbError> {
    let sql = db.text(TOO_OLD);
    let ids: Vec<i64> = on_read!(db, c => sqlx::query_scalar(&sql).bind(before(max_age)).bind(BATCH)
        .fetch_all(c).await)?;
    if ids.is_empty() {
        return Ok(0);
    }
    let held = hold(db, &ids, By::Age, TOO_OLD_REASON).await?;
    if held > 0 {
        tracing::warn!(
            rows = held,
            "held for a person: too old to be sent by itself"
        );
    }
    Ok(held)
}

async fn hold(db: &Db, ids: &[i64], by: By, reason: &str) -> Result<u64, DbError> {
    let reason = shorten(reason, 500);
    let mut tx = db.begin().await?;
    let sql = db.text(HOLD);
    let held: Vec<i64> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql)
        .bind(id_list(ids.iter().copied())).bind(&reason).bind(by.as_str()).fetch_all(c).await)?;
    for id in &held {
        audit::observe(db, &mut tx, *id, None, "held", None, Some(&reason)).await?;
    }
    tx.commit().await?;
    Ok(u64::try_from(held.len()).unwrap_or(0))
}

/// Lets go of what `denpyo hold` or a disagreeing installation holds; returns how many rows.
pub async fn release_all(db: &Db, actor: &str, reason: &str) -> Result<u64, DbError> {
    let mut released = 0;
    // Another program may give rows ids of its own on SQLite, negative ones too.
    let mut after = i64::MIN;
    loop {
        let sql = db.text(HELD_SO);
        let ids: Vec<i64> = on_read!(db, c => sqlx::query_scalar(&sql).bind(after).bind(BATCH)
            .fetch_all(c).await)?;
        let Some(last) = ids.last() else {
            return Ok(released);
        };
        after = *last;
        released += release(db, &ids, actor, reason).await?;
    }
}

/// Lets go of these rows, whoever holds them; returns how many were held. Their age counts anew.
/// One act a row goes into the audit trail.
pub async fn release(db: &Db, ids: &[i64], actor: &str, reason: &str) -> Result<u64, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(RELEASE);
    let released: Vec<i64> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql)
        .bind(id_list(ids.iter().copied())).fetch_all(c).await)?;
    for id in &released {
        let act = audit::Act {
            reason: Some(reason),
            ..audit::Act::of(actor, ActKind::Release, *id)
        };
        audit::record(db, &mut tx, &act).await?;
    }
    tx.commit().await?;
    Ok(u64::try_from(released.len()).unwrap_or(0))
}

/// How letting go of one row ended.
#[derive(Debug)]
pub enum Released {
    /// Nobody holds it any more.
    Done,
    /// It was held no longer, or has changed since it was seen.
    Refused(Box<Row>),
    /// No such row.
    NotFound,
}

/// Lets go of one row, if it is still of version `version`. Its age counts anew.
pub async fn release_one(
    db: &Db,
    actor: &str,
    id: i64,
    version: i64,
    reason: &str,
) -> Result<Released, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(RELEASE_ONE);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql).bind(id).bind(version)
        .execute(c).await.map(|r| r.rows_affected()))?;
    if rows == 0 {
        drop(tx);
        let row = read::summary(db, id).await?;
        return Ok(row.map_or(Released::NotFound, |row| Released::Refused(Box::new(row))));
    }
    let act = audit::Act {
        reason: Some(reason),
        version_seen: Some(version),
        ..audit::Act::of(actor, ActKind::Release, id)
    };
    audit::record(db, &mut tx, &act).await?;
    tx.commit().await?;
    Ok(Released::Done)
}

/// Lets go of the rows of a filter, if they are still those that somebody saw. They are read
/// once; what joins them later stays held. No other program waits for longer than a part of them
/// takes.
pub async fn release_lot(
    db: &Db,
    filter: &Where,
    seen: Seen,
    actor: &str,
    reason: &str,
) -> Result<LotAnswer, DbError> {
    let rows = list::held(db, filter, LARGEST_LOT + 1).await?;
    let now = Seen {
        count: i64::try_from(rows.len()).unwrap_or(i64::MAX),
        newest: rows.iter().map(|(id, _)| *id).max().unwrap_or(0),
        versions: rows.iter().map(|(_, version)| version).sum(),
    };
    if now.count > LARGEST_LOT {
        return Ok(LotAnswer::TooMany);
    }
    if now != seen {
        return Ok(LotAnswer::Changed {
            shown: seen.count,
            now: now.count,
        });
    }
    let ids: Vec<i64> = rows.into_iter().map(|(id, _)| id).collect();
    let mut released = 0;
    for part in ids.chunks(usize::try_from(BATCH).unwrap_or(1)) {
        released += release(db, part, actor, reason).await?;
    }
    Ok(LotAnswer::Released(i64::try_from(released).unwrap_or(0)))
}
