//! One user, and what may be changed of them.

use super::user_forms::{PasswordField, RoleField, fault_of, not_taken};
use super::users::MaySignIn;
use crate::api::read_user;
use crate::components::{Acts, DateTime, Fault, ReasonFields, SettingsNav, anew, fact, words};
use crate::error::AppError;
use crate::model::trail::TrailFilter;
use crate::model::views::{UserAnswer, UserForm, UserNotice, UserPage, UserRow};
use crate::words::UserFormWords;
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

/// The page.
#[component]
pub fn OneUser() -> impl IntoView {
    let acts = Acts::of_page();
    let params = use_params_map();
    let id = move || params.with(|p| p.get("id").and_then(|id| id.parse::<i64>().ok()));
    let user = Resource::new(
        move || (id(), acts.done()),
        |(id, _)| async move {
            match id {
                Some(id) => read_user(id).await,
                None => Err(AppError::NotFound),
            }
        },
    );
    view! {
        <Transition>
            {move || Suspend::new(async move {
                match user.await {
                    Ok(page) => {
                        let id = Some(page.user.id);
                        let told = not_taken(acts).await.filter(|told| told.id == id);
                        Either::Left(anew(acts.done(), view! { <Whole page told /> }))
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(page: UserPage, told: Option<UserNotice>) -> impl IntoView {
    let w = words();
    let p = &w.people;
    let user = page.user.clone();
    let trail = |filter: TrailFilter, text: &'static str| {
        view! {
            <li>
                <a href=filter.address() rel="external">
                    {text}
                </a>
            </li>
        }
    };
    let to = TrailFilter {
        q: Some(user.name.clone()),
        ..TrailFilter::default()
    };
    let by = TrailFilter {
        who: Some(user.name.clone()),
        ..TrailFilter::default()
    };
    view! {
        <Title text=user.name.clone() />
        <div class="head">
            <h1>
                <bdi>{user.name.clone()}</bdi>
            </h1>
            <span class="note">
                {(w.role)(user.role)} {user.me.then(|| view! { <span class="tag">" · " {p.you}</span> })}
            </span>
        </div>
        <SettingsNav />
        <Facts user=user.clone() />
        {page
            .last_admin
            .then(|| {
                view! {
                    <div class="say">
                        <p>{p.last_admin}</p>
                    </div>
                }
            })}
        <section class="block" aria-labelledby="acts">
            <div class="cap">
                <h2 id="acts">{p.acts}</h2>
            </div>
            <div class="more-acts">
                <Forms page told />
            </div>
        </section>
        <ul class="block links">
            {trail(to, p.links[0])} {trail(by, p.links[1])} <li>
                <a href="/settings/users">{p.links[2]}</a>
            </li>
        </ul>
    }
    .into_any()
}

#[component]
fn Facts(user: UserRow) -> impl IntoView {
    let w = words();
    let p = &w.people;
    let [role, state, added, last, now] = p.facts;
    let said = p.state(&user);
    let signed_in = match user.signed_in_at {
        Some(at) => Either::Left(view! { <DateTime at /> }),
        None => Either::Right(p.never),
    };
    view! {
        <dl class="facts">
            {fact(role, (w.role)(user.role))}
            {fact(state, view! { <MaySignIn disabled=user.disabled text=said /> })}
            {fact(added, view! { <DateTime at=user.created_at /> })} {fact(last, signed_in)}
            {fact(now, (p.sign_ins)(user.sign_ins))}
        </dl>
    }
    .into_any()
}

/// The forms; closed each is a button, open it asks for the reason.
#[component]
fn Forms(page: UserPage, told: Option<UserNotice>) -> impl IntoView {
    let p = &words().people;
    let acts = Acts::of_page();
    let user = page.user;
    let of = |form: UserForm| told.clone().filter(|told| form_of(told) == Some(form));
    let (role, state, password, out) = (
        of(UserForm::Role),
        of(UserForm::State),
        of(UserForm::Password),
        of(UserForm::SignOut),
    );
    let chosen = role.as_ref().and_then(|told| told.draft.as_ref()?.role);
    let ticket = (user.id, user.version);
    view! {
        <Ask form=&p.change_role open=role.is_some()>
            <ActionForm action=acts.user_role attr:class="answer">
                <Fields
                    name="role"
                    form=&p.change_role
                    ticket
                    told=role
                    pending=acts.user_role.pending()
                >
                    <RoleField field="role" role=chosen.unwrap_or(user.role) />
                </Fields>
            </ActionForm>
        </Ask>
        {if user.disabled {
            Either::Left(
                view! {
                    <Ask form=&p.enable open=state.is_some()>
                        <ActionForm action=acts.user_enable attr:class="answer">
                            <Fields
                                name="enable"
                                form=&p.enable
                                ticket
                                told=state
                                pending=acts.user_enable.pending()
                            />
                        </ActionForm>
                    </Ask>
                },
            )
        } else {
            Either::Right(
                view! {
                    <Ask form=&p.disable open=state.is_some()>
                        <ActionForm action=acts.user_disable attr:class="answer">
                            <Fields
                                name="disable"
                                form=&p.disable
                                ticket
                                told=state
                                pending=acts.user_disable.pending()
                            />
                        </ActionForm>
                    </Ask>
                },
            )
        }}
        {if user.me {
            Either::Left(
                view! {
                    <a class="btn" href="/account">
                        {p.account}
                    </a>
                },
            )
        } else {
            let fault = fault_of(password.as_ref().map(|told| told.what));
            Either::Right(
                view! {
                    <Ask form=&p.set_password open=password.is_some()>
                        <ActionForm
                            action=acts.user_password
                            attr:class="answer"
                            attr:autocomplete="off"
                        >
                            <Fields
                                name="password"
                                form=&p.set_password
                                ticket
                                told=password
                                pending=acts.user_password.pending()
                            >
                                <PasswordField field="password" suggestion=page.suggestion fault />
                            </Fields>
                        </ActionForm>
                    </Ask>
                },
            )
        }}
        <Ask form=&p.sign_out open=out.is_some()>
            <ActionForm action=acts.user_sign_out attr:class="answer">
                <Fields
                    name="sign-out"
                    form=&p.sign_out
                    ticket
                    told=out
                    pending=acts.user_sign_out.pending()
                />
            </ActionForm>
        </Ask>
    }
    .into_any()
}

fn form_of(told: &UserNotice) -> Option<UserForm> {
    told.draft.as_ref().map(|draft| draft.form)
}

#[component]
fn Ask(form: &'static UserFormWords, open: bool, children: Children) -> impl IntoView {
    view! {
        <details class="ask act" open=open>
            <summary class="btn">{form.open}</summary>
            {children()}
        </details>
    }
}

/// What each form holds: the user as this page shows them, what happens, what else is asked, and the
/// reason as it was filled in where the form was not taken.
#[component]
fn Fields(
    name: &'static str,
    form: &'static UserFormWords,
    /// Id and version.
    ticket: (i64, i64),
    told: Option<UserNotice>,
    pending: Memo<bool>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let missing = told
        .as_ref()
        .is_some_and(|told| told.what == UserAnswer::ReasonMissing);
    let reason = told.and_then(|told| told.draft).map(|draft| draft.reason);
    view! {
        <input type="hidden" name="id" value=ticket.0.to_string() />
        <input type="hidden" name="version" value=ticket.1.to_string() />
        <p class="note">{form.note}</p>
        {children.map(|children| children())}
        <ReasonFields
            field=format!("why-{name}")
            note=form.reason_note
            example=form.example
            confirm=form.confirm.to_owned()
            value=reason.unwrap_or_default()
            missing
            pending
        />
    }
    .into_any()
}
