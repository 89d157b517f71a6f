//! The claim: the only way to `requesting`, and the only key to sending.
//!
//! One statement per database takes rows for workers and for people's resends alike. It counts
//! the attempt, sets a token and a lease by the database's clock, and is durable, together with
//! the opened attempt, before the first byte leaves. A [`Claim`] can be made nowhere else, and
//! without one there is no [`Permit`] to post.

use super::row::Row;
use super::{audit, row::shorten};
use crate::clock::Ticks;
use crate::db::{Db, DbError, LooseText, Tx, id_list};
use crate::envelope::{Envelope, Labels, Unsendable, screen};
use crate::in_tx;
use crate::provider::Provider;
use app::model::address::{Address, Mailbox};
use app::model::views::NoticeKind;
use app::model::{ActKind, Status};
use statements::{ANY_DUE, CHOOSE, CLAIM, GIVE_UP, KEEP_REQUEST, OPEN_ATTEMPT, SET_ASIDE};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

pub mod replay;
mod statements;

pub(super) use statements::{SEEN, STATEMENTS};

/// Who claims, for which service, and for how long.
#[derive(Clone, Debug)]
pub struct Claimant {
    /// This process.
    pub worker: String,
    /// The service's name.
    pub provider: String,
    /// The service's account.
    pub account: String,
    /// Names this installation.
    pub installation: String,
    /// `DENPYO_FROM`.
    pub from: Option<Mailbox>,
    /// `DENPYO_LEASE`.
    pub lease: Duration,
    /// `DENPYO_REQUEST_TIMEOUT`.
    pub timeout: Duration,
    /// `DENPYO_MAX_AGE`: what is older is not sent by itself.
    pub max_age: Duration,
    /// Digests requests, where the service knows idempotency keys.
    pub requests: Requests,
}

/// Digests the requests of a service that knows idempotency keys; of others nothing is kept.
#[derive(Clone, Default)]
pub struct Requests(Option<Arc<dyn Provider>>);

impl Requests {
    /// Of this service.
    pub fn of(provider: &Arc<dyn Provider>) -> Requests {
        Requests(Some(Arc::clone(provider)))
    }

    fn digest(&self, envelope: &Envelope) -> Option<String> {
        self.0.as_ref()?.request_digest(envelope)
    }
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Requests")
            .field(&self.0.as_ref().map(|p| p.name()))
            .finish()
    }
}

impl Claimant {
    /// `DENPYO_MAX_AGE` as statements take it: negative milliseconds.
    pub fn age_ms(&self) -> i64 {
        before(self.max_age)
    }
}

/// A duration from now, as `{after $n}` takes it.
pub(super) fn after(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// A duration before now, as `{after $n}` takes it.
pub(crate) fn before(duration: Duration) -> i64 {
    -after(duration)
}

/// A mail that is ours to send until its lease ends. Not clonable: one claim, one send, one
/// settle.
#[derive(Debug)]
pub struct Claim {
    id: i64,
    token: Uuid,
    kind: String,
    provider: String,
    attempts_counted: i32,
    envelope: Envelope,
    /// By this process's own clock, started before the claim, so that the lease ends by it no later
    /// than by the database's.
    started: Ticks,
    lease: Duration,
    timeout: Duration,
}

/// What a post must leave of the lease beside its own timeout, for the settle to come in time.
pub const MARGIN: Duration = Duration::from_secs(1);

impl Claim {
    /// What is sent is what the claiming statement itself returned, looked through again: a row
    /// cannot have changed meanwhile, and if it had, nothing of this transaction would stand.
    fn of(row: &Row, who: &Claimant, started: Ticks, token: Uuid) -> Result<Claim, DbError> {
        let content = screen(&row.content(), who.from.as_ref()).map_err(|_| DbError::Corrupt {
            column: "content",
            id: row.id,
        })?;
        Ok(Claim {
            id: row.id,
            token,
            kind: row.kind.shown().to_owned(),
            provider: who.provider.clone(),
            attempts_counted: row.attempts_counted,
            envelope: Envelope {
                labels: Labels {
                    reference: row.uuid()?,
                    order_id: shorten(row.order_id.shown(), 1000),
                    attempt: row.attempts,
                    installation: who.installation.clone(),
                },
                content,
            },
            started,
            lease: who.lease,
            timeout: who.timeout,
        })
    }

    /// The submission.
    pub fn id(&self) -> i64 {
        self.id
    }
    /// What kind of mail it is.
    pub fn kind(&self) -> &str {
        &self.kind
    }
    /// The attempt's number.
    pub fn attempt(&self) -> i32 {
        self.envelope.labels.attempt
    }
    /// Attempts before this one that count against `DENPYO_MAX_ATTEMPTS`.
    pub fn attempts_counted(&self) -> i32 {
        self.attempts_counted
    }
    /// How long ago it was claimed.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }
    /// The service it is for.
    pub fn provider(&self) -> &str {
        &self.provider
    }
    pub(super) fn token(&self) -> String {
        self.token.to_string()
    }

    /// Leave to post now, or `None` where the lease could lapse before the answer. Asked right
    /// before the post, since a process may have been stopped for a while.
    pub fn permit(&self) -> Option<Permit<'_>> {
        let needed = self.timeout + MARGIN;
        (self.started.elapsed() + needed <= self.lease).then_some(Permit {
            envelope: &self.envelope,
        })
    }
}

