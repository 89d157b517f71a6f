//! What pages and programs ask of single rows, and how many there are. Small sets are counted
//! exactly through partial indexes; the large one on SQLite by what is new, on PostgreSQL exactly up to a limit
//! and beyond it roughly.

mod statements;

pub(super) use statements::STATEMENTS;

use super::row::Row;
use crate::db::{Counted, Db, DbError, LooseText, Sql, SqliteDb, Stamp};
use crate::on_read;
use app::model::Age;
use app::model::views::Count;
use serde::Serialize;
use sqlx::FromRow;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use statements::{
    ACTS, ALL, ASSUMED, ATTEMPTS, BY_ID, BY_ORDER, CASES, CASES_OF_AGE, DUE, ESTIMATE, FURTHER,
    HELD, HIGHEST, HISTOGRAM, KINDS, LAST_ATTEMPTS, NEEDS_CHECKING, OBSERVATIONS, OLDEST, OPEN,
    SUMMARIES, SUMMARY, UNSETTLED, WHOLE,
};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Longest that SQLite's count of all rows rests on an earlier one.
const RECOUNT: Duration = Duration::from_secs(60);

/// An attempt as stored.
#[derive(Clone, Debug, sqlx::FromRow, Serialize)]
pub struct AttemptRow {
    /// 1, 2, …
    pub attempt: i32,
    /// The process that claimed it.
    pub worker: String,
    /// The person whose resend it was.
    pub actor: Option<String>,
    /// To whom.
    pub recipient: Option<LooseText>,
    /// The service.
    pub provider: String,
    /// The service's account.
    pub account: String,
    /// When it was claimed.
    pub claimed_at: Stamp,
    /// The lease's end.
    pub lease_until: Stamp,
    /// When it was closed.
    pub closed_at: Option<Stamp>,
    /// How it ended.
    pub outcome: Option<String>,
    /// Why.
    pub cause: Option<String>,
    /// HTTP status.
    pub code: Option<i32>,
    /// The service's words.
    pub error: Option<String>,
    /// The service's id.
    pub provider_message_id: Option<String>,
    /// Milliseconds from claim to answer.
    pub took_ms: Option<i64>,
    /// When the next attempt was set for.
    pub next_attempt_at: Option<Stamp>,
}

/// An observation as stored.
#[derive(Clone, Debug, sqlx::FromRow, Serialize)]
pub struct ObservationRow {
    /// When it was written down.
    pub at: Stamp,
    /// What sort.
    pub kind: String,
    /// The attempt it speaks of.
    pub attempt: Option<i32>,
    /// The service.
    pub provider: Option<String>,
    /// The service's words.
    pub detail: Option<String>,
}

/// A person's act as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ActRow {
    /// When.
    pub at: Stamp,
    /// Who.
    pub actor: String,
    /// What.
    pub act: String,
    /// Why.
    pub reason: Option<String>,
    /// Status before.
    pub before_status: Option<String>,
    /// Status after.
    pub after_status: Option<String>,
    /// The attempt it began or judged.
    pub attempt: Option<i32>,
    /// The recipient from then on, where it changed.
    pub after_recipient: Option<LooseText>,
    /// The further copy that it made.
    pub copy_id: Option<i64>,
    /// That copy's number.
    pub copy: Option<i32>,
}

/// One row, bodies included.
pub async fn by_id(db: &Db, id: i64) -> Result<Option<Row>, DbError> {
    let sql = db.text(BY_ID);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

/// One row without its bodies.
pub async fn summary(db: &Db, id: i64) -> Result<Option<Row>, DbError> {
    let sql = db.text(SUMMARY);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

/// Several rows (`{ids $1}`) without their bodies, in no order.
pub async fn summaries(db: &Db, ids: &str) -> Result<Vec<Row>, DbError> {
    let sql = db.text(SUMMARIES);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(ids).fetch_all(c).await)?)
}

