//! What the services over HTTP do alike with a post: send it once, read the answer as far as it
//! comes, and turn one that does not accept into an outcome.

use super::{SendOutcome, http as shared};
use app::model::trouble::Trouble;
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::time::{Duration, Instant, SystemTime};

/// However late an answer's head came, its body is given so long.
const BODY_AT_LEAST: Duration = Duration::from_millis(200);

/// Whose body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bodies {
    /// Every answer's.
    All,
    /// Not of one that accepts: it says nothing, and may stall.
    OfRefusals,
}

/// An answer to a post.
pub(super) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// As far as it came.
    pub body: Vec<u8>,
}

/// Posts once, and reads the answer until the exchange's own limit. An error is what is known
/// without an answer.
pub(super) async fn post(
    request: reqwest::RequestBuilder,
    timeout: Duration,
    bodies: Bodies,
) -> Result<Answer, SendOutcome> {
    let begun = Instant::now();
    let answer = shared::once(request, timeout).await?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let body = if status.is_success() && bodies == Bodies::OfRefusals {
        Vec::new()
    } else {
        let left = timeout.saturating_sub(begun.elapsed());
        shared::read(answer, left.max(BODY_AT_LEAST)).await
    };
    Ok(Answer {
        status,
        headers,
        body,
    })
}

impl Answer {
    /// Whether it is a 2xx.
    pub fn accepts(&self) -> bool {
        self.status.is_success()
    }

    /// The body; null where it is no JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header's text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }

    /// An answer that does not accept: the sentence that the service keeps for people, else its
    /// body as text, else its status in words. `secret` is taken out of it.
    pub fn refusal(&self, sentence: Option<&str>, secret: &str) -> Refusal {
        let text = String::from_utf8_lossy(&self.body);
        let said = shared::words(sentence.unwrap_or(&text), secret);
        let code = self.status.as_u16();
        let in_words = || match self.status.canonical_reason() {
            Some(reason) => reason.to_owned(),
            None => format!("HTTP {code}"),
        };
        Refusal {
            code,
            retry_after: shared::retry_after(&self.headers, SystemTime::now()),
            detail: if said.is_empty() { in_words() } else { said },
        }
    }
}

/// An answer that does not accept, whose meaning is the service's to say.
pub(super) struct Refusal {
    pub code: u16,
    pub retry_after: Option<Duration>,
    pub detail: String,
}

impl Refusal {
    /// In Denpyo's own words, with the service's behind them.
    pub fn told(self, trouble: Trouble) -> Refusal {
        Refusal {
            detail: trouble.with(&self.detail),
            ..self
        }
    }

    /// It is about the mail.
    pub fn of_mail(self) -> SendOutcome {
        SendOutcome::Refused {
            code: self.code,
            detail: self.detail,
        }
    }

    /// It is about the account.
    pub fn of_account(self) -> SendOutcome {
        SendOutcome::Account {
            code: Some(self.code),
            retry_after: self.retry_after,
            detail: self.detail,
        }
    }

    /// It passes.
    pub fn for_now(self) -> SendOutcome {
        SendOutcome::Temporary {
            code: self.code,
            retry_after: self.retry_after,
            detail: self.detail,
        }
    }

    /// It proves nothing.
    pub fn unknown(self) -> SendOutcome {
        SendOutcome::Unknown {
            cause: app::model::views::Cause::Answer,
            code: Some(self.code),
            detail: self.detail,
        }
    }
}

/// Characters that Resend and Amazon SES allow in the value of a tag.
pub(super) fn is_tag(value: &str) -> bool {
    let fine = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    !value.is_empty() && value.bytes().all(fine)
}
