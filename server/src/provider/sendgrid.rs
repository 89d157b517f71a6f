//! SendGrid, through its v3 Mail Send API.
//!
//! What its documentation says, and what follows from it here:
//!
//! - `POST /v3/mail/send` with a Bearer key; 202 with an empty body means accepted, the id is in
//!   `X-Message-Id`. `custom_args` hold 10,000 bytes at most, their values are texts.
//!   <https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send>
//! - 400, 401, 403, 404, 405, 406, 413 and 429 are answers to requests that were not accepted; a
//!   5xx may come after SendGrid had begun to work on the request, so it proves nothing.
//!   <https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/errors>
//! - 451 there is about where the account's data may be kept, not about the mail. Exceeded
//!   credits come as 401 or 403.
//! - 429 carries `X-RateLimit-Reset`, in seconds since 1970.
//!   <https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits>
//! - There is no key against doubles: a request must not be repeated before its outcome is known.
//! - The names in `to`, `cc` and `bcc` must not hold commas or semicolons (what stands before one
//!   is taken for an address, and the mail is dropped); those in `from` and `reply_to` may. So the
//!   recipient is sent without a name, and the sender's name as it is.
//!   <https://github.com/sendgrid/sendgrid-python/issues/291>
//! - Where the content has two parts, `text/plain` must come before `text/html`.
//! - Email Logs: `POST /v3/logs` finds messages by recipient and time, 1,000 at most and without
//!   pages (so a window of time that holds more is asked in halves);
//!   `GET /v3/logs/{sg_message_id}` tells their `custom_args`. Kept for 30 days. Nothing is
//!   said of how soon a message shows; the horizon of 30 minutes is a cautious guess.
//!   <https://www.twilio.com/docs/sendgrid/api-reference/email-logs>
//!
//! Anything not documented (a redirect, a 408 or 409 that something in between made up) leaves
//! the outcome unknown. Whether links and opens are tracked stays as the account has it.

use super::answer::{self, Bodies, Refusal};
use super::asking::{Asking, Finding, Question};
use super::events::{Events, NotEvents, Post};
use super::signed::P256Key;
use super::{Provider, ProviderError, SendOutcome, Settings, checks, http as shared};
use crate::envelope::{Envelope, Labels};
use crate::outbox::claim::Permit;
use app::model::address::Mailbox;
use async_trait::async_trait;
use http::HeaderValue;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Where the API is, unless the settings say otherwise. Accounts in the EU use
/// `https://api.eu.sendgrid.com`.
pub const DEFAULT_URL: &str = "https://api.sendgrid.com";
/// Most bytes that `custom_args` may have.
const LARGEST_ARGS: usize = 10_000;
/// How long after the lease "not found" proves nothing.
const HORIZON: Duration = Duration::from_secs(30 * 60);
/// How long Email Logs go back.
const RETENTION: Duration = Duration::from_secs(30 * 86_400);

mod events;
mod lookup;

/// The service.
pub struct SendGrid {
    base: String,
    bearer: HeaderValue,
    key: String,
    account: String,
    client: reqwest::Client,
    timeout: Duration,
    webhook_key: Option<P256Key>,
}

/// Makes the service from its settings.
pub fn build(settings: &Settings) -> Result<Arc<dyn Provider>, ProviderError> {
    let key = shared::key(settings)?;
    let base = shared::base(settings.url.as_deref().unwrap_or(DEFAULT_URL))?;
    Ok(Arc::new(SendGrid {
        account: shared::account(&base, key),
        client: shared::client(settings.timeout)?,
        timeout: settings.timeout,
        webhook_key: super::webhook_key(settings)
            .map(P256Key::parse)
            .transpose()?,
        key: key.to_owned(),
        bearer: checks::secret(&format!("Bearer {key}"))?,
        base,
    }))
}

impl fmt::Debug for SendGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SendGrid").field(&self.account).finish()
    }
}

