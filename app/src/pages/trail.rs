//! The audit trail: what people did, newest first.

use crate::api::read_trail;
use crate::components::{Clock, Fault, SettingsNav, words};
use crate::model::filter::Hint;
use crate::model::trail::TrailFilter;
use crate::model::views::{Count, Subject, Trail as View, TrailLine};
use crate::model::{ActKind, Moment};
use crate::words::isolate;
use chrono::NaiveDate;
use leptos::either::{Either, EitherOf6};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_location, use_query_map};

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
    let hints = trail
        .hints
        .iter()
        .map(|hint| {
            view! {
                <div class="say c-check hint">
                    <p>{(w.list.hint)(*hint)}</p>
                </div>
            }
        })
        .collect_view();
    let body = if trail.lines.is_empty() {
        Either::Left(view! { <Nothing plain=trail.filter.is_any() /> })
    } else {
        Either::Right(view! { <Lines lines=trail.lines.clone() /> })
    };
    view! {
        <div class="head">
            <h1>{t.title}</h1>
            <span class="note">{t.note}</span>
        </div>
        <SettingsNav />
        {hints}
        <Filters trail=trail.clone() />
        {body}
        <Pager trail />
    }
    .into_any()
}

/// The filters: one form whose fields stand in the URL.
#[component]
fn Filters(trail: View) -> impl IntoView {
    let w = words();
    let t = &w.trail;
    let filter = trail.filter;
    // What is no date stays in its field, to be corrected there.
    let query = use_query_map();
    let day = |name: &str, day: Option<NaiveDate>| match day {
        Some(day) => day.to_string(),
        None => query.with_untracked(|q| q.get(name)).unwrap_or_default(),
    };
    let wrong = |hint: Hint| trail.hints.contains(&hint).then_some("true");
    let [who, act, about, from, to] = t.filter;
    let plain = filter.is_any();
    let (from_day, to_day) = (day("from", filter.from), day("to", filter.to));
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
            <div class="field">
                <label for="from">{from}</label>
                <input
                    id="from"
                    type="text"
                    name="from"
                    value=from_day
                    placeholder="2026/11/30"
                    autocomplete="off"
                    aria-invalid=wrong(Hint::From)
                />
            </div>
            <div class="field">
                <label for="to">{to}</label>
                <input
                    id="to"
                    type="text"
                    name="to"
                    value=to_day
                    placeholder="2026/11/30"
                    autocomplete="off"
                    aria-invalid=wrong(Hint::To)
                />
            </div>
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

/// The table. Roles are written out: on phones the style sheet turns rows into blocks, and
/// browsers then forget that they were a table.
#[component]
fn Lines(lines: Vec<TrailLine>) -> impl IntoView {
    let t = &words().trail;
    let heads = t
        .columns
        .map(|head| {
            view! {
                <th scope="col" role="columnheader">
                    {head}
                </th>
            }
        })
        .collect_view();
    let mut groups: Vec<(Moment, Vec<TrailLine>)> = Vec::new();
    for line in lines {
        match groups.last_mut() {
            Some((day, group)) if day.same_day(&line.at) => group.push(line),
            _ => groups.push((line.at, vec![line])),
        }
    }
    let groups = groups
        .into_iter()
        .map(|(day, lines)| {
            let lines = lines
                .into_iter()
                .map(|line| view! { <Line line /> })
                .collect_view();
            view! {
                <tbody role="rowgroup">
                    <tr class="day" role="row">
                        <th scope="rowgroup" colspan="5" role="rowheader" aria-colspan="5">
                            {(words().day)(&day)}
                        </th>
                    </tr>
                    {lines}
                </tbody>
            }
        })
        .collect_view();
    view! {
        <table class="tbl trail" role="table">
            <caption class="vh">{t.caption}</caption>
            <thead role="rowgroup">
                <tr role="row">{heads}</tr>
            </thead>
            {groups}
        </table>
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
        Subject::Other(text) if text.starts_with("/bulk/") => {
            let page = text.clone();
            EitherOf6::F(Either::Left(view! { <a href=page>{text}</a> }))
        }
        Subject::Other(text) => EitherOf6::F(Either::Right(view! { <bdi>{text}</bdi> })),
    }
}

/// Links to the lines before and after.
#[component]
fn Pager(trail: View) -> impl IntoView {
    let w = &words().list;
    if trail.newer.is_none() && trail.older.is_none() {
        return None;
    }
    let link = |filter: Option<TrailFilter>, text: String, rel: &'static str| match filter {
        Some(filter) => Either::Left(view! {
            <a class="btn small" href=filter.address() rel=rel>
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
            {link(trail.newer, (w.newer)(trail.page_size), "prev")}
            {link(trail.older, (w.older)(trail.page_size), "next")}
            <span class="aside">{(w.page_size)(trail.page_size)}</span>
        </nav>
    })
}
