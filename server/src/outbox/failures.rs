//! Failures by what went wrong: taken from closed attempts and from what was screened, told apart
//! by service, code and words (`model/failure.rs`), and kept in a table of their own, small as they
//! are few.

use super::list::Arg;
use super::search::{LARGEST_SET, Piece, member};
use crate::db::limited::PATIENCE;
use crate::db::{Db, DbError, Sql, Stamp, Tx, id_list};
use crate::{in_tx, on_limited, on_read};
use app::model::failure::{hash, normalised, unsaid};
use app::model::filter::Failed;

/// Failures taken at once.
const BATCH: i64 = 200;
/// Groups shown at once.
pub const GROUPS_SHOWN: i64 = 200;

const ANY_DUE: Sql = Sql::same("SELECT COUNT(*) FROM (SELECT 1 FROM failure_due LIMIT 1) AS one");
const TAKE: Sql = Sql {
    sqlite: "DELETE FROM failure_due WHERE (source, source_id) IN (SELECT source, source_id \
             FROM failure_due ORDER BY source, source_id LIMIT $1) RETURNING source, source_id",
    postgres: "DELETE FROM failure_due WHERE (source, source_id) IN (SELECT source, source_id \
               FROM failure_due ORDER BY source, source_id LIMIT $1 FOR UPDATE SKIP LOCKED) \
               RETURNING source, source_id",
};
const ATTEMPTS: Sql = Sql::same(
    "SELECT id, submission_id, closed_at AS at, provider, code, cause, error \
     FROM submission_attempts WHERE id {ids $1} AND closed_at IS NOT NULL",
);
const SCREENED: Sql = Sql::same(
    "SELECT id, submission_id, at, '' AS provider, CAST(NULL AS int) AS code, \
     CAST(NULL AS text) AS cause, detail AS error FROM submission_observations WHERE id {ids $1}",
);
const GROUP: Sql = Sql::same(
    "INSERT INTO failure_groups (hash, provider, code, text) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (hash) DO NOTHING",
);
const FAILURE: Sql = Sql::same(
    "INSERT INTO failures (source, source_id, submission_id, at, hash) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (source, source_id) DO NOTHING",
);
const GROUPS: Sql = Sql::same(
    "SELECT g.hash, g.provider, g.code, g.text, f.mails, f.failures, f.first_at, f.last_at FROM ( \
     SELECT hash, COUNT(DISTINCT submission_id) AS mails, COUNT(*) AS failures, \
     MIN(at) AS first_at, MAX(at) AS last_at FROM failures WHERE at >= {after $1} GROUP BY hash) AS f \
     JOIN failure_groups AS g ON g.hash = f.hash ORDER BY f.mails DESC, f.last_at DESC, g.hash LIMIT $2",
);
const ONE: Sql = Sql::same("SELECT hash, provider, code, text FROM failure_groups WHERE hash = $1");
const MANY: Sql =
    Sql::same("SELECT COUNT(*) FROM (SELECT 1 FROM failures WHERE hash = $1 LIMIT $2) AS found");

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("failures::ANY_DUE", ANY_DUE),
    ("failures::TAKE", TAKE),
    ("failures::ATTEMPTS", ATTEMPTS),
    ("failures::SCREENED", SCREENED),
    ("failures::GROUP", GROUP),
    ("failures::FAILURE", FAILURE),
    ("failures::GROUPS", GROUPS),
    ("failures::ONE", ONE),
    ("failures::MANY", MANY),
];

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Group {
    /// Its name.
    pub hash: String,
    /// The service; empty where a mail never came so far.
    pub provider: String,
    /// The answer's code.
    pub code: Option<i32>,
    /// The words, without what differs from mail to mail.
    pub text: String,
}

/// A group, and how often.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Counted {
    /// What went wrong.
    #[sqlx(flatten)]
    pub group: Group,
    /// With how many mails.
    pub mails: i64,
    /// How often.
    pub failures: i64,
    /// First.
    pub first_at: Stamp,
    /// Last.
    pub last_at: Stamp,
}

#[derive(sqlx::FromRow)]
struct Found {
    id: i64,
    submission_id: i64,
    at: Stamp,
    provider: String,
    code: Option<i32>,
    cause: Option<String>,
    error: Option<String>,
}

