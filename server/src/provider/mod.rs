//! Mail services: one file each. A service sends, and says what is known of the outcome.

use crate::envelope::Envelope;
use crate::outbox::claim::Permit;
use app::model::address::Mailbox;
use app::model::views::{Cause, Outcome};
use asking::{Asking, Finding, Question, Unclear};
use async_trait::async_trait;
use events::{Events, NotEvents, Post};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

mod answer;
pub mod asking;
mod checks;
pub mod events;
mod guard;
pub mod http;
pub mod mailgun;
pub mod postmark;
pub mod resend;
pub mod sendgrid;
pub mod ses;
mod signed;
pub mod smtp;
#[cfg(test)]
mod stand_in;
mod trouble;

pub use guard::guarded;

type Build = fn(&Settings) -> Result<Arc<dyn Provider>, ProviderError>;

/// Every service. A new one is a file beside this one and a line here.
const SERVICES: [(&str, Build); 6] = [
    ("mailgun", mailgun::build),
    ("postmark", postmark::build),
    ("resend", resend::build),
    ("sendgrid", sendgrid::build),
    ("ses", ses::build),
    ("smtp", smtp::build),
];

/// The words that `DENPYO_PROVIDER` may be.
pub const KNOWN: &[&str] = &names();

const fn names() -> [&'static str; SERVICES.len()] {
    let mut names = [""; SERVICES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = SERVICES[i].0;
        i += 1;
    }
    names
}

/// What a service is made from.
#[derive(Clone, Default)]
pub struct Settings {
    /// `DENPYO_PROVIDER_URL`, where it is set.
    pub url: Option<String>,
    /// `DENPYO_PROVIDER_KEY`.
    pub key: Option<String>,
    /// `DENPYO_REQUEST_TIMEOUT`: a whole exchange, connecting included.
    pub timeout: Duration,
    /// `DENPYO_FROM`: whose domain names this host to mail servers.
    pub from: Option<Mailbox>,
    /// `DENPYO_SMTP_NAME`: how this host names itself to mail servers.
    pub smtp_name: Option<String>,
    /// `DENPYO_WEBHOOK_KEY`: what the service's events are checked with.
    pub webhook_key: Option<String>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("url", &self.url)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("timeout", &self.timeout)
            .field("smtp_name", &self.smtp_name)
            .field("webhook_key", &self.webhook_key.as_ref().map(|_| "…"))
            .finish_non_exhaustive()
    }
}

/// Why a service cannot be made from its settings. The texts never hold the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No such service.
    #[error("unknown service {0:?}; known: {known}", known = KNOWN.join(", "))]
    Unknown(String),
    /// No key.
    #[error("DENPYO_PROVIDER_KEY is not set")]
    KeyMissing,
    /// The key holds blanks, or characters that no header can hold.
    #[error("DENPYO_PROVIDER_KEY holds blanks or characters outside ASCII")]
    KeyUnusable,
    /// The service has no address of its own.
    #[error("DENPYO_PROVIDER_URL is not set: write smtp://user:password@host:587")]
    UrlMissing,
    /// The name for mail servers cannot be used.
    #[error(
        "DENPYO_SMTP_NAME cannot be used: write a host name such as mail.example.com, \
         or an address such as [192.0.2.1]"
    )]
    SmtpName,
    /// The address cannot be used.
    #[error("DENPYO_PROVIDER_URL cannot be used: {0}")]
    Url(String),
    /// The key is not of the service's shape. The text says what it would be.
    #[error("DENPYO_PROVIDER_KEY is not of this shape: {0}")]
    KeyShape(&'static str),
    /// What events are to be checked with is nothing that could do so. The reason never holds it.
    #[error("DENPYO_WEBHOOK_KEY cannot be used: {0}")]
    WebhookKey(String),
    /// The HTTP client could not be made.
    #[error("the HTTP client could not be made: {0}")]
    Client(String),
}

