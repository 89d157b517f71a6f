//! The statements of resending many.

use crate::db::Sql;

pub(super) const NEW: Sql =
    Sql::same("INSERT INTO bulk_jobs (query, created_by) VALUES ($1, $2) RETURNING id");
pub(super) const FREEZE: Sql = Sql::same(
    "INSERT INTO bulk_items (job_id, place, submission_id, version, attempt, refusal) \
     VALUES ($1, $2, $3, $4, $5, $6)",
);
/// What was seen longer ago than `$4`, negative, is too old to be started.
pub(super) const START: Sql = Sql::same(
    "UPDATE bulk_jobs SET state = 'running', reason = $2, started_by = $3, started_at = {now} \
     WHERE id = $1 AND state = 'preview' AND created_at > {after $4} \
     AND EXISTS (SELECT 1 FROM bulk_items WHERE job_id = $1 AND refusal IS NULL)",
);
pub(super) const STOP: Sql = Sql::same(
    "UPDATE bulk_jobs SET state = 'stopped', stopped_by = $2, ended_at = {now} \
     WHERE id = $1 AND state = 'running'",
);
/// Nobody stopped it: whoever started it may not any more.
pub(super) const REVOKE: Sql = Sql::same(
    "UPDATE bulk_jobs SET state = 'stopped', ended_at = {now}, lease_owner = NULL, lease_until = NULL \
     WHERE id = $1 AND lease_owner = $2 AND state = 'running'",
);
/// Previews that nobody can start any more, by age: `$1`, negative. Whoever deletes them too is not
/// waited for.
pub(super) const OLD: Sql = Sql {
    sqlite: "SELECT id FROM bulk_jobs WHERE state = 'preview' AND created_at <= {after $1}",
    postgres: "SELECT id FROM bulk_jobs WHERE state = 'preview' AND created_at <= {after $1} \
               ORDER BY id FOR UPDATE SKIP LOCKED",
};
pub(super) const FORGET_ITEMS: Sql = Sql::same("DELETE FROM bulk_items WHERE job_id {ids $1}");
pub(super) const FORGET: Sql = Sql::same("DELETE FROM bulk_jobs WHERE id {ids $1}");
/// The oldest running job that nobody works on. `$2` is how long nobody else does then.
pub(super) const TAKE: Sql = Sql {
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
pub(super) const ANY: Sql = Sql::same(
    "SELECT EXISTS (SELECT 1 FROM bulk_jobs WHERE state = 'running' \
     AND (lease_until IS NULL OR lease_until <= {now}))",
);
pub(super) const KEEP: Sql = Sql::same(
    "UPDATE bulk_jobs SET lease_until = {after $3} \
     WHERE id = $1 AND lease_owner = $2 AND state = 'running'",
);
pub(super) const GIVE_BACK: Sql = Sql::same(
    "UPDATE bulk_jobs SET lease_owner = NULL, lease_until = NULL \
     WHERE id = $1 AND lease_owner = $2",
);
pub(super) const NEXT: Sql = Sql::same(
    "SELECT place, submission_id, version, attempt FROM bulk_items \
     WHERE job_id = $1 AND refusal IS NULL AND result IS NULL ORDER BY place LIMIT 1",
);
/// A result is written once.
pub(super) const RESULT: Sql = Sql::same(
    "UPDATE bulk_items SET result = $3, made = $4, why = $5, by_whom = $6, at = COALESCE($7, {now}) \
     WHERE job_id = $1 AND place = $2 AND refusal IS NULL AND result IS NULL",
);
pub(super) const DONE: Sql = Sql::same(
    "UPDATE bulk_jobs SET state = 'done', ended_at = {now}, lease_owner = NULL, lease_until = NULL \
     WHERE id = $1 AND lease_owner = $2 AND state = 'running' AND NOT EXISTS (SELECT 1 FROM bulk_items \
     WHERE job_id = $1 AND refusal IS NULL AND result IS NULL)",
);
pub(super) const JOB: Sql = Sql::same(
    "SELECT id, state, query, created_at, created_by, reason, started_at, started_by, ended_at, \
     stopped_by FROM bulk_jobs WHERE id = $1",
);
/// Previews that nobody started are nothing to list.
pub(super) const JOBS: Sql = Sql::same(
    "SELECT id, state, query, created_at, created_by, reason, started_at, started_by, ended_at, \
     stopped_by FROM bulk_jobs WHERE state <> 'preview' ORDER BY id DESC LIMIT $1",
);
/// A resent mail (`s`) whose outcome nobody knows.
macro_rules! in_doubt {
    () => {
        "(s.status = 'requesting' AND (s.unknown_at IS NOT NULL OR s.lease_until <= {now})) AS in_doubt"
    };
}
/// What workers try after a resend, put off or given back, is the resend's own; what a person sends again is
/// not. So `a` is the last attempt before a person's next one, where there is such a one; elsewhere what
/// became of the resend is what has become of the mail.
macro_rules! before_the_next {
    () => {
        " LEFT JOIN submission_attempts a ON a.submission_id = s.id AND a.attempt = \
         (SELECT MIN(n.attempt) - 1 FROM submission_attempts n WHERE n.submission_id = s.id \
         AND n.attempt > i.made AND n.actor IS NOT NULL)"
    };
}

/// How many mails of each job stand how: left out and why, skipped, resent and what came of it, or
/// waiting.
pub(super) const COUNTS: Sql = Sql::same(concat!(
    "SELECT i.job_id, i.refusal, i.result, a.outcome, s.status, ",
    in_doubt!(),
    ", COUNT(*) AS count FROM bulk_items i \
     LEFT JOIN email_submissions s ON s.id = i.submission_id AND i.result = 'resent'",
    before_the_next!(),
    " WHERE i.job_id {ids $1} GROUP BY 1, 2, 3, 4, 5, 6"
));
pub(super) const ITEMS: Sql = Sql::same(concat!(
    "SELECT i.place, i.submission_id, s.order_id, s.kind, s.copy, s.recipient, i.refusal, i.result, \
     COALESCE(a.attempt, s.attempts) AS attempt, i.why, i.by_whom, i.at, a.outcome, s.status, ",
    in_doubt!(),
    " FROM bulk_items i JOIN email_submissions s ON s.id = i.submission_id",
    before_the_next!(),
    " WHERE i.job_id = $1 AND i.place > $2 ORDER BY i.place LIMIT $3"
));

/// Mails that are still to be resent, and can be, although nobody knows whether they were accepted before:
/// by the rule that a mail's own page has (`app::model::verdict::in_doubt`).
pub(super) const DOUBTFUL: Sql = Sql::same(
    "SELECT i.submission_id FROM bulk_items i JOIN email_submissions s ON s.id = i.submission_id \
     WHERE i.job_id = $1 AND i.refusal IS NULL AND i.result IS NULL \
     AND s.status IN ('failed', 'rejected') AND (s.settled_by = 'assumed' \
     OR EXISTS (SELECT 1 FROM submission_attempts a WHERE a.submission_id = s.id \
     AND (a.outcome IS NULL OR a.outcome = 'unknown') \
     AND NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.submission_id = s.id \
     AND e.act = 'confirm_not_sent' AND e.at >= a.claimed_at) \
     AND NOT EXISTS (SELECT 1 FROM submission_observations o WHERE o.submission_id = s.id \
     AND o.attempt = a.attempt AND (o.kind IN ('late_refused', 'lookup_no') \
     OR (o.kind = 'late_released' AND a.provider <> 'resend')))))",
);

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] = &[
    ("bulk::NEW", NEW),
    ("bulk::FREEZE", FREEZE),
    ("bulk::START", START),
    ("bulk::STOP", STOP),
    ("bulk::REVOKE", REVOKE),
    ("bulk::OLD", OLD),
    ("bulk::FORGET_ITEMS", FORGET_ITEMS),
    ("bulk::FORGET", FORGET),
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
    ("bulk::DOUBTFUL", DOUBTFUL),
];
