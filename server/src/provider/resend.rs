//! Resend.
//!
//! What its documentation says, and what follows from it here:
//!
//! - `POST /emails` with a Bearer key; 200 with `{"id"}` means accepted.
//!   <https://resend.com/docs/api-reference/emails/send-email>
//! - A request under an `Idempotency-Key` (1 to 256 characters) that was carried out within 24
//!   hours is not carried out again, but answered as it was then. So there is no look-up here: an
//!   attempt whose outcome nobody knows is posted again, byte for byte, under its own key.
//!   <https://resend.com/docs/dashboard/emails/idempotency-keys>
//! - 409 says that a request of that key is being carried out, or that it was another request:
//!   either way an earlier one may have been accepted, so the outcome is unknown.
//! - 400, 413 and 422 are about the mail; keys (401, 403, and a 400 that says so), domains that
//!   are not verified (403), quotas (429 with a name of their own) and 451 about the account. A
//!   5xx proves nothing. <https://resend.com/docs/api-reference/errors>
//! - 429 `rate_limit_exceeded` carries `retry-after`.
//! - Names and values of tags are ASCII letters, digits, `_` and `-`, 256 characters at most, and
//!   events carry them. An order number of other characters is left out; `ref` never is.
//!
//! Anything not documented leaves the outcome unknown.

use super::answer::{self, Bodies, Refusal};
use super::asking::Asking;
use super::events::{Events, NotEvents, Post};
use super::{Provider, ProviderError, SendOutcome, Settings, checks, http as shared};
use crate::envelope::Envelope;
use crate::outbox::claim::Permit;
use async_trait::async_trait;
use http::HeaderValue;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use svix::Secret;

mod svix;

/// Where the API is, unless the settings say otherwise.
pub const DEFAULT_URL: &str = "https://api.resend.com";
/// How long an idempotency key is remembered.
const WINDOW: Duration = Duration::from_secs(24 * 3600);
const PATH: &str = "/emails";
/// Longest value of a tag, in characters.
const LONGEST_TAG: usize = 256;

/// The service.
pub struct Resend {
    base: String,
    bearer: HeaderValue,
    key: String,
    account: String,
    client: reqwest::Client,
    timeout: Duration,
    webhook_key: Option<Secret>,
}

/// Makes the service from its settings.
pub fn build(settings: &Settings) -> Result<Arc<dyn Provider>, ProviderError> {
    let key = shared::key(settings)?;
    let base = shared::base(settings.url.as_deref().unwrap_or(DEFAULT_URL))?;
    Ok(Arc::new(Resend {
        account: shared::account(&base, key),
        client: shared::client(settings.timeout)?,
        timeout: settings.timeout,
        webhook_key: super::webhook_key(settings)
            .map(Secret::parse)
            .transpose()?,
        key: key.to_owned(),
        bearer: checks::secret(&format!("Bearer {key}"))?,
        base,
    }))
}

impl fmt::Debug for Resend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resend").field(&self.account).finish()
    }
}

#[async_trait]
impl Provider for Resend {
    fn name(&self) -> &'static str {
        "resend"
    }

    fn label(&self) -> &'static str {
        "Resend"
    }

    fn account(&self) -> &str {
        &self.account
    }

    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let envelope = permit.envelope();
        let request = self
            .client
            .post(format!("{}{PATH}", self.base))
            .header(AUTHORIZATION, self.bearer.clone())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json")
            .header("Idempotency-Key", idempotency_key(envelope))
            .body(message(envelope));
        let answer = match answer::post(request, self.timeout, Bodies::All).await {
            Ok(answer) => answer,
            Err(outcome) => return outcome,
        };
        let said = answer.json();
        if answer.accepts() {
            let message_id = checks::text(&said, "id").and_then(checks::message_id);
            return SendOutcome::Accepted { message_id };
        }
        let name = checks::text(&said, "name").unwrap_or_default();
        verdict(
            name,
            answer.refusal(checks::text(&said, "message"), &self.key),
        )
    }

    async fn reachable(&self) -> Result<(), String> {
        checks::reachable(&self.client, &self.base).await
    }

    fn asking(&self) -> Asking {
        Asking::Replay { window: WINDOW }
    }

    /// Over the path, the key and the body: what makes a request the same one to Resend.
    fn request_digest(&self, envelope: &Envelope) -> Option<String> {
        let mut digest = Sha256::new();
        digest.update(format!("POST {PATH}\n{}\n", idempotency_key(envelope)));
        digest.update(message(envelope));
        Some(format!("{:x}", digest.finalize()))
    }

    async fn events(&self, post: Post<'_>) -> Result<Events, NotEvents> {
        let secret = self.webhook_key.as_ref().ok_or(NotEvents::Off)?;
        secret.read(&self.key, post)
    }
}

/// An attempt's own: a new attempt is a new mail.
fn idempotency_key(envelope: &Envelope) -> String {
    let labels = &envelope.labels;
    format!("{}/{}", labels.reference, labels.attempt)
}

/// The request's members, in the order in which they are written: the same mail must always make
/// the same bytes.
#[derive(Serialize)]
struct Message<'a> {
    from: String,
    to: [&'a str; 1],
    subject: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<String>,
    headers: Headers,
    tags: Vec<Tag>,
}

#[derive(Serialize)]
struct Headers {
    #[serde(rename = "X-Denpyo-Ref")]
    reference: String,
}

#[derive(Serialize)]
struct Tag {
    name: &'static str,
    value: String,
}

/// The request's body.
fn message(envelope: &Envelope) -> Vec<u8> {
    let (content, labels) = (&envelope.content, &envelope.labels);
    let reference = labels.reference.to_string();
    let tags = [
        ("ref", reference.clone()),
        ("attempt", labels.attempt.to_string()),
        ("order_id", labels.order_id.clone()),
        ("installation", labels.installation.clone()),
    ];
    let tags = tags.into_iter().filter(|(_, value)| fits(value));
    let message = Message {
        from: content.sender.to_string(),
        to: [content.recipient.as_str()],
        subject: &content.subject,
        html: content.body_html.as_deref(),
        text: content.body_text.as_deref(),
        reply_to: content.reply_to.as_ref().map(ToString::to_string),
        headers: Headers { reference },
        tags: tags.map(|(name, value)| Tag { name, value }).collect(),
    };
    // Texts and lists of them always can be written as JSON.
    serde_json::to_vec(&message).unwrap_or_default()
}

fn fits(value: &str) -> bool {
    answer::is_tag(value) && value.len() <= LONGEST_TAG
}

/// What an answer other than 2xx means.
fn verdict(name: &str, no: Refusal) -> SendOutcome {
    let about_the_key = name.ends_with("_api_key") || no.detail.contains("API key");
    let about_the_quota = name.ends_with("_quota_exceeded");
    match no.code {
        401 | 403 | 404 | 405 | 451 => no.of_account(),
        400 | 422 if about_the_key => no.of_account(),
        429 if about_the_quota => no.of_account(),
        400 | 413 | 422 => no.of_mail(),
        429 => no.for_now(),
        _ => no.unknown(),
    }
}

#[cfg(test)]
#[path = "resend_tests.rs"]
mod tests;
