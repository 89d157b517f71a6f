//! The worker: claims what is due, and hands each claim to the sender. Idle workers wake by NOTIFY
//! where PostgreSQL is the database, with polling behind it.

use crate::db::{Db, DbError};
use crate::outbox::{claim, pause};
use crate::sender::Sender;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

/// Most rows that one claim takes: enough to keep round trips few, few enough that other workers
/// find work.
const BATCH: u32 = 32;

/// Claims what is due, once, up to what `slots` allows, and starts sending it; returns how many.
/// While the service stands paused nothing is claimed; once the pause is over a single mail
/// tries first.
pub async fn run_once(sender: &Arc<Sender>, slots: &Arc<Semaphore>) -> Result<usize, DbError> {
    let who = sender.claimant();
    let most = match pause::read(sender.db(), &who.provider, &who.account).await? {
        Some(pause) => {
            sender.see_pause();
            // The mail that tries must be answered before another does.
            if pause.active || sender.busy() {
                return Ok(0);
            }
            1
        }
        None => BATCH,
    };
    // Slots first: what is claimed is sent at once, and no lease runs down in a queue.
    let free = u32::try_from(slots.available_permits())
        .unwrap_or(u32::MAX)
        .min(most);
    let Ok(mut taken) = Arc::clone(slots).try_acquire_many_owned(free) else {
        return Ok(0);
    };
    if free == 0 {
        return Ok(0);
    }
    let claims = claim::claim_due(sender.db(), who, free).await?;
    let count = claims.len();
    for claim in claims {
        let slot = taken.split(1);
        sender.spawn(claim, slot);
    }
    Ok(count)
}

/// Runs until the process is to stop.
pub async fn run(
    sender: Arc<Sender>,
    concurrency: u32,
    poll: Duration,
    notify: bool,
    stopping: CancellationToken,
) {
    let slots = Arc::new(Semaphore::new(usize::try_from(concurrency).unwrap_or(1)));
    let wake = Arc::new(Notify::new());
    let listener = match sender.db() {
        Db::Postgres(_) if notify => Some(tokio::spawn(listen(
            sender.db().clone(),
            Arc::clone(&wake),
            stopping.clone(),
        ))),
        _ => None,
    };
    let mut trouble = false;
    while !stopping.is_cancelled() {
        let claimed = match run_once(&sender, &slots).await {
            Ok(claimed) => {
                if trouble {
                    tracing::info!("the database answers again");
                }
                trouble = false;
                claimed
            }
            Err(error) => {
                if !trouble {
                    tracing::error!(error = %error, "nothing can be claimed; trying again");
                }
                trouble = true;
                0
            }
        };
        if claimed > 0 {
            // There may be more, as soon as a slot is free.
            tokio::select! {
                () = stopping.cancelled() => break,
                permit = slots.acquire() => drop(permit),
            }
            continue;
        }
        tokio::select! {
            () = stopping.cancelled() => break,
            () = tokio::time::sleep(poll) => {}
            () = wake.notified() => {}
        }
    }
    if let Some(listener) = listener {
        listener.abort();
    }
}

/// Turns the database's notifications into wakes. It is a hint: whatever goes wrong here, polling
/// goes on.
pub(crate) async fn listen(db: Db, wake: Arc<Notify>, stopping: CancellationToken) {
    let Db::Postgres(pool) = db else { return };
    while !stopping.is_cancelled() {
        match sqlx::postgres::PgListener::connect_with(&pool).await {
            Ok(mut listener) => {
                if listener.listen("denpyo").await.is_ok() {
                    while listener.recv().await.is_ok() {
                        wake.notify_one();
                    }
                }
            }
            Err(error) => tracing::debug!(error = %error, "cannot listen; polling goes on"),
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}
