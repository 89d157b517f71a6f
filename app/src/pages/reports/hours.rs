//! What became of tries by the hour of day: only the bars are drawn; the scale, the hours and the
//! table are text.

use crate::components::{figure, heads, words};
use crate::model::Month;
use crate::model::views::Hour;
use crate::pages::days::{BarPlot, HEIGHT, SLIVER, ceiling};
use leptos::prelude::*;
use std::fmt::Write;

/// The plot and its table.
#[component]
pub(super) fn Hours(hours: [Hour; 24], month: Month) -> impl IntoView {
    let w = &words().sending;
    let top = ceiling(hours.iter().map(Hour::sum).max().unwrap_or(0));
    let bars = draw(&hours, top);
    let names = (0..24)
        .map(|hour| (hour % 6 == 0).then(|| (w.hour_short)(hour)))
        .collect();
    let rows = hours
        .iter()
        .enumerate()
        .map(|(i, hour)| {
            let share = match hour.success() {
                // Hundredths of a percent.
                Some(share) => format!("{}.{:02}%", share / 100, share % 100),
                None => "—".to_owned(),
            };
            view! {
                <tr>
                    <th scope="row">{(w.hour)(i)}</th>
                    {figure(hour.accepted)}
                    {figure(hour.not_accepted)}
                    {figure(hour.unclear)}
                    <td class="n">{share}</td>
                </tr>
            }
        })
        .collect_view();
    let [_, accepted, not_accepted, unclear, _] = w.hours_columns;
    view! {
        <p class="key" aria-hidden="true">
            <span class="k-accepted">{accepted}</span>
            <span class="k-failed">{not_accepted}</span>
            <span class="k-check">{unclear}</span>
        </p>
        <BarPlot top bars names />
        <details>
            <summary>{words().reports.as_table}</summary>
            <table class="tbl">
                <caption class="vh">{(w.hours_caption)(month)}</caption>
                <thead>
                    <tr>{heads(w.hours_columns, 1)}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </details>
    }
    .into_any()
}

/// A bar an hour, 25 wide with its gap, stacked from the axis up.
fn draw(hours: &[Hour; 24], top: i64) -> String {
    let mut out = String::new();
    for (hour, x) in hours.iter().zip((0..24).map(|i| f64::from(i) * 25.0 + 5.0)) {
        let mut y = HEIGHT;
        for (class, n) in [
            ("f-accepted", hour.accepted),
            ("f-failed", hour.not_accepted),
            ("f-check", hour.unclear),
        ] {
            if n == 0 {
                continue;
            }
            #[allow(clippy::cast_precision_loss)]
            let height = (n as f64 / top as f64 * HEIGHT).max(SLIVER);
            y -= height;
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="15" height="{height:.1}"/>"#
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_among_many_can_be_seen() {
        let mut hours = [Hour::default(); 24];
        hours[9] = Hour {
            accepted: 100_000,
            not_accepted: 1,
            unclear: 0,
        };
        let drawing = draw(&hours, 150_000);
        assert_eq!(drawing.matches("<rect").count(), 2);
        assert!(
            drawing.contains(r#"class="f-failed" x="230.0""#),
            "{drawing}"
        );
        assert!(drawing.contains(r#"height="1.6""#));
        assert!(!draw(&[Hour::default(); 24], 3).contains("<rect"));
    }
}
