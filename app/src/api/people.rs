//! Users, one's own sign-in, and the audit trail.

use crate::error::AppError;
use crate::model::views::{Account, Trail, UserPage, Users};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ssr::{caller, desk, note, own_session};
#[cfg(feature = "ssr")]
use crate::desk::{NewUser, Note, UserChange};
#[cfg(feature = "ssr")]
use crate::model::Role;
#[cfg(feature = "ssr")]
use crate::model::views::AccountAnswer;

/// Everybody who may sign in, or might once.
#[server(prefix = "/_desk", endpoint = "users")]
pub async fn read_users() -> Result<Users, AppError> {
    desk()?.users(&caller()?.0).await
}

/// One of them.
#[server(prefix = "/_desk", endpoint = "user")]
pub async fn read_user(id: i64) -> Result<UserPage, AppError> {
    desk()?.user(&caller()?.0, id).await
}

#[cfg(feature = "ssr")]
fn role_of(word: &str) -> Result<Role, AppError> {
    Role::parse(word).ok_or(AppError::BadInput)
}

#[cfg(feature = "ssr")]
async fn change(
    id: i64,
    version: i64,
    change: UserChange<'_>,
    reason: &str,
) -> Result<(), AppError> {
    let told = desk()?
        .change_user(&caller()?.0, id, version, change, reason)
        .await?;
    note(Note::User(told)).await;
    Ok(())
}

/// Adds somebody.
#[server(prefix = "/_desk", endpoint = "user_add")]
pub async fn add_user(
    #[server(default)] name: String,
    role: String,
    #[server(default)] password: String,
) -> Result<(), AppError> {
    let me = caller()?.0;
    let new = NewUser {
        name: &name,
        role: role_of(&role)?,
        password: &password,
    };
    let told = desk()?.add_user(&me, new).await?;
    note(Note::User(told)).await;
    Ok(())
}

/// Gives a user another role. `version` is the user as the administrator saw them.
#[server(prefix = "/_desk", endpoint = "user_role")]
pub async fn user_role(
    id: i64,
    version: i64,
    role: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    change(id, version, UserChange::Role(role_of(&role)?), &reason).await
}

/// Has a user sign in no more.
#[server(prefix = "/_desk", endpoint = "user_disable")]
pub async fn user_disable(
    id: i64,
    version: i64,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    change(id, version, UserChange::Disable, &reason).await
}

/// Lets a user sign in again.
#[server(prefix = "/_desk", endpoint = "user_enable")]
pub async fn user_enable(
    id: i64,
    version: i64,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    change(id, version, UserChange::Enable, &reason).await
}

/// Sets a user's password.
#[server(prefix = "/_desk", endpoint = "user_password")]
pub async fn user_password(
    id: i64,
    version: i64,
    #[server(default)] password: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    change(id, version, UserChange::Password(&password), &reason).await
}

/// Ends all of a user's sign-ins.
#[server(prefix = "/_desk", endpoint = "user_sign_out")]
pub async fn user_sign_out(
    id: i64,
    version: i64,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    change(id, version, UserChange::SignOut, &reason).await
}

/// One's own sign-in.
#[server(prefix = "/_desk", endpoint = "account")]
pub async fn read_account() -> Result<Account, AppError> {
    let me = caller()?.0;
    desk()?.account(&me, &own_session()?.id()).await
}

/// Changes one's own password; other sign-ins end with it.
#[server(prefix = "/_desk", endpoint = "own_password")]
pub async fn own_password(
    #[server(default)] old: String,
    #[server(default)] new: String,
    #[server(default)] again: String,
) -> Result<(), AppError> {
    let me = caller()?.0;
    let (what, epoch) = desk()?.change_password(&me, &old, [&new, &again]).await?;
    if let Some(epoch) = epoch {
        own_session()?.renew(epoch).await?;
    }
    note(Note::Account(what)).await;
    Ok(())
}

/// Ends one's other sign-ins.
#[server(prefix = "/_desk", endpoint = "own_sign_out")]
pub async fn own_sign_out() -> Result<(), AppError> {
    let me = caller()?.0;
    let epoch = desk()?.end_others(&me).await?;
    own_session()?.renew(epoch).await?;
    note(Note::Account(AccountAnswer::OthersEnded)).await;
    Ok(())
}

/// A page of the audit trail; `query` is the URL's query string, without the `?`.
#[server(prefix = "/_desk", endpoint = "trail")]
pub async fn read_trail(query: String) -> Result<Trail, AppError> {
    desk()?.trail(&caller()?.0, &query).await
}
