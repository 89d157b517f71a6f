//! The statements of the reads.

use crate::db::Sql;
use crate::outbox::due::{again, postponed, waiting};
use crate::outbox::row::{columns, columns_without_bodies, needs_checking};

/// The place of the claim's age among all: `$1` to `$3` are the times at which one ends and the next begins.
macro_rules! age {
    () => {
        "CASE WHEN claimed_at > $1 THEN 0 WHEN claimed_at > $2 THEN 1 WHEN claimed_at > $3 THEN 2 ELSE 3 END"
    };
}

pub(super) const BY_ID: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM email_submissions WHERE id = $1"
));
pub(super) const SUMMARY: Sql = Sql::same(concat!(
    "SELECT ",
    columns_without_bodies!(),
    " FROM email_submissions WHERE id = $1"
));
pub(super) const SUMMARIES: Sql = Sql::same(concat!(
    "SELECT ",
    columns_without_bodies!(),
    " FROM email_submissions WHERE id {ids $1}"
));
pub(super) const WHOLE: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM email_submissions WHERE id {ids $1}"
));
pub(super) const BY_ORDER: Sql = Sql::same(concat!(
    "SELECT ",
    columns_without_bodies!(),
    " FROM email_submissions WHERE order_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2"
));
pub(super) const ATTEMPTS: Sql = Sql::same(
    "SELECT attempt, worker, actor, recipient, provider, account, claimed_at, lease_until, closed_at, \
     outcome, cause, code, error, provider_message_id, took_ms, next_attempt_at \
     FROM submission_attempts WHERE submission_id = $1 ORDER BY attempt",
);
pub(super) const LAST_ATTEMPTS: Sql = Sql::same(
    "SELECT a.submission_id, a.attempt, a.worker, a.actor, a.recipient, a.provider, a.account, \
     a.claimed_at, a.lease_until, a.closed_at, a.outcome, a.cause, a.code, a.error, \
     a.provider_message_id, a.took_ms, a.next_attempt_at \
     FROM submission_attempts a JOIN email_submissions s ON s.id = a.submission_id \
     WHERE s.id {ids $1} AND a.attempt = s.attempts",
);
pub(super) const OBSERVATIONS: Sql = Sql::same(
    "SELECT at, kind, attempt, provider, detail FROM submission_observations \
     WHERE submission_id = $1 ORDER BY id",
);
pub(super) const ACTS: Sql = Sql::same(
    "SELECT a.at, a.actor, a.act, a.reason, a.before_status, a.after_status, a.attempt, \
     a.after_recipient, a.copy_id, c.copy FROM audit_events a \
     LEFT JOIN email_submissions c ON c.id = a.copy_id \
     WHERE a.submission_id = $1 OR a.copy_id = $1 ORDER BY a.id",
);
pub(super) const CASES: Sql = Sql::same(concat!(
    "SELECT ",
    columns_without_bodies!(),
    " FROM email_submissions WHERE ",
    needs_checking!(),
    " ORDER BY claimed_at, id LIMIT $1"
));
/// Those of one age, and those named.
pub(super) const CASES_OF_AGE: Sql = Sql::same(concat!(
    "SELECT ",
    columns_without_bodies!(),
    " FROM email_submissions WHERE ",
    needs_checking!(),
    " AND ((",
    age!(),
    ") = $4 OR id {ids $5}) ORDER BY claimed_at, id LIMIT $6"
));
pub(super) const NEEDS_CHECKING: Sql = Sql::same(concat!(
    "SELECT COUNT(*) FROM email_submissions WHERE ",
    needs_checking!(),
    ""
));
pub(super) const OPEN: Sql = Sql::same(concat!(
    "SELECT COUNT(*) FILTER (WHERE NOT open_question), \
     COUNT(*) FILTER (WHERE open_question AND age = 0), \
     COUNT(*) FILTER (WHERE open_question AND age = 1), \
     COUNT(*) FILTER (WHERE open_question AND age = 2), \
     COUNT(*) FILTER (WHERE open_question AND age = 3) FROM (SELECT (",
    needs_checking!(),
    ") AS open_question, ",
    age!(),
    " AS age FROM email_submissions WHERE status = 'requesting') AS open_rows"
));
pub(super) const UNSETTLED: Sql = Sql::same(
    "SELECT status, COUNT(*), COUNT(next_attempt_at) FROM email_submissions \
     WHERE status <> 'synced' GROUP BY status",
);
pub(super) const ASSUMED: Sql = Sql::same(
    "SELECT status, COUNT(*) FROM email_submissions WHERE settled_by = 'assumed' GROUP BY status",
);
pub(super) const HELD: Sql =
    Sql::same("SELECT COUNT(*) FROM email_submissions WHERE held_reason IS NOT NULL");