/// Leave to post one mail now: its claim is durable and its lease outlives the request.
pub struct Permit<'a> {
    envelope: &'a Envelope,
}

impl<'a> Permit<'a> {
    /// The mail to post.
    pub fn envelope(&self) -> &'a Envelope {
        self.envelope
    }

    /// A permit without a claim, for the tests of services alone.
    #[cfg(test)]
    pub(crate) fn for_test(envelope: &'a Envelope) -> Permit<'a> {
        Permit { envelope }
    }
}

/// Takes up to `limit` rows that are due. Rows whose content cannot be sent are set aside in the
/// same transaction, unclaimed, and the queue goes on.
pub async fn claim_due(db: &Db, who: &Claimant, limit: u32) -> Result<Vec<Claim>, DbError> {
    if let Db::Sqlite(sqlite) = db {
        let sql = db.text(ANY_DUE);
        let any: bool = sqlx::query_scalar(&sql).fetch_one(&sqlite.read).await?;
        if !any {
            return Ok(Vec::new());
        }
    }
    let started = Ticks::now();
    let token = Uuid::new_v4();
    let mut tx = db.begin().await?;
    let sql = db.text(CHOOSE);
    let rows: Vec<Row> = in_tx!(&mut tx, c => sqlx::query_as(&sql).bind(i64::from(limit)).bind(who.age_ms()).fetch_all(c).await)?;
    let mut ready = Vec::with_capacity(rows.len());
    for row in &rows {
        match screen(&row.content(), who.from.as_ref()) {
            Ok(_) => ready.push(row.id),
            Err(fault) => set_aside(db, &mut tx, row, &fault).await?,
        }
    }
    let claims = take(db, &mut tx, who, started, token, &ready, None).await?;
    tx.commit().await?;
    Ok(claims)
}

async fn set_aside(db: &Db, tx: &mut Tx, row: &Row, fault: &Unsendable) -> Result<(), DbError> {
    let sql = db.text(if row.status()? == Status::Pending {
        SET_ASIDE
    } else {
        GIVE_UP
    });
    let error = fault.to_string();
    in_tx!(tx, c => sqlx::query(&sql)
        .bind(row.id).bind(row.version).bind(&error).execute(c).await.map(|r| r.rows_affected()))?;
    audit::observe(db, tx, row.id, None, "screened", None, Some(&error)).await?;
    tracing::warn!(
        id = row.id,
        fault = fault.code(),
        "content cannot be sent; set aside"
    );
    Ok(())
}

/// A person's resend: the row as it was seen, and what they say to it.
#[derive(Clone, Debug, Default)]
pub struct Resend<'a> {
    /// The sign-in name, or `api`.
    pub actor: &'a str,
    /// The version seen; `None` takes any.
    pub version: Option<i64>,
    /// The attempts seen; `None` takes any.
    pub attempt: Option<i32>,
    /// A corrected recipient.
    pub recipient: Option<&'a Address>,
    /// Their reason.
    pub reason: Option<&'a str>,
    /// The caller's own name for this request; the same name again is the same act.
    pub request_id: Option<&'a str>,
}

