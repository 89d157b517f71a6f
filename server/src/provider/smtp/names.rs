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
