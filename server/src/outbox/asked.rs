//! What services are asked about mails in doubt, and what they answered so far.

use super::read::{ObservationRow, of_each};
use crate::db::{Db, DbError, Sql, Stamp};
use crate::on_read;
use app::model::service::can_be_asked;
use serde::Serialize;

/// When a service is asked what became of a row's last attempt, as stored.
#[derive(Clone, Debug, sqlx::FromRow, Serialize)]
pub struct LookupRow {
    /// When it is asked next.
    pub next_at: Stamp,
    /// How often it was asked.
    pub asked: i32,
    /// It is asked no more: a person has to find out.
    pub ended: bool,
    /// How often it answered "not found", which proved nothing yet.
    pub not_found: i64,
    /// How often its answer was not clear.
    pub unclear: i64,
}

const LOOKUPS: Sql = Sql::same(
    "SELECT l.submission_id, l.next_at, l.asked, l.ended, \
     (SELECT COUNT(*) FROM submission_observations o WHERE o.submission_id = l.submission_id \
     AND o.attempt = l.attempt AND o.kind = 'lookup_not_yet') AS not_found, \
     (SELECT COUNT(*) FROM submission_observations o WHERE o.submission_id = l.submission_id \
     AND o.attempt = l.attempt AND o.kind = 'lookup_unclear') AS unclear FROM lookups l \
     JOIN email_submissions s ON s.id = l.submission_id AND s.attempts = l.attempt \
     WHERE l.submission_id {ids $1}",
);
const LAST_ANSWERS: Sql = Sql::same(
    "SELECT submission_id, at, kind, attempt, provider, detail FROM submission_observations \
     WHERE id IN (SELECT MAX(o.id) FROM submission_observations o \
     JOIN email_submissions s ON s.id = o.submission_id AND s.attempts = o.attempt \
     WHERE o.submission_id {ids $1} AND o.kind IN ('lookup_not_yet', 'lookup_unclear') \
     GROUP BY o.submission_id)",
);
const ELSEWHERE: Sql = Sql::same(
    "SELECT a.provider, COUNT(*) FROM lookups l JOIN submission_attempts a \
     ON a.submission_id = l.submission_id AND a.attempt = l.attempt \
     WHERE NOT l.ended AND (a.provider <> $1 OR a.account <> $2) GROUP BY a.provider",
);
pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("asked::ELSEWHERE", ELSEWHERE),
    ("asked::LOOKUPS", LOOKUPS),
    ("asked::LAST_ANSWERS", LAST_ANSWERS),
];

/// Open questions that could be asked, were this not another account than the one that their mails went to.
pub async fn elsewhere(db: &Db, provider: &str, account: &str) -> Result<i64, DbError> {
    let sql = db.text(ELSEWHERE);
    let open: Vec<(String, i64)> = on_read!(db, c => sqlx::query_as(&sql)
        .bind(provider).bind(account).fetch_all(c).await)?;
    let asked = open.iter().filter(|(service, _)| can_be_asked(service));
    Ok(asked.map(|(_, count)| count).sum())
}

/// When services are asked about the last attempts of these rows, with the rows' ids.
pub async fn lookups(db: &Db, ids: &str) -> Result<Vec<(i64, LookupRow)>, DbError> {
    of_each(db, LOOKUPS, ids).await
}

/// What services last answered about the last attempts of these rows without deciding anything,
/// with the rows' ids.
pub async fn last_answers(db: &Db, ids: &str) -> Result<Vec<(i64, ObservationRow)>, DbError> {
    of_each(db, LAST_ANSWERS, ids).await
}
