//! What this host and its account at the server are called.

use super::place::Place;
use crate::provider::{ProviderError, Settings};
use argon2::Argon2;
use lettre::transport::smtp::extension::ClientId;
use std::net::IpAddr;

/// How this host names itself: as set, else by the sender's domain. The machine's own name is not
/// asked: in containers it is a random number, which strict relays refuse.
pub(super) fn hello(settings: &Settings) -> Result<ClientId, ProviderError> {
    let name = settings.smtp_name.as_deref().map(str::trim);
    let name = match (name.filter(|n| !n.is_empty()), &settings.from) {
        (Some(name), _) => name,
        (None, Some(from)) => from.address.domain(),
        (None, None) => return Ok(ClientId::default()),
    };
    let literal = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
    let literal = literal.map(|n| n.strip_prefix("IPv6:").unwrap_or(n));
    match literal.unwrap_or(name).parse() {
        Ok(IpAddr::V4(ip)) => Ok(ClientId::Ipv4(ip)),
        Ok(IpAddr::V6(ip)) => Ok(ClientId::Ipv6(ip)),
        Err(_) => {
            let fine = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
            if name.len() <= 255 && name.bytes().all(fine) {
                Ok(ClientId::Domain(name.to_owned()))
            } else {
                Err(ProviderError::SmtpName)
            }
        }
    }
}

/// The server, and a digest that changes with user and password, so that a pause ends with a new
/// password. People choose passwords that can be guessed, so the digest is one that is slow to
/// compute.
pub(super) fn account(place: &Place) -> String {
    let shown = place.shown();
    let Some((user, password)) = &place.login else {
        return shown;
    };
    let salt = format!("denpyo {shown} {user}");
    let mut digest = [0; 4];
    match Argon2::default().hash_password_into(password.as_bytes(), salt.as_bytes(), &mut digest) {
        Ok(()) => format!("{shown}#{:08x}", u32::from_be_bytes(digest)),
        Err(_) => shown,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::provider::{self, samples};

    #[test]
    fn the_name_at_ehlo_is_set_or_the_senders_domain() {
        let named = |name: Option<&str>| {
            let settings = Settings {
                smtp_name: name.map(str::to_owned),
                from: Some(samples::envelope().content.sender),
                ..Settings::default()
            };
            hello(&settings).map(|h| h.to_string())
        };
        for (name, hello) in [
            (None, "example.com"),
            (Some(" "), "example.com"),
            (Some("mail.example.jp"), "mail.example.jp"),
            (Some("192.0.2.1"), "[192.0.2.1]"),
            (Some("[192.0.2.1]"), "[192.0.2.1]"),
            (Some("[IPv6:2001:db8::1]"), "[IPv6:2001:db8::1]"),
        ] {
            assert_eq!(named(name).as_deref(), Ok(hello));
        }
        for bad in ["a b", "a\r\nMAIL FROM:<>", "店.example", "[x]"] {
            assert_eq!(named(Some(bad)), Err(ProviderError::SmtpName));
        }
    }

    #[test]
    fn the_account_changes_with_the_password_and_shows_neither() {
        let account = |url: &str| {
            let settings = Settings {
                url: Some(url.to_owned()),
                from: Some(samples::envelope().content.sender),
                ..Settings::default()
            };
            provider::build("smtp", &settings)
                .unwrap()
                .account()
                .to_owned()
        };
        let one = account("smtp://user:one@mail.example.com");
        let two = account("smtp://user:two@mail.example.com");
        assert_ne!(one, two);
        assert!(
            one.starts_with("mail.example.com:587#") && !one.contains("user"),
            "{one}"
        );
        assert_eq!(
            account("smtp://mail.example.com?tls=none"),
            "mail.example.com:25"
        );
        let missing = provider::build("smtp", &Settings::default()).err();
        assert_eq!(missing, Some(ProviderError::UrlMissing));
    }
}
