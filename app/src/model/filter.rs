//! What a list shows, as written in the URL of the page and of the API.

mod choice;
mod query;

pub use choice::{Basis, Failed, ListStatus, Needs, Only};
pub(super) use query::Query;
pub use query::percent;

use super::date;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A place in a list ordered by `(created_at, id)`, or by `(sent_at, id)` where days are those of
/// acceptance, newest first, at full precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cursor {
    /// Read the rows older than this place (else the newer ones).
    pub older: bool,
    /// `created_at` or `sent_at` in microseconds since 1970, UTC.
    pub micros: i64,
    /// The row's id.
    pub id: i64,
}

/// Years 1 to 9999, which both databases can hold.
const MICROS: std::ops::RangeInclusive<i64> = -62_135_596_800_000_000..=253_402_300_799_999_999;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.older { 'o' } else { 'n' };
        write!(f, "{side}{}_{}", self.micros, self.id)
    }
}

impl Cursor {
    /// Reads what `Display` wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Cursor> {
        let (older, rest) = match text.as_bytes().first()? {
            b'o' => (true, &text[1..]),
            b'n' => (false, &text[1..]),
            _ => return None,
        };
        let (micros, id) = rest.split_once('_')?;
        let cursor = Cursor {
            older,
            micros: micros.parse().ok()?,
            id: id.parse().ok()?,
        };
        (MICROS.contains(&cursor.micros) && cursor.to_string() == text).then_some(cursor)
    }
}

/// What a list shows. Empty fields restrict nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    /// Any of these.
    pub statuses: Vec<ListStatus>,
    /// This kind.
    pub kind: Option<String>,
    /// What the days mean, and by which time the list is ordered.
    #[serde(default)]
    pub basis: Basis,
    /// On this day of the zone or later.
    pub from: Option<NaiveDate>,
    /// On this day of the zone or earlier: the whole day counts.
    pub to: Option<NaiveDate>,
    /// An order number, an address, a part of either, or an id.
    pub q: Option<String>,
    /// The search text is a part, though something has just this number or address.
    #[serde(default)]
    pub part: bool,
    /// With a failure of this sort.
    #[serde(default)]
    pub failed: Option<Failed>,
    /// Who is waiting for whom.
    pub needs: Option<Needs>,
    /// All of these.
    #[serde(default)]
    pub only: Vec<Only>,
    /// Where the page begins.
    pub cursor: Option<Cursor>,
}

/// A parameter that was not understood and so restricts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Hint {
    /// No such status.
    Status,
    /// No such choice.
    Needs,
    /// No such meaning of the days.
    Basis,
    /// No such part.
    Only,
    /// No such act.
    Act,
    /// No such age.
    Age,
    /// The first day is no date.
    From,
    /// The last day is no date.
    To,
    /// The first day lies after the last; both were taken as typed.
    FromAfterTo,
    /// The place in the list is not one of ours.
    Cursor,
    /// The search text is longer than any stored value.
    Query,
    /// No such way to search.
    Match,
    /// No name of what went wrong.
    Error,
}

impl Hint {
    /// The parameter's name.
    pub fn param(self) -> &'static str {
        match self {
            Hint::Status => "status",
            Hint::Needs => "needs",
            Hint::Basis => "basis",
            Hint::Only => "only",
            Hint::Act => "act",
            Hint::Age => "age",
            Hint::From | Hint::FromAfterTo => "from",
            Hint::To => "to",
            Hint::Cursor => "cursor",
            Hint::Query => "q",
            Hint::Match => "match",
            Hint::Error => "error",
        }
    }
}

/// Longest search text that is looked up, in characters.
pub(super) const LONGEST: usize = 320;

