//! The index of parts. Inserts only note their id (`search_due`); what is noted is taken into
//! `search_texts` here, and so is, once, what was there before the index.

use crate::db::{Db, DbError, Sql, Tx, id_list};
use crate::{in_tx, on_read};
use sqlx::{Connection, PgConnection, PgPool};

/// Rows taken at once: on SQLite nobody else writes meanwhile.
const BATCH: i64 = 500;
/// One process makes indexes at a time. The number is this program's own.
const LOCK: i64 = 0x64_65_6e_70_79_70;

const ANY_DUE: Sql = Sql::same(
    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM search_due LIMIT 1) AS one), \
     (SELECT COUNT(*) FROM settings WHERE key = 'search_backfill')",
);
/// On PostgreSQL what somebody else is taking, or changing just now, is left for the next time.
const TAKE: Sql = Sql {
    sqlite: "DELETE FROM search_due WHERE submission_id IN (SELECT submission_id FROM search_due \
             ORDER BY submission_id LIMIT $1) RETURNING submission_id",
    postgres: "DELETE FROM search_due WHERE submission_id IN (SELECT submission_id FROM search_due \
               ORDER BY submission_id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING submission_id",
};
const WRITE: Sql = Sql {
    sqlite: "INSERT OR REPLACE INTO search_texts (rowid, order_id, recipient) \
             SELECT id, substr(CAST(order_id AS text), 1, 320), \
             COALESCE(substr(lower(recipient), 1, 320), '') FROM email_submissions WHERE id {ids $1}",
    postgres: "INSERT INTO search_texts (submission_id, order_id, recipient) \
               SELECT id, substr(order_id, 1, 320), COALESCE(substr(lower(recipient COLLATE \"C\"), 1, 320), '') \
               FROM email_submissions WHERE id {ids $1} \
               ON CONFLICT (submission_id) DO UPDATE SET recipient = excluded.recipient",
};
const OLDER_FROM: Sql = Sql {
    sqlite: "SELECT CAST(value AS bigint) FROM settings WHERE key = 'search_backfill'",
    postgres: "SELECT CAST(value AS bigint) FROM settings WHERE key = 'search_backfill' \
               FOR UPDATE SKIP LOCKED",
};
const OLDER: Sql =
    Sql::same("SELECT id FROM email_submissions WHERE id <= $1 ORDER BY id DESC LIMIT $2");
const OLDER_TO: Sql = Sql::same("UPDATE settings SET value = $1 WHERE key = 'search_backfill'");
const OLDER_DONE: Sql = Sql::same("DELETE FROM settings WHERE key = 'search_backfill'");

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] = &[
    ("search::ANY_DUE", ANY_DUE),
    ("search::TAKE", TAKE),
    ("search::WRITE", WRITE),
    ("search::OLDER_FROM", OLDER_FROM),
    ("search::OLDER", OLDER),
    ("search::OLDER_TO", OLDER_TO),
    ("search::OLDER_DONE", OLDER_DONE),
];

/// Takes a batch of what is new and one of what is older; whether there is more.
pub async fn round(db: &Db) -> Result<bool, DbError> {
    let sql = db.text(ANY_DUE);
    // Asked first, since taking nothing would be a write all the same.
    let (new, older): (i64, i64) = on_read!(db, c => sqlx::query_as(&sql).fetch_one(c).await)?;
    let more = new > 0 && take_new(db).await?;
    Ok(older > 0 && take_older(db).await? || more)
}

async fn take_new(db: &Db) -> Result<bool, DbError> {
    let sql = db.text(TAKE);
    let mut tx = db.begin().await?;
    let ids: Vec<i64> =
        in_tx!(&mut tx, c => sqlx::query_scalar(&sql).bind(BATCH).fetch_all(c).await)?;
    if !ids.is_empty() {
        write(db, &mut tx, &ids).await?;
    }
    tx.commit().await?;
    Ok(full(&ids))
}

