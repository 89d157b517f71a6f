//! What people did, and what was learnt beside an attempt's own answer: written once, in the
//! transaction of what they tell of.

use super::claim::before;
use crate::db::{Db, DbError, Sql, Stamp, Tx};
use crate::in_tx;
use app::model::ActKind;
use std::time::Duration;

/// Begins the names of requests that are Denpyo's own; no program may use one that begins so.
pub const OWN_REQUESTS: &str = "denpyo:";

/// An operator's act on one mail.
#[derive(Clone, Debug)]
pub struct Act<'a> {
    /// The sign-in name, or `api`.
    pub actor: &'a str,
    /// What they did.
    pub kind: ActKind,
    /// The submission.
    pub submission_id: i64,
    /// Their reason.
    pub reason: Option<&'a str>,
    /// Status before.
    pub before_status: Option<&'a str>,
    /// Status after.
    pub after_status: Option<&'a str>,
    /// Recipient before, where it changes.
    pub before_recipient: Option<&'a str>,
    /// Recipient after, where it changes.
    pub after_recipient: Option<&'a str>,
    /// The attempt it began or judged.
    pub attempt: Option<i32>,
    /// The version the person saw.
    pub version_seen: Option<i64>,
    /// The caller's own name for this request.
    pub request_id: Option<&'a str>,
    /// The further copy that it made.
    pub copy_id: Option<i64>,
}

impl<'a> Act<'a> {
    /// An act of which no more is known.
    pub fn of(actor: &'a str, kind: ActKind, submission_id: i64) -> Act<'a> {
        Act {
            actor,
            kind,
            submission_id,
            reason: None,
            before_status: None,
            after_status: None,
            before_recipient: None,
            after_recipient: None,
            attempt: None,
            version_seen: None,
            request_id: None,
            copy_id: None,
        }
    }
}

/// An act that is about no single mail.
#[derive(Clone, Copy, Debug)]
pub struct Matter<'a> {
    /// The sign-in name, or the command.
    pub actor: &'a str,
    /// What they did.
    pub kind: ActKind,
    /// What it was about: a user's name, a month, what was exported.
    pub about: &'a str,
    /// Their reason.
    pub reason: Option<&'a str>,
    /// What was before.
    pub before: Option<&'a str>,
    /// What is now.
    pub after: Option<&'a str>,
}

impl<'a> Matter<'a> {
    /// One of which no more is known.
    pub fn of(actor: &'a str, kind: ActKind, about: &'a str) -> Matter<'a> {
        Matter {
            actor,
            kind,
            about,
            reason: None,
            before: None,
            after: None,
        }
    }
}

const ACT: Sql = Sql::same(
    "INSERT INTO audit_events (actor, act, submission_id, reason, before_status, after_status, \
     before_recipient, after_recipient, attempt, version_seen, request_id, copy_id) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
);
const MATTER: Sql = Sql::same(
    "INSERT INTO audit_events (actor, act, detail, reason, before_value, after_value) \
     VALUES ($1, $2, $3, $4, $5, $6)",
);
const OBSERVATION: Sql = Sql::same(
    "INSERT INTO submission_observations (submission_id, attempt, kind, provider, detail) \
     VALUES ($1, $2, $3, $4, $5)",
);
const BY_REQUEST: Sql = Sql::same(
    "SELECT attempt FROM audit_events WHERE submission_id = $1 AND act = $2 AND request_id = $3",
);
const LAST_ACT: Sql = Sql::same(
    "SELECT actor, at, act FROM audit_events WHERE submission_id = $1 \
     AND act NOT IN ('copy', 'reveal') ORDER BY id DESC LIMIT 1",
);

const LAST_RELEASE_OF: Sql = Sql::same(
    "SELECT actor, at FROM audit_events WHERE submission_id = $1 AND act = 'release' \
     ORDER BY id DESC LIMIT 1",
);
/// Not looked for further back than this many acts: nobody waits for an old one.
const LAST_RELEASE: Sql = Sql::same(
    "SELECT actor, at FROM audit_events WHERE act = 'release' \
     AND id > (SELECT COALESCE(MAX(id), 0) - 20000 FROM audit_events) ORDER BY id DESC LIMIT 1",
);

