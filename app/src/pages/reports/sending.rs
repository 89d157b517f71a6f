//! What became of a month's sends, part by part.

use super::attempts::{ByKind, Narrowed};
use super::delays::Waits;
use super::hours::Hours;
use super::unknowns::Settings;
use crate::components::words;
use crate::model::views::{Delays, Hour, Sending};
use leptos::either::Either;
use leptos::prelude::*;

/// All of it.
#[component]
pub(super) fn Sends(s: Sending) -> impl IntoView {
    let w = &words().sending;
    let none = match s.tries.as_deref() {
        Some([]) => Some(w.no_mails),
        Some(lines) if lines.iter().all(|l| l.histogram.sum() == 0) => Some(w.none),
        _ => None,
    };
    let body = match none {
        Some(none) => Either::Left(view! { <p class="nothing">{none}</p> }),
        None => Either::Right(view! { <Parts s=s.clone() /> }),
    };
    view! {
        <section class="block sends" aria-labelledby="sends">
            <div class="cap">
                <h2 id="sends">{(w.about)(s.month)}</h2>
                {s.closed.then(|| view! { <span class="note">{w.not_kept}</span> })}
            </div>
            {body}
        </section>
    }
    .into_any()
}

#[component]
fn Parts(s: Sending) -> impl IntoView {
    let w = &words().sending;
    let by_kind = s.tries.clone().map(|_| view! { <ByKind s=s.clone() /> });
    let hours = s
        .hours
        .map(|hours: [Hour; 24]| view! { <Hours hours month=s.month /> });
    let delays = s
        .delays
        .clone()
        .map(|delays: Delays| view! { <Waits delays month=s.month /> });
    let unknowns = s
        .unknowns
        .map(|sum| view! { <Settings sum set=s.on_unknown month=s.month /> });
    // Never a 0 for what was not counted.
    let or_dash = |there: bool| (!there).then(|| view! { <p class="nothing">{w.not_counted}</p> });
    let counted = (
        s.tries.is_some(),
        hours.is_some(),
        delays.is_some(),
        unknowns.is_some(),
    );
    let zone = (w.hours_note)(&s.zone);
    view! {
        <div class="charts">
            <section class="chart" aria-labelledby="tries">
                <div class="cap">
                    <h3 id="tries">{w.tries}</h3>
                </div>
                <Narrowed s=s.clone() />
                {or_dash(counted.0)}
            </section>
            <section class="chart" aria-labelledby="by-kind">
                <div class="cap">
                    <h3 id="by-kind">{w.by_kind}</h3>
                    <span class="note">{w.by_kind_note}</span>
                </div>
                {by_kind}
                {or_dash(counted.0)}
            </section>
        </div>
        <div class="charts">
            <section class="chart" aria-labelledby="hours">
                <div class="cap">
                    <h3 id="hours">{w.hours}</h3>
                    <span class="note">{zone}</span>
                </div>
                {hours}
                {or_dash(counted.1)}
            </section>
            <section class="chart" aria-labelledby="delays">
                <div class="cap">
                    <h3 id="delays">{w.delays}</h3>
                    <span class="note">{w.delays_note}</span>
                </div>
                {delays}
                {or_dash(counted.2)}
            </section>
        </div>
        <section class="chart" aria-labelledby="unknowns">
            <div class="cap">
                <h3 id="unknowns">{w.unknowns}</h3>
            </div>
            {unknowns}
            {or_dash(counted.3)}
        </section>
    }
    .into_any()
}
