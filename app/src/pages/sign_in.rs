//! Signing in: a plain form, so that it works before anything else does.

use crate::components::{LangLink, ThemeLink, words};
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
    let error = param("again").map(|again| match again.as_str() {
        "wait" => s.wait,
        "later" => s.later,
        _ => s.wrong,
    });
    let invalid = error.map(|_| "true");
    let described = error.map(|_| "error");
    view! {
        <Title text=s.title />
        <div class="signin">
            <main id="main">
                <h1>{s.title}</h1>
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
