//! The schema: migrations, and whether the database's version is this program's.

use super::{Db, DbError};
use sqlx::migrate::Migrator;
use sqlx::{Connection, PgConnection, SqliteConnection};
use std::time::Duration;

static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");

/// One process migrates at a time. The number is this program's own.
const LOCK: i64 = 0x64_65_6e_70_79_6f;

/// Why a schema cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// No migration has run.
    #[error("the database holds no Denpyo schema yet: run `denpyo migrate` (or `denpyo serve`)")]
    Missing,
    /// This program is newer.
    #[error(
        "the database's schema is version {found}, older than this program's {ours}: run `denpyo migrate`"
    )]
    Older {
        /// In the database.
        found: i64,
        /// This program's.
        ours: i64,
    },
    /// The database is newer.
    #[error(
        "the database's schema is version {found}, newer than this program's {ours}: \
         start the newer denpyo instead"
    )]
    Newer {
        /// In the database.
        found: i64,
        /// This program's.
        ours: i64,
    },
    /// A table in the way.
    #[error(
        "table {0} exists already and is not Denpyo's: rename it, or give Denpyo a database of its own"
    )]
    InTheWay(String),
    /// Not allowed to create things.
    #[error(
        "role \"{role}\" may not create {what}: as the database's owner run {grant}, then start again"
    )]
    NotAllowed {
        /// The role.
        role: String,
        /// What it wanted to make.
        what: String,
        /// The statement that would allow it.
        grant: String,
    },
    /// Not allowed to use what is there.
    #[error(
        "role \"{role}\" may not use {what}: as the database's owner run {grant}, then start again"
    )]
    NotUsable {
        /// The role.
        role: String,
        /// What it wanted to use.
        what: String,
        /// The statement that would allow it.
        grant: String,
    },
    /// A migration failed.
    #[error("the schema could not be brought up to date: {0}")]
    Failed(String),
}

/// This program's schema version.
pub fn ours(db: &Db) -> i64 {
    let migrator = if db.is_postgres() { &POSTGRES } else { &SQLITE };
    migrator.iter().map(|m| m.version).max().unwrap_or(0)
}

/// Brings the schema up to date. Safe in many processes at once; refuses a newer schema.
pub async fn migrate(db: &Db) -> Result<(), DbError> {
    match db {
        Db::Sqlite(sqlite) => {
            let mut conn = sqlite.write.acquire().await?;
            migrate_sqlite(&mut conn, ours(db)).await
        }
        Db::Postgres(pool) => {
            let mut conn = pool.acquire().await?.detach();
            sqlx::query("SELECT pg_advisory_lock($1)")
                .bind(LOCK)
                .execute(&mut conn)
                .await?;
            let done = migrate_postgres(&mut conn, ours(db)).await;
            // Closing the connection gives the lock back.
            conn.close().await?;
            done
        }
    }
}

/// Several processes may start on one new file: the slower ones go on from where the faster are.
async fn migrate_sqlite(conn: &mut SqliteConnection, ours: i64) -> Result<(), DbError> {
    let mut found = found_sqlite(conn).await?;
    loop {
        match check_found(found, ours) {
            Ok(()) => return Ok(()),
            Err(SchemaError::Missing) => {
                let taken: Option<String> = sqlx::query_scalar(
                    "SELECT name FROM sqlite_master WHERE name = 'email_submissions'",
                )
                .fetch_optional(&mut *conn)
                .await?;
                if let Some(name) = taken {
                    found = found_sqlite(conn).await?;
                    if found.is_none() {
                        return Err(SchemaError::InTheWay(name).into());
                    }
                    continue;
                }
            }
            Err(SchemaError::Older { .. }) => {}
            Err(other) => return Err(other.into()),
        }
        let Err(error) = SQLITE.run(&mut *conn).await else {
            return Ok(());
        };
        let now = found_sqlite(conn).await?;
        if now <= found {
            return Err(failed(error));
        }
        found = now;
    }
}

async fn migrate_postgres(conn: &mut PgConnection, ours: i64) -> Result<(), DbError> {
    let fresh = match check_found(found_postgres(conn).await?, ours) {
        Ok(()) => return Ok(()),
        Err(SchemaError::Missing) => true,
        Err(SchemaError::Older { .. }) => false,
        Err(other) => return Err(other.into()),
    };
    if fresh {
        let schema = obstacle(conn).await?;
        if !schema {
            sqlx::query("CREATE SCHEMA denpyo")
                .execute(&mut *conn)
                .await?;
        }
    }
    // The migration list itself belongs into the schema denpyo.
    sqlx::query("SET search_path = denpyo, public")
        .execute(&mut *conn)
        .await?;
    POSTGRES.run(&mut *conn).await.map_err(failed)?;
    Ok(())
}

