//! What lists share that are filtered, told by days, and read page by page.

use super::words;
use crate::model::Moment;
use crate::model::filter::Hint;
use chrono::NaiveDate;
use leptos::either::Either;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// What was not understood of the URL.
#[component]
pub fn Hints(
    /// What it was.
    hints: Vec<Hint>,
) -> impl IntoView {
    hints
        .into_iter()
        .map(|hint| {
            view! {
                <div class="say c-check hint">
                    <p>{(words().list.hint)(hint)}</p>
                </div>
            }
        })
        .collect_view()
}

/// A field for a day. What is no date stays in it, to be corrected there.
#[component]
pub fn DayField(
    /// Its id in the page, and its name in the URL.
    name: &'static str,
    /// What is asked for.
    label: &'static str,
    /// As understood.
    day: Option<NaiveDate>,
    /// What the URL says is no date.
    wrong: bool,
    /// In the empty field.
    #[prop(optional)]
    example: Option<&'static str>,
    /// The id of what explains it.
    #[prop(optional)]
    note: Option<&'static str>,
) -> impl IntoView {
    let typed = || use_query_map().with_untracked(|query| query.get(name));
    let value = day.map(|day| day.to_string()).or_else(typed);
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input
                id=name
                type="text"
                name=name
                value=value.unwrap_or_default()
                placeholder=example
                autocomplete="off"
                aria-describedby=note
                aria-invalid=wrong.then_some("true")
            />
        </div>
    }
    .into_any()
}

/// Lines by the day that `at` says, in the order in which they come.
pub fn by_day<T>(lines: Vec<T>, at: impl Fn(&T) -> Moment) -> Vec<(Moment, Vec<T>)> {
    let mut days: Vec<(Moment, Vec<T>)> = Vec::new();
    for line in lines {
        let at = at(&line);
        match days.last_mut() {
            Some((day, lines)) if day.same_day(&at) => lines.push(line),
            _ => days.push((at, vec![line])),
        }
    }
    days
}

/// The rows of a day under its name. Roles are written out, for tables whose rows are blocks on
/// phones.
#[component]
pub fn Day(
    /// Some time of it.
    day: Moment,
    /// How many the table has.
    columns: u8,
    /// The rows.
    children: Children,
) -> impl IntoView {
    view! {
        <tbody role="rowgroup">
            <tr class="day" role="row">
                <th scope="rowgroup" colspan=columns role="rowheader" aria-colspan=columns>
                    {(words().day)(&day)}
                </th>
            </tr>
            {children()}
        </tbody>
    }
    .into_any()
}

/// Links to what stands before and after; none where this is all.
#[component]
pub fn Pager(
    /// Where the newer ones are.
    newer: Option<String>,
    /// Where the older ones are.
    older: Option<String>,
    /// How many a page shows.
    page_size: i64,
) -> impl IntoView {
    let w = &words().list;
    if newer.is_none() && older.is_none() {
        return None;
    }
    let link = |href: Option<String>, text: String, rel: &'static str| match href {
        Some(href) => Either::Left(view! {
            <a class="btn small" href=href rel=rel>
                {text}
            </a>
        }),
        None => Either::Right(view! {
            <span class="btn small" aria-disabled="true">
                {text}
            </span>
        }),
    };
    Some(view! {
        <nav class="pager" aria-label=w.pager>
            {link(newer, (w.newer)(page_size), "prev")}
            {link(older, (w.older)(page_size), "next")}
            <span class="aside">{(w.page_size)(page_size)}</span>
        </nav>
    })
}
