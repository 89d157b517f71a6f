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
fn by_day<T>(lines: Vec<T>, at: impl Fn(&T) -> Moment) -> Vec<(Moment, Vec<T>)> {
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

/// A table whose rows stand by days. Roles are written out: on phones the style sheet turns rows into
/// blocks, and browsers then forget that they were a table.
#[component]
pub fn DayTable<T, At, Row>(
    /// Its classes.
    class: &'static str,
    /// What it is.
    caption: &'static str,
    /// The heads of its columns.
    columns: &'static [&'static str],
    /// The first column whose head stands over figures.
    #[prop(default = usize::MAX)]
    figures: usize,
    /// What its rows are of.
    lines: Vec<T>,
    /// By which time a line has its day.
    at: At,
    /// A line's row, by its place on its day.
    row: Row,
) -> impl IntoView
where
    At: Fn(&T) -> Moment,
    Row: Fn(usize, T) -> AnyView,
{
    let heads = columns
        .iter()
        .enumerate()
        .map(|(i, head)| {
            let class = (i >= figures).then_some("n");
            view! {
                <th scope="col" role="columnheader" class=class>
                    {*head}
                </th>
            }
        })
        .collect_view();
    let days = by_day(lines, at)
        .into_iter()
        .map(|(day, lines)| {
            let rows = lines
                .into_iter()
                .enumerate()
                .map(|(i, line)| row(i, line))
                .collect_view();
            view! {
                <tbody role="rowgroup">
                    <tr class="day" role="row">
                        <th
                            scope="rowgroup"
                            colspan=columns.len()
                            role="rowheader"
                            aria-colspan=columns.len()
                        >
                            {(words().day)(&day)}
                        </th>
                    </tr>
                    {rows}
                </tbody>
            }
        })
        .collect_view();
    view! {
        <table class=class role="table">
            <caption class="vh">{caption}</caption>
            <thead role="rowgroup">
                <tr role="row">{heads}</tr>
            </thead>
            {days}
        </table>
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
