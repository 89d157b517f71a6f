//! What the services that answer in JSON and sign their events share.

use super::http as shared;
use super::{ProviderError, SendOutcome};
use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue, header};
use serde_json::Value;
use std::time::Duration;
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// How long a service's address may take to show that it is there.
const REACH: Duration = Duration::from_secs(5);

/// Whether anything answers at the address.
pub(super) async fn reachable(client: &reqwest::Client, base: &str) -> Result<(), String> {
    match client.get(base).timeout(REACH).send().await {
        Ok(_) => Ok(()),
        Err(error) => Err(match shared::transport(&error) {
            SendOutcome::NeverLeft { detail, .. } | SendOutcome::Unknown { detail, .. } => detail,
            _ => "no answer".to_owned(),
        }),
    }
}

/// A header that holds the key and is not printed.
pub(super) fn secret(value: &str) -> Result<HeaderValue, ProviderError> {
    let mut value = HeaderValue::from_str(value).map_err(|_| ProviderError::KeyUnusable)?;
    value.set_sensitive(true);
    Ok(value)
}

/// `Authorization: Basic …` for a user and password.
pub(super) fn basic(user_and_password: &str) -> Result<HeaderValue, ProviderError> {
    use base64::prelude::{BASE64_STANDARD, Engine};
    secret(&format!(
        "Basic {}",
        BASE64_STANDARD.encode(user_and_password)
    ))
}

/// Whether the headers carry this user and password, compared in the same time wherever they
/// differ.
pub(super) fn has_basic(headers: &HeaderMap, user_and_password: &str) -> bool {
    use base64::prelude::{BASE64_STANDARD, Engine};
    let given = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, code) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("basic").then(|| code.trim())
    });
    let given = given.and_then(|code| BASE64_STANDARD.decode(code).ok());
    given.is_some_and(|given| given.ct_eq(user_and_password.as_bytes()).into())
}

/// A member's text; an empty one is none.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    let text = value.get(name)?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

/// The reference that a mail carries in `labels`.
pub(super) fn reference(labels: Option<&Value>) -> Option<Uuid> {
    Uuid::parse_str(text(labels?, "ref")?).ok()
}

/// The attempt that a mail carries in `labels`: a text, or a number where the service made one of
/// it.
pub(super) fn attempt(labels: Option<&Value>) -> Option<i32> {
    let value = labels?.get("attempt")?;
    match value.as_str() {
        Some(text) => text.trim().parse().ok(),
        None => i32::try_from(value.as_i64()?).ok(),
    }
}

/// A service's id of a mail, fit to be stored.
pub(super) fn message_id(id: &str) -> Option<String> {
    let id = id.trim().trim_matches(['<', '>']);
    let fine = !id.is_empty() && id.len() <= 255 && id.bytes().all(|b| b.is_ascii_graphic());
    fine.then(|| id.to_owned())
}

/// A time such as `2026-04-01T12:00:00.1234567-05:00`.
pub(super) fn time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|t| t.to_utc())
}

/// The text, cut and marked as cut where it has more than `most` characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
