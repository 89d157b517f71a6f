//! Keeps the index of parts, and failures by cause, up to date beside the desk that shows them. Any number of processes
//! may do so at once; whatever goes wrong, the mails themselves are not touched.

use crate::db::Db;
use crate::outbox::failures;
use crate::outbox::search::index::{self, Prepared};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often an idle process looks.
const IDLE: Duration = Duration::from_secs(1);
/// How often it looks while the database does not answer.
const TROUBLE: Duration = Duration::from_secs(10);
/// When indexes that could not be made are tried again.
const AGAIN: Duration = Duration::from_secs(600);

/// Runs until the process is to stop.
pub async fn run(db: Db, stopping: CancellationToken) {
    stopping.run_until_cancelled(keep(&db)).await;
}

async fn keep(db: &Db) {
    let (mut next, mut told, mut trouble) = (Some(Instant::now()), false, false);
    loop {
        let begun = Instant::now();
        let done = async {
            if next.is_some_and(|at| at <= begun) {
                next = Some(begun + AGAIN);
                match index::prepare(db).await? {
                    Prepared::Ready => next = None,
                    Prepared::Elsewhere => {}
                    Prepared::NoExtension(why) if !told => {
                        told = true;
                        tracing::warn!(
                            "mails are found by whole order numbers and addresses alone, not by parts: {why}; \
                             as the database's owner run CREATE EXTENSION pg_trgm SCHEMA denpyo"
                        );
                    }
                    Prepared::NoExtension(_) => {}
                }
            }
            let more = failures::round(db).await?;
            Ok::<_, crate::db::DbError>(index::round(db).await? || more)
        };
        let wait = match done.await {
            Ok(more) => {
                trouble = false;
                // As long again as it took: on SQLite others want to write, too.
                if more { begun.elapsed() } else { IDLE }
            }
            Err(error) => {
                if !trouble {
                    tracing::warn!(error = %error, "the search index cannot be written; trying again");
                }
                trouble = true;
                TROUBLE
            }
        };
        tokio::time::sleep(wait).await;
    }
}
