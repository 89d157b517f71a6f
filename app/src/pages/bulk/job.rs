//! One job: how it stands, what may be done with it, and what became of each mail.

use super::{Sought, ToList};
use crate::api::read_bulk;
use crate::components::{
    Acts, Badge, DateTime, Fault, Live, Near, ReasonFields, Shape, Submit, Table, fact, kind_name,
    plain, words,
};
use crate::error::AppError;
use crate::model::Moment;
use crate::model::views::{
    Bulk, BulkAnswer, BulkPage, BulkResult, BulkRow, BulkState, Doing, News,
};
use crate::words::{grouped, isolate};
use leptos::either::{Either, EitherOf4, EitherOf5};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

/// One job.
#[component]
pub fn OneBulk() -> impl IntoView {
    let acts = Acts::of_page();
    let follow = Live::of_page().follow();
    let params = use_params_map();
    let query = use_query_map();
    let id = move || params.with(|p| p.get("id").and_then(|id| id.parse::<i64>().ok()));
    let from = move || query.with(|q| q.get("from").and_then(|from| from.parse().ok()));
    let page = Resource::new(
        move || (id(), from().unwrap_or(0), acts.done(), follow.version()),
        |(id, from, ..)| async move {
            match id {
                Some(id) => read_bulk(id, from).await,
                None => Err(AppError::NotFound),
            }
        },
    );
    view! {
        <Transition>
            {move || Suspend::new(async move {
                match page.await {
                    Ok(page) => {
                        let news = acts.notice.await.ok().flatten();
                        let missing = news == Some(News::Bulk(BulkAnswer::ReasonMissing));
                        Either::Left(view! { <Whole page missing /> })
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(page: BulkPage, missing: bool) -> impl IntoView {
    let w = words();
    let b = &w.bulk;
    let bulk = page.bulk.clone();
    let title = (b.job_title)(bulk.id);
    let doing = |label: &'static str, doing: Doing| {
        let at = view! { <DateTime at=doing.at /> };
        fact(label, (at, " ", isolate(&doing.by)))
    };
    let ended = bulk.ended_at.filter(|_| bulk.stopped.is_none());
    let end = if bulk.revoked { b.stopped } else { b.ended };
    view! {
        <Title text=title.clone() />
        <div class="head">
            <h1>{title}</h1>
            <span class="note">{(b.state)(bulk.state)}</span>
            <a class="aside note" href="/bulk">
                {b.all_jobs}
            </a>
        </div>
        <dl class="facts">
            {fact(b.filter, view! { <Sought filter=bulk.filter.clone() masked=bulk.filter_masked /> })}
            {doing(b.frozen, bulk.frozen.clone())}
            {bulk.started.clone().map(|started| doing(b.started, started))}
            {bulk.reason.clone().map(|reason| fact(w.reason.reason, reason))}
            {bulk.stopped.clone().map(|stopped| doing(b.stopped, stopped))}
            {ended.map(|at| fact(end, view! { <DateTime at /> }))}
        </dl>
        {bulk
            .revoked
            .then(|| {
                view! {
                    <div class="say c-check block">
                        <p>{b.revoked}</p>
                    </div>
                }
            })}
        <Progress bulk=bulk.clone() doubtful=page.doubtful />
        <Act bulk doubtful=page.doubtful missing />
        <Items page />
    }
    .into_any()
}

/// How its mails stand.
#[component]
fn Progress(bulk: Bulk, doubtful: i64) -> impl IntoView {
    let w = words();
    let b = &w.bulk;
    let counts = bulk.counts;
    let refused = counts
        .refused
        .iter()
        .map(|(why, n)| view! { <li>{(b.refused)(*why, *n)}</li> })
        .collect_view();
    let resent = counts
        .resent
        .iter()
        .map(|(face, n)| {
            view! {
                <li>
                    <Badge face=*face short=true />
                    " "
                    {grouped(*n)}
                </li>
            }
        })
        .collect_view();
    let (turns, eligible) = (counts.had_turn(), counts.eligible());
    let begun = bulk.state != BulkState::Preview;
    let stopped = bulk.state == BulkState::Stopped;
    let head = if stopped {
        (b.left_unsent)(turns, counts.waiting)
    } else {
        (b.eligible)(eligible, counts.total)
    };
    // A masked search finds nothing.
    let again = (stopped && counts.waiting > 0 && !bulk.filter_masked)
        .then(|| format!("/bulk/new?{}", bulk.filter.to_query()));
    view! {
        <section class="block bulk" aria-labelledby="bulk-counts">
            <h2 id="bulk-counts">{head}</h2>
            {again
                .map(|href| {
                    view! {
                        <p>
                            <a href=href>{b.prepare_rest}</a>
                            " "
                            <span class="note">{b.prepare_rest_note}</span>
                        </p>
                    }
                })}
            {(doubtful > 0 && !stopped)
                .then(|| {
                    view! {
                        <p>
                            <span class="st c-check loud">
                                <Shape name="check" />
                                {(b.doubtful_count)(doubtful)}
                            </span>
                        </p>
                    }
                })}
            {begun
                .then(|| {
                    view! {
                        <div class="turns">
                            <progress
                                max=eligible.max(1).to_string()
                                value=turns.to_string()
                                aria-label=b.progress
                            ></progress>
                            <span>{(b.turns)(turns, eligible)}</span>
                        </div>
                        <ul class="sums">
                            {resent}
                            {(counts.skipped > 0)
                                .then(|| view! { <li>{(b.skipped_count)(counts.skipped)}</li> })}
                        </ul>
                    }
                })}
            {(!counts.refused.is_empty())
                .then(|| {
                    view! {
                        <h3>{b.left_out}</h3>
                        <ul class="sums">{refused}</ul>
                    }
                })}
        </section>
    }
    .into_any()
}

/// What may be done with it.
#[component]
fn Act(bulk: Bulk, doubtful: i64, missing: bool) -> impl IntoView {
    let b = &words().bulk;
    let acts = Acts::of_page();
    let (starting, stopping) = (acts.start_bulk.pending(), acts.stop_bulk.pending());
    let id = bulk.id.to_string();
    let eligible = bulk.counts.eligible();
    match bulk.state {
        BulkState::Preview if eligible == 0 => {
            EitherOf5::A(view! { <p class="note block">{b.none_eligible}</p> })
        }
        BulkState::Preview if bulk.outdated => EitherOf5::E(view! {
            <div class="say c-check block">
                <p>
                    {b.outdated} " "
                    {(!bulk.filter_masked).then(|| view! { <ToList filter=bulk.filter /> })}
                </p>
            </div>
        }),
        BulkState::Preview => EitherOf5::B(view! {
            <details class="ask release lot block" open=missing>
                <summary class="btn main">{(b.start)(eligible)}</summary>
                <ActionForm action=acts.start_bulk attr:class="answer">
                    <input type="hidden" name="id" value=id />
                    <p class="note">{b.start_note}</p>
                    {(doubtful > 0)
                        .then(|| {
                            view! {
                                <div class="say c-check">
                                    <p>{(b.doubtful_warning)(doubtful)}</p>
                                </div>
                            }
                        })}
                    <ReasonFields
                        field="why-bulk".to_owned()
                        note=b.reason_note
                        example=b.reason_example
                        confirm=(b.start_confirm)(eligible)
                        missing
                        pending=starting
                    />
                </ActionForm>
            </details>
        }),
        BulkState::Running => EitherOf5::C(view! {
            <ActionForm action=acts.stop_bulk>
                <input type="hidden" name="id" value=id />
                <div class="acts block">
                    <Submit label=b.stop.to_owned() busy=b.stopping pending=stopping />
                    <span class="note">{b.stop_note}</span>
                </div>
            </ActionForm>
        }),
        BulkState::Stopped | BulkState::Done => EitherOf5::D(()),
    }
}

/// Its mails, and what became of each.
#[component]
fn Items(page: BulkPage) -> impl IntoView {
    let b = &words().bulk;
    let (as_of, id, state) = (page.bulk.as_of, page.bulk.id, page.bulk.state);
    let total = page.bulk.counts.total;
    let last = page.rows.last().map_or(0, |row| row.place);
    let size = i32::try_from(page.page_size).unwrap_or(i32::MAX);
    let link = |from: i32, text: String, rel: &'static str| {
        view! {
            <a class="btn small" href=format!("/bulk/{id}?from={from}") rel=rel>
                {text}
            </a>
        }
    };
    let before = (page.from > 0).then(|| {
        let text = (b.before)(page.page_size);
        link((page.from - size).max(0), text, "prev")
    });
    let more = i64::from(last) < total && last > 0;
    let after = more.then(|| link(last, (b.after)(page.page_size), "next"));
    let pager = before.is_some() || after.is_some();
    let rows = page
        .rows
        .into_iter()
        .map(|row| view! { <Item row as_of state /> })
        .collect_view();
    view! {
        <div class="block">
            <Table class="tbl turns-of" caption=b.caption heads=plain(b.columns)>
                <tbody>{rows}</tbody>
            </Table>
        </div>
        {pager
            .then(|| {
                view! {
                    <nav class="pager" aria-label=b.pager>
                        {before}
                        {after}
                    </nav>
                }
            })}
    }
    .into_any()
}

#[component]
fn Item(row: BulkRow, as_of: Moment, state: BulkState) -> impl IntoView {
    let w = words();
    let b = &w.bulk;
    let tag = |text: String| view! { <span class="tag">{text}</span> };
    let at = row.at.map(|at| {
        view! {
            " "
            <span class="note">
                <Near at today=as_of />
            </span>
        }
    });
    let result = match row.result {
        BulkResult::Refused(why) => {
            EitherOf4::A(view! { <span class="muted">{(b.why)(why)}</span> })
        }
        BulkResult::Waiting { doubtful } => {
            let said = doubtful && matches!(state, BulkState::Preview | BulkState::Running);
            EitherOf4::B(view! {
                <span class="muted">{(b.waiting)(state)}</span>
                {said.then(|| view! { <span class="tag">{b.doubtful}</span> })}
            })
        }
        BulkResult::Resent { attempt, face } => EitherOf4::C(view! {
            <Badge face short=true />
            {tag((b.attempt)(attempt))}
            {at}
        }),
        BulkResult::Skipped { why, by } => EitherOf4::D(view! {
            {(b.skipped)(why, by.as_deref())}
            {by.is_some().then_some(at)}
        }),
    };
    view! {
        <tr>
            <th scope="row">
                <a href=format!("/submissions/{}", row.id)>{row.order_id}</a>
            </th>
            <td>
                {kind_name(&row.kind)} {(row.copy > 0).then(|| tag((w.copy)(row.copy)))}
            </td>
            <td>{row.recipient}</td>
            <td class="wrap">{result}</td>
        </tr>
    }
    .into_any()
}
