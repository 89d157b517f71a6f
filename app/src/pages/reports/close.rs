//! Closing a month.

use crate::components::{Acts, Submit, words};
use crate::model::Month;
use crate::model::views::Unsettled;
use leptos::prelude::*;

/// Closes the month: closed a button, open it asks for the reason, which may stay empty.
#[component]
pub(super) fn CloseForm(
    month: Month,
    /// What would stay open.
    open: Unsettled,
) -> impl IntoView {
    let w = &words().reports;
    let acts = Acts::of_page();
    let pending = acts.close_month.pending();
    view! {
        <details class="ask release lot close-month">
            <summary class="btn">{(w.close)(month)}</summary>
            <ActionForm action=acts.close_month attr:class="answer">
                <input type="hidden" name="month" value=month.to_string() />
                {(open.sum() > 0)
                    .then(|| {
                        view! {
                            <div class="say c-check">
                                <p>{(w.close_open)(&open)}</p>
                            </div>
                        }
                    })}
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