#[async_trait]
impl Provider for SendGrid {
    fn name(&self) -> &'static str {
        "sendgrid"
    }

    fn label(&self) -> &'static str {
        "SendGrid"
    }

    fn account(&self) -> &str {
        &self.account
    }

    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let request = self
            .client
            .post(format!("{}/v3/mail/send", self.base))
            .header(AUTHORIZATION, self.bearer.clone())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(message(permit.envelope()).to_string());
        let answer = match answer::post(request, self.timeout, Bodies::OfRefusals).await {
            Ok(answer) => answer,
            Err(outcome) => return outcome,
        };
        if answer.accepts() {
            let message_id = answer.header("x-message-id").and_then(checks::message_id);
            return SendOutcome::Accepted { message_id };
        }
        verdict(answer.refusal(sentences(&answer.json()).as_deref(), &self.key))
    }

    async fn reachable(&self) -> Result<(), String> {
        checks::reachable(&self.client, &self.base).await
    }

    fn asking(&self) -> Asking {
        Asking::Lookup {
            horizon: HORIZON,
            retention: RETENTION,
        }
    }

    async fn lookup(&self, question: &Question) -> Finding {
        let mut found = Vec::new();
        let whole = self.search(question, &mut found).await;
        Finding::of(found, whole)
    }

    async fn events(&self, post: Post<'_>) -> Result<Events, NotEvents> {
        let key = self.webhook_key.as_ref().ok_or(NotEvents::Off)?;
        events::read(key, &self.key, post)
    }
}

/// What an answer other than 2xx means.
fn verdict(no: Refusal) -> SendOutcome {
    match no.code {
        400 | 413 | 422 => no.of_mail(),
        401 | 403 | 404 | 405 | 406 | 451 => no.of_account(),
        429 => no.for_now(),
        _ => no.unknown(),
    }
}

/// The sentences of `{"errors":[{"message",…}]}`.
fn sentences(body: &Value) -> Option<String> {
    let errors = body.get("errors")?.as_array()?;
    let said = errors.iter().filter_map(|e| e.get("message")?.as_str());
    let said: Vec<_> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// The request's body.
fn message(envelope: &Envelope) -> Value {
    let content = &envelope.content;
    let mut parts = Vec::new();
    if let Some(text) = &content.body_text {
        parts.push(json!({"type": "text/plain", "value": text}));
    }
    if let Some(html) = &content.body_html {
        parts.push(json!({"type": "text/html", "value": html}));
    }
    let mut message = json!({
        "personalizations": [{"to": [{"email": content.recipient.as_str()}]}],
        "from": mailbox(&content.sender),
        "subject": content.subject,
        "content": parts,
        "custom_args": custom_args(&envelope.labels),
    });
    if let Some(reply_to) = &content.reply_to {
        message["reply_to"] = mailbox(reply_to);
    }
    message
}

fn mailbox(mailbox: &Mailbox) -> Value {
    match &mailbox.name {
        Some(name) => json!({"email": mailbox.address.as_str(), "name": name}),
        None => json!({"email": mailbox.address.as_str()}),
    }
}

/// What the mail carries to be found again. A very long order number is cut, and marked as cut,
/// until the whole fits; the reference never is. Characters are counted in their longest JSON
/// form, since SendGrid does not say in which it counts.
fn custom_args(labels: &Labels) -> Value {
    let args = |order_id: &str| {
        json!({
            "ref": labels.reference,
            "order_id": order_id,
            "attempt": labels.attempt.to_string(),
            "installation": labels.installation,
        })
    };
    let length = |text: &str| text.chars().map(longest_form).sum::<usize>();
    let room = LARGEST_ARGS.saturating_sub(length(&args("").to_string()));
    if length(&labels.order_id) <= room {
        return args(&labels.order_id);
    }
    let mut used = longest_form('…');
    let fits = |c: &char| {
        used += longest_form(*c);
        used <= room
    };
    let kept: String = labels.order_id.chars().take_while(fits).collect();
    args(&(kept + "…"))
}

/// Bytes of a character in JSON, written as an escape wherever it can be.
fn longest_form(c: char) -> usize {
    match c {
        '"' | '\\' | '/' => 2,
        ' '..='~' => 1,
        c => 6 * c.len_utf16(),
    }
}

#[cfg(test)]
#[path = "sendgrid_tests.rs"]
mod tests;
