//! What a library's error means, in the words of [`Trouble`].

use app::model::trouble::Trouble;
use std::error::Error;
use std::io;

/// Looks through an error and what lies behind it; `otherwise` where nothing there is known.
pub(super) fn of(error: &(dyn Error + 'static), otherwise: Trouble) -> Trouble {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(trouble) = known(error) {
            return trouble;
        }
        next = error.source();
    }
    otherwise
}

fn known(error: &(dyn Error + 'static)) -> Option<Trouble> {
    if error.is::<rustls::Error>() {
        return Some(Trouble::Tls);
    }
    let Some(error) = error.downcast_ref::<io::Error>() else {
        // hyper-util says so of whatever its resolver says.
        return (error.to_string() == "dns error").then_some(Trouble::HostUnknown);
    };
    // An `io::Error` hides what it wraps from its `source`.
    if let Some(inner) = error.get_ref()
        && let Some(trouble) = known(inner)
    {
        return Some(trouble);
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some(Trouble::Refused),
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NetworkDown => Some(Trouble::Unreachable),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => Some(Trouble::Cut),
        // The standard library's words of `getaddrinfo`, which have no kind.
        _ if error.to_string().starts_with("failed to lookup address") => {
            Some(Trouble::HostUnknown)
        }
        _ => None,
    }
}

/// The trouble, with the library's words where they add something to it.
pub(super) fn told(trouble: Trouble, words: &str) -> String {
    match trouble {
        Trouble::HostUnknown
        | Trouble::Refused
        | Trouble::Unreachable
        | Trouble::ConnectTimeout
        | Trouble::NoAnswer => trouble.to_string(),
        _ => trouble.with(words.split(" (os error ").next().unwrap_or(words)),
    }
}
