//! Denpyo's words, rules and pages: what the server renders and the browser wakes up.

#![recursion_limit = "512"]

pub mod api;
mod components;
#[cfg(feature = "ssr")]
pub mod desk;
pub mod error;
pub mod model;
mod pages;
#[cfg(feature = "ssr")]
mod shell;
pub mod words;

#[cfg(feature = "ssr")]
pub use shell::{OidcName, Shell, shell};

use components::{Frame, provide_awake, words};
use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::SsrMode::Async;
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::path;

/// The route, as the server has it, of the addresses that lead nowhere: whatever the method, they are for its
/// fallback.
#[cfg(feature = "ssr")]
pub const LOST: &str = "/{*anything}";

/// The desk.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_context(components::page_lang());
    provide_context(components::page_theme());
    provide_awake();
    // Asked for only so that the page in view stays until the next one is whole.
    let (_, set_is_routing) = signal(false);
    let product = words().product;
    view! {
        <Title formatter=move |title: String| {
            if title.is_empty() { product.to_owned() } else { format!("{title} – {product}") }
        } />
        <Router set_is_routing>
            <Routes fallback=|| view! { <pages::Lost /> }>
                <Route path=path!("/login") view=pages::SignIn ssr=Async />
                <ParentRoute path=path!("") view=Frame ssr=Async>
                    <Route path=path!("/") view=pages::Overview ssr=Async />
                    <Route path=path!("/submissions") view=pages::Mails ssr=Async />
                    <Route path=path!("/submissions/errors") view=pages::Errors ssr=Async />
                    <Route path=path!("/submissions/:id") view=pages::OneMail ssr=Async />
                    <Route path=path!("/stuck") view=pages::Stuck ssr=Async />
                    <Route path=path!("/reports") view=pages::Reports ssr=Async />
                    <Route path=path!("/help") view=pages::Help ssr=Async />
                    <Route path=path!("/account") view=pages::Account ssr=Async />
                    <Route path=path!("/settings/users") view=pages::Users ssr=Async />
                    <Route path=path!("/settings/users/:id") view=pages::OneUser ssr=Async />
                    <Route path=path!("/settings/audit") view=pages::Trail ssr=Async />
                    <Route path=path!("/bulk") view=pages::Bulks ssr=Async />
                    <Route path=path!("/bulk/new") view=pages::NewBulk ssr=Async />
                    <Route path=path!("/bulk/:id") view=pages::OneBulk ssr=Async />
                    <Route path=path!("/settings") view=pages::Settings ssr=Async />
                    <Route path=path!("/settings/tokens") view=pages::Tokens ssr=Async />
                    <Route path=path!("/*anything") view=pages::Lost ssr=Async />
                </ParentRoute>
            </Routes>
        </Router>
    }
}
