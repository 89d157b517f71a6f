//! Denpyo itself: the real program, as a shop would run it.

use crate::Trouble;
use crate::count::{Row, Says};
use crate::fleet::Recipe;
use crate::plan::{HORIZON, LEASE, TIMEOUT};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection, PgPool, SqlitePool};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

const TOKEN: &str = "token-of-the-chaos";

/// A database as this program reads it.
pub enum Reader {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// A Denpyo with its web running; the workers are a fleet's.
pub struct Denpyo {
    program: PathBuf,
    folder: PathBuf,
    settings: BTreeMap<String, String>,
    reader: Reader,
    client: reqwest::Client,
    web: tokio::process::Child,
    address: String,
}

/// Where its mails are kept.
pub enum Place<'a> {
    /// In its folder.
    Sqlite,
    /// In a database of its own on the server of this URL.
    Postgres(&'a str),
}

impl Denpyo {
    /// Makes a database, migrates it, and starts the web.
    pub async fn start(
        program: &Path,
        folder: &Path,
        place: &Place<'_>,
        service: &str,
        on_unknown: &str,
        concurrency: u32,
    ) -> Result<Denpyo, Trouble> {
        let url = match place {
            Place::Sqlite => format!("sqlite:{}", folder.join("denpyo.db").display()),
            Place::Postgres(admin) => {
                let name = format!("chaos_{on_unknown}_{}", std::process::id());
                let mut connection = PgConnection::connect(admin).await?;
                sqlx::query(&format!("CREATE DATABASE {name}"))
                    .execute(&mut connection)
                    .await?;
                connection.close().await?;
                let mut url = url::Url::parse(admin).map_err(|e| Trouble::Other(e.to_string()))?;
                url.set_path(&name);
                url.to_string()
            }
        };
        let milliseconds = |time: Duration| format!("{}ms", time.as_millis());
        let settings = [
            ("API_TOKEN", TOKEN.to_owned()),
            ("CONCURRENCY", concurrency.to_string()),
            ("DATABASE_URL", url.clone()),
            ("FROM", "Shop <order@shop.example>".to_owned()),
            ("LEASE", milliseconds(LEASE)),
            ("LISTEN", "127.0.0.1:0".to_owned()),
            ("LOOKUP_HORIZON", milliseconds(HORIZON)),
            // No mail waits for a person only because the service was unwell for long.
            ("MAX_ATTEMPTS", "100".to_owned()),
            ("ON_UNKNOWN", on_unknown.to_owned()),
            ("POLL_INTERVAL", "100ms".to_owned()),
            ("PROVIDER", "sendgrid".to_owned()),
            ("PROVIDER_KEY", "SG.key-of-the-chaos".to_owned()),
            ("PROVIDER_URL", service.to_owned()),
            ("REQUEST_TIMEOUT", milliseconds(TIMEOUT)),
        ];
        let settings: BTreeMap<String, String> = settings
            .into_iter()
            .map(|(key, value)| (format!("DENPYO_{key}"), value))
            .collect();
        let migrated = command(program, folder, &settings, "migrate", &["migrate"])?.status()?;
        if !migrated.success() {
            return Err(Trouble::Other(format!(
                "`denpyo migrate` failed; see {}",
                folder.display()
            )));
        }
        let mut web = command(program, folder, &settings, "web", &["serve", "--no-worker"])?;
        web.stdout(Stdio::piped()).stdin(Stdio::null());
        let mut web = tokio::process::Command::from(web)
            .kill_on_drop(true)
            .spawn()?;
        let address = address(&mut web).await?;
        let reader = match place {
            Place::Sqlite => Reader::Sqlite(
                sqlx::sqlite::SqlitePoolOptions::new()
                    .max_connections(2)
                    .connect(&url)
                    .await?,
            ),
            Place::Postgres(_) => Reader::Postgres(
                sqlx::postgres::PgPoolOptions::new()
                    .max_connections(2)
                    .connect(&url)
                    .await?,
            ),
        };
        denpyo::provider::http::tls();
        Ok(Denpyo {
            program: program.to_owned(),
            folder: folder.to_owned(),
            settings,
            reader,
            client: reqwest::Client::builder().no_proxy().build()?,
            web,
            address,
        })
    }

    /// How a worker is started.
    pub fn worker(&self) -> Recipe {
        let (program, folder) = (self.program.clone(), self.folder.clone());
        let settings = self.settings.clone();
        Box::new(move |number| {
            let name = format!("worker-{number}");
            command(&program, &folder, &settings, &name, &["worker"])
        })
    }

    /// Hands an order's mail over; safe to repeat, since the key is the order's.
    pub async fn book(&self, order: u32) -> Result<(), Trouble> {
        let mail = json!({
            "order_id": order.to_string(),
            "kind": "order_confirmation",
            "recipient": format!("customer-{order}@example.com"),
            "subject": "Thank you for your order",
            "body_text": "We have received your order.",
        });
        let request = self
            .client
            .post(format!("{}/api/v1/submissions", self.address))
            .bearer_auth(TOKEN)
            .json(&mail);
        request.send().await?.error_for_status()?;
        Ok(())
    }

