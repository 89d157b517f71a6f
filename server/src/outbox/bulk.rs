//! Resending many mails: what was seen is frozen into rows, and what becomes of each is written
//! beside it. Each mail goes through the claim that a single resend uses; this only keeps the list.

use super::audit::{self, Matter};
use super::claim::after;
use crate::db::{Db, DbError, LooseText, Sql, Stamp};
use crate::{in_tx, on_read, on_write};
use app::model::ActKind;
use std::time::Duration;

const NEW: Sql =
    Sql::same("INSERT INTO bulk_jobs (query, created_by) VALUES ($1, $2) RETURNING id");
const FREEZE: Sql = Sql::same(
    "INSERT INTO bulk_items (job_id, place, submission_id, version, attempt, refusal) \
     VALUES ($1, $2, $3, $4, $5, $6)",
);
const START: Sql = Sql::same(
    "UPDATE bulk_jobs SET state = 'running', reason = $2, started_by = $3, started_at = {now} \
     WHERE id = $1 AND state = 'preview' AND EXISTS (SELECT 1 FROM bulk_items \
     WHERE job_id = $1 AND refusal IS NULL)",
);
const STOP: Sql = Sql::same(
    "UPDATE bulk_jobs SET state = 'stopped', stopped_by = $2, ended_at = {now} \
     WHERE id = $1 AND state = 'running'",
);
/// The oldest running job that nobody works on. `$2` is how long nobody else does then.
const TAKE: Sql = Sql {
    sqlite: "UPDATE bulk_jobs SET lease_owner = $1, lease_until = {after $2} WHERE id = ( \
             SELECT id FROM bulk_jobs WHERE state = 'running' \
             AND (lease_until IS NULL OR lease_until <= {now}) ORDER BY id LIMIT 1) \
             RETURNING id, started_by, reason",
    postgres: "UPDATE bulk_jobs SET lease_owner = $1, lease_until = {after $2} WHERE id = ( \
               SELECT id FROM bulk_jobs WHERE state = 'running' \
               AND (lease_until IS NULL OR lease_until <= {now}) ORDER BY id LIMIT 1 \
               FOR UPDATE SKIP LOCKED) RETURNING id, started_by, reason",
};
/// Whether there is anything to take: asked before SQLite's one write lock is taken.
const ANY: Sql = Sql::same(
    "SELECT EXISTS (SELECT 1 FROM bulk_jobs WHERE state = 'running' \
     AND (lease_until IS NULL OR lease_until <= {now}))",
);
const KEEP: Sql = Sql::same(
    "UPDATE bulk_jobs SET lease_until = {after $3} \
     WHERE id = $1 AND lease_owner = $2 AND state = 'running'",
);
const GIVE_BACK: Sql = Sql::same(
    "UPDATE bulk_jobs SET lease_owner = NULL, lease_until = NULL \
     WHERE id = $1 AND lease_owner = $2",
);
const NEXT: Sql = Sql::same(
    "SELECT place, submission_id, version, attempt FROM bulk_items \
     WHERE job_id = $1 AND refusal IS NULL AND result IS NULL ORDER BY place LIMIT 1",
);
/// A result is written once.
const RESULT: Sql = Sql::same(
    "UPDATE bulk_items SET result = $3, made = $4, why = $5, by_whom = $6, at = COALESCE($7, {now}) \
     WHERE job_id = $1 AND place = $2 AND refusal IS NULL AND result IS NULL",
);
const DONE: Sql = Sql::same(
    "UPDATE bulk_jobs SET state = 'done', ended_at = {now}, lease_owner = NULL, lease_until = NULL \
     WHERE id = $1 AND lease_owner = $2 AND state = 'running' AND NOT EXISTS (SELECT 1 FROM bulk_items \
     WHERE job_id = $1 AND refusal IS NULL AND result IS NULL)",
);
const JOB: Sql = Sql::same(
    "SELECT id, state, query, created_at, created_by, reason, started_at, started_by, ended_at, \
     stopped_by FROM bulk_jobs WHERE id = $1",
);
/// Previews that nobody started are nothing to list.
const JOBS: Sql = Sql::same(
    "SELECT id, state, query, created_at, created_by, reason, started_at, started_by, ended_at, \
     stopped_by FROM bulk_jobs WHERE state <> 'preview' ORDER BY id DESC LIMIT $1",
);
/// How many mails of each job stand how: left out and why, skipped, resent and what came of the
/// attempt, or waiting.
const COUNTS: Sql = Sql::same(
    "SELECT i.job_id, i.refusal, i.result, a.outcome, COUNT(*) AS count FROM bulk_items i \
     LEFT JOIN submission_attempts a ON a.submission_id = i.submission_id AND a.attempt = i.made \
     WHERE i.job_id {ids $1} GROUP BY 1, 2, 3, 4",
);
const ITEMS: Sql = Sql::same(
    "SELECT i.place, i.submission_id, s.order_id, s.kind, s.copy, s.recipient, i.refusal, i.result, \
     i.made, i.why, i.by_whom, i.at, a.outcome FROM bulk_items i \
     JOIN email_submissions s ON s.id = i.submission_id \
     LEFT JOIN submission_attempts a ON a.submission_id = i.submission_id AND a.attempt = i.made \
     WHERE i.job_id = $1 AND i.place > $2 ORDER BY i.place LIMIT $3",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("bulk::NEW", NEW),
    ("bulk::FREEZE", FREEZE),
    ("bulk::START", START),
    ("bulk::STOP", STOP),
    ("bulk::TAKE", TAKE),
    ("bulk::ANY", ANY),
    ("bulk::KEEP", KEEP),
    ("bulk::GIVE_BACK", GIVE_BACK),
    ("bulk::NEXT", NEXT),
    ("bulk::RESULT", RESULT),
    ("bulk::DONE", DONE),
    ("bulk::JOB", JOB),
    ("bulk::JOBS", JOBS),
    ("bulk::COUNTS", COUNTS),
    ("bulk::ITEMS", ITEMS),
];

