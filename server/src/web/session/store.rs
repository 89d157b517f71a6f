//! Sessions in the database. A session that was ended is over: whatever a request under way still
//! wants to write is written over a row that is there, or not at all. What a row holds is changed where it
//! stands, under its lock, so that requests of one session lose nothing of each other's.

use crate::db::{Db, DbError, Sql, Tx};
use crate::{in_tx, on_read, on_write, users};
use app::desk::Note;
use async_trait::async_trait;
use serde_json::Value;
use std::collections::HashMap;
use tower_sessions::session::{Id, Record};
use tower_sessions::{ExpiredDeletion, SessionStore, session_store};

const CREATE: Sql =
    Sql::same("INSERT INTO tower_sessions (id, data, expiry_date) VALUES ($1, $2, {after $3})");
const LOAD: Sql =
    Sql::same("SELECT data FROM tower_sessions WHERE id = $1 AND expiry_date > {now}");
const LOCK: Sql = Sql {
    sqlite: LOAD.sqlite,
    postgres: "SELECT data FROM tower_sessions WHERE id = $1 AND expiry_date > {now} FOR UPDATE",
};
const WRITE: Sql = Sql::same(
    "UPDATE tower_sessions SET id = $2, data = $3, expiry_date = {after $4} WHERE id = $1",
);
const DELETE: Sql = Sql::same("DELETE FROM tower_sessions WHERE id = $1 RETURNING data");
const EXPIRED: Sql = Sql::same("DELETE FROM tower_sessions WHERE expiry_date < {now}");

/// Every statement, for the test that has both databases check each.
pub const STATEMENTS: &[(&str, Sql)] = &[
    ("session::CREATE", CREATE),
    ("session::LOAD", LOAD),
    ("session::LOCK", LOCK),
    ("session::WRITE", WRITE),
    ("session::DELETE", DELETE),
    ("session::EXPIRED", EXPIRED),
];

/// The key of the notices that wait, written by [`Store::put`] and [`Store::take`] alone.
const NOTICES: &str = "notices";
/// More than so many secrets do not wait to be shown; the oldest give way.
const MOST_NOTICES: usize = 20;
/// The key of the id that a session goes on under: whoever ends it by the old one ends it by the new.
const MOVED: &str = "moved";
/// What a row holds of itself: a request that read it before neither brings it nor takes it away.
const OWN: [&str; 2] = [NOTICES, MOVED];

type Data = HashMap<String, Value>;

/// The sessions of a database; the migrations made their table.
#[derive(Clone, Debug)]
pub struct Store(Db);

impl Store {
    /// Of this database.
    pub fn new(db: &Db) -> Store {
        Store(db.clone())
    }

    /// What a session holds; none where it is over, or was written by another version.
    pub(super) async fn data(&self, id: &Id) -> Result<Option<Data>, DbError> {
        let sql = self.0.text(LOAD);
        let data: Option<Vec<u8>> = on_read!(&self.0, c => sqlx::query_scalar(&sql)
            .bind(id.to_string()).fetch_optional(c).await)?;
        Ok(data.and_then(|data| serde_json::from_slice(&data).ok()))
    }

