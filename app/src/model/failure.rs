//! What went wrong, without what differs from mail to mail: failures of one kind are one line.

use super::mask::replace_addresses;
use super::recorded::{Recorded, VANISHED};
use super::unsendable::Unsendable;

/// In place of an address.
pub const ADDRESS: &str = "⟨address⟩";
/// In place of an id.
pub const ID: &str = "⟨id⟩";
/// In place of a number.
pub const NUMBER: &str = "⟨n⟩";
/// In place of a time.
pub const TIME: &str = "⟨time⟩";
/// Every mark that stands in place of something.
pub const MARKS: [&str; 4] = [ADDRESS, ID, NUMBER, TIME];

/// Longest text of a group, in characters.
const LONGEST: usize = 300;

/// What a failure's words come to once addresses, ids, numbers and times are taken out. Codes stay:
/// an answer's three digits at the beginning, and `5.1.1`.
pub fn normalised(text: &str) -> String {
    if let Some(fault) = Unsendable::parse(text) {
        // Where in the text it lies is of no matter.
        return fault.unplaced().to_string();
    }
    let text: String = text.chars().take(4 * LONGEST).collect();
    let text = replace_addresses(&text, |_| ADDRESS.to_owned());
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let first = out.is_empty();
        out.push(of_word(word, first));
    }
    let joined = dates(out).join(" ");
    joined.chars().take(LONGEST).collect()
}

/// What went wrong where nothing was said.
pub fn unsaid(cause: Option<&str>) -> &'static str {
    match cause {
        Some("vanished") => VANISHED,
        _ => "",
    }
}

