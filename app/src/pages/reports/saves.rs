//! Links that save what a report shows.

use crate::components::words;
use crate::model::report::{self, Column, WORKBOOK_ROWS};
use crate::model::views::{Count, MonthReport};
use crate::words::grouped;
use leptos::prelude::*;

/// What lists and tables can be saved as.
pub(in crate::pages) const FORMATS: [&str; 2] = ["CSV", "XLSX"];

/// Links that save the table, and the mails behind it.
#[component]
pub(super) fn Saves(r: MonthReport) -> impl IntoView {
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
    let too_many =
        (mails > WORKBOOK_ROWS).then(|| (words().exports.too_many_short)(&grouped(WORKBOOK_ROWS)));
    let formats = FORMATS.into_iter();
    Some(view! {
        <div class="acts" role="group" aria-label=w.save>
            {formats
                .clone()
                .map(|format| save("report", format, &report, (w.save_table)(format, rows)))
                .collect_view()}
            {formats
                .filter(|format| *format != "XLSX" || too_many.is_none())
                .map(|format| {
                    save("submissions", format, &list, (w.save_rows)(format, Count::Exact(mails)))
                })
                .collect_view()}
            {too_many.map(|text| view! { <span class="note">{text}</span> })}
        </div>
    })
}
