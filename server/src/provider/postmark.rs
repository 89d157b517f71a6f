//! Postmark, through its Email API.
//!
//! What its documentation says, and what follows from it here:
//!
//! - `POST /email` with `X-Postmark-Server-Token`; 200 `{"ErrorCode":0,"MessageID":…}` means
//!   accepted. `Metadata` holds ten texts of 80 characters at most, under names of 20.
//!   <https://postmarkapp.com/developer/api/email-api>
//!   <https://postmarkapp.com/support/article/1125-custom-metadata-faq>
//! - 401, 404, 413, 415, 422 and 429 were not accepted. 422 stands for many things, told apart by
//!   `ErrorCode`: a recipient that bounced before (406) and an invalid mail (300) are about the
//!   mail; an unknown or unconfirmed sender (400, 401), an account that may not send (405, 412,
//!   413) are about the account, and so is a 300 about the sender. 500 and 503 prove nothing.
//!   <https://postmarkapp.com/developer/api/overview>
//! - There is no key against doubles: a request must not be repeated before its outcome is known.
//! - `GET /messages/outbound` finds messages by one field of their metadata, 500 at most a page,
//!   kept for 45 days unless the account says otherwise. Nothing is said of how soon a message
//!   shows; the horizon of 30 minutes is a cautious guess.
//!   <https://postmarkapp.com/developer/api/messages-api>
//! - Webhooks carry no signature: Postmark signs in with the user and password of the webhook's
//!   URL (HTTP Basic). One event a post, with `MessageID` and `Metadata`.
//!   <https://postmarkapp.com/developer/webhooks/webhooks-overview>

mod events;

use super::answer::{self, Bodies, Refusal};
use super::asking::{Asking, Finding, FoundMail, Question, Unclear};
use super::events::{Events, NotEvents, Post};
use super::{Provider, ProviderError, SendOutcome, Settings, checks, http as shared};
use crate::envelope::{Envelope, Labels};
use crate::outbox::claim::Permit;
use app::model::trouble::Trouble;
use async_trait::async_trait;
use http::HeaderValue;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Where the API is, unless the settings say otherwise.
pub const DEFAULT_URL: &str = "https://api.postmarkapp.com";
const TOKEN: &str = "X-Postmark-Server-Token";
/// Most characters of a value in `Metadata`.
const LONGEST_VALUE: usize = 80;
/// How long after the lease "not found" proves nothing.
const HORIZON: Duration = Duration::from_secs(30 * 60);
/// How long messages are kept.
const RETENTION: Duration = Duration::from_secs(45 * 86_400);
/// Most messages that the look-up shows at once.
const MOST: usize = 500;

/// The service.
pub struct Postmark {
    base: String,
    token: HeaderValue,
    key: String,
    webhook_key: Option<String>,
    account: String,
    client: reqwest::Client,
    timeout: Duration,
}

/// Makes the service from its settings.
pub fn build(settings: &Settings) -> Result<Arc<dyn Provider>, ProviderError> {
    let key = shared::key(settings)?;
    let base = shared::base(settings.url.as_deref().unwrap_or(DEFAULT_URL))?;
    let webhook_key = super::webhook_key(settings);
    if webhook_key.is_some_and(|k| !k.contains(':')) {
        return Err(ProviderError::WebhookKey("write user:password".to_owned()));
    }
    Ok(Arc::new(Postmark {
        account: shared::account(&base, key),
        client: shared::client(settings.timeout)?,
        timeout: settings.timeout,
        token: checks::secret(key)?,
        key: key.to_owned(),
        webhook_key: webhook_key.map(str::to_owned),
        base,
    }))
}

impl fmt::Debug for Postmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Postmark").field(&self.account).finish()
    }
}

#[async_trait]
impl Provider for Postmark {
    fn name(&self) -> &'static str {
        "postmark"
    }

    fn label(&self) -> &'static str {
        "Postmark"
    }

    fn account(&self) -> &str {
        &self.account
    }

    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let request = self
            .client
            .post(format!("{}/email", self.base))
            .header(TOKEN, self.token.clone())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(message(permit.envelope()).to_string());
        let answer = match answer::post(request, self.timeout, Bodies::All).await {
            Ok(answer) => answer,
            Err(outcome) => return outcome,
        };
        let said = answer.json();
        let error = said.get("ErrorCode").and_then(Value::as_i64);
        if answer.accepts() && matches!(error, None | Some(0)) {
            let message_id = checks::text(&said, "MessageID").and_then(checks::message_id);
            return SendOutcome::Accepted { message_id };
        }
        verdict(
            error,
            answer.refusal(checks::text(&said, "Message"), &self.key),
        )
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
        let key = self.webhook_key.as_deref().ok_or(NotEvents::Off)?;
        if !checks::has_basic(post.headers, key) {
            return Err(NotEvents::Signature);
        }
        events::read(post.body)
    }
}

