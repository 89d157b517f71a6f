//! Signing in through OpenID Connect: to the provider, and back. Links, not forms: a form may lead
//! to this site alone. That somebody else may have a browser begin does no harm, since what comes back
//! must be what this very browser's session began.

use super::State;
use super::extract::Query;
use super::session;
use super::signin::local;
use crate::db::DbError;
use crate::oidc::people::{Entered, enter};
use crate::oidc::{Begun, OidcError, PATIENCE};
use crate::users;
use axum::extract;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tower_sessions::{Expiry, Session};

/// The key of [`Begun`] in a session.
const BEGUN: &str = "oidc";

/// Where somebody wants to go.
#[derive(Deserialize)]
pub struct To {
    #[serde(default)]
    next: String,
}

/// What the provider sends back.
#[derive(Deserialize)]
pub struct Back {
    #[serde(default)]
    state: String,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// The sign-in page, saying why it is shown again.
fn again(why: &str, next: &str) -> Response {
    let mut to = format!("/login?again={why}");
    if let Some(next) = local(next).filter(|next| *next != "/") {
        to.push_str("&next=");
        app::model::filter::percent(&mut to, next);
    }
    Redirect::to(&to).into_response()
}

/// The log has what a person needs not see.
fn failed(error: &OidcError, next: &str) -> Response {
    let reference = super::reference();
    tracing::warn!(%reference, error = %error, "a sign-in through OpenID Connect failed");
    match error {
        OidcError::Unreachable(_) => again("oidc_down", next),
        _ => again("oidc_refused", next),
    }
}

/// `GET /session/oidc`: begins, and leads to the provider.
pub async fn begin(
    extract::State(state): extract::State<State>,
    session: Session,
    Query(to): Query<To>,
) -> Response {
    let Some(oidc) = &state.oidc else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let next = local(&to.next).unwrap_or("/");
    let (there, begun) = match oidc.begin(next).await {
        Ok(begun) => begun,
        Err(error) => return failed(&error, next),
    };
    // Whoever does not come back leaves nothing behind for long.
    let patience = i64::try_from(PATIENCE.as_secs()).unwrap_or(i64::MAX);
    session.set_expiry(Some(Expiry::OnInactivity(time::Duration::seconds(
        patience,
    ))));
    if let Err(error) = session.insert(BEGUN, begun).await {
        tracing::error!(error = %error, "a session could not be written");
        return again("later", next);
    }
    Redirect::to(&there).into_response()
}

/// `GET /session/oidc/callback`: back from the provider.
pub async fn callback(
    extract::State(state): extract::State<State>,
    session: Session,
    Query(back): Query<Back>,
) -> Response {
    let Some(oidc) = &state.oidc else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // Taken out before anything is looked at: one try each.
    let begun: Option<Begun> = match session.remove(BEGUN).await {
        Ok(begun) => begun,
        Err(error) => {
            tracing::error!(error = %error, "a session could not be read");
            return again("later", "/");
        }
    };
    let Some(begun) = begun.filter(|begun| !begun.is_stale()) else {
        return again("oidc_stale", "/");
    };
    let next = begun.next.as_str();
    if !bool::from(begun.state.as_bytes().ct_eq(back.state.as_bytes())) {
        return again("oidc_stale", next);
    }
    if back.iss.as_deref().is_some_and(|iss| iss != oidc.issuer()) {
        return failed(
            &OidcError::Unreadable("the answer is another issuer's"),
            next,
        );
    }
    if let Some(error) = back.error {
        // `access_denied` is a person's own choice; whatever else, the log has it.
        let known = error.len() <= 64 && error.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        let said = if known { error } else { String::new() };
        return failed(&OidcError::Refused(said), next);
    }
    let person = match oidc
        .finish(&begun, back.code.as_deref().unwrap_or_default())
        .await
    {
        Ok(person) => person,
        Err(error) => return failed(&error, next),
    };
    let id = match enter(&state.db, &person).await {
        Ok(Entered::In(id)) => id,
        Ok(Entered::NoRole) => return again("oidc_role", next),
        Ok(Entered::Disabled) => return again("oidc_disabled", next),
        Ok(Entered::NameTaken) => return again("oidc_name", next),
        Err(error) => return not_now(&error, next),
    };
    let user = match users::by_id(&state.db, id).await {
        Ok(Some(user)) => user,
        Ok(None) => return again("oidc_refused", next),
        Err(error) => return not_now(&error, next),
    };
    // Under a new id, as for passwords.
    if let Err(error) = session::begin(&state.db, &session, &user).await {
        tracing::error!(error = %error, "a session could not be written");
        return again("later", next);
    }
    // A name may be an address.
    tracing::info!(user = id, "signed in through OpenID Connect");
    Redirect::to(local(next).unwrap_or("/")).into_response()
}

fn not_now(error: &DbError, next: &str) -> Response {
    let reference = super::reference();
    tracing::error!(%reference, error = %error, "a sign-in could not be written");
    again("later", next)
}