/// How a resend went.
#[derive(Debug)]
pub enum Resent {
    /// Claimed: to be sent now.
    Claimed(Box<Claim>),
    /// The same request was carried out before.
    Before {
        /// The attempt it began.
        attempt: Option<i32>,
    },
    /// Not in a state to be resent, or not as it was seen.
    Refused(Box<Row>),
    /// Its content cannot be sent.
    Unsendable(Unsendable),
    /// No such row.
    NotFound,
}

/// Claims one row for a person, through the very statement that workers use, and writes the act
/// into the audit trail in the same transaction.
pub async fn claim_for_person(
    db: &Db,
    who: &Claimant,
    id: i64,
    resend: &Resend<'_>,
) -> Result<Resent, DbError> {
    let started = Ticks::now();
    let token = Uuid::new_v4();
    let mut tx = db.begin().await?;
    let sql = db.text(SEEN);
    let row: Option<Row> =
        in_tx!(&mut tx, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?;
    let Some(row) = row else {
        return Ok(Resent::NotFound);
    };
    if let Some(request_id) = resend.request_id
        && let Some(attempt) =
            audit::by_request(db, &mut tx, id, ActKind::Resend, request_id).await?
    {
        return Ok(Resent::Before { attempt });
    }
    // The rule that offered the button; the statement below then checks it, and that the row is
    // still as it was seen, once more and for good.
    let standing = row.standing(resend.recipient, who.from.as_ref(), true)?;
    let status = standing.status;
    if let Err(why) = standing.resend() {
        return Ok(match (why, standing.fault) {
            (NoticeKind::BadRecipient | NoticeKind::BadContent, Some(fault)) => {
                Resent::Unsendable(fault)
            }
            _ => Resent::Refused(Box::new(row)),
        });
    }
    let claims = take(db, &mut tx, who, started, token, &[id], Some(resend)).await?;
    let Some(claim) = claims.into_iter().next() else {
        return Ok(Resent::Refused(Box::new(row)));
    };
    let before = row.recipient.as_ref().map(LooseText::shown);
    let after = resend.recipient.map(Address::as_str);
    audit::record(
        db,
        &mut tx,
        &audit::Act {
            reason: resend.reason,
            before_status: Some(status.as_str()),
            after_status: Some(Status::Requesting.as_str()),
            before_recipient: after.and(before),
            after_recipient: after,
            attempt: Some(claim.attempt()),
            version_seen: Some(row.version),
            request_id: resend.request_id,
            ..audit::Act::of(resend.actor, ActKind::Resend, id)
        },
    )
    .await?;
    tx.commit().await?;
    Ok(Resent::Claimed(Box::new(claim)))
}

async fn take(
    db: &Db,
    tx: &mut Tx,
    who: &Claimant,
    started: Ticks,
    token: Uuid,
    ready: &[i64],
    resend: Option<&Resend<'_>>,
) -> Result<Vec<Claim>, DbError> {
    if ready.is_empty() {
        return Ok(Vec::new());
    }
    let ids = id_list(ready.iter().copied());
    let actor = resend.map(|r| r.actor);
    let recipient = resend.and_then(|r| r.recipient).map(Address::as_str);
    let sql = db.text(CLAIM);
    let rows: Vec<Row> = in_tx!(&mut *tx, c => sqlx::query_as(&sql)
        .bind(&ids).bind(token.to_string()).bind(after(who.lease)).bind(&who.provider).bind(actor)
        .bind(recipient).bind(i32::from(resend.is_some()))
        .bind(resend.and_then(|r| r.version)).bind(resend.and_then(|r| r.attempt)).bind(who.age_ms())
        .fetch_all(c).await)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let sql = db.text(OPEN_ATTEMPT);
    in_tx!(&mut *tx, c => sqlx::query(&sql)
        .bind(&ids).bind(token.to_string()).bind(&who.worker).bind(actor)
        .bind(&who.provider).bind(&who.account)
        .execute(c).await.map(|r| r.rows_affected()))?;
    let mut claims = Vec::with_capacity(rows.len());
    for row in rows {
        let claim = Claim::of(&row, who, started, token)?;
        if let Some(digest) = who.requests.digest(&claim.envelope) {
            let sql = db.text(KEEP_REQUEST);
            in_tx!(&mut *tx, c => sqlx::query(&sql).bind(row.id).bind(row.attempts).bind(digest)
                .execute(c).await.map(|_| ()))?;
        }
        claims.push(claim);
    }
    Ok(claims)
}
