//! The two databases behind one text: statements are written once, and where the databases
//! differ, both texts stand side by side.

pub mod limited;
pub mod open;
pub mod schema;
pub mod types;

pub use types::{LooseText, Shown, Stamp};

use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres, Sqlite, SqliteConnection, SqlitePool, Transaction};
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// An open database.
#[derive(Clone, Debug)]
pub enum Db {
    /// A file of Denpyo's own.
    Sqlite(SqliteDb),
    /// A shared server.
    Postgres(PgPool),
}

/// SQLite has one writer at a time, so writes queue in a pool of one connection and reads have
/// others. A transaction must use its own connection throughout: asking `write` for a second one
/// inside it would wait for itself.
#[derive(Clone, Debug)]
pub struct SqliteDb {
    /// Many connections that only read.
    pub read: SqlitePool,
    /// The one connection that writes.
    pub write: SqlitePool,
    /// The file.
    pub path: PathBuf,
    /// How many mails there were when somebody last asked.
    pub counted: Arc<Mutex<Option<Counted>>>,
}

/// A count of rows of which none goes, and which come with ever higher ids, as long as no other
/// program gives them ids of its own.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// The highest id among them.
    pub highest: i64,
    /// How many there are up to that id.
    pub rows: i64,
    /// When all of them were counted.
    pub at: Instant,
}