/// Several rows (`{ids $1}`), bodies included, in no order.
pub async fn whole(db: &Db, ids: &str) -> Result<Vec<Row>, DbError> {
    let sql = db.text(WHOLE);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(ids).fetch_all(c).await)?)
}

/// The mails of an order without their bodies, newest first.
pub async fn by_order(db: &Db, order_id: &str, limit: i64) -> Result<Vec<Row>, DbError> {
    let sql = db.text(BY_ORDER);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(order_id).bind(limit).fetch_all(c).await)?)
}

/// A row's attempts, first to last.
pub async fn attempts(db: &Db, id: i64) -> Result<Vec<AttemptRow>, DbError> {
    let sql = db.text(ATTEMPTS);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_all(c).await)?)
}

/// What a statement finds beside several rows (`{ids $1}`), with the rows' ids.
pub(super) async fn of_each<T>(db: &Db, sql: Sql, ids: &str) -> Result<Vec<(i64, T)>, DbError>
where
    T: Send + Unpin + for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
{
    #[derive(sqlx::FromRow)]
    struct Of<T> {
        submission_id: i64,
        #[sqlx(flatten)]
        what: T,
    }
    let sql = db.text(sql);
    let rows: Vec<Of<T>> = on_read!(db, c => sqlx::query_as(&sql).bind(ids).fetch_all(c).await)?;
    Ok(rows
        .into_iter()
        .map(|of| (of.submission_id, of.what))
        .collect())
}

/// The last attempt of each of several rows, with the row's id.
pub async fn last_attempts(db: &Db, ids: &str) -> Result<Vec<(i64, AttemptRow)>, DbError> {
    of_each(db, LAST_ATTEMPTS, ids).await
}

/// What was learnt beside a row's attempts, first to last.
pub async fn observations(db: &Db, id: i64) -> Result<Vec<ObservationRow>, DbError> {
    let sql = db.text(OBSERVATIONS);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_all(c).await)?)
}

/// What people did with a row, first to last.
pub async fn acts(db: &Db, id: i64) -> Result<Vec<ActRow>, DbError> {
    let sql = db.text(ACTS);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_all(c).await)?)
}

/// What needs checking, longest first, without the bodies.
pub async fn cases(db: &Db, limit: i64) -> Result<Vec<Row>, DbError> {
    let sql = db.text(CASES);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(limit).fetch_all(c).await)?)
}

/// Those of one age at that moment, and of `shown` (`{ids $1}`) those that still need checking.
pub async fn cases_of_age(
    db: &Db,
    now: Stamp,
    age: Age,
    shown: &str,
    limit: i64,
) -> Result<Vec<Row>, DbError> {
    let sql = db.text(CASES_OF_AGE);
    let [first, second, third] = ages_end(now);
    let age = i32::try_from(age.index()).unwrap_or_default();
    Ok(on_read!(db, c => sqlx::query_as(&sql)
        .bind(first).bind(second).bind(third).bind(age).bind(shown).bind(limit).fetch_all(c).await)?)
}

/// When what was claimed passes from one age into the next, seen from that moment.
fn ages_end(now: Stamp) -> [Stamp; 3] {
    [Age::Hour, Age::Day, Age::Older]
        .map(|age| Stamp::new(now.utc() - chrono::Duration::seconds(age.begins())))
}

/// How many rows need checking.
pub async fn needs_checking(db: &Db) -> Result<i64, DbError> {
    let sql = db.text(NEEDS_CHECKING);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// Rows being sent, and those that need checking by their age at that moment.
pub async fn open(db: &Db, now: Stamp) -> Result<(i64, [i64; 4]), DbError> {
    let sql = db.text(OPEN);
    let [first, second, third] = ages_end(now);
    let (sending, a, b, c, d): (i64, i64, i64, i64, i64) = on_read!(db, c => sqlx::query_as(&sql)
        .bind(first).bind(second).bind(third).fetch_one(c).await)?;
    Ok((sending, [a, b, c, d]))
}

/// Counts of what is not accepted, and how much of it is tried again by itself.
pub async fn unsettled(db: &Db) -> Result<Vec<(String, i64, i64)>, DbError> {
    let sql = db.text(UNSETTLED);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?)
}

