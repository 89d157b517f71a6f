//! Opening a database so that what it says is durable stays so.

use super::{Db, SqliteDb};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, Executor, PgConnection};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Why a database could not be opened. No message holds a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Not an address of a kind that is known.
    #[error("DENPYO_DATABASE_URL must be `sqlite:PATH` or a `postgres://…` URL: {0}")]
    Address(String),
    /// The folder is not there.
    #[error(
        "the folder {0} does not exist: create it, or set DENPYO_DATABASE_URL to another place"
    )]
    NoFolder(PathBuf),
    /// The file or folder cannot be written.
    #[error(
        "{path} cannot be written by this user ({why}): SQLite needs to write the file and its folder"
    )]
    NotWritable {
        /// The file or folder.
        path: PathBuf,
        /// The system's word for it.
        why: String,
    },
    /// A network file system.
    #[error(
        "{path} lies on a network file system ({kind}), where SQLite's locks cannot be trusted: \
         use a local disk, or PostgreSQL where machines share the work"
    )]
    NetworkDisk {
        /// The folder.
        path: PathBuf,
        /// Its kind.
        kind: &'static str,
    },
    /// No room.
    #[error(
        "the disk of {0} is full: make room there, or set DENPYO_DATABASE_URL to another place"
    )]
    DiskFull(PathBuf),
    /// The file is something else.
    #[error("{0} is not a SQLite database")]
    NotADatabase(PathBuf),
    /// The server cannot be reached, or refused.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// The server cannot be reached, or takes nobody, for now.
    #[error("the database cannot be reached: {0}")]
    NotYet(String),
    /// A pooler that takes sessions apart.
    #[error(
        "the database URL leads to a connection pooler (such as PgBouncer) in transaction or statement mode, where \
         prepared statements and LISTEN break at random: set DENPYO_DATABASE_URL to PostgreSQL itself, \
         or to a pool in session mode"
    )]
    Pooler,
    /// There is no file, and it is not to be made.
    #[error(
        "there is no database at {0}: run this in the folder that `denpyo serve` runs in, \
         or set DENPYO_DATABASE_URL to the file"
    )]
    NoFile(PathBuf),
    /// Anything else.
    #[error("the database could not be opened: {0}")]
    Other(#[from] sqlx::Error),
}

impl OpenError {
    /// Whether it may be otherwise in a moment: while a server restarts, say.
    pub fn may_pass(&self) -> bool {
        matches!(self, OpenError::NotYet(_))
    }
}

/// How long a connection attempt, and waiting for a free connection, may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens the database; makes the file where SQLite's is not there yet. `connections` is the most
/// that the pool may hold on PostgreSQL.
pub async fn open(url: &str, connections: u32) -> Result<Db, OpenError> {
    if let Some(rest) = url.strip_prefix("sqlite:") {
        return open_sqlite(sqlite_path(rest)?).await;
    }
    if url.starts_with("postgres:") || url.starts_with("postgresql:") {
        return open_postgres(url, connections).await;
    }
    // Only what is a scheme is quoted: anything else may hold a password.
    let scheme = url.split(':').next().unwrap_or_default();
    let quotable = url.contains(':')
        && scheme.len() <= 20
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'+');
    Err(OpenError::Address(if quotable {
        format!("it begins with {scheme:?}")
    } else {
        "it begins with neither".to_owned()
    }))
}

/// The file that stands behind `sqlite:`. What other programs understand there (a database in
/// memory, a URI with parameters) would come to something else than was meant.
fn sqlite_path(rest: &str) -> Result<&Path, OpenError> {
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let fault = |what: &str| {
        Err(OpenError::Address(format!(
            "{what}: write the path of a file alone, as `sqlite:denpyo.db`"
        )))
    };
    if rest.contains(":memory:") {
        return fault("a database in memory (`:memory:`) would be another one for each connection");
    }
    if rest.starts_with("file:") {
        return fault("it is a `file:` URI");
    }
    if rest.contains('?') {
        return fault("it has parameters behind `?`, and there are none");
    }
    Ok(Path::new(rest))
}

