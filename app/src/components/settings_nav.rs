//! The links between the settings' pages.

use super::words;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// In the order of their names in the catalogue.
const PAGES: [&str; 4] = [
    "/settings",
    "/settings/users",
    "/settings/tokens",
    "/settings/audit",
];

/// The links; the page in view is marked.
#[component]
pub fn SettingsNav() -> impl IntoView {
    let s = &words().settings;
    let place = use_location();
    let links = PAGES
        .into_iter()
        .zip(s.page)
        .map(|(path, name)| {
            let current = move || {
                let here = place.pathname.get();
                let below = path != PAGES[0] && here.starts_with(path);
                (here == path || below).then_some("page")
            };
            view! {
                <li>
                    <a href=path aria-current=current>
                        {name}
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <nav class="subnav" aria-label=s.pages>
            <ul>{links}</ul>
        </nav>
    }
    .into_any()
}
