//! Signing in: a plain form, so that it works before anything else does.

use crate::components::{LangLink, ThemeLink, oidc_name, words};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

/// The page.
#[component]
pub fn SignIn() -> impl IntoView {
    let w = words();
    let s = &w.sign_in;
    let query = use_query_map();
    let param = move |name: &str| query.with_untracked(|q| q.get(name));
    let oidc = oidc_name();
    // What went wrong with the provider stands beside its button, the rest beside the password.
    let told = oidc.as_ref().zip(param("again")).and_then(|(name, again)| {
        Some(match again.as_str() {
            "oidc_down" => (s.oidc_down)(name),
            "oidc_refused" => s.oidc_refused.to_owned(),
            "oidc_stale" => s.oidc_stale.to_owned(),
            "oidc_role" => s.oidc_role.to_owned(),
            "oidc_disabled" => s.oidc_disabled.to_owned(),
            "oidc_name" => s.oidc_name.to_owned(),
            _ => return None,
        })
    });
    let again = param("again").filter(|again| !again.starts_with("oidc"));
    let error = again.map(|again| match again.as_str() {
        "wait" => s.wait,
        "later" => s.later,
        _ => s.wrong,
    });
    let by_provider = oidc.map(|name| {
        let mut href = "/session/oidc".to_owned();
        if let Some(next) = param("next") {
            href.push_str("?next=");
            crate::model::filter::percent(&mut href, &next);
        }
        view! {
            <div class="by-provider">
                {told
                    .map(|text| {
                        view! {
                            <div class="say c-check" role="alert">
                                <p>{text}</p>
                            </div>
                        }
                    })}
                <a class="btn main" href=href rel="external">
                    {(s.oidc)(&name)}
                </a>
                <p class="or">{s.or}</p>
            </div>
        }
    });
    let invalid = error.map(|_| "true");
    let described = error.map(|_| "error");
    view! {
        <Title text=s.title />
        <div class="signin">
            <main id="main">
                <h1>{s.title}</h1>
                {by_provider}
                <form method="post" action="/session">
                    {param("next")
                        .map(|next| view! { <input type="hidden" name="next" value=next /> })}
                    <div class="field">
                        <label for="name">{s.name}</label>
                        <input
                            id="name"
                            type="text"
                            name="name"
                            autocomplete="username"
                            autocapitalize="none"
                            spellcheck="false"
                            autofocus
                            required
                            aria-invalid=invalid
                            aria-describedby=described
                        />
                    </div>
                    <div class="field">
                        <label for="password">{s.password}</label>
                        <input
                            id="password"
                            type="password"
                            name="password"
                            autocomplete="current-password"
                            required
                            aria-invalid=invalid
                            aria-describedby=described
                        />
                        {error
                            .map(|text| {
                                view! {
                                    <span class="error" id="error" role="alert">
                                        {text}
                                    </span>
                                }
                            })}
                    </div>
                    <button class="btn main" type="submit">
                        {s.submit}
                    </button>
                </form>
            </main>
            <footer>
                <span>{w.product}</span>
                <LangLink />
                <ThemeLink />
            </footer>
        </div>
    }
    .into_any()
}
