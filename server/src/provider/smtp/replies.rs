//! What a server's refusal means. The code alone does not tell: the same 550 stands for a mailbox
//! that does not exist, for a sender who may not send here, and for a host that names itself
//! badly. Enhanced codes (RFC 3463) are asked first, then the words of Postfix, Exim, Sendmail and
//! Exchange.
//!
//! What is about this installation (its sign-in, sender, host or name) pauses the service, so that
//! not one mail is refused for its recipient because of it. What is about the recipient or the
//! content refuses the mail. 4xx asks to come again later.

use crate::provider::SendOutcome;
pub(super) use app::model::trouble::Step as Phase;
use std::time::Duration;

/// Whom a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// This installation.
    Us,
    /// This mail.
    Mail,
}

/// A negative reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply<'a> {
    /// Where it came.
    pub(super) phase: Phase,
    /// Its code.
    pub(super) code: u16,
    /// The server's text.
    pub(super) said: &'a str,
    /// How this host named itself.
    pub(super) hello: &'a str,
}

/// What a negative reply means. `detail` is its text made fit to be stored, `attempt` the
/// attempt's number.
pub(super) fn verdict(reply: Reply<'_>, detail: String, attempt: i32) -> SendOutcome {
    let code = reply.code;
    match (about(reply), code) {
        (About::Us, _) => SendOutcome::Account {
            code: Some(code),
            retry_after: None,
            detail,
        },
        (About::Mail, 400..500) => SendOutcome::Temporary {
            code,
            retry_after: patience(attempt),
            detail,
        },
        (About::Mail, _) => SendOutcome::Refused { code, detail },
    }
}

/// How long to wait after a 4xx. Servers that greylist take nothing for the first five to fifteen
/// minutes, so the last of the usual five attempts must come later than that; the first ones keep
/// the usual pace.
fn patience(attempt: i32) -> Option<Duration> {
    let minutes = match attempt {
        ..4 => return None,
        4 => 15,
        5 => 30,
        _ => 60,
    };
    Some(Duration::from_secs(minutes * 60))
}

fn about(reply: Reply<'_>) -> About {
    let Reply {
        phase,
        code,
        said,
        hello,
    } = reply;
    let enhanced = enhanced(said);
    let temporary = (400..500).contains(&code);
    let words = Words::of(said);
    if temporary && words.any(&["greylisted", "greylisting", "graylisted", "graylisting"]) {
        return About::Mail;
    }
    // Before any mailbox was named, 450 is about the host or its name.
    if phase == Phase::Greeting && code == 450 {
        return About::Us;
    }
    // Signing in: 530, 534, 535 and 538 (RFC 4954) wherever they come.
    if matches!(code, 530 | 534 | 535 | 538) {
        return About::Us;
    }
    match enhanced {
        // Sender's address (x.1.7, x.1.8); sign-in and encryption (x.7.8 to x.7.14); what the
        // sending host and domain prove of themselves: SPF, DKIM, DMARC, reverse DNS (x.7.20 to
        // x.7.29, RFC 7372).
        Some((1, 7 | 8) | (7, 8..=14 | 20..=29)) => return About::Us,
        // Recipient's address and mailbox, whatever the words.
        Some((1, 1..=6 | 10) | (2, _)) => return About::Mail,
        _ => {}
    }
    // Postfix puts what it refuses in angle brackets, and this host's name is one such thing.
    if words.about_us() || said.contains(&format!("<{hello}>")) {
        return About::Us;
    }
    if temporary || words.phrase(&["recipient", "address"]) {
        return About::Mail;
    }
    match phase {
        Phase::Greeting | Phase::SignIn => About::Us,
        // 552 and x.3.4 are a mail that is too large; everything else is about the sender.
        Phase::Sender if code == 552 || enhanced == Some((3, 4)) => About::Mail,
        Phase::Sender => About::Us,
        // The command itself is refused: no mail gets through. 501 is a bad address.
        Phase::Recipient | Phase::Data if matches!(code, 500 | 502 | 503 | 504) => About::Us,
        Phase::Recipient | Phase::Data | Phase::Message => About::Mail,
    }
}

/// Subject and detail of an enhanced code such as `5.7.1`, where the text begins with one.
fn enhanced(said: &str) -> Option<(u16, u16)> {
    let first = said.split_whitespace().next()?;
    let mut parts = first.split('.');
    let class = parts.next()?;
    let subject = parts.next()?.parse().ok()?;
    let detail = parts.next()?.parse().ok()?;
    (matches!(class, "4" | "5") && parts.next().is_none()).then_some((subject, detail))
}

/// A reply's words in lower case, without what others chose: addresses, host names, and what
/// stands in angle brackets. A recipient `relay@example.com` must not look like a refused relay.
struct Words(Vec<String>);

impl Words {
    fn of(said: &str) -> Words {
        let outside = said
            .split('<')
            .map(|piece| piece.rsplit_once('>').map_or(piece, |(_, after)| after));
        // What stands before the first bracket is outside of any.
        let text: String = said
            .split('<')
            .take(1)
            .chain(outside.skip(1))
            .collect::<Vec<_>>()
            .join(" ");
        let chosen = |token: &&str| {
            let inner = token.trim_matches(|c: char| !c.is_alphanumeric());
            !token.contains('@') && !inner.contains('.')
        };
        let words = text
            .split_whitespace()
            .filter(chosen)
            .flat_map(|token| token.split(|c: char| !c.is_alphanumeric()))
            .filter(|word| !word.is_empty());
        Words(words.map(str::to_lowercase).collect())
    }

    fn any(&self, words: &[&str]) -> bool {
        self.0.iter().any(|w| words.contains(&w.as_str()))
    }

    /// Whether the words stand there one after the other.
    fn phrase(&self, words: &[&str]) -> bool {
        self.0
            .windows(words.len())
            .any(|window| window.iter().zip(words).all(|(a, b)| a == b))
    }

    fn about_us(&self) -> bool {
        const ALONE: [&str; 14] = [
            "helo",
            "ehlo",
            "hostname",
            "relay",
            "relaying",
            "relayed",
            "authentication",
            "authenticate",
            "authenticated",
            "unauthenticated",
            "spf",
            "dkim",
            "dmarc",
            "starttls",
        ];
        const PHRASES: [&[&str]; 10] = [
            &["sender", "address"],
            &["sender", "verify"],
            &["sender", "verification"],
            &["as", "this", "sender"],
            &["send", "as"],
            &["client", "host"],
            &["sending", "quota"],
            &["sending", "limit"],
            &["ptr", "record"],
            &["reverse", "dns"],
        ];
        self.any(&ALONE) || PHRASES.iter().any(|p| self.phrase(p))
    }
}

/// The id under which the server queued the mail, where its reply tells: `queued as X` (Postfix,
/// smtp-server) or `id=X` (Exim).
pub(super) fn queued(said: &str) -> Option<String> {
    let after = |mark: &str| said.split_once(mark).map(|(_, after)| after);
    let id = after("queued as ").or_else(|| after("id="))?;
    let id = id.split_whitespace().next()?;
    let id = id.trim_matches(|c: char| !c.is_ascii_graphic() || "<>()[],;:.".contains(c));
    (!id.is_empty() && id.len() <= 255 && id.bytes().all(|b| b.is_ascii_graphic()))
        .then(|| id.to_owned())
}

#[cfg(test)]
#[path = "replies_tests.rs"]
mod tests;