const LAST_COPY_OF: Sql = Sql::same(
    "SELECT a.actor, a.at, c.id, c.copy FROM audit_events a \
     JOIN email_submissions c ON c.id = a.copy_id \
     WHERE a.submission_id = $1 AND a.act = 'copy' ORDER BY a.id DESC LIMIT 1",
);
const REVEAL: Sql = Sql::same(
    "INSERT INTO audit_events (actor, act, submission_id, reason) \
     SELECT $2, 'reveal', id, $3 FROM email_submissions WHERE id = $1",
);
const REVEALED: Sql = Sql::same(
    "SELECT DISTINCT submission_id FROM audit_events WHERE submission_id {ids $1} AND actor = $2 \
     AND act = 'reveal' AND at > {after $3}",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("audit::ACT", ACT),
    ("audit::MATTER", MATTER),
    ("audit::OBSERVATION", OBSERVATION),
    ("audit::BY_REQUEST", BY_REQUEST),
    ("audit::LAST_ACT", LAST_ACT),
    ("audit::LAST_COPY_OF", LAST_COPY_OF),
    ("audit::REVEAL", REVEAL),
    ("audit::REVEALED", REVEALED),
    ("audit::LAST_RELEASE_OF", LAST_RELEASE_OF),
    ("audit::LAST_RELEASE", LAST_RELEASE),
];

/// Writes an act down.
pub async fn record(db: &Db, tx: &mut Tx, act: &Act<'_>) -> Result<(), DbError> {
    let sql = db.text(ACT);
    in_tx!(tx, c => sqlx::query(&sql)
        .bind(act.actor).bind(act.kind.as_str()).bind(act.submission_id).bind(act.reason)
        .bind(act.before_status).bind(act.after_status)
        .bind(act.before_recipient).bind(act.after_recipient)
        .bind(act.attempt).bind(act.version_seen).bind(act.request_id).bind(act.copy_id)
        .execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Writes an act down that is about no single mail.
pub async fn record_matter(db: &Db, tx: &mut Tx, matter: Matter<'_>) -> Result<(), DbError> {
    let sql = db.text(MATTER);
    in_tx!(tx, c => sqlx::query(&sql)
        .bind(matter.actor).bind(matter.kind.as_str()).bind(matter.about).bind(matter.reason)
        .bind(matter.before).bind(matter.after).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Writes an observation down.
pub async fn observe(
    db: &Db,
    tx: &mut Tx,
    submission_id: i64,
    attempt: Option<i32>,
    kind: &str,
    provider: Option<&str>,
    detail: Option<&str>,
) -> Result<(), DbError> {
    let sql = db.text(OBSERVATION);
    in_tx!(tx, c => sqlx::query(&sql)
        .bind(submission_id).bind(attempt).bind(kind).bind(provider).bind(detail)
        .execute(c).await.map(|_| ()))?;
    Ok(())
}

/// The attempt that an earlier request of the same name began.
pub async fn by_request(
    db: &Db,
    tx: &mut Tx,
    id: i64,
    kind: ActKind,
    request_id: &str,
) -> Result<Option<Option<i32>>, DbError> {
    let sql = db.text(BY_REQUEST);
    Ok(in_tx!(tx, c => sqlx::query_scalar(&sql)
        .bind(id).bind(kind.as_str()).bind(request_id)
        .fetch_optional(c).await)?)
}

/// Who last did something to a submission, when, and what.
pub async fn last_act(db: &Db, id: i64) -> Result<Option<(String, Stamp, String)>, DbError> {
    let sql = db.text(LAST_ACT);
    Ok(crate::on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

/// The last further copy that somebody made of a submission: who, when, its id and its number.
pub async fn last_copy_of(db: &Db, id: i64) -> Result<Option<(String, Stamp, i64, i32)>, DbError> {
    let sql = db.text(LAST_COPY_OF);
    Ok(crate::on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

/// Writes down that somebody is shown a submission's addresses; whether there is such a one.
pub async fn reveal(db: &Db, id: i64, actor: &str, reason: &str) -> Result<bool, DbError> {
    let sql = db.text(REVEAL);
    let mut tx = db.begin().await?;
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql).bind(id).bind(actor).bind(reason)
        .execute(c).await.map(|r| r.rows_affected()))?;
    tx.commit().await?;
    Ok(rows > 0)
}

/// Those of several submissions (`{ids $1}`) whose addresses somebody asked for within that time.
pub async fn revealed(
    db: &Db,
    ids: &str,
    actor: &str,
    within: Duration,
) -> Result<Vec<i64>, DbError> {
    let sql = db.text(REVEALED);
    Ok(
        crate::on_read!(db, c => sqlx::query_scalar(&sql).bind(ids).bind(actor)
        .bind(before(within)).fetch_all(c).await)?,
    )
}

/// Who last let go of a submission, and when.
pub async fn last_release_of(db: &Db, id: i64) -> Result<Option<(String, Stamp)>, DbError> {
    let sql = db.text(LAST_RELEASE_OF);
    Ok(crate::on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

/// Who last let go of any submission, and when.
pub async fn last_release(db: &Db) -> Result<Option<(String, Stamp)>, DbError> {
    let sql = db.text(LAST_RELEASE);
    Ok(crate::on_read!(db, c => sqlx::query_as(&sql).fetch_optional(c).await)?)
}
