//! The overview: first what needs a person, then how things stand.

use super::days::AcceptedDays;
use super::filters::address;
use super::histogram::Attempts;
use crate::api::read_overview;
use crate::components::{Acts, Badge, Clock, Fault, Live, Shape, Table, figure, heads, words};
use crate::model::filter::ListStatus;
use crate::model::views::{self, Count, Counts};
use crate::model::{Age, Face, Filter, Moment, Status};
use crate::words::{Lang, grouped};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;

/// The page.
#[component]
pub fn Overview() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let follow = Live::of_page().follow();
    let overview = Resource::new(move || (acts.done(), follow.version()), |_| read_overview());
    view! {
        <Title text=w.overview.title />
        <Transition>
            {move || Suspend::new(async move {
                match overview.await {
                    Ok(o) => Either::Left(view! { <Whole o /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(o: views::Overview) -> impl IntoView {
    let w = words();
    view! {
        <div class="head">
            <h1>{w.overview.title}</h1>
        </div>
        {o
            .idle()
            .then(|| {
                view! {
                    <div class="say c-check" role="alert">
                        <p>{(w.overview.idle)(o.due)}</p>
                    </div>
                }
            })}
        <Needs o=o.clone() />
        <p class="note end">
            {(o.bounced.1 != Count::Exact(0))
                .then(|| {
                    view! {
                        <a href=address(&o.bounced.0)>{(w.overview.bounced)(o.bounced.1)}</a>
                        <span aria-hidden="true">" · "</span>
                    }
                })}
            <a href="/submissions/errors">{w.errors.link}</a>
        </p>
        <section class="block" aria-labelledby="all">
            <div class="cap">
                <h2 id="all">{w.overview.counts}</h2>
                <span class="note">{w.overview.counts_note}</span>
            </div>
            <Board counts=o.counts />
        </section>
        <div class="block charts">
            <Attempts histogram=o.histogram />
            <AcceptedDays days=o.days.clone() />
        </div>
        <div class="block">
            <Workers o />
        </div>
    }
    .into_any()
}

/// What waits for a person; each number leads to its rows.
#[component]
fn Needs(o: views::Overview) -> impl IntoView {
    let w = words();
    let v = &w.overview;
    if o.needs_person + o.still_asked == 0 {
        return Either::Left(view! {
            <p class="allclear">
                <span class="st c-accepted">
                    <Shape name="accepted" />
                </span>
                {v.all_clear}
                " "
                <span class="muted">{(w.frame.as_of)(&o.as_of)}</span>
            </p>
        });
    }
    let ages = o
        .check_by_age
        .iter()
        .zip(Age::ALL)
        .map(|(n, age)| {
            let text = (w.stuck.age)(age).to_owned();
            let href = format!("/stuck?{}", Age::query(Some(age)));
            view! { <Cell number=*n text href color="c-check" /> }
        })
        .collect_view();
    let some = |n: i64, text: fn(i64) -> String| (n > 0).then(|| text(n));
    let with = |text: &str, note: Option<String>| match note {
        Some(note) => (v.with_note)(text, &note),
        None => text.to_owned(),
    };
    Either::Right(view! {
        <section class="block first" aria-labelledby="need">
            <div class="cap">
                <h2 id="need">{v.needs}</h2>
                <span class="note">
                    <a href="/submissions?needs=person">{(v.needs_count)(o.needs_person)}</a>
                    {some(o.still_asked, v.asked_beside)}
                </span>
            </div>
            <div class="board need">
                <section class="w4 c-check">
                    <h3>
                        <Badge face=Face::NeedsChecking loud=true />
                        " "
                        <small>{v.by_age}</small>
                        {some(o.still_asked - o.asked_failed, v.asked_of)
                            .map(|asked| view! { <small>{asked}</small> })}
                    </h3>
                    {ages}
                </section>
                <section class="c-rejected">
                    <h3>
                        <Badge face=Face::Refused loud=true />
                    </h3>
                    <Cell
                        number=o.rejected
                        text=v.refused_note.to_owned()
                        href="/submissions?status=rejected"
                        color="c-rejected"
                    />
                </section>
                <section class="c-failed">
                    <h3>
                        <Badge face=Face::NotSent short=true loud=true />
                    </h3>
                    <Cell
                        number=o.failed_final
                        text=with(v.final_note, some(o.asked_failed, v.asked_of))
                        href="/submissions?status=failed&needs=final"
                        color="c-failed"
                    />
                </section>
                <section>
                    <h3>{v.held}</h3>
                    <Cell
                        number=o.held
                        text=with(v.held_note, some(o.held_too, v.held_too))
                        href="/submissions?needs=held"
                        color=""
                    />
                </section>
            </div>
        </section>
    })
}

/// A number with its words; a link unless it is 0.
#[component]
fn Cell(
    number: i64,
    text: String,
    #[prop(into)] href: String,
    color: &'static str,
) -> impl IntoView {
    let inside = view! {
        <b>{grouped(number)}</b>
        " "
        <span>{text}</span>
    };
    if number == 0 {
        Either::Left(view! { <div class="cell zero">{inside}</div> })
    } else {
        Either::Right(view! {
            <a class=format!("cell {color}") href=href>
                {inside}
            </a>
        })
    }
}

/// Counts by state.
#[component]
fn Board(counts: Counts) -> impl IntoView {
    let w = words();
    let v = &w.overview;
    let some = |n: i64, text: fn(i64) -> String| (n > 0).then(|| text(n));
    let stored = ListStatus::Stored;
    let cells: [(Face, ListStatus, Count, Vec<String>); 7] = [
        (
            Face::Waiting,
            stored(Status::Pending),
            Count::Exact(counts.pending),
            vec![],
        ),
        (
            Face::Sending,
            ListStatus::Sending,
            Count::Exact(counts.sending),
            vec![],
        ),
        (
            Face::NeedsChecking,
            ListStatus::Check,
            Count::Exact(counts.check),
            vec![],
        ),
        (
            Face::Accepted,
            stored(Status::Synced),
            counts.synced,
            some(counts.synced_assumed, v.assumed).into_iter().collect(),
        ),
        (
            Face::NotSent,
            stored(Status::Failed),
            Count::Exact(counts.failed),
            [
                some(counts.failed_retrying, v.retrying),
                some(counts.failed_assumed, v.assumed),
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            Face::Refused,
            stored(Status::Rejected),
            Count::Exact(counts.rejected),
            vec![],
        ),
        (
            Face::CalledOff,
            stored(Status::Canceled),
            Count::Exact(counts.canceled),
            vec![],
        ),
    ];
    let cells = cells
        .into_iter()
        .map(|(face, status, count, notes)| {
            let zero = count == Count::Exact(0);
            let some = !notes.is_empty();
            let notes = notes
                .into_iter()
                .enumerate()
                .map(|(i, note)| view! { {(i > 0).then(|| view! { <br /> })} {note} })
                .collect_view();
            // English's whole words do not fit a seventh of the strip.
            let narrow = words().lang == Lang::En;
            let inside = view! {
                <Badge face calm=true short=narrow />
                " "
                <b>{(w.count)(count)}</b>
                {some.then(|| view! { <small>{notes}</small> })}
            };
            if zero {
                return Either::Left(view! { <div class="cell zero">{inside}</div> });
            }
            let list = Filter {
                statuses: vec![status],
                ..Filter::default()
            };
            Either::Right(view! {
                <a class="cell" href=address(&list)>
                    {inside}
                </a>
            })
        })
        .collect_view();
    view! { <div class="board all">{cells}</div> }
}

/// Whether a process that was `seen` last then has fallen silent: each says every five seconds that it
/// lives.
pub(super) fn is_silent(seen: Moment, as_of: Moment) -> bool {
    as_of.seconds_since(&seen) > 30
}

/// Who sends.
#[component]
fn Workers(o: views::Overview) -> impl IntoView {
    let w = words();
    let v = &w.overview;
    let (service, as_of) = (o.service, o.as_of);
    let lookups = (v.lookups)(o.lookups, o.lookups_failing);
    let body = if o.workers.is_empty() {
        Either::Left(view! { <p class="nothing">{(v.no_workers)(service)}</p> })
    } else {
        let rows = o
            .workers
            .into_iter()
            .map(|worker| {
                // What it had in flight when it fell silent, nobody knows.
                let silent = is_silent(worker.seen, as_of);
                let known = move |number: i64| {
                    if silent {
                        Either::Left(view! { <td class="n muted">"—"</td> })
                    } else {
                        Either::Right(figure(number))
                    }
                };
                view! {
                    <tr>
                        <th scope="row">
                            {worker.name}
                            {silent.then(|| view! { <span class="tag">{v.worker_silent}</span> })}
                            {worker
                                .resends_only
                                .then(|| view! { <span class="tag">{v.resends_only}</span> })}
                        </th>
                        <td class="n">
                            <Clock at=worker.seen />
                        </td>
                        {known(worker.in_flight)}
                        {known(worker.accepted_last_hour)}
                    </tr>
                }
            })
            .collect_view();
        Either::Right(view! {
            <Table by="wk" heads=heads(v.worker_columns, 1)>
                <tbody>{rows}</tbody>
            </Table>
        })
    };
    view! {
        <section class="workers" aria-labelledby="wk">
            <div class="cap">
                <h2 id="wk">{v.workers}</h2>
                <span class="note">{v.workers_note}</span>
            </div>
            {body}
            <p class="note">{lookups}</p>
        </section>
    }
    .into_any()
}
