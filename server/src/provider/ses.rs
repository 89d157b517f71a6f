//! Amazon SES, through its API v2.
//!
//! What its documentation says, and what follows from it here:
//!
//! - `POST /v2/email/outbound-emails`, signed with Signature Version 4; 200 with `{"MessageId"}`
//!   means accepted. There is no key against doubles, and no look-up: what became of an unknown
//!   attempt only events tell.
//!   <https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html>
//! - The kind of an error is in `x-amzn-errortype` and in `__type`. `MessageRejected` and
//!   `BadRequestException` are about the mail, unless they are about an address or domain that is
//!   not verified, which is the account's matter; so are `AccountSuspendedException`,
//!   `SendingPausedException`, `MailFromDomainNotVerifiedException`, a daily quota, and whatever
//!   is wrong with the key. `LimitExceededException` and `TooManyRequestsException` pass. A 5xx
//!   proves nothing. <https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html>
//! - Names and values of tags are ASCII letters, digits, `_` and `-`, 256 characters at most; a
//!   value of other characters is left out, `ref` never is.
//!   <https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageTag.html>
//! - A sender's name outside ASCII must be written as encoded words (RFC 2047); subject and bodies
//!   are UTF-8. <https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html>
//!
//! Anything not documented leaves the outcome unknown.

use super::answer::{self, Bodies, Refusal};
use super::events::{Events, NotEvents, Post};
use super::{Provider, ProviderError, SendOutcome, Settings, checks, http as shared};
use crate::envelope::Envelope;
use crate::outbox::claim::Permit;
use app::model::trouble::Trouble;
use app::model::views::Cause;
use async_trait::async_trait;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use http::header::{ACCEPT, CONTENT_TYPE};
use sns::Topic;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use url::Url;

mod certificate;
mod message;
mod sns;

const PATH: &str = "/v2/email/outbound-emails";
const JSON: &str = "application/json";
/// `SendEmail` is signed for this service.
const SIGNED_FOR: &str = "ses";

/// The service.
pub struct Ses {
    base: String,
    region: String,
    credentials: Credentials,
    secrets: String,
    account: String,
    client: reqwest::Client,
    timeout: Duration,
    topic: Option<Topic>,
}

/// Makes the service from its settings.
pub fn build(settings: &Settings) -> Result<Arc<dyn Provider>, ProviderError> {
    let key = shared::key(settings)?;
    let (base, region) = place(settings.url.as_deref())?;
    let mut parts = key.splitn(3, ':');
    let mut part = || parts.next().filter(|part| !part.is_empty());
    let (id, secret) = part().zip(part()).ok_or(ProviderError::KeyShape(
        "ACCESS_KEY_ID:SECRET_ACCESS_KEY, with :SESSION_TOKEN behind where there is one",
    ))?;
    let token = part().map(str::to_owned);
    let client = shared::client(settings.timeout)?;
    let topic = super::webhook_key(settings)
        .map(|arn| Topic::new(arn, Arc::new(certificate::OverHttps(client.clone()))))
        .transpose()?;
    Ok(Arc::new(Ses {
        // Temporary credentials change; the key's id tells accounts apart well enough.
        account: shared::account(&base, id),
        credentials: Credentials::new(id, secret, token, None, "settings"),
        secrets: secret.to_owned(),
        timeout: settings.timeout,
        base,
        region,
        client,
        topic,
    }))
}

/// Address and region: `https://email.REGION.amazonaws.com`, or any address with `#REGION`
/// behind it.
fn place(url: Option<&str>) -> Result<(String, String), ProviderError> {
    let missing = || {
        let hint = "name the region: https://email.ap-northeast-1.amazonaws.com, \
                    or another address with #ap-northeast-1 behind it";
        ProviderError::Url(hint.to_owned())
    };
    let url = url.ok_or_else(missing)?;
    let (address, named) = match url.split_once('#') {
        Some((address, region)) => (address, Some(region)),
        None => (url, None),
    };
    let base = shared::base(address)?;
    let host = Url::parse(&base)
        .ok()
        .and_then(|u| Some(u.host_str()?.to_owned()));
    let host = host.unwrap_or_default();
    let region = named.or_else(|| {
        let rest = host
            .strip_prefix("email.")
            .or_else(|| host.strip_prefix("email-fips."))?;
        let (region, domain) = rest.split_once('.')?;
        matches!(domain, "amazonaws.com" | "amazonaws.com.cn" | "api.aws").then_some(region)
    });
    let region = region.filter(|r| answer::is_tag(r)).ok_or_else(missing)?;
    Ok((base, region.to_owned()))
}

