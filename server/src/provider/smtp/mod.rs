//! A mail server (SMTP), through lettre: the shop's own relay, or a provider's.
//!
//! What the standard says, and what follows from it here:
//!
//! - The mail is accepted by the 2xx to the dot after it, and by nothing earlier (RFC 5321,
//!   section 6.1). Whatever goes wrong before its first byte is sent leaves nothing there; from
//!   then on a cut, a silence or garbage leaves the outcome unknown. So the conversation is led
//!   command by command: lettre's own `send` cannot tell the two apart, and its `is_timeout` is
//!   false for timeouts.
//! - A server may take its time after the dot; RFC 5321 (section 4.5.3.2.6) advises to wait ten
//!   minutes. `DENPYO_REQUEST_TIMEOUT` is the limit here, so a slow relay wants it raised.
//! - 4xx is "not now", 5xx is "no"; which of them is about this installation and not about the
//!   mail is in [`replies`].
//! - Every mail has a connection of its own, closed after it: a mail written into a connection
//!   that the other side was closing would be unknown for nothing.
//! - lettre reads no reply that has a code alone, or that is no UTF-8. A server that answers the
//!   dot so leaves every mail unknown, which shows at the first one.
//! - Nobody can be asked afterwards. `Message-ID` and `X-Denpyo-Ref` are the same at every
//!   attempt, so that a person finds the mail in the server's log.

mod conversation;
mod mail;
mod names;
mod place;
mod replies;
mod words;

use super::guard::{self, Panicked};
use super::{Provider, ProviderError, SendOutcome, Settings, SignIn, http as shared};
use crate::outbox::claim::Permit;
use app::model::trouble::Trouble;
use app::model::views::Cause;
use async_trait::async_trait;
use conversation::{SIGN_IN, Stage, reason, silence, takes_passwords};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::TlsParameters;
use lettre::transport::smtp::extension::ClientId;
use names::{account, hello};
use place::{Place, Tls};
use replies::Phase;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long after its end an exchange is given to hand over a reply that is there already.
const LAST_LOOK: Duration = Duration::from_millis(200);
/// How long saying goodbye may take; nothing waits for it.
const GOODBYE: Duration = Duration::from_secs(5);
/// How long the server may take to show that it is there.
const REACH: Duration = Duration::from_secs(5);

/// The service.
pub struct Smtp {
    place: Place,
    hello: ClientId,
    tls: Option<TlsParameters>,
    account: String,
    timeout: Duration,
}

/// Makes the service from its settings.
pub fn build(settings: &Settings) -> Result<Arc<dyn Provider>, ProviderError> {
    shared::tls();
    let url = settings.url.as_deref().ok_or(ProviderError::UrlMissing)?;
    let place = Place::read(url, settings.key.as_deref())?;
    let tls = match place.tls {
        Tls::None => None,
        Tls::Upgraded | Tls::Wrapped => {
            let tls = TlsParameters::new_rustls(place.host.clone());
            Some(tls.map_err(|e| ProviderError::Client(reason(&e)))?)
        }
    };
    Ok(Arc::new(Smtp {
        hello: hello(settings)?,
        account: account(&place),
        timeout: settings.timeout,
        place,
        tls,
    }))
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Smtp").field(&self.account).finish()
    }
}

#[async_trait]
impl Provider for Smtp {
    fn name(&self) -> &'static str {
        "smtp"
    }

    fn label(&self) -> &'static str {
        "SMTP"
    }

    fn account(&self) -> &str {
        &self.account
    }

    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let envelope = permit.envelope();
        let message = match mail::bytes(envelope) {
            Ok(message) => message,
            Err(error) => {
                return SendOutcome::NeverLeft {
                    cause: Cause::Build,
                    detail: Trouble::Build.with(&error.to_string()),
                };
            }
        };
        let stage = Stage::default();
        let exchange = guard::caught(self.exchange(envelope, &message, &stage));
        let mut exchange = std::pin::pin!(exchange);
        let mut outcome = tokio::time::timeout(self.timeout, &mut exchange).await;
        if outcome.is_err() {
            // A process that was stopped in between finds its time over and the reply there in the
            // same moment, and then the reply counts.
            outcome = tokio::time::timeout(LAST_LOOK, &mut exchange).await;
        }
        let phase = stage.get();
        match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(Panicked)) => {
                let attempt = envelope.labels.attempt;
                tracing::error!(
                    attempt,
                    phase = phase.as_str(),
                    "the mail server's client panicked"
                );
                silence(phase, Cause::Fault, Trouble::Fault.with(phase.as_str()))
            }
            Err(_) => {
                let at = format!("{} {:?}", phase.as_str(), self.timeout);
                silence(phase, Cause::Timeout, Trouble::NoAnswer.with(&at))
            }
        }
    }

    async fn reachable(&self) -> Result<(), String> {
        let connect = tokio::net::TcpStream::connect((self.place.host.as_str(), self.place.port));
        match tokio::time::timeout(REACH, connect).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no connection within {REACH:?}")),
        }
    }

    async fn suits(&self) -> Result<(), String> {
        let mut server = match tokio::time::timeout(self.timeout, self.connect()).await {
            Ok(Ok(Some(server))) => server,
            Ok(Ok(None)) => return Err(format!("{} (STARTTLS)", Trouble::NoTls)),
            // Not now: it is there, and mails wait for it.
            Ok(Err(error)) if error.is_transient() => return Ok(()),
            Ok(Err(error)) => return Err(self.obstacle(&error)),
            Err(_) => return Err(Trouble::NoAnswer.with(Phase::Greeting.as_str())),
        };
        let signs_in = self.place.login.is_none() || takes_passwords(&server);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(GOODBYE, server.quit()).await;
        });
        if signs_in {
            Ok(())
        } else {
            Err(format!("{} (AUTH PLAIN or LOGIN)", Trouble::NoSignIn))
        }
    }

    async fn sign_in(&self) -> SignIn {
        let Some((user, password)) = &self.place.login else {
            return SignIn::Nothing;
        };
        let conversation = async {
            let Some(mut server) = self.connect().await? else {
                return Ok(None);
            };
            let credentials = Credentials::new(user.clone(), password.clone());
            server.auth(&SIGN_IN, &credentials).await?;
            Ok::<_, Error>(Some(server))
        };
        let untried = |what: Trouble| SignIn::Untried(what.with(Phase::SignIn.as_str()));
        match tokio::time::timeout(self.timeout, conversation).await {
            Ok(Ok(Some(mut server))) => {
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(GOODBYE, server.quit()).await;
                });
                SignIn::Works
            }
            Ok(Ok(None)) => untried(Trouble::NoTls),
            Ok(Err(error)) => match error.status() {
                Some(code) if !error.is_transient() => {
                    SignIn::Refused(format!("{code} {}", self.fit(&reason(&error))))
                }
                _ => SignIn::Untried(self.obstacle(&error)),
            },
            Err(_) => untried(Trouble::NoAnswer),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
