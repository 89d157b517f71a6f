//! Mails by number of attempts: the table is the legend, the numbers and the axis; only the bars
//! are drawn.

use crate::components::{Badge, words};
use crate::model::Face;
use crate::model::views::{Bar, Histogram};
use crate::words::{Words, grouped};
use leptos::either::Either;
use leptos::prelude::*;
use std::fmt::Write;

/// The drawing's height; its bars end a little below the top.
const HEIGHT: f64 = 132.0;
/// The longest bar.
const LONGEST: f64 = 124.0;
/// The least that a share which is not 0 takes.
const SLIVER: f64 = 1.6;

/// A part of a bar: its class, and how many it stands for.
type Part = (&'static str, fn(&Bar) -> i64);

/// How each kind of ending is drawn, from the axis up.
const PARTS: [Part; 5] = [
    ("f-accepted", |b| b.accepted),
    ("f-failed", |b| b.failed),
    ("f-rejected", |b| b.rejected),
    ("f-canceled", |b| b.canceled),
    ("f-check", |b| b.open),
];

/// The plot and its table.
#[component]
pub fn Attempts(
    /// What is plotted.
    histogram: Histogram,
) -> impl IntoView {
    let w = words();
    let v = &w.overview;
    let body = if histogram.sum() == 0 {
        Either::Left(view! { <p class="nothing">{v.histogram_empty}</p> })
    } else {
        Either::Right(view! { <Plot histogram /> })
    };
    view! {
        <section class="chart" aria-labelledby="hist">
            <div class="cap">
                <h2 id="hist">{v.histogram}</h2>
                <span class="note">{v.histogram_note}</span>
            </div>
            {body}
        </section>
    }
    .into_any()
}

/// The bars over their table, where there is something to plot.
#[component]
pub(super) fn Plot(histogram: Histogram) -> impl IntoView {
    let w = words();
    let v = &w.overview;
    let total = histogram.sum();
    let (drawing, cut) = draw(&histogram, w);
    let heads = v
        .bars
        .map(|name| view! { <th scope="col">{name}</th> })
        .collect_view();
    let line = |get: fn(&Bar) -> i64| {
        histogram
            .bars
            .map(|bar| {
                let n = get(&bar);
                view! { <td class=if n == 0 { "zero" } else { "" }>{grouped(n)}</td> }
            })
            .collect_view()
    };
    // Shares to two places, so that the rare ones do not vanish.
    let shares = histogram
        .bars
        .map(|bar| {
            #[allow(clippy::cast_precision_loss)]
            let share = bar.sum() as f64 * 100.0 / total as f64;
            view! { <td>{format!("{share:.2}")}</td> }
        })
        .collect_view();
    view! {
        <table class="hist">
            <caption class="vh">{v.histogram_caption}</caption>
            <thead>
                <tr>
                    <th scope="col">{v.attempts}</th>
                    {heads}
                </tr>
            </thead>
            <tbody>
                <tr class="bars" aria-hidden="true">
                    <td>{cut.then_some(v.cut)}</td>
                    <td colspan="5">
                        <svg
                            class="plot"
                            viewBox="0 0 500 132"
                            preserveAspectRatio="none"
                            inner_html=drawing
                        ></svg>
                    </td>
                </tr>
                <tr>
                    <th scope="row">
                        <Badge face=Face::Accepted />
                    </th>
                    {line(|b| b.accepted)}
                </tr>
                <tr>
                    <th scope="row">
                        <Badge face=Face::NotSent short=true calm=true />
                    </th>
                    {line(|b| b.failed)}
                </tr>
                <tr>
                    <th scope="row">
                        <Badge face=Face::Refused calm=true />
                    </th>
                    {line(|b| b.rejected)}
                </tr>
                <tr>
                    <th scope="row">
                        <Badge face=Face::CalledOff calm=true />
                    </th>
                    {line(|b| b.canceled)}
                </tr>
                <tr>
                    <th scope="row">
                        <span class="st c-check quiet">
                            <crate::components::Shape name="check" />
                            {v.open}
                        </span>
                    </th>
                    {line(|b| b.open)}
                </tr>
                <tr class="sum">
                    <th scope="row">{v.sum}</th>
                    {line(Bar::sum)}
                </tr>
                <tr class="share">
                    <th scope="row">{v.share}</th>
                    {shares}
                </tr>
            </tbody>
        </table>
    }
    .into_any()
}

/// The bars as SVG, and whether the first is cut short.
fn draw(histogram: &Histogram, w: &Words) -> (String, bool) {
    let sums = histogram.bars.map(|b| b.sum());
    let rest = sums[1..].iter().copied().max().unwrap_or(0);
    // Drawn to scale, the others would be slivers beside it.
    let cut = rest > 0 && sums[0] > rest * 4;
    let largest = if cut { rest } else { sums[0].max(rest) };
    // A cut bar stands above the largest of the others.
    let tallest = if cut { LONGEST - 14.0 } else { LONGEST };
    let mut out = String::new();
    for (i, (bar, x)) in histogram
        .bars
        .iter()
        .zip([41, 141, 241, 341, 441])
        .enumerate()
    {
        let full = if cut && i == 0 {
            LONGEST
        } else {
            length(bar.sum(), largest, tallest)
        };
        let mut top = HEIGHT;
        for (class, get) in PARTS {
            let n = get(bar);
            if n == 0 {
                continue;
            }
            let height = length(n, bar.sum(), full).max(SLIVER);
            top = (top - height).max(0.0);
            let word = match class {
                "f-accepted" => (w.face)(Face::Accepted),
                "f-failed" => (w.face)(Face::NotSent),
                "f-rejected" => (w.face)(Face::Refused),
                "f-canceled" => (w.face)(Face::CalledOff),
                _ => w.overview.open,
            };
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                r#"<rect class="{class}" x="{x}" y="{top:.1}" width="53" height="{height:.1}"><title>{word} {}</title></rect>"#,
                grouped(n)
            );
        }
        if cut && i == 0 {
            out.push_str(concat!(
                r#"<path class="wave" d="M35 34c11-9 22-9 34 0s23 9 34 0v9c-11 9-22 9-34 0s-23-9-34 0z"/>"#,
                r#"<path class="wave-l" d="M35 34c11-9 22-9 34 0s23 9 34 0"/>"#,
                r#"<path class="wave-l" d="M35 43c11-9 22-9 34 0s23 9 34 0"/>"#,
            ));
        }
    }
    (out, cut)
}

