//! Accepted mails a day: only the bars are drawn; the scale, the days and the table are text. The
//! plot is that of other bars over time, too.

use crate::components::words;
use crate::model::Status;
use crate::model::filter::{Basis, Filter, ListStatus};
use crate::model::views::{DayCount, Days};
use crate::words::grouped;
use chrono::{Datelike, Weekday};
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;
use std::fmt::Write;

/// The drawing's size in its own units.
const WIDTH: f64 = 600.0;
pub(super) const HEIGHT: f64 = 152.0;
/// The least height of a bar that is not 0.
pub(super) const SLIVER: f64 = 1.6;

/// The plot and its table.
#[component]
pub fn AcceptedDays(
    /// What is plotted.
    days: Days,
) -> impl IntoView {
    let w = &words().reports;
    let note = (w.days_note)(&days.zone);
    let body = match days.days {
        None => EitherOf3::A(view! { <p class="nothing">"— " {w.not_counted}</p> }),
        Some(days) if days.iter().all(|d| d.count == 0) => {
            EitherOf3::B(view! { <p class="nothing">{w.days_empty}</p> })
        }
        Some(days) => EitherOf3::C(view! { <Filled days /> }),
    };
    view! {
        <section class="chart" aria-labelledby="days">
            <div class="cap">
                <h2 id="days">{w.days}</h2>
                <span class="note">{note}</span>
            </div>
            {body}
        </section>
    }
    .into_any()
}

#[component]
fn Filled(days: Vec<DayCount>) -> impl IntoView {
    let w = &words().reports;
    let top = ceiling(days.iter().map(|d| d.count).max().unwrap_or(0));
    let bars = draw(&days, top);
    let last = days.len().saturating_sub(1);
    // Mondays are named: the week is what people compare by.
    let names = days
        .iter()
        .map(|d| {
            let named = d.day.weekday() == Weekday::Mon;
            named.then(|| (w.day_short)(d.day.month(), d.day.day()))
        })
        .collect();
    let rows = days
        .into_iter()
        .enumerate()
        .rev()
        .map(|(i, d)| {
            let name = (words().date)(d.day);
            let count = if d.count == 0 {
                Either::Left(view! { <td class="n zero">"0"</td> })
            } else {
                Either::Right(view! {
                    <td class="n">
                        <a href=super::filters::address(&rows_of(&d)) rel="external">
                            {grouped(d.count)}
                        </a>
                    </td>
                })
            };
            view! {
                <tr>
                    <th scope="row">
                        {name} {(i == last).then(|| view! { <span class="tag">{w.so_far}</span> })}
                    </th>
                    {count}
                </tr>
            }
        })
        .collect_view();
    let [day, accepted] = w.days_columns;
    view! {
        <BarPlot top bars names />
        <details>
            <summary>{w.as_table}</summary>
            <table class="tbl">
                <caption class="vh">{w.days_caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{day}</th>
                        <th scope="col" class="n">
                            {accepted}
                        </th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </details>
    }
    .into_any()
}

/// Bars over time, with their scale and the names that are given; what it shows is said in a table.
#[component]
pub(super) fn BarPlot(top: i64, bars: String, names: Vec<Option<String>>) -> impl IntoView {
    let scale = [top, top * 2 / 3, top / 3, 0]
        .map(|n| view! { <span>{grouped(n)}</span> })
        .collect_view();
    let names = names
        .into_iter()
        .map(|name| view! { <span>{name}</span> })
        .collect_view();
    let mut drawing = String::new();
    for part in 0..3 {
        let y = f64::from(part) * HEIGHT / 3.0;
        // Writing to a string cannot fail.
        let _ = write!(drawing, r#"<path class="grid" d="M0 {y:.1}H600"/>"#);
    }
    drawing.push_str(&bars);
    drawing.push_str(r#"<path class="base" d="M0 152H600"/>"#);
    view! {
        <div class="days-plot" aria-hidden="true">
            <div class="scale">{scale}</div>
            <svg
                class="plot"
                viewBox="0 0 600 152"
                preserveAspectRatio="none"
                inner_html=drawing
            ></svg>
            <div class="names">{names}</div>
        </div>
    }
    .into_any()
}

/// The list of a day's accepted mails.
fn rows_of(d: &DayCount) -> Filter {
    Filter {
        statuses: vec![ListStatus::Stored(Status::Synced)],
        basis: Basis::Accepted,
        from: Some(d.day),
        to: Some(d.day),
        ..Filter::default()
    }
}

/// A scale's end: a round number of three equal steps, none below `largest`.
pub(super) fn ceiling(largest: i64) -> i64 {
    let mut step = 1;
    loop {
        for factor in [1, 2, 5] {
            let end = 3 * factor * step;
            if end >= largest {
                return end;
            }
        }
        step *= 10;
    }
}

/// The bars; the last day, which is not over, is outlined.
fn draw(days: &[DayCount], top: i64) -> String {
    let mut out = String::new();
    #[allow(clippy::cast_precision_loss)]
    let slot = WIDTH / days.len().max(1) as f64;
    for (i, d) in days.iter().enumerate() {
        if d.count == 0 {
            continue;
        }
        #[allow(clippy::cast_precision_loss)]
        let (x, full) = (i as f64 * slot, d.count as f64 / top as f64 * HEIGHT);
        let height = full.max(SLIVER);
        let class = if i + 1 == days.len() {
            "today"
        } else {
            "f-accepted"
        };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            r#"<rect class="{class}" x="{:.1}" y="{:.1}" width="{:.1}" height="{height:.1}"/>"#,
            x + slot * 0.25,
            HEIGHT - height,
            slot * 0.5
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;

    #[test]
    fn the_scale_ends_at_a_round_number() {
        for (largest, end) in [
            (0, 3),
            (3, 3),
            (4, 6),
            (16, 30),
            (12_400, 15_000),
            (15_001, 30_000),
        ] {
            assert_eq!(ceiling(largest), end, "{largest}");
        }
    }

    #[test]
    fn a_day_that_is_not_empty_can_be_seen_and_today_is_outlined() {
        let day = NaiveDate::default();
        let days = [100_000, 0, 1, 5].map(|count| DayCount { day, count });
        let drawing = draw(&days, 150_000);
        assert_eq!(drawing.matches("<rect").count(), 3);
        assert!(drawing.contains(r#"height="1.6""#));
        assert_eq!(drawing.matches(r#"class="today""#).count(), 1);
        assert!(!drawing.contains("NaN"));
    }
}
