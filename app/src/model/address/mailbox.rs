//! A display name and an address, as headers and settings write them.

use super::{Address, AddressFault, LONGEST_NAME, blank, breaks};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A display name and an address.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mailbox {
    /// The name, without quotes.
    pub name: Option<String>,
    /// The bare address.
    pub address: Address,
}

impl Mailbox {
    /// Reads `name <address>` or a bare address; blanks around either are dropped. The text is
    /// one mailbox always: a comma in the name belongs to the name, and two addresses are a fault.
    pub fn parse(text: &str) -> Result<Mailbox, AddressFault> {
        if let Some(i) = text.chars().position(breaks) {
            return Err(AddressFault::Control { at: i + 1 });
        }
        let lead = text.chars().take_while(|c| blank(*c)).count();
        let text = text.trim_matches(blank);
        let Some(rest) = text.strip_suffix('>') else {
            return match Address::parse(text) {
                Ok(address) => Ok(Mailbox {
                    name: None,
                    address,
                }),
                Err(_) if text.contains('<') => Err(AddressFault::Brackets),
                Err(fault) => Err(fault.placed(|at| at + lead)),
            };
        };
        let (name, inside) = rest.rsplit_once('<').ok_or(AddressFault::Brackets)?;
        let offset = lead + name.chars().count() + 1;
        let inner_lead = inside.chars().take_while(|c| blank(*c)).count();
        let address = Address::parse(inside.trim_matches(blank))
            .map_err(|fault| fault.placed(|at| at + offset + inner_lead))?;
        if let Some(i) = second_address(name) {
            return Err(AddressFault::Several { at: lead + i + 1 });
        }
        let name = unquote(name.trim_matches(blank));
        if name.chars().count() > LONGEST_NAME {
            return Err(AddressFault::NameTooLong);
        }
        Ok(Mailbox {
            name: (!name.trim().is_empty()).then_some(name),
            address,
        })
    }
}

/// Where, in characters, an address of its own stands in what should be a name: in brackets, or as
/// one of several parts between commas. A name that is an address as a whole is a name.
fn second_address(name: &str) -> Option<usize> {
    let trimmed = name.trim_matches(blank);
    if quoted(trimmed) {
        return None;
    }
    let place = |byte: usize| name[..byte].chars().count();
    for (byte, _) in name.match_indices('<') {
        let inside = &name[byte + 1..];
        let end = inside.find('>').unwrap_or(inside.len());
        if Address::parse(inside[..end].trim_matches(blank)).is_ok() {
            return Some(place(byte + 1));
        }
    }
    let mut byte = 0;
    for part in name.split([',', ';']) {
        let whole = part.len() == name.len();
        if !whole && Address::parse(part.trim_matches(blank)).is_ok() {
            return Some(place(byte));
        }
        byte += part.len() + 1;
    }
    None
}

/// Whether the text is one quoted string from its first character to its last.
fn quoted(text: &str) -> bool {
    let Some(inside) = text.strip_prefix('"') else {
        return false;
    };
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        let taken = match c {
            '"' => return chars.next().is_none(),
            '\\' => chars.next(),
            c => Some(c),
        };
        if taken.is_none() {
            break;
        }
    }
    false
}

fn unquote(text: &str) -> String {
    if !quoted(text) {
        return text.to_owned();
    }
    let mut name = String::with_capacity(text.len());
    let mut chars = text[1..text.len() - 1].chars();
    while let Some(c) = chars.next() {
        name.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    name
}

/// As a header or a settings file has it: the name in quotes where it needs them.
impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(name) = &self.name else {
            return self.address.fmt(f);
        };
        if name.contains(|c: char| "()<>[]:;@\\,.\"".contains(c)) {
            let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
            write!(f, "\"{escaped}\" <{}>", self.address)
        } else {
            write!(f, "{name} <{}>", self.address)
        }
    }
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mailbox({:?})", self.address)
    }
}
