//! One's own password, and where one is signed in.

use crate::api::read_account;
use crate::components::{Acts, DateTime, Fault, Submit, anew, oidc_name, plain, words};
use crate::model::password::SHORTEST;
use crate::model::views::{self, AccountAnswer, News};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;

/// The page.
#[component]
pub fn Account() -> impl IntoView {
    let acts = Acts::of_page();
    let account = Resource::new(move || acts.done(), |_| read_account());
    view! {
        <Title text=words().people.account />
        <Transition>
            {move || Suspend::new(async move {
                match account.await {
                    Ok(account) => {
                        let told = match acts.notice.await.ok().flatten() {
                            Some(News::Account(what)) => Some(what),
                            _ => None,
                        };
                        Either::Left(anew(acts.done(), view! { <Whole account told /> }))
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(account: views::Account, told: Option<AccountAnswer>) -> impl IntoView {
    let w = words();
    let me = account.me.clone();
    view! {
        <div class="head">
            <h1>{w.people.account}</h1>
            <span class="note">
                <bdi>{me.name.clone()}</bdi>
                " · "
                {(w.role)(me.role)}
            </span>
        </div>
        <section class="block first" aria-labelledby="change">
            <div class="cap">
                <h2 id="change">{w.people.change}</h2>
            </div>
            {if account.password {
                Either::Left(view! { <PasswordForm name=me.name told /> })
            } else {
                let text = (w.people.no_password)(oidc_name().as_deref());
                Either::Right(view! { <p class="nothing">{text}</p> })
            }}
        </section>
        <SignIns account />
    }
    .into_any()
}

#[component]
fn PasswordForm(name: String, told: Option<AccountAnswer>) -> impl IntoView {
    let p = &words().people;
    let acts = Acts::of_page();
    let pending = acts.own_password.pending();
    let wrong = told.filter(|what| !what.wanted());
    let text = move |at: bool| wrong.filter(|_| at).map(p.account_notice);
    let old = matches!(
        wrong,
        Some(AccountAnswer::WrongPassword | AccountAnswer::Wait)
    );
    let again = wrong == Some(AccountAnswer::Differ);
    let new = wrong.is_some() && !old && !again;
    view! {
        <ActionForm action=acts.own_password attr:class="own-password">
            // For whoever keeps passwords: whose it is.
            <input type="text" autocomplete="username" value=name readonly hidden />
            <p class="note">{p.change_note}</p>
            <Secret name="old" label=p.old complete="current-password" error=text(old) />
            <Secret
                name="new"
                label=p.new
                hint=p.rules
                complete="new-password"
                error=text(new)
            />
            <Secret name="again" label=p.again complete="new-password" error=text(again) />
            <div class="acts">
                <Submit label=p.change_confirm.to_owned() busy=p.busy pending />
            </div>
        </ActionForm>
    }
    .into_any()
}

/// A field for a password.
#[component]
fn Secret(
    name: &'static str,
    label: &'static str,
    #[prop(optional)] hint: Option<&'static str>,
    complete: &'static str,
    error: Option<&'static str>,
) -> impl IntoView {
    let hint_id = hint.map(|_| format!("{name}-hint"));
    let error_id = error.map(|_| format!("{name}-error"));
    let described = [hint_id.clone(), error_id.clone()];
    let described: Vec<String> = described.into_iter().flatten().collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    let shortest = (complete == "new-password").then(|| SHORTEST.to_string());
    view! {
        <div class="field">
            <label for=name>{label}</label>
            {hint
                .map(|hint| {
                    view! {
                        <span class="hint" id=hint_id>
                            {hint}
                        </span>
                    }
                })}
            <input
                id=name
                type="password"
                name=name
                autocomplete=complete
                minlength=shortest
                maxlength="1024"
                required
                aria-describedby=described
                aria-invalid=error.map(|_| "true")
            />
            {error
                .map(|error| {
                    view! {
                        <span class="error" id=error_id>
                            {error}
                        </span>
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn SignIns(account: views::Account) -> impl IntoView {
    let p = &words().people;
    let acts = Acts::of_page();
    let pending = acts.own_sign_out.pending();
    let others = account.sign_ins.iter().any(|s| !s.own);
    let rows = account
        .sign_ins
        .into_iter()
        .map(|sign_in| {
            let which = if sign_in.own { p.this_one } else { p.other_one };
            view! {
                <tr>
                    <th scope="row">
                        <DateTime at=sign_in.at />
                    </th>
                    <td>{which}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="block" aria-labelledby="own-sign-ins">
            <div class="cap">
                <h2 id="own-sign-ins">{p.own_sign_ins}</h2>
            </div>
            <table class="tbl own-sign-ins">
                <thead>
                    <tr>{plain(p.own_columns)}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            {if others {
                Either::Left(
                    view! {
                        <ActionForm action=acts.own_sign_out attr:class="end">
                            <Submit label=p.end_others.to_owned() busy=p.busy pending />
                        </ActionForm>
                    },
                )
            } else {
                Either::Right(view! { <p class="note end">{p.no_others}</p> })
            }}
        </section>
    }
    .into_any()
}
