//! The audit trail: what people did, newest first.

use crate::api::read_trail;
use crate::components::{Clock, DayField, DayTable, Fault, Hints, Pager, SettingsNav, words};
use crate::model::ActKind;
use crate::model::filter::Hint;
use crate::model::trail::TrailFilter;
use crate::model::views::{Count, Subject, Trail as View, TrailLine};
use crate::words::isolate;
use leptos::either::{Either, EitherOf6};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

/// The page.
#[component]
pub fn Trail() -> impl IntoView {
    let search = use_location().search;
    let trail = Resource::new(move || search.get(), read_trail);
    view! {
        <Title text=words().trail.title />
        <Transition>
            {move || Suspend::new(async move {
                match trail.await {
                    Ok(trail) => Either::Left(view! { <Whole trail /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(trail: View) -> impl IntoView {
    let w = words();
    let t = &w.trail;
    let body = if trail.lines.is_empty() {
        Either::Left(view! { <Nothing plain=trail.filter.is_any() /> })
    } else {
        Either::Right(view! {
            <DayTable
                class="tbl trail"
                caption=t.caption
                columns=&t.columns
                lines=trail.lines.clone()
                at=|line: &TrailLine| line.at
                row=|_, line: TrailLine| view! { <Line line /> }.into_any()
            />
        })
    };
    let address = |filter: Option<TrailFilter>| filter.map(|filter| filter.address());
    view! {
        <div class="head">
            <h1>{t.title}</h1>
            <span class="note">{t.note}</span>
        </div>
        <SettingsNav />
        <Hints hints=trail.hints.clone() />
        <Filters trail=trail.clone() />
        {body}
        <Pager newer=address(trail.newer) older=address(trail.older) page_size=trail.page_size />
    }
    .into_any()
}

/// The filters: one form whose fields stand in the URL.
#[component]
fn Filters(trail: View) -> impl IntoView {
    let w = words();
    let t = &w.trail;
    let filter = trail.filter;
    let wrong = |hint: Hint| trail.hints.contains(&hint);
    let [who, act, about, from, to] = t.filter;
    let plain = filter.is_any();
    let names = trail
        .names
        .into_iter()
        .chain(["api".to_owned()])
        .map(|name| view! { <option value=name></option> })
        .collect_view();
    let acts = ActKind::ALL
        .iter()
        .map(|kind| {
            view! {
                <option value=kind.as_str() selected=filter.act == Some(*kind)>
                    {(t.act)(*kind)}
                </option>
            }
        })
        .collect_view();
    view! {
        <form class="trail-filters" aria-label=t.filters action="/settings/audit">
            <div class="field">
                <label for="who">{who}</label>
                <input
                    id="who"
                    type="text"
                    name="who"
                    list="names"
                    value=filter.who.unwrap_or_default()
                    maxlength="320"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                />
                <datalist id="names">{names}</datalist>
            </div>
            <div class="field">
                <label for="act">{act}</label>
                <select id="act" name="act">
                    <option value="">{t.any}</option>
                    {acts}
                </select>
            </div>
            <div class="field">
                <label for="about">{about}</label>
                <input
                    id="about"
                    type="text"
                    name="q"
                    value=filter.q.unwrap_or_default()
                    maxlength="320"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    aria-describedby="about-note"
                />
            </div>
            <DayField
                name="from"
                label=from
                day=filter.from
                wrong=wrong(Hint::From)
                example=t.day_example
            />
            <DayField
                name="to"
                label=to
                day=filter.to
                wrong=wrong(Hint::To)
                example=t.day_example
            />
            <div class="acts">
                <button class="btn main" type="submit">
                    {w.list.apply}
                </button>
                {(!plain)
                    .then(|| {
                        view! {
                            <a class="btn plain" href="/settings/audit" rel="external">
                                {w.list.clear}
                            </a>
                        }
                    })}
            </div>
            <p class="note" id="about-note">
                {about}
                ": "
                {t.about_note}
            </p>
        </form>
    }
    .into_any()
}

/// Why the trail is empty, and what to do.
#[component]
fn Nothing(plain: bool) -> impl IntoView {
    let t = &words().trail;
    view! {
        <div class="empty">
            <h2>{if plain { t.empty } else { t.none }}</h2>
            <p>{if plain { t.empty_help } else { t.none_help }}</p>
        </div>
    }
    .into_any()
}

#[component]
fn Line(line: TrailLine) -> impl IntoView {
    let t = &words().trail;
    let act = match ActKind::parse(&line.act) {
        Some(kind) => Either::Left((t.act)(kind)),
        None => Either::Right(view! { <code>{line.act.clone()}</code> }),
    };
    let said = |value: &Option<_>| value.as_ref().map(t.value);
    let mut changes: Vec<String> = line
        .changes
        .iter()
        .map(|(before, after)| (t.change)(said(before).as_deref(), said(after).as_deref()))
        .collect();
    changes.extend(line.attempt.map(t.attempt));
    changes.extend(
        line.subject
            .as_ref()
            .and_then(|s| t.left(s))
            .map(str::to_owned),
    );
    let changes = changes
        .into_iter()
        .map(|text| view! { <span class="change">{text}</span> })
        .collect_view();
    view! {
        <tr role="row">
            <td role="cell" class="k-at">
                <Clock at=line.at />
            </td>
            <th scope="row" role="rowheader" class="k-who">
                {(t.actor)(&line.actor)}
            </th>
            <td role="cell" class="k-act">
                {act}
            </td>
            <td role="cell" class="k-about">
                {line.subject.map(|subject| view! { <About subject /> })}
            </td>
            <td role="cell" class="k-why">
                {changes}
                {line
                    .reason
                    .map(|reason| {
                        view! {
                            <q class="quoted">
                                <span class="vh">{t.reason} ": "</span>
                                {reason}
                            </q>
                        }
                    })}
            </td>
        </tr>
    }
    .into_any()
}

/// What an act was about, with a link to it.
#[component]
fn About(subject: Subject) -> impl IntoView {
    let w = words();
    let t = &w.trail;
    match subject {
        Subject::Mail {
            id,
            order_id,
            copy,
            made,
        } => EitherOf6::A(view! {
            <a href=format!("/submissions/{id}")>
                {isolate(&order_id)} {(copy > 0).then(|| format!(" {}", (w.copy)(copy)))}
            </a>
            {made
                .map(|(id, number)| {
                    view! {
                        " "
                        <a class="tag" href=format!("/submissions/{id}")>
                            {(w.copy)(number)}
                        </a>
                    }
                })}
        }),
        Subject::Month(month) => EitherOf6::B(view! {
            <a href=format!("/reports?month={month}")>{(w.reports.month)(month)}</a>
        }),
        Subject::List { query, rows, .. } => EitherOf6::C(view! {
            <a href=format!("/submissions?{query}") rel="external">
                {(t.list)(rows.map(Count::Exact))}
            </a>
        }),
        Subject::Report { query, .. } => {
            EitherOf6::D(view! { <a href=format!("/reports?{query}")>{t.report}</a> })
        }
        Subject::User { id, name } => EitherOf6::E(match id {
            Some(id) => Either::Left(view! {
                <a href=format!("/settings/users/{id}")>
                    <bdi>{name}</bdi>
                </a>
            }),
            None => Either::Right(view! { <bdi>{name}</bdi> }),
        }),
        Subject::Bulk(job) => EitherOf6::F(Either::Left(view! {
            <a href=format!("/bulk/{job}")>{(w.bulk.job_title)(job)}</a>
        })),
        Subject::Other(text) => EitherOf6::F(Either::Right(view! { <bdi>{text}</bdi> })),
    }
}
