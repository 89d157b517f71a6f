//! The page of help, which is the sheet of keys without scripts.

use crate::components::{HelpText, words};
use leptos::prelude::*;
use leptos_meta::Title;

/// The page.
#[component]
pub fn Help() -> impl IntoView {
    let h = &words().help;
    view! {
        <Title text=h.title />
        <div class="head">
            <h1>{h.title}</h1>
        </div>
        <div class="help-text">
            <HelpText page=true />
        </div>
    }
    .into_any()
}
