//! What went wrong, by sort: how often, when, and the mails behind it.

use super::filters::address;
use crate::api::read_errors;
use crate::components::{Acts, Fault, Near, words};
use crate::model::Filter;
use crate::model::Moment;
use crate::model::views::{ErrorGroup, Errors as View};
use crate::words::grouped;
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

/// Where a span of days is shown.
fn place(days: u16) -> String {
    format!("/submissions/errors?days={days}")
}

/// The page.
#[component]
pub fn Errors() -> impl IntoView {
    let e = &words().errors;
    let acts = Acts::of_page();
    let search = use_location().search;
    let errors = Resource::new(
        move || (search.get(), acts.done()),
        |(query, _)| read_errors(query),
    );
    view! {
        <Title text=e.title />
        <Transition>
            {move || Suspend::new(async move {
                match errors.await {
                    Ok(errors) => Either::Left(view! { <Whole errors /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(errors: View) -> impl IntoView {
    let w = words();
    let e = &w.errors;
    let days = errors.days;
    let windows = errors
        .windows
        .into_iter()
        .map(|other| {
            let current = (other == days).then_some("true");
            view! {
                <a href=place(other) aria-current=current>
                    {(e.window)(other)}
                </a>
            }
        })
        .collect_view();
    let as_of = errors.as_of;
    let most = errors.most;
    let body = match errors.groups {
        None => Either::Left(Either::Left(view! { <p class="nothing">{e.not_read}</p> })),
        Some(groups) if groups.is_empty() => {
            Either::Left(Either::Right(view! { <p class="nothing">{e.none}</p> }))
        }
        Some(groups) => Either::Right(view! { <Groups groups as_of most /> }),
    };
    view! {
        <div class="head">
            <h1>{e.title}</h1>
            <nav class="seg aside" aria-label=e.windows>
                {windows}
            </nav>
        </div>
        <p class="note lead">{e.note}</p>
        {body}
    }
    .into_any()
}

/// The table. Roles are written out: on phones the style sheet turns rows into blocks.
#[component]
fn Groups(groups: Vec<ErrorGroup>, as_of: Moment, most: i64) -> impl IntoView {
    let e = &words().errors;
    let [what, mails, failures, first, last] = e.columns;
    let cut = i64::try_from(groups.len()).is_ok_and(|n| n >= most);
    let rows = groups
        .into_iter()
        .map(|group| {
            let filter = Filter {
                failed: Some(group.failed),
                ..Filter::default()
            };
            let text = (e.what)(&group.what);
            let number = grouped(group.mails);
            let behind = (e.behind)(group.mails, &text);
            view! {
                <tr role="row">
                    <th scope="row" role="rowheader" class="wrap">
                        <span class="service">{(e.service)(&group.what)}</span>
                        " "
                        {text}
                    </th>
                    <td role="cell" class="n" data-l=mails>
                        <a href=address(&filter) rel="external" aria-label=behind>
                            {number}
                        </a>
                    </td>
                    <td role="cell" class="n" data-l=failures>
                        {grouped(group.failures)}
                    </td>
                    <td role="cell" class="n" data-l=first>
                        <Near at=group.first today=as_of />
                    </td>
                    <td role="cell" class="n" data-l=last>
                        <Near at=group.last today=as_of />
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=e.title>
            <table class="tbl errors" role="table">
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{what}</th>
                        <th scope="col" role="columnheader" class="n">
                            {mails}
                        </th>
                        <th scope="col" role="columnheader" class="n">
                            {failures}
                        </th>
                        <th scope="col" role="columnheader" class="n">
                            {first}
                        </th>
                        <th scope="col" role="columnheader" class="n">
                            {last}
                        </th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
        {cut.then(|| view! { <p class="note end">{(e.cut)(most)}</p> })}
    }
    .into_any()
}
