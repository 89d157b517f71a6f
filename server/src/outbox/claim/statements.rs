//! The statements of the claim.

use crate::db::Sql;
use crate::outbox::due::{again, postponed, waiting};
use crate::outbox::row::columns;

/// Rows that workers may take, oldest due first, and locked so that no other worker waits for
/// them. A mail without `not_before` is due whatever `created_at` says: a clock that was set back must
/// not keep it waiting. What is chosen here is decided by [`CLAIM`] alone. `$2` is `DENPYO_MAX_AGE`, negative:
/// what is older waits for a person.
pub(super) const CHOOSE: Sql = Sql {
    sqlite: concat!(
        "SELECT ",
        columns!(),
        " FROM email_submissions WHERE id IN (SELECT id FROM ( \
         SELECT id, due FROM (SELECT id, created_at AS due FROM email_submissions \
         WHERE ",
        waiting!(),
        " AND (created_at > {after $2} OR released_at > {after $2}) \
         ORDER BY created_at, id LIMIT $1) \
         UNION ALL \
         SELECT id, due FROM (SELECT id, not_before AS due FROM email_submissions \
         WHERE ",
        postponed!(),
        " AND (created_at > {after $2} OR not_before > {after $2} OR released_at > {after $2}) \
         ORDER BY not_before, id LIMIT $1) \
         UNION ALL \
         SELECT id, due FROM (SELECT id, next_attempt_at AS due FROM email_submissions \
         WHERE ",
        again!(),
        " AND (created_at > {after $2} OR not_before > {after $2} OR released_at > {after $2}) \
         ORDER BY next_attempt_at, id LIMIT $1) \
         ORDER BY due, id LIMIT $1)) ORDER BY COALESCE(next_attempt_at, not_before, created_at), id"
    ),
    postgres: concat!(
        "WITH waiting AS MATERIALIZED ( \
         SELECT id, created_at AS due FROM email_submissions \
         WHERE ",
        waiting!(),
        " AND (created_at > {after $2} OR released_at > {after $2}) \
         ORDER BY created_at, id LIMIT $1 FOR UPDATE SKIP LOCKED), \
         postponed AS MATERIALIZED ( \
         SELECT id, not_before AS due FROM email_submissions \
         WHERE ",
        postponed!(),
        " AND (created_at > {after $2} OR not_before > {after $2} OR released_at > {after $2}) \
         ORDER BY not_before, id LIMIT $1 FOR UPDATE SKIP LOCKED), \
         due AS MATERIALIZED ( \
         SELECT id, next_attempt_at AS due FROM email_submissions \
         WHERE ",
        again!(),
        " AND (created_at > {after $2} OR not_before > {after $2} OR released_at > {after $2}) \
         ORDER BY next_attempt_at, id LIMIT $1 FOR UPDATE SKIP LOCKED), \
         chosen AS (SELECT id FROM (SELECT * FROM waiting UNION ALL SELECT * FROM postponed \
         UNION ALL SELECT * FROM due) AS all_sets ORDER BY due, id LIMIT $1) \
         SELECT ",
        columns!(),
        " FROM email_submissions WHERE id IN (SELECT id FROM chosen) \
         ORDER BY COALESCE(next_attempt_at, not_before, created_at), id"
    ),
};

/// Whether there is anything to choose: asked before a SQLite worker takes the one write lock, so
/// that an idle worker is in nobody's way.
pub(super) const ANY_DUE: Sql = Sql::same(concat!(
    "SELECT EXISTS (SELECT 1 FROM email_submissions WHERE ",
    waiting!(),
    ") \
     OR EXISTS (SELECT 1 FROM email_submissions WHERE ",
    postponed!(),
    ") \
     OR EXISTS (SELECT 1 FROM email_submissions WHERE ",
    again!(),
    ")"
));

