//! Addresses for eyes that need not see them: enough to know one again, not enough to write to it.

use super::date::narrow;

/// In place of what is hidden; always as long, so that the length tells nothing.
const HIDDEN: &str = "•••";

/// Longest quoted local part that is looked for, in bytes.
const LONGEST_QUOTED: usize = 66;

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

/// Quotes and brackets that an address may hold, and that people put around one.
const SIGNS: [char; 4] = ['\'', '`', '{', '}'];

/// What no address holds unless it is quoted, full-width forms as well: people write them.
fn ends(c: char) -> bool {
    "<>()[]\",;:，；：（）＜＞［］＂@＠".contains(c)
}

fn of_local(c: char) -> bool {
    (c.is_ascii_graphic() || ('\u{ff01}'..='\u{ff5e}').contains(&c)) && !ends(c)
}

fn of_domain(c: char) -> bool {
    let c = narrow(c);
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// A text with every address in it replaced. Where an address begins or ends is not always to be told;
/// then more is hidden rather than less.
pub fn replace_addresses(text: &str, with: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['@', '＠']).map(|at| last_at(rest, at)) {
        let (before, after) = rest.split_at(at);
        let sign = after.chars().next().map_or(1, char::len_utf8);
        let begin = local_begin(before);
        let tail = &after[sign..];
        let end = domain_end(tail);
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

/// The last `@` of what hangs together with the one at `at`: `a@b@example.jp` is one address.
fn last_at(text: &str, at: usize) -> usize {
    let mut last = at;
    let mut rest = text[at..].char_indices().skip(1);
    while let Some((i, c)) = rest.find(|(_, c)| !of_local(*c)) {
        if !matches!(c, '@' | '＠') {
            break;
        }
        last = at + i;
    }
    last
}

/// Where the local part that ends a text begins; the text's end where there is none.
fn local_begin(before: &str) -> usize {
    let back = |to: usize, fits: &dyn Fn(char) -> bool| {
        let taken = before[..to].char_indices().rev();
        taken
            .take_while(|(_, c)| fits(*c))
            .last()
            .map_or(to, |(i, _)| i)
    };
    // Parts that hang together by an `@` of their own; names in other letters too, where nothing else is.
    let mut begin = back(before.len(), &|c| of_local(c) || matches!(c, '@' | '＠'));
    if begin == before.len() {
        begin = back(begin, &|c| c.is_alphanumeric() || of_local(c));
    }
    if begin < before.len() {
        // Quotes around it are shown, unless there is nothing else.
        let inner = before[begin..].find(|c| !SIGNS.contains(&c));
        return begin + inner.unwrap_or(0);
    }
    // A quoted part goes with its quotes; what is in brackets, or half quoted, with what is before it.
    if let Some(open) = before
        .strip_suffix('"')
        .and_then(|quoted| quoted.rfind('"'))
        && before.len() - open <= LONGEST_QUOTED
    {
        return open;
    }
    let closed = back(begin, &|c| "\"＂)）]］>＞」』】”’".contains(c));
    let inner = back(closed, &|c| {
        c.is_alphanumeric() || of_local(c) || "([（［".contains(c)
    });
    if inner < closed { inner } else { begin }
}

/// Where the domain ends that a text begins with: a name, or a number in brackets.
fn domain_end(tail: &str) -> usize {
    if let Some(inside) = tail.strip_prefix('[') {
        let number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':');
        let end = inside.find(|c| !number(c)).unwrap_or(inside.len());
        if end > 0 && inside[end..].starts_with(']') {
            return end + 2;
        }
    }
    tail.find(|c| !of_domain(c)).unwrap_or(tail.len())
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
            ("tanaka.taro'@example.jp", "ta•••@example.jp"),
            ("'tanaka@example.jp' unknown", "'ta•••@example.jp' unknown"),
            ("o'brien.sean@example.jp", "o'•••@example.jp"),
            ("`{tanaka}@example.jp`", "`{ta•••@example.jp`"),
            ("<'@example.jp>", "<•••@example.jp>"),
            ("to tanaka@[192.0.2.1]:25", "to ta•••@[192.0.2.1]:25"),
            ("to \"tanaka taro\"@example.jp", "to \"t•••@example.jp"),
            ("to tanaka\"@example.jp", "to ta•••@example.jp"),
            ("tanaka(taro)@example.jp", "ta•••@example.jp"),
            ("a@tanaka@example.jp", "a@•••@example.jp"),
            ("a@tanaka+x@example.jp", "a@•••@example.jp"),
            ("a@x.jp,tanaka@y.jp", "•••@x.jp,ta•••@y.jp"),
            ("said: \"…\" @ x", "said: \"…\" @ x"),
            ("a @ b", "a @ b"),
            ("@", "@"),
            ("no address", "no address"),
        ] {
            assert_eq!(mask_in(text), masked);
        }
    }
}