    /// Keeps a note until it is told, in place of the one before it, and has the session live on for
    /// `lives`. What can be shown once alone gives way to none. False where the session is over.
    pub async fn put(&self, id: &Id, note: &Note, lives: time::Duration) -> Result<bool, DbError> {
        let mut tx = self.0.begin().await?;
        let Some(mut data) = self.lock(&mut tx, id).await? else {
            return Ok(false);
        };
        let mut notes = notes(&data);
        notes.retain(Note::is_shown_once);
        notes.push(note.clone());
        let surplus = notes.len().saturating_sub(MOST_NOTICES);
        notes.drain(..surplus);
        data.insert(NOTICES.to_owned(), written(&notes));
        self.write(&mut tx, id, id, &data, lives).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Takes out the note that waits longest.
    pub async fn take(&self, id: &Id, lives: time::Duration) -> Result<Option<Note>, DbError> {
        // Asked first: most pages have nothing to take, and need not queue among those who write.
        if self
            .data(id)
            .await?
            .is_none_or(|data| notes(&data).is_empty())
        {
            return Ok(None);
        }
        let mut tx = self.0.begin().await?;
        let Some(mut data) = self.lock(&mut tx, id).await? else {
            return Ok(None);
        };
        let mut notes = notes(&data);
        if notes.is_empty() {
            return Ok(None);
        }
        let note = notes.remove(0);
        data.insert(NOTICES.to_owned(), written(&notes));
        self.write(&mut tx, id, id, &data, lives).await?;
        tx.commit().await?;
        Ok(Some(note))
    }

    /// A session goes on under another id and epoch, with `value` under `key`. False where it is over.
    pub async fn renew(
        &self,
        [from, to]: [&Id; 2],
        (key, value): (&str, Value),
        epoch: i64,
        lives: time::Duration,
    ) -> Result<bool, DbError> {
        let mut tx = self.0.begin().await?;
        let Some(mut data) = self.lock(&mut tx, from).await? else {
            return Ok(false);
        };
        data.insert(key.to_owned(), value);
        self.write(&mut tx, from, to, &data, lives).await?;
        let left_behind = Data::from([(MOVED.to_owned(), Value::String(to.to_string()))]);
        let sql = self.0.text(CREATE);
        in_tx!(&mut tx, c => sqlx::query(&sql).bind(from.to_string()).bind(bytes(&left_behind))
            .bind(millis(lives)).execute(c).await.map(|_| ()))?;
        users::own::moved(
            &self.0,
            &mut tx,
            [&from.to_string(), &to.to_string()],
            epoch,
        )
        .await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn lock(&self, tx: &mut Tx, id: &Id) -> Result<Option<Data>, DbError> {
        let sql = self.0.text(LOCK);
        let data: Option<Vec<u8>> = in_tx!(tx, c => sqlx::query_scalar(&sql)
            .bind(id.to_string()).fetch_optional(c).await)?;
        Ok(data.and_then(|data| serde_json::from_slice(&data).ok()))
    }

    async fn write(
        &self,
        tx: &mut Tx,
        from: &Id,
        to: &Id,
        data: &Data,
        lives: time::Duration,
    ) -> Result<(), DbError> {
        let sql = self.0.text(WRITE);
        Ok(
            in_tx!(tx, c => sqlx::query(&sql).bind(from.to_string()).bind(to.to_string())
            .bind(bytes(data)).bind(millis(lives)).execute(c).await.map(|_| ()))?,
        )
    }

    async fn insert(&self, record: &Record) -> Result<(), DbError> {
        // What was for whoever was signed in before is for nobody else.
        let mut data = record.data.clone();
        data.retain(|key, _| !OWN.contains(&key.as_str()));
        let sql = self.0.text(CREATE);
        on_write!(&self.0, c => sqlx::query(&sql).bind(record.id.to_string())
            .bind(bytes(&data)).bind(millis(left(record))).execute(c).await.map(|_| ()))?;
        Ok(())
    }

    /// Keeps nothing where the session is over.
    async fn update(&self, record: &Record) -> Result<(), DbError> {
        let mut tx = self.0.begin().await?;
        let Some(mut kept) = self.lock(&mut tx, &record.id).await? else {
            return Ok(());
        };
        let mut data = record.data.clone();
        data.retain(|key, _| !OWN.contains(&key.as_str()));
        kept.retain(|key, _| OWN.contains(&key.as_str()));
        data.extend(kept);
        self.write(&mut tx, &record.id, &record.id, &data, left(record))
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Ends a session, also where it goes on under another id.
    async fn remove(&self, id: &Id) -> Result<(), DbError> {
        let sql = self.0.text(DELETE);
        let mut next = Some(id.to_string());
        while let Some(id) = next {
            let data: Option<Vec<u8>> = on_write!(&self.0, c => sqlx::query_scalar(&sql)
                .bind(id).fetch_optional(c).await)?;
            let data: Option<Data> = data.and_then(|data| serde_json::from_slice(&data).ok());
            next = data.and_then(|data| data.get(MOVED)?.as_str().map(str::to_owned));
        }
        Ok(())
    }

    async fn remove_expired(&self) -> Result<(), DbError> {
        let sql = self.0.text(EXPIRED);
        on_write!(&self.0, c => sqlx::query(&sql).execute(c).await.map(|_| ()))?;
        Ok(())
    }
}

fn notes(data: &Data) -> Vec<Note> {
    let kept = data.get(NOTICES).cloned();
    kept.and_then(|kept| serde_json::from_value(kept).ok())
        .unwrap_or_default()
}

fn written(notes: &[Note]) -> Value {
    // Notes have no maps with keys other than texts, the one thing that JSON cannot hold.
    serde_json::to_value(notes).unwrap_or_default()
}

fn bytes(data: &Data) -> Vec<u8> {
    // What is JSON already can be written.
    serde_json::to_vec(data).unwrap_or_default()
}

/// How long a record is to live on: its end is by this process's clock, the row's by the database's.
fn left(record: &Record) -> time::Duration {
    record.expiry_date - time::OffsetDateTime::now_utc()
}

fn millis(duration: time::Duration) -> i64 {
    i64::try_from(duration.whole_milliseconds()).unwrap_or(i64::MAX)
}

fn backend(error: DbError) -> session_store::Error {
    session_store::Error::Backend(error.to_string())
}

#[async_trait]
impl SessionStore for Store {
    async fn create(&self, record: &mut Record) -> session_store::Result<()> {
        // An id of 128 random bits is new without asking.
        self.insert(record).await.map_err(backend)
    }

    async fn save(&self, record: &Record) -> session_store::Result<()> {
        // That nothing is kept of a session that is over is no fault: the layer, which saves once more
        // at the end of each request, would answer 500.
        self.update(record).await.map_err(backend)
    }

    async fn load(&self, id: &Id) -> session_store::Result<Option<Record>> {
        let data = self.data(id).await.map_err(backend)?;
        Ok(data.map(|data| Record {
            id: *id,
            data,
            // Every save sets it anew.
            expiry_date: time::OffsetDateTime::now_utc(),
        }))
    }

    async fn delete(&self, id: &Id) -> session_store::Result<()> {
        self.remove(id).await.map_err(backend)
    }
}

#[async_trait]
impl ExpiredDeletion for Store {
    async fn delete_expired(&self) -> session_store::Result<()> {
        self.remove_expired().await.map_err(backend)
    }
}
