//! Denpyo's words, rules and pages: what the server renders and the browser wakes up.

#![recursion_limit = "512"]

pub mod api;
#[cfg(feature = "ssr")]
pub mod desk;
pub mod error;
pub mod model;
pub mod words;

use leptos::prelude::*;

/// The desk.
#[component]
pub fn App() -> impl IntoView {
    view! { <p>"Denpyo"</p> }
}
