//! Mails by number of tries: the plot, and the table by kind and service, whose lines narrow it.

use super::here;
use crate::components::{Table, figure, heads, kind_name, words};
use crate::model::filter::percent;
use crate::model::sending::{narrowed, total};
use crate::model::views::{Bar, Sending, Tries};
use crate::pages::histogram::Plot;
use crate::words::grouped;
use leptos::either::Either;
use leptos::prelude::*;

/// The address of the report with the plot narrowed to a line.
fn narrow(s: &Sending, line: &Tries) -> String {
    let mut address = here(s.month, s.basis);
    for (name, value) in [("kind", &line.kind), ("service", &line.service)] {
        if !value.is_empty() {
            address.push('&');
            address.push_str(name);
            address.push('=');
            percent(&mut address, value);
        }
    }
    address.push_str("#tries");
    address
}

/// The plot of all lines, or of those that the address names.
#[component]
pub(super) fn Narrowed(s: Sending) -> impl IntoView {
    let w = &words().sending;
    let lines = s.tries.as_ref()?;
    let histogram = narrowed(lines, s.kind.as_deref(), s.service.as_deref());
    let names: Vec<String> = [
        s.kind.as_deref().map(kind_name),
        s.service.as_deref().map(|s| (w.service)(s).to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let note = (!names.is_empty()).then(|| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        view! {
            <p class="note">
                {(w.narrowed)(&names)} " "
                <a href=format!("{}#tries", here(s.month, s.basis))>{w.widen}</a>
            </p>
        }
    });
    let plot = if histogram.sum() == 0 {
        Either::Left(view! { <p class="nothing">{w.none_of_these}</p> })
    } else {
        Either::Right(view! { <Plot histogram /> })
    };
    Some(view! {
        {note}
        {plot}
    })
}

/// Kinds and services by tries.
#[component]
pub(super) fn ByKind(s: Sending) -> impl IntoView {
    let (w, bars) = (&words().sending, words().overview.bars);
    let lines = s.tries.clone().unwrap_or_default();
    let figures = |line: &Tries| {
        let [one, two, three, four, more] = line.histogram.bars.map(|bar: Bar| figure(bar.sum()));
        view! {
            {figure(line.never)}
            {one}
            {two}
            {three}
            {four}
            {more}
            <td class="n total">{grouped(line.sum())}</td>
        }
    };
    let rows = lines
        .iter()
        .map(|line| {
            let shown = s.kind.as_deref() == Some(line.kind.as_str())
                && s.service.as_deref().unwrap_or_default() == line.service;
            let name = match line.kind.as_str() {
                "" => words().reports.rest.to_owned(),
                kind => kind_name(kind),
            };
            // A line that was never tried has no plot.
            let name = if line.kind.is_empty() || line.histogram.sum() == 0 {
                Either::Left(name)
            } else {
                Either::Right(view! {
                    <a href=narrow(&s, line) aria-current=shown.then_some("true")>
                        {name}
                    </a>
                })
            };
            let by = match line.service.as_str() {
                "" => w.no_service.to_owned(),
                stored => (w.service)(stored).to_owned(),
            };
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td>{by}</td>
                    {figures(line)}
                </tr>
            }
        })
        .collect_view();
    let heads = view! {
        {heads(w.tries_columns.into_iter().chain(bars), 2)}
        <th scope="col" class="n total">
            {words().overview.sum}
        </th>
    };
    view! {
        <Table
            by="by-kind"
            class="tbl tries"
            caption=(w.by_kind_caption)(s.month)
            heads=heads.into_any()
        >
            <tbody>{rows}</tbody>
            <tfoot>
                <tr>
                    <th scope="row" colspan="2">
                        {words().overview.sum}
                    </th>
                    {figures(&total(&lines))}
                </tr>
            </tfoot>
        </Table>
    }
    .into_any()
}
