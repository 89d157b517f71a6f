//! Reads that may take only so long: a count that would keep people waiting is given up inside
//! the database, not merely forgotten.

use super::DbError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest that a page waits for one of its figures.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// Runs `$body` with `$c` bound to a connection that reads, for at most `$limit`. `Ok(None)` where
/// it would have taken longer. `$body` gives an `sqlx::Result`.
#[macro_export]
macro_rules! on_limited {
    ($db:expr, $limit:expr, $c:ident => $body:expr) => {{
        let limit: std::time::Duration = $limit;
        match $db {
            $crate::db::Db::Sqlite(sqlite) => {
                let mut conn = sqlite.read.acquire().await?;
                let armed = $crate::db::limited::Armed::default();
                let deadline = std::time::Instant::now() + limit;
                let asks = armed.asks();
                conn.lock_handle()
                    .await?
                    .set_progress_handler(10_000, move || {
                        !asks.load(std::sync::atomic::Ordering::Relaxed)
                            || std::time::Instant::now() < deadline
                    });
                let read = {
                    let $c = &mut *conn;
                    $body
                };
                drop(armed);
                $crate::db::limited::in_time(read)
            }
            $crate::db::Db::Postgres(pool) => {
                let mut tx = pool.begin().await?;
                // A number, so that there is nothing to escape; settings take no parameters.
                let set = format!("SET LOCAL statement_timeout = {}", limit.as_millis());
                sqlx::query(&set).execute(&mut *tx).await?;
                let read = {
                    let $c = &mut *tx;
                    $body
                };
                $crate::db::limited::in_time(read)
            }
        }
    }};
}

/// While it lives, a SQLite connection's time is limited. Whoever goes away in between leaves a
/// connection that takes its time again.
#[derive(Debug)]
pub struct Armed(Arc<AtomicBool>);

impl Default for Armed {
    fn default() -> Armed {
        Armed(Arc::new(AtomicBool::new(true)))
    }
}

impl Armed {
    /// What the connection's handler asks.
    pub fn asks(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// An interrupted statement is no error.
pub fn in_time<T>(read: sqlx::Result<T>) -> Result<Option<T>, DbError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            let code = error.as_database_error().and_then(|e| e.code());
            // SQLite's SQLITE_INTERRUPT, and PostgreSQL's query_canceled.
            if matches!(code.as_deref(), Some("9" | "57014")) {
                Ok(None)
            } else {
                Err(error.into())
            }
        }
    }
}