/// Makes the service of that name. A panic in its code is an outcome like any other.
pub fn build(name: &str, settings: &Settings) -> Result<Arc<dyn Provider>, ProviderError> {
    match SERVICES.iter().find(|(known, _)| *known == name) {
        Some((_, build)) => build(settings).map(guarded),
        None => Err(ProviderError::Unknown(name.to_owned())),
    }
}

/// `DENPYO_WEBHOOK_KEY`, where it is set.
fn webhook_key(settings: &Settings) -> Option<&str> {
    let key = settings.webhook_key.as_deref().map(str::trim);
    key.filter(|key| !key.is_empty())
}

/// A service that takes mails.
#[async_trait]
pub trait Provider: Send + Sync + 'static {
    /// The word in `DENPYO_PROVIDER` and in the tables.
    fn name(&self) -> &'static str;
    /// Its name as people know it.
    fn label(&self) -> &'static str;
    /// Tells accounts apart without giving the key away: the service's host, and a short digest
    /// of the key.
    fn account(&self) -> &str;
    /// Posts one mail, once. Never retries, never follows a redirect, and takes no longer than
    /// the request timeout. The permit is proof of a durable claim with time left.
    async fn send(&self, permit: Permit<'_>) -> SendOutcome;
    /// Whether the service's address answers at all (for `/readyz` and `denpyo check`).
    async fn reachable(&self) -> Result<(), String>;

    /// Whether it offers what the settings ask for, where that can be seen without sending; what it
    /// lacks otherwise (for `/readyz` and `denpyo check`, after [`Provider::reachable`]).
    async fn suits(&self) -> Result<(), String> {
        Ok(())
    }

    /// Signs in without sending anything, where there is something to sign in with and no mail is
    /// needed for it (for `denpyo check`, after [`Provider::suits`]).
    async fn sign_in(&self) -> SignIn {
        SignIn::Nothing
    }

    /// How it can be asked afterwards.
    fn asking(&self) -> Asking {
        Asking::Never
    }
    /// Asks whether it accepted the mail of that very `ref`. Reads only.
    async fn lookup(&self, _question: &Question) -> Finding {
        Finding::Unclear {
            why: Unclear::NoLookup,
            detail: String::new(),
        }
    }
    /// Where [`Asking::Replay`]: the SHA-256 of the request that [`Provider::send`] posts for this
    /// envelope, as hexadecimal digits. Kept with the attempt before it is posted.
    fn request_digest(&self, _envelope: &Envelope) -> Option<String> {
        None
    }
    /// Checks a post's signature over its raw bytes, and reads its events.
    async fn events(&self, _post: Post<'_>) -> Result<Events, NotEvents> {
        Err(NotEvents::Off)
    }
}

/// What came of signing in without a mail. The words hold no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignIn {
    /// There is nothing to sign in with, or it cannot be tried without a mail.
    Nothing,
    /// User and password are taken.
    Works,
    /// They are not.
    Refused(String),
    /// It could not be tried.
    Untried(String),
}

/// What is known after a send. `detail` is the service's own words, shortened and without
/// addresses or secrets where it was ours to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The service took it.
    Accepted {
        /// Its id there, where the answer held one.
        message_id: Option<String>,
    },
    /// Nothing reached the service.
    NeverLeft {
        /// Why.
        cause: Cause,
        /// In words, for the log and the time-line.
        detail: String,
    },
    /// Documented as not accepted, for now.
    Temporary {
        /// HTTP status.
        code: u16,
        /// How long the service asks to wait.
        retry_after: Option<Duration>,
        /// The service's words.
        detail: String,
    },
    /// Documented as refused for the mail's content or recipient.
    Refused {
        /// HTTP status.
        code: u16,
        /// The service's words.
        detail: String,
    },
    /// Documented as refused for the account: key, permission, quota.
    Account {
        /// HTTP status, or the mail server's code; none where it did not refuse, but lacks what the
        /// settings ask for.
        code: Option<u16>,
        /// How long the service asks to wait.
        retry_after: Option<Duration>,
        /// The service's words.
        detail: String,
    },
    /// The request left; nobody knows.
    Unknown {
        /// Why.
        cause: Cause,
        /// HTTP status, where there was an answer.
        code: Option<u16>,
        /// In words.
        detail: String,
    },
}

