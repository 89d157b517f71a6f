//! Addresses and mailboxes: what counts as one recipient, and what as a sender with a name.
//!
//! The lengths are those of RFC 5321: 64 bytes before the `@` (section 4.5.3.1.1), and 254 in all,
//! which is what its path limit of 256 leaves between the angle brackets (section 4.5.3.1.3). Dots
//! may stand anywhere before the `@`: RFC 5322 forbids `a..b.@example.ne.jp` without quotes, but
//! Japanese carriers gave such addresses out, and their owners still read their mail there.
//!
//! Not accepted, each with its own reason: quoted local parts, address literals (`[192.0.2.1]`),
//! and characters outside ASCII on either side (internationalised domains go in their `xn--` form).

mod mailbox;

pub use mailbox::Mailbox;

use super::date::narrow;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest address, in bytes.
pub const LONGEST: usize = 254;
/// Longest part before the `@`, in bytes.
pub const LONGEST_LOCAL: usize = 64;
/// Longest name beside an address, in characters.
pub const LONGEST_NAME: usize = 320;

/// Exactly one address that no header and no command can be broken with.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address(String);

/// Why a text is not an address. Places count characters from 1, so that a page can point at
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fault")]
pub enum AddressFault {
    /// Nothing there.
    Empty,
    /// No `@`.
    NoAt,
    /// A second `@`, or a second address.
    Several {
        /// The second one's place.
        at: usize,
    },
    /// Nothing before the `@`.
    NoLocal,
    /// Nothing after the `@`.
    NoDomain,
    /// A line break or another control character.
    Control {
        /// Its place.
        at: usize,
    },
    /// A blank, wide or invisible ones included.
    Blank {
        /// Its place.
        at: usize,
    },
    /// A character outside ASCII before the `@`.
    WideLocal {
        /// Its place.
        at: usize,
    },
    /// A character outside ASCII after the `@`.
    WideDomain {
        /// Its place.
        at: usize,
    },
    /// A quoted part before the `@`.
    Quoted,
    /// A character that addresses do not have there.
    Sign {
        /// Its place.
        at: usize,
    },
    /// An empty part of the domain, as in `a@b..jp` and `a@.jp`.
    DomainDot {
        /// The dot's place.
        at: usize,
    },
    /// A part of the domain that begins or ends with a hyphen, or is over 63 bytes long.
    DomainPart,
    /// Over 64 bytes before the `@`.
    LocalTooLong,
    /// Over 254 bytes.
    TooLong,
    /// A name beside the address, where an address alone is wanted.
    Named,
    /// `name <address>` without one of its brackets.
    Brackets,
    /// The name beside the address is too long.
    NameTooLong,
}

impl Address {
    /// Reads an address exactly as written: blanks around it are a fault too (see [`tidy`]).
    pub fn parse(text: &str) -> Result<Address, AddressFault> {
        if text.is_empty() {
            return Err(AddressFault::Empty);
        }
        if named(text) {
            return Err(AddressFault::Named);
        }
        for (i, c) in text.chars().enumerate() {
            if breaks(c) {
                return Err(AddressFault::Control { at: i + 1 });
            }
            if blank(c) {
                // A blank between two addresses is not what is wrong with them.
                return Err(match second_part(text) {
                    Some(at) => AddressFault::Several { at },
                    None => AddressFault::Blank { at: i + 1 },
                });
            }
        }
        if text.starts_with('"') {
            return Err(AddressFault::Quoted);
        }
        let (local, domain) = text.split_once('@').ok_or(AddressFault::NoAt)?;
        let before = local.chars().count();
        if let Some(i) = domain.chars().position(|c| c == '@') {
            return Err(AddressFault::Several { at: before + i + 2 });
        }
        if local.is_empty() {
            return Err(AddressFault::NoLocal);
        }
        if domain.is_empty() {
            return Err(AddressFault::NoDomain);
        }
        for (i, c) in local.chars().enumerate() {
            if !c.is_ascii() {
                return Err(AddressFault::WideLocal { at: i + 1 });
            }
            if !(c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c)) {
                return Err(AddressFault::Sign { at: i + 1 });
            }
        }
        check_domain(domain, before + 1)?;
        if local.len() > LONGEST_LOCAL {
            return Err(AddressFault::LocalTooLong);
        }
        if text.len() > LONGEST {
            return Err(AddressFault::TooLong);
        }
        Ok(Address(text.to_owned()))
    }

    /// As written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands after the `@`.
    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, domain)| domain)
    }
}

