//! The language and the theme: what a reader wishes, and the links that change it. Links, so that
//! they work without scripts; a cookie remembers.

use super::words;
use crate::model::Theme;
use crate::model::filter::percent;
use crate::words::Lang;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// The language of this page: on the server as the request's context says, in the browser as the
/// document says, so that both render the same.
pub fn page_lang() -> Lang {
    #[cfg(feature = "ssr")]
    {
        wished::<Lang>()
    }
    #[cfg(not(feature = "ssr"))]
    {
        written("lang")
            .and_then(|code| Lang::parse(&code))
            .unwrap_or_default()
    }
}

/// The theme of this page, found as the language is.
pub fn page_theme() -> Theme {
    #[cfg(feature = "ssr")]
    {
        wished::<Theme>()
    }
    #[cfg(not(feature = "ssr"))]
    {
        written("data-theme")
            .and_then(|code| Theme::parse(&code))
            .unwrap_or_default()
    }
}

/// What the button of OpenID Connect says, where people may sign in so; found as the language is.
pub fn oidc_name() -> Option<String> {
    #[cfg(feature = "ssr")]
    {
        use_context::<crate::OidcName>().and_then(|name| name.0)
    }
    #[cfg(not(feature = "ssr"))]
    {
        written("data-oidc")
    }
}

/// As the request's context, or else its extensions, say.
#[cfg(feature = "ssr")]
fn wished<T: Clone + Copy + Default + Send + Sync + 'static>() -> T {
    use_context::<T>()
        .or_else(|| {
            use_context::<axum::http::request::Parts>()
                .and_then(|parts| parts.extensions.get::<T>().copied())
        })
        .unwrap_or_default()
}

/// As the document's first element says.
#[cfg(not(feature = "ssr"))]
fn written(attribute: &str) -> Option<String> {
    document()
        .document_element()
        .and_then(|html| html.get_attribute(attribute))
}

/// A query string without what a failed form post left in it: an error is told once.
pub fn without_errors(query: &str) -> String {
    query
        .split('&')
        .filter(|p| {
            !p.is_empty()
                && !["__", "lang=", "theme="]
                    .iter()
                    .any(|mark| p.starts_with(mark))
        })
        .collect::<Vec<_>>()
        .join("&")
}

/// An address without what a failed form post left in it.
pub fn clean_address(path: &str, search: &str) -> String {
    let rest = without_errors(search);
    let mark = if rest.is_empty() { "" } else { "?" };
    format!("{path}{mark}{rest}")
}

/// Where one signs in, to come back to an address.
pub fn sign_in_for(next: &str) -> String {
    let mut href = "/login?next=".to_owned();
    percent(&mut href, next);
    href
}

/// The address of this page with a wish added.
fn here_with(wish: String) -> impl Fn() -> String {
    let place = use_location();
    move || {
        let rest = without_errors(&place.search.get());
        let mark = if rest.is_empty() { "" } else { "&" };
        format!("{}?{rest}{mark}{wish}", place.pathname.get())
    }
}

/// The link to this page in the other language.
#[component]
pub fn LangLink() -> impl IntoView {
    let w = words();
    let other: Lang = w.lang.other();
    let href = here_with(format!("lang={}", other.code()));
    view! {
        <a href=href rel="external" lang=other.code() hreflang=other.code()>
            {w.other_lang}
        </a>
    }
    .into_any()
}

/// The link to this page in the next theme; it names the present one.
#[component]
pub fn ThemeLink() -> impl IntoView {
    let w = words();
    let theme = use_context::<Theme>().unwrap_or_default();
    let href = here_with(format!("theme={}", theme.next().code()));
    view! {
        <a class="theme" href=href rel="external nofollow">
            {(w.theme)(theme)}
            <span class="vh">{(w.theme_next)(theme.next())}</span>
        </a>
    }
    .into_any()
}
