//! What is said of users, of one's own sign-in, and in the audit trail.

use super::catalogue::Text;
use crate::model::password::Fault;
use crate::model::views::{AccountAnswer, Count, Subject, UserNotice, UserRow, Value};
use crate::model::{ActKind, Role};

/// A form about a user.
pub struct UserFormWords {
    /// The button that opens it.
    pub open: Text,
    /// What happens.
    pub note: Text,
    /// What the reason is to say.
    pub reason_note: Text,
    /// An example of it.
    pub example: Text,
    /// The button.
    pub confirm: Text,
}

/// Users, and one's own sign-in.
pub struct PeopleWords {
    /// Title of the list.
    pub users: Text,
    /// How many.
    pub count: fn(i64) -> String,
    /// What the table is.
    pub caption: Text,
    /// Columns: name, role, state, last sign-in, signed in now.
    pub columns: [Text; 5],
    /// After one's own name.
    pub you: Text,
    /// Whether a user may sign in.
    pub may: fn(bool) -> Text,
    /// Never signed in.
    pub never: Text,
    /// Sign-ins that live.
    pub sign_ins: fn(i64) -> String,
    /// What a role may do.
    pub role_note: fn(Role) -> Text,
    /// Adds somebody.
    pub add: UserFormWords,
    /// The sign-in name, of a new user.
    pub name: Text,
    /// How it may be.
    pub name_note: Text,
    /// The role.
    pub role: Text,
    /// A password set for somebody.
    pub password: Text,
    /// The rules of passwords.
    pub rules: Text,
    /// The password that stands in the field.
    pub suggested: Text,
    /// Why a password is not taken.
    pub fault: fn(Fault) -> Text,
    /// Why a name is not taken.
    pub bad_name: Text,
    /// Facts of a user: role, state, added, last sign-in, signed in now.
    pub facts: [Text; 5],
    /// Why a user is disabled.
    pub disabled_because: fn(&str) -> String,
    /// The only administrator.
    pub last_admin: Text,
    /// Links: what was done to a user, what they did, all users.
    pub links: [Text; 3],
    /// Head over the forms.
    pub acts: Text,
    /// Another role.
    pub change_role: UserFormWords,
    /// May sign in no more.
    pub disable: UserFormWords,
    /// May sign in again.
    pub enable: UserFormWords,
    /// A new password.
    pub set_password: UserFormWords,
    /// Ends all sign-ins.
    pub sign_out: UserFormWords,
    /// Where one's own password is changed.
    pub own_password: Text,
    /// What came of a form.
    pub notice: fn(&UserNotice) -> String,
    /// Beside a form while it is on its way.
    pub busy: Text,

    /// Title of one's own page.
    pub account: Text,
    /// Head over the password's form.
    pub change: Text,
    /// What happens with it.
    pub change_note: Text,
    /// There is none: they sign in through the provider, of this name while one is set.
    pub no_password: fn(Option<&str>) -> String,
    /// The old one.
    pub old: Text,
    /// The new one.
    pub new: Text,
    /// The same again.
    pub again: Text,
    /// The button.
    pub change_confirm: Text,
    /// Head over one's sign-ins.
    pub own_sign_ins: Text,
    /// Columns: since, which.
    pub own_columns: [Text; 2],
    /// The one that reads this.
    pub this_one: Text,
    /// Another one.
    pub other_one: Text,
    /// Ends the others.
    pub end_others: Text,
    /// There are no others.
    pub no_others: Text,
    /// What came of it.
    pub account_notice: fn(AccountAnswer) -> Text,
}

/// The audit trail.
pub struct TrailWords {
    /// Title.
    pub title: Text,
    /// Its order.
    pub note: Text,
    /// What the table is.
    pub caption: Text,
    /// Columns: time, who, act, on what, what changed and why.
    pub columns: [Text; 5],
    /// Names the filters.
    pub filters: Text,
    /// Filters: who, act, on what, from, to.
    pub filter: [Text; 5],
    /// What may be written for "on what".
    pub about_note: Text,
    /// A day as it may be written.
    pub day_example: Text,
    /// Any act.
    pub any: Text,
    /// An act.
    pub act: fn(ActKind) -> Text,
    /// Who acted.
    pub actor: fn(&str) -> String,
    /// A list that left as a file.
    pub list: fn(Option<Count>) -> String,
    /// A month's table that left as a file.
    pub report: Text,
    /// It did not leave whole.
    pub broke_off: Text,
    /// A value before or after.
    pub value: fn(&Value) -> String,
    /// A change: before, after.
    pub change: fn(Option<&str>, Option<&str>) -> String,
    /// The attempt.
    pub attempt: fn(i32) -> String,
    /// Before the reason.
    pub reason: Text,
    /// Nothing matches.
    pub none: Text,
    /// What to do about it.
    pub none_help: Text,
    /// Nothing yet.
    pub empty: Text,
    /// What will stand here.
    pub empty_help: Text,
}

impl TrailWords {
    /// Whether a list's file left whole is told only where it did not.
    pub fn left(&self, subject: &Subject) -> Option<Text> {
        match subject {
            Subject::List { whole, .. } | Subject::Report { whole, .. } => {
                (*whole == Some(false)).then_some(self.broke_off)
            }
            _ => None,
        }
    }
}

impl PeopleWords {
    /// Whether somebody may sign in, and why not.
    pub fn state(&self, user: &UserRow) -> String {
        let may = (self.may)(!user.disabled);
        match &user.disabled_reason {
            Some(reason) if user.disabled => (self.disabled_because)(reason),
            _ => may.to_owned(),
        }
    }
}
