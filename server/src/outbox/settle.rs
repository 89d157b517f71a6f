//! Writing down what is known after a send.
//!
//! A negative answer counts only under its own claim token; proof of acceptance counts always,
//! for any attempt, however late. An attempt is closed once: what comes after its closing is kept
//! as an observation.

mod statements;

pub(super) use statements::STATEMENTS;

use super::claim::{Claim, after};
use super::proof::{Proof, prove};
use super::retry::Retries;
use super::{audit, lookup, pause, row::shorten};
use crate::db::{Db, DbError, Tx};
use crate::in_tx;
use crate::provider::SendOutcome;
use app::model::SettledBy;
pub use app::model::protocol::OnUnknown;
use app::model::refusal::{self, About};
use app::model::views::{Cause, Outcome};
use statements::{CLOSE, CLOSED_AS, LOCK, NOTED, REFUSE, RELEASE, UNKNOWN_ASSUME, UNKNOWN_HOLD};
use std::time::Duration;

/// What became of a row when an outcome was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The row says so now.
    Recorded,
    /// The row had been settled otherwise meanwhile; this is kept as an observation.
    Late,
    /// The very same had been written before: a settle repeated after a cut connection.
    Before,
}

impl Settled {
    fn of(rows: u64) -> Settled {
        if rows == 1 {
            Settled::Recorded
        } else {
            Settled::Late
        }
    }
}

/// An answer that says that the mail was not accepted.
struct Refusal<'a> {
    outcome: Outcome,
    cause: Cause,
    code: Option<u16>,
    detail: &'a str,
    wait: Option<Duration>,
    /// What is wrong with the account is not the mail's fault, and does not count.
    counts: bool,
}

impl<'a> Refusal<'a> {
    fn answered(outcome: Outcome, code: u16, detail: &'a str, wait: Option<Duration>) -> Self {
        Refusal {
            outcome,
            cause: Cause::Answer,
            code: Some(code),
            detail,
            wait,
            counts: true,
        }
    }
}

/// How an attempt ended, as written into its row.
struct Closing<'a> {
    outcome: Outcome,
    cause: Cause,
    code: Option<i32>,
    detail: Option<&'a str>,
    message_id: Option<&'a str>,
    wait_ms: Option<i64>,
}

/// Writes down what a send came to. Safe to repeat when the connection was cut before the answer.
pub async fn settle(
    db: &Db,
    claim: &Claim,
    outcome: &SendOutcome,
    on_unknown: OnUnknown,
    retries: Retries,
) -> Result<Settled, DbError> {
    let mut tx = db.begin().await?;
    lock(db, &mut tx, claim).await?;
    let (kind, words) = late_words(outcome);
    if written_before(db, &mut tx, claim, outcome.word(), kind).await? {
        return Ok(Settled::Before);
    }
    let jitter: f64 = rand::random();
    let mut blamed = None;
    let (fresh, rows) = match outcome {
        SendOutcome::Accepted { message_id } => {
            accept(db, &mut tx, claim, message_id.as_deref()).await?
        }
        SendOutcome::Unknown {
            cause,
            code,
            detail,
        } => unknown(db, &mut tx, claim, *cause, *code, detail, on_unknown).await?,
        SendOutcome::NeverLeft { cause, detail } => {
            let no = Refusal {
                outcome: Outcome::NeverLeft,
                cause: *cause,
                code: None,
                detail,
                wait: next_wait(claim, retries, None, jitter),
                counts: true,
            };
            refuse(db, &mut tx, claim, &no).await?
        }
        SendOutcome::Temporary {
            code,
            retry_after,
            detail,
        } => {
            let wait = next_wait(claim, retries, *retry_after, jitter);
            let no = Refusal::answered(Outcome::Temporary, *code, detail, wait);
            refuse(db, &mut tx, claim, &no).await?
        }
        SendOutcome::Refused { code, detail } => {
            let no = Refusal::answered(Outcome::Refused, *code, detail, None);
            refuse(db, &mut tx, claim, &no).await?
        }
        SendOutcome::Account {
            code,
            retry_after,
            detail,
        } => {
            let about = refusal::about(pause::beside(db, &mut tx, claim).await?);
            blamed = Some((about, *code, detail));
            let wait = match about {
                About::Mail => next_wait(claim, retries, *retry_after, jitter),
                About::Account => {
                    let until = pause::pause(db, &mut tx, claim, *code, *retry_after).await?;
                    Some(Retries::asked(until, jitter))
                }
            };
            let no = Refusal {
                outcome: Outcome::Account,
                cause: Cause::Answer,
                code: *code,
                detail,
                wait,
                counts: about == About::Mail,
            };
            refuse(db, &mut tx, claim, &no).await?
        }
    };
    if !fresh || rows == 0 {
        let attempt = Some(claim.attempt());
        audit::observe(db, &mut tx, claim.id(), attempt, kind, None, Some(&words)).await?;
    }
    tx.commit().await?;
    if let Some((about, code, detail)) = blamed {
        tell_blame(claim, about, code, detail);
    }
    Ok(Settled::of(rows))
}

