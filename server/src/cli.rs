//! The command line. Exit status: 0 done, 1 failed, 2 wrong usage.

mod check;
mod enqueue;

use crate::config::{Config, ConfigError};
use crate::db::{DbError, open, schema};
use crate::outbox::{hold, read};
use crate::serve::{self, RunError, Site};
use crate::users;
use app::model::Role;
use clap::{Parser, Subcommand};
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

/// Sends each mail once, and shows what became of it.
#[derive(Parser)]
#[command(name = "denpyo", version, about, max_term_width = 100)]
struct Cli {
    /// Settings file (default: DENPYO_CONFIG, else denpyo.toml where there is one)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Web, worker and reconciler in one process; migrates first
    Serve {
        /// Web alone; a person's resend is still sent, by this process
        #[arg(long)]
        no_worker: bool,
    },
    /// Worker and reconciler alone; does not migrate
    Worker,
    /// `serve` on a throw-away database full of sample mails, with the sandbox as service
    Demo {
        /// Where to listen
        #[arg(long, value_name = "ADDRESS:PORT")]
        listen: Option<String>,
    },
    /// The stand-in mail service (SendGrid's API), for staging and tests
    Sandbox {
        /// Where to listen
        #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:3025")]
        listen: String,
    },
    /// Bring the schema up to date, and end
    Migrate,
    /// Take mails from standard input, one JSON object a line; one JSON result a line
    Enqueue,
    /// People who may sign in
    #[command(subcommand)]
    User(UserCommand),
    /// Hold every mail that could be sent (after a restore, say), until somebody lets it go
    Hold {
        /// Shown beside each held mail
        #[arg(long, value_name = "TEXT", value_parser = reason)]
        reason: String,
    },
    /// Let go of what `hold` or a changed DENPYO_INSTALLATION holds
    Release,
    /// Say whether settings, database and service are usable
    Check,
}

#[derive(Subcommand)]
enum UserCommand {
    /// Add somebody; the password comes from standard input, or is asked for on a terminal
    Add {
        /// Sign-in name
        name: String,
        /// support, lead or admin
        #[arg(long, value_parser = role)]
        role: Role,
    },
}

fn role(word: &str) -> Result<Role, String> {
    Role::parse(word).ok_or_else(|| "write support, lead or admin".to_owned())
}

fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("write why".to_owned());
    }
    Ok(text.to_owned())
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Db(#[from] DbError),
    #[error(transparent)]
    User(#[from] users::AddError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Told already.
    #[error("")]
    Told,
    #[error("{0}")]
    Other(String),
}

/// Reads the command line and carries it out.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::from(2)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            tell(&error.into());
            return ExitCode::FAILURE;
        }
    };
    let code = match runtime.block_on(run(cli)) {
        Ok(()) | Err(Failure::Run(RunError::Stopped)) => ExitCode::SUCCESS,
        Err(Failure::Told) => ExitCode::FAILURE,
        Err(error) => {
            tell(&error);
            ExitCode::FAILURE
        }
    };
    // Standard input read in the background must not keep the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    code
}