/// Like [`open`], but makes nothing: `None` where SQLite's file is not there, though it could be made.
pub async fn open_existing(url: &str, connections: u32) -> Result<Option<Db>, OpenError> {
    if let Some(rest) = url.strip_prefix("sqlite:") {
        let path = sqlite_path(rest)?;
        place(path)?;
        if !path.exists() {
            return Ok(None);
        }
    }
    open(url, connections).await.map(Some)
}

/// Where SQLite's file is, in full; none of another database.
pub fn file_of(url: &str) -> Option<PathBuf> {
    let path = sqlite_path(url.strip_prefix("sqlite:")?).ok()?;
    Some(std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
}

/// Fails where SQLite cannot have its file.
fn place(path: &Path) -> Result<(), OpenError> {
    if path.as_os_str().is_empty() {
        return Err(OpenError::Address("no path after `sqlite:`".to_owned()));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    if !folder.is_dir() {
        return Err(OpenError::NoFolder(folder));
    }
    if let Some(kind) = network_disk(&folder) {
        return Err(OpenError::NetworkDisk { path: folder, kind });
    }
    writable(path, &folder)
}

async fn open_sqlite(path: &Path) -> Result<Db, OpenError> {
    place(path)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: a claim is on the disk before the first byte leaves.
        .synchronous(SqliteSynchronous::Full);
    let not_a_database = |error: sqlx::Error| match &error {
        sqlx::Error::Database(e) if e.code().as_deref() == Some("26") => {
            OpenError::NotADatabase(path.to_path_buf())
        }
        sqlx::Error::Database(e) if e.code().as_deref() == Some("13") => {
            OpenError::DiskFull(path.to_path_buf())
        }
        _ => OpenError::Other(error),
    };
    let write = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(PATIENCE)
        .connect_with(options.clone())
        .await
        .map_err(not_a_database)?;
    let read = SqlitePoolOptions::new()
        .max_connections(8)
        .acquire_timeout(PATIENCE)
        .connect_with(options.pragma("query_only", "on"))
        .await
        .map_err(not_a_database)?;
    Ok(Db::Sqlite(SqliteDb {
        read,
        write,
        path: path.to_path_buf(),
        counted: Arc::default(),
    }))
}

/// Least that a SQLite database needs to go on: some mails, and the log that is written first.
const ROOM: u64 = 256 * 1024;

/// Fails where the disk that holds this file has no more room than that.
pub(super) fn room(path: &Path) -> Result<(), OpenError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    match rustix::fs::statvfs(folder.unwrap_or(Path::new("."))) {
        Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM => {
            Err(OpenError::DiskFull(path.to_path_buf()))
        }
        _ => Ok(()),
    }
}

fn writable(path: &Path, folder: &Path) -> Result<(), OpenError> {
    let refuse = |path: &Path, error: std::io::Error| match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            OpenError::DiskFull(path.to_path_buf())
        }
        kind => OpenError::NotWritable {
            path: path.to_path_buf(),
            why: kind.to_string(),
        },
    };
    if path.exists() {
        std::fs::OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(|e| refuse(path, e))?;
    }
    let probe = folder.join(format!(".denpyo-probe-{}", std::process::id()));
    // A page, and on the disk: an empty file fits on a full one.
    let written = std::fs::File::create(&probe)
        .and_then(|mut file| file.write_all(&[0; 4096]).and_then(|()| file.sync_all()));
    let removed = match probe.exists() {
        true => std::fs::remove_file(&probe),
        false => Ok(()),
    };
    written.and(removed).map_err(|e| refuse(folder, e))
}