/// A mail as it was seen.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its id.
    pub id: i64,
    /// Its version.
    pub version: i64,
    /// Its attempts.
    pub attempt: i32,
    /// Why it is left out.
    pub refusal: Option<String>,
}

/// Freezes what was seen; returns the new job's id.
pub async fn freeze(db: &Db, query: &str, actor: &str, seen: &[Seen]) -> Result<i64, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(NEW);
    let job: i64 = in_tx!(&mut tx, c => sqlx::query_scalar(&sql).bind(query).bind(actor)
        .fetch_one(c).await)?;
    let sql = db.text(FREEZE);
    for (place, seen) in (1i32..).zip(seen) {
        in_tx!(&mut tx, c => sqlx::query(&sql).bind(job).bind(place).bind(seen.id)
            .bind(seen.version).bind(seen.attempt).bind(&seen.refusal)
            .execute(c).await.map(|_| ()))?;
    }
    tx.commit().await?;
    Ok(job)
}

/// What a job is called where an act is about it: its page.
fn page(job: i64) -> String {
    format!("/bulk/{job}")
}

/// Starts a job that was only looked at; whether this was it.
pub async fn start(db: &Db, job: i64, actor: &str, reason: &str) -> Result<bool, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(START);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql).bind(job).bind(reason).bind(actor)
        .execute(c).await.map(|r| r.rows_affected()))?;
    if rows == 0 {
        return Ok(false);
    }
    let about = page(job);
    let act = Matter {
        reason: Some(reason),
        ..Matter::of(actor, ActKind::BulkStart, &about)
    };
    audit::record_matter(db, &mut tx, act).await?;
    tx.commit().await?;
    Ok(true)
}

/// Stops a running job before its next mail; whether this was it.
pub async fn stop(db: &Db, job: i64, actor: &str) -> Result<bool, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(STOP);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql).bind(job).bind(actor)
        .execute(c).await.map(|r| r.rows_affected()))?;
    if rows == 0 {
        return Ok(false);
    }
    let about = page(job);
    let act = Matter::of(actor, ActKind::BulkStop, &about);
    audit::record_matter(db, &mut tx, act).await?;
    tx.commit().await?;
    Ok(true)
}

/// A job that this process works on.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Taken {
    /// Its id.
    pub id: i64,
    /// Who started it.
    pub started_by: String,
    /// Why.
    pub reason: String,
}

/// Takes a running job that nobody works on, for a while.
pub async fn take(db: &Db, owner: &str, lease: Duration) -> Result<Option<Taken>, DbError> {
    let sql = db.text(ANY);
    let any: bool = on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?;
    if !any {
        return Ok(None);
    }
    let sql = db.text(TAKE);
    Ok(
        on_write!(db, c => sqlx::query_as(&sql).bind(owner).bind(after(lease))
        .fetch_optional(c).await)?,
    )
}

/// Goes on working on a job; false where it was stopped, or somebody else has it.
pub async fn keep(db: &Db, job: i64, owner: &str, lease: Duration) -> Result<bool, DbError> {
    let sql = db.text(KEEP);
    let rows = on_write!(db, c => sqlx::query(&sql).bind(job).bind(owner).bind(after(lease))
        .execute(c).await.map(|r| r.rows_affected()))?;
    Ok(rows > 0)
}