/// The claim. `$7` is 0 for a worker, who takes what is due, and 1 for a person, who takes what
/// is `failed` or `rejected` exactly as it was seen: `$8` version, `$9` attempts. `$6` replaces
/// the recipient; `$10` is `DENPYO_MAX_AGE`, negative. Nothing else in this program writes the word `requesting`.
///
/// A replay's token counts while its lease lives; on a row without a lease, whoever inserted it has set one.
pub(super) const CLAIM: Sql = Sql::same(concat!(
    "UPDATE email_submissions SET status = 'requesting', attempts = attempts + 1, version = version + 1, \
     claim_token = $2, replay_token = NULL, claimed_from = status, claimed_at = {now}, lease_until = {after $3}, \
     unknown_at = NULL, next_attempt_at = NULL, settled_by = NULL, error = NULL, provider = $4, \
     first_recipient = CASE WHEN CAST($6 AS text) IS NULL THEN first_recipient \
     ELSE COALESCE(first_recipient, recipient) END, \
     recipient = COALESCE(CAST($6 AS text), recipient), updated_at = {now} \
     WHERE id {ids $1} AND held_reason IS NULL AND (replay_token IS NULL OR lease_until IS NULL OR lease_until <= {now}) \
     AND ($7 = 1 OR created_at > {after $10} OR not_before > {after $10} OR released_at > {after $10}) AND ( \
     ($7 = 0 AND status = 'pending' AND (not_before IS NULL OR not_before <= {now})) \
     OR ($7 = 0 AND status = 'failed' AND next_attempt_at IS NOT NULL AND next_attempt_at <= {now}) \
     OR ($7 = 1 AND status IN ('failed', 'rejected') \
     AND version = COALESCE($8, version) AND attempts = COALESCE($9, attempts) AND CAST($5 AS text) IS NOT NULL)) \
     RETURNING ",
    columns!()
));

pub(super) const OPEN_ATTEMPT: Sql = Sql::same(
    "INSERT INTO submission_attempts (submission_id, attempt, claim_token, worker, actor, recipient, \
     provider, account, claimed_at, lease_until) \
     SELECT id, attempts, claim_token, $3, $4, recipient, $5, $6, claimed_at, lease_until \
     FROM email_submissions WHERE id {ids $1} AND claim_token = $2",
);

pub(super) const KEEP_REQUEST: Sql =
    Sql::same("INSERT INTO attempt_requests (submission_id, attempt, digest) VALUES ($1, $2, $3)");

pub(super) const SET_ASIDE: Sql = Sql::same(
    "UPDATE email_submissions SET status = 'rejected', error = $3, version = version + 1, \
     updated_at = {now} WHERE id = $1 AND version = $2 AND status = 'pending'",
);
/// A `failed` row whose content cannot be sent any more (the default sender went away, say) is
/// not tried again by itself; `rejected` cannot be reached from there without a claim.
pub(super) const GIVE_UP: Sql = Sql::same(
    "UPDATE email_submissions SET next_attempt_at = NULL, error = $3, version = version + 1, \
     updated_at = {now} WHERE id = $1 AND version = $2 AND status = 'failed'",
);
pub(in crate::outbox) const SEEN: Sql = Sql {
    sqlite: concat!(
        "SELECT ",
        columns!(),
        " FROM email_submissions WHERE id = $1"
    ),
    postgres: concat!(
        "SELECT ",
        columns!(),
        " FROM email_submissions WHERE id = $1 FOR UPDATE"
    ),
};

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] = &[
    ("claim::CHOOSE", CHOOSE),
    ("claim::ANY_DUE", ANY_DUE),
    ("claim::CLAIM", CLAIM),
    ("claim::OPEN_ATTEMPT", OPEN_ATTEMPT),
    ("claim::KEEP_REQUEST", KEEP_REQUEST),
    ("claim::SET_ASIDE", SET_ASIDE),
    ("claim::GIVE_UP", GIVE_UP),
    ("claim::SEEN", SEEN),
];
