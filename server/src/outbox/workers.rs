//! Processes that send, as they write themselves down.

use crate::db::{Db, DbError, Sql, Stamp};
use crate::{on_read, on_write};

const BEAT: Sql = Sql::same(
    "INSERT INTO workers (name, resends_only, started_at, seen_at, in_flight, accepted_last_hour, version) \
     VALUES ($1, $2, {now}, {now}, $3, $4, $5) ON CONFLICT (name) DO UPDATE \
     SET seen_at = {now}, in_flight = $3, accepted_last_hour = $4, version = $5",
);
const GONE: Sql = Sql::same("DELETE FROM workers WHERE name = $1 OR seen_at < {after $2}");
const SEEN: Sql = Sql::same(
    "SELECT name, resends_only, started_at, seen_at, in_flight, accepted_last_hour, version FROM workers \
     WHERE seen_at > {after $1} ORDER BY seen_at DESC, name LIMIT 50",
);

const SENDING: Sql = Sql::same(
    "SELECT EXISTS (SELECT 1 FROM workers WHERE NOT resends_only AND seen_at > {after $1})",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("workers::BEAT", BEAT),
    ("workers::GONE", GONE),
    ("workers::SEEN", SEEN),
    ("workers::SENDING", SENDING),
];

const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// A process as last seen.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Seen {
    /// Host and process.
    pub name: String,
    /// Sends only what a person resends.
    pub resends_only: bool,
    /// When it first said that it lives.
    pub started_at: Stamp,
    /// When it last did.
    pub seen_at: Stamp,
    /// Mails it was sending.
    pub in_flight: i64,
    /// Mails accepted through it in the hour before.
    pub accepted_last_hour: i64,
    /// Its program's version.
    pub version: String,
}

/// Says that this process lives.
pub async fn beat(
    db: &Db,
    name: &str,
    resends_only: bool,
    in_flight: i64,
    accepted_last_hour: i64,
) -> Result<(), DbError> {
    let sql = db.text(BEAT);
    on_write!(db, c => sqlx::query(&sql)
        .bind(name).bind(resends_only).bind(in_flight).bind(accepted_last_hour)
        .bind(env!("CARGO_PKG_VERSION"))
        .execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Takes this process off the list, and those not seen for an hour.
pub async fn gone(db: &Db, name: &str) -> Result<(), DbError> {
    let sql = db.text(GONE);
    on_write!(db, c => sqlx::query(&sql).bind(name).bind(-HOUR_MS).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Whether a process that sends by itself was seen in the last minute.
pub async fn sending(db: &Db) -> Result<bool, DbError> {
    let sql = db.text(SENDING);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(-MINUTE_MS).fetch_one(c).await)?)
}

/// Processes seen in the last hour.
pub async fn seen(db: &Db) -> Result<Vec<Seen>, DbError> {
    let sql = db.text(SEEN);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(-HOUR_MS).fetch_all(c).await)?)
}