/// The kind of network file system that a folder lies on, by the kernel's magic numbers
/// (statfs(2)).
fn network_disk(folder: &Path) -> Option<&'static str> {
    let magic = rustix::fs::statfs(folder).ok()?.f_type as i64 & 0xffff_ffff;
    match magic {
        0x6969 => Some("NFS"),
        0x517b | 0xfe53_4d42 | 0xff53_4d42 => Some("SMB"),
        0x0102_1997 => Some("9p"),
        0x6b41_4653 | 0x5346_414f => Some("AFS"),
        0x00c3_6400 => Some("Ceph"),
        _ => None,
    }
}

async fn open_postgres(url: &str, connections: u32) -> Result<Db, OpenError> {
    // The driver's own message may quote the address, password included.
    let options = PgConnectOptions::from_str(url)
        .map_err(|_| OpenError::Address("it is not a valid postgres:// URL".to_owned()))?
        .application_name("denpyo");
    refuse_pooler(&options).await?;
    let pool = PgPoolOptions::new()
        .max_connections(connections.max(4))
        .acquire_timeout(PATIENCE)
        .after_connect(|conn, _| {
            Box::pin(async move {
                // synchronous_commit: a claim is durable before the first byte leaves, whatever
                // the server's default is.
                conn.execute("SET search_path = denpyo, public; SET synchronous_commit = on; SET timezone = 'UTC'")
                    .await?;
                Ok(())
            })
        })
        .connect_with(options)
        .await
        .map_err(unreachable)?;
    Ok(Db::Postgres(pool))
}

fn unreachable(error: sqlx::Error) -> OpenError {
    match error {
        sqlx::Error::Database(e) if e.message().contains("unsupported startup parameter") => {
            OpenError::Pooler
        }
        // It starts or stops, or has no connection to spare.
        sqlx::Error::Database(e)
            if matches!(
                e.code().as_deref(),
                Some("57P01" | "57P02" | "57P03" | "53300")
            ) =>
        {
            OpenError::NotYet(e.message().to_owned())
        }
        sqlx::Error::Database(e) => OpenError::Unreachable(e.message().to_owned()),
        sqlx::Error::Io(e) => OpenError::NotYet(e.to_string()),
        sqlx::Error::Tls(e) => OpenError::Unreachable(format!("TLS: {e}")),
        sqlx::Error::PoolTimedOut => OpenError::NotYet("no answer in time".to_owned()),
        other => OpenError::Other(other),
    }
}

/// A pooler in transaction mode gives one server connection to several clients in turn: two
/// clients then see the same backend, or one client sees two. The simple protocol is used, which
/// such a pooler passes on.
async fn refuse_pooler(options: &PgConnectOptions) -> Result<(), OpenError> {
    let connect = || async {
        tokio::time::timeout(PATIENCE, PgConnection::connect_with(options))
            .await
            .map_err(|_| OpenError::NotYet("no answer in time".to_owned()))?
            .map_err(unreachable)
    };
    let mut first = connect().await?;
    let mut second = connect().await?;
    let mut pooled = false;
    for _ in 0..3 {
        let a = backend(&mut first).await?;
        // A pooler that hands out connections by the statement refuses this one.
        second.execute("BEGIN").await.map_err(|error| match error {
            sqlx::Error::Database(e) if e.message().contains("pooling mode") => OpenError::Pooler,
            other => unreachable(other),
        })?;
        let b = backend(&mut second).await?;
        let again = backend(&mut first).await?;
        second.execute("COMMIT").await.map_err(unreachable)?;
        pooled |= a == b || a != again;
    }
    let _ = first.close().await;
    let _ = second.close().await;
    if pooled {
        Err(OpenError::Pooler)
    } else {
        Ok(())
    }
}

async fn backend(conn: &mut PgConnection) -> Result<String, OpenError> {
    use sqlx::Row;
    let row = sqlx::raw_sql("SELECT CAST(pg_backend_pid() AS text)")
        .fetch_one(conn)
        .await
        .map_err(unreachable)?;
    Ok(row.try_get(0)?)
}
