//! Tokens of the API: who may come, and putting an end to it.

use crate::api::read_tokens;
use crate::components::{Acts, DateTime, Fault, ReasonFields, SettingsNav, Submit, plain, words};
use crate::model::views::{News, Token, TokenAnswer, TokenScope, Tokens as View};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;

/// The page.
#[component]
pub fn Tokens() -> impl IntoView {
    let s = &words().settings;
    let acts = Acts::of_page();
    let tokens = Resource::new(move || acts.done(), |_| read_tokens());
    view! {
        <Title text=s.page[2] />
        <Transition>
            {move || Suspend::new(async move {
                match tokens.await {
                    Ok(tokens) => {
                        let said = match acts.notice.await {
                            Ok(Some(News::Token(notice))) => Some((notice.what, notice.id)),
                            _ => None,
                        };
                        Either::Left(view! { <Whole tokens said /> })
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

/// What came of the last act, and of which token.
type Said = Option<(TokenAnswer, Option<i64>)>;

#[component]
fn Whole(tokens: View, said: Said) -> impl IntoView {
    let w = words();
    let t = &w.tokens;
    let bad_name = matches!(
        said,
        Some((TokenAnswer::BadName | TokenAnswer::NameTaken, _))
    );
    let missing = match said {
        Some((TokenAnswer::ReasonMissing, id)) => id,
        _ => None,
    };
    let body = if tokens.tokens.is_empty() {
        Either::Left(view! { <p class="nothing">{t.none}</p> })
    } else {
        let all = tokens.tokens.clone();
        Either::Right(view! {
            <table class="tbl set tokens">
                <caption class="vh">{t.caption}</caption>
                <thead>
                    <tr>{plain(t.columns)}</tr>
                </thead>
                <tbody>
                    // By number: an open form must never pass to another token.
                    <For
                        each=move || all.clone()
                        key=|token| (token.id, token.ended.is_some())
                        let:token
                    >
                        <One missing=missing == Some(token.id) token />
                    </For>
                </tbody>
            </table>
        })
    };
    view! {
        <div class="head">
            <h1>{w.settings.page[2]}</h1>
            <span class="note">{(w.frame.as_of)(&tokens.as_of)}</span>
        </div>
        <SettingsNav />
        <p>{t.intro}</p>
        {tokens.by_setting.then(|| view! { <p class="note">{t.by_setting}</p> })}
        <Make bad_name />
        <section class="block" aria-label=t.caption>
            {body}
        </section>
    }
    .into_any()
}

/// Makes one: closed a button, open it asks for name and scope.
#[component]
fn Make(
    /// The name was not taken the last time.
    bad_name: bool,
) -> impl IntoView {
    let t = &words().tokens;
    let acts = Acts::of_page();
    let pending = acts.make_token.pending();
    let scopes = TokenScope::ALL
        .map(|scope| {
            view! {
                <label class="pick">
                    <input
                        type="radio"
                        name="scope"
                        value=scope.as_str()
                        checked=scope == TokenScope::Read
                    />
                    <span>
                        <strong>{(t.scope)(scope)}</strong>
                        " "
                        <span class="note">{(t.scope_note)(scope)}</span>
                    </span>
                </label>
            }
        })
        .collect_view();
    view! {
        <details class="ask release make-token" open=bad_name>
            <summary class="btn">{t.make}</summary>
            <ActionForm action=acts.make_token attr:class="answer">
                <div class="field">
                    <label for="token-name">{t.name}</label>
                    <span class="hint" id="token-name-hint">
                        {t.name_hint}
                    </span>
                    <input
                        id="token-name"
                        type="text"
                        name="name"
                        maxlength="64"
                        required
                        autocomplete="off"
                        spellcheck="false"
                        aria-describedby="token-name-hint"
                        aria-invalid=bad_name.then_some("true")
                    />
                </div>
                <fieldset class="field">
                    <legend>{t.may}</legend>
                    {scopes}
                </fieldset>
                <p class="note">{t.make_note}</p>
                <div class="acts">
                    <Submit label=t.make_confirm.to_owned() busy=t.make_busy pending />
                </div>
            </ActionForm>
        </details>
    }
    .into_any()
}

#[component]
fn One(token: Token, missing: bool) -> impl IntoView {
    let t = &words().tokens;
    let [_, may, made, used, state] = t.columns;
    let used_at = match token.used_at {
        Some(at) => {
            Either::Left(view! { <DateTime at /> <span class="tag">{t.to_the_hour}</span> })
        }
        None => Either::Right(t.unused),
    };
    let how = match &token.ended {
        None => Either::Left(view! { <End id=token.id name=token.name.clone() missing /> }),
        Some(end) => Either::Right(view! {
            {(t.ended)(&end.by, &end.at)}
            <span class="about">{end.reason.clone()}</span>
        }),
    };
    let class = token.ended.as_ref().map(|_| "over");
    view! {
        <tr class=class>
            <th scope="row">{token.name.clone()}</th>
            <td data-l=may>{(t.scope)(token.scope)}</td>
            <td data-l=made class="wrap">
                {(t.made)(&token.created_by, &token.created_at)}
            </td>
            <td data-l=used>{used_at}</td>
            <td data-l=state class="wrap">
                {how}
            </td>
        </tr>
    }
    .into_any()
}

/// Ends one: closed a button, open it asks for the reason.
#[component]
fn End(id: i64, name: String, missing: bool) -> impl IntoView {
    let t = &words().tokens;
    let acts = Acts::of_page();
    let pending = acts.end_token.pending();
    let label = format!("{} – {name}", t.end);
    view! {
        <span class="st">{t.live}</span>
        <details class="ask release" open=missing>
            <summary class="btn small" aria-label=label>
                {t.end}
            </summary>
            <ActionForm action=acts.end_token attr:class="answer">
                <input type="hidden" name="id" value=id.to_string() />
                <p class="note">{t.end_note}</p>
                <ReasonFields
                    field=format!("why-token-{id}")
                    note=t.end_reason
                    example=t.end_example
                    confirm=(t.end_confirm)(&name)
                    missing
                    pending
                />
            </ActionForm>
        </details>
    }
    .into_any()
}
