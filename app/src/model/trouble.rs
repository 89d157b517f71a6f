//! What goes wrong between Denpyo and a service, in Denpyo's own words. Stored as one English line
//! (`504 the server offers no TLS`, `TLS was not agreed on: certificate expired`), and read back
//! from it, so that the desk says it in the reader's language. Behind the colon stands where the
//! conversation was and how long was waited (`no answer came in time: message 30s`), or what a
//! library or the service says of it, as it is.

use std::fmt;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The host's name is not known (DNS).
    HostUnknown,
    /// Nobody takes connections there.
    Refused,
    /// No way leads to the host.
    Unreachable,
    /// No connection, for another reason.
    NoConnection,
    /// No connection in time.
    ConnectTimeout,
    /// The TLS handshake failed: a certificate, say.
    Tls,
    /// The mail server has no STARTTLS.
    NoTls,
    /// The mail server takes no user and password.
    NoSignIn,
    /// Connected, and no answer in time.
    NoAnswer,
    /// Connected, and cut.
    Cut,
    /// An answer that is not what it should be.
    Unreadable,
    /// More of an answer than is read, or less than is needed.
    Incomplete,
    /// A request that could not be made.
    Build,
    /// The program itself failed.
    Fault,
    /// No time was left of the lease.
    LeaseOver,
    /// A repeated request would be another one.
    RequestDiffers,
    /// The service sends nothing to this recipient any more.
    Suppressed,
    /// The service found the mail itself not valid.
    InvalidMail,
}

impl Trouble {
    /// Every trouble.
    pub const ALL: [Trouble; 18] = [
        Trouble::HostUnknown,
        Trouble::Refused,
        Trouble::Unreachable,
        Trouble::NoConnection,
        Trouble::ConnectTimeout,
        Trouble::Tls,
        Trouble::NoTls,
        Trouble::NoSignIn,
        Trouble::NoAnswer,
        Trouble::Cut,
        Trouble::Unreadable,
        Trouble::Incomplete,
        Trouble::Build,
        Trouble::Fault,
        Trouble::LeaseOver,
        Trouble::RequestDiffers,
        Trouble::Suppressed,
        Trouble::InvalidMail,
    ];

    /// The stored words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Trouble::HostUnknown => "the host name was not found",
            Trouble::Refused => "the connection was refused",
            Trouble::Unreachable => "the network does not reach the host",
            Trouble::NoConnection => "no connection was made",
            Trouble::ConnectTimeout => "no connection was made in time",
            Trouble::Tls => "TLS was not agreed on",
            Trouble::NoTls => "the server offers no TLS",
            Trouble::NoSignIn => "the server offers no sign-in by password",
            Trouble::NoAnswer => "no answer came in time",
            Trouble::Cut => "the connection was cut",
            Trouble::Unreadable => "the answer cannot be read",
            Trouble::Incomplete => "the answer is not complete",
            Trouble::Build => "the request could not be made",
            Trouble::Fault => "the program failed over it; its log says where",
            Trouble::LeaseOver => "no time was left of the lease",
            Trouble::RequestDiffers => "the request would not be the same",
            Trouble::Suppressed => "the service sends nothing to this recipient any more",
            Trouble::InvalidMail => "the service found the mail not valid",
        }
    }

    /// With what a library or the service says of it; nothing is added where that is blank.
    pub fn with(self, detail: &str) -> String {
        match detail.trim() {
            "" => self.to_string(),
            detail => format!("{self}: {detail}"),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a conversation with a mail server was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Until EHLO is answered, TLS included.
    Greeting,
    /// AUTH.
    SignIn,
    /// MAIL.
    Sender,
    /// RCPT.
    Recipient,
    /// DATA, before the message.
    Data,
    /// From the message's first byte on: only here may the server have accepted.
    Message,
}

impl Step {
    /// In their order.
    pub const ALL: [Step; 6] = [
        Step::Greeting,
        Step::SignIn,
        Step::Sender,
        Step::Recipient,
        Step::Data,
        Step::Message,
    ];

    /// The stored word: the protocol's own, but for the message.
    pub const fn as_str(self) -> &'static str {
        match self {
            Step::Greeting => "EHLO",
            Step::SignIn => "AUTH",
            Step::Sender => "MAIL",
            Step::Recipient => "RCPT",
            Step::Data => "DATA",
            Step::Message => "message",
        }
    }
}

/// A stored line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What went wrong.
    pub trouble: Trouble,
    /// The code that stands before it.
    pub code: Option<u16>,
    /// Where a conversation with a mail server was.
    pub step: Option<Step>,
    /// How long was waited, in seconds as a text.
    pub waited: Option<String>,
    /// What a library or the service says of it, in English; perhaps empty.
    pub detail: String,
}

impl Told {
    /// Reads a stored line; `None` where the words are somebody else's.
    pub fn parse(text: &str) -> Option<Told> {
        let (code, text) = match text.split_once(' ') {
            Some((code, rest)) if code.len() == 3 => match code.parse() {
                Ok(code) => (Some(code), rest),
                Err(_) => (None, text),
            },
            _ => (None, text),
        };
        Trouble::ALL.into_iter().find_map(|trouble| {
            let rest = text.strip_prefix(trouble.as_str())?;
            let detail = match rest.strip_prefix(": ") {
                Some(detail) => detail,
                None if rest.is_empty() => "",
                None => return None,
            };
            let (step, detail) = step(detail);
            let waited = waited(detail);
            let detail = waited.as_ref().map_or(detail, |_| "");
            Some(Told {
                trouble,
                code,
                step,
                waited,
                detail: detail.to_owned(),
            })
        })
    }

    /// What stands in brackets behind the sentence, perhaps nothing: the code, where it was and how
    /// long was waited in the reader's words, and the detail.
    pub fn aside(&self, at: Option<String>, waited: Option<String>) -> Vec<String> {
        let code = self.code.map(|code| code.to_string());
        let detail = Some(self.detail.clone()).filter(|d| !d.is_empty());
        [code, at, waited, detail].into_iter().flatten().collect()
    }
}

/// The step that a detail begins with, and the rest.
fn step(detail: &str) -> (Option<Step>, &str) {
    let (first, rest) = detail.split_once(' ').unwrap_or((detail, ""));
    let step = Step::ALL.into_iter().find(|s| s.as_str() == first);
    (step, step.map_or(detail, |_| rest))
}

/// The seconds of a time such as `30s` or `700ms`, which is how a limit is stored.
fn waited(detail: &str) -> Option<String> {
    let (figure, thousandths) = match detail.strip_suffix("ms") {
        Some(figure) => (figure, true),
        None => (detail.strip_suffix('s')?, false),
    };
    let figure: f64 = figure.parse().ok().filter(|f: &f64| f.is_finite())?;
    Some(if thousandths {
        (figure / 1000.0).to_string()
    } else {
        figure.to_string()
    })
}

#[cfg(test)]
#[path = "trouble_tests.rs"]
mod tests;
