//! What the forms about users share.

use crate::components::{Acts, CopyButton, words};
use crate::model::Role;
use crate::model::password::{Fault, SHORTEST};
use crate::model::views::{News, UserAnswer, UserNotice};
use leptos::prelude::*;

/// The form about a user that was not taken the last time.
pub async fn not_taken(acts: Acts) -> Option<UserNotice> {
    match acts.notice.await.ok().flatten() {
        Some(News::User(told)) if told.draft.is_some() => Some(told),
        _ => None,
    }
}

/// Why the password was not taken, where it was not.
pub fn fault_of(what: Option<UserAnswer>) -> Option<Fault> {
    match what {
        Some(UserAnswer::BadPassword(fault)) => Some(fault),
        _ => None,
    }
}

/// The choice of a role, with what each may do.
#[component]
pub fn RoleField(
    /// The field's id in the page.
    field: &'static str,
    /// The one chosen.
    role: Role,
) -> impl IntoView {
    let w = words();
    let choices = Role::ALL
        .map(|r| {
            view! {
                <option value=r.as_str() selected=r == role>
                    {(w.role)(r)}
                </option>
            }
        })
        .collect_view();
    let notes = Role::ALL
        .map(|r| {
            view! {
                <li>
                    <b>{(w.role)(r)}</b>
                    " "
                    {(w.people.role_note)(r)}
                </li>
            }
        })
        .collect_view();
    let hint = format!("{field}-hint");
    view! {
        <div class="field">
            <label for=field>{w.people.role}</label>
            <select id=field name="role" aria-describedby=hint.clone()>
                {choices}
            </select>
            <ul class="hint" id=hint>
                {notes}
            </ul>
        </div>
    }
    .into_any()
}

/// A password for somebody else: shown, since it has to be handed over, and made up beforehand.
#[component]
pub fn PasswordField(
    /// The field's id in the page.
    field: &'static str,
    /// The one made up.
    suggestion: String,
    /// Why the last one was not taken.
    fault: Option<Fault>,
) -> impl IntoView {
    let p = &words().people;
    let (hint, error) = (format!("{field}-hint"), format!("{field}-error"));
    let described = match fault {
        Some(_) => format!("{hint} {error}"),
        None => hint.clone(),
    };
    view! {
        <div class="field">
            <label for=field>{p.password}</label>
            <span class="hint" id=hint>
                {p.rules}
                " "
                {p.suggested}
            </span>
            <span class="given">
                <input
                    id=field
                    type="text"
                    name="password"
                    value=suggestion.clone()
                    minlength=SHORTEST.to_string()
                    maxlength="1024"
                    required
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    aria-describedby=described
                    aria-invalid=fault.map(|_| "true")
                />
                <CopyButton text=suggestion what=p.password.to_owned() />
            </span>
            {fault
                .map(|fault| {
                    view! {
                        <span class="error" id=error>
                            {(p.fault)(fault)}
                        </span>
                    }
                })}
        </div>
    }
    .into_any()
}