/// Takes a batch of what failed; whether there is more. Safe in many processes at once.
pub async fn round(db: &Db) -> Result<bool, DbError> {
    let sql = db.text(ANY_DUE);
    let due: i64 = on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?;
    if due == 0 {
        return Ok(false);
    }
    let sql = db.text(TAKE);
    let mut tx = db.begin().await?;
    let taken: Vec<(String, i64)> =
        in_tx!(&mut tx, c => sqlx::query_as(&sql).bind(BATCH).fetch_all(c).await)?;
    for (source, statement) in [("attempt", ATTEMPTS), ("screened", SCREENED)] {
        let of_source = taken.iter().filter(|(s, _)| s == source);
        let ids = id_list(of_source.map(|(_, id)| *id));
        if !ids.is_empty() {
            let sql = db.text(statement);
            let found: Vec<Found> =
                in_tx!(&mut tx, c => sqlx::query_as(&sql).bind(&ids).fetch_all(c).await)?;
            write(db, &mut tx, source, found).await?;
        }
    }
    tx.commit().await?;
    Ok(i64::try_from(taken.len()).is_ok_and(|n| n >= BATCH))
}

async fn write(db: &Db, tx: &mut Tx, source: &str, found: Vec<Found>) -> Result<(), DbError> {
    let (group, failure) = (db.text(GROUP), db.text(FAILURE));
    let mut groups: Vec<Group> = Vec::new();
    let mut named = Vec::new();
    for one in found {
        let text = match one.error.as_deref() {
            Some(error) if !error.trim().is_empty() => normalised(error),
            _ => unsaid(one.cause.as_deref()).to_owned(),
        };
        let hash = hash(&one.provider, one.code, &text);
        if !groups.iter().any(|group| group.hash == hash) {
            groups.push(Group {
                hash: hash.clone(),
                provider: one.provider,
                code: one.code,
                text,
            });
        }
        named.push((one.id, one.submission_id, one.at, hash));
    }
    // In one order everywhere: two processes that add the same would wait for each other.
    groups.sort_by(|a, b| a.hash.cmp(&b.hash));
    for Group {
        hash,
        provider,
        code,
        text,
    } in &groups
    {
        in_tx!(tx, c => sqlx::query(&group).bind(hash).bind(provider).bind(*code).bind(text)
            .execute(c).await.map(|_| ()))?;
    }
    for (id, submission, at, hash) in &named {
        in_tx!(tx, c => sqlx::query(&failure).bind(source).bind(*id).bind(*submission).bind(*at)
            .bind(hash).execute(c).await.map(|_| ()))?;
    }
    Ok(())
}

/// What went wrong in the last `days` days, the most frequent first; none where that took too long.
pub async fn groups(db: &Db, days: i64) -> Result<Option<Vec<Counted>>, DbError> {
    let sql = db.text(GROUPS);
    on_limited!(db, PATIENCE, c => sqlx::query_as(&sql)
        .bind(-days * DAY_MS).bind(GROUPS_SHOWN).fetch_all(c).await)
}

const DAY_MS: i64 = 86_400_000;

/// What has this name.
pub async fn group(db: &Db, hash: &str) -> Result<Option<Group>, DbError> {
    let sql = db.text(ONE);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(hash).fetch_optional(c).await)?)
}

/// The mails with such a failure, as a condition of a list.
pub(super) async fn condition(db: &Db, failed: &Failed) -> Result<Piece, DbError> {
    let sql = db.text(MANY);
    let found: i64 = on_read!(db, c => sqlx::query_scalar(&sql)
        .bind(&failed.hash).bind(LARGEST_SET + 1).fetch_one(c).await)?;
    let mut args = vec![Arg::Text(failed.hash.clone())];
    let since = failed.days.map_or("", |days| {
        args.push(Arg::Int(-i64::from(days) * DAY_MS));
        " AND f.at >= {after $?}"
    });
    let condition = if found > LARGEST_SET {
        format!(
            "EXISTS (SELECT 1 FROM failures AS f WHERE f.submission_id = email_submissions.id \
             AND f.hash = $?{since})"
        )
    } else {
        member(
            db,
            &format!("SELECT f.submission_id FROM failures AS f WHERE f.hash = $?{since}"),
        )
    };
    Ok((condition, args))
}
