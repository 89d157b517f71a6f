//! The filter line: one form whose fields stand in the URL, and a chip for each condition that is
//! on. The links load the page anew, so that the fields always show what the URL says.

use crate::components::{DayField, Shape, face_class, kind_name, words};
use crate::model::filter::{Basis, Hint, ListStatus, Needs, Only};
use crate::model::views::{Failure, MailList};
use crate::model::{Face, Filter, Status};
use crate::words::isolate;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys;

/// Where a filter's rows are shown.
pub fn address(filter: &Filter) -> String {
    let query = filter.to_query();
    if query.is_empty() {
        "/submissions".to_owned()
    } else {
        format!("/submissions?{query}")
    }
}

fn face(status: ListStatus) -> Face {
    match status {
        ListStatus::Check => Face::NeedsChecking,
        ListStatus::Sending => Face::Sending,
        ListStatus::Stored(status) => Face::of(status, false, None),
    }
}

/// The filter line.
#[component]
pub fn Filters(
    /// The list as filtered.
    list: MailList,
) -> impl IntoView {
    let w = &words().list;
    let filter = list.filter;
    let menus = [(); 4].map(|()| NodeRef::<leptos::html::Details>::new());
    let [status_menu, delivery_menu, kind_menu, days_menu] = menus;
    close_menus(menus);
    let wrong = |hint: Hint| list.hints.contains(&hint);
    let (from_wrong, to_wrong) = (wrong(Hint::From), wrong(Hint::To));
    let days_open = from_wrong || to_wrong;
    let statuses = ListStatus::ALL
        .map(|s| {
            // `requesting` is both of its parts.
            let part = matches!(s, ListStatus::Sending | ListStatus::Check)
                && filter
                    .statuses
                    .contains(&ListStatus::Stored(Status::Requesting));
            let on = part || filter.statuses.contains(&s);
            view! {
                <li>
                    <label>
                        <input type="checkbox" name="status" value=s.as_str() checked=on />
                        <span class=format!("st quiet c-{}", face_class(face(s)))>
                            <Shape name=face_class(face(s)) />
                            {(w.list_status)(s)}
                        </span>
                    </label>
                </li>
            }
        })
        .collect_view();
    let chosen = filter.only.iter().copied().find(|only| only.is_delivery());
    let deliveries = std::iter::once(None)
        .chain(Only::DELIVERY.map(Some))
        .map(|only| {
            view! {
                <li>
                    <label>
                        <input
                            type="radio"
                            name="only"
                            value=only.map_or("", Only::as_str)
                            checked=only == chosen
                        />
                        {only.map_or(w.any_kind, w.only)}
                    </label>
                </li>
            }
        })
        .collect_view();
    let mut kinds = list.kinds;
    // A kind from the URL stays in the form even where no row has it.
    if let Some(kind) = &filter.kind
        && !kinds.contains(kind)
    {
        kinds.insert(0, kind.clone());
    }
    let chosen = filter.kind.clone();
    let kinds = std::iter::once(String::new())
        .chain(kinds)
        .map(|kind| {
            let on = chosen.clone().unwrap_or_default() == kind;
            let name = if kind.is_empty() {
                w.any_kind.to_owned()
            } else {
                kind_name(&kind)
            };
            view! {
                <li>
                    <label>
                        <input type="radio" name="kind" value=kind checked=on />
                        {name}
                    </label>
                </li>
            }
        })
        .collect_view();
    let needs = filter.needs.map_or_else(
        || {
            let with = Filter {
                needs: Some(Needs::Person),
                ..filter.first_page()
            };
            leptos::either::Either::Left(view! {
                <a class="chip" href=address(&with) rel="external">
                    <span>{(w.needs)(Needs::Person)}</span>
                </a>
            })
        },
        |needs| {
            leptos::either::Either::Right(
                view! { <input type="hidden" name="needs" value=needs.as_str() /> },
            )
        },
    );
    // What a report's cell asked for stays on.
    let only = filter
        .only
        .iter()
        .filter(|only| !only.is_delivery())
        .map(|only| view! { <input type="hidden" name="only" value=only.as_str() /> })
        .collect_view();
    let apply = || {
        view! {
            <div class="go">
                <button class="btn main small" type="submit">
                    {w.apply}
                </button>
            </div>
        }
    };
    let menu = |node: NodeRef<leptos::html::Details>, name: &'static str, choices: AnyView| {
        view! {
            <details class="chip" name="filter" node_ref=node>
                <summary>{name}</summary>
                <div class="menu">
                    <ul>{choices}</ul>
                    {apply()}
                </div>
            </details>
        }
    };
    view! {
        <form class="filters" aria-label=w.filters action="/submissions">
            {filter.q.clone().map(|q| view! { <input type="hidden" name="q" value=q /> })}
            {filter.part.then(|| view! { <input type="hidden" name="match" value="part" /> })}
            {only}
            {filter
                .failed
                .as_ref()
                .map(|failed| view! { <input type="hidden" name="error" value=failed.to_string() /> })}
            {(filter.basis == Basis::Accepted)
                .then(|| view! { <input type="hidden" name="basis" value=filter.basis.as_str() /> })}
            {menu(status_menu, w.status, statuses.into_any())}
            {menu(delivery_menu, w.delivery, deliveries.into_any())}
            {menu(kind_menu, w.kind, kinds.into_any())}
            <details class="chip" name="filter" node_ref=days_menu open=days_open>
                <summary>{w.period}</summary>
                <div class="menu days">
                    <DayField
                        name="from"
                        label=w.from
                        day=filter.from
                        wrong=from_wrong
                        note="days"
                    />
                    <DayField
                        name="to"
                        label=w.to
                        day=filter.to
                        wrong=to_wrong
                        note="days"
                    />
                    <p class="note" id="days">
                        {(w.date_hint)(filter.basis)}
                    </p>
                    {apply()}
                </div>
            </details>
            {needs}
            <Chips filter failure=list.failed />
        </form>
    }
    .into_any()
}

