//! One user, and what may be changed of them.

use super::user_forms::{PasswordField, RoleField, fault_of, not_taken};
use super::users::MaySignIn;
use crate::api::read_user;
use crate::components::{Acts, DateTime, Fault, ReasonFields, SettingsNav, anew, words};
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
    view! {
        <dl class="facts">
            <div>
                <dt>{role}</dt>
                <dd>{(w.role)(user.role)}</dd>
            </div>
            <div>
                <dt>{state}</dt>
                <dd>
                    <MaySignIn disabled=user.disabled text=said />
                </dd>
            </div>
            <div>
                <dt>{added}</dt>
                <dd>
                    <DateTime at=user.created_at />
                </dd>
            </div>
            <div>
                <dt>{last}</dt>
                <dd>
                    {match user.signed_in_at {
                        Some(at) => Either::Left(view! { <DateTime at /> }),
                        None => Either::Right(p.never),
                    }}
                </dd>
            </div>
            <div>
                <dt>{now}</dt>
                <dd>{(p.sign_ins)(user.sign_ins)}</dd>
            </div>
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
    let (id, version) = (user.id, user.version);
    view! {
        <Ask form=&p.change_role open=role.is_some()>
            <ActionForm action=acts.user_role attr:class="answer">
                <Ticket id version />
                <p class="note">{p.change_role.note}</p>
                <RoleField field="role" role=chosen.unwrap_or(user.role) />
                <Why name="role" form=&p.change_role told=role pending=acts.user_role.pending() />
            </ActionForm>
        </Ask>
        {if user.disabled {
            Either::Left(
                view! {
                    <Ask form=&p.enable open=state.is_some()>
                        <ActionForm action=acts.user_enable attr:class="answer">
                            <Ticket id version />
                            <p class="note">{p.enable.note}</p>
                            <Why
                                name="enable"
                                form=&p.enable
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
                            <Ticket id version />
                            <p class="note">{p.disable.note}</p>
                            <Why
                                name="disable"
                                form=&p.disable
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
                        {words().people.account}
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
                            <Ticket id version />
                            <p class="note">{p.set_password.note}</p>
                            <PasswordField field="password" suggestion=page.suggestion fault />
                            <Why
                                name="password"
                                form=&p.set_password
                                told=password
                                pending=acts.user_password.pending()
                            />
                        </ActionForm>
                    </Ask>
                },
            )
        }}
        <Ask form=&p.sign_out open=out.is_some()>
            <ActionForm action=acts.user_sign_out attr:class="answer">
                <Ticket id version />
                <p class="note">{p.sign_out.note}</p>
                <Why
                    name="sign-out"
                    form=&p.sign_out
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

/// The user as this page shows them.
#[component]
fn Ticket(id: i64, version: i64) -> impl IntoView {
    view! {
        <input type="hidden" name="id" value=id.to_string() />
        <input type="hidden" name="version" value=version.to_string() />
    }
}

/// The reason and the button, as they were filled in where the form was not taken.
#[component]
fn Why(
    name: &'static str,
    form: &'static UserFormWords,
    told: Option<UserNotice>,
    pending: Memo<bool>,
) -> impl IntoView {
    let missing = told
        .as_ref()
        .is_some_and(|told| told.what == UserAnswer::ReasonMissing);
    let reason = told.and_then(|told| told.draft).map(|draft| draft.reason);
    view! {
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
