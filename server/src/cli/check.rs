//! `denpyo check`: whether settings, database and service are usable.

mod file;
mod service;

use super::{Failure, say};
use crate::config::Config;
use crate::db::{Db, DbError, open, schema};
use crate::outbox::{self, asked};
use crate::provider::Provider;
use crate::serve;
use sqlx::Row;

/// The oldest SQLite that may write to the file: `ON CONFLICT` of the intake line.
const OLDEST_SQLITE: &str = "3.24";

/// What was found of one part.
enum Found {
    /// It is usable.
    Fine(String),
    /// It is not.
    Fault(String),
}

/// Tells part by part, and remembers whether all were fine.
struct Report {
    fine: bool,
}

impl Report {
    fn tell(&mut self, part: &str, found: Found) {
        let text = match found {
            Found::Fine(text) => text,
            Found::Fault(text) => {
                self.fine = false;
                text
            }
        };
        say(&format!("{part}: {text}\n"));
    }

    fn fault(&mut self, part: &str, error: impl ToString) {
        self.tell(part, Found::Fault(error.to_string()));
    }
}

/// Says of each part whether it is usable; fails where one is not.
pub(super) async fn run(config: &Config) -> Result<(), Failure> {
    let mut report = Report { fine: true };
    let service = serve::service(config);
    match &service {
        Ok(_) => say("settings: ok\n"),
        Err(error) => report.fault("settings", error),
    }
    let provider = service.ok().flatten();
    match open::open_existing(&config.database_url, config.concurrency + 8).await {
        Ok(None) => {
            let place = open::file_of(&config.database_url).unwrap_or_default();
            let place = place.display();
            report.fault(
                "database",
                format!(
                    "the file {place} is not there yet; `denpyo migrate` or `denpyo serve` makes it"
                ),
            );
        }
        Ok(Some(db)) => database(&mut report, &db, config, provider.as_deref()).await,
        Err(error) => report.fault("database", error),
    }
    match (&provider, &config.provider) {
        (Some(provider), _) => report.tell("service", service::look(provider.as_ref()).await),
        (None, None) => say("service: none is set, so nothing is sent\n"),
        // Said above.
        (None, Some(_)) => {}
    }
    if report.fine {
        Ok(())
    } else {
        Err(Failure::Told)
    }
}

async fn database(report: &mut Report, db: &Db, config: &Config, provider: Option<&dyn Provider>) {
    if let Some(found) = file::look(db).await {
        report.tell("file", found);
    }
    let schema_ok = match schema::check_or_obstacle(db).await {
        Ok(()) => {
            say(&format!("schema: ok, version {}\n", schema::ours(db)));
            true
        }
        Err(error) => {
            report.fault("schema", error);
            false
        }
    };
    match durability(db).await {
        Ok((true, text)) => say(&format!("durability: ok, {text}\n")),
        Ok((false, text)) => report.fault("durability", format!("not safe, {text}")),
        Err(error) => report.fault("durability", error),
    }
    if schema_ok {
        // A full disk still opens and reads.
        if let Err(error) = outbox::probe(db).await {
            report.fault("writing", error);
        }
        if let Err(error) = warnings(db, config, provider).await {
            report.fault("reading", error);
        }
    }
    if !db.is_postgres() {
        say(&format!(
            "other programs: may write to the file with SQLite {OLDEST_SQLITE} or newer\n"
        ));
    }
}

/// What is usable, and yet not what somebody may expect.
async fn warnings(
    db: &Db,
    config: &Config,
    provider: Option<&dyn Provider>,
) -> Result<(), DbError> {
    if let Some(set) = &config.installation
        && let Some((kept, mails)) = outbox::disagreeing(db, set).await?
    {
        say(&format!(
            "warning: DENPYO_INSTALLATION is {set}, and the database was {kept}'s: the next start holds everything \
             that could be sent ({mails} now) until somebody lets it go\n"
        ));
    }
    if let Some(provider) = provider {
        let open = asked::elsewhere(db, provider.name(), provider.account()).await?;
        if open > 0 {
            say(&format!(
                "warning: open questions that belong to another service or account than the one set now: {open}. \
                 They cannot be asked; set the former key until they are settled, or a person finds out\n"
            ));
        }
    }
    Ok(())
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
