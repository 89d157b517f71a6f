//! Mailgun, through its Messages API.
//!
//! What its documentation says, and what follows from it here:
//!
//! - `POST /v3/{domain}/messages` with `api:KEY`, a form and no JSON; 200 `{"id":"<…>"}` means
//!   accepted. `v:` are variables that events carry; options (`o:`, `h:` and `v:`) have 16 KB
//!   together. <https://documentation.mailgun.com/en/latest/api-sending.html>
//! - 4xx was not accepted. 400 is about the mail, 401, 402 and 403 about the account; 404 is a
//!   domain that is not known, or not yet, so it pauses the service and refuses no mail. A 5xx
//!   proves nothing. <https://documentation.mailgun.com/docs/mailgun/api-reference/intro>
//! - There is no key against doubles: a request must not be repeated before its outcome is known.
//! - `GET /v3/{domain}/events` filters by recipient and time, not by variables, and its items
//!   carry the variables; pages follow each other until an empty one. Events are kept for three
//!   days or more (accounts that cost nothing: one), and the last half hour may still be filled
//!   in, hence the horizon. (Deprecated in favour of `/v1/analytics/logs`, and still served.)
//!   A tag would be a filter, but tags are few: 20,000 a domain.
//!   <https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-polling>
//!   <https://documentation.mailgun.com/docs/mailgun/user-manual/tracking-messages/track-tagging>
//! - Webhooks carry `HMAC-SHA256(signing key, timestamp + token)`, which does not cover the event
//!   itself: whoever sees one post could send another with its signature while that is fresh.
//!   They are repeated for eight hours.
//!   <https://documentation.mailgun.com/docs/mailgun/user-manual/events/webhooks>

mod events;

use super::answer::{self, Bodies, Refusal};
use super::asking::{Asking, Finding, FoundMail, Question, Unclear};
use super::events::{Events, NotEvents, Post};
use super::{Provider, ProviderError, SendOutcome, Settings, checks, http as shared};
use crate::envelope::Envelope;
use crate::outbox::claim::Permit;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use http::HeaderValue;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Where the API is, unless the settings say otherwise. Domains in the EU are at
/// `https://api.eu.mailgun.net`.
pub const DEFAULT_URL: &str = "https://api.mailgun.net";
/// Most characters of an order number: four bytes each, twelve in a form, and 16 KB for all.
const LONGEST_ORDER: usize = 1000;
/// How long after the lease "not found" proves nothing.
const HORIZON: Duration = Duration::from_secs(30 * 60);
/// How long events are kept at least: accounts that cost nothing have them for one day, and nothing
/// tells such an account from others.
const RETENTION: Duration = Duration::from_secs(86_400);
/// Events a page.
const PAGE: usize = 300;
/// Most pages that are read for one question.
const MOST_PAGES: usize = 20;

/// The service.
pub struct Mailgun {
    /// With `/v3/DOMAIN` at its end.
    base: String,
    authorization: HeaderValue,
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
    let base = match (base.split_once("/v3"), &settings.from) {
        (Some((_, path)), _) if !path.trim_matches('/').is_empty() => base,
        (Some((host, _)), Some(from)) => with_domain(host, from.address.domain()),
        (None, Some(from)) => with_domain(&base, from.address.domain()),
        (_, None) => {
            let right = "it names no domain: write https://api.mailgun.net/v3/DOMAIN";
            return Err(ProviderError::Url(right.to_owned()));
        }
    };
    let domain = base.rsplit('/').next().unwrap_or_default();
    if !base.ends_with(&format!("/v3/{domain}")) {
        let right = "after the host it may have /v3/DOMAIN alone".to_owned();
        return Err(ProviderError::Url(right));
    }
    Ok(Arc::new(Mailgun {
        account: format!("{}/{domain}", shared::account(&base, key)),
        client: shared::client(settings.timeout)?,
        timeout: settings.timeout,
        authorization: checks::basic(&format!("api:{key}"))?,
        key: key.to_owned(),
        webhook_key: super::webhook_key(settings).map(str::to_owned),
        base,
    }))
}

fn with_domain(base: &str, domain: &str) -> String {
    format!("{base}/v3/{domain}")
}

impl fmt::Debug for Mailgun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mailgun").field(&self.account).finish()
    }
}

#[async_trait]
impl Provider for Mailgun {
    fn name(&self) -> &'static str {
        "mailgun"
    }

    fn label(&self) -> &'static str {
        "Mailgun"
    }

    fn account(&self) -> &str {
        &self.account
    }

    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let request = self
            .client
            .post(format!("{}/messages", self.base))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form(permit.envelope()));
        let answer = match answer::post(request, self.timeout, Bodies::All).await {
            Ok(answer) => answer,
            Err(outcome) => return outcome,
        };
        let said = answer.json();
        if answer.accepts() {
            let message_id = checks::text(&said, "id").and_then(checks::message_id);
            return SendOutcome::Accepted { message_id };
        }
        verdict(answer.refusal(checks::text(&said, "message"), &self.key))
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
        // Nothing is said of whether the filter heeds the address's case, so both are asked for.
        let mut spellings = vec![
            question.recipient.clone(),
            question.recipient.to_lowercase(),
        ];
        spellings.dedup();
        let mut found = Vec::new();
        let mut whole = Ok(());
        for recipient in spellings {
            whole = whole.and(self.search(question, &recipient, &mut found).await);
        }
        Finding::of(found, whole)
    }

    async fn events(&self, post: Post<'_>) -> Result<Events, NotEvents> {
        let key = self.webhook_key.as_deref().ok_or(NotEvents::Off)?;
        events::read(post.body, key, post.now)
    }
}

