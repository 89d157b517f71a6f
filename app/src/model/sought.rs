//! What somebody typed into the search box, as the things that it may be.

use super::date::narrow;
use super::filter::pasted_address;

/// Fewest characters of a part: an index of parts knows nothing shorter.
pub const SHORTEST_PART: usize = 3;

/// A search text, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    /// As an order number or a part of one: as typed, code point by code point, and, where that is
    /// another text, with full-width characters made narrow.
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

    /// The part of an address to look for, where it is long enough.
    pub fn address_part(&self) -> Option<&str> {
        (self.address.chars().count() >= SHORTEST_PART).then_some(&self.address)
    }

    /// The whole address that it may be.
    pub fn whole_address(&self) -> Option<&str> {
        self.address.contains('@').then_some(&self.address)
    }
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