impl fmt::Debug for Ses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ses").field(&self.account).finish()
    }
}

#[async_trait]
impl Provider for Ses {
    fn name(&self) -> &'static str {
        "ses"
    }

    fn label(&self) -> &'static str {
        "Amazon SES"
    }

    fn account(&self) -> &str {
        &self.account
    }

    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let request = match self.request(permit.envelope(), SystemTime::now()) {
            Ok(request) => request,
            Err(detail) => {
                let (cause, detail) = (Cause::Build, Trouble::Build.with(&detail));
                return SendOutcome::NeverLeft { cause, detail };
            }
        };
        let answer = match answer::post(request, self.timeout, Bodies::All).await {
            Ok(answer) => answer,
            Err(outcome) => return outcome,
        };
        let said = answer.json();
        if answer.accepts() {
            let message_id = checks::text(&said, "MessageId").and_then(checks::message_id);
            return SendOutcome::Accepted { message_id };
        }
        let name = answer.header("x-amzn-errortype");
        let name = name.or_else(|| checks::text(&said, "__type"));
        let sentence = checks::text(&said, "Message").or_else(|| checks::text(&said, "message"));
        let no = answer.refusal(sentence, &self.secrets);
        verdict(bare(name.unwrap_or_default()), no)
    }

    async fn reachable(&self) -> Result<(), String> {
        checks::reachable(&self.client, &self.base).await
    }

    async fn events(&self, post: Post<'_>) -> Result<Events, NotEvents> {
        let topic = self.topic.as_ref().ok_or(NotEvents::Off)?;
        topic.read(post).await
    }
}

impl Ses {
    /// The request, signed at that time.
    fn request(
        &self,
        envelope: &Envelope,
        now: SystemTime,
    ) -> Result<reqwest::RequestBuilder, String> {
        let url = format!("{}{PATH}", self.base);
        let body = message::of(envelope);
        let identity = self.credentials.clone().into();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name(SIGNED_FOR)
            .time(now)
            .settings(SigningSettings::default())
            .build()
            .map_err(|e| e.to_string())?
            .into();
        let headers = [(CONTENT_TYPE.as_str(), JSON)];
        let signable = SignableRequest::new(
            "POST",
            url.as_str(),
            headers.into_iter(),
            SignableBody::Bytes(&body),
        );
        let signed = signable.and_then(|s| sign(s, &params));
        let (signed, _) = signed.map_err(|e| e.to_string())?.into_parts();
        let mut request = self.client.post(&url).header(CONTENT_TYPE, JSON);
        for (name, value) in signed.headers() {
            request = request.header(name, value);
        }
        Ok(request.header(ACCEPT, JSON).body(body))
    }
}

/// `MessageRejected` of `com.amazonaws.ses.v2#MessageRejected:http://…`.
fn bare(name: &str) -> &str {
    let name = name.split(':').next().unwrap_or_default();
    name.rsplit('#').next().unwrap_or_default().trim()
}

/// Errors about the key or the account that come as 400 too.
const OF_THE_ACCOUNT: [&str; 12] = [
    "AccountSuspendedException",
    "SendingPausedException",
    "MailFromDomainNotVerifiedException",
    "NotFoundException",
    "AccessDeniedException",
    "ExpiredTokenException",
    "IncompleteSignature",
    "InvalidClientTokenId",
    "MissingAuthenticationToken",
    "OptInRequired",
    "RequestExpired",
    "UnrecognizedClientException",
];

/// What an answer other than 2xx means.
fn verdict(name: &str, no: Refusal) -> SendOutcome {
    let code = no.code;
    let account = match code {
        401 | 403 | 404 | 405 => true,
        400 => OF_THE_ACCOUNT.contains(&name) || no.detail.contains("not verified"),
        _ => false,
    };
    let passes = name == "LimitExceededException"
        || name == "TooManyRequestsException"
        || name.starts_with("Throttling");
    if account || (matches!(code, 400 | 429) && no.detail.contains("quota")) {
        return no.of_account();
    }
    match code {
        429 => no.for_now(),
        400 if passes => no.for_now(),
        400 | 413 | 422 => no.of_mail(),
        _ => no.unknown(),
    }
}

#[cfg(test)]
#[path = "ses_tests.rs"]
mod tests;
