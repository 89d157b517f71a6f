//! How long acceptance took: a bar a kind beside its figures, dark as far as half of the mails.

use crate::components::{Table, heads, kind_name, words};
use crate::model::Month;
use crate::model::views::{Delay, Delays};
use crate::words::grouped;
use leptos::either::Either;
use leptos::prelude::*;

/// The sentence, the bars and their figures.
#[component]
pub(super) fn Waits(delays: Delays, month: Month) -> impl IntoView {
    let w = &words().sending;
    if delays.all.count == 0 {
        return Either::Left(view! { <p class="nothing">{w.none}</p> });
    }
    let longest = delays.kinds.iter().map(|d| d.p95).max().unwrap_or(0);
    let span = |seconds: i64| match seconds {
        0 => w.under_a_second.to_owned(),
        s => (words().span)(s),
    };
    let line = |name: String, delay: &Delay| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="n">{grouped(delay.count)}</td>
                <td class="n">{span(delay.p50)}</td>
                <td class="n">{span(delay.p95)}</td>
                <td class="bar" aria-hidden="true">
                    <svg
                        viewBox="0 0 100 10"
                        preserveAspectRatio="none"
                        inner_html=draw(delay, longest)
                    ></svg>
                </td>
            </tr>
        }
    };
    let rows = delays
        .kinds
        .iter()
        .map(|delay| line(kind_name(&delay.kind), delay))
        .collect_view();
    let all = line(w.all_kinds.to_owned(), &delays.all);
    // The bars' column has no name.
    let heads = view! {
        {heads(w.delays_columns, 1)}
        <td class="bar" aria-hidden="true"></td>
    };
    Either::Right(view! {
        <p>{(w.delays_said)(&delays.all)}</p>
        <Table
            by="delays"
            class="tbl delays"
            caption=(w.delays_caption)(month)
            heads=heads.into_any()
        >
            <tbody>{rows}</tbody>
            <tfoot>{all}</tfoot>
        </Table>
    })
}

/// Up to p95, and dark up to p50; something of it can be seen however short it is.
fn draw(delay: &Delay, longest: i64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let width = |seconds: i64| (seconds as f64 / longest.max(1) as f64 * 100.0).clamp(1.0, 100.0);
    format!(
        r#"<rect class="w-95" y="1" width="{:.1}" height="8"/><rect class="w-50" y="1" width="{:.1}" height="8"/>"#,
        width(delay.p95),
        width(delay.p50)
    )
}