    /// The whole table. What waits for a person is what the desk says so of.
    pub async fn rows(&self) -> Result<Vec<Row>, Trouble> {
        let text = format!(
            "SELECT order_id, status, CAST(CASE WHEN status <> 'synced' AND (status = 'rejected' \
             OR held_reason IS NOT NULL OR (status = 'failed' AND next_attempt_at IS NULL) \
             OR (status = 'requesting' AND (unknown_at IS NOT NULL OR lease_until <= {now}))) \
             THEN 1 ELSE 0 END AS bigint), CAST(version AS bigint) FROM email_submissions",
            now = self.now()
        );
        let rows: Vec<(String, String, i64, i64)> = match &self.reader {
            Reader::Sqlite(db) => sqlx::query_as(&text).fetch_all(db).await?,
            Reader::Postgres(db) => sqlx::query_as(&text).fetch_all(db).await?,
        };
        rows.into_iter()
            .map(|(order, status, waits, version)| {
                let order = order.parse();
                Ok(Row {
                    order: order.map_err(|_| Trouble::Other("a row nobody booked".to_owned()))?,
                    says: match status.as_str() {
                        "synced" => Says::Accepted,
                        "requesting" => Says::Unknown,
                        "canceled" => Says::Closed,
                        _ => Says::NotAccepted,
                    },
                    waits: waits == 1,
                    version,
                })
            })
            .collect()
    }

    /// How many rows still change by themselves, those included that look-ups are still asked of.
    pub async fn open(&self) -> Result<i64, Trouble> {
        let text = "SELECT COUNT(*) FROM email_submissions WHERE status IN ('pending', 'requesting') \
                    OR (status = 'failed' AND next_attempt_at IS NOT NULL) OR settled_by = 'assumed'";
        Ok(match &self.reader {
            Reader::Sqlite(db) => sqlx::query_scalar(text).fetch_one(db).await?,
            Reader::Postgres(db) => sqlx::query_scalar(text).fetch_one(db).await?,
        })
    }

    /// How many posts were answered with what, as the attempts have it.
    pub async fn outcomes(&self) -> Result<Vec<(String, i64)>, Trouble> {
        let text = "SELECT COALESCE(outcome, 'open') || COALESCE(' (' || cause || ')', ''), COUNT(*) \
                    FROM submission_attempts GROUP BY 1 ORDER BY 2 DESC";
        let in_schema = "SELECT COALESCE(outcome, 'open') || COALESCE(' (' || cause || ')', ''), COUNT(*) \
                         FROM denpyo.submission_attempts GROUP BY 1 ORDER BY 2 DESC";
        Ok(match &self.reader {
            Reader::Sqlite(db) => sqlx::query_as(text).fetch_all(db).await?,
            Reader::Postgres(db) => sqlx::query_as(in_schema).fetch_all(db).await?,
        })
    }

    /// Everything that Denpyo tells of an order, as its API has it.
    pub async fn story(&self, order: u32) -> Result<Value, Trouble> {
        let get = async |path: String| -> Result<Value, Trouble> {
            let url = format!("{}/api/v1/submissions{path}", self.address);
            let answer = self.client.get(url).bearer_auth(TOKEN).send().await?;
            Ok(answer.error_for_status()?.json().await?)
        };
        let list = get(format!("?order_id={order}")).await?;
        match list["items"][0]["id"].as_i64() {
            Some(id) => get(format!("/{id}")).await,
            None => Ok(list),
        }
    }

    fn now(&self) -> &'static str {
        match self.reader {
            Reader::Sqlite(_) => "strftime('%Y-%m-%d %H:%M:%f000', 'now')",
            Reader::Postgres(_) => "clock_timestamp()",
        }
    }

    /// Ends the web.
    pub async fn end(mut self) -> Result<(), Trouble> {
        self.web.kill().await?;
        Ok(())
    }
}

fn command(
    program: &Path,
    folder: &Path,
    settings: &BTreeMap<String, String>,
    name: &str,
    args: &[&str],
) -> Result<Command, Trouble> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.join(format!("{name}.log")))?;
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DENPYO_") {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .envs(settings)
        .env("RUST_LOG", "info")
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(log);
    Ok(command)
}

/// Where the web says it is; what else it prints is read and dropped.
async fn address(web: &mut tokio::process::Child) -> Result<String, Trouble> {
    let ended =
        || Trouble::Other("`denpyo serve` ended before it listened; see web.log".to_owned());
    let mut lines = BufReader::new(web.stdout.take().ok_or_else(ended)?).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some(address) = line.strip_prefix("Denpyo is at ") {
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Ok(address.trim().to_owned());
        }
    }
    Err(ended())
}
