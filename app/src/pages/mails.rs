//! The list: one line a mail, newest first.

mod rows;

use super::filters::{Filters, address};
use super::reports::FORMATS;
use crate::api::{read_list, read_list_news};
#[cfg(feature = "hydrate")]
use crate::components::focus;
use crate::components::{Acts, Fault, Hints, Live, Pager, ReasonFields, fresh, words};
use crate::model::Filter;
use crate::model::views::{Draft, LARGEST_LOT, ListNews, Lot, MailList, News, SearchNote, Seen};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_location;
use rows::Rows;

/// The page.
#[component]
pub fn Mails() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let search = use_location().search;
    let again = RwSignal::new(0);
    let list = Resource::new(
        move || (search.get(), acts.done(), again.get()),
        |(query, ..)| read_list(query),
    );
    view! {
        <Title text=w.list.title />
        <Transition>
            {move || Suspend::new(async move {
                match list.await {
                    Ok(MailList { straight: Some(id), .. }) => {
                        Either::Left(Either::Left(view! { <Straight id /> }))
                    }
                    Ok(list) => {
                        let news = acts.notice.await.ok().flatten();
                        let draft = match news {
                            Some(News::Lot(n)) => n.draft,
                            _ => None,
                        };
                        Either::Left(Either::Right(view! { <Whole list draft again /> }))
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

/// Leads on to the one mail that was named.
#[component]
fn Straight(id: i64) -> impl IntoView {
    let options = NavigateOptions {
        replace: true,
        ..NavigateOptions::default()
    };
    view! { <Redirect path=format!("/submissions/{id}") options /> }
}

/// The list as it was read. Its rows change where they stand; newer ones wait until `again` is
/// asked for.
#[component]
fn Whole(list: MailList, draft: Option<Draft>, again: RwSignal<u32>) -> impl IntoView {
    let w = words();
    let news = follow(&list);
    let first = list.count;
    let count = move || news.with(|news| news.as_ref().map_or(first, |news| news.count));
    let body = if list.rows.is_empty() {
        Either::Left(view! { <Nothing list=list.clone() /> })
    } else {
        Either::Right(view! { <Rows rows=list.rows.clone() news basis=list.filter.basis /> })
    };
    let to = |filter: Option<Filter>| filter.as_ref().map(address);
    view! {
        <div class="head listed">
            <h1 id="list" tabindex="-1">
                {w.list.title}
            </h1>
            <span class="note">{move || (w.list.count)(count())}</span>
            <Newer news again />
            <span class="aside note">
                <a href="/submissions/errors">{w.errors.link}</a>
            </span>
        </div>
        // Above the filters, whose open menu would cover it.
        <Hints hints=list.hints.clone() />
        <Sought list=list.clone() />
        <Filters list=list.clone() />
        <div class="lots">
            {list
                .lot
                .map(|lot| view! { <LotForm lot query=list.filter.first_page().to_query() draft /> })}
            <ResendMany list=list.clone() />
        </div>
        {body}
        <Saves list=list.clone() />
        <Pager newer=to(list.newer) older=to(list.older) page_size=list.page_size />
    }
    .into_any()
}

/// What is to be said of the search text: what it lacks, or that it can be searched for as a part.
#[component]
fn Sought(list: MailList) -> impl IntoView {
    let w = &words().list;
    let q = list.filter.q.unwrap_or_default();
    // That addresses are found whole alone explains why nothing was.
    let note = list
        .search
        .filter(|note| *note != SearchNote::Masked || list.rows.is_empty());
    view! {
        {note
            .map(|note| {
                view! {
                    <div class="say c-check hint">
                        <p>{(w.search_note)(note)}</p>
                    </div>
                }
            })}
        {list
            .parts
            .map(|parts| {
                view! {
                    <p class="note">
                        {w.found_whole}
                        " "
                        <a href=address(&parts) rel="external">
                            {(w.parts_too)(&q)}
                        </a>
                    </p>
                }
            })}
    }
    .into_any()
}

/// What becomes of the list's rows, asked at each change.
fn follow(list: &MailList) -> RwSignal<Option<ListNews>> {
    let ids: Vec<String> = list.rows.iter().map(|row| row.id.to_string()).collect();
    let ids = ids.join(",");
    let query = list.filter.to_query();
    let top = list.top.map(|top| top.to_string()).unwrap_or_default();
    fresh(Live::of_page().follow(), move || {
        read_list_news(query.clone(), ids.clone(), top.clone())
    })
}

/// Newer rows wait here until somebody asks for them. They are announced by their number, and at
/// most once in ten seconds.
#[component]
fn Newer(news: RwSignal<Option<ListNews>>, again: RwSignal<u32>) -> impl IntoView {
    const QUIET: std::time::Duration = std::time::Duration::from_secs(10);
    let w = &words().live;
    let newer = Memo::new(move |_| news.with(|news| news.as_ref().map_or(0, |news| news.newer)));
    let (told, set_told) = signal(0);
    let (quiet, set_quiet) = signal(false);
    Effect::new(move |_| {
        let newer = newer.get();
        if !quiet.get() && newer != told.get_untracked() {
            set_told.set(newer);
            set_quiet.set(true);
            set_timeout(
                move || {
                    let _ = set_quiet.try_set(false);
                },
                QUIET,
            );
        }
    });
    let show = move |_| {
        again.update(|n| *n += 1);
        // The button goes away with what it stands for.
        #[cfg(feature = "hydrate")]
        focus("list");
    };
    view! {
        {move || {
            let n = newer.get();
            (n > 0)
                .then(|| {
                    view! {
                        <button class="btn small newer" type="button" on:click=show>
                            {(w.newer)(n)}
                        </button>
                    }
                })
        }}
        <span class="vh" role="status">
            {move || {
                let n = told.get();
                (n > 0).then(|| (w.newer_told)(n))
            }}
        </span>
    }
    .into_any()
}

/// Lets go of the held mails of the list, all at once. What was written the last time stays in the field;
/// the form is closed, for it would speak of other mails now.
#[component]
fn LotForm(lot: Lot, query: String, draft: Option<Draft>) -> impl IntoView {
    let r = &words().reason;
    let acts = Acts::of_page();
    let pending = acts.release_many.pending();
    let Seen {
        count,
        newest,
        versions,
    } = lot.seen;
    if !lot.allowed || lot.too_many {
        let text = if lot.allowed {
            (r.release_lot_too_many)(LARGEST_LOT)
        } else {
            r.release_lot_role.to_owned()
        };
        return Either::Left(view! { <p class="note lot">{text}</p> });
    }
    let missing = draft.as_ref().is_some_and(Draft::lacks_reason);
    let form = NodeRef::<leptos::html::Details>::new();
    #[cfg(feature = "hydrate")]
    if draft.is_some() && !missing {
        Effect::new(move |_| {
            if let Some(form) = form.get() {
                form.set_open(false);
                focus("told");
            }
        });
    }
    Either::Right(view! {
        <details class="ask release lot" open=missing node_ref=form>
            <summary class="btn">{(r.release_lot)(count)}</summary>
            <ActionForm action=acts.release_many attr:class="answer">
                <input type="hidden" name="query" value=query />
                <input type="hidden" name="count" value=count.to_string() />
                <input type="hidden" name="newest" value=newest.to_string() />
                <input type="hidden" name="versions" value=versions.to_string() />
                <p class="note">{(r.release_lot_note)(count)}</p>
                <ReasonFields
                    field="why-release".to_owned()
                    note=r.release_reason
                    example=r.release_example
                    confirm=(r.release_lot_confirm)(count)
                    value=draft.map(|draft| draft.reason).unwrap_or_default()
                    missing
                    pending
                />
            </ActionForm>
        </details>
    })
}

/// Leads from a filtered list to resending its mails.
#[component]
fn ResendMany(list: MailList) -> impl IntoView {
    let filter = list.filter.first_page();
    let shown =
        list.may_resend && list.hints.is_empty() && !list.rows.is_empty() && !filter.is_any();
    shown.then(|| {
        view! {
            <p class="lot">
                <a class="btn" href=format!("/bulk/new?{}", filter.to_query())>
                    {words().bulk.title}
                </a>
                " "
                <a class="note" href="/bulk">
                    {words().bulk.all_jobs}
                </a>
            </p>
        }
    })
}

/// Why the list is empty, and what to do.
#[component]
fn Nothing(list: MailList) -> impl IntoView {
    let w = &words().list;
    let plain = list.filter.is_any();
    let head = match &list.filter.q {
        _ if plain => w.empty.to_owned(),
        Some(q) => (w.none_for)(q),
        None => w.none.to_owned(),
    };
    view! {
        <div class="empty">
            <h2>{head}</h2>
            <p>{if plain { w.empty_help } else { w.none_help }}</p>
            {(!plain)
                .then(|| {
                    view! {
                        <div class="acts">
                            <a class="btn small" href="/submissions" rel="external">
                                {w.clear}
                            </a>
                        </div>
                    }
                })}
        </div>
    }
    .into_any()
}

/// Links that save the whole list, as filtered.
#[component]
fn Saves(list: MailList) -> impl IntoView {
    let w = &words().reports;
    let incomplete = list.search.is_some_and(SearchNote::incomplete);
    if list.rows.is_empty() || !list.hints.is_empty() || incomplete {
        return None;
    }
    let query = list.filter.first_page().to_query();
    let links = FORMATS
        .map(|format| {
            let href = format!("/exports/submissions.{}?{query}", format.to_lowercase());
            view! {
                <a class="btn small" href=href rel="external">
                    {(w.save_rows)(format, list.count)}
                </a>
            }
        })
        .collect_view();
    Some(view! {
        <div class="acts saves" role="group" aria-label=w.save>
            {links}
        </div>
    })
}
