//! Whether SQLite's file is whole.

use super::Found;
use crate::db::{Db, DbError};
use crate::on_limited;
use std::time::Duration;

/// A large file is not looked through for longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longest piece of SQLite's own words, in characters.
const LONGEST: usize = 200;

/// Looks through the file; nothing to say of another database.
pub(super) async fn look(db: &Db) -> Option<Found> {
    if db.is_postgres() {
        return None;
    }
    Some(match checked(db).await {
        Ok(Some(words)) if words == "ok" => Found::Fine("ok, whole".to_owned()),
        Ok(Some(words)) => damaged(&words),
        Ok(None) => Found::Fine(format!(
            "too large to be looked through in {PATIENCE:?}; `PRAGMA quick_check` of SQLite's own shell does it at leisure"
        )),
        Err(error) => damaged(&error.to_string()),
    })
}

async fn checked(db: &Db) -> Result<Option<String>, DbError> {
    // The first fault is enough.
    on_limited!(db, PATIENCE, c => sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(c).await)
}

fn damaged(words: &str) -> Found {
    let words: Vec<&str> = words.split_whitespace().collect();
    let words: String = words.join(" ").chars().take(LONGEST).collect();
    Found::Fault(format!(
        "damaged ({words}): stop Denpyo, keep the file, and restore a backup"
    ))
}
