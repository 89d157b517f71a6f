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

mod mail;
mod names;
mod place;
mod replies;
mod words;

use super::guard::{self, Panicked};
use super::{Provider, ProviderError, SendOutcome, Settings, SignIn, http as shared, trouble};
use crate::envelope::Envelope;
use crate::outbox::claim::Permit;
use app::model::trouble::Trouble;
use app::model::views::Cause;
use async_trait::async_trait;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use names::{account, hello};
use place::{Place, Tls};
use replies::{Phase, Reply};
use std::error::Error as _;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
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

/// Where the conversation is, for the one who waits for it with a watch.
struct Stage(AtomicU8);

impl Default for Stage {
    fn default() -> Stage {
        Stage(AtomicU8::new(Phase::Greeting as u8))
    }
}

impl Stage {
    fn set(&self, phase: Phase) {
        self.0.store(phase as u8, Ordering::Relaxed);
    }

    fn get(&self) -> Phase {
        let at = self.0.load(Ordering::Relaxed);
        let reached = Phase::ALL.into_iter().find(|p| *p as u8 == at);
        reached.unwrap_or(Phase::Message)
    }
}

/// What no readable reply means in a phase.
fn silence(phase: Phase, cause: Cause, detail: String) -> SendOutcome {
    if phase < Phase::Message {
        let cause = match cause {
            Cause::Fault => Cause::Fault,
            _ => Cause::Connect,
        };
        return SendOutcome::NeverLeft { cause, detail };
    }
    SendOutcome::Unknown {
        cause,
        code: None,
        detail,
    }
}

impl Smtp {
    /// One conversation, from connecting to the reply after the dot.
    async fn exchange(&self, envelope: &Envelope, message: &[u8], stage: &Stage) -> SendOutcome {
        let attempt = envelope.labels.attempt;
        let mut server = match self.connect().await {
            Ok(Some(server)) => server,
            Ok(None) => return not_offered(Trouble::NoTls),
            Err(error) => return self.failed(&error, Phase::Greeting, attempt),
        };
        let result = self.deliver(&mut server, envelope, message, stage).await;
        let outcome = match &result {
            Ok(outcome) => outcome.clone(),
            Err(error) => self.failed(error, stage.get(), attempt),
        };
        // Whoever answered is told goodbye, and nobody waits for that. Where no answer came, the
        // connection is just closed: nothing more may be written behind half a message.
        if result.map_or_else(|error| error.status().is_some(), |_| true) {
            tokio::spawn(async move {
                let _ = tokio::time::timeout(GOODBYE, server.quit()).await;
            });
        }
        outcome
    }

    async fn deliver(
        &self,
        server: &mut AsyncSmtpConnection,
        envelope: &Envelope,
        message: &[u8],
        stage: &Stage,
    ) -> Result<SendOutcome, Error> {
        if let Some((user, password)) = &self.place.login {
            stage.set(Phase::SignIn);
            if !takes_passwords(server) {
                return Ok(not_offered(Trouble::NoSignIn));
            }
            let credentials = Credentials::new(user.clone(), password.clone());
            server.auth(&SIGN_IN, &credentials).await?;
        }
        stage.set(Phase::Sender);
        let sender = mail::address(&envelope.content.sender.address);
        let reply = server.command(Mail::new(Some(sender), Vec::new())).await?;
        if !accepted(reply.code().into()) {
            return Ok(unexpected(Phase::Sender));
        }
        stage.set(Phase::Recipient);
        let recipient = mail::address(&envelope.content.recipient);
        let reply = server.command(Rcpt::new(recipient, Vec::new())).await?;
        if !accepted(reply.code().into()) {
            return Ok(unexpected(Phase::Recipient));
        }
        stage.set(Phase::Data);
        if !server.command(Data).await?.has_code(354) {
            return Ok(unexpected(Phase::Data));
        }
        stage.set(Phase::Message);
        let reply = server.message(message).await?;
        let code = reply.code().into();
        let said = reply.message().collect::<Vec<_>>().join(" ");
        if accepted(code) {
            let message_id = replies::queued(&said).map(|id| self.fit(&id));
            return Ok(SendOutcome::Accepted { message_id });
        }
        Ok(SendOutcome::Unknown {
            cause: Cause::Answer,
            code: Some(code),
            detail: self.fit(&said),
        })
    }

    /// Connects, and says EHLO under TLS where TLS is set. `None`: the server has no STARTTLS.
    async fn connect(&self) -> Result<Option<AsyncSmtpConnection>, Error> {
        let server = (self.place.host.as_str(), self.place.port);
        let wrapped = match self.place.tls {
            Tls::Wrapped => self.tls.clone(),
            Tls::Upgraded | Tls::None => None,
        };
        let limit = Some((self.timeout / 2).min(Duration::from_secs(10)));
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, limit, &self.hello, wrapped, None).await?;
        if let (Tls::Upgraded, Some(tls)) = (self.place.tls, &self.tls) {
            if !connection.can_starttls() {
                return Ok(None);
            }
            connection.starttls(tls.clone(), &self.hello).await?;
        }
        Ok(Some(connection))
    }

    /// What kept a conversation from coming so far that mails could follow, in words.
    fn obstacle(&self, error: &Error) -> String {
        let said = self.fit(&reason(error));
        match error.status() {
            Some(code) => format!("{} answered {code} {said}", Phase::Greeting.as_str()),
            None if error.is_tls() => Trouble::Tls.with(&said),
            None => trouble::told(trouble::of(error, Trouble::NoConnection), &said),
        }
    }

    /// What a failed command means.
    fn failed(&self, error: &Error, phase: Phase, attempt: i32) -> SendOutcome {
        let said = reason(error);
        let detail = self.fit(&said);
        match error.status() {
            Some(code) => {
                let reply = Reply {
                    phase,
                    code: code.into(),
                    said: &said,
                    hello: &self.hello.to_string(),
                };
                replies::verdict(reply, detail, attempt)
            }
            None => {
                let otherwise = match phase {
                    _ if error.is_tls() => Trouble::Tls,
                    _ if error.is_response() => Trouble::Unreadable,
                    Phase::Greeting => Trouble::NoConnection,
                    _ => Trouble::Cut,
                };
                let words = format!("{} {detail}", phase.as_str());
                let told = trouble::told(trouble::of(error, otherwise), &words);
                silence(phase, Cause::Cut, told)
            }
        }
    }

    /// A server's words, fit to be stored.
    fn fit(&self, said: &str) -> String {
        let password = self.place.login.as_ref().map(|(_, password)| password);
        shared::words(said, password.map_or("\0", |p| p.as_str()))
    }
}

/// The ways to sign in that are used.
const SIGN_IN: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

fn takes_passwords(server: &AsyncSmtpConnection) -> bool {
    let info = server.server_info();
    SIGN_IN.iter().any(|m| info.supports_auth_mechanism(*m))
}

fn accepted(code: u16) -> bool {
    (200..300).contains(&code)
}

/// The server lacks what the settings ask for, which it was never asked for: a person has to look.
fn not_offered(what: Trouble) -> SendOutcome {
    SendOutcome::Account {
        code: None,
        retry_after: None,
        detail: what.to_string(),
    }
}

fn unexpected(phase: Phase) -> SendOutcome {
    silence(
        phase,
        Cause::Answer,
        Trouble::Unreadable.with(phase.as_str()),
    )
}

/// The reason alone: lettre's own words around it say nothing to a person at the desk.
fn reason(error: &Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
