//! Sessions, kept in the database: who calls, and the one notice that waits for them.

use super::{State, reference};
use crate::db::{Db, DbError};
use crate::users::{self, User};
use app::desk::{Caller, Note, Notices, OwnSession, SharedNotices, SharedSession};
use app::error::AppError;
use app::model::views::Me;
use async_trait::async_trait;
use axum::extract::{self, Request};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tower_sessions::cookie::SameSite;
use tower_sessions::session::{Id, Record};
use tower_sessions::{
    ExpiredDeletion, Expiry, Session, SessionManagerLayer, SessionStore, session_store,
};
use tower_sessions_sqlx_store::{PostgresStore, SqliteStore};

/// A session's length from its last change: a working day.
const HOURS: i64 = 12;

/// The store of whichever database is open.
#[derive(Clone, Debug)]
pub enum Store {
    /// SQLite.
    Sqlite(SqliteStore),
    /// PostgreSQL.
    Postgres(PostgresStore),
}

impl Store {
    /// The store in a database; the migrations made its table.
    pub fn new(db: &Db) -> Store {
        match db {
            Db::Sqlite(sqlite) => Store::Sqlite(SqliteStore::new(sqlite.write.clone())),
            Db::Postgres(pool) => {
                let store = PostgresStore::new(pool.clone());
                let named = store
                    .clone()
                    .with_schema_name("denpyo")
                    .and_then(|s| s.with_table_name("tower_sessions"));
                // Both names are valid identifiers, so this never falls back.
                Store::Postgres(named.unwrap_or(store))
            }
        }
    }
}

#[async_trait]
impl SessionStore for Store {
    async fn create(&self, record: &mut Record) -> session_store::Result<()> {
        match self {
            // The store's own way reads before it writes, which fails where another process wrote
            // in between. An id of 128 random bits is new without asking.
            Store::Sqlite(store) => store.save(record).await,
            Store::Postgres(store) => store.create(record).await,
        }
    }
    async fn save(&self, record: &Record) -> session_store::Result<()> {
        match self {
            Store::Sqlite(store) => store.save(record).await,
            Store::Postgres(store) => store.save(record).await,
        }
    }
    async fn load(&self, id: &Id) -> session_store::Result<Option<Record>> {
        match self {
            Store::Sqlite(store) => store.load(id).await,
            Store::Postgres(store) => store.load(id).await,
        }
    }
    async fn delete(&self, id: &Id) -> session_store::Result<()> {
        match self {
            Store::Sqlite(store) => store.delete(id).await,
            Store::Postgres(store) => store.delete(id).await,
        }
    }
}

#[async_trait]
impl ExpiredDeletion for Store {
    async fn delete_expired(&self) -> session_store::Result<()> {
        match self {
            Store::Sqlite(store) => store.delete_expired().await,
            Store::Postgres(store) => store.delete_expired().await,
        }
    }
}

/// The layer that finds a request's session.
pub fn layer(state: &State) -> SessionManagerLayer<Store> {
    SessionManagerLayer::new(Store::new(&state.db))
        .with_name("denpyo")
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_secure(state.base_url.starts_with("https://"))
        .with_expiry(Expiry::OnInactivity(time::Duration::hours(HOURS)))
}

/// What a session holds of who signed in.
#[derive(Debug, Serialize, Deserialize)]
struct SignedIn {
    /// The user.
    user: i64,
    /// The user's epoch then.
    epoch: i64,
}

/// The key of [`SignedIn`].
const SIGNED_IN: &str = "user";
const NOTICE: &str = "notice";

