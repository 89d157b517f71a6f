//! The list's rows, by day.

use crate::components::{Badge, Clock, DayTable, Near, kind_name, words};
use crate::model::Moment;
use crate::model::filter::Basis;
use crate::model::views::{ListNews, MailRow};
use leptos::either::Either;
use leptos::prelude::*;

/// The table.
#[component]
pub(super) fn Rows(
    rows: Vec<MailRow>,
    news: RwSignal<Option<ListNews>>,
    basis: Basis,
) -> impl IntoView {
    let w = &words().list;
    let at = move |row: &MailRow| match basis {
        Basis::Decided => row.created_at,
        Basis::Accepted => row.sent_at.unwrap_or(row.created_at),
    };
    let row =
        move |i: usize, row: MailRow| view! { <Row row news basis five=i % 5 == 4 /> }.into_any();
    view! {
        <DayTable
            class="tbl list"
            caption=(w.caption)(basis)
            columns=&w.columns
            figures=4
            lines=rows
            at
            row
        />
    }
}

/// A row, which changes where it stands.
#[component]
fn Row(row: MailRow, news: RwSignal<Option<ListNews>>, basis: Basis, five: bool) -> impl IntoView {
    let now = Memo::new(move |_| {
        news.with(|news| {
            let mut rows = news.iter().flat_map(|news| &news.rows);
            rows.find(|now| now.id == row.id).cloned()
        })
        .unwrap_or_else(|| row.clone())
    });
    (move || view! { <Cells row=now.get() basis five /> }).into_any()
}

#[component]
fn Cells(row: MailRow, basis: Basis, five: bool) -> impl IntoView {
    let w = words();
    let [_, _, _, _, attempts, decided, accepted] = w.list.columns;
    let attempts_class = match row.attempts {
        0 => "k-try n zero",
        1 => "k-try n",
        _ => "k-try n many",
    };
    let recipient = row.recipient.clone();
    let tag = |text: String| view! { <span class="tag">{text}</span> };
    view! {
        <tr role="row" class=if five { "five" } else { "" }>
            <th scope="row" role="rowheader" class="k-order">
                <a href=format!("/submissions/{}", row.id)>{row.order_id}</a>
            </th>
            <td role="cell" class="k-kind">
                {kind_name(&row.kind)}
                {(row.copy > 0).then(|| tag((w.copy)(row.copy)))}
                {row.held.then(|| tag(w.held.to_owned()))}
            </td>
            <td role="cell" class="k-to grow" title=recipient>
                {if row.recipient.is_empty() {
                    Either::Left(view! { <span class="none">{w.list.no_recipient}</span> })
                } else {
                    Either::Right(row.recipient)
                }}
            </td>
            <td role="cell" class="k-status">
                <Badge face=row.face assumed=row.assumed short=true />
            </td>
            <td role="cell" class=attempts_class data-l=attempts>
                {row.attempts}
            </td>
            <td role="cell" class="k-at n" data-l=decided>
                {match (basis, row.sent_at) {
                    // Under the day of acceptance the decision may be of an earlier day.
                    (Basis::Accepted, Some(day)) => Either::Left(view! { <Near at=row.created_at today=day /> }),
                    _ => Either::Right(view! { <Clock at=row.created_at /> }),
                }}
            </td>
            {match row.sent_at {
                None => {
                    Either::Left(
                        view! {
                            <td role="cell" class="k-acc n blank">
                                <span class="none">"—"</span>
                            </td>
                        },
                    )
                }
                Some(at) => {
                    Either::Right(
                        view! {
                            <td role="cell" class="k-acc n" data-l=accepted>
                                <Accepted
                                    at
                                    decided=if basis == Basis::Accepted { at } else { row.created_at }
                                />
                            </td>
                        },
                    )
                }
            }}
        </tr>
    }
    .into_any()
}

/// A time on the day of the decision, on the next one, or on a later one.
#[component]
fn Accepted(at: Moment, decided: Moment) -> impl IntoView {
    let w = words();
    let days = (at.0.date_naive() - decided.0.date_naive()).num_days();
    match days {
        0 => Either::Left(view! { <Clock at /> }),
        1 => Either::Right(Either::Left(view! {
            <span class="next">{w.list.next_day}</span>
            <Clock at />
        })),
        _ => Either::Right(Either::Right(
            view! { <time datetime=at.machine()>{(w.date_time_short)(&at)}</time> },
        )),
    }
}
