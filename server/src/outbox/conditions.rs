//! What is worth telling somebody, and who was told of it: one line a condition, shared by all
//! processes, so that one of them tells.

use super::due::waiting;
use super::row::needs_checking;
use crate::db::{Db, DbError, Sql, Stamp};
use crate::{on_read, on_write};
use std::time::Duration;

/// Rows that no worker moves: held, refused, given up, and in doubt. Of the last two, those that are `$left`.
macro_rules! stuck {
    ($doubt:expr, $left:literal) => {
        concat!(
            "status <> 'synced' AND status <> 'canceled' AND (held_reason IS NOT NULL OR status = 'rejected' \
             OR (((status = 'failed' AND next_attempt_at IS NULL) OR (",
            $doubt,
            "))",
            $left,
            "))"
        )
    };
}
/// Rows that nothing will move but a person: those of them that nobody is left to be asked about. The
/// alert, the list, the metric and the overview all count by this.
macro_rules! needs_person {
    () => {
        stuck!(
            "status = 'requesting' AND unknown_at IS NOT NULL",
            " AND NOT EXISTS (SELECT 1 FROM lookups l WHERE l.submission_id = email_submissions.id \
             AND l.attempt = email_submissions.attempts AND NOT l.ended)"
        )
    };
}
pub(super) const NEEDS_PERSON: &str = needs_person!();

const WAITING: Sql = Sql::same(concat!(
    "SELECT COUNT(*) FROM email_submissions WHERE ",
    needs_person!()
));
/// The same, and those beside them that somebody is still asked about; of these, the ones that count as
/// not sent; and held ones that stand under another head too.
const NEEDS: Sql = Sql::same(concat!(
    "SELECT COUNT(*) FILTER (WHERE ",
    needs_person!(),
    "), COUNT(*), COUNT(*) FILTER (WHERE status = 'failed' AND NOT (",
    needs_person!(),
    ")), COUNT(*) FILTER (WHERE held_reason IS NOT NULL AND (status = 'rejected' \
     OR (status = 'failed' AND next_attempt_at IS NULL) OR (",
    needs_checking!(),
    "))) FROM email_submissions WHERE ",
    stuck!(needs_checking!(), "")
));
/// Questions that were asked at least three times in a row without a clear answer.
const UNANSWERED: Sql = Sql::same("SELECT COUNT(*) FROM lookups WHERE NOT ended AND unclear >= 3");
const OVERDUE: Sql = Sql::same(concat!(
    "SELECT (SELECT COUNT(*) FROM email_submissions WHERE ",
    waiting!(),
    " AND created_at <= {after $1}) \
     + (SELECT COUNT(*) FROM email_submissions WHERE status = 'pending' AND held_reason IS NULL \
     AND not_before <= {after $1})"
));
const PAUSED: Sql =
    Sql::same("SELECT COUNT(*) FROM service_pauses WHERE provider = $1 AND account = $2");
/// Answers only where somebody is to be told now: at the beginning, and `$2` after the last time.
const ON: Sql = Sql::same(
    "INSERT INTO alerts (condition, since, told_at) VALUES ($1, {now}, {now}) \
     ON CONFLICT (condition) DO UPDATE SET told_at = {now} WHERE alerts.told_at <= {after $2} \
     RETURNING since, (since = told_at)",
);
const STANDING: Sql = Sql::same("SELECT condition, told_at <= {after $1} FROM alerts");
/// As if nothing had been said of its end.
const BACK: Sql = Sql::same(
    "INSERT INTO alerts (condition, since, told_at) VALUES ($1, $2, {now}) ON CONFLICT (condition) DO NOTHING",
);
const OFF: Sql = Sql::same("DELETE FROM alerts WHERE condition = $1 RETURNING since");

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("conditions::WAITING", WAITING),
    ("conditions::NEEDS", NEEDS),
    ("conditions::UNANSWERED", UNANSWERED),
    ("conditions::OVERDUE", OVERDUE),
    ("conditions::PAUSED", PAUSED),
    ("conditions::ON", ON),
    ("conditions::STANDING", STANDING),
    ("conditions::BACK", BACK),
    ("conditions::OFF", OFF),
];

/// How many rows wait for a person.
pub async fn waiting(db: &Db) -> Result<i64, DbError> {
    let sql = db.text(WAITING);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// How many rows wait for a person, and what stands beside them.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Rows that wait for a person.
    pub person: i64,
    /// Beside them, rows in doubt whose service is still being asked.
    pub asked: i64,
    /// Of those asked about, the ones that count as not sent.
    pub asked_failed: i64,
    /// Held rows that are in doubt, refused or given up as well.
    pub held_too: i64,
}

/// How many rows wait for a person, and how many are still asked about, all of one moment.
pub async fn needs(db: &Db) -> Result<Needs, DbError> {
    let sql = db.text(NEEDS);
    let (person, all, asked_failed, held_too): (i64, i64, i64, i64) =
        on_read!(db, c => sqlx::query_as(&sql).fetch_one(c).await)?;
    Ok(Needs {
        person,
        asked: all - person,
        asked_failed,
        held_too,
    })
}

/// How many questions get no clear answer.
pub async fn unanswered(db: &Db) -> Result<i64, DbError> {
    let sql = db.text(UNANSWERED);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// How many mails have been due for longer than `age`.
pub async fn overdue(db: &Db, age: Duration) -> Result<i64, DbError> {
    let sql = db.text(OVERDUE);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql)
        .bind(super::claim::before(age)).fetch_one(c).await)?)
}

/// Whether a service and account stand paused.
pub async fn paused(db: &Db, provider: &str, account: &str) -> Result<bool, DbError> {
    let sql = db.text(PAUSED);
    let count: i64 = on_read!(db, c => sqlx::query_scalar(&sql)
        .bind(provider).bind(account).fetch_one(c).await)?;
    Ok(count > 0)
}

/// The conditions that somebody was told of, and whether a reminder is due.
pub async fn standing(db: &Db, reminder: Duration) -> Result<Vec<(String, bool)>, DbError> {
    let sql = db.text(STANDING);
    Ok(on_read!(db, c => sqlx::query_as(&sql)
        .bind(super::claim::before(reminder)).fetch_all(c).await)?)
}

/// Notes that a condition holds. Where this process is to tell of it: since when it holds, and
/// whether this is the first time.
pub async fn on(
    db: &Db,
    condition: &str,
    reminder: Duration,
) -> Result<Option<(Stamp, bool)>, DbError> {
    let sql = db.text(ON);
    Ok(on_write!(db, c => sqlx::query_as(&sql)
        .bind(condition).bind(super::claim::before(reminder)).fetch_optional(c).await)?)
}

/// Notes that a condition is over. Where this process is to tell of it: since when it had held.
pub async fn off(db: &Db, condition: &str) -> Result<Option<Stamp>, DbError> {
    let sql = db.text(OFF);
    Ok(on_write!(db, c => sqlx::query_scalar(&sql).bind(condition).fetch_optional(c).await)?)
}

/// Takes back that a condition is over: nobody heard of it.
pub async fn back(db: &Db, condition: &str, since: Stamp) -> Result<(), DbError> {
    let sql = db.text(BACK);
    on_write!(db, c => sqlx::query(&sql).bind(condition).bind(since).execute(c).await.map(|_| ()))?;
    Ok(())
}
