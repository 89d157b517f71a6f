//! `denpyo check`: whether settings, database and service are usable.

use super::{Failure, say};
use crate::config::Config;
use crate::db::{Db, open, schema};
use crate::outbox;
use crate::serve;
use sqlx::Row;

/// The oldest SQLite that may write to the file: `ON CONFLICT` of the intake line.
const OLDEST_SQLITE: &str = "3.24";

/// Says of each part whether it is usable; fails where one is not.
pub(super) async fn run(config: &Config) -> Result<(), Failure> {
    let mut fine = true;
    let service = serve::service(config);
    match &service {
        Ok(_) => say("settings: ok\n"),
        Err(error) => {
            fine = false;
            say(&format!("settings: {error}\n"));
        }
    }
    match open::open_existing(&config.database_url, config.concurrency + 8).await {
        Ok(None) => {
            fine = false;
            say(
                "database: the file is not there yet; `denpyo migrate` or `denpyo serve` makes it\n",
            );
        }
        Ok(Some(db)) => {
            let schema_ok = match schema::check_or_obstacle(&db).await {
                Ok(()) => {
                    say(&format!("schema: ok, version {}\n", schema::ours(&db)));
                    true
                }
                Err(error) => {
                    fine = false;
                    say(&format!("schema: {error}\n"));
                    false
                }
            };
            match durability(&db).await {
                Ok((true, text)) => say(&format!("durability: ok, {text}\n")),
                Ok((false, text)) => {
                    fine = false;
                    say(&format!("durability: not safe, {text}\n"));
                }
                Err(error) => {
                    fine = false;
                    say(&format!("durability: {error}\n"));
                }
            }
            // A full disk still opens and reads.
            if schema_ok && let Err(error) = outbox::probe(&db).await {
                fine = false;
                say(&format!("writing: {error}\n"));
            }
            if !db.is_postgres() {
                say(&format!(
                    "other programs: may write to the file with SQLite {OLDEST_SQLITE} or newer\n"
                ));
            }
        }
        Err(error) => {
            fine = false;
            say(&format!("database: {error}\n"));
        }
    }
    match service {
        Ok(None) => say("service: none is set, so nothing is sent\n"),
        Ok(Some(provider)) => match provider.reachable().await {
            Ok(()) => match provider.suits().await {
                Ok(()) => say(&format!("service: ok, {} answers\n", provider.label())),
                Err(why) => {
                    fine = false;
                    say(&format!(
                        "service: {} lacks what the settings ask for: {why}\n",
                        provider.label()
                    ));
                }
            },
            Err(why) => {
                fine = false;
                say(&format!(
                    "service: {} cannot be reached: {why}\n",
                    provider.label()
                ));
            }
        },
        // Said above.
        Err(_) => {}
    }
    if fine { Ok(()) } else { Err(Failure::Told) }
}

async fn durability(db: &Db) -> sqlx::Result<(bool, String)> {
    match db {
        Db::Sqlite(sqlite) => {
            let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
                .fetch_one(&sqlite.write)
                .await?;
            let sync: i64 = sqlx::query_scalar("PRAGMA synchronous")
                .fetch_one(&sqlite.write)
                .await?;
            Ok((
                mode == "wal" && sync >= 2,
                format!("journal_mode={mode} synchronous={sync}"),
            ))
        }
        Db::Postgres(pool) => {
            let row = sqlx::query(
                "SELECT current_setting('synchronous_commit'), current_setting('fsync'), \
                 current_setting('full_page_writes')",
            )
            .fetch_one(pool)
            .await?;
            let (commit, fsync, pages): (String, String, String) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let safe = commit != "off" && fsync == "on" && pages == "on";
            Ok((
                safe,
                format!("synchronous_commit={commit} fsync={fsync} full_page_writes={pages}"),
            ))
        }
    }
}
