//! The month's table: kinds by states.

use crate::components::{Table, kind_name, words};
use crate::model::Month;
use crate::model::filter::Basis;
use crate::model::report::{self, Column, Figures};
use crate::model::views::{KindLine, MonthTable, Past};
use crate::pages::filters::address;
use crate::words::grouped;
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;

/// Columns that are 0 everywhere in most months stand only where they are not; by the day of acceptance
/// those of mails that were not accepted as well.
fn shown(table: &MonthTable, basis: Basis) -> Vec<Column> {
    let rare = |column| match column {
        Column::AcceptedAssumed | Column::FailedAssumed | Column::Sending | Column::Further => true,
        Column::Accepted | Column::Bounced | Column::Total => false,
        _ => basis == Basis::Accepted,
    };
    let any = |column| {
        let kept = table.sum.kept.map_or(0, |kept| kept.get(column));
        table.sum.now.get(column) != 0 || kept != 0
    };
    Column::ALL
        .into_iter()
        .filter(|column| !rare(*column) || any(*column))
        .collect()
}

fn class_of(column: Column) -> &'static str {
    match column {
        Column::Total => "n total",
        _ if column.is_part() => "n part",
        _ => "n",
    }
}

/// Kinds by states.
#[component]
pub(super) fn Kinds(table: MonthTable, month: Month, basis: Basis) -> impl IntoView {
    let w = &words().reports;
    if table.lines.is_empty() {
        return Either::Left(view! { <p class="nothing">{w.none}</p> });
    }
    let columns = shown(&table, basis);
    let heads = columns
        .iter()
        .map(|c| {
            view! {
                <th scope="col" class=class_of(*c)>
                    {(w.column)(*c)}
                </th>
            }
        })
        .collect_view();
    let heads = view! {
        <th scope="col">{w.kind}</th>
        {heads}
        <th scope="col" class="n past">
            {w.last_month}
        </th>
        <th scope="col" class="n past">
            {w.last_year}
        </th>
    };
    let lines = table
        .lines
        .into_iter()
        .map(|line| view! { <Line line columns=columns.clone() month basis sum=false /> })
        .collect_view();
    Either::Right(view! {
        <Table class="tbl month" caption=(w.caption)(month) heads=heads.into_any()>
            <tbody>{lines}</tbody>
            <tfoot>
                <Line line=table.sum columns month basis sum=true />
            </tfoot>
        </Table>
    })
}

#[component]
fn Line(
    line: KindLine,
    columns: Vec<Column>,
    month: Month,
    basis: Basis,
    sum: bool,
) -> impl IntoView {
    let w = &words().reports;
    let name = match (sum, line.kind.as_str()) {
        (true, _) => w.sum.to_owned(),
        (false, "") => w.rest.to_owned(),
        (false, kind) => kind_name(kind),
    };
    let kind = (!sum).then(|| line.kind.clone());
    let link = |month: Month, column| {
        line.linked
            .then(|| address(&report::rows_of(month, basis, kind.as_deref(), column)))
    };
    let cells = columns
        .into_iter()
        .map(|column| {
            view! {
                <td class=class_of(column)>
                    <Figure
                        now=line.now.get(column)
                        kept=line.kept.map(|kept: Figures| kept.get(column))
                        href=link(month, column)
                    />
                </td>
            }
        })
        .collect_view();
    let past = |past: Past, month: Month| {
        let href = link(month, Column::Total);
        view! {
            <td class="n past">
                {match (past.now, past.kept) {
                    (Some(now), kept) => EitherOf3::A(view! { <Figure now kept href /> }),
                    (None, Some(kept)) => EitherOf3::B(grouped(kept)),
                    (None, None) => EitherOf3::C(view! { <span class="none">"—"</span> }),
                }}
            </td>
        }
    };
    view! {
        <tr>
            <th scope="row">{name}</th>
            {cells}
            {past(line.last_month, month.previous())}
            {past(line.last_year, month.year_before())}
        </tr>
    }
}

/// A figure, which opens its rows. In a closed month the kept one, and the one of now beside it
/// where they differ: a link always says how many rows it opens.
#[component]
fn Figure(now: i64, kept: Option<i64>, href: Option<String>) -> impl IntoView {
    let w = &words().reports;
    let opens = move |text: String| match (now, href) {
        (0, _) | (_, None) => {
            let class = if now == 0 { "zero" } else { "" };
            Either::Left(view! { <span class=class>{text}</span> })
        }
        // Lists load anew, so that their fields say what the address says.
        (_, Some(href)) => Either::Right(view! {
            <a href=href rel="external">
                {text}
            </a>
        }),
    };
    match kept {
        Some(kept) if kept != now => Either::Left(view! {
            {grouped(kept)}
            <small class="adj">{opens((w.adjusted)(now, now - kept))}</small>
        }),
        _ => Either::Right(opens(grouped(now))),
    }
}