impl SendOutcome {
    /// What was said to it, behind the code where there was one; empty where it was accepted.
    pub fn said(&self) -> String {
        let (code, detail) = match self {
            SendOutcome::Accepted { .. } => return String::new(),
            SendOutcome::NeverLeft { detail, .. } => (None, detail),
            SendOutcome::Temporary { code, detail, .. } | SendOutcome::Refused { code, detail } => {
                (Some(*code), detail)
            }
            SendOutcome::Account { code, detail, .. }
            | SendOutcome::Unknown { code, detail, .. } => (*code, detail),
        };
        let code = code.map(|code| code.to_string()).unwrap_or_default();
        format!("{code} {detail}").trim().to_owned()
    }

    /// Its word, as in `submission_attempts` and in the metrics.
    pub fn word(&self) -> Outcome {
        match self {
            SendOutcome::Accepted { .. } => Outcome::Accepted,
            SendOutcome::NeverLeft { .. } => Outcome::NeverLeft,
            SendOutcome::Temporary { .. } => Outcome::Temporary,
            SendOutcome::Refused { .. } => Outcome::Refused,
            SendOutcome::Account { .. } => Outcome::Account,
            SendOutcome::Unknown { .. } => Outcome::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use app::model::service::can_be_asked;

    #[test]
    fn the_desk_knows_which_services_can_be_asked() {
        for name in KNOWN {
            let url = match *name {
                "smtp" => Some("smtp://mail.example.com"),
                "ses" => Some("https://email.ap-northeast-1.amazonaws.com"),
                "mailgun" => Some("https://api.mailgun.net/v3/mg.example.com"),
                _ => None,
            };
            let settings = Settings {
                url: url.map(str::to_owned),
                key: (*name != "smtp").then(|| "AKIA:secret".to_owned()),
                timeout: Duration::from_secs(1),
                ..Settings::default()
            };
            let service = build(name, &settings).unwrap();
            let asked = !matches!(service.asking(), Asking::Never);
            assert_eq!(asked, can_be_asked(name), "{name}");
        }
    }
}

#[cfg(test)]
pub(crate) mod samples {
    #![allow(clippy::unwrap_used)]

    use crate::envelope::{Envelope, Labels, RawContent, screen};
    use app::model::address::Mailbox;
    use proptest::prelude::*;
    use serde_json::Value;
    use uuid::Uuid;

    /// Any JSON, with the names and words of services' events strewn in.
    pub fn json() -> impl Strategy<Value = Value> {
        const WORDS: [&str; 24] = [
            "event",
            "timestamp",
            "ref",
            "attempt",
            "reason",
            "sg_message_id",
            "type",
            "data",
            "created_at",
            "tags",
            "email_id",
            "delivered",
            "bounce",
            "email.bounced",
            "Type",
            "Message",
            "mail",
            "eventType",
            "Delivery",
            "headers",
            "name",
            "value",
            "2026-04-01T00:00:00.000Z",
            "01234567-89ab-4def-8123-456789abcdef",
        ];
        let word = || {
            prop_oneof![
                proptest::sample::select(&WORDS[..]).prop_map(str::to_owned),
                ".{0,12}"
            ]
        };
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            word().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 8, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                proptest::collection::vec((word(), inner), 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// A mail with everything on it.
    pub fn envelope() -> Envelope {
        let raw = RawContent {
            recipient: "a..b.@example.ne.jp".into(),
            subject: "ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます".into(),
            body_text: "本文\r\n二行目".into(),
            body_html: "<p>本文</p>".into(),
            reply_to: "Sample Co. <info@example.com>".into(),
            ..RawContent::default()
        };
        let shop = Mailbox::parse("株式会社サンプル, 受注係 <order@example.com>").unwrap();
        Envelope {
            labels: Labels {
                reference: Uuid::from_u128(0x0123_4567_89ab_cdef),
                order_id: "1001".to_owned(),
                attempt: 2,
                installation: "shop-1".to_owned(),
            },
            content: screen(&raw, Some(&shop)).unwrap(),
        }
    }
}