async fn take_older(db: &Db) -> Result<bool, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(OLDER_FROM);
    let from: Option<i64> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql).fetch_optional(c).await)?;
    let Some(from) = from else {
        // Another process is at it, or was the last.
        tx.commit().await?;
        return Ok(false);
    };
    let sql = db.text(OLDER);
    let ids: Vec<i64> =
        in_tx!(&mut tx, c => sqlx::query_scalar(&sql).bind(from).bind(BATCH).fetch_all(c).await)?;
    if !ids.is_empty() {
        write(db, &mut tx, &ids).await?;
    }
    match ids.last() {
        Some(last) if full(&ids) => {
            let sql = db.text(OLDER_TO);
            let next = (last - 1).to_string();
            in_tx!(&mut tx, c => sqlx::query(&sql).bind(next).execute(c).await.map(|_| ()))?;
        }
        _ => {
            let sql = db.text(OLDER_DONE);
            in_tx!(&mut tx, c => sqlx::query(&sql).execute(c).await.map(|_| ()))?;
        }
    }
    tx.commit().await?;
    Ok(full(&ids))
}

fn full(ids: &[i64]) -> bool {
    i64::try_from(ids.len()).is_ok_and(|n| n >= BATCH)
}

async fn write(db: &Db, tx: &mut Tx, ids: &[i64]) -> Result<(), DbError> {
    let sql = db.text(WRITE);
    let ids = id_list(ids.iter().copied());
    in_tx!(tx, c => sqlx::query(&sql).bind(ids).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// What came of making the indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// They are there.
    Ready,
    /// Another process is at it.
    Elsewhere,
    /// The extension is missing, and this role may not create it: PostgreSQL's words.
    NoExtension(String),
}

/// Makes the indexes that PostgreSQL lacks. It may take minutes on a large table; neither the shop
/// nor the workers wait for it.
pub async fn prepare(db: &Db) -> Result<Prepared, DbError> {
    let Db::Postgres(pool) = db else {
        return Ok(Prepared::Ready);
    };
    let mut conn = own_connection(pool).await?;
    let mine: bool = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)")
        .bind(LOCK)
        .fetch_one(&mut conn)
        .await?;
    let prepared = if mine {
        make_indexes(&mut conn).await
    } else {
        Ok(Prepared::Elsewhere)
    };
    // Closing the connection gives the lock back.
    conn.close().await?;
    prepared
}

async fn own_connection(pool: &PgPool) -> sqlx::Result<PgConnection> {
    Ok(pool.acquire().await?.detach())
}

async fn make_indexes(conn: &mut PgConnection) -> Result<Prepared, DbError> {
    // One that broke off stays behind, and is of no use.
    let message: Option<bool> = sqlx::query_scalar(
        "SELECT indisvalid FROM pg_index \
         WHERE indexrelid = to_regclass('public.email_submissions_message')",
    )
    .fetch_optional(&mut *conn)
    .await?;
    if message == Some(false) {
        sqlx::query("DROP INDEX CONCURRENTLY public.email_submissions_message")
            .execute(&mut *conn)
            .await?;
    }
    if message != Some(true) {
        sqlx::query(
            "CREATE INDEX CONCURRENTLY email_submissions_message \
             ON public.email_submissions (substr(provider_message_id, 1, 320)) \
             WHERE provider_message_id IS NOT NULL",
        )
        .execute(&mut *conn)
        .await?;
    }
    let there: bool =
        sqlx::query_scalar("SELECT to_regclass('denpyo.search_texts_parts') IS NOT NULL")
            .fetch_one(&mut *conn)
            .await?;
    if there {
        return Ok(Prepared::Ready);
    }
    let schema = match extension(conn).await? {
        Some(schema) => schema,
        None => {
            let made = sqlx::query("CREATE EXTENSION pg_trgm SCHEMA denpyo")
                .execute(&mut *conn)
                .await;
            match made {
                Ok(_) => "denpyo".to_owned(),
                Err(sqlx::Error::Database(error)) => {
                    return Ok(Prepared::NoExtension(error.message().to_owned()));
                }
                Err(error) => return Err(error.into()),
            }
        }
    };
    let sql = format!(
        "CREATE INDEX search_texts_parts ON denpyo.search_texts \
         USING gin (order_id {schema}.gin_trgm_ops, recipient {schema}.gin_trgm_ops)"
    );
    sqlx::query(&sql).execute(&mut *conn).await?;
    Ok(Prepared::Ready)
}

/// The schema that holds the extension, quoted for SQL.
async fn extension(conn: &mut PgConnection) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "SELECT quote_ident(n.nspname) FROM pg_extension e \
         JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'",
    )
    .fetch_optional(conn)
    .await
}