/// What can go wrong with a database.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The driver's error.
    #[error(transparent)]
    Sqlx(#[from] sqlx::Error),
    /// The schema is not this program's.
    #[error(transparent)]
    Schema(#[from] schema::SchemaError),
    /// No room, and what else keeps a database from being opened.
    #[error(transparent)]
    Open(#[from] open::OpenError),
    /// A stored word that no version of Denpyo writes.
    #[error("column {column} of row {id} holds an unknown word")]
    Corrupt {
        /// The column.
        column: &'static str,
        /// The row.
        id: i64,
    },
}

impl DbError {
    /// Whether another transaction held what was wanted for too long.
    pub fn waits_for_lock(&self) -> bool {
        matches!(self, DbError::Sqlx(sqlx::Error::Database(error))
            if error.code().as_deref() == Some("55P03"))
    }

    /// Whether the database refused the values, and would refuse them again: a constraint, a
    /// size, a text it cannot hold. Anything else may pass.
    pub fn refuses_values(&self) -> bool {
        let DbError::Sqlx(sqlx::Error::Database(error)) = self else {
            return false;
        };
        let code = error.code().unwrap_or_default();
        if error
            .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
            .is_some()
        {
            // Classes: data exception, integrity constraint violation, program limit exceeded.
            ["22", "23", "54"]
                .iter()
                .any(|class| code.starts_with(class))
        } else {
            // The low byte is the primary code: SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH.
            code.parse::<i64>()
                .is_ok_and(|code| matches!(code & 0xff, 18..=20))
        }
    }
}

/// A statement's text for each database. Beside the databases' own syntax it may hold `{now}`,
/// `{after $n}` (now plus `$n` milliseconds) and `{ids $n}` (any of the ids in `$n`, a text of
/// numbers joined by commas; follows the column's name).
#[derive(Clone, Copy, Debug)]
pub struct Sql {
    /// For SQLite.
    pub sqlite: &'static str,
    /// For PostgreSQL.
    pub postgres: &'static str,
}

impl Sql {
    /// One text for both.
    pub const fn same(text: &'static str) -> Sql {
        Sql {
            sqlite: text,
            postgres: text,
        }
    }
}

/// Runs `$body` with `$c` bound to the pool that writes, whichever database it is.
#[macro_export]
macro_rules! on_write {
    ($db:expr, $c:ident => $body:expr) => {
        match $db {
            $crate::db::Db::Sqlite(sqlite) => {
                let $c = &sqlite.write;
                $body
            }
            $crate::db::Db::Postgres($c) => $body,
        }
    };
}

/// Runs `$body` with `$c` bound to a pool that reads.
#[macro_export]
macro_rules! on_read {
    ($db:expr, $c:ident => $body:expr) => {
        match $db {
            $crate::db::Db::Sqlite(sqlite) => {
                let $c = &sqlite.read;
                $body
            }
            $crate::db::Db::Postgres($c) => $body,
        }
    };
}

/// Runs `$body` with `$c` bound to the connection of a [`Tx`].
#[macro_export]
macro_rules! in_tx {
    ($tx:expr, $c:ident => $body:expr) => {
        match $tx {
            $crate::db::Tx::Sqlite(tx) => {
                let $c = &mut **tx;
                $body
            }
            $crate::db::Tx::Postgres(tx) => {
                let $c = &mut **tx;
                $body
            }
        }
    };
}

/// A transaction that writes.
pub enum Tx {
    /// On the one connection that writes.
    Sqlite(SqliteTx),
    /// Read committed.
    Postgres(Transaction<'static, Postgres>),
}

/// A transaction on SQLite, begun with `BEGIN IMMEDIATE`: a deferred one that reads first fails
/// when it comes to write. Its connection is given back only after a commit that succeeded; in
/// every other case it is closed, which rolls back whatever state SQLite is in. (After a full
/// disk SQLite may have rolled back by itself, and a driver that still counts a transaction could
/// never begin another.)
pub struct SqliteTx {
    conn: PoolConnection<Sqlite>,
    open: bool,
}

impl SqliteTx {
    async fn begin(pool: &SqlitePool) -> sqlx::Result<SqliteTx> {
        // Open from the start: a caller that goes away meanwhile must not leave it behind.
        let mut tx = SqliteTx {
            conn: pool.acquire().await?,
            open: true,
        };
        sqlx::query("BEGIN IMMEDIATE").execute(&mut *tx).await?;
        Ok(tx)
    }
}

impl Drop for SqliteTx {
    fn drop(&mut self) {
        if self.open {
            self.conn.close_on_drop();
        }
    }
}

impl Deref for SqliteTx {
    type Target = SqliteConnection;
    fn deref(&self) -> &SqliteConnection {
        &self.conn
    }
}

impl DerefMut for SqliteTx {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.conn
    }
}

impl Tx {
    /// Makes everything in it durable.
    pub async fn commit(self) -> sqlx::Result<()> {
        match self {
            Tx::Sqlite(mut tx) => {
                sqlx::query("COMMIT").execute(&mut *tx).await?;
                tx.open = false;
                Ok(())
            }
            Tx::Postgres(tx) => tx.commit().await,
        }
    }
}

impl Db {
    /// Begins a transaction that writes.
    pub async fn begin(&self) -> sqlx::Result<Tx> {
        match self {
            Db::Sqlite(sqlite) => Ok(Tx::Sqlite(SqliteTx::begin(&sqlite.write).await?)),
            Db::Postgres(pool) => Ok(Tx::Postgres(pool.begin().await?)),
        }
    }

    /// Fails where the disk under a SQLite file is all but full: a write may still find room in what
    /// the file has, and the next one not.
    pub fn room(&self) -> Result<(), open::OpenError> {
        match self {
            Db::Sqlite(sqlite) => open::room(&sqlite.path),
            Db::Postgres(_) => Ok(()),
        }
    }

    /// The statement's text for this database.
    pub fn text(&self, sql: Sql) -> String {
        match self {
            Db::Sqlite(_) => expand(sql.sqlite, false),
            Db::Postgres(_) => expand(sql.postgres, true),
        }
    }

    /// A text made while running, of what [`Sql`] may hold.
    pub(crate) fn expand(&self, text: &str) -> String {
        expand(text, self.is_postgres())
    }

    /// Whether this is PostgreSQL, shared by many processes.
    pub fn is_postgres(&self) -> bool {
        matches!(self, Db::Postgres(_))
    }

    /// The database's clock.
    pub async fn now(&self) -> Result<Stamp, DbError> {
        let sql = self.text(NOW);
        Ok(on_read!(self, c => sqlx::query_scalar::<_, Stamp>(&sql).fetch_one(c).await)?)
    }

    /// Closes every connection.
    pub async fn close(&self) {
        match self {
            Db::Sqlite(sqlite) => {
                sqlite.read.close().await;
                sqlite.write.close().await;
            }
            Db::Postgres(pool) => pool.close().await,
        }
    }

    /// Asks the database to check a statement without running it.
    pub async fn prepare(&self, sql: Sql) -> sqlx::Result<()> {
        use sqlx::Executor;
        let text = self.text(sql);
        on_write!(self, c => c.acquire().await?.prepare(&text).await.map(|_| ()))
    }
}

const NOW: Sql = Sql::same("SELECT {now}");

fn expand(text: &str, postgres: bool) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}') else {
            break;
        };
        let (name, arg) = {
            let inner = &rest[open + 1..open + close];
            inner.split_once(' ').unwrap_or((inner, ""))
        };
        match (name, postgres) {
            ("now", true) => out.push_str("now()"),
            ("now", false) => out.push_str("strftime('%Y-%m-%d %H:%M:%f000', 'now')"),
            ("after", true) => {
                out.push_str(&format!(
                    "(now() + CAST({arg} AS bigint) * interval '1 millisecond')"
                ));
            }
            ("after", false) => out.push_str(&format!(
                "strftime('%Y-%m-%d %H:%M:%f000', 'now', ({arg} / 1000.0) || ' seconds')"
            )),
            ("ids", true) => {
                out.push_str(&format!(
                    "= ANY(CAST(string_to_array({arg}, ',') AS bigint[]))"
                ));
            }
            ("ids", false) => {
                out.push_str(&format!(
                    "IN (SELECT value FROM json_each('[' || {arg} || ']'))"
                ));
            }
            _ => out.push_str(&rest[open..=open + close]),
        }
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    out
}

/// Ids as `{ids $n}` takes them.
pub fn id_list(ids: impl IntoIterator<Item = i64>) -> String {
    let mut out = String::new();
    for id in ids {
        if !out.is_empty() {
            out.push(',');
        }
        out.push_str(&id.to_string());
    }
    out
}
