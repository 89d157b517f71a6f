//! `make chaos`: how many mails are sent twice, lost, left to a person, or told untruly, when
//! worker processes are killed at random and the mail service misbehaves on a schedule. A report,
//! not a test: it prints a table, and says clearly where Denpyo's goal was missed.

mod baseline;
mod count;
mod fleet;
mod plan;
mod report;
mod run;
mod subject;

use clap::{Parser, Subcommand};
use plan::Size;
use run::{Outcome, Setting, Who};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// A file or a process.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A database.
    #[error(transparent)]
    Db(#[from] sqlx::Error),
    /// Denpyo's web.
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    /// The plan's faults.
    #[error(transparent)]
    Faults(#[from] denpyo::sandbox::BadFaults),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

/// Kills workers, lets the mail service misbehave, and counts what became of the mails.
#[derive(Parser)]
#[command(
    name = "chaos",
    max_term_width = 100,
    args_conflicts_with_subcommands = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    report: Report,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Database {
    Sqlite,
    Postgres,
}

#[derive(clap::Args)]
struct Report {
    /// Denpyo's program
    #[arg(long, value_name = "FILE", default_value = "target/release/denpyo")]
    denpyo: PathBuf,
    /// Where logs and SQLite files go; what is there of an earlier run goes away
    #[arg(long, value_name = "FOLDER", default_value = "target/chaos")]
    folder: PathBuf,
    /// What Denpyo uses; PostgreSQL's server is the one of DENPYO_TEST_POSTGRES_URL
    #[arg(long, value_enum, default_value = "sqlite")]
    db: Database,
    /// Orders; each is one mail
    #[arg(long, default_value_t = 3000, value_parser = clap::value_parser!(u32).range(1..))]
    orders: u32,
    /// Processes killed
    #[arg(long, default_value_t = 60)]
    kills: u32,
    /// Processes stopped past their lease and woken up again [default: a tenth of the kills]
    #[arg(long)]
    stops: Option<u32>,
    /// Where the draws begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Orders a second
    #[arg(long, default_value_t = 25.0, value_parser = rate)]
    rate: f64,
    /// Worker processes [default: 4 on PostgreSQL; on SQLite one sends]
    #[arg(long)]
    processes: Option<usize>,
    /// Mails in flight a process
    #[arg(long, default_value_t = 16)]
    concurrency: u32,
    /// Seconds to wait, after the faults, for rows that still change
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    patience: u64,
    /// Only these of hold, synced, failed, a, b, c, d
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 10_000.0 => Ok(rate),
        _ => Err("write a number above 0, such as 25".to_owned()),
    }
}

#[derive(Subcommand)]
enum Command {
    /// A baseline's worker process, which the report starts
    #[command(hide = true)]
    Baseline {
        design: String,
        #[arg(long)]
        database: PathBuf,
        #[arg(long)]
        service: String,
        #[arg(long)]
        number: u32,
        #[arg(long)]
        among: u32,
        #[arg(long)]
        concurrency: u32,
    },
}

fn say(text: &str) -> Result<(), Trouble> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        None => report(cli.report).await,
        Some(Command::Baseline {
            design,
            database,
            service,
            number,
            among,
            concurrency,
        }) => {
            let share = baseline::work::Share {
                number,
                among,
                concurrency,
            };
            match baseline::DESIGNS.into_iter().find(|d| d.name == design) {
                Some(design) => baseline::work::run(design, &database, &service, share).await,
                None => Err(Trouble::Other(format!("there is no design {design:?}"))),
            }
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

impl Report {
    fn setting(&self) -> Result<Setting, Trouble> {
        let other = |text: &str| Trouble::Other(text.to_owned());
        let postgres = match self.db {
            Database::Sqlite => None,
            Database::Postgres => {
                Some(std::env::var("DENPYO_TEST_POSTGRES_URL").map_err(|_| {
                    other("DENPYO_TEST_POSTGRES_URL is not set: run it through scripts/chaos.sh")
                })?)
            }
        };
        let processes = match (self.db, self.processes) {
            (Database::Postgres, None) => 4,
            (Database::Sqlite, None | Some(1)) => 1,
            (Database::Postgres, Some(processes @ 1..)) => processes,
            _ => {
                return Err(other(
                    "--processes: on SQLite one sends; on PostgreSQL 1 or more",
                ));
            }
        };
        std::fs::create_dir_all(&self.folder)?;
        Ok(Setting {
            program: std::fs::canonicalize(&self.denpyo)
                .map_err(|error| Trouble::Other(format!("{}: {error}", self.denpyo.display())))?,
            folder: std::fs::canonicalize(&self.folder)?,
            postgres,
            concurrency: self.concurrency,
            patience: Duration::from_secs(self.patience),
            size: Size {
                orders: self.orders,
                rate: self.rate,
                kills: self.kills,
                stops: self.stops.unwrap_or(self.kills / 10),
                processes,
                seed: self.seed,
            },
        })
    }

    fn who(&self) -> Result<Vec<Who>, Trouble> {
        let all = report::everybody();
        if let Some(unknown) = self
            .only
            .iter()
            .find(|name| all.iter().all(|who| who.name() != name.as_str()))
        {
            return Err(Trouble::Other(format!("--only: there is no {unknown:?}")));
        }
        let asked = |who: &Who| self.only.is_empty() || self.only.iter().any(|n| n == who.name());
        Ok(all.into_iter().filter(asked).collect())
    }
}

async fn report(report: Report) -> Result<(), Trouble> {
    let begun = Instant::now();
    let setting = report.setting()?;
    let everybody = report.who()?;
    let mut outcomes: Vec<(Who, Outcome)> = Vec::new();
    say(report::HEAD)?;
    for who in everybody {
        let outcome = run::run(&setting, who).await?;
        say(&report::line(&who, &outcome))?;
        outcomes.push((who, outcome));
    }
    say(
        "\nWhere two numbers stand, the first is from the moment when the faults ended, the second from \
         when nothing changed any more.\n",
    )?;
    say(&report::parameters(&setting, begun.elapsed()))?;
    say("")?;
    for (who, outcome) in &outcomes {
        say(&report::details(who, outcome, setting.size.orders))?;
    }
    for (who, outcome) in &outcomes {
        if let Who::Denpyo("hold") = who {
            say(&match report::goal(outcome) {
                Ok(()) => {
                    "\nDenpyo's goal is met: no mail twice, none lost, none left to a person, \
                           no row untrue."
                        .to_owned()
                }
                Err(missed) => format!(
                    "\nDENPYO'S GOAL IS MISSED: {missed}. What Denpyo and the service have of these \
                     orders: {}",
                    setting.folder.join("hold/evidence.jsonl").display()
                ),
            })?;
        }
    }
    Ok(())
}
