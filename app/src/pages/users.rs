//! Users: everybody, and adding somebody.

use super::user_forms::{PasswordField, RoleField, fault_of, not_taken};
use crate::api::read_users;
use crate::components::{
    Acts, DateTime, Fault, SettingsNav, Shape, Submit, Table, anew, plain, words,
};
use crate::model::Role;
use crate::model::views::{UserAnswer, UserNotice, UserRow, Users as View};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;

/// The page.
#[component]
pub fn Users() -> impl IntoView {
    let p = &words().people;
    let acts = Acts::of_page();
    let users = Resource::new(move || acts.done(), |_| read_users());
    view! {
        <Title text=p.users />
        <Transition>
            {move || Suspend::new(async move {
                match users.await {
                    Ok(users) => {
                        let told = not_taken(acts).await.filter(|told| told.id.is_none());
                        Either::Left(anew(acts.done(), view! { <Whole users told /> }))
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(users: View, told: Option<UserNotice>) -> impl IntoView {
    let p = &words().people;
    let count = i64::try_from(users.users.len()).unwrap_or(i64::MAX);
    let rows = users
        .users
        .into_iter()
        .map(|user| view! { <Row user /> })
        .collect_view();
    view! {
        <div class="head">
            <h1>{p.users}</h1>
            <span class="note">{(p.count)(count)}</span>
        </div>
        <SettingsNav />
        <Table class="tbl users" caption=p.caption heads=plain(p.columns)>
            <tbody>{rows}</tbody>
        </Table>
        <AddForm suggestion=users.suggestion told />
    }
    .into_any()
}

#[component]
fn Row(user: UserRow) -> impl IntoView {
    let w = words();
    let p = &w.people;
    let state = p.state(&user);
    view! {
        <tr>
            <th scope="row">
                <a href=format!("/settings/users/{}", user.id)>
                    <bdi>{user.name}</bdi>
                </a>
                {user.me.then(|| view! { <span class="tag">{p.you}</span> })}
            </th>
            <td>{(w.role)(user.role)}</td>
            <td class="wrap">
                <MaySignIn disabled=user.disabled text=state />
            </td>
            <td>
                {match user.signed_in_at {
                    Some(at) => Either::Left(view! { <DateTime at /> }),
                    None => Either::Right(view! { <span class="none">{p.never}</span> }),
                }}
            </td>
            <td>
                {match user.sign_ins {
                    0 => Either::Left(view! { <span class="none">"—"</span> }),
                    n => Either::Right((p.sign_ins)(n)),
                }}
            </td>
        </tr>
    }
    .into_any()
}

/// Whether a user may sign in: a shape and a word.
#[component]
pub fn MaySignIn(disabled: bool, text: String) -> impl IntoView {
    let shape = if disabled { "canceled" } else { "accepted" };
    view! {
        <span class=format!("st quiet c-{shape}")>
            <Shape name=shape />
            {text}
        </span>
    }
}

/// Adds somebody: closed a button.
#[component]
fn AddForm(suggestion: String, told: Option<UserNotice>) -> impl IntoView {
    let p = &words().people;
    let acts = Acts::of_page();
    let pending = acts.add_user.pending();
    let what = told.as_ref().map(|told| told.what);
    let open = told.is_some();
    let draft = told.and_then(|told| told.draft);
    let role = draft.as_ref().and_then(|d| d.role).unwrap_or(Role::Support);
    let name_wrong = matches!(what, Some(UserAnswer::NameTaken | UserAnswer::BadName));
    view! {
        <details class="ask act add-user" open=open>
            <summary class="btn main">{p.add.open}</summary>
            <ActionForm action=acts.add_user attr:class="answer" attr:autocomplete="off">
                <p class="note">{p.add.note}</p>
                <div class="field">
                    <label for="new-name">{p.name}</label>
                    <span class="hint" id="new-name-hint">
                        {p.name_note}
                    </span>
                    <input
                        id="new-name"
                        type="text"
                        name="name"
                        value=draft.map(|d| d.name).unwrap_or_default()
                        maxlength="64"
                        required
                        autocomplete="off"
                        autocapitalize="none"
                        spellcheck="false"
                        aria-describedby="new-name-hint"
                        aria-invalid=name_wrong.then_some("true")
                    />
                </div>
                <RoleField field="new-role" role />
                <PasswordField field="new-password" suggestion fault=fault_of(what) />
                <div class="acts">
                    <Submit label=p.add.confirm.to_owned() busy=p.busy pending />
                </div>
            </ActionForm>
        </details>
    }
    .into_any()
}
