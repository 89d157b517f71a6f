//! Proof that a service accepted a mail, wherever it comes from: an answer however late, a
//! look-up, a signed event. It is never thrown away, and where two attempts may both have been
//! accepted, the row says so.

use crate::db::{Db, DbError, Sql, Stamp, Tx};
use crate::in_tx;
use app::model::SettledBy;

/// A row that was only assumed, or settled by a person's word, rests on better ground now.
const PROVE: Sql = Sql::same(
    "UPDATE email_submissions SET status = 'synced', settled_by = $2, \
     provider = COALESCE(provider, $5), provider_message_id = COALESCE($3, provider_message_id), \
     sent_at = COALESCE(sent_at, $4, {now}), error = NULL, held_reason = NULL, held_by = NULL, \
     next_attempt_at = NULL, lease_until = NULL, unknown_at = NULL, claim_token = NULL, \
     replay_token = NULL, version = version + 1, updated_at = {now} \
     WHERE id = $1 AND (status <> 'synced' OR settled_by IS NULL \
     OR settled_by IN ('assumed', 'person', 'imported') OR ($2 = 'response' AND settled_by <> 'response'))",
);
/// Attempt `$2` was accepted. Another one was too, or may yet be: two mails may be on their way.
const FLAG: Sql = Sql::same(
    "UPDATE email_submissions SET possible_duplicate = TRUE, version = version + 1, updated_at = {now} \
     WHERE id = $1 AND NOT possible_duplicate AND (EXISTS (SELECT 1 FROM submission_attempts a \
     WHERE a.submission_id = $1 AND ((a.attempt <> $2 AND a.outcome = 'accepted') \
     OR (a.attempt > $2 AND (a.outcome IS NULL OR a.outcome = 'unknown')))) \
     OR EXISTS (SELECT 1 FROM submission_observations o WHERE o.submission_id = $1 AND o.attempt <> $2 \
     AND o.kind IN ('late_accepted', 'lookup_found', 'event_accepted', 'event_delivered', \
     'event_bounced', 'event_complained')))",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[("proof::PROVE", PROVE), ("proof::FLAG", FLAG)];

/// What proves it.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// `Response`, `Lookup` or `Webhook`.
    pub by: SettledBy,
    /// The attempt that was accepted, where that is known.
    pub attempt: Option<i32>,
    /// The service.
    pub provider: &'a str,
    /// The service's id.
    pub message_id: Option<&'a str>,
    /// When it was accepted, where the service says so.
    pub at: Option<Stamp>,
}

/// Writes proof into a row; returns the rows that it changed (0 where the row said so before).
/// The caller writes down what was seen.
pub(super) async fn prove(
    db: &Db,
    tx: &mut Tx,
    id: i64,
    proof: &Proof<'_>,
) -> Result<u64, DbError> {
    let sql = db.text(PROVE);
    let rows = in_tx!(&mut *tx, c => sqlx::query(&sql)
        .bind(id).bind(proof.by.as_str()).bind(proof.message_id).bind(proof.at).bind(proof.provider)
        .execute(c).await.map(|r| r.rows_affected()))?;
    if let Some(attempt) = proof.attempt {
        let sql = db.text(FLAG);
        in_tx!(tx, c => sqlx::query(&sql).bind(id).bind(attempt)
            .execute(c).await.map(|r| r.rows_affected()))?;
    }
    Ok(rows)
}
