//! What time alone decides: leases that ran out. Runs in every process, safe with many at once.

use crate::config::Config;
use crate::db::{Db, DbError};
use crate::outbox::lapse;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Looks through what has lapsed once; returns how many rows it marked.
pub async fn run_once(db: &Db, config: &Config) -> Result<usize, DbError> {
    lapse::mark_lapsed(db, |kind| config.on_unknown(kind)).await
}

/// Runs until the process is to stop.
pub async fn run(db: Db, config: std::sync::Arc<Config>, stopping: CancellationToken) {
    let pause = config.poll_interval.max(Duration::from_millis(200));
    loop {
        if let Err(error) = run_once(&db, &config).await {
            tracing::warn!(error = %error, "lapsed leases could not be looked through");
        }
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}
