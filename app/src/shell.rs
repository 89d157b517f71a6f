//! The document around the desk, written by the server alone.

use crate::App;
use crate::model::Theme;
use crate::words::Lang;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::MetaTags;

/// What the button of OpenID Connect says, where people may sign in so; in every page's context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcName(pub Option<String>);

/// What the document needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// The page's language.
    pub lang: Lang,
    /// Light, dark, or as the system wishes.
    pub theme: Theme,
    /// The folder of the browser's half, named by its content; without one the page works by
    /// forms and links alone.
    pub pkg: Option<String>,
}

/// The whole document.
pub fn shell(page: Shell) -> impl IntoView {
    let assets = page.pkg.map(|hash| {
        let base = format!("/pkg/{hash}/denpyo");
        // The paths hold nothing but the hash, so they need no escaping.
        // Both files are fetched at once and while the document still arrives; a preload would
        // be fetched where no scripts run, too.
        let wake = format!(
            "const bytes = fetch('{base}_bg.wasm'); \
             const whole = document.readyState === 'loading' \
             ? new Promise(done => addEventListener('DOMContentLoaded', done)) : null; \
             const desk = await import('{base}.js'); \
             await desk.default({{module_or_path: bytes}}); await whole; desk.hydrate()"
        );
        view! {
            <link rel="stylesheet" href=format!("{base}.css") />
            <script type="module" r#async=true nonce=use_nonce()>
                {wake}
            </script>
        }
    });
    let oidc = use_context::<OidcName>().and_then(|name| name.0);
    view! {
        <!DOCTYPE html>
        <html lang=page.lang.code() data-theme=page.theme.code() data-oidc=oidc>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content=page.theme.scheme() />
                <link rel="icon" href="/favicon.svg" r#type="image/svg+xml" />
                {assets}
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}
