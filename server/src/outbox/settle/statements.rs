//! The statements of the settle.

use crate::db::Sql;

/// The row is locked before its attempt, as everywhere: in the other order two processes could
/// wait for each other.
pub(super) const LOCK: Sql = Sql {
    sqlite: "SELECT id FROM email_submissions WHERE id = $1",
    postgres: "SELECT id FROM email_submissions WHERE id = $1 FOR UPDATE",
};

pub(super) const CLOSE: Sql = Sql::same(
    "UPDATE submission_attempts SET closed_at = {now}, outcome = $3, cause = $4, code = $5, error = $6, \
     provider_message_id = $7, took_ms = $8, \
     next_attempt_at = CASE WHEN CAST($9 AS bigint) IS NULL THEN NULL ELSE {after $9} END \
     WHERE submission_id = $1 AND claim_token = $2 AND closed_at IS NULL",
);
pub(super) const CLOSED_AS: Sql = Sql::same(
    "SELECT outcome FROM submission_attempts WHERE submission_id = $1 AND claim_token = $2",
);

pub(super) const NOTED: Sql = Sql::same(
    "SELECT COUNT(*) FROM submission_observations WHERE submission_id = $1 AND attempt = $2 AND kind = $3",
);

/// Once the attempt was replayed, what the first post met says nothing of the second.
pub(super) const REFUSE: Sql = Sql::same(
    "UPDATE email_submissions SET status = $3, settled_by = 'response', error = $4, \
     attempts_counted = attempts_counted + $5, \
     next_attempt_at = CASE WHEN CAST($6 AS bigint) IS NULL THEN NULL ELSE {after $6} END, \
     claim_token = NULL, replay_token = NULL, lease_until = NULL, unknown_at = NULL, version = version + 1, updated_at = {now} \
     WHERE id = $1 AND claim_token = $2 AND status = 'requesting' \
     AND replay_token IS NULL",
);
pub(super) const UNKNOWN_HOLD: Sql = Sql::same(
    "UPDATE email_submissions SET unknown_at = {now}, error = $3, version = version + 1, updated_at = {now} \
     WHERE id = $1 AND claim_token = $2 AND status = 'requesting' AND unknown_at IS NULL \
     AND (replay_token IS NULL OR lease_until <= {now})",
);
pub(super) const UNKNOWN_ASSUME: Sql = Sql::same(
    "UPDATE email_submissions SET status = $4, settled_by = 'assumed', error = $3, \
     next_attempt_at = NULL, claim_token = NULL, replay_token = NULL, lease_until = NULL, unknown_at = NULL, \
     version = version + 1, updated_at = {now} \
     WHERE id = $1 AND claim_token = $2 AND status = 'requesting' \
     AND (replay_token IS NULL OR lease_until <= {now})",
);
/// As with [`REFUSE`]: after a replay it may have left all the same.
pub(super) const RELEASE: Sql = Sql::same(
    "UPDATE email_submissions SET \
     status = CASE claimed_from WHEN 'pending' THEN 'pending' ELSE 'failed' END, \
     next_attempt_at = CASE claimed_from WHEN 'pending' THEN NULL ELSE {now} END, \
     claim_token = NULL, replay_token = NULL, lease_until = NULL, unknown_at = NULL, version = version + 1, updated_at = {now} \
     WHERE id = $1 AND claim_token = $2 AND status = 'requesting' \
     AND replay_token IS NULL",
);

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] = &[
    ("settle::LOCK", LOCK),
    ("settle::CLOSE", CLOSE),
    ("settle::CLOSED_AS", CLOSED_AS),
    ("settle::NOTED", NOTED),
    ("settle::REFUSE", REFUSE),
    ("settle::UNKNOWN_HOLD", UNKNOWN_HOLD),
    ("settle::UNKNOWN_ASSUME", UNKNOWN_ASSUME),
    ("settle::RELEASE", RELEASE),
];
