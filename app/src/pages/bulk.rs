//! Resending many mails: what a filter would take, what was frozen of it, and what becomes of each.

mod job;

use super::filters::address;
use crate::api::{read_bulk_new, read_bulks};
use crate::components::{
    Acts, DateTime, Fault, Live, Submit, Table, fact, kind_name, plain, words,
};
use crate::model::Filter;
use crate::model::filter::Basis;
use crate::model::views::{Bulk, BulkNew, Count, LARGEST_BULK};
use crate::words::isolate;
pub use job::OneBulk;
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

/// The jobs so far.
#[component]
pub fn Bulks() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let follow = Live::of_page().follow();
    let bulks = Resource::new(move || (acts.done(), follow.version()), |_| read_bulks());
    view! {
        <Title text=w.bulk.title />
        <Transition>
            {move || Suspend::new(async move {
                match bulks.await {
                    Ok(bulks) => Either::Left(view! { <All bulks /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn All(bulks: Vec<Bulk>) -> impl IntoView {
    let w = &words().bulk;
    let none = bulks.is_empty();
    let rows = bulks
        .into_iter()
        .map(|bulk| {
            let (at, by) = match &bulk.started {
                Some(started) => (started.at, started.by.clone()),
                None => (bulk.frozen.at, bulk.frozen.by.clone()),
            };
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/bulk/{}", bulk.id)>
                            <DateTime at />
                        </a>
                    </th>
                    <td class="wrap">{filter_words(&bulk.filter)}</td>
                    <td>
                        {(w.state)(bulk.state)} " "
                        <span class="note">
                            {(w.turns)(bulk.counts.had_turn(), bulk.counts.eligible())}
                        </span>
                    </td>
                    <td>{isolate(&by)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="head">
            <h1 id="bulks">{w.title}</h1>
        </div>
        <p class="note">{w.how}</p>
        {if none {
            Either::Left(view! { <p class="nothing">{w.no_jobs}</p> })
        } else {
            Either::Right(
                view! {
                    <div class="block">
                        <Table by="bulks" heads=plain(w.job_columns)>
                            <tbody>{rows}</tbody>
                        </Table>
                    </div>
                },
            )
        }}
    }
    .into_any()
}

/// What a filter would take.
#[component]
pub fn NewBulk() -> impl IntoView {
    let w = words();
    let search = use_location().search;
    let new = Resource::new(move || search.get(), read_bulk_new);
    view! {
        <Title text=w.bulk.new_title />
        <Transition>
            {move || Suspend::new(async move {
                match new.await {
                    Ok(new) => Either::Left(view! { <Offer new /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Offer(new: BulkNew) -> impl IntoView {
    let w = words();
    let b = &w.bulk;
    let acts = Acts::of_page();
    let pending = acts.prepare_bulk.pending();
    let query = new.filter.to_query();
    let why_not = if !new.hints.is_empty() || new.filter.is_any() {
        Some(b.no_filter.to_owned())
    } else {
        match new.count {
            Count::Exact(0) => Some(b.nothing.to_owned()),
            Count::Exact(n) if n <= LARGEST_BULK => None,
            _ => Some((b.too_many)(LARGEST_BULK)),
        }
    };
    let act = match why_not {
        Some(text) => Either::Left(view! {
            <div class="say c-check">
                <p>{text}</p>
            </div>
        }),
        None => Either::Right(view! {
            <ActionForm action=acts.prepare_bulk>
                <input type="hidden" name="query" value=query />
                <Submit label=b.prepare.to_owned() busy=b.preparing pending />
            </ActionForm>
        }),
    };
    view! {
        <div class="head">
            <h1>{b.new_title}</h1>
            <a class="aside note" href="/bulk">
                {b.all_jobs}
            </a>
        </div>
        <dl class="facts">
            {fact(b.filter, view! { <Sought filter=new.filter masked=false /> })}
            {fact(b.now, (b.mails)(new.count))}
        </dl>
        <p class="block">{b.prepare_note}</p>
        <div class="acts block">{act}</div>
    }
    .into_any()
}

/// A filter in words, and the way to its list, where its search is not masked.
#[component]
fn Sought(filter: Filter, masked: bool) -> impl IntoView {
    view! { {filter_words(&filter)} " " {(!masked).then(|| view! { <ToList filter /> })} }
}

/// The way to a filter's list.
#[component]
fn ToList(filter: Filter) -> impl IntoView {
    view! {
        <a href=address(&filter) rel="external">
            {words().bulk.to_list}
        </a>
    }
}

/// A filter in words.
fn filter_words(filter: &Filter) -> String {
    let w = &words().list;
    let mut parts: Vec<String> = Vec::new();
    parts.extend(filter.q.as_deref().map(|q| match filter.part {
        true => format!("{} {}", w.query_part, isolate(q)),
        false => isolate(q),
    }));
    let statuses = filter.statuses.iter().map(|s| (w.list_status)(*s));
    parts.extend(statuses.map(str::to_owned));
    parts.extend(filter.kind.as_deref().map(kind_name));
    parts.extend(filter.needs.map(|needs| (w.needs)(needs).to_owned()));
    parts.extend(filter.only.iter().map(|only| (w.only)(*only).to_owned()));
    if filter.from.is_some() || filter.to.is_some() || filter.basis != Basis::default() {
        let span = (w.span)(filter.from, filter.to);
        parts.push(format!("{} {span}", (w.days_of)(filter.basis)));
    }
    let failed = filter.failed.as_ref();
    parts.extend(failed.map(|failed| (words().errors.chip)(w.error, failed.days)));
    if parts.is_empty() {
        parts.push(w.any_kind.to_owned());
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::filter::Failed;

    #[test]
    fn a_filter_that_leaves_mails_out_is_never_said_to_be_all() {
        let failed = Failed {
            hash: "0123456789abcdef".to_owned(),
            days: Some(7),
        };
        let all = filter_words(&Filter::default());
        let filter = Filter {
            failed: Some(failed),
            ..Filter::default()
        };
        assert_ne!(filter_words(&filter), all);
        let [whole, part] = [false, true].map(|part| Filter {
            q: Some("1234".to_owned()),
            part,
            ..Filter::default()
        });
        assert_ne!(filter_words(&whole), filter_words(&part));
    }
}
