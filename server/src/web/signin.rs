//! Signing in and out. Plain forms, not server functions: both change who the whole page is for,
//! so the browser loads it anew.

use super::State;
use super::extract::Form;
use super::session;
use crate::users;
use axum::extract;
use axum::extract::ConnectInfo;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tower_sessions::Session;

/// The sign-in form.
#[derive(Deserialize)]
pub struct SignIn {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
}

/// Signs in, under a new session id.
pub async fn sign_in(
    extract::State(state): extract::State<State>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    session: Session,
    Form(form): Form<SignIn>,
) -> Response {
    let again = |why: &str| {
        let mut to = format!("/login?again={why}");
        if let Some(next) = local(&form.next) {
            to.push_str("&next=");
            app::model::filter::percent(&mut to, next);
        }
        Redirect::to(&to).into_response()
    };
    // As it is looked up: other ways to write one name are no further tries.
    let name = users::normal(&form.name);
    let key = (name.chars().take(64).collect::<String>(), peer.ip());
    // Counted before it is checked, so that many at once are slowed like many in turn.
    if !state.attempts.begin(&key) {
        return again("wait");
    }
    let user = match users::sign_in(&state.db, &form.name, &form.password).await {
        Ok(user) => user,
        Err(error) => {
            let reference = super::reference();
            tracing::error!(%reference, error = %error, "a sign-in could not be checked");
            return again("later");
        }
    };
    let Some(user) = user else {
        return again("1");
    };
    state.attempts.succeeded(&key);
    if let Err(error) = session::begin(&state.db, &session, &user).await {
        tracing::error!(error = %error, "a session could not be written");
        return again("later");
    }
    // A name may be an address.
    tracing::info!(user = user.id, "signed in");
    Redirect::to(local(&form.next).unwrap_or("/")).into_response()
}

/// Signs out. Nothing is left to forget: no signed-in answer may be kept by the browser.
pub async fn sign_out(session: Session) -> Response {
    if let Err(error) = session.flush().await {
        tracing::warn!(error = %error, "a session could not be ended");
    }
    Redirect::to("/login").into_response()
}

/// A path of this site, and no way to another.
pub(super) fn local(next: &str) -> Option<&str> {
    let fine = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains('\\')
        && next.bytes().all(|b| (0x21..0x7f).contains(&b))
        && !next.starts_with("/session")
        && !next.starts_with("/_desk");
    fine.then_some(next)
}

/// Sign-ins tried by name and peer. After five, each further one doubles the wait, up to a minute.
/// One that succeeds takes them all back; else they are forgotten after a quarter of an hour.
#[derive(Default)]
pub struct Attempts(Mutex<HashMap<(String, IpAddr), (u32, Instant)>>);

const FREE: u32 = 5;
const LONGEST: Duration = Duration::from_secs(60);
const FORGET: Duration = Duration::from_secs(900);
/// More names than that at once are an attack; the oldest are dropped.
const MOST: usize = 10_000;

impl Attempts {
    /// Counts one more, unless it is too early for it.
    pub(crate) fn begin(&self, key: &(String, IpAddr)) -> bool {
        let Ok(mut map) = self.0.lock() else {
            return true;
        };
        match map.get(key) {
            Some((tries, last)) if *tries >= FREE && last.elapsed() < wait(*tries) => return false,
            _ => {}
        }
        if map.len() >= MOST {
            map.retain(|_, (_, last)| last.elapsed() < LONGEST);
        }
        if map.len() >= MOST {
            // Names made up to push out the slowed ones go first.
            map.retain(|_, (tries, _)| *tries >= FREE);
        }
        if map.len() >= MOST {
            map.clear();
        }
        let entry = map.entry(key.clone()).or_insert((0, Instant::now()));
        if entry.1.elapsed() > FORGET {
            entry.0 = 0;
        }
        *entry = (entry.0 + 1, Instant::now());
        true
    }

    /// The right one: they were not guesses.
    pub(crate) fn succeeded(&self, key: &(String, IpAddr)) {
        if let Ok(mut map) = self.0.lock() {
            map.remove(key);
        }
    }
}

fn wait(failures: u32) -> Duration {
    Duration::from_secs(1u64 << failures.saturating_sub(FREE).min(6)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_leads_nowhere_else() {
        for fine in ["/", "/submissions?status=failed", "/stuck"] {
            assert_eq!(local(fine), Some(fine));
        }
        for bad in [
            "",
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "/a\nb",
            "/session/end",
        ] {
            assert_eq!(local(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_repeated_failures_are_slowed() {
        let attempts = Attempts::default();
        let key = |name: &str| (name.to_owned(), IpAddr::from([127, 0, 0, 1]));
        for _ in 0..FREE {
            assert!(attempts.begin(&key("a")));
        }
        assert!(!attempts.begin(&key("a")));
        assert!(attempts.begin(&key("b")));
        attempts.succeeded(&key("a"));
        assert!(attempts.begin(&key("a")));
        assert!(wait(5) < wait(6) && wait(u32::MAX) == LONGEST);
    }
}
