//! The month's report.

use super::filters::address;
use crate::api::read_month;
use crate::components::{Acts, Fault, Shape, Submit, kind_name, words};
use crate::model::Month;
use crate::model::filter::Basis;
use crate::model::report::{self, Column, Figures};
use crate::model::views::{Count, KindLine, MonthReport, MonthTable};
use crate::words::grouped;
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

/// The page.
#[component]
pub fn Reports() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let search = use_location().search;
    let month = Resource::new(
        move || (search.get(), acts.close_month.version().get()),
        |(query, _)| read_month(query),
    );
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
                            <p>{(w.closed)(c, &r.zone)} <br /> {w.closed_note}</p>
                        </div>
                    }
                })}
            {match r.table.clone() {
                None => Either::Left(view! { <NotCounted month=r.month /> }),
                Some(table) => Either::Right(view! { <Table table month=r.month basis=r.basis /> }),
            }}
            <Under r=r.clone() />
        </section>
        {(r.may_close && r.over && !closed).then(|| view! { <CloseForm month=r.month /> })}
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

/// Columns that are 0 everywhere in most months stand only where they are not.
fn shown(table: &MonthTable) -> Vec<Column> {
    let rare = |column| {
        matches!(
            column,
            Column::AcceptedAssumed | Column::FailedAssumed | Column::Sending | Column::Further
        )
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
fn Table(table: MonthTable, month: Month, basis: Basis) -> impl IntoView {
    let w = &words().reports;
    if table.lines.is_empty() {
        return Either::Left(view! { <p class="nothing">{w.none}</p> });
    }
    let columns = shown(&table);
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
    let lines = table
        .lines
        .into_iter()
        .map(|line| view! { <Line line columns=columns.clone() month basis sum=false /> })
        .collect_view();
    Either::Right(view! {
        <div class="scroll" tabindex="0" role="group" aria-label=(w.caption)(month)>
            <table class="tbl month">
                <caption class="vh">{(w.caption)(month)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{w.kind}</th>
                        {heads}
                        <th scope="col" class="n past">
                            {w.last_month}
                        </th>
                        <th scope="col" class="n past">
                            {w.last_year}
                        </th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
                <tfoot>
                    <Line line=table.sum columns month basis sum=true />
                </tfoot>
            </table>
        </div>
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
    let past = |count: Option<i64>, month: Month| {
        let href = link(month, Column::Total);
        view! {
            <td class="n past">
                {match count {
                    None => Either::Left(view! { <span class="none">"—"</span> }),
                    Some(now) => Either::Right(view! { <Figure now kept=None href /> }),
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
            </div>
            <Saves r />
        </div>
    }
}

/// Links that save the table, and the mails behind it.
#[component]
fn Saves(r: MonthReport) -> impl IntoView {
    let w = &words().reports;
    let table = r.table?;
    let rows = i64::try_from(table.lines.len() + 1).unwrap_or_default();
    let mails = table.sum.now.get(Column::Total);
    let report = format!("month={}&basis={}", r.month, r.basis.as_str());
    let list = report::rows_of(r.month, r.basis, None, Column::Total).to_query();
    let save = |what: &str, format: &'static str, query: &str, text: String| {
        let href = format!("/exports/{what}.{}?{query}", format.to_lowercase());
        view! {
            <a class="btn small" href=href rel="external">
                {text}
            </a>
        }
    };
    Some(view! {
        <div class="acts" role="group" aria-label=w.save>
            {["CSV"]
                .map(|format| save("report", format, &report, (w.save_table)(format, rows)))
                .collect_view()}
            {["CSV"]
                .map(|format| {
                    save("submissions", format, &list, (w.save_rows)(format, Count::Exact(mails)))
                })
                .collect_view()}
        </div>
    })
}

/// Closes the month: closed a button, open it asks for the reason, which may stay empty.
#[component]
fn CloseForm(month: Month) -> impl IntoView {
    let w = &words().reports;
    let acts = Acts::of_page();
    let pending = acts.close_month.pending();
    view! {
        <details class="ask release lot close-month">
            <summary class="btn">{(w.close)(month)}</summary>
            <ActionForm action=acts.close_month attr:class="answer">
                <input type="hidden" name="month" value=month.to_string() />
                <p class="note">{w.close_note}</p>
                <div class="field">
                    <label for="why-close">{w.close_reason}</label>
                    <textarea
                        id="why-close"
                        name="reason"
                        rows="2"
                        maxlength="1000"
                        placeholder=w.close_example
                    ></textarea>
                </div>
                <div class="acts">
                    <Submit label=(w.close_confirm)(month) busy=w.close_busy pending />
                </div>
            </ActionForm>
        </details>
    }
    .into_any()
}
