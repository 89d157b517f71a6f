//! Resending many mails: what was seen is frozen into rows, and what becomes of each is written
//! beside it. Each mail goes through the claim that a single resend uses; this only keeps the list.

mod statements;

pub(super) use statements::STATEMENTS;

use super::audit::{self, Matter};
use super::claim::{after, before};
use crate::db::{Db, DbError, LooseText, Stamp, Tx, id_list};
use crate::{in_tx, on_read, on_write};
use app::model::views::{Outcome, face_of};
use app::model::{ActKind, Face, Status};
use statements::{
    ANY, COUNTS, DONE, DOUBTFUL, FORGET, FORGET_ITEMS, FREEZE, GIVE_BACK, ITEMS, JOB, JOBS, KEEP,
    NEW, NEXT, OLD, RESULT, REVOKE, START, STOP, TAKE,
};
use std::time::Duration;

/// How long what was seen may be started.
pub const FRESH: Duration = Duration::from_secs(86_400);
/// How long it is kept where nobody starts it: longer, so that whoever comes too late is told so.
const KEPT: Duration = Duration::from_secs(2 * 86_400);
/// Who stops a job by itself, in the record. Nobody may be called so.
const ITSELF: &str = "denpyo";

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

/// Freezes what was seen; returns the new job's id. What was frozen days ago and never started goes.
pub async fn freeze(db: &Db, query: &str, actor: &str, seen: &[Seen]) -> Result<i64, DbError> {
    let mut tx = db.begin().await?;
    forget_old(db, &mut tx).await?;
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

/// Deletes what nobody can start any more.
async fn forget_old(db: &Db, tx: &mut Tx) -> Result<(), DbError> {
    let sql = db.text(OLD);
    let old: Vec<i64> = in_tx!(&mut *tx, c => sqlx::query_scalar(&sql).bind(before(KEPT))
        .fetch_all(c).await)?;
    let ids = id_list(old);
    for sql in [FORGET_ITEMS, FORGET] {
        let sql = db.text(sql);
        in_tx!(&mut *tx, c => sqlx::query(&sql).bind(&ids).execute(c).await.map(|_| ()))?;
    }
    Ok(())
}

/// What a job is called where an act is about it: its page.
fn page(job: i64) -> String {
    format!("/bulk/{job}")
}

/// Starts a job that was only looked at, a day ago at most; whether this was it.
pub async fn start(db: &Db, job: i64, actor: &str, reason: &str) -> Result<bool, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(START);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql).bind(job).bind(reason).bind(actor)
        .bind(before(FRESH)).execute(c).await.map(|r| r.rows_affected()))?;
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

/// Stops a job that this process works on, since whoever started it may not any more.
pub async fn revoke(db: &Db, job: i64, owner: &str) -> Result<(), DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(REVOKE);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql).bind(job).bind(owner)
        .execute(c).await.map(|r| r.rows_affected()))?;
    if rows > 0 {
        let about = page(job);
        let act = Matter::of(ITSELF, ActKind::BulkRevoked, &about);
        audit::record_matter(db, &mut tx, act).await?;
        tx.commit().await?;
    }
    Ok(())
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
    /// Who stopped it; nobody where it stopped since whoever started it may not any more.
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

/// What has become of a resent mail.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Became {
    /// How its last attempt ended before a person sent it again; none where nobody has.
    outcome: Option<String>,
    /// How it stands.
    status: Option<String>,
    /// Nobody knows its outcome.
    in_doubt: Option<bool>,
}

impl Became {
    /// As people see it.
    pub fn face(&self) -> Face {
        if let Some(outcome) = self.outcome.as_deref().and_then(Outcome::parse) {
            return face_of(outcome);
        }
        // The table has no other words than these.
        let status = self.status.as_deref().and_then(Status::parse);
        status.map_or(Face::NeedsChecking, |status| {
            Face::of(status, self.in_doubt == Some(true), None)
        })
    }
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
    /// What has become of them, where they were resent.
    #[sqlx(flatten)]
    pub became: Became,
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
    /// The last attempt that was made of it.
    pub attempt: i32,
    /// Why it was skipped.
    pub why: Option<String>,
    /// Who was faster.
    pub by_whom: Option<String>,
    /// When they were, or when it had its turn.
    pub at: Option<Stamp>,
    /// What has become of it, where it was resent.
    #[sqlx(flatten)]
    pub became: Became,
}

/// The mails of a job that are still to be resent and may arrive twice then.
pub async fn doubtful(db: &Db, job: i64) -> Result<Vec<i64>, DbError> {
    let sql = db.text(DOUBTFUL);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(job).fetch_all(c).await)?)
}

/// The mails of a job behind a place.
pub async fn items(db: &Db, job: i64, after: i32, limit: i64) -> Result<Vec<ItemRow>, DbError> {
    let sql = db.text(ITEMS);
    Ok(
        on_read!(db, c => sqlx::query_as(&sql).bind(job).bind(after).bind(limit)
        .fetch_all(c).await)?,
    )
}
