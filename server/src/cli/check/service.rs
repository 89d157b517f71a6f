//! Whether the service takes what is set, as far as that can be seen without sending a mail.

use super::Found;
use crate::provider::asking::{Asking, Finding, Question, Unclear};
use crate::provider::{Provider, SignIn};
use uuid::Uuid;

/// An address that no mail ever went to (RFC 2606).
const NOBODY: &str = "denpyo-check@denpyo.invalid";

/// Looks at the service.
pub(super) async fn look(provider: &dyn Provider) -> Found {
    let name = provider.label();
    if let Err(why) = provider.reachable().await {
        return Found::Fault(format!("{name} cannot be reached: {why}"));
    }
    if let Err(why) = provider.suits().await {
        return Found::Fault(format!("{name} lacks what the settings ask for: {why}"));
    }
    match provider.asking() {
        Asking::Lookup { .. } => by_lookup(provider).await,
        _ => by_sign_in(provider).await,
    }
}

/// Asks about a mail that does not exist: only a key that is taken gets an answer.
async fn by_lookup(provider: &dyn Provider) -> Found {
    let name = provider.label();
    let question = Question {
        reference: Uuid::new_v4(),
        attempt: 1,
        recipient: NOBODY.to_owned(),
        subject: String::new(),
        message_id: None,
        since: chrono::Utc::now() - chrono::TimeDelta::hours(1),
        until: None,
    };
    match provider.lookup(&question).await {
        Finding::NotFound | Finding::Found(_) => Found::Fine(format!(
            "ok, {name} answers and takes the key (tested with a look-up; nothing was sent)"
        )),
        Finding::Unclear {
            why: Unclear::Refused,
            detail,
        } => refused(provider, &detail),
        Finding::Unclear { detail, .. } => Found::Fault(format!(
            "{name} answers, but the look-up that tests the key did not succeed: {detail}"
        )),
    }
}

/// The words begin with the answer's status.
fn refused(provider: &dyn Provider, detail: &str) -> Found {
    let name = provider.label();
    match detail.split_whitespace().next() {
        Some("403") => Found::Fault(format!(
            "{name} refuses the key for look-ups: it lacks the right to read {} ({detail})",
            records(provider.name())
        )),
        Some("429") => Found::Fine(format!(
            "{name} answers; the key was not tested, since it takes no more questions for now ({detail})"
        )),
        _ => Found::Fault(format!("{name} refuses the key: {detail}")),
    }
}

/// What a look-up reads there, as the service calls it.
fn records(service: &str) -> &'static str {
    match service {
        "sendgrid" => "Email Logs",
        "mailgun" => "events",
        _ => "messages",
    }
}

async fn by_sign_in(provider: &dyn Provider) -> Found {
    let name = provider.label();
    let is_mail_server = app::model::service::is_mail_server(provider.name());
    match provider.sign_in().await {
        SignIn::Works => Found::Fine(format!(
            "ok, {name} answers and takes the sign-in (nothing was sent)"
        )),
        SignIn::Refused(words) => Found::Fault(format!("{name} refuses the sign-in: {words}")),
        SignIn::Untried(words) => Found::Fault(format!(
            "{name} answers, but signing in did not succeed: {words}"
        )),
        SignIn::Nothing if is_mail_server => Found::Fine(format!(
            "ok, {name} answers; no sign-in is set. Not tested: whether it takes mails of this host, which shows at \
             the first one"
        )),
        SignIn::Nothing => Found::Fine(format!(
            "ok, {name} answers. Not tested: the key, which {name} looks at only when a mail is sent"
        )),
    }
}
