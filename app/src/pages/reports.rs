//! The month's report.

mod attempts;
mod close;
mod delays;
mod hours;
mod saves;
mod sending;
mod table;
mod unknowns;

use super::filters::address;
use crate::api::{read_month, read_sending};
use crate::components::{Acts, Fault, Shape, words};
use crate::model::Month;
use crate::model::filter::Basis;
use crate::model::report;
use crate::model::views::{MonthReport, MonthTable};
use close::CloseForm;
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;
pub(super) use saves::FORMATS;
use saves::Saves;
use sending::Sends;
use table::Kinds;

/// The page.
#[component]
pub fn Reports() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let search = use_location().search;
    let month = Resource::new(
        move || (search.get(), acts.done()),
        |(query, _)| read_month(query),
    );
    // Read beside the table, which need not wait for it.
    let sending = Resource::new(move || search.get(), read_sending);
    view! {
        <Title text=w.reports.title />
        <Transition>
            {move || Suspend::new(async move {
                match month.await {
                    Ok(r) => Either::Left(view! { <Whole r /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
        <Transition>
            {move || Suspend::new(async move {
                match sending.await {
                    Ok(s) => Either::Left(view! { <Sends s /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

/// The address of a month's report.
fn here(month: Month, basis: Basis) -> String {
    match basis {
        Basis::Decided => format!("/reports?month={month}"),
        Basis::Accepted => format!("/reports?month={month}&basis={}", basis.as_str()),
    }
}

#[component]
fn Whole(r: MonthReport) -> impl IntoView {
    let w = &words().reports;
    let state = if r.ahead {
        w.ahead
    } else if !r.over {
        w.under_way
    } else {
        w.open
    };
    let closed = r.closed.is_some();
    let changed = r.table.as_ref().is_some_and(MonthTable::changed);
    view! {
        <div class="head">
            <h1>{(w.month_title)(r.month)}</h1>
            {(!closed).then(|| view! { <span class="note">{state}</span> })}
            <Months month=r.month basis=r.basis this=Month::of(r.as_of.0.date_naive()) />
        </div>
        {r
            .bad_month
            .then(|| {
                view! {
                    <div class="say c-check hint">
                        <p>{w.bad_month}</p>
                    </div>
                }
            })}
        <section class="month-report" aria-label=(w.month_title)(r.month)>
            <div class="basis">
                <p>{(w.stated)(&r)}</p>
                <Bases month=r.month basis=r.basis />
            </div>
            {r
                .closed
                .as_ref()
                .map(|c| {
                    view! {
                        <div class="say closed">
                            <p>
                                {(w.closed)(c, &r.zone)} <br /> {w.closed_note}
                                {changed.then_some(w.closed_changed)}
                            </p>
                        </div>
                    }
                })}
            {match r.table.clone() {
                None => Either::Left(view! { <NotCounted month=r.month /> }),
                Some(table) => Either::Right(view! { <Kinds table month=r.month basis=r.basis /> }),
            }}
            <Under r=r.clone() />
        </section>
        {r.may_close.map(|open| view! { <CloseForm month=r.month open /> })}
    }
    .into_any()
}

/// The months before and after, and a field for any other.
#[component]
fn Months(month: Month, basis: Basis, this: Month) -> impl IntoView {
    let w = &words().reports;
    let (before, after) = (month.previous(), month.next());
    let next = if month < this {
        Either::Left(view! {
            <a class="btn small" href=here(after, basis) rel="next">
                {(w.month)(after)}
                <span aria-hidden="true">"›"</span>
            </a>
        })
    } else {
        Either::Right(view! {
            <span class="btn small" aria-disabled="true">
                {(w.month)(after)}
                <span aria-hidden="true">"›"</span>
            </span>
        })
    };
    view! {
        <nav class="acts aside months" aria-label=w.months>
            <a class="btn small" href=here(before, basis) rel="prev">
                <span aria-hidden="true">"‹"</span>
                {(w.month)(before)}
            </a>
            {next}
            <form action="/reports">
                <label class="vh" for="month">
                    {w.other}
                </label>
                <input
                    id="month"
                    type="month"
                    name="month"
                    value=month.to_string()
                    required
                    autocomplete="off"
                />
                {(basis != Basis::default())
                    .then(|| view! { <input type="hidden" name="basis" value=basis.as_str() /> })}
                <button class="btn small" type="submit">
                    {w.show}
                </button>
            </form>
        </nav>
    }
}

#[component]
fn Bases(month: Month, basis: Basis) -> impl IntoView {
    let w = &words().reports;
    let links = Basis::ALL
        .map(|b| {
            view! {
                <a href=here(month, b) aria-current=(b == basis).then_some("true")>
                    {(w.basis)(b)}
                </a>
            }
        })
        .collect_view();
    view! {
        <div class="seg" role="group" aria-label=w.basis_label>
            {links}
        </div>
    }
}

/// Instead of the table: never a 0 for what was not counted.
#[component]
fn NotCounted(month: Month) -> impl IntoView {
    let w = &words().reports;
    view! {
        <div class="say c-check" role="note">
            <p>{(w.month)(month)} " — " {w.not_counted}</p>
        </div>
    }
}

/// What stands beside the total, so that no figure lies.
#[component]
fn Under(r: MonthReport) -> impl IntoView {
    let w = &words().reports;
    let still = r.still_checking.map(|n| {
        if n == 0 {
            return Either::Left(view! { <span class="note">{w.still_none}</span> });
        }
        let href = address(&report::still_checking(r.month, r.basis));
        Either::Right(view! {
            <span class="st c-check loud">
                <Shape name="check" />
                <a href=href rel="external">
                    {(w.still)(n)}
                </a>
            </span>
            " "
            <span class="note">{(w.still_note)(r.basis)}</span>
        })
    });
    let untimed = r.untimed.filter(|n| *n > 0).map(|n| {
        let href = address(&report::untimed(r.month));
        view! {
            <p class="still">
                <a href=href rel="external">
                    {(w.untimed)(n)}
                </a>
                " "
                <span class="note">{w.untimed_note}</span>
            </p>
        }
    });
    view! {
        <div class="under">
            <div>
                <p class="still">{still}</p>
                {untimed}
                {(!r.kept_pasts.is_empty())
                    .then(|| view! { <p class="note">{(w.pasts_kept)(&r.kept_pasts)}</p> })}
            </div>
            <Saves r />
        </div>
    }
}