async fn run(cli: Cli) -> Result<(), Failure> {
    if let Command::Sandbox { listen } = &cli.command {
        log(false);
        return sandbox(listen).await;
    }
    if let Command::Demo { listen } = cli.command {
        log(false);
        return crate::demo::run(listen).await;
    }
    // Before anything else: a signal in the first moments ends these cleanly, too.
    let stopping = match cli.command {
        Command::Serve { .. } | Command::Worker => serve::stop_at_signal(),
        _ => CancellationToken::new(),
    };
    // What is no UTF-8 is passed on marked, to be refused by name.
    let environment = std::env::vars_os().map(|(name, value)| {
        let text = |os: std::ffi::OsString| os.to_string_lossy().into_owned();
        (text(name), text(value))
    });
    let config = Config::load(cli.config.as_deref(), environment)?;
    log(config.json_logs);
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    match cli.command {
        Command::Serve { no_worker } => {
            let site = Site::start(config, no_worker, stopping).await?;
            tracing::info!(address = site.address, "serving");
            say(&format!("Denpyo is at {}\n", site.address));
            site.run().await?;
        }
        Command::Worker => serve::run_worker(config, stopping).await?,
        Command::Migrate => {
            let db = serve::open(&config).await.map_err(RunError::from)?;
            schema::migrate(&db).await?;
            say(&format!(
                "The schema is at version {}.\n",
                schema::ours(&db)
            ));
        }
        Command::Enqueue => enqueue::run(&config).await?,
        Command::User(UserCommand::Add { name, role }) => {
            let password = password()?;
            let db = serve::open(&config).await.map_err(RunError::from)?;
            schema::migrate(&db).await?;
            users::add(&db, "denpyo user add", &name, role, &password).await?;
            // Made in the wrong folder, it would be another database than the desk's.
            let place = open::file_of(&config.database_url)
                .map(|file| format!(" The database is {}.", file.display()))
                .unwrap_or_default();
            let role = role.as_str();
            say(&format!("{name} may sign in as {role}.{place}\n"));
        }
        Command::Hold { reason } => {
            let db = serve::open_existing(&config)
                .await
                .map_err(RunError::from)?;
            schema::migrate(&db).await?;
            let held = hold::hold_all(&db, hold::By::Hold, &reason).await?;
            let all = mails(read::held(&db).await?.unsigned_abs());
            let newly = match held {
                0 => "none".to_owned(),
                held => held.to_string(),
            };
            say(&format!(
                "{all} held, {newly} of them newly. `denpyo release`, or the desk, lets them go.\n"
            ));
        }
        Command::Release => {
            let db = serve::open_existing(&config)
                .await
                .map_err(RunError::from)?;
            schema::migrate(&db).await?;
            let released = hold::release_all(&db, "denpyo release", "denpyo release").await?;
            let were = if released == 1 { "was" } else { "were" };
            say(&format!("{} {were} let go.\n", mails(released)));
        }
        Command::Check => check::run(&config).await?,
        Command::Sandbox { .. } | Command::Demo { .. } => {}
    }
    Ok(())
}

async fn sandbox(listen: &str) -> Result<(), Failure> {
    let stopping: CancellationToken = serve::stop_at_signal();
    let listen = crate::config::listen::Listen::parse(listen)
        .map_err(|right| Failure::Other(format!("--listen: {right}")))?;
    let (listeners, address) = listen
        .bind()
        .await
        .map_err(|error| Failure::Other(format!("--listen {}: {error}", listen.shown())))?;
    say(&format!("The sandbox is at {address}\n"));
    let sandbox = crate::sandbox::Sandbox::new();
    let mut servers = tokio::task::JoinSet::new();
    for listener in listeners {
        servers.spawn(crate::sandbox::serve(
            listener,
            sandbox.clone(),
            stopping.clone().cancelled_owned(),
        ));
    }
    while servers.join_next().await.is_some() {}
    Ok(())
}

/// `1 mail`, `2 mails`.
fn mails(count: u64) -> String {
    format!("{count} mail{}", if count == 1 { "" } else { "s" })
}

/// To standard output, as far as anybody still listens.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// To standard error, as far as anybody still listens.
fn tell(error: &Failure) {
    let _ = writeln!(std::io::stderr(), "denpyo: {error}");
}

fn log(json: bool) {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        // The driver tells of every slow statement, with its text; errors come back as values.
        .unwrap_or_else(|_| "info,sqlx=error,html5ever=error".into());
    let logs = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        // Where nobody reads the log any more, the library would panic instead of the mail going out.
        .log_internal_errors(false)
        .with_env_filter(filter);
    let _ = if json {
        logs.json().try_init()
    } else {
        logs.with_ansi(std::io::stderr().is_terminal()).try_init()
    };
}

/// From standard input, or asked for twice on a terminal. Of what is piped, one line end is dropped and
/// nothing else: `echo` adds it, and nobody could type it.
fn password() -> Result<String, Failure> {
    if std::io::stdin().is_terminal() {
        let password = rpassword::prompt_password("Password: ")?;
        // Nobody sees what they type.
        if rpassword::prompt_password("The same again: ")? != password {
            return Err(Failure::Other("the two passwords differ".to_owned()));
        }
        return Ok(password);
    }
    let mut bytes = Vec::new();
    let most = users::LONGEST_PASSWORD as u64 + 3;
    std::io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == most {
        // Cut, perhaps inside a character.
        return Err(users::AddError::TooLong.into());
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|_| Failure::Other("the password is not UTF-8".to_owned()))?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}
