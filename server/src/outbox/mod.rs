//! Every read and write of the tables: what else in this program wants to know or change
//! something of a submission asks here.

pub mod asked;
pub mod audit;
pub mod bulk;
pub mod call_off;
pub mod claim;
pub mod conditions;
pub mod copies;
mod due;
pub mod enqueue;
pub mod events;
pub mod export;
pub mod failures;
pub mod hold;
mod keyset;
pub mod lapse;
pub mod list;
pub mod lookup;
pub mod operate;
pub mod pause;
mod proof;
pub mod pulse;
pub mod read;
pub mod report;
pub mod retry;
pub mod row;
pub mod search;
pub mod sending;
pub mod settle;
pub mod state;
pub mod trail;
pub mod workers;

use crate::db::{Db, DbError, Sql};
use crate::on_write;

/// Every statement of fixed text, for the test that has both databases check each.
pub fn statements() -> Vec<(&'static str, Sql)> {
    [
        audit::STATEMENTS,
        bulk::STATEMENTS,
        call_off::STATEMENTS,
        claim::STATEMENTS,
        claim::replay::STATEMENTS,
        conditions::STATEMENTS,
        copies::STATEMENTS,
        enqueue::STATEMENTS,
        events::STATEMENTS,
        hold::STATEMENTS,
        lapse::STATEMENTS,
        lookup::STATEMENTS,
        lookup::ANSWERS,
        operate::STATEMENTS,
        pause::STATEMENTS,
        proof::STATEMENTS,
        pulse::STATEMENTS,
        read::STATEMENTS,
        asked::STATEMENTS,
        failures::STATEMENTS,
        report::STATEMENTS,
        search::STATEMENTS,
        search::index::STATEMENTS,
        sending::STATEMENTS,
        settle::STATEMENTS,
        trail::STATEMENTS,
        state::STATEMENTS,
        workers::STATEMENTS,
        STATEMENTS,
    ]
    .concat()
}

const INSTALLATION: Sql = Sql::same(
    "INSERT INTO settings (key, value) VALUES ('installation', $1) ON CONFLICT (key) DO NOTHING",
);
const SETTING: Sql = Sql::same("SELECT value FROM settings WHERE key = $1");
const SET: Sql = Sql::same(
    "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2 \
     WHERE settings.value <> $2",
);
const ANY: Sql = Sql::same("SELECT id FROM email_submissions LIMIT 1");
const STATEMENTS: &[(&str, Sql)] = &[
    ("ANY", ANY),
    ("INSTALLATION", INSTALLATION),
    ("SETTING", SETTING),
    ("SET", SET),
];

/// What the database keeps under a key.
pub async fn setting(db: &Db, key: &str) -> Result<Option<String>, DbError> {
    let sql = db.text(SETTING);
    Ok(crate::on_read!(db, c => sqlx::query_scalar(&sql).bind(key).fetch_optional(c).await)?)
}

/// Up to this id nobody wrote down who put a mail in.
pub async fn decided_by_after(db: &Db) -> Result<i64, DbError> {
    let id = setting(db, "decided_by_after").await?;
    Ok(id.and_then(|id| id.parse().ok()).unwrap_or(0))
}

/// What names this installation in the mails it sends: the setting, else a name of its own that
/// the database keeps. Where the setting disagrees with the name kept, the database is a restored
/// or copied one: everything that could be claimed is held for a person, before any worker runs,
/// and the new name is kept.
pub async fn installation(db: &Db, set: Option<&str>) -> Result<String, DbError> {
    let own = uuid::Uuid::new_v4().simple().to_string();
    let sql = db.text(INSTALLATION);
    let first = set.map_or_else(|| own[..12].to_owned(), str::to_owned);
    on_write!(db, c => sqlx::query(&sql).bind(first).execute(c).await.map(|_| ()))?;
    let sql = db.text(SETTING);
    let kept: String =
        on_write!(db, c => sqlx::query_scalar(&sql).bind("installation").fetch_one(c).await)?;
    let Some(set) = set else {
        return Ok(kept);
    };
    if set != kept {
        let reason = app::model::recorded::other_installation(set, &kept);
        let held = hold::hold_all(db, hold::By::Installation, &reason).await?;
        tracing::warn!(
            rows = held,
            "{reason}: what could be sent is held for a person; `denpyo release` lets it go"
        );
        let sql = db.text(SET);
        on_write!(db, c => sqlx::query(&sql).bind("installation").bind(set).execute(c).await.map(|_| ()))?;
    }
    Ok(set.to_owned())
}

/// Where this name disagrees with the one that the database keeps: that one, and how many mails the next
/// start will hold.
pub async fn disagreeing(db: &Db, set: &str) -> Result<Option<(String, i64)>, DbError> {
    match setting(db, "installation").await? {
        Some(kept) if kept != set => Ok(Some((kept, hold::claimable(db).await?))),
        _ => Ok(None),
    }
}

/// Reads the outbox and writes something beside it, durably: whether the database takes what has
/// to be recorded.
pub async fn probe(db: &Db) -> Result<(), DbError> {
    db.room()?;
    let sql = db.text(ANY);
    crate::on_read!(db, c => sqlx::query(&sql).fetch_optional(c).await.map(|_| ()))?;
    let mut tx = db.begin().await?;
    let sql = db.text(SET);
    let word = uuid::Uuid::new_v4().to_string();
    crate::in_tx!(&mut tx, c => sqlx::query(&sql).bind("probe").bind(word).execute(c).await.map(|_| ()))?;
    tx.commit().await?;
    Ok(())
}

/// Switches the wake-up of idle workers on or off, for every process on the database.
pub async fn set_notify(db: &Db, on: bool) -> Result<(), DbError> {
    let sql = db.text(SET);
    let word = if on { "on" } else { "off" };
    on_write!(db, c => sqlx::query(&sql).bind("notify").bind(word).execute(c).await.map(|_| ()))?;
    Ok(())
}
