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

/// What the shell needs to know.
pub struct Shell {
    /// The language.
    pub lang: words::Lang,
    /// The folder of the browser's half.
    pub pkg: Option<String>,
}

/// The document around the app.
#[cfg(feature = "ssr")]
pub fn shell(_page: Shell) -> impl IntoView {
    view! { <App /> }
}