/// `part` of `whole` as a length, where `whole` would be `full`.
#[allow(clippy::cast_precision_loss)]
fn length(part: i64, whole: i64, full: f64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64 * full
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Lang;

    fn bars(accepted: [i64; 5]) -> Histogram {
        Histogram {
            bars: accepted.map(|accepted| Bar {
                accepted,
                ..Bar::default()
            }),
        }
    }

    #[test]
    fn only_a_bar_that_dwarfs_the_others_is_cut() {
        let w = Lang::Ja.words();
        assert!(draw(&bars([200_000, 3_000, 400, 0, 0]), w).1);
        assert!(!draw(&bars([300, 200, 100, 0, 0]), w).1);
        assert!(!draw(&bars([300, 0, 0, 0, 0]), w).1);
        assert!(!draw(&bars([0, 0, 0, 0, 0]), w).1);
    }

    #[test]
    fn a_share_that_is_not_0_can_be_seen() {
        let mut histogram = bars([1_000_000, 5, 0, 0, 0]);
        histogram.bars[0].rejected = 1;
        let (drawing, _) = draw(&histogram, Lang::En.words());
        assert!(drawing.contains(r#"class="f-rejected" x="41""#));
        assert!(drawing.contains(r#"height="1.6""#));
        assert!(!drawing.contains("NaN"));
    }
}