/// Closes the menus at Escape, and at a click anywhere else.
fn close_menus(menus: [NodeRef<leptos::html::Details>; 4]) {
    Effect::new(move |_| {
        let close = move |unless: Option<web_sys::Node>| {
            for menu in menus {
                if let Some(menu) = menu.get_untracked()
                    && !unless
                        .as_ref()
                        .is_some_and(|node| menu.contains(Some(node)))
                {
                    menu.set_open(false);
                }
            }
        };
        let keys = window_event_listener(leptos::ev::keydown, move |event| {
            if event.key() == "Escape" {
                close(None);
            }
        });
        let clicks = window_event_listener(leptos::ev::click, move |event| {
            close(event.target().and_then(|target| target.dyn_into().ok()));
        });
        on_cleanup(move || {
            keys.remove();
            clicks.remove();
        });
    });
}

/// A chip for each condition that is on, with a link that takes it away.
#[component]
fn Chips(filter: Filter, failure: Option<Failure>) -> impl IntoView {
    let w = &words().list;
    let base = filter.first_page();
    let mut chips: Vec<(&'static str, String, Filter)> = Vec::new();
    if let Some(q) = &base.q {
        let without = Filter {
            q: None,
            part: false,
            ..base.clone()
        };
        let label = if base.part { w.query_part } else { w.query };
        chips.push((label, isolate(q), without));
    }
    for status in &base.statuses {
        let mut without = base.clone();
        without.statuses.retain(|s| s != status);
        chips.push((w.status, (w.list_status)(*status).to_owned(), without));
    }
    if let Some(kind) = &base.kind {
        let without = Filter {
            kind: None,
            ..base.clone()
        };
        chips.push((w.kind, kind_name(kind), without));
    }
    for only in &base.only {
        let mut without = base.clone();
        without.only.retain(|o| o != only);
        let label = if only.is_delivery() {
            w.delivery
        } else {
            w.only_label
        };
        chips.push((label, (w.only)(*only).to_owned(), without));
    }
    let days = base.from.is_some() || base.to.is_some();
    if days || base.basis == Basis::Accepted {
        let without = Filter {
            basis: Basis::Decided,
            from: None,
            to: None,
            ..base.clone()
        };
        let span = if days {
            (w.span)(base.from, base.to)
        } else {
            w.any_kind.to_owned()
        };
        chips.push(((w.days_of)(base.basis), span, without));
    }
    if let Some(failed) = &base.failed {
        let without = Filter {
            failed: None,
            ..base.clone()
        };
        let e = &words().errors;
        let what = match &failure {
            Some(failure) => (e.what)(failure),
            None => e.unknown.to_owned(),
        };
        chips.push((w.error, (e.chip)(&what, failed.days), without));
    }
    if let Some(needs) = base.needs {
        let without = Filter {
            needs: None,
            ..base.clone()
        };
        chips.push((w.needs_label, (w.needs)(needs).to_owned(), without));
    }
    let many = chips.len() > 1;
    let chips = chips
        .into_iter()
        .map(|(label, value, without)| {
            let remove = (w.remove)(&value);
            view! {
                <span class="chip on">
                    <span>
                        <b>{label}</b>
                        " "
                        <span class="val">{value}</span>
                    </span>
                    <a href=address(&without) rel="external">
                        <Shape name="x" set="i" />
                        <span class="vh">{remove}</span>
                    </a>
                </span>
            }
        })
        .collect_view();
    view! {
        {chips}
        {many
            .then(|| {
                view! {
                    <a class="btn plain small" href="/submissions" rel="external">
                        {w.clear}
                    </a>
                }
            })}
    }
    .into_any()
}
