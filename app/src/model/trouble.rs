//! What goes wrong between Denpyo and a service, in Denpyo's own words. Stored as one English line
//! (`504 the server offers no TLS`, `TLS was not agreed on: certificate expired`), and read back
//! from it, so that the desk says it in the reader's language. What a library says of it stands
//! behind the colon, as it is.

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
}

impl Trouble {
    /// Every trouble.
    pub const ALL: [Trouble; 16] = [
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
        }
    }

    /// With what a library says of it; nothing is added where that is blank.
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

/// A stored line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What went wrong.
    pub trouble: Trouble,
    /// The code that stands before it.
    pub code: Option<u16>,
    /// What a library says of it, in English; perhaps empty.
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
            Some(Told {
                trouble,
                code,
                detail: detail.to_owned(),
            })
        })
    }

    /// Code and detail, for brackets behind the sentence; perhaps empty.
    pub fn aside(&self) -> String {
        let code = self.code.map(|code| code.to_string());
        let parts = [code.as_deref().unwrap_or(""), &self.detail];
        parts
            .into_iter()
            .filter(|p| !p.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Lang;

    #[test]
    fn every_trouble_is_read_back_and_said_in_both_languages() {
        for trouble in Trouble::ALL {
            for (stored, aside) in [
                (trouble.to_string(), ""),
                (trouble.with("certificate expired"), "certificate expired"),
                (format!("504 {trouble}"), "504"),
            ] {
                let told = Told::parse(&stored).unwrap();
                assert_eq!((told.trouble, told.aside().as_str()), (trouble, aside));
                let [ja, en] = [Lang::Ja, Lang::En].map(|l| (l.words().mail.cause)(&stored));
                assert!(ja.ends_with('。') && ja.contains(aside), "{ja}");
                assert!(en.ends_with('.') && en.contains(aside), "{en}");
                assert!(!ja.contains(trouble.as_str()), "{ja}");
            }
        }
        for others in [
            "the connection was refused by policy",
            "550 no such user",
            "504",
            "",
        ] {
            assert_eq!(Told::parse(others), None, "{others}");
        }
    }
}