/// Why a session could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The store.
    #[error(transparent)]
    Store(#[from] tower_sessions::session::Error),
    /// The database.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Signs a user in, under a new session id: one that somebody else planted before is worth nothing.
/// Whichever way they have shown who they are, this is where a sign-in begins.
pub async fn begin(db: &Db, session: &Session, user: &User) -> Result<(), SessionError> {
    let held = SignedIn {
        user: user.id,
        epoch: user.epoch,
    };
    let id = renew(session, held).await?;
    if let Err(error) = users::own::signed_in(db, user, &id).await {
        // Nobody is signed in without a word of it.
        session.flush().await?;
        return Err(error.into());
    }
    Ok(())
}

/// The session goes on under a new id; returns it.
async fn renew(session: &Session, held: SignedIn) -> Result<String, SessionError> {
    session.cycle_id().await?;
    session.insert(SIGNED_IN, held).await?;
    session.save().await?;
    Ok(name_of(session))
}

fn name_of(session: &Session) -> String {
    session.id().map(|id| id.to_string()).unwrap_or_default()
}

/// The session of whoever calls.
struct Own {
    db: Db,
    session: Session,
}

#[async_trait]
impl OwnSession for Own {
    fn id(&self) -> String {
        name_of(&self.session)
    }

    async fn renew(&self, epoch: i64) -> Result<(), AppError> {
        let from = name_of(&self.session);
        let go_on = async {
            let held: Option<SignedIn> = self.session.get(SIGNED_IN).await?;
            let Some(held) = held else { return Ok(()) };
            let to = renew(&self.session, SignedIn { epoch, ..held }).await?;
            users::own::moved(&self.db, &from, &to, epoch).await?;
            Ok::<_, SessionError>(())
        };
        go_on.await.map_err(|error| {
            let reference = reference();
            tracing::error!(%reference, error = %error, "a session could not be renewed");
            AppError::Unavailable { reference }
        })
    }
}

struct InSession(Session);

#[async_trait]
impl Notices for InSession {
    async fn put(&self, note: Note) {
        if let Err(error) = self.0.insert(NOTICE, note).await {
            tracing::warn!(error = %error, "a notice could not be kept");
        }
    }

    async fn take(&self) -> Option<Note> {
        // Asked first: removing what is not there would still write the session.
        self.0.get::<Note>(NOTICE).await.ok().flatten()?;
        self.0.remove(NOTICE).await.ok().flatten()
    }
}

/// Finds out who calls, and sends away whoever has no business here.
pub async fn who_calls(
    extract::State(state): extract::State<State>,
    session: Session,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = match signed_in(&state, &session).await {
        Ok(caller) => caller,
        Err(response) => return response,
    };
    let path = request.uri().path().to_owned();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let html = request
        .headers()
        .get(header::ACCEPT)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|v| v.contains("text/html"));
    let act = path.starts_with(super::acts::PREFIX);
    match caller {
        Some(_) if reads && matches!(path.as_str(), "/login" | "/session/oidc") => {
            return Redirect::to("/").into_response();
        }
        Some(caller) => {
            request.extensions_mut().insert(caller);
            let own: SharedSession = Arc::new(Own {
                db: state.db.clone(),
                session: session.clone(),
            });
            request.extensions_mut().insert(own);
            let notices: SharedNotices = Arc::new(InSession(session));
            request.extensions_mut().insert(notices);
        }
        None if path == super::live::PATH => return StatusCode::UNAUTHORIZED.into_response(),
        None if path == "/login" || path == "/session" || path.starts_with("/session/") => {}
        // A script is told by its own error; a form without scripts goes to the sign-in page.
        None if act && !html => {}
        None => {
            let wanted = request.uri().path_and_query().map_or("/", |p| p.as_str());
            let mut to = "/login".to_owned();
            if reads && wanted != "/" {
                to.push_str("?next=");
                app::model::filter::percent(&mut to, wanted);
            }
            return Redirect::to(&to).into_response();
        }
    }
    next.run(request).await
}

async fn signed_in(state: &State, session: &Session) -> Result<Option<Caller>, Response> {
    let unavailable = |error: String| {
        let reference = reference();
        tracing::error!(%reference, error, "who calls could not be found out");
        let text = format!(
            "ただいまデータベースに接続できません。少し待ってから、もう一度お試しください。\n\
             The database does not answer. Wait a moment, then try again.\n{reference}\n"
        );
        (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
    };
    let held: Option<SignedIn> = session
        .get(SIGNED_IN)
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    let Some(held) = held else { return Ok(None) };
    let user = user_of(&state.db, &held)
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    Ok(user.map(|user| {
        Caller(Me {
            role: user.role(),
            name: user.name,
        })
    }))
}

/// Who signed in, where they still may.
async fn user_of(db: &Db, held: &SignedIn) -> Result<Option<User>, DbError> {
    let user = users::by_id(db, held.user).await?;
    Ok(user.filter(|user| !user.disabled && user.epoch == held.epoch))
}

/// Whether a session still is somebody's, asked of the database and of nothing kept before;
/// `None` where that cannot be found out.
pub async fn still(db: &Db, id: &Id) -> Option<bool> {
    // Reads alone: open pages ask often, and must not queue among those who write.
    let store = match db {
        Db::Sqlite(sqlite) => Store::Sqlite(SqliteStore::new(sqlite.read.clone())),
        Db::Postgres(_) => Store::new(db),
    };
    let record = store.load(id).await.ok()?;
    let held = record.and_then(|record| record.data.get(SIGNED_IN).cloned());
    let Some(held) = held.and_then(|held| serde_json::from_value::<SignedIn>(held).ok()) else {
        return Some(false);
    };
    Some(user_of(db, &held).await.ok()?.is_some())
}