/// Whether the schema denpyo is there already; an error where something stands in the way of the
/// first migration: a right that is missing, a table of the same name.
async fn obstacle(conn: &mut PgConnection) -> Result<bool, DbError> {
    type Found = (String, bool, bool, bool, bool, bool);
    let (role, in_public, in_database, taken, schema, in_schema): Found = sqlx::query_as(
        "SELECT CAST(current_user AS text), has_schema_privilege('public', 'CREATE'), \
         has_database_privilege(current_database(), 'CREATE'), \
         to_regclass('public.email_submissions') IS NOT NULL, to_regnamespace('denpyo') IS NOT NULL, \
         COALESCE(has_schema_privilege(to_regnamespace('denpyo'), 'CREATE') \
         AND has_schema_privilege(to_regnamespace('denpyo'), 'USAGE'), true)",
    )
    .fetch_one(&mut *conn)
    .await?;
    if taken {
        return Err(SchemaError::InTheWay("public.email_submissions".to_owned()).into());
    }
    if !in_public {
        let grant = format!("GRANT CREATE, USAGE ON SCHEMA public TO \"{role}\"");
        return Err(SchemaError::NotAllowed {
            role,
            what: "tables in schema public".into(),
            grant,
        }
        .into());
    }
    if !in_database && !schema {
        let grant = format!("CREATE SCHEMA denpyo AUTHORIZATION \"{role}\"");
        return Err(SchemaError::NotAllowed {
            role,
            what: "the schema denpyo".into(),
            grant,
        }
        .into());
    }
    if !in_schema {
        let grant = format!("GRANT CREATE, USAGE ON SCHEMA denpyo TO \"{role}\"");
        return Err(SchemaError::NotAllowed {
            role,
            what: "tables in schema denpyo".into(),
            grant,
        }
        .into());
    }
    Ok(schema)
}

/// Says whether the schema is exactly this program's.
pub async fn check(db: &Db) -> Result<(), DbError> {
    let found = match db {
        Db::Sqlite(sqlite) => found_sqlite(&mut *sqlite.write.acquire().await?).await?,
        Db::Postgres(pool) => found_postgres(&mut *pool.acquire().await?).await?,
    };
    Ok(check_found(found, ours(db))?)
}

/// Like [`check`], but where no schema is there yet it names what would keep it from being made.
pub async fn check_or_obstacle(db: &Db) -> Result<(), DbError> {
    let checked = check(db).await;
    if let (Db::Postgres(pool), Err(DbError::Schema(SchemaError::Missing))) = (db, &checked) {
        obstacle(&mut *pool.acquire().await?).await?;
    }
    checked
}

/// Like [`check`], but gives another process that is just starting time to migrate: a missing
/// schema is waited for up to `missing`, an older one a few seconds, a newer one not at all.
pub async fn wait_for(db: &Db, missing: Duration) -> Result<(), DbError> {
    let begun = std::time::Instant::now();
    let mut told = false;
    loop {
        let patience = match check(db).await {
            Err(DbError::Schema(SchemaError::Missing)) => missing,
            Err(DbError::Schema(SchemaError::Older { .. })) => missing.min(Duration::from_secs(5)),
            other => return other,
        };
        if begun.elapsed() >= patience {
            return check(db).await;
        }
        if !told {
            tracing::info!("waiting for another process to bring the schema up to date");
            told = true;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn check_found(found: Option<i64>, ours: i64) -> Result<(), SchemaError> {
    match found {
        None => Err(SchemaError::Missing),
        Some(found) if found < ours => Err(SchemaError::Older { found, ours }),
        Some(found) if found > ours => Err(SchemaError::Newer { found, ours }),
        Some(_) => Ok(()),
    }
}

async fn found_sqlite(conn: &mut SqliteConnection) -> sqlx::Result<Option<i64>> {
    let list: Option<String> =
        sqlx::query_scalar("SELECT name FROM sqlite_master WHERE name = '_sqlx_migrations'")
            .fetch_optional(&mut *conn)
            .await?;
    if list.is_none() {
        return Ok(None);
    }
    sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(conn)
        .await
}

async fn found_postgres(conn: &mut PgConnection) -> Result<Option<i64>, DbError> {
    // Asked of the catalogue, which everybody may read: a look into the schema itself fails with
    // no more than "permission denied".
    type Found = (String, bool, Option<String>, bool);
    let (role, usable, owner, readable): Found = sqlx::query_as(
        "SELECT CAST(current_user AS text), \
         COALESCE(has_schema_privilege(to_regnamespace('denpyo'), 'USAGE'), true), \
         CAST(pg_get_userbyid(list.relowner) AS text), \
         COALESCE(has_table_privilege(list.oid, 'SELECT'), true) \
         FROM (SELECT 1) AS one LEFT JOIN pg_class AS list ON list.relname = '_sqlx_migrations' \
         AND list.relnamespace = to_regnamespace('denpyo')",
    )
    .fetch_one(&mut *conn)
    .await?;
    let fault = |what: &str| {
        // What another role has made needs that role; an empty schema needs its own grant.
        let grant = match &owner {
            Some(owner) => format!("GRANT \"{owner}\" TO \"{role}\""),
            None => format!("GRANT CREATE, USAGE ON SCHEMA denpyo TO \"{role}\""),
        };
        SchemaError::NotUsable {
            role: role.clone(),
            what: what.to_owned(),
            grant,
        }
    };
    if !usable {
        return Err(fault("the schema denpyo").into());
    }
    if owner.is_none() {
        return Ok(None);
    }
    if !readable {
        return Err(fault("the tables in schema denpyo").into());
    }
    let found =
        sqlx::query_scalar("SELECT MAX(version) FROM denpyo._sqlx_migrations WHERE success")
            .fetch_one(conn)
            .await?;
    Ok(found)
}

fn failed(error: sqlx::migrate::MigrateError) -> DbError {
    SchemaError::Failed(error.to_string()).into()
}