/// Whether it is a name and an address in brackets, on one line.
fn named(text: &str) -> bool {
    let parts = text
        .trim_matches(blank)
        .strip_suffix('>')
        .and_then(|rest| rest.rsplit_once('<'));
    let line = !text.chars().any(breaks);
    line && parts.is_some_and(|(name, inside)| {
        !name.trim_matches(blank).is_empty() && !name.contains('@') && inside.contains('@')
    })
}

/// The place of the second of several addresses, listed as people list them.
fn second_part(text: &str) -> Option<usize> {
    let parts_at = |c: char| blank(c) || matches!(c, ',' | ';' | '、' | '，' | '；');
    let mut place = 1;
    let mut found = 0;
    for part in text.split(parts_at) {
        let inside = part.trim_matches(['<', '>']);
        let around = inside.split_once('@').unwrap_or_default();
        if !around.0.is_empty() && !around.1.is_empty() {
            found += 1;
            if found == 2 {
                return Some(place);
            }
        }
        place += part.chars().count() + 1;
    }
    None
}

/// `offset` is the number of characters before the domain.
fn check_domain(domain: &str, offset: usize) -> Result<(), AddressFault> {
    let mut previous = '.';
    for (i, c) in domain.chars().enumerate() {
        let at = offset + i + 1;
        match c {
            '.' if previous == '.' => return Err(AddressFault::DomainDot { at }),
            '.' | '-' | '_' => {}
            c if c.is_ascii_alphanumeric() => {}
            c if !c.is_ascii() => return Err(AddressFault::WideDomain { at }),
            _ => return Err(AddressFault::Sign { at }),
        }
        previous = c;
    }
    if previous == '.' {
        return Err(AddressFault::DomainDot {
            at: offset + domain.chars().count(),
        });
    }
    let bad = |part: &str| part.len() > 63 || part.starts_with('-') || part.ends_with('-');
    if domain.split('.').any(bad) {
        return Err(AddressFault::DomainPart);
    }
    Ok(())
}

/// Line breaks of every kind, and control characters.
pub fn breaks(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Blanks, and characters that cannot be seen.
fn blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names the domain alone: what is printed for debugging may land in a log.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address(…@{})", self.domain())
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.0
    }
}

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Address, String> {
        Address::parse(&text).map_err(|fault| format!("{fault:?}"))
    }
}

impl AddressFault {
    /// The same fault with its place changed.
    pub(super) fn placed(self, place: impl FnOnce(usize) -> usize) -> AddressFault {
        use AddressFault as F;
        match self {
            F::Several { at } => F::Several { at: place(at) },
            F::Control { at } => F::Control { at: place(at) },
            F::Blank { at } => F::Blank { at: place(at) },
            F::WideLocal { at } => F::WideLocal { at: place(at) },
            F::WideDomain { at } => F::WideDomain { at: place(at) },
            F::Sign { at } => F::Sign { at: place(at) },
            F::DomainDot { at } => F::DomainDot { at: place(at) },
            other => other,
        }
    }

    /// The place it names.
    pub fn place(self) -> Option<usize> {
        use AddressFault as F;
        match self {
            F::Several { at }
            | F::Control { at }
            | F::Blank { at }
            | F::WideLocal { at }
            | F::WideDomain { at }
            | F::Sign { at }
            | F::DomainDot { at } => Some(at),
            _ => None,
        }
    }
}

/// What a person meant who pasted an address: without blanks and line ends around it, `mailto:`,
/// the name beside it, a full stop or comma behind it, and with full-width characters narrowed.
/// What is wrong inside stays, for [`Address::parse`] to point at.
pub fn tidy(text: &str) -> String {
    let around = |c: char| blank(c) || c.is_control();
    let text = text.trim_matches(around);
    let text = match (text.rfind(['<', '＜']), text.ends_with(['>', '＞'])) {
        (Some(open), true) => text[open..].trim_matches(['<', '＜', '>', '＞']),
        _ => text,
    };
    let narrowed: String = text.chars().map(narrow).collect();
    let lower = narrowed.get(..7).map(str::to_ascii_lowercase);
    let rest = match lower.as_deref() {
        Some("mailto:") => &narrowed[7..],
        _ => narrowed.as_str(),
    };
    rest.trim_matches(|c: char| around(c) || matches!(c, ',' | ';' | '、' | '。' | '，'))
        .to_owned()
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
