//! What services over HTTP share: a client that tries once, and the reading of what came back.

use super::asking::Unclear;
use super::{ProviderError, SendOutcome, Settings, trouble};
use app::model::mask::replace_addresses;
use app::model::trouble::Trouble;
use app::model::views::Cause;
use http::header::{DATE, HeaderMap, RETRY_AFTER};
use sha2::{Digest, Sha256};
use std::error::Error as _;
use std::time::{Duration, SystemTime};
use url::Url;

/// Longest piece of a service's words that is kept, in characters.
const LONGEST_WORDS: usize = 300;
/// Most bytes of an answer that are read for its words.
const LARGEST_ANSWER: usize = 64 * 1024;
/// Longest wait that a service may ask for.
pub const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// From here on a number of seconds is taken for a time since 1970 and disregarded.
const LOOKS_LIKE_EPOCH: u64 = 1_000_000_000;
/// An answer's words are not worth more waiting than this.
pub const WORDS_WAIT: Duration = Duration::from_secs(5);
/// Idle connections are given up before services do so: a request written into a connection that
/// the other side is closing ends as "unknown" for nothing.
const IDLE: Duration = Duration::from_secs(10);

/// Chooses the cryptography of TLS for the process: the same library that the database's driver
/// uses, so that only one is built in. Safe to call again.
pub fn tls() {
    // An error says that it was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client that sends each request once: it follows no redirect, repeats nothing, and ignores
/// the environment's proxies (whose answers could not be told from the service's own).
///
/// Connecting has a limit of its own below the whole request's. Without it, a peer that stalls
/// during the TLS handshake could not be told from one that took the request and did not answer.
pub fn client(timeout: Duration) -> Result<reqwest::Client, ProviderError> {
    tls();
    reqwest::Client::builder()
        .timeout(timeout)
        .connect_timeout((timeout / 2).min(Duration::from_secs(10)))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .pool_idle_timeout(IDLE)
        .user_agent(concat!("denpyo/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|e| ProviderError::Client(root(&e)))
}

/// How long after its end a request is given to hand over an answer that is there already.
const LAST_LOOK: Duration = Duration::from_millis(200);
/// The client's own limit steps back behind the one of [`once`].
const NEVER: Duration = Duration::from_secs(86_400);

/// Sends a request and waits for the answer's head. A process that was stopped in between finds
/// its time over and the answer there in the same moment, and then the answer counts: the
/// client's own limit would throw away what proves that the mail was accepted.
pub async fn once(
    request: reqwest::RequestBuilder,
    timeout: Duration,
) -> Result<reqwest::Response, SendOutcome> {
    let mut sending = std::pin::pin!(request.timeout(NEVER).send());
    let mut answer = tokio::time::timeout(timeout, &mut sending).await;
    if answer.is_err() {
        answer = tokio::time::timeout(LAST_LOOK, &mut sending).await;
    }
    match answer {
        Ok(answer) => answer.map_err(|error| transport(&error)),
        Err(_) => Err(SendOutcome::Unknown {
            cause: Cause::Timeout,
            code: None,
            detail: Trouble::NoAnswer.with(&format!("{timeout:?}")),
        }),
    }
}

/// Reads a service's address: `http` or `https`, perhaps with a path, nothing else. The result
/// has no slash at its end.
pub fn base(text: &str) -> Result<String, ProviderError> {
    let url = Url::parse(text.trim()).map_err(|e| ProviderError::Url(e.to_string()))?;
    let refused = |why: &str| Err(ProviderError::Url(why.to_owned()));
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return refused("it must begin with https:// or http:// and a host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("it must not hold a user name or password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refused("it must not hold a query or fragment");
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Tells accounts apart without giving the key away: `host#` and the first 8 hexadecimal digits
/// of the key's SHA-256.
pub fn account(base: &str, key: &str) -> String {
    let host = Url::parse(base)
        .ok()
        .and_then(|u| {
            let host = u.host_str()?.to_owned();
            Some(match u.port() {
                Some(port) => format!("{host}:{port}"),
                None => host,
            })
        })
        .unwrap_or_default();
    let digest = Sha256::digest(key.as_bytes());
    let mut account = host + "#";
    for byte in &digest[..4] {
        account += &format!("{byte:02x}");
    }
    account
}

/// The key as it is set; a missing or blank one is an error, and so is one that no header can
/// hold.
pub fn key(settings: &Settings) -> Result<&str, ProviderError> {
    let key = settings.key.as_deref().map_or("", str::trim);
    if key.is_empty() {
        return Err(ProviderError::KeyMissing);
    }
    if !key.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(ProviderError::KeyUnusable);
    }
    Ok(key)
}

/// What a failed exchange means. An error of the builder or the connector proves that nothing of
/// the request left; every other one leaves open what the service made of it.
pub fn transport(error: &reqwest::Error) -> SendOutcome {
    let late = error.is_timeout();
    let (cause, what) = if error.is_builder() {
        (Cause::Build, Trouble::Build)
    } else if error.is_connect() && late {
        (Cause::Connect, Trouble::ConnectTimeout)
    } else if error.is_connect() {
        let what = trouble::of(error, Trouble::NoConnection);
        (Cause::Connect, what)
    } else if late {
        (Cause::Timeout, Trouble::NoAnswer)
    } else {
        (Cause::Cut, Trouble::Cut)
    };
    let detail = trouble::told(what, &root(error));
    match cause {
        Cause::Build | Cause::Connect => SendOutcome::NeverLeft { cause, detail },
        _ => SendOutcome::Unknown {
            cause,
            code: None,
            detail,
        },
    }
}

/// The innermost reason: the outer ones repeat each other, and may name the URL.
fn root(error: &reqwest::Error) -> String {
    let mut inner: Option<&(dyn std::error::Error + 'static)> = error.source();
    let mut text = None;
    while let Some(e) = inner {
        text = Some(e.to_string());
        inner = e.source();
    }
    let text = text.unwrap_or_else(|| "the request could not be made".to_owned());
    shorten(&mask(&plain(&text)))
}

/// How long a service asks to wait, an hour at most. `Retry-After` (RFC 9110, section 10.2.3) is
/// a number of seconds or a date; dates are measured against the answer's own `Date` where there
/// is one, so that a wrong clock here does no harm. What is past, zero, no number, or a number
/// that can only be a time since 1970 asks for nothing; then `X-RateLimit-Reset` (seconds since
/// 1970) is asked, where it lies within the hour.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let now = text(DATE.as_str())
        .and_then(|d| httpdate::parse_http_date(d).ok())
        .unwrap_or(now);
    let asked = text(RETRY_AFTER.as_str()).and_then(|value| match value.parse::<u64>() {
        Ok(0) => None,
        Ok(seconds) if seconds >= LOOKS_LIKE_EPOCH => None,
        Ok(seconds) => Some(Duration::from_secs(seconds).min(LONGEST_WAIT)),
        Err(_) => {
            let until = httpdate::parse_http_date(value).ok()?;
            let wait = until.duration_since(now).ok()?;
            (!wait.is_zero()).then(|| wait.min(LONGEST_WAIT))
        }
    });
    asked.or_else(|| {
        let reset = text("x-ratelimit-reset")?.parse::<u64>().ok()?;
        let until = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(reset))?;
        let wait = until.duration_since(now).ok()?;
        (!wait.is_zero() && wait <= LONGEST_WAIT).then_some(wait)
    })
}

/// Reads what an answer says, as far as it comes in this time: the verdict does not hang on it.
pub async fn read(mut answer: reqwest::Response, wait: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = answer.chunk().await {
            let room = LARGEST_ANSWER.saturating_sub(body.len());
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() >= LARGEST_ANSWER {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(wait.min(WORDS_WAIT), reading).await;
    body
}

/// Most bytes of a look-up's answer: a thousand messages with long subjects.
const LARGEST_LOOKUP: usize = 16 * 1024 * 1024;

/// Asks a question that changes nothing, once, and reads the JSON that a 200 holds. Everything
/// else is an answer that says neither yes nor no.
pub async fn ask_json(
    request: reqwest::RequestBuilder,
    timeout: Duration,
    key: &str,
) -> Result<serde_json::Value, (Unclear, String)> {
    let unreachable = |outcome: SendOutcome| match outcome {
        SendOutcome::NeverLeft { detail, .. } | SendOutcome::Unknown { detail, .. } => {
            (Unclear::Unreachable, detail)
        }
        _ => (Unclear::Unreachable, String::new()),
    };
    let mut answer = once(request, timeout).await.map_err(unreachable)?;
    let status = answer.status();
    if status != http::StatusCode::OK {
        let said = String::from_utf8_lossy(&read(answer, timeout).await).into_owned();
        let why = if status.is_client_error() {
            Unclear::Refused
        } else {
            Unclear::Unreachable
        };
        return Err((why, words(&format!("{} {said}", status.as_u16()), key)));
    }
    let reading = async {
        let mut body = Vec::new();
        while let Some(chunk) = answer
            .chunk()
            .await
            .map_err(|e| unreachable(transport(&e)))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST_LOOKUP {
                return Err((Unclear::Incomplete, Trouble::Incomplete.to_string()));
            }
        }
        Ok(body)
    };
    let body = match tokio::time::timeout(timeout, reading).await {
        Ok(body) => body?,
        Err(_) => return Err((Unclear::Unreachable, Trouble::NoAnswer.to_string())),
    };
    serde_json::from_slice(&body).map_err(|_| unreadable())
}

/// An answer to a question that is not what the service documents.
pub fn unreadable() -> (Unclear, String) {
    (Unclear::Unreachable, Trouble::Unreadable.to_string())
}

/// An answer to a question that shows only some of what there is.
pub fn incomplete(shown: &str) -> (Unclear, String) {
    (Unclear::Incomplete, Trouble::Incomplete.with(shown))
}

/// Makes a service's words fit to be stored and shown: one line, no control characters, no
/// addresses, no key, 300 characters at most.
pub fn words(text: &str, key: &str) -> String {
    shorten(&mask(&plain(&text.replace(key, "…"))))
}

fn plain(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_WORDS) {
        None => text.to_owned(),
        Some(_) => text.chars().take(LONGEST_WORDS - 1).chain(['…']).collect(),
    }
}

/// Takes the part before the `@` out of everything that looks like an address.
fn mask(text: &str) -> String {
    replace_addresses(text, |address| {
        let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
        format!("…@{domain}")
    })
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
