//! `DENPYO_PROVIDER_URL` of a relay: `smtp://user:password@host:587`, `smtps://host:465`,
//! `smtp://host:25?tls=none`.
//!
//! Read by hand and not as a web address: in a web address an unescaped `@`, `/`, `#` or `?` of a
//! password moves the boundaries silently, and the mail would go to another host, or sign in with
//! half a password.

use super::ProviderError;
use url::Host;

/// How the connection is kept from others' eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// Begins in clear text and must change to TLS (STARTTLS) before anything else is said.
    Upgraded,
    /// From the first byte.
    Wrapped,
    /// None, because the settings say so.
    None,
}

/// Where the relay is, and who signs in there.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// A name or an IP address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: Tls,
    /// User and password, decoded.
    pub(super) login: Option<(String, String)>,
}

const SHAPE: &str = "write smtp://user:password@host:587, smtps://host:465, or \
                     smtp://host:25?tls=none for a relay without TLS";
const ESCAPES: &str = "signs in the user or password that have a meaning in an address must be \
                       written as % and two digits: @ as %40, : as %3A, / as %2F, # as %23, \
                       ? as %3F, % as %25";

fn wrong(why: &str) -> ProviderError {
    ProviderError::Url(why.to_owned())
}

impl Place {
    /// Reads the address. `key` is `DENPYO_PROVIDER_KEY`, which may hold the password. No error
    /// repeats what was written.
    pub(super) fn read(text: &str, key: Option<&str>) -> Result<Place, ProviderError> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong(SHAPE))?;
        let wrapped = match scheme.to_ascii_lowercase().as_str() {
            "smtp" => false,
            "smtps" => true,
            _ => return Err(wrong(SHAPE)),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, after) = rest.split_at(end);
        // A boundary before an @ is a sign of the password's that was taken for the end.
        if after.contains('@') || authority.matches('@').count() > 1 {
            return Err(wrong(ESCAPES));
        }
        let (person, host) = match authority.rsplit_once('@') {
            Some((person, host)) => (Some(person), host),
            None => (None, authority),
        };
        let (host, port) = host_and_port(host)?;
        let tls = match (wrapped, query(after)?) {
            (true, None) => Tls::Wrapped,
            (false, None) => Tls::Upgraded,
            (false, Some(none)) if none == "none" => Tls::None,
            (wrapped, Some(word)) if word == "required" => {
                if wrapped {
                    Tls::Wrapped
                } else {
                    Tls::Upgraded
                }
            }
            (true, Some(_)) => {
                return Err(wrong(
                    "smtps:// is TLS from the start: drop what follows the ?",
                ));
            }
            (false, Some(_)) => {
                return Err(wrong("after the ? only tls=none or tls=required may stand"));
            }
        };
        let port = port.unwrap_or(match tls {
            Tls::Upgraded => 587,
            Tls::Wrapped => 465,
            Tls::None => 25,
        });
        match (tls, port) {
            (Tls::Upgraded, 465) => Err(wrong("port 465 is TLS from the start: write smtps://")),
            (Tls::Wrapped, 587) => Err(wrong("port 587 changes to TLS later: write smtp://")),
            _ => Ok(Place {
                host,
                port,
                tls,
                login: login(person, key)?,
            }),
        }
    }

    /// `host:port`, as it may be shown.
    pub(super) fn shown(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

fn host_and_port(text: &str) -> Result<(String, Option<u16>), ProviderError> {
    let (host, port) = match text.rsplit_once(':') {
        // The last colon may be one of an IPv6 address.
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    };
    let host = match Host::parse(host) {
        Ok(Host::Domain(name)) => name,
        Ok(Host::Ipv4(ip)) => ip.to_string(),
        Ok(Host::Ipv6(ip)) => ip.to_string(),
        // Most likely a part of a password.
        Err(_) => return Err(wrong(&format!("{SHAPE}; {ESCAPES}"))),
    };
    let port = match port {
        None => None,
        Some(port) => match port.parse() {
            Ok(port @ 1..) => Some(port),
            _ => return Err(wrong(&format!("the port is no number; {ESCAPES}"))),
        },
    };
    Ok((host, port))
}

/// The value of `tls` in what follows the host.
fn query(after: &str) -> Result<Option<String>, ProviderError> {
    let (path, query) = match after.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (after, None),
    };
    if !matches!(path, "" | "/") {
        return Err(wrong(&format!(
            "nothing may follow the host and port; {ESCAPES}"
        )));
    }
    match query {
        None => Ok(None),
        Some(query) => match query.trim_end_matches('/').split_once('=') {
            Some(("tls", value)) => Ok(Some(value.to_ascii_lowercase())),
            _ => Err(wrong("after the ? only tls=none or tls=required may stand")),
        },
    }
}

fn login(
    person: Option<&str>,
    key: Option<&str>,
) -> Result<Option<(String, String)>, ProviderError> {
    let key = key.map(str::trim).filter(|k| !k.is_empty());
    let Some(person) = person else {
        return match key {
            None => Ok(None),
            Some(_) => Err(wrong(
                "DENPYO_PROVIDER_KEY is the password, so the address must name the user: \
                 smtp://user@host:587",
            )),
        };
    };
    let (user, password) = match person.split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (person, None),
    };
    let user = decoded(user)?;
    if user.is_empty() {
        return Err(wrong("the user before the @ is missing"));
    }
    let password = match (password, key) {
        (Some(password), None) => decoded(password)?,
        (None, Some(key)) => key.to_owned(),
        (None, None) => return Err(ProviderError::KeyMissing),
        (Some(_), Some(_)) => {
            return Err(wrong(
                "the password stands both in the address and in DENPYO_PROVIDER_KEY",
            ));
        }
    };
    if password.is_empty() || password.contains('\0') || user.contains('\0') {
        return Err(wrong("the password is empty, or holds a NUL character"));
    }
    Ok(Some((user, password)))
}

/// Undoes percent-encoding, and refuses what it leaves open.
fn decoded(text: &str) -> Result<String, ProviderError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |i: usize| {
            let digit = char::from(*rest.get(i)?).to_digit(16)?;
            u8::try_from(digit).ok()
        };
        let (Some(high), Some(low)) = (digit(0), digit(1)) else {
            return Err(wrong(ESCAPES));
        };
        bytes.push(high * 16 + low);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).map_err(|_| wrong("the user or password is no UTF-8 once decoded"))
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