impl Filter {
    /// Reads the parameters of a query string, in any order. Empty ones count as absent; unknown
    /// names are ignored; what is not understood restricts nothing and is named.
    pub fn parse<'a>(
        params: impl IntoIterator<Item = (&'a str, &'a str)>,
        today: NaiveDate,
    ) -> (Filter, Vec<Hint>) {
        let mut filter = Filter::default();
        let mut hints = Vec::new();
        for (name, value) in params {
            let whole = value;
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            match name {
                "status" => {
                    for word in value.split(',') {
                        match ListStatus::parse(word) {
                            Some(s) if filter.statuses.contains(&s) => {}
                            Some(s) => filter.statuses.push(s),
                            None => hints.push(Hint::Status),
                        }
                    }
                }
                // As stored, blanks and all: a report's cell leads to exactly its rows.
                "kind" => filter.kind = Some(whole.to_owned()),
                "basis" => match Basis::parse(value) {
                    Some(basis) => filter.basis = basis,
                    None => hints.push(Hint::Basis),
                },
                "only" => match Only::parse(value) {
                    Some(only) if filter.only.contains(&only) => {}
                    Some(only) => filter.only.push(only),
                    None => hints.push(Hint::Only),
                },
                "needs" => {
                    filter.needs = Needs::parse(value);
                    if filter.needs.is_none() {
                        hints.push(Hint::Needs);
                    }
                }
                "from" => {
                    filter.from = date::parse(value, today);
                    if filter.from.is_none() {
                        hints.push(Hint::From);
                    }
                }
                "to" => {
                    filter.to = date::parse(value, today);
                    if filter.to.is_none() {
                        hints.push(Hint::To);
                    }
                }
                "q" if value.chars().count() > LONGEST => hints.push(Hint::Query),
                "q" => filter.q = Some(value.to_owned()),
                "match" => match value {
                    "part" => filter.part = true,
                    "whole" => filter.part = false,
                    _ => hints.push(Hint::Match),
                },
                "error" => {
                    filter.failed = Failed::parse(value);
                    if filter.failed.is_none() {
                        hints.push(Hint::Error);
                    }
                }
                "cursor" => {
                    filter.cursor = Cursor::parse(value);
                    if filter.cursor.is_none() {
                        hints.push(Hint::Cursor);
                    }
                }
                _ => {}
            }
        }
        // Of a search text alone.
        filter.part &= filter.q.is_some();
        if swapped(filter.from, filter.to) {
            hints.push(Hint::FromAfterTo);
        }
        let mut told: Vec<Hint> = Vec::new();
        hints.retain(|hint| {
            let new = !told.contains(hint);
            told.extend(new.then_some(*hint));
            new
        });
        (filter, hints)
    }

    /// The query string that `parse` reads back, without the leading `?`; empty for no filter.
    pub fn to_query(&self) -> String {
        let mut query = Query::default();
        for status in &self.statuses {
            query.put("status", status.as_str());
        }
        query.put_some("kind", self.kind.as_ref());
        query.put_some("needs", self.needs.map(Needs::as_str));
        for only in &self.only {
            query.put("only", only.as_str());
        }
        if self.basis != Basis::default() {
            query.put("basis", self.basis.as_str());
        }
        query.put_some("from", self.from);
        query.put_some("to", self.to);
        query.put_some("q", self.q.as_ref());
        query.put_some("match", self.part.then_some("part"));
        query.put_some("error", self.failed.as_ref());
        query.put_some("cursor", self.cursor);
        query.end()
    }

    /// The same filter at its first page.
    pub fn first_page(&self) -> Filter {
        Filter {
            cursor: None,
            ..self.clone()
        }
    }

    /// Whether a search text is all that restricts.
    pub fn is_search_alone(&self) -> bool {
        let without = Filter {
            q: None,
            part: false,
            ..self.first_page()
        };
        self.q.is_some() && without == Filter::default()
    }

    /// Whether nothing is restricted: any mail fits. The place in the list is no restriction.
    pub fn is_any(&self) -> bool {
        self.first_page() == Filter::default()
    }
}

/// Whether the first day lies after the last.
pub(super) fn swapped(from: Option<NaiveDate>, to: Option<NaiveDate>) -> bool {
    from.zip(to).is_some_and(|(from, to)| from > to)
}

/// An address as pasted into the search box: the part between `<` and `>` where there is one,
/// without `mailto:`, blanks trimmed, ASCII letters in lower case. `None` where there is no `@`.
pub fn pasted_address(text: &str) -> Option<String> {
    let inner = match (text.rfind('<'), text.rfind('>')) {
        (Some(open), Some(close)) if open < close => &text[open + 1..close],
        _ => text,
    };
    let inner = inner.trim();
    let bare = match inner.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &inner[7..],
        _ => inner,
    };
    let bare: String = bare.trim().chars().map(date::narrow).collect();
    bare.contains('@').then(|| bare.to_ascii_lowercase())
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