fn tell_blame(claim: &Claim, about: About, code: Option<u16>, detail: &str) {
    let (id, attempt, service) = (claim.id(), claim.attempt(), claim.provider());
    match about {
        // A service's own words may name addresses; where there is no code, they are ours.
        About::Account => tracing::warn!(
            service,
            code,
            why = code.is_none().then_some(detail),
            "sending is paused: the service refuses this account, or lacks what the settings ask for"
        ),
        About::Mail => tracing::warn!(
            id,
            attempt,
            service,
            code,
            "refused for the account again, which accepted others meanwhile: it is about this mail"
        ),
    }
}

/// Gives a claim back before its first byte left. A worker's goes back to where it came from; a
/// person's resend stays wanted and is due at once.
pub async fn release(db: &Db, claim: &Claim, cause: Cause) -> Result<Settled, DbError> {
    let mut tx = db.begin().await?;
    lock(db, &mut tx, claim).await?;
    let closing = Closing {
        outcome: Outcome::Released,
        cause,
        code: None,
        detail: None,
        message_id: None,
        wait_ms: None,
    };
    let before = written_before(db, &mut tx, claim, Outcome::Released, LATE_RELEASED).await?;
    let fresh = close(db, &mut tx, claim, &closing).await?;
    let sql = db.text(RELEASE);
    let rows = in_tx!(&mut tx, c => sqlx::query(&sql).bind(claim.id()).bind(claim.token())
        .execute(c).await.map(|r| r.rows_affected()))?;
    if !fresh && !before {
        // The lease's end closed it, as nobody knew better then.
        let (attempt, why) = (Some(claim.attempt()), Some(cause.as_str()));
        audit::observe(db, &mut tx, claim.id(), attempt, LATE_RELEASED, None, why).await?;
    }
    tx.commit().await?;
    Ok(match Settled::of(rows) {
        Settled::Late if before => Settled::Before,
        settled => settled,
    })
}

/// Given back before the first byte, and closed otherwise by then: its own post never left.
const LATE_RELEASED: &str = "late_released";

async fn lock(db: &Db, tx: &mut Tx, claim: &Claim) -> Result<(), DbError> {
    let sql = db.text(LOCK);
    in_tx!(tx, c => sqlx::query(&sql).bind(claim.id()).execute(c).await.map(|_| ()))?;
    Ok(())
}

fn late_words(outcome: &SendOutcome) -> (&'static str, String) {
    match outcome {
        SendOutcome::Accepted { message_id } => {
            ("late_accepted", message_id.clone().unwrap_or_default())
        }
        SendOutcome::NeverLeft { detail, .. } => ("late_refused", detail.clone()),
        SendOutcome::Temporary { code, detail, .. } | SendOutcome::Refused { code, detail } => {
            ("late_refused", format!("{code} {detail}"))
        }
        SendOutcome::Account { .. } => ("late_refused", outcome.said()),
        SendOutcome::Unknown { detail, .. } => ("late_unknown", detail.clone()),
    }
}

fn next_wait(
    claim: &Claim,
    retries: Retries,
    asked: Option<Duration>,
    jitter: f64,
) -> Option<Duration> {
    let counted = claim.attempts_counted().saturating_add(1);
    (counted < retries.most).then(|| match asked {
        Some(wait) => Retries::asked(wait, jitter),
        None => Retries::wait(counted, jitter),
    })
}

/// Closes the claim's own attempt; false where it was closed before.
async fn close(
    db: &Db,
    tx: &mut Tx,
    claim: &Claim,
    closing: &Closing<'_>,
) -> Result<bool, DbError> {
    let sql = db.text(CLOSE);
    let took = after(claim.age());
    let rows = in_tx!(tx, c => sqlx::query(&sql)
        .bind(claim.id()).bind(claim.token())
        .bind(closing.outcome.as_str()).bind(closing.cause.as_str()).bind(closing.code)
        .bind(closing.detail).bind(closing.message_id).bind(took).bind(closing.wait_ms)
        .execute(c).await.map(|r| r.rows_affected()))?;
    Ok(rows == 1)
}

