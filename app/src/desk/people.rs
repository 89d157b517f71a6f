//! Users, one's own sign-in, and the audit trail.

use crate::error::AppError;
use crate::model::Role;
use crate::model::views::{
    Account, AccountAnswer, Me, Trail, UserAnswer, UserDraft, UserNotice, UserPage, Users,
};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Somebody to be added, as typed.
#[derive(Clone, Copy)]
pub struct NewUser<'a> {
    /// The sign-in name.
    pub name: &'a str,
    /// What they may do.
    pub role: Role,
    /// Their first password.
    pub password: &'a str,
}

/// What an administrator changes of a user.
#[derive(Clone, Copy)]
pub enum UserChange<'a> {
    /// Another role; it holds from the next request on.
    Role(Role),
    /// May not sign in any more; every sign-in ends with it.
    Disable,
    /// May sign in again.
    Enable,
    /// A new password; every sign-in ends with it.
    Password(&'a str),
    /// Every sign-in ends.
    SignOut,
}

/// What a form about a user came to, as kept until it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserTold {
    /// The user; none of one that was not added.
    pub id: Option<i64>,
    /// What happened.
    pub what: UserAnswer,
    /// The form as it was filled in, where it was not taken.
    pub draft: Option<UserDraft>,
}

/// Users and the audit trail are the administrators'; one's own sign-in is everybody's.
#[async_trait]
pub trait People: Send + Sync + 'static {
    /// Everybody. For administrators.
    async fn users(&self, me: &Me) -> Result<Users, AppError>;
    /// One of them, or `NotFound`. For administrators.
    async fn user(&self, me: &Me, id: i64) -> Result<UserPage, AppError>;
    /// Adds somebody. For administrators.
    async fn add_user(&self, me: &Me, new: NewUser<'_>) -> Result<UserTold, AppError>;
    /// Changes a user, if they are still of the version that was seen. For administrators.
    async fn change_user(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        change: UserChange<'_>,
        reason: &str,
    ) -> Result<UserTold, AppError>;
    /// What to tell of a form about a user.
    async fn user_notice(&self, told: UserTold) -> Result<UserNotice, AppError>;
    /// One's own sign-in; `session` is the one that asks.
    async fn account(&self, me: &Me, session: &str) -> Result<Account, AppError>;
    /// Changes one's own password, given the old one and the new one twice. Where it is done, every
    /// sign-in is over but those renewed under the epoch returned.
    async fn change_password(
        &self,
        me: &Me,
        old: &str,
        new: [&str; 2],
    ) -> Result<(AccountAnswer, Option<i64>), AppError>;
    /// Ends all of one's own sign-ins but those renewed under the epoch returned.
    async fn end_others(&self, me: &Me) -> Result<i64, AppError>;
    /// A page of the audit trail; `query` is the URL's query string. For administrators.
    async fn trail(&self, me: &Me, query: &str) -> Result<Trail, AppError>;
}

/// The session that calls.
#[async_trait]
pub trait OwnSession: Send + Sync + 'static {
    /// Its id.
    fn id(&self) -> String;
    /// Goes on under a new id and this epoch.
    async fn renew(&self, epoch: i64) -> Result<(), AppError>;
}

/// In the request's extensions.
pub type SharedSession = Arc<dyn OwnSession>;
