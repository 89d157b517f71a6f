//! A replay: the stored request of an unknown attempt, posted again under its own idempotency
//! key. Where a service knows such keys this takes the look-up's place. It may make the mail go
//! out now, so it needs a claim of its own, guarded by a lease: while it lives nobody else
//! settles the row, and nobody resends it.

use super::{Claim, Claimant, after};
use crate::clock::Ticks;
use crate::db::{Db, DbError, Sql};
use crate::in_tx;
use crate::outbox::row::{Row, columns};
use uuid::Uuid;

/// The attempt is not counted, for it is the same one.
const REPLAY: Sql = Sql::same(concat!(
    "UPDATE email_submissions SET replay_token = $3, lease_until = {after $4}, unknown_at = NULL, \
     version = version + 1, updated_at = {now} \
     WHERE id = $1 AND attempts = $2 AND (lease_until IS NULL OR lease_until <= {now}) \
     AND (status = 'requesting' OR (settled_by = 'assumed' AND status IN ('failed', 'synced'))) \
     AND provider = $5 AND held_reason IS NULL RETURNING ",
    columns!()
));
/// The answer decided nothing: the question is open as before. The token stays on a row that is
/// `requesting`, its lease over: from now on the first post's own answer, should it come yet,
/// decides nothing either.
const END: Sql = Sql::same(
    "UPDATE email_submissions SET \
     replay_token = CASE WHEN status = 'requesting' THEN replay_token ELSE NULL END, \
     unknown_at = CASE WHEN status = 'requesting' THEN {now} ELSE unknown_at END, \
     lease_until = CASE WHEN status = 'requesting' THEN {now} ELSE NULL END, \
     version = version + 1, updated_at = {now} WHERE id = $1 AND replay_token = $2",
);

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] =
    &[("replay::REPLAY", REPLAY), ("replay::END", END)];

/// A replay that may be posted now.
#[derive(Debug)]
pub struct Replay(Claim);

impl Replay {
    /// The claim whose permit lets it be posted.
    pub fn claim(&self) -> &Claim {
        &self.0
    }
}

/// What came of the wish to replay an attempt.
#[derive(Debug)]
pub enum Replaying {
    /// Claimed.
    Ready(Box<Replay>),
    /// The row is in question no more, or somebody else is at it.
    Taken,
    /// The request would not be the one that was posted then; it must not be posted.
    Different,
}

/// Claims the replay of an attempt, only where the request's digest is the stored one.
pub async fn claim(
    db: &Db,
    who: &Claimant,
    id: i64,
    attempt: i32,
    digest: &str,
) -> Result<Replaying, DbError> {
    let started = Ticks::now();
    let token = Uuid::new_v4();
    let mut tx = db.begin().await?;
    let sql = db.text(REPLAY);
    let row: Option<Row> = in_tx!(&mut tx, c => sqlx::query_as(&sql)
        .bind(id).bind(attempt).bind(token.to_string()).bind(after(who.lease)).bind(&who.provider)
        .fetch_optional(c).await)?;
    let Some(row) = row else {
        return Ok(Replaying::Taken);
    };
    let Ok(claim) = Claim::of(&row, who, started, token) else {
        return Ok(Replaying::Different);
    };
    if who.requests.digest(&claim.envelope).as_deref() != Some(digest) {
        return Ok(Replaying::Different);
    }
    tx.commit().await?;
    Ok(Replaying::Ready(Box::new(Replay(claim))))
}

/// Ends a replay whose answer decided nothing.
pub async fn end(db: &Db, replay: &Replay) -> Result<(), DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(END);
    in_tx!(&mut tx, c => sqlx::query(&sql).bind(replay.0.id).bind(replay.0.token())
        .execute(c).await.map(|_| ()))?;
    tx.commit().await?;
    Ok(())
}