/// Whether this very outcome stands already: as the attempt's closing, or as the observation that
/// a late one leaves.
async fn written_before(
    db: &Db,
    tx: &mut Tx,
    claim: &Claim,
    outcome: Outcome,
    late: &str,
) -> Result<bool, DbError> {
    let sql = db.text(CLOSED_AS);
    let word: Option<Option<String>> = in_tx!(&mut *tx, c => sqlx::query_scalar(&sql)
        .bind(claim.id()).bind(claim.token()).fetch_optional(c).await)?;
    if word.flatten().as_deref() == Some(outcome.as_str()) {
        return Ok(true);
    }
    let sql = db.text(NOTED);
    let noted: i64 = in_tx!(tx, c => sqlx::query_scalar(&sql)
        .bind(claim.id()).bind(claim.attempt()).bind(late).fetch_one(c).await)?;
    Ok(noted > 0)
}

/// Like `refuse` and `unknown` below: whether the attempt was still open, and the rows changed.
async fn accept(
    db: &Db,
    tx: &mut Tx,
    claim: &Claim,
    message_id: Option<&str>,
) -> Result<(bool, u64), DbError> {
    let closing = Closing {
        outcome: Outcome::Accepted,
        cause: Cause::Answer,
        code: None,
        detail: None,
        message_id,
        wait_ms: None,
    };
    let fresh = close(db, tx, claim, &closing).await?;
    let proof = Proof {
        by: SettledBy::Response,
        attempt: Some(claim.attempt()),
        provider: claim.provider(),
        message_id,
        at: None,
    };
    let rows = prove(db, tx, claim.id(), &proof).await?;
    Ok((fresh, rows))
}

async fn refuse(
    db: &Db,
    tx: &mut Tx,
    claim: &Claim,
    no: &Refusal<'_>,
) -> Result<(bool, u64), DbError> {
    let wait_ms = no.wait.map(after);
    let detail = shorten(no.detail, 500);
    let error = match no.code {
        Some(code) if detail.is_empty() => code.to_string(),
        Some(code) => format!("{code} {detail}"),
        None => detail.clone(),
    };
    let closing = Closing {
        outcome: no.outcome,
        cause: no.cause,
        code: no.code.map(i32::from),
        detail: Some(&detail),
        message_id: None,
        wait_ms,
    };
    let fresh = close(db, tx, claim, &closing).await?;
    let status = if no.outcome == Outcome::Refused {
        "rejected"
    } else {
        "failed"
    };
    let counted = i32::from(no.counts);
    let sql = db.text(REFUSE);
    let rows = in_tx!(&mut *tx, c => sqlx::query(&sql)
        .bind(claim.id()).bind(claim.token()).bind(status).bind(&error).bind(counted).bind(wait_ms)
        .execute(c).await.map(|r| r.rows_affected()))?;
    Ok((fresh, rows))
}

async fn unknown(
    db: &Db,
    tx: &mut Tx,
    claim: &Claim,
    cause: Cause,
    code: Option<u16>,
    detail: &str,
    on_unknown: OnUnknown,
) -> Result<(bool, u64), DbError> {
    let detail = shorten(detail, 500);
    let closing = Closing {
        outcome: Outcome::Unknown,
        cause,
        code: code.map(i32::from),
        detail: Some(&detail),
        message_id: None,
        wait_ms: None,
    };
    let fresh = close(db, tx, claim, &closing).await?;
    let rows = assume(db, tx, claim.id(), &claim.token(), &detail, on_unknown).await?;
    Ok((fresh, rows))
}

/// Lets `DENPYO_ON_UNKNOWN` decide over a row whose outcome nobody knows; returns the rows
/// changed.
pub(super) async fn assume(
    db: &Db,
    tx: &mut Tx,
    id: i64,
    token: &str,
    why: &str,
    on_unknown: OnUnknown,
) -> Result<u64, DbError> {
    let side = match on_unknown {
        OnUnknown::Hold => None,
        OnUnknown::Synced => Some("synced"),
        OnUnknown::Failed => Some("failed"),
    };
    let sql = db.text(if side.is_some() {
        UNKNOWN_ASSUME
    } else {
        UNKNOWN_HOLD
    });
    let rows = match side {
        Some(status) => in_tx!(&mut *tx, c => sqlx::query(&sql)
            .bind(id).bind(token).bind(why).bind(status)
            .execute(c).await.map(|r| r.rows_affected()))?,
        None => in_tx!(&mut *tx, c => sqlx::query(&sql)
            .bind(id).bind(token).bind(why)
            .execute(c).await.map(|r| r.rows_affected()))?,
    };
    if rows > 0 {
        lookup::ask(db, tx, id, token).await?;
    }
    Ok(rows)
}
