//! A stand-in for SendGrid, for staging and tests: it takes mails, keeps them in memory, sends
//! nothing, and can be told to misbehave.
//!
//! It speaks the parts of the v3 API that Denpyo uses, as documented:
//! - `POST /v3/mail/send`:
//!   <https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send>
//! - `POST /v3/logs` and `GET /v3/logs/{sg_message_id}`:
//!   <https://www.twilio.com/docs/sendgrid/api-reference/email-logs>
//! - `GET /v3/messages?query=&limit=`:
//!   <https://www.twilio.com/docs/sendgrid/for-developers/sending-email/getting-started-email-activity-api>
//!
//! Any Bearer key is good. Unlike SendGrid it has no limits of rate (but for `refuse_429`), and
//! every mail stays `processed`.
//!
//! Beside the API, without a key:
//! - `GET /_sandbox/messages`: `{"messages":[…],"dropped":n}`, everything accepted, first to last;
//!   `?ref=` and `?to=` narrow it. `DELETE` forgets them.
//! - `PUT /_sandbox/faults`: see [`Faults`]. It replaces all of them and sows the seed anew; `GET`
//!   shows them.
//!
//! It keeps [`store::MOST_MESSAGES`] messages and [`store::MOST_BYTES`] bytes of their contents;
//! beyond that the oldest go, and `dropped` counts them.

mod faults;
mod line;
mod lookup;
mod mail;
mod query;
pub mod store;

pub use faults::{BadFaults, Fault, Faults};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use faults::Dice;
use serde::Deserialize;
use serde_json::{Value, json};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Message, Store};
use tokio::net::TcpListener;

/// Largest request; SendGrid documents 30 MB for a whole message.
const LARGEST_REQUEST: usize = 30 * 1024 * 1024;

/// What the sandbox holds. Clones share it.
#[derive(Clone, Default)]
pub struct Sandbox(Arc<Inner>);

#[derive(Default)]
struct Inner {
    store: Mutex<Store>,
    dice: Mutex<Dice>,
}

impl Sandbox {
    /// An empty sandbox that behaves.
    pub fn new() -> Sandbox {
        Sandbox::default()
    }

    /// Every message it has accepted and kept, first to last.
    pub fn messages(&self) -> Vec<Message> {
        self.store().all().cloned().collect()
    }

    /// How it misbehaves.
    pub fn faults(&self) -> Faults {
        self.dice().faults().clone()
    }

    /// Replaces the faults, and sows their seed.
    pub fn set_faults(&self, faults: Faults) -> Result<(), BadFaults> {
        faults.check()?;
        *self.dice() = Dice::new(faults);
        Ok(())
    }

    /// Takes a message as if it had been posted at the time it names.
    #[cfg(test)]
    pub(crate) fn take(&self, message: Message) {
        self.store().push(message);
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dice(&self) -> MutexGuard<'_, Dice> {
        self.0.dice.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Its routes. Faults that cut a connection need [`serve`]; under another server they never
/// answer instead.
pub fn router(sandbox: Sandbox) -> Router {
    let messages = get(list_messages).delete(forget_messages);
    Router::new()
        .route("/v3/mail/send", post(mail::send))
        .route("/v3/logs", post(lookup::search_logs))
        .route("/v3/logs/{id}", get(lookup::one_log))
        .route("/v3/messages", get(lookup::search_messages))
        .route("/_sandbox/messages", messages)
        .route("/_sandbox/faults", get(show_faults).put(put_faults))
        // Where `redirect` points: whoever follows it is told that all is well.
        .route("/_sandbox/elsewhere", get(|| async { "OK" }))
        .fallback(|| async { errors(StatusCode::NOT_FOUND, None, "no such resource") })
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .with_state(sandbox)
}

/// Serves the sandbox until `shutdown` is done; then answers what can be answered, and hangs up on
/// the rest.
pub async fn serve(listener: TcpListener, sandbox: Sandbox, shutdown: impl Future<Output = ()>) {
    line::serve(listener, router(sandbox), shutdown).await;
}

/// An error in SendGrid's shape.
struct Refusal {
    status: StatusCode,
    field: Option<String>,
    message: String,
}

fn errors(status: StatusCode, field: Option<&str>, message: &str) -> Refusal {
    Refusal {
        status,
        field: field.map(str::to_owned),
        message: message.to_owned(),
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let error = json!({"message": self.message, "field": self.field, "help": null});
        (self.status, axum::Json(json!({"errors": [error]}))).into_response()
    }
}

/// Whether a request carries a Bearer key, whichever.
fn authorised(headers: &HeaderMap) -> Result<(), Refusal> {
    let key = headers
        .get(header::AUTHORIZATION)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.strip_prefix("Bearer "))
        .is_some_and(|key| !key.trim().is_empty());
    if key {
        return Ok(());
    }
    let message = "authorization is missing, or not a Bearer key";
    Err(errors(StatusCode::UNAUTHORIZED, None, message))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Narrow {
    #[serde(rename = "ref")]
    reference: Option<String>,
    to: Option<String>,
}

async fn list_messages(
    State(sandbox): State<Sandbox>,
    Query(narrow): Query<Narrow>,
) -> axum::Json<Value> {
    let store = sandbox.store();
    let asked = |m: &&Message| {
        let same = |a: &Option<String>, b: Option<&str>| a.is_none() || a.as_deref() == b;
        same(&narrow.reference, m.reference()) && same(&narrow.to, Some(&m.to.email))
    };
    let messages: Vec<Value> = store.all().filter(asked).map(Message::show).collect();
    axum::Json(json!({"messages": messages, "dropped": store.dropped()}))
}

async fn forget_messages(State(sandbox): State<Sandbox>) -> StatusCode {
    *sandbox.store() = Store::default();
    StatusCode::NO_CONTENT
}

async fn show_faults(State(sandbox): State<Sandbox>) -> axum::Json<Faults> {
    axum::Json(sandbox.faults())
}

async fn put_faults(
    State(sandbox): State<Sandbox>,
    body: Bytes,
) -> Result<axum::Json<Faults>, Refusal> {
    let bad = |message: String| errors(StatusCode::BAD_REQUEST, None, &message);
    let members = serde_json::from_slice(&body).map(Value::Object);
    let faults: Faults = members
        .and_then(serde_json::from_value)
        .map_err(|e| bad(e.to_string()))?;
    sandbox
        .set_faults(faults.clone())
        .map_err(|e| bad(e.to_string()))?;
    Ok(axum::Json(faults))
}

#[cfg(test)]
mod lookup_tests;
#[cfg(test)]
mod tests;
