//! Open questions: of which mails a service is to be asked what became of them, when, and what
//! its answers change.
//!
//! `lookups` is a schedule, one line a mail. What was asked and answered is kept as observations:
//! `lookup_found`, `lookup_not_yet`, `lookup_no`, `lookup_unclear`.

mod answers;

pub use answers::{Undecided, Written, found, not_there, undecided};

use super::claim::after;
use super::row::needs_checking;
use crate::db::{Db, DbError, LooseText, Sql, Stamp, Tx};
use crate::provider::asking::Question;
use crate::{in_tx, on_read, on_write};
use std::time::Duration;
use uuid::Uuid;

/// A newer attempt's question takes the place of an older one's.
macro_rules! or_renew {
    () => {
        " ON CONFLICT (submission_id) DO UPDATE SET attempt = excluded.attempt, \
         lease_until = excluded.lease_until, next_at = excluded.next_at, asked = 0, asker = NULL, \
         ended = FALSE, unclear = 0 WHERE lookups.attempt <> excluded.attempt"
    };
}
/// Opens the question about the attempt of token `$2`: first asked at its lease's end.
const ASK: Sql = Sql::same(concat!(
    "INSERT INTO lookups (submission_id, attempt, lease_until, next_at) \
     SELECT submission_id, attempt, lease_until, \
     CASE WHEN lease_until > {now} THEN lease_until ELSE {now} END \
     FROM submission_attempts WHERE submission_id = $1 AND claim_token = $2",
    or_renew!()
));
/// Opens the questions that nobody opened: rows of an earlier version, or restored ones.
const SWEEP: Sql = Sql::same(concat!(
    "INSERT INTO lookups (submission_id, attempt, lease_until, next_at) \
     SELECT a.submission_id, a.attempt, a.lease_until, \
     CASE WHEN a.lease_until > {now} THEN a.lease_until ELSE {now} END \
     FROM (SELECT id, attempts FROM email_submissions WHERE ",
    needs_checking!(),
    " UNION SELECT id, attempts FROM email_submissions WHERE settled_by = 'assumed') AS open_rows \
     JOIN submission_attempts a ON a.submission_id = open_rows.id AND a.attempt = open_rows.attempts \
     WHERE NOT EXISTS (SELECT 1 FROM lookups l WHERE l.submission_id = open_rows.id \
     AND l.attempt = open_rows.attempts)",
    or_renew!()
));
const ANY_DUE: Sql =
    Sql::same("SELECT EXISTS (SELECT 1 FROM lookups WHERE NOT ended AND next_at <= {now})");
/// Takes questions for process `$1`. A question stays with the process whose clock remembers the
/// first answer, unless that process is late by more than `$2`. Whoever takes one has `$4` to
/// answer before another may.
const TAKE: Sql = Sql {
    sqlite: "UPDATE lookups SET asked = asked + 1, asker = $1, next_at = {after $4} \
             WHERE submission_id IN (SELECT submission_id FROM lookups WHERE NOT ended AND next_at <= {now} \
             AND (asker IS NULL OR asker = $1 OR next_at <= {after $2}) ORDER BY next_at LIMIT $3) \
             RETURNING submission_id, attempt, asked, unclear",
    postgres: "WITH due AS MATERIALIZED (SELECT submission_id FROM lookups WHERE NOT ended \
               AND next_at <= {now} AND (asker IS NULL OR asker = $1 OR next_at <= {after $2}) \
               ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED) \
               UPDATE lookups SET asked = asked + 1, asker = $1, next_at = {after $4} \
               WHERE submission_id IN (SELECT submission_id FROM due) \
               RETURNING submission_id, attempt, asked, unclear",
};
/// The row of an open question, or nothing where it is none any more.
macro_rules! open_question {
    () => {
        "s.attempts = $2 AND ((s.status = 'requesting' \
         AND (s.unknown_at IS NOT NULL OR s.lease_until <= {now})) \
         OR (s.settled_by = 'assumed' AND s.status IN ('failed', 'synced')))"
    };
}
use open_question;