impl Postmark {
    /// Adds the mails of the very reference; an error where the answer was not whole.
    async fn search(
        &self,
        question: &Question,
        found: &mut Vec<FoundMail>,
    ) -> Result<(), (Unclear, String)> {
        let reference = question.reference;
        let request = self
            .client
            .get(format!(
                "{}/messages/outbound?count={MOST}&offset=0&metadata_ref={reference}",
                self.base
            ))
            .header(TOKEN, self.token.clone())
            .header(ACCEPT, "application/json");
        let answer = shared::ask_json(request, self.timeout, &self.key).await?;
        let total = answer.get("TotalCount").and_then(Value::as_u64);
        let messages = answer.get("Messages").and_then(Value::as_array);
        let messages = messages.ok_or_else(shared::unreadable)?;
        let mut unlabelled = false;
        for message in messages {
            // Without its metadata nobody can say whose mail it is.
            let Some(labels) = message.get("Metadata") else {
                unlabelled = true;
                continue;
            };
            if checks::reference(Some(labels)) == Some(reference) {
                found.push(FoundMail {
                    message_id: checks::text(message, "MessageID").and_then(checks::message_id),
                    accepted_at: checks::text(message, "ReceivedAt").and_then(checks::time),
                    attempt: checks::attempt(Some(labels)),
                });
            }
        }
        let total = total.ok_or_else(shared::unreadable)?;
        if usize::try_from(total) != Ok(messages.len()) {
            let shown = format!("{}/{total}", messages.len());
            return Err(shared::incomplete(&shown));
        }
        if unlabelled {
            return Err(shared::unreadable());
        }
        Ok(())
    }
}

/// What an answer that does not accept means.
fn verdict(error: Option<i64>, no: Refusal) -> SendOutcome {
    let about_sender = || {
        let said = no.detail.to_lowercase();
        said.contains("sender signature") || said.contains("'from'")
    };
    match (no.code, error) {
        (429, _) | (200..300 | 422, Some(429)) => no.for_now(),
        (200..300 | 422, Some(10 | 400 | 401 | 405 | 412 | 413)) | (401 | 403..=406, _) => {
            no.of_account()
        }
        (200..300 | 422, Some(300)) if about_sender() => no.of_account(),
        (200..300 | 422, Some(300)) => no.told(Trouble::InvalidMail).of_mail(),
        (200..300 | 422, Some(406)) => no.told(Trouble::Suppressed).of_mail(),
        (200..300 | 400 | 413 | 415 | 422, _) => no.of_mail(),
        _ => no.unknown(),
    }
}

/// The request's body.
fn message(envelope: &Envelope) -> Value {
    let Envelope { labels, content } = envelope;
    let mut message = json!({
        "From": content.sender.to_string(),
        "To": content.recipient.as_str(),
        "Subject": content.subject,
        "Headers": [{"Name": "X-Denpyo-Ref", "Value": labels.reference}],
        "Metadata": metadata(labels),
    });
    for (name, body) in [
        ("TextBody", &content.body_text),
        ("HtmlBody", &content.body_html),
    ] {
        if let Some(body) = body {
            message[name] = json!(body);
        }
    }
    if let Some(reply_to) = &content.reply_to {
        message["ReplyTo"] = json!(reply_to.to_string());
    }
    message
}

/// What the mail carries to be found again. A long order number is cut, and marked as cut.
fn metadata(labels: &Labels) -> Value {
    json!({
        "ref": labels.reference,
        "order_id": checks::cut(&labels.order_id, LONGEST_VALUE),
        "attempt": labels.attempt.to_string(),
        "installation": checks::cut(&labels.installation, LONGEST_VALUE),
    })
}

#[cfg(test)]
#[path = "postmark/tests.rs"]
mod tests;
