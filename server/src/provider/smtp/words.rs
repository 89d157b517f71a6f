//! Texts in headers: encoded words of RFC 2047, folded.
//!
//! lettre's own headers encode a text word by word; here a text that needs it is encoded whole, so
//! that blanks at its ends and two in a row survive, a subject that happens to look like an encoded
//! word is not taken for one, and a text without blanks does not make a line of any length.

use app::model::address::Mailbox;
use email_encoding::headers::rfc2047;
use email_encoding::headers::writer::EmailWriter;

/// Longest line, without its end (RFC 5322, section 2.1.1).
const LONGEST_LINE: usize = 78;
/// A word of a plain text that is longer is encoded, so that lines can be kept short.
const LONGEST_PLAIN: usize = 60;

/// The text as the value of header `name`.
pub(super) fn text(name: &str, text: &str) -> String {
    let used = name.len() + 2;
    if plain(text) {
        folded(text, used)
    } else {
        encoded(text, used)
    }
}

/// A mailbox as the value of header `name`: the name in whatever form keeps it one name, and the
/// address as it stands.
pub(super) fn mailbox(name: &str, mailbox: &Mailbox) -> String {
    let address = mailbox.address.as_str();
    let Some(shown) = &mailbox.name else {
        return address.to_owned();
    };
    let used = name.len() + 2;
    // Quotes and backslashes inside quotes are what readers get wrong.
    let quotable = shown.len() <= LONGEST_PLAIN && plain(shown) && !shown.contains(['"', '\\']);
    let mut value = if quotable {
        format!("\"{shown}\"")
    } else {
        encoded(shown, used)
    };
    let line = match value.rfind('\n') {
        Some(end) => value.len() - end - 1,
        None => used + value.len(),
    };
    let fold = line + address.len() + 3 > LONGEST_LINE;
    let gap = if fold { "\r\n " } else { " " };
    value += &format!("{gap}<{address}>");
    value
}

/// Whether the text may stand as it is.
fn plain(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' '..=b'~'))
        && !text.contains("=?")
        && !text.contains("  ")
        && text.trim() == text
        && text.split(' ').all(|word| word.len() <= LONGEST_PLAIN)
}

fn folded(text: &str, used: usize) -> String {
    let mut value = String::with_capacity(text.len() + text.len() / 20);
    let mut line = used;
    for (i, word) in text.split(' ').enumerate() {
        if i > 0 {
            if line + 1 + word.len() > LONGEST_LINE {
                value += "\r\n";
                line = 0;
            }
            value.push(' ');
            line += 1;
        }
        value += word;
        line += word.len();
    }
    value
}

/// The text as encoded words, from column `used` on. `email-encoding` keeps characters whole, words
/// at 75 characters and lines at 76.
fn encoded(text: &str, used: usize) -> String {
    let mut value = String::with_capacity(text.len() * 2);
    // Writing to a String does not fail.
    let _ = rfc2047::encode(text, &mut EmailWriter::new(&mut value, used, 0, false));
    value
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