const READ: Sql = Sql::same(concat!(
    "SELECT s.id, CAST(s.ref AS text) AS reference, s.subject, s.provider_message_id, a.attempt, \
     a.recipient, a.provider, a.account, a.claimed_at, l.lease_until, {now} AS as_of, \
     (SELECT r.digest FROM attempt_requests r WHERE r.submission_id = s.id AND r.attempt = $2) AS digest \
     FROM email_submissions s JOIN submission_attempts a \
     ON a.submission_id = s.id AND a.attempt = s.attempts \
     JOIN lookups l ON l.submission_id = s.id AND l.attempt = s.attempts WHERE s.id = $1 AND ",
    open_question!()
));
const FORGET: Sql = Sql::same("DELETE FROM lookups WHERE submission_id = $1 AND attempt = $2");
/// Proof came from elsewhere while the attempt was under way, and then its process died: nobody
/// else closes it.
const CLOSE_LEFT: Sql = Sql::same(
    "UPDATE submission_attempts SET closed_at = {now}, cause = 'vanished', \
     outcome = CASE WHEN EXISTS (SELECT 1 FROM submission_observations o WHERE o.submission_id = $1 \
     AND o.attempt = $2 AND o.kind IN ('event_accepted', 'event_delivered', 'event_bounced', \
     'event_complained')) THEN 'accepted' ELSE 'unknown' END \
     WHERE submission_id = $1 AND attempt = $2 AND closed_at IS NULL AND lease_until <= {now} \
     AND NOT EXISTS (SELECT 1 FROM email_submissions WHERE id = $1 AND status = 'requesting')",
);
const HIGHEST_ATTEMPT: Sql = Sql::same("SELECT COALESCE(MAX(id), 0) FROM submission_attempts");
/// A mail whose attempt was claimed after attempt row `$1` and that the service accepted.
const WITNESS: Sql = Sql::same(
    "SELECT CAST(s.ref AS text), a.attempt, a.recipient, s.subject, a.provider_message_id, a.claimed_at \
     FROM submission_attempts a JOIN email_submissions s ON s.id = a.submission_id \
     WHERE a.id > $1 AND a.outcome = 'accepted' AND a.provider = $2 AND a.account = $3 \
     ORDER BY a.id DESC LIMIT 1",
);

pub(super) use answers::STATEMENTS as ANSWERS;

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("lookup::ASK", ASK),
    ("lookup::SWEEP", SWEEP),
    ("lookup::ANY_DUE", ANY_DUE),
    ("lookup::TAKE", TAKE),
    ("lookup::READ", READ),
    ("lookup::FORGET", FORGET),
    ("lookup::CLOSE_LEFT", CLOSE_LEFT),
    ("lookup::HIGHEST_ATTEMPT", HIGHEST_ATTEMPT),
    ("lookup::WITNESS", WITNESS),
];

/// Clocks of this database and of the service may differ by this much, a day of a wrong zone
/// included, without hiding a mail from a search by time.
const SKEW: chrono::TimeDelta = chrono::TimeDelta::hours(25);

/// A question that this process took.
#[derive(Clone, Debug)]
pub struct Open {
    /// The submission.
    pub id: i64,
    /// The attempt in question.
    pub attempt: i32,
    /// How often it was asked, this time included.
    pub asked: i32,
    /// How many of the last answers in a row were no clear ones.
    pub unclear: i32,
    /// The service that the attempt went to.
    pub provider: String,
    /// The account that the attempt went to.
    pub account: String,
    /// Since the attempt's claim, by the database's clock.
    pub since_claim: Duration,
    /// Since the attempt's lease ended, by the database's clock.
    pub since_lease_end: Duration,
    /// What the attempt's request was, where its service knows idempotency keys.
    pub digest: Option<String>,
    /// The question itself.
    pub question: Question,
}