/// The highest id and the count, from an index: the rows themselves are long.
pub(super) const ALL: Sql =
    Sql::same("SELECT COALESCE(MAX(id), 0), COUNT(*) FROM email_submissions");
/// The same of what came after an id.
pub(super) const FURTHER: Sql =
    Sql::same("SELECT COALESCE(MAX(id), $1), COUNT(*) FROM email_submissions WHERE id > $1");
pub(super) const HIGHEST: Sql = Sql::same("SELECT COALESCE(MAX(id), 0) FROM email_submissions");
/// As the planner reckons: rows a page when last analysed, times the pages there are now.
pub(super) const ESTIMATE: Sql = Sql {
    sqlite: "SELECT -1",
    postgres: "SELECT CASE WHEN relpages > 0 AND reltuples > 0 THEN CAST(reltuples / relpages \
               * (pg_relation_size(oid) / CAST(current_setting('block_size') AS bigint)) AS bigint) \
               ELSE -1 END FROM pg_class WHERE oid = to_regclass('public.email_submissions')",
};
pub(super) const HISTOGRAM: Sql = Sql::same(
    "SELECT CASE WHEN attempts > 5 THEN 5 ELSE attempts END AS bar, status, COUNT(*) \
     FROM email_submissions WHERE created_at >= $1 AND attempts > 0 GROUP BY 1, 2",
);
pub(super) const OLDEST: Sql = Sql::same(concat!(
    "SELECT MIN(due) FROM (SELECT MIN(created_at) AS due FROM email_submissions \
     WHERE ",
    waiting!(),
    " UNION ALL SELECT MIN(not_before) FROM email_submissions \
     WHERE ",
    postponed!(),
    ") AS both_sets"
));
pub(super) const DUE: Sql = Sql::same(concat!(
    "SELECT (SELECT COUNT(*) FROM email_submissions WHERE ",
    waiting!(),
    ") \
     + (SELECT COUNT(*) FROM email_submissions WHERE ",
    postponed!(),
    ") \
     + (SELECT COUNT(*) FROM email_submissions WHERE ",
    again!(),
    ")"
));
/// Kinds by a loose index scan would be quicker still; a shop has a handful, and the newest rows
/// name them all.
pub(super) const KINDS: Sql = Sql::same(
    "SELECT DISTINCT kind FROM (SELECT kind FROM email_submissions ORDER BY created_at DESC, id DESC \
     LIMIT 2000) AS newest ORDER BY kind LIMIT 50",
);

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] = &[
    ("read::BY_ID", BY_ID),
    ("read::SUMMARY", SUMMARY),
    ("read::SUMMARIES", SUMMARIES),
    ("read::WHOLE", WHOLE),
    ("read::BY_ORDER", BY_ORDER),
    ("read::ATTEMPTS", ATTEMPTS),
    ("read::LAST_ATTEMPTS", LAST_ATTEMPTS),
    ("read::OBSERVATIONS", OBSERVATIONS),
    ("read::ACTS", ACTS),
    ("read::CASES", CASES),
    ("read::CASES_OF_AGE", CASES_OF_AGE),
    ("read::NEEDS_CHECKING", NEEDS_CHECKING),
    ("read::OPEN", OPEN),
    ("read::UNSETTLED", UNSETTLED),
    ("read::ASSUMED", ASSUMED),
    ("read::HELD", HELD),
    ("read::ALL", ALL),
    ("read::FURTHER", FURTHER),
    ("read::HIGHEST", HIGHEST),
    ("read::ESTIMATE", ESTIMATE),
    ("read::HISTOGRAM", HISTOGRAM),
    ("read::OLDEST", OLDEST),
    ("read::DUE", DUE),
    ("read::KINDS", KINDS),
];
