//! How the installation is: what an administrator looks at.

use crate::db::{Db, DbError, Sql, Stamp};
use crate::on_read;

const PAUSES: Sql = Sql::same(
    "SELECT provider, account, paused_since, paused_until, code FROM service_pauses \
     ORDER BY paused_since DESC LIMIT 20",
);
const LAST_ACCEPTED: Sql = Sql::same(
    "SELECT sent_at, COALESCE(provider, '') FROM email_submissions WHERE sent_at IS NOT NULL \
     ORDER BY sent_at DESC, id DESC LIMIT 1",
);
const OPEN: Sql = Sql::same(
    "SELECT COUNT(*), COUNT(*) FILTER (WHERE unclear >= 3), MIN(next_at) FROM lookups WHERE NOT ended",
);
const ENDED: Sql = Sql::same(
    "SELECT COUNT(*) FROM email_submissions s JOIN lookups l ON l.submission_id = s.id \
     AND l.attempt = s.attempts WHERE s.status = 'requesting' AND l.ended",
);
/// Not looked for further back than this many observations: nobody waits for old ones.
const ANSWERS: Sql = Sql::same(
    "SELECT o.at, o.submission_id, s.order_id, o.kind FROM submission_observations o \
     JOIN email_submissions s ON s.id = o.submission_id \
     WHERE o.id > (SELECT COALESCE(MAX(id), 0) - 20000 FROM submission_observations) \
     AND o.kind IN ('lookup_found', 'lookup_not_yet', 'lookup_no', 'lookup_unclear') \
     ORDER BY o.id DESC LIMIT 5",
);
const LAST_EVENT: Sql = Sql::same(
    "SELECT at, kind FROM submission_observations \
     WHERE id > (SELECT COALESCE(MAX(id), 0) - 20000 FROM submission_observations) \
     AND kind IN ('event_accepted', 'event_delivered', 'event_bounced', 'event_complained') \
     ORDER BY id DESC LIMIT 1",
);
const ALERTS: Sql =
    Sql::same("SELECT condition, since, told_at FROM alerts ORDER BY since, condition");
const VERSION: Sql = Sql {
    sqlite: "SELECT sqlite_version()",
    postgres: "SELECT current_setting('server_version')",
};
const SIZE: Sql = Sql {
    sqlite: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    postgres: "SELECT pg_database_size(current_database())",
};

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("state::PAUSES", PAUSES),
    ("state::LAST_ACCEPTED", LAST_ACCEPTED),
    ("state::OPEN", OPEN),
    ("state::ENDED", ENDED),
    ("state::ANSWERS", ANSWERS),
    ("state::LAST_EVENT", LAST_EVENT),
    ("state::ALERTS", ALERTS),
    ("state::VERSION", VERSION),
    ("state::SIZE", SIZE),
];

/// A service and account that stand paused.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct PauseRow {
    /// The service.
    pub provider: String,
    /// The account.
    pub account: String,
    /// Since when.
    pub paused_since: Stamp,
    /// When one mail tries again.
    pub paused_until: Stamp,
    /// The answer's code.
    pub code: Option<i32>,
}

/// What a service answered of a mail.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AnswerRow {
    /// When.
    pub at: Stamp,
    /// The mail.
    pub submission_id: i64,
    /// Its order number.
    pub order_id: crate::db::LooseText,
    /// `lookup_found` and the like.
    pub kind: String,
}

/// Open questions: how many, of those without a clear answer three times in a row, and when the
/// next is due.
#[derive(Clone, Copy, Debug)]
pub struct Questions {
    /// Still asked.
    pub open: i64,
    /// Of those, without a clear answer.
    pub failing: i64,
    /// Asked no more, and still in doubt.
    pub ended: i64,
    /// When the next is due.
    pub next_at: Option<Stamp>,
}

/// Everything that stands paused.
pub async fn pauses(db: &Db) -> Result<Vec<PauseRow>, DbError> {
    let sql = db.text(PAUSES);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?)
}

/// When a mail was last accepted, and by which service.
pub async fn last_accepted(db: &Db) -> Result<Option<(Stamp, String)>, DbError> {
    let sql = db.text(LAST_ACCEPTED);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_optional(c).await)?)
}

/// How many questions there are.
pub async fn questions(db: &Db) -> Result<Questions, DbError> {
    let sql = db.text(OPEN);
    let (open, failing, next_at): (i64, i64, Option<Stamp>) =
        on_read!(db, c => sqlx::query_as(&sql).fetch_one(c).await)?;
    let sql = db.text(ENDED);
    let ended = on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?;
    Ok(Questions {
        open,
        failing,
        ended,
        next_at,
    })
}

/// What services answered last, newest first.
pub async fn answers(db: &Db) -> Result<Vec<AnswerRow>, DbError> {
    let sql = db.text(ANSWERS);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?)
}

/// The last event that a service told of: when, by its own clock, and its kind.
pub async fn last_event(db: &Db) -> Result<Option<(Stamp, String)>, DbError> {
    let sql = db.text(LAST_EVENT);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_optional(c).await)?)
}

/// The conditions that somebody was told of: since when they hold, and when that was told last.
pub async fn alerts(db: &Db) -> Result<Vec<(String, Stamp, Stamp)>, DbError> {
    let sql = db.text(ALERTS);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?)
}

/// The database's own version.
pub async fn version(db: &Db) -> Result<String, DbError> {
    let sql = db.text(VERSION);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await)?)
}

/// The database's size in bytes; none where the role may not know it.
pub async fn size(db: &Db) -> Option<i64> {
    let sql = db.text(SIZE);
    on_read!(db, c => sqlx::query_scalar(&sql).fetch_one(c).await).ok()
}
