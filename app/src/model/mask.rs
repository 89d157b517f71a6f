//! Addresses for eyes that need not see them: enough to know one again, not enough to write to it.

use super::date::narrow;

/// In place of what is hidden; always as long, so that the length tells nothing.
const HIDDEN: &str = "•••";

/// `so•••@example.jp` of `soumu@example.jp`. Of what is no address nothing is shown.
pub fn mask(address: &str) -> String {
    if address.is_empty() {
        return String::new();
    }
    let Some((local, domain)) = address.rsplit_once('@') else {
        return HIDDEN.to_owned();
    };
    let shown = match local.chars().count() {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    };
    let begin: String = local.chars().take(shown).collect();
    format!("{begin}{HIDDEN}@{domain}")
}

/// A text with every address in it masked: services repeat them in their answers, and people in
/// their reasons.
pub fn mask_in(text: &str) -> String {
    replace_addresses(text, mask)
}

/// A text with every address in it replaced.
pub fn replace_addresses(text: &str, with: impl Fn(&str) -> String) -> String {
    // Full-width forms as well: people write them.
    let wide = |c: char| ('\u{ff01}'..='\u{ff5e}').contains(&c);
    let ends = |c: char| "<>()[]{}\"'`,;:，；：（）＜＞［］@＠".contains(c);
    let of_local = |c: char| (c.is_ascii_graphic() || wide(c)) && !ends(c);
    let of_domain = |c: char| {
        let c = narrow(c);
        c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['@', '＠']) {
        let (before, after) = rest.split_at(at);
        let sign = after.chars().next().map_or(1, char::len_utf8);
        let begin = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| of_local(*c))
            .last()
            .map_or(at, |(i, _)| i);
        // Names in other letters too: where one ends and a sentence begins is not to be told, so
        // that more is hidden rather than less.
        let begin = if begin == at {
            before
                .char_indices()
                .rev()
                .take_while(|(_, c)| c.is_alphanumeric() || of_local(*c))
                .last()
                .map_or(at, |(i, _)| i)
        } else {
            begin
        };
        let tail = &after[sign..];
        let end = tail.find(|c| !of_domain(c)).unwrap_or(tail.len());
        let foreign = end == 0 && tail.starts_with(char::is_alphanumeric);
        out.push_str(&before[..begin]);
        if begin == at || (end == 0 && !foreign) {
            out.push_str(&rest[begin..at + sign + end]);
        } else {
            out.push_str(&with(&format!("{}@{}", &before[begin..], &tail[..end])));
        }
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_again_and_no_more() {
        for (whole, masked) in [
            ("soumu@example.jp", "so•••@example.jp"),
            ("a@example.com", "•••@example.com"),
            ("abc@example.com", "a•••@example.com"),
            ("a..b.@docomo.example.jp", "a.•••@docomo.example.jp"),
            ("nobody", "•••"),
            ("two@at@example.jp", "tw•••@example.jp"),
            ("", ""),
        ] {
            assert_eq!(mask(whole), masked);
        }
    }

    #[test]
    fn addresses_in_a_text_are_found_wherever_they_stand() {
        for (text, masked) in [
            (
                "550 5.1.1 <soumu@example.jp>: unknown",
                "550 5.1.1 <so•••@example.jp>: unknown",
            ),
            (
                "soumu@example.jpではなくtanaka@example.jp、とのこと",
                "so•••@example.jpではなくta•••@example.jp、とのこと",
            ),
            ("宛先：soumu@example.jp。", "宛先：so•••@example.jp。"),
            ("rcpt=soumu@example.jp;", "rc•••@example.jp;"),
            ("ｔanaka＠example.jp です", "ｔa•••@example.jp です"),
            ("soumu@例え.jp へ", "so•••@例え.jp へ"),
            ("soumu@mail.例え.jp", "so•••@mail.例え.jp"),
            ("担当 総務課@example.jp", "担当 総•••@example.jp"),
            ("a @ b", "a @ b"),
            ("@", "@"),
            ("no address", "no address"),
        ] {
            assert_eq!(mask_in(text), masked);
        }
    }
}
