//! What a page of the audit trail shows, as written in its URL.

use super::filter::{Hint, LONGEST, Query, swapped};
use super::{ActKind, Cursor, date};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// What of the trail is shown. Empty fields restrict nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailFilter {
    /// By this person, token or command.
    pub who: Option<String>,
    /// Of this kind.
    pub act: Option<ActKind>,
    /// About this order, mail (by its id), user or month.
    pub q: Option<String>,
    /// On this day of the zone or later.
    pub from: Option<NaiveDate>,
    /// On this day of the zone or earlier: the whole day counts.
    pub to: Option<NaiveDate>,
    /// Where the page begins.
    pub cursor: Option<Cursor>,
}

impl TrailFilter {
    /// Reads the parameters of a query string, as [`Filter`](super::Filter) reads its own.
    pub fn parse<'a>(
        params: impl IntoIterator<Item = (&'a str, &'a str)>,
        today: NaiveDate,
    ) -> (TrailFilter, Vec<Hint>) {
        let mut filter = TrailFilter::default();
        let mut hints = Vec::new();
        for (name, value) in params {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            let mut hint = |missing: bool, hint: Hint| {
                if missing && !hints.contains(&hint) {
                    hints.push(hint);
                }
            };
            let long = value.chars().count() > LONGEST;
            match name {
                "who" | "q" if long => hint(true, Hint::Query),
                "who" => filter.who = Some(value.to_owned()),
                "q" => filter.q = Some(value.to_owned()),
                "act" => {
                    filter.act = ActKind::parse(value);
                    hint(filter.act.is_none(), Hint::Act);
                }
                "from" => {
                    filter.from = date::parse(value, today);
                    hint(filter.from.is_none(), Hint::From);
                }
                "to" => {
                    filter.to = date::parse(value, today);
                    hint(filter.to.is_none(), Hint::To);
                }
                "cursor" => {
                    filter.cursor = Cursor::parse(value);
                    hint(filter.cursor.is_none(), Hint::Cursor);
                }
                _ => {}
            }
        }
        if swapped(filter.from, filter.to) {
            hints.push(Hint::FromAfterTo);
        }
        (filter, hints)
    }

    /// The query string that reads back as this filter.
    pub fn to_query(&self) -> String {
        let mut query = Query::default();
        query.put_some("who", self.who.as_ref());
        query.put_some("act", self.act.map(ActKind::as_str));
        query.put_some("q", self.q.as_ref());
        query.put_some("from", self.from);
        query.put_some("to", self.to);
        query.put_some("cursor", self.cursor);
        query.end()
    }

    /// Where it is shown.
    pub fn address(&self) -> String {
        let query = self.to_query();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("/settings/audit{mark}{query}")
    }

    /// The same filter at its first page.
    pub fn first_page(&self) -> TrailFilter {
        TrailFilter {
            cursor: None,
            ..self.clone()
        }
    }

    /// Whether nothing is restricted: any act fits. The place in the trail is no restriction.
    pub fn is_any(&self) -> bool {
        self.first_page() == TrailFilter::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> (TrailFilter, Vec<Hint>) {
        let today = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap_or_default();
        TrailFilter::parse(pairs.iter().copied(), today)
    }

    #[test]
    fn a_query_reads_back_as_it_was_written() {
        let (filter, hints) = parse(&[
            ("who", "山田 & co"),
            ("act", "user_role"),
            ("q", " 1001 "),
            ("from", "令和8年11月1日"),
            ("to", "11/30"),
            ("cursor", "o1700000000000000_12"),
        ]);
        assert_eq!(hints, []);
        assert_eq!(filter.q.as_deref(), Some("1001"));
        let query = filter.to_query();
        assert!(query.contains("from=2026-11-01&to=2026-11-30"), "{query}");
        assert!(query.contains("%26%20co"), "{query}");
        let (empty, hints) = parse(&[("who", ""), ("act", " "), ("from", ""), ("other", "x")]);
        assert!(empty.is_any() && hints.is_empty());
        assert_eq!(empty.address(), "/settings/audit");
    }

    #[test]
    fn what_is_not_understood_restricts_nothing_and_is_named() {
        let long = "x".repeat(321);
        let (filter, hints) = parse(&[
            ("act", "delete_everything"),
            ("from", "31 November"),
            ("to", "2026-11-31"),
            ("cursor", "x"),
            ("q", &long),
            ("who", &long),
        ]);
        assert!(filter.is_any());
        let expected = [Hint::Act, Hint::From, Hint::To, Hint::Cursor, Hint::Query];
        assert_eq!(hints, expected);
        let (_, hints) = parse(&[("from", "2026-11-30"), ("to", "2026-11-01")]);
        assert_eq!(hints, [Hint::FromAfterTo]);
    }
}
