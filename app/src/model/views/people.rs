//! Users, and one's own sign-in.

use super::Me;
use crate::model::password::Fault;
use crate::model::{Moment, Role};
use serde::{Deserialize, Serialize};

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserRow {
    /// Their id.
    pub id: i64,
    /// Sign-in name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// May not sign in any more.
    pub disabled: bool,
    /// Why not.
    pub disabled_reason: Option<String>,
    /// Added at.
    pub created_at: Moment,
    /// Signed in last at.
    pub signed_in_at: Option<Moment>,
    /// Sign-ins that live.
    pub sign_ins: i64,
    /// As read: part of each change's ticket.
    pub version: i64,
    /// The person who reads this.
    pub me: bool,
}

/// Everybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Users {
    /// When this was read.
    pub as_of: Moment,
    /// Those who may sign in first, by name.
    pub users: Vec<UserRow>,
    /// A password to offer for a new one.
    pub suggestion: String,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserPage {
    /// When this was read.
    pub as_of: Moment,
    /// The user.
    pub user: UserRow,
    /// The only administrator who may sign in.
    pub last_admin: bool,
    /// A password to offer.
    pub suggestion: String,
}

/// A form about a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserForm {
    /// Adds one.
    Add,
    /// Another role.
    Role,
    /// May sign in no more, or again.
    State,
    /// A new password.
    Password,
    /// Ends all sign-ins.
    SignOut,
}

/// What was written into a form that was not taken, to be shown again: never a password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserDraft {
    /// Which form.
    pub form: UserForm,
    /// The name, of a new one.
    pub name: String,
    /// The role chosen.
    pub role: Option<Role>,
    /// The reason.
    pub reason: String,
}

/// What came of a form about a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserAnswer {
    /// May sign in from now on.
    Added,
    /// Has another role.
    RoleChanged,
    /// May not sign in any more.
    Disabled,
    /// May sign in again.
    Enabled,
    /// Has a new password.
    PasswordSet,
    /// Is signed in nowhere any more.
    SignedOut,
    /// Refused: somebody was faster.
    Stale,
    /// Refused: it is so already.
    Same,
    /// Refused: nobody would be left to administer.
    LastAdmin,
    /// Refused: a reason is needed.
    ReasonMissing,
    /// Refused: the name is taken.
    NameTaken,
    /// Refused: no name that can be typed back.
    BadName,
    /// Refused: no such password.
    BadPassword(Fault),
    /// Refused: one's own password is changed with the old one.
    OwnPassword,
}

/// What came of a form about a user, to be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserNotice {
    /// The user's id; none of one that was not added.
    pub id: Option<i64>,
    /// The user's name.
    pub name: String,
    /// What happened.
    pub what: UserAnswer,
    /// Who was first, for a refusal.
    pub by: Option<String>,
    /// When.
    pub at: Option<Moment>,
    /// The form that was not taken.
    pub draft: Option<UserDraft>,
}

/// A sign-in that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignIn {
    /// Since when.
    pub at: Moment,
    /// The one that reads this.
    pub own: bool,
}

/// One's own sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// When this was read.
    pub as_of: Moment,
    /// Whose.
    pub me: Me,
    /// They have a password here; whoever was made by the provider's first sign-in has none.
    pub password: bool,
    /// Newest first.
    pub sign_ins: Vec<SignIn>,
}

/// What came of changing one's own password or sign-ins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountAnswer {
    /// The password is changed; other sign-ins are over.
    PasswordChanged,
    /// Refused: the old password is another one.
    WrongPassword,
    /// Refused: the two new ones differ.
    Differ,
    /// Refused: the new one is the old one.
    SamePassword,
    /// Refused: no such password.
    BadPassword(Fault),
    /// Refused: too many tries in a row.
    Wait,
    /// Other sign-ins are over.
    OthersEnded,
}

impl AccountAnswer {
    /// Whether it is what the person wanted.
    pub fn wanted(self) -> bool {
        matches!(
            self,
            AccountAnswer::PasswordChanged | AccountAnswer::OthersEnded
        )
    }
}
