//! Sessions, kept in the database: who calls, and the notices that wait for them.

pub mod store;

use super::{State, reference};
use crate::db::{Db, DbError};
use crate::users::{self, User};
use app::desk::{Caller, Note, Notices, OwnSession, SharedNotices, SharedSession};
use app::error::AppError;
use app::model::views::Me;
use async_trait::async_trait;
use axum::extract::{self, Request};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Store;
use tower_sessions::cookie::{Cookie, SameSite};
use tower_sessions::session::Id;
use tower_sessions::{Expiry, Session, SessionManagerLayer};

/// A session's length from its last change: a working day.
const LIVES: time::Duration = time::Duration::hours(12);
/// The name of its cookie.
const COOKIE: &str = "denpyo";

/// The layer that finds a request's session.
pub fn layer(state: &State) -> SessionManagerLayer<Store> {
    SessionManagerLayer::new(Store::new(&state.db))
        .with_name(COOKIE)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_secure(is_secure(state))
        .with_expiry(Expiry::OnInactivity(LIVES))
}

fn is_secure(state: &State) -> bool {
    state.base_url.starts_with("https://")
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
    session.cycle_id().await?;
    session.insert(SIGNED_IN, held).await?;
    session.save().await?;
    let id = session.id().map(|id| id.to_string()).unwrap_or_default();
    if let Err(error) = users::own::signed_in(db, user, &id).await {
        // Nobody is signed in without a word of it.
        session.flush().await?;
        return Err(error.into());
    }
    Ok(())
}

/// The session of whoever calls. What changes in it goes to its row at once, and nothing else of the row
/// is written: other requests of the same session may be under way, the one that ends it among them.
struct Own {
    store: Store,
    id: Mutex<Id>,
    user: i64,
    /// Its end has moved: the answer says so to the browser.
    prolonged: AtomicBool,
}

impl Own {
    fn held(&self) -> MutexGuard<'_, Id> {
        // Whoever panicked left an id behind all the same.
        self.id.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Id {
        *self.held()
    }

    /// The cookie that the answer has to bring.
    fn cookie(&self, secure: bool) -> Option<HeaderValue> {
        if !self.prolonged.load(Ordering::Acquire) {
            return None;
        }
        let cookie = Cookie::build((COOKIE, self.now().to_string()))
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(secure)
            .path("/")
            .max_age(LIVES);
        HeaderValue::from_str(&cookie.to_string()).ok()
    }
}

#[async_trait]
impl OwnSession for Own {
    fn id(&self) -> String {
        self.now().to_string()
    }

    async fn renew(&self, epoch: i64) -> Result<(), AppError> {
        let (from, to) = (self.now(), Id::default());
        let user = self.user;
        let held = serde_json::to_value(SignedIn { user, epoch }).unwrap_or_default();
        let renewed = self
            .store
            .renew([&from, &to], (SIGNED_IN, held), epoch, LIVES)
            .await;
        match renewed {
            Ok(true) => {
                *self.held() = to;
                self.prolonged.store(true, Ordering::Release);
                Ok(())
            }
            // Whoever signed out meanwhile stays so.
            Ok(false) => Ok(()),
            Err(error) => {
                let reference = reference();
                tracing::error!(%reference, error = %error, "a session could not be renewed");
                Err(AppError::Unavailable { reference })
            }
        }
    }
}

#[async_trait]
impl Notices for Own {
    async fn put(&self, note: Note) {
        match self.store.put(&self.now(), &note, LIVES).await {
            Ok(true) => self.prolonged.store(true, Ordering::Release),
            Ok(false) => {}
            Err(error) => tracing::warn!(error = %error, "a notice could not be kept"),
        }
    }

    async fn take(&self) -> Option<Note> {
        let taken = self.store.take(&self.now(), LIVES).await;
        taken.unwrap_or_else(|error| {
            tracing::warn!(error = %error, "a notice could not be read");
            None
        })
    }
}

/// What is there for people who are not signed in.
const FOR_ALL: [&str; 5] = [
    "/login",
    "/session",
    "/session/end",
    "/session/oidc",
    "/session/oidc/callback",
];

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
    let mut own = None;
    match caller {
        Some(_) if reads && matches!(path.as_str(), "/login" | "/session/oidc") => {
            return Redirect::to("/").into_response();
        }
        Some((caller, held)) => {
            request.extensions_mut().insert(caller);
            // Whoever is signed in has an id; a made up one holds nothing.
            own = Some(Arc::new(Own {
                store: Store::new(&state.db),
                id: Mutex::new(session.id().unwrap_or_default()),
                user: held.user,
                prolonged: AtomicBool::new(false),
            }));
        }
        None if path == super::live::PATH => return StatusCode::UNAUTHORIZED.into_response(),
        None if FOR_ALL.contains(&path.as_str()) => {}
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
    if let Some(own) = &own {
        let shared: SharedSession = own.clone();
        request.extensions_mut().insert(shared);
        let notices: SharedNotices = own.clone();
        request.extensions_mut().insert(notices);
    }
    let before = session.id();
    let mut response = next.run(request).await;
    if let Some(id) = before
        && session.id() == before
    {
        keep(&Store::new(&state.db), &session, &id).await;
    }
    if let Some(cookie) = own.and_then(|own| own.cookie(is_secure(&state))) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Writes what a request changed in the session that it came with. Where that is over meanwhile, the
/// answer takes its cookie away instead of bringing it back.
async fn keep(store: &Store, session: &Session, id: &Id) {
    if session.is_modified()
        && session.save().await.is_ok()
        && matches!(store.data(id).await, Ok(None))
        && let Err(error) = session.flush().await
    {
        tracing::warn!(error = %error, "a session could not be ended");
    }
}

async fn signed_in(
    state: &State,
    session: &Session,
) -> Result<Option<(Caller, SignedIn)>, Response> {
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
        let me = Me {
            role: user.role(),
            name: user.name,
        };
        (Caller(me), held)
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
    let data = Store::new(db).data(id).await.ok()?;
    let held = data.and_then(|data| data.get(SIGNED_IN).cloned());
    let Some(held) = held.and_then(|held| serde_json::from_value::<SignedIn>(held).ok()) else {
        return Some(false);
    };
    Some(user_of(db, &held).await.ok()?.is_some())
}
