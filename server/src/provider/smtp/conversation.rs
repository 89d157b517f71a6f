//! The conversation with a mail server, command by command.

use super::replies::{self, Phase, Reply};
use super::{GOODBYE, Smtp, Tls, mail, shared};
use crate::envelope::Envelope;
use crate::provider::{SendOutcome, trouble};
use app::model::trouble::Trouble;
use app::model::views::Cause;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use std::error::Error as _;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Where the conversation is, for the one who waits for it with a watch.
pub(super) struct Stage(AtomicU8);

impl Default for Stage {
    fn default() -> Stage {
        Stage(AtomicU8::new(Phase::Greeting as u8))
    }
}

impl Stage {
    fn set(&self, phase: Phase) {
        self.0.store(phase as u8, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Phase {
        let at = self.0.load(Ordering::Relaxed);
        let reached = Phase::ALL.into_iter().find(|p| *p as u8 == at);
        reached.unwrap_or(Phase::Message)
    }
}

/// What no readable reply means in a phase.
pub(super) fn silence(phase: Phase, cause: Cause, detail: String) -> SendOutcome {
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
    pub(super) async fn exchange(
        &self,
        envelope: &Envelope,
        message: &[u8],
        stage: &Stage,
    ) -> SendOutcome {
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
    pub(super) async fn connect(&self) -> Result<Option<AsyncSmtpConnection>, Error> {
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
    pub(super) fn obstacle(&self, error: &Error) -> String {
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
    pub(super) fn fit(&self, said: &str) -> String {
        let password = self.place.login.as_ref().map(|(_, password)| password);
        shared::words(said, password.map_or("\0", |p| p.as_str()))
    }
}

/// The ways to sign in that are used.
pub(super) const SIGN_IN: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

pub(super) fn takes_passwords(server: &AsyncSmtpConnection) -> bool {
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
pub(super) fn reason(error: &Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}