/// Lets another process have a job at once.
pub async fn give_back(db: &Db, job: i64, owner: &str) -> Result<(), DbError> {
    let sql = db.text(GIVE_BACK);
    on_write!(db, c => sqlx::query(&sql).bind(job).bind(owner).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// A mail whose turn it is.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Turn {
    /// Its place in the job.
    pub place: i32,
    /// The mail.
    pub submission_id: i64,
    /// As it was seen.
    pub version: i64,
    /// As it was seen.
    pub attempt: i32,
}

/// The next mail of a job.
pub async fn next(db: &Db, job: i64) -> Result<Option<Turn>, DbError> {
    let sql = db.text(NEXT);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(job).fetch_optional(c).await)?)
}

/// What became of a mail's turn.
#[derive(Clone, Debug)]
pub enum Came {
    /// This attempt began.
    Resent(Option<i32>),
    /// It was left alone: why, and who was faster.
    Skipped(String, Option<(String, Stamp)>),
}

/// Writes down what became of a mail's turn.
pub async fn came(db: &Db, job: i64, place: i32, came: &Came) -> Result<(), DbError> {
    let (result, made, why, by) = match came {
        Came::Resent(made) => ("resent", *made, None, None),
        Came::Skipped(why, by) => ("skipped", None, Some(why), by.clone()),
    };
    let (by, at) = by.unzip();
    let sql = db.text(RESULT);
    on_write!(db, c => sqlx::query(&sql).bind(job).bind(place).bind(result).bind(made).bind(why)
        .bind(by).bind(at).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Ends a job whose mails have all had their turn.
pub async fn done(db: &Db, job: i64, owner: &str) -> Result<(), DbError> {
    let sql = db.text(DONE);
    on_write!(db, c => sqlx::query(&sql).bind(job).bind(owner).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// A job as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct JobRow {
    /// Its id.
    pub id: i64,
    /// `preview`, `running`, `stopped`, `done`.
    pub state: String,
    /// The list's filter.
    pub query: String,
    /// When it was looked at.
    pub created_at: Stamp,
    /// By whom.
    pub created_by: String,
    /// Why it was started.
    pub reason: Option<String>,
    /// When.
    pub started_at: Option<Stamp>,
    /// By whom.
    pub started_by: Option<String>,
    /// When it ended.
    pub ended_at: Option<Stamp>,
    /// Who stopped it.
    pub stopped_by: Option<String>,
}

/// One job.
pub async fn job(db: &Db, id: i64) -> Result<Option<JobRow>, DbError> {
    let sql = db.text(JOB);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

/// The newest jobs that were started.
pub async fn jobs(db: &Db, limit: i64) -> Result<Vec<JobRow>, DbError> {
    let sql = db.text(JOBS);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(limit).fetch_all(c).await)?)
}

/// How many mails of a job stand in the same way.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct CountRow {
    /// The job.
    pub job_id: i64,
    /// Why they were left out.
    pub refusal: Option<String>,
    /// `resent`, `skipped`; none while they wait.
    pub result: Option<String>,
    /// What came of the attempt; none while it is open.
    pub outcome: Option<String>,
    /// How many.
    pub count: i64,
}

/// Counts the mails of several jobs (`{ids $1}`).
pub async fn counts(db: &Db, jobs: &str) -> Result<Vec<CountRow>, DbError> {
    let sql = db.text(COUNTS);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(jobs).fetch_all(c).await)?)
}

/// A mail of a job.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ItemRow {
    /// Its place.
    pub place: i32,
    /// The mail.
    pub submission_id: i64,
    /// Its order.
    pub order_id: LooseText,
    /// Its kind.
    pub kind: LooseText,
    /// Which copy.
    pub copy: i32,
    /// To whom, now.
    pub recipient: Option<LooseText>,
    /// Why it was left out.
    pub refusal: Option<String>,
    /// `resent`, `skipped`.
    pub result: Option<String>,
    /// The attempt that it began.
    pub made: Option<i32>,
    /// Why it was skipped.
    pub why: Option<String>,
    /// Who was faster.
    pub by_whom: Option<String>,
    /// When they were, or when it had its turn.
    pub at: Option<Stamp>,
    /// What came of the attempt.
    pub outcome: Option<String>,
}

/// The mails of a job behind a place.
pub async fn items(db: &Db, job: i64, after: i32, limit: i64) -> Result<Vec<ItemRow>, DbError> {
    let sql = db.text(ITEMS);
    Ok(
        on_read!(db, c => sqlx::query_as(&sql).bind(job).bind(after).bind(limit)
        .fetch_all(c).await)?,
    )
}
