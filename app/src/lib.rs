//! Denpyo's words, rules and pages.
use leptos::prelude::*;

/// The desk.
#[component]
pub fn App() -> impl IntoView {
    view! { <p>"Denpyo"</p> }
}
