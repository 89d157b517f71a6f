//! Pauses: a service that refuses the account is left alone for a while, by every process.

use super::claim::{Claim, Claimant, after};
use crate::db::{Db, DbError, Sql, Stamp, Tx};
use crate::in_tx;
use app::model::refusal::Beside;
use std::time::Duration;

/// The first pause, doubled at each refusal up to the last.
const FIRST: Duration = Duration::from_secs(30);
const LAST: Duration = Duration::from_secs(600);

const SET: Sql = Sql::same(
    "INSERT INTO service_pauses (provider, account, paused_since, paused_until, pauses, code) \
     SELECT provider, account, {now}, {after $3}, 1, $4 FROM submission_attempts \
     WHERE submission_id = $1 AND attempt = $2 \
     ON CONFLICT (provider, account) DO UPDATE SET code = $4, \
     paused_until = CASE WHEN service_pauses.paused_until > {after $3} \
     THEN service_pauses.paused_until ELSE {after $3} END, \
     pauses = service_pauses.pauses + CASE WHEN service_pauses.paused_until > {now} THEN 0 ELSE 1 END",
);
/// Pauses before the present one: mails that were in flight together are refused together, and
/// make one pause.
const PAUSES: Sql = Sql::same(
    "SELECT p.pauses - CASE WHEN p.paused_until > {now} THEN 1 ELSE 0 END FROM service_pauses p JOIN submission_attempts a \
     ON a.provider = p.provider AND a.account = p.account WHERE a.submission_id = $1 AND a.attempt = $2",
);
const READ: Sql = Sql::same(
    "SELECT paused_since, paused_until, code, (paused_until > {now}) AS active \
     FROM service_pauses WHERE provider = $1 AND account = $2",
);
const CLEAR: Sql = Sql::same("DELETE FROM service_pauses WHERE provider = $1 AND account = $2");
/// The rows that the pause had put off are due now.
const DUE: Sql = Sql::same(
    "UPDATE email_submissions SET next_attempt_at = {now}, version = version + 1, updated_at = {now} \
     WHERE status = 'failed' AND held_reason IS NULL AND next_attempt_at > {now} \
     AND EXISTS (SELECT 1 FROM submission_attempts a WHERE a.submission_id = email_submissions.id \
     AND a.attempt = email_submissions.attempts AND a.outcome = 'account' \
     AND a.provider = $1 AND a.account = $2)",
);

/// Of the attempt before, at the same account: whether it was refused for it, and whether the account
/// took another mail that was claimed later. Those accepted since are few, and found by their time.
const BESIDE: Sql = Sql::same(
    "SELECT EXISTS (SELECT 1 FROM email_submissions m JOIN submission_attempts x ON x.submission_id = m.id \
     WHERE m.sent_at IS NOT NULL AND m.sent_at >= p.closed_at AND m.id <> p.submission_id \
     AND x.outcome = 'accepted' AND x.claimed_at >= p.closed_at \
     AND x.provider = p.provider AND x.account = p.account) \
     FROM submission_attempts a JOIN submission_attempts p ON p.submission_id = a.submission_id \
     AND p.attempt = a.attempt - 1 AND p.provider = a.provider AND p.account = a.account \
     WHERE a.submission_id = $1 AND a.attempt = $2 AND p.outcome = 'account'",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("pause::BESIDE", BESIDE),
    ("pause::SET", SET),
    ("pause::PAUSES", PAUSES),
    ("pause::READ", READ),
    ("pause::CLEAR", CLEAR),
    ("pause::DUE", DUE),
];

/// A pause as written down.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Pause {
    /// Since when.
    pub paused_since: Stamp,
    /// When one mail tries again.
    pub paused_until: Stamp,
    /// The answer's code; none where the service lacks what the settings ask for.
    pub code: Option<i32>,
    /// Not over yet. A pause that is over still stands until a mail is accepted, so that one
    /// mail at a time tries.
    pub active: bool,
}

/// What is known beside a claim that was refused for the account.
pub(super) async fn beside(db: &Db, tx: &mut Tx, claim: &Claim) -> Result<Beside, DbError> {
    let sql = db.text(BESIDE);
    let before: Option<bool> = in_tx!(tx, c => sqlx::query_scalar(&sql)
        .bind(claim.id()).bind(claim.attempt()).fetch_optional(c).await)?;
    Ok(Beside {
        refused_before: before.is_some(),
        others_accepted: before.unwrap_or(false),
    })
}

/// Pauses the service that a claim's attempt went to; returns for how long.
pub(super) async fn pause(
    db: &Db,
    tx: &mut Tx,
    claim: &Claim,
    code: Option<u16>,
    asked: Option<Duration>,
) -> Result<Duration, DbError> {
    let sql = db.text(PAUSES);
    let before: Option<i32> = in_tx!(&mut *tx, c => sqlx::query_scalar(&sql)
        .bind(claim.id()).bind(claim.attempt()).fetch_optional(c).await)?;
    let doubled = FIRST * 2u32.saturating_pow(before.unwrap_or(0).clamp(0, 8).unsigned_abs());
    let wait = asked
        .unwrap_or(doubled)
        .clamp(FIRST, super::retry::LONGEST_WAIT)
        .min(LAST.max(asked.unwrap_or(LAST)));
    let sql = db.text(SET);
    in_tx!(tx, c => sqlx::query(&sql)
        .bind(claim.id()).bind(claim.attempt()).bind(after(wait)).bind(code.map(i32::from))
        .execute(c).await.map(|r| r.rows_affected()))?;
    Ok(wait)
}

/// Whether a service and account stand paused.
pub async fn read(db: &Db, provider: &str, account: &str) -> Result<Option<Pause>, DbError> {
    let sql = db.text(READ);
    Ok(crate::on_read!(db, c => sqlx::query_as(&sql)
        .bind(provider).bind(account).fetch_optional(c).await)?)
}

/// Ends a pause after a mail was accepted, and makes due what it had put off.
pub async fn clear(db: &Db, who: &Claimant) -> Result<(), DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(CLEAR);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql)
        .bind(&who.provider).bind(&who.account).execute(c).await.map(|r| r.rows_affected()))?;
    if rows > 0 {
        let sql = db.text(DUE);
        in_tx!(&mut tx, c => sqlx::query(&sql)
            .bind(&who.provider).bind(&who.account).execute(c).await.map(|r| r.rows_affected()))?;
        tracing::info!(
            provider = who.provider,
            "the service accepts this account again"
        );
    }
    tx.commit().await?;
    Ok(())
}