impl Mailgun {
    /// Reads every event of one recipient since the time in question, and adds the mails of the
    /// very reference.
    async fn search(
        &self,
        question: &Question,
        recipient: &str,
        found: &mut Vec<FoundMail>,
    ) -> Result<(), (Unclear, String)> {
        let since = question.since.timestamp().to_string();
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("begin", since.as_str()), ("ascending", "yes")])
            .extend_pairs([
                ("limit", PAGE.to_string().as_str()),
                ("recipient", recipient),
            ])
            .finish();
        let mut url = format!("{}/events?{query}", self.base);
        for _ in 0..MOST_PAGES {
            let request = self
                .client
                .get(&url)
                .header(AUTHORIZATION, self.authorization.clone());
            let page = shared::ask_json(request, self.timeout, &self.key).await?;
            let items = page.get("items").and_then(Value::as_array);
            let items = items.ok_or_else(shared::unreadable)?;
            if items.is_empty() {
                return Ok(());
            }
            for item in items {
                gather(item, question, found);
            }
            let next = page.pointer("/paging/next").and_then(Value::as_str);
            url = self
                .page(next.ok_or_else(shared::unreadable)?)
                .ok_or_else(shared::unreadable)?;
        }
        Err(shared::incomplete(&format!("{}+", MOST_PAGES * PAGE)))
    }

    /// The next page's address at this very host: the key goes nowhere else.
    fn page(&self, next: &str) -> Option<String> {
        let (_, page) = next.split_once("/events")?;
        let fine = |c: char| c.is_ascii_graphic() && c != '#';
        let own = page.starts_with(['/', '?']) && !page.contains("..");
        (own && page.chars().all(fine)).then(|| format!("{}/events{page}", self.base))
    }
}

/// Adds what an event tells of the mail in question.
fn gather(item: &Value, question: &Question, found: &mut Vec<FoundMail>) {
    let labels = item.get("user-variables");
    // Refused after all: Mailgun does not have it.
    let rejected = checks::text(item, "event") == Some("rejected");
    if rejected || checks::reference(labels) != Some(question.reference) {
        return;
    }
    let id = message_id(item);
    let accepted_at = match checks::text(item, "event") {
        Some("accepted") => time(item),
        _ => None,
    };
    let attempt = checks::attempt(labels);
    // A mail has several events.
    match found
        .iter_mut()
        .find(|f| f.message_id == id && f.attempt == attempt)
    {
        Some(known) => known.accepted_at = known.accepted_at.or(accepted_at),
        None => found.push(FoundMail {
            message_id: id,
            accepted_at,
            attempt,
        }),
    }
}

fn message_id(event: &Value) -> Option<String> {
    let headers = event.get("message")?.get("headers")?;
    checks::message_id(checks::text(headers, "message-id")?)
}

/// Seconds since 1970, with a fraction.
fn time(event: &Value) -> Option<DateTime<Utc>> {
    let seconds = event.get("timestamp")?.as_f64()?;
    let fine = (0.0..1e11).contains(&seconds);
    // In range, so the cast keeps the milliseconds.
    #[allow(clippy::cast_possible_truncation)]
    let millis = (seconds * 1000.0).round() as i64;
    fine.then(|| DateTime::from_timestamp_millis(millis))?
}

/// What an answer other than 2xx means.
fn verdict(no: Refusal) -> SendOutcome {
    let about_account = || {
        // An address or a name that it quotes says nothing of the account.
        let said = unquoted(&no.detail).to_lowercase();
        [
            "account",
            "authorized recipients",
            "unverified",
            "not allowed to send",
        ]
        .iter()
        .any(|words| said.contains(words))
    };
    match no.code {
        400 if about_account() => no.of_account(),
        400 | 413 | 415 | 422 => no.of_mail(),
        401..=406 => no.of_account(),
        429 => no.for_now(),
        _ => no.unknown(),
    }
}

/// An answer's own words: without what stands in quotes, and without addresses.
fn unquoted(said: &str) -> String {
    let mut own = String::with_capacity(said.len());
    let mut quote = None;
    let mut before = ' ';
    for c in said.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            // An apostrophe within a word opens nothing.
            None if matches!(c, '\'' | '"' | '`') && !before.is_alphanumeric() => quote = Some(c),
            None if c == '<' => quote = Some('>'),
            None => own.push(c),
        }
        before = c;
    }
    let words = own.split_whitespace().filter(|word| !word.contains('@'));
    words.collect::<Vec<_>>().join(" ")
}

/// The request's body. A very long order number is cut, and marked as cut.
fn form(envelope: &Envelope) -> String {
    let Envelope { labels, content } = envelope;
    let reference = labels.reference.to_string();
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("from", &content.sender.to_string())
        .append_pair("to", content.recipient.as_str())
        .append_pair("subject", &content.subject);
    for (name, body) in [("text", &content.body_text), ("html", &content.body_html)] {
        if let Some(body) = body {
            form.append_pair(name, body);
        }
    }
    if let Some(reply_to) = &content.reply_to {
        form.append_pair("h:Reply-To", &reply_to.to_string());
    }
    form.append_pair("h:X-Denpyo-Ref", &reference)
        .append_pair("v:ref", &reference)
        .append_pair("v:order_id", &checks::cut(&labels.order_id, LONGEST_ORDER))
        .append_pair("v:attempt", &labels.attempt.to_string())
        .append_pair("v:installation", &labels.installation);
    form.finish()
}

#[cfg(test)]
#[path = "mailgun/tests.rs"]
mod tests;