/// Opens the question about an attempt, in the transaction that found its outcome unknown.
pub(super) async fn ask(db: &Db, tx: &mut Tx, id: i64, token: &str) -> Result<(), DbError> {
    let sql = db.text(ASK);
    in_tx!(tx, c => sqlx::query(&sql).bind(id).bind(token).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Opens every question that is open and stands in no schedule; returns how many.
pub async fn sweep(db: &Db) -> Result<u64, DbError> {
    let sql = db.text(SWEEP);
    Ok(on_write!(db, c => sqlx::query(&sql).execute(c).await.map(|r| r.rows_affected()))?)
}

/// Takes up to `limit` questions that are due. Those that are open no longer are forgotten.
/// `patience`: how late the process that asked first may be before another takes over; also how
/// long an answer may take.
pub async fn take(
    db: &Db,
    process: &str,
    patience: Duration,
    limit: i64,
) -> Result<Vec<Open>, DbError> {
    let sql = db.text(ANY_DUE);
    let any: bool = on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?;
    if !any {
        return Ok(Vec::new());
    }
    let ms = after(patience);
    let sql = db.text(TAKE);
    let taken: Vec<(i64, i32, i32, i32)> = on_write!(db, c => sqlx::query_as(&sql)
        .bind(process).bind(-ms).bind(limit).bind(ms).fetch_all(c).await)?;
    let mut open = Vec::with_capacity(taken.len());
    for (id, attempt, asked, unclear) in taken {
        match read(db, id, attempt, (asked, unclear)).await? {
            Some(question) => open.push(question),
            None => {
                for sql in [db.text(CLOSE_LEFT), db.text(FORGET)] {
                    on_write!(db, c => sqlx::query(&sql).bind(id).bind(attempt).execute(c).await.map(|_| ()))?;
                }
            }
        }
    }
    Ok(open)
}

async fn read(
    db: &Db,
    id: i64,
    attempt: i32,
    (asked, unclear): (i32, i32),
) -> Result<Option<Open>, DbError> {
    #[derive(sqlx::FromRow)]
    struct Found {
        reference: String,
        subject: Option<LooseText>,
        provider_message_id: Option<String>,
        recipient: Option<LooseText>,
        provider: String,
        account: String,
        claimed_at: Stamp,
        lease_until: Stamp,
        as_of: Stamp,
        digest: Option<String>,
    }
    let sql = db.text(READ);
    let found: Option<Found> =
        on_read!(db, c => sqlx::query_as(&sql).bind(id).bind(attempt).fetch_optional(c).await)?;
    let Some(found) = found else {
        return Ok(None);
    };
    let since = |then: Stamp| {
        let micros = found.as_of.micros().saturating_sub(then.micros());
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    Ok(Some(Open {
        id,
        attempt,
        asked,
        unclear,
        since_claim: since(found.claimed_at),
        since_lease_end: since(found.lease_until),
        digest: found.digest,
        question: Question {
            reference: reference(&found.reference, id)?,
            attempt,
            recipient: text(found.recipient),
            subject: text(found.subject),
            message_id: found.provider_message_id,
            since: found.claimed_at.utc() - SKEW,
            until: Some(found.lease_until.utc() + SKEW),
        },
        provider: found.provider,
        account: found.account,
    }))
}

fn text(text: Option<LooseText>) -> String {
    text.map_or_else(String::new, |t| t.shown().to_owned())
}

fn reference(text: &str, id: i64) -> Result<Uuid, DbError> {
    Uuid::parse_str(text).map_err(|_| DbError::Corrupt { column: "ref", id })
}

/// The number of the newest attempt of all: what is claimed from now on has a higher one.
pub async fn highest_attempt(db: &Db) -> Result<i64, DbError> {
    let sql = db.text(HIGHEST_ATTEMPT);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// A mail that was claimed later than attempt number `mark` and that the service accepted: if the
/// service shows it, its look-up has come that far.
pub async fn witness(
    db: &Db,
    mark: i64,
    provider: &str,
    account: &str,
) -> Result<Option<Question>, DbError> {
    type Found = (
        String,
        i32,
        Option<LooseText>,
        Option<LooseText>,
        Option<String>,
        Stamp,
    );
    let sql = db.text(WITNESS);
    let found: Option<Found> = on_read!(db, c => sqlx::query_as(&sql)
        .bind(mark).bind(provider).bind(account).fetch_optional(c).await)?;
    let Some((own, attempt, recipient, subject, message_id, claimed_at)) = found else {
        return Ok(None);
    };
    Ok(Some(Question {
        reference: reference(&own, mark)?,
        attempt,
        recipient: text(recipient),
        subject: text(subject),
        message_id,
        since: claimed_at.utc() - SKEW,
        until: None,
    }))
}