/// Counts of what is only assumed, by status.
pub async fn assumed(db: &Db) -> Result<Vec<(String, i64)>, DbError> {
    let sql = db.text(ASSUMED);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?)
}

/// Held rows.
pub async fn held(db: &Db) -> Result<i64, DbError> {
    let sql = db.text(HELD);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// How many rows there are.
pub async fn total(db: &Db) -> Result<Count, DbError> {
    /// Beyond it PostgreSQL, which has to look at each row, is not asked to count.
    const COUNTED: i64 = 300_000;
    if let Db::Sqlite(sqlite) = db {
        return Ok(Count::Exact(all_of(sqlite).await?));
    }
    let scalar = async |sql: Sql| -> Result<i64, DbError> {
        let sql = db.text(sql);
        Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
    };
    // An id is used up by an insert that finds its key taken, too: ids are the most there can be,
    // and say nothing of how many there are.
    let most = scalar(HIGHEST).await?;
    if most <= COUNTED {
        let sql = db.text(ALL);
        let (_, rows): (i64, i64) = on_read!(db, c => sqlx::query_as(&sql).fetch_one(c).await)?;
        return Ok(Count::Exact(rows));
    }
    Ok(match scalar(ESTIMATE).await? {
        // Nothing is known before the first ANALYZE.
        ..=0 => Count::Unknown,
        rows => Count::About(rows.min(most)),
    })
}

/// How many rows there are on SQLite. No row goes, and with one writer none comes with an id below
/// one that is there already, so that only what is new has to be counted. Another program may give
/// rows ids of its own, though: every [`RECOUNT`] all are counted.
async fn all_of(sqlite: &SqliteDb) -> Result<i64, DbError> {
    let counted = || {
        sqlite
            .counted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    let known = counted().filter(|known| known.at.elapsed() < RECOUNT);
    let query = match known {
        None => sqlx::query_as(ALL.sqlite),
        Some(known) => sqlx::query_as(FURTHER.sqlite).bind(known.highest),
    };
    let (highest, further): (i64, i64) = query.fetch_one(&sqlite.read).await?;
    let rows = known.map_or(0, |known| known.rows) + further;
    *counted() = Some(Counted {
        highest,
        rows,
        at: known.map_or_else(Instant::now, |known| known.at),
    });
    Ok(rows)
}

/// How many rows are accepted, where `others` are not.
pub async fn synced(db: &Db, others: i64) -> Result<Count, DbError> {
    Ok(match total(db).await? {
        Count::Exact(all) => Count::Exact((all - others).max(0)),
        // PostgreSQL reckons anew once a tenth has changed: what is left may be all error.
        Count::About(all) if all - others > all / 10 => Count::About(all - others),
        _ => Count::Unknown,
    })
}

/// Mails decided since `since` by attempts (1 to 5, 5 for more) and status.
pub async fn histogram(db: &Db, since: Stamp) -> Result<Vec<(i32, String, i64)>, DbError> {
    let sql = db.text(HISTOGRAM);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(since).fetch_all(c).await)?)
}

/// When the longest-waiting due row came due.
pub async fn oldest_due(db: &Db) -> Result<Option<Stamp>, DbError> {
    let sql = db.text(OLDEST);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// How many mails are due.
pub async fn due(db: &Db) -> Result<i64, DbError> {
    let sql = db.text(DUE);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// The kinds that recent mails have.
pub async fn kinds(db: &Db) -> Result<Vec<String>, DbError> {
    let sql = db.text(KINDS);
    let kinds: Vec<LooseText> = on_read!(db, c => sqlx::query_scalar(&sql).fetch_all(c).await)?;
    Ok(kinds.into_iter().map(|k| k.shown().to_owned()).collect())
}
