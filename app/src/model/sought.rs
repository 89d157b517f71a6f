//! What somebody typed into the search box, as the things that it may be.

use super::date::narrow;
use super::filter::pasted_address;

/// Fewest characters of a part: an index of parts knows nothing shorter.
pub const SHORTEST_PART: usize = 3;

/// A search text, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    /// As an order number or a part of one: as typed, code point by code point, and, where those are
    /// other texts, with full-width characters made narrow, and without the 注文 or `No.` before it.
    pub orders: Vec<String>,
    /// As an address or a part of one, in lower case.
    pub address: String,
    /// As a submission's id.
    pub id: Option<i64>,
    /// The id was written as one: `#42`.
    pub marked: bool,
    /// As a submission's `ref`, written so or as the `Message-ID` that is made of it.
    pub reference: Option<String>,
    /// As a service's id of a mail.
    pub message_id: Option<String>,
}

impl Sought {
    /// Reads a search text.
    pub fn parse(text: &str) -> Sought {
        let text = text.trim();
        let slim: String = text.chars().map(narrow).collect();
        let pasted = pasted_address(text);
        let number = slim.strip_prefix('#');
        let digits = number.unwrap_or(&slim);
        let id = digits.parse().ok().filter(|id: &i64| {
            // In the one way that the desk writes it: `0042` is an order number.
            *id > 0 && id.to_string() == digits
        });
        let own = pasted.as_deref().and_then(|address| {
            let (local, _) = address.split_once('@')?;
            uuid(local)
        });
        let mut orders = vec![text.to_owned()];
        if slim != text {
            orders.push(slim.clone());
        }
        orders.extend(bare(&slim).map(str::to_owned));
        let word = slim.chars().count() >= 8 && !slim.contains(char::is_whitespace);
        Sought {
            orders,
            marked: id.is_some() && number.is_some(),
            id,
            reference: uuid(&slim).or(own),
            message_id: word.then(|| text.to_owned()),
            address: pasted.unwrap_or_else(|| slim.to_ascii_lowercase()),
        }
    }

    /// Whether it is long enough to look for it as a part.
    pub fn is_part(&self) -> bool {
        self.orders[0].chars().count() >= SHORTEST_PART
    }

    /// The order numbers that are long enough to be looked for as parts.
    pub fn order_parts(&self) -> impl Iterator<Item = &String> {
        self.orders
            .iter()
            .filter(|order| order.chars().count() >= SHORTEST_PART)
    }

    /// Whether somebody may have meant an address, or a part of one.
    pub fn like_address(&self) -> bool {
        self.address
            .contains(|c: char| c.is_ascii_alphabetic() || c == '@')
    }

    /// The part of an address to look for, where it is long enough.
    pub fn address_part(&self) -> Option<&str> {
        (self.address.chars().count() >= SHORTEST_PART).then_some(&self.address)
    }

    /// The whole address that it may be.
    pub fn whole_address(&self) -> Option<&str> {
        self.address.contains('@').then_some(&self.address)
    }
}

/// An order number without what people write before one.
fn bare(text: &str) -> Option<&str> {
    const BEFORE: [&str; 10] = [
        "ご注文番号",
        "注文番号",
        "ご注文",
        "注文",
        "order number",
        "order no",
        "order",
        "no",
        "№",
        "#",
    ];
    let rest = BEFORE.into_iter().find_map(|before| {
        let head = text.get(..before.len())?;
        let rest = &text[before.len()..];
        head.eq_ignore_ascii_case(before).then_some(rest)
    })?;
    let rest = rest.trim_start_matches([' ', '.', ':', '#']);
    // `order-7` and `notes` are numbers of their own, and words.
    rest.starts_with(|c: char| c.is_ascii_digit())
        .then_some(rest)
}

/// A UUID as both databases write it.
fn uuid(text: &str) -> Option<String> {
    let fits = text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        });
    fits.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_all_that_it_may_be() {
        let sought = Sought::parse(" １００１ ");
        assert_eq!(sought.orders, ["１００１", "1001"]);
        assert_eq!((sought.id, sought.marked), (Some(1001), false));
        assert_eq!(sought.whole_address(), None);
        let sought = Sought::parse("受付 <M_2@Example.JP>");
        assert_eq!(sought.whole_address(), Some("m_2@example.jp"));
        assert_eq!(Sought::parse("Tanaka").address_part(), Some("tanaka"));
    }

    #[test]
    fn what_people_write_before_an_order_number_is_left_out_too() {
        for text in [
            "注文104292",
            "ご注文番号：104292",
            "No.104292",
            "no 104292",
            "Ｎｏ．１０４２９２",
            "№104292",
            "#104292",
            "Order 104292",
            "order no. 104292",
        ] {
            let sought = Sought::parse(text);
            assert_eq!(sought.orders[0], text, "as typed comes first");
            assert_eq!(sought.orders.last().unwrap(), "104292", "{text}");
        }
        for text in ["order-7", "notes 7", "#", "注文", "No.", "注文者", "1#2"] {
            assert_eq!(Sought::parse(text).orders, [text], "{text}");
        }
        let short = Sought::parse("No.12");
        assert_eq!(short.order_parts().collect::<Vec<_>>(), ["No.12"]);
    }

    #[test]
    fn ids_are_those_that_the_desk_writes() {
        for (text, id, marked) in [
            ("42", Some(42), false),
            ("#42", Some(42), true),
            ("＃42", Some(42), true),
            ("0042", None, false),
            ("+42", None, false),
            ("-1", None, false),
            ("0", None, false),
            ("99999999999999999999", None, false),
            ("#", None, false),
        ] {
            let sought = Sought::parse(text);
            assert_eq!((sought.id, sought.marked), (id, marked), "{text}");
        }
        let id = "0c6c47c2-6b2b-4d11-9d7c-0a7a3a7f9b10";
        for text in [
            id.to_owned(),
            id.to_uppercase(),
            format!("<{id}@shop.example>"),
            format!("{id}@shop.example"),
        ] {
            assert_eq!(
                Sought::parse(&text).reference.as_deref(),
                Some(id),
                "{text}"
            );
        }
        assert_eq!(Sought::parse(&id.replace('-', "_")).reference, None);
    }

    #[test]
    fn code_points_of_order_numbers_stay() {
        for text in ["ｶﾞ-1001", "①㈱髙", "𠮷〜～－", "👩‍👩‍👧", "A\u{fe0f}B"]
        {
            assert_eq!(Sought::parse(text).orders[0], text);
        }
        assert_eq!(Sought::parse("ガ-1001").orders, ["ガ-1001"]);
    }

    #[test]
    fn parts_have_three_characters() {
        for (text, long) in [
            ("_", false),
            ("ab", false),
            ("注文", false),
            ("m_2", true),
            ("100%", true),
            ("   a  ", false),
        ] {
            assert_eq!(Sought::parse(text).is_part(), long, "{text}");
        }
        assert_eq!(Sought::parse("受付 <a@>").address_part(), None);
    }
}
