//! Writes the story into an empty SQLite database, in one transaction.
//!
//! Beside `outbox` this is the one place that writes its tables: the outbox knows only the
//! present, by the database's clock, and the demo needs a past. It goes the outbox's ways all the
//! same. Each mail is inserted as pending and taken through every state of its life, one version
//! at a time, under the guards of the schema, which refuse what could not have happened.
//!
//! Rows go in by the hundred: a statement for each would take several seconds.

use super::story::Mail;
use super::ways;
use crate::db::{Db, DbError};
use serde::Serialize;
use serde_json::Value;
use sqlx::{Sqlite, Transaction};

/// So many rows a statement.
const BATCH: usize = 400;

const MAIL: &[&str] = &[
    "id",
    "ref",
    "order_id",
    "kind",
    "occasion",
    "copy",
    "original_id",
    "decided_by",
    "recipient",
    "subject",
    "body_text",
    "body_html",
    "reply_to",
    "created_at",
    "updated_at",
    "not_before",
];
const STATE: &[&str] = &[
    "recipient",
    "first_recipient",
    "status",
    "settled_by",
    "attempts",
    "attempts_counted",
    "error",
    "held_reason",
    "held_by",
    "released_at",
    "version",
    "provider",
    "provider_message_id",
    "delivery_state",
    "delivery_at",
    "possible_duplicate",
    "claim_token",
    "claimed_from",
    "claimed_at",
    "unknown_at",
    "updated_at",
    "next_attempt_at",
    "lease_until",
    "sent_at",
];
const ATTEMPT: &[&str] = &[
    "submission_id",
    "attempt",
    "claim_token",
    "worker",
    "actor",
    "recipient",
    "provider",
    "account",
    "claimed_at",
    "lease_until",
    "closed_at",
    "outcome",
    "cause",
    "code",
    "error",
    "provider_message_id",
    "took_ms",
    "next_attempt_at",
];
const OBSERVATION: &[&str] = &["submission_id", "attempt", "at", "kind", "detail"];
const LOOKUP: &[&str] = &[
    "submission_id",
    "attempt",
    "lease_until",
    "next_at",
    "asked",
    "ended",
    "unclear",
];
const ACT: &[&str] = &[
    "submission_id",
    "at",
    "actor",
    "act",
    "reason",
    "before_status",
    "after_status",
    "before_recipient",
    "after_recipient",
    "attempt",
    "version_seen",
    "copy_id",
];
const TOKEN: &[&str] = &[
    "name",
    "hash",
    "scope",
    "created_by",
    "created_at",
    "used_at",
];
const MADE: &[&str] = &["at", "actor", "act", "detail", "after_value"];

/// A row that belongs to a mail.
#[derive(Serialize)]
struct Of<'a, T> {
    submission_id: i64,
    account: &'a str,
    #[serde(flatten)]
    row: &'a T,
}

/// A state of a mail.
#[derive(Serialize)]
struct Next<'a, T> {
    id: i64,
    #[serde(flatten)]
    row: &'a T,
}

/// Writes everything, or nothing. `account` is the one that the mails went out through.
pub(super) async fn write(db: &Db, mails: &[Mail], account: &str) -> Result<(), DbError> {
    // The demo makes its own database, which is one.
    let Db::Sqlite(sqlite) = db else {
        return Ok(());
    };
    let mut tx = sqlite.write.begin_with("BEGIN IMMEDIATE").await?;
    let tokens = ways::tokens(mails);
    insert(&mut tx, "api_tokens", TOKEN, &tokens).await?;
    insert(&mut tx, "audit_events", MADE, &ways::made(&tokens)).await?;
    insert(&mut tx, "email_submissions", MAIL, mails).await?;
    let longest = mails.iter().map(|m| m.life.states.len()).max();
    for step in 0..longest.unwrap_or(0) {
        let states: Vec<_> = mails
            .iter()
            .filter_map(|m| {
                let row = m.life.states.get(step)?;
                Some(Next { id: m.id, row })
            })
            .collect();
        update(&mut tx, &states).await?;
    }
    let attempts = gather(mails, account, |m| &m.life.attempts, |a| a.claimed_at);
    insert(&mut tx, "submission_attempts", ATTEMPT, &attempts).await?;
    let seen = gather(mails, account, |m| &m.life.observations, |o| o.at);
    insert(&mut tx, "submission_observations", OBSERVATION, &seen).await?;
    let asked = gather(mails, account, |m| &m.life.lookups, |l| l.next_at);
    insert(&mut tx, "lookups", LOOKUP, &asked).await?;
    let acts = gather(mails, account, |m| &m.life.acts, |a| a.at);
    insert(&mut tx, "audit_events", ACT, &acts).await?;
    tx.commit().await?;
    Ok(())
}

/// The mails' rows of one sort, in the order in which they were written.
fn gather<'a, T, K: Ord>(
    mails: &'a [Mail],
    account: &'a str,
    rows: impl Fn(&'a Mail) -> &'a Vec<T>,
    at: impl Fn(&T) -> K,
) -> Vec<Of<'a, T>> {
    let mut all: Vec<_> = mails
        .iter()
        .flat_map(|m| {
            rows(m).iter().map(|row| Of {
                submission_id: m.id,
                account,
                row,
            })
        })
        .collect();
    all.sort_by_key(|of| at(of.row));
    all
}

/// Runs a statement over all rows; `sql` makes its text for so many of them.
async fn put<T: Serialize>(
    tx: &mut Transaction<'static, Sqlite>,
    columns: &[&str],
    sql: impl Fn(usize) -> String,
    rows: &[T],
) -> Result<(), DbError> {
    for batch in rows.chunks(BATCH) {
        let text = sql(batch.len());
        let mut query = sqlx::query(&text);
        for row in batch {
            let row = serde_json::to_value(row).map_err(|e| sqlx::Error::Encode(e.into()))?;
            let Value::Object(mut row) = row else {
                continue;
            };
            for column in columns {
                query = match row.remove(*column) {
                    Some(Value::String(text)) => query.bind(text),
                    Some(Value::Number(number)) => query.bind(number.as_i64()),
                    Some(Value::Bool(yes)) => query.bind(yes),
                    _ => query.bind(None::<String>),
                };
            }
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

/// `(?, ?), (?, ?)`
fn places(columns: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(", "));
    vec![row.as_str(); rows].join(", ")
}

async fn insert<T: Serialize>(
    tx: &mut Transaction<'static, Sqlite>,
    table: &str,
    columns: &[&str],
    rows: &[T],
) -> Result<(), DbError> {
    let names = columns.join(", ");
    let sql = |n| {
        let places = places(columns.len(), n);
        format!("INSERT INTO {table} ({names}) VALUES {places}")
    };
    put(tx, columns, sql, rows).await
}

async fn update<T: Serialize>(
    tx: &mut Transaction<'static, Sqlite>,
    rows: &[T],
) -> Result<(), DbError> {
    let columns: Vec<&str> = ["id"].iter().chain(STATE).copied().collect();
    let names = columns.join(", ");
    let set: Vec<String> = STATE.iter().map(|c| format!("{c} = new.{c}")).collect();
    let set = set.join(", ");
    let sql = |n| {
        let places = places(columns.len(), n);
        format!(
            "WITH new({names}) AS (VALUES {places}) UPDATE email_submissions SET {set} FROM new \
             WHERE email_submissions.id = new.id"
        )
    };
    put(tx, &columns, sql, rows).await
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