/// A name for what went wrong, the same for every mail: service, code and words.
pub fn hash(provider: &str, code: Option<i32>, text: &str) -> String {
    let code = code.map(|code| code.to_string()).unwrap_or_default();
    // FNV-1a, 64 bits: it only has to tell a shop's failures apart.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in [provider, &code, text].join("\0").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// Whether a text is such a name.
pub fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether the words are Denpyo's own, said in the reader's language.
pub fn is_own(text: &str) -> bool {
    Recorded::parse(text).is_some()
}

/// One word with what stands around it: brackets, quotes, signs.
fn of_word(word: &str, first: bool) -> String {
    if first && word.len() == 3 && all_digits(word) {
        return word.to_owned();
    }
    if is_time(word.trim_matches(|c: char| !c.is_ascii_alphanumeric())) {
        let (before, after) = around(word);
        return format!("{before}{TIME}{after}");
    }
    let mut out = String::new();
    let mut token = String::new();
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        // A mark stays as it is.
        if let Some(mark) = MARKS.into_iter().find(|mark| rest.starts_with(mark)) {
            end_token(&mut out, &mut token);
            out.push_str(mark);
            rest = &rest[mark.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
            token.push(c);
        } else {
            end_token(&mut out, &mut token);
            out.push(c);
        }
    }
    end_token(&mut out, &mut token);
    out
}

fn around(word: &str) -> (&str, &str) {
    let inner = |c: char| c.is_ascii_alphanumeric();
    let begin = word.find(inner).unwrap_or(0);
    let end = word.rfind(inner).map_or(0, |i| i + 1);
    (&word[..begin], &word[end.max(begin)..])
}

fn end_token(out: &mut String, token: &mut String) {
    let whole = std::mem::take(token);
    let core = whole.trim_matches(['.', '-', '_']);
    if core.is_empty() || !core.bytes().any(|b| b.is_ascii_digit()) {
        out.push_str(&whole);
        return;
    }
    let (before, after) = around(&whole);
    out.push_str(before);
    out.push_str(match core {
        // `550-5.1.1` begins each but the last of several lines.
        _ if is_enhanced_code(core.strip_prefix(reply_code(core)).unwrap_or(core)) => core,
        _ if core.bytes().all(|b| b.is_ascii_digit() || b == b'.') => NUMBER,
        // Short ones are names: TLSv1, IPv6, utf8.
        _ if core.len() < 8 && core.bytes().next().is_some_and(|b| b.is_ascii_alphabetic()) => core,
        _ => ID,
    });
    out.push_str(after);
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `550-` at the beginning, or nothing.
fn reply_code(text: &str) -> &str {
    match text.split_once('-') {
        Some((code, _)) if code.len() == 3 && all_digits(code) => &text[..4],
        _ => "",
    }
}

/// RFC 3463: `5.1.1`.
fn is_enhanced_code(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3
        && matches!(parts[0], "2" | "4" | "5")
        && parts.iter().all(|part| part.len() <= 3 && all_digits(part))
}

/// `14:02:11`, `2026-11-30`, `2026/11/30`, `2026-11-30T14:02:11.123Z`.
fn is_time(text: &str) -> bool {
    let signs = |sign: u8| text.bytes().filter(|b| *b == sign).count();
    let allowed = |b: u8| b.is_ascii_digit() || b":-/.+TZ".contains(&b);
    text.bytes().all(allowed)
        && text.bytes().next().is_some_and(|b| b.is_ascii_digit())
        && (signs(b'.') < 2 && signs(b':') >= 1 || signs(b'-') >= 2 || signs(b'/') >= 2)
}

/// The names of a date beside its numbers: `Mon, 30 Nov 2026 14:02:11 +0900` is one time.
fn dates(words: Vec<String>) -> Vec<String> {
    const NAMES: [&str; 19] = [
        "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar", "Apr", "May", "Jun",
        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let figure = |word: &str| {
        let core = word.trim_matches(|c: char| ",+()".contains(c));
        core == NUMBER || core == TIME
    };
    let named = |word: &str| NAMES.contains(&word.trim_end_matches(','));
    let mut out: Vec<String> = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let run = words[i..]
            .iter()
            .take_while(|word| figure(word) || named(word))
            .count();
        let part = &words[i..i + run];
        if part.iter().any(|w| named(w)) && part.iter().any(|w| figure(w)) {
            out.push(TIME.to_owned());
            i += run;
        } else {
            out.push(words[i].clone());
            i += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_mail_to_mail_is_taken_out() {
        for (text, expected) in [
            (
                "550 5.1.1 <tanaka@example.jp>: Recipient address rejected",
                "550 5.1.1 <⟨address⟩>: Recipient address rejected",
            ),
            (
                "550-5.1.1 The account does not exist. 550 5.1.1 Learn more 9xf12ab34-c",
                "550-5.1.1 The account does not exist. ⟨n⟩ 5.1.1 Learn more ⟨id⟩",
            ),
            (
                "451 4.7.1 Greylisted until 2026-11-30T14:02:11Z, try again in 300 seconds",
                "451 4.7.1 Greylisted until ⟨time⟩, try again in ⟨n⟩ seconds",
            ),
            (
                "queued as 4Xk2hB9zq1z (0c6c47c2-6b2b-4d11-9d7c-0a7a3a7f9b10)",
                "queued as ⟨id⟩ (⟨id⟩)",
            ),
            (
                "rate limit: 600 of 600 at Mon, 30 Nov 2026 14:02:11 +0900",
                "rate limit: ⟨n⟩ of ⟨n⟩ at ⟨time⟩",
            ),
            (
                "the connection was refused: 127.0.0.1:2525",
                "the connection was refused: ⟨n⟩:⟨n⟩",
            ),
            (
                "宛先 tanaka@example.jp は受け取れません（番号：12345）",
                "宛先 ⟨address⟩ は受け取れません（番号：⟨n⟩）",
            ),
            (
                "TLSv1.2 is too old, use IPv6",
                "TLSv1.2 is too old, use IPv6",
            ),
            ("id=1234567 ref:abcdef12", "id=⟨n⟩ ref:⟨id⟩"),
            ("a   b\n c", "a b c"),
            ("", ""),
        ] {
            assert_eq!(normalised(text), expected);
            assert_eq!(normalised(&normalised(text)), expected, "it stays");
        }
    }

    #[test]
    fn own_words_are_still_known() {
        for text in [
            "the connection was refused: Connection refused (os error 111)",
            "504 the server offers no TLS",
            VANISHED,
        ] {
            assert!(is_own(&normalised(text)), "{text}");
        }
        let [a, b] = [3, 90].map(|at| {
            normalised(&format!(
                "recipient: blank or invisible character at character {at}"
            ))
        });
        assert_eq!(a, b);
        assert!(is_own(&a), "{a}");
    }

    #[test]
    fn groups_are_told_apart_by_service_code_and_words() {
        let one = hash("sendgrid", Some(400), "bad");
        assert!(is_hash(&one), "{one}");
        for other in [
            hash("ses", Some(400), "bad"),
            hash("sendgrid", Some(413), "bad"),
            hash("sendgrid", None, "400bad"),
            hash("sendgrid", Some(400), "worse"),
        ] {
            assert_ne!(one, other);
        }
        assert_eq!(one, hash("sendgrid", Some(400), "bad"));
        for no in [
            "",
            "0123456789abcde",
            "0123456789ABCDEF",
            "0123456789abcdeg",
            "0123456789abcdef0",
        ] {
            assert!(!is_hash(no), "{no}");
        }
    }
}
