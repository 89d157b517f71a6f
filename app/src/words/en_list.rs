//! The list, in English.

use super::en::{count, date, face};
use super::{ListWords, isolate};
use crate::model::filter::{Basis, Hint, ListStatus, Needs, Only};
use crate::model::views::{Count, SearchNote};
use crate::model::{Age, Face, Status};

pub(super) const LIST: ListWords = ListWords {
    title: "Mails",
    count: |c| match c {
        Count::Unknown => "Count — (counting took too long). Newest first.".into(),
        Count::Exact(1) => "1 mail. Newest first.".into(),
        c => {
            let n = count(c);
            let first = n[..1].to_uppercase() + &n[1..];
            format!("{first} mails. Newest first.")
        }
    },
    filters: "Filters",
    status: "Status",
    kind: "Kind",
    period: "Period",
    any_kind: "All",
    from: "From",
    to: "To",
    date_hint: |basis| match basis {
        Basis::Decided => {
            "The day on which it was recorded, such as 30 Nov 2026, 11/30 or 令和8年11月30日."
        }
        Basis::Accepted => {
            "The day on which it was accepted, such as 30 Nov 2026, 11/30 or 令和8年11月30日."
        }
    },
    apply: "Apply",
    list_status: |s| match s {
        ListStatus::Check => face(Face::NeedsChecking),
        ListStatus::Sending => face(Face::Sending),
        ListStatus::Stored(Status::Requesting) => "Sending or needs checking",
        ListStatus::Stored(s) => face(Face::of(s, false, None)),
    },
    needs: |n| match n {
        Needs::Person => "Needs a person",
        Needs::Final => "No retry planned",
        Needs::Held => "On hold",
    },
    only: |only| match only {
        Only::Assumed => "Assumed",
        Only::Delivered => face(Face::Delivered),
        Only::Bounced => face(Face::Bounced),
        Only::Complained => face(Face::Complained),
        Only::BouncedOrComplained => "Bounced or reported as spam",
        Only::Further => "Further copies",
        Only::Original => "Originals",
        Only::Untimed => "Accepted, time not known",
    },
    delivery: "Delivery",
    only_label: "Only",
    days_of: |basis| match basis {
        Basis::Decided => "Recorded on",
        Basis::Accepted => "Accepted on",
    },
    needs_label: "Only",
    query: "Search",
    error: "Error",
    query_part: "Search, part",
    search_note: |note| match note {
        SearchNote::Short => {
            "No order number or address is exactly this. A part needs at least 3 characters."
        }
        SearchNote::NoParts => {
            "This database cannot search for parts. Write the whole order number or address."
        }
        SearchNote::Masked => {
            "Addresses are masked for you, so they are found only when written in full. Order numbers are found by a part, too."
        }
        SearchNote::Behind => {
            "The search is still being prepared: older mails are not yet found by a part."
        }
        SearchNote::TooCommon => {
            "Very many mails match, and the search did not finish in time. Add characters, or filter by status or period."
        }
    },
    found_whole: "These match exactly.",
    parts_too: |q| format!("Search for “{}” as a part, too", isolate(q)),
    span: |from, to| match (from, to) {
        (Some(a), Some(b)) if a == b => date(a),
        (Some(a), Some(b)) => format!("{} to {}", date(a), date(b)),
        (Some(a), None) => format!("from {}", date(a)),
        (None, Some(b)) => format!("to {}", date(b)),
        (None, None) => String::new(),
    },
    remove: |what| format!("Remove the filter “{}”", isolate(what)),
    clear: "Remove all filters",
    hint: |hint| match hint {
        Hint::Status => "There is no such status, so the list is not filtered by it.",
        Hint::Needs => "There is no such choice, so the list is not filtered by it.",
        Hint::Basis => {
            "What the days mean was not understood; they are those on which mails were recorded."
        }
        Hint::Only => "There is no such part. The list is shown without it.",
        Hint::Act => "There is no such act, so the list is not filtered by it.",
        Hint::Age => "There is no such age, so mails of every age are shown.",
        Hint::From => "“From” could not be read as a date. Write it like 30 Nov 2026.",
        Hint::To => "“To” could not be read as a date. Write it like 30 Nov 2026.",
        Hint::FromAfterTo => "“From” lies after “To”. Were they swapped?",
        Hint::Cursor => "The place in the list could not be read, so this is its beginning.",
        Hint::Query => "The search text is too long. Use at most 320 characters.",
        Hint::Error => "The error to filter by could not be read, so it was not used.",
        Hint::Match => "There is no such way to search, so it was not used.",
    },
    caption: |basis| match basis {
        Basis::Decided => "Mails, last recorded first",
        Basis::Accepted => "Mails, last accepted first",
    },
    columns: [
        "Order",
        "Kind",
        "Recipient",
        "Status",
        "Attempts",
        "Recorded",
        "Accepted",
    ],
    next_day: "+1 d",
    none_for: |q| format!("No mail for “{}”", isolate(q)),
    none: "No mail matches these filters",
    none_help: "Customers’ names are not searched. Check the order number or address, or remove a filter. The order may also not be entered yet.",
    empty: "No mails yet",
    empty_help: "They appear here once the shop records one.",
    pager: "Other rows",
    newer: |n| format!("Newer {n}"),
    older: |n| format!("Older {n}"),
    page_size: |n| format!("{n} a page"),
    no_recipient: "no recipient",
};

pub(super) fn age(age: Age) -> &'static str {
    match age {
        Age::Minutes => "under 15 min",
        Age::Hour => "15 min to 1 h",
        Age::Day => "1 h to 1 day",
        Age::Older => "over 1 day",
    }
}
