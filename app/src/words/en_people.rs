//! English: users, one's own sign-in, and the audit trail.

use super::en::{WORDS, status};
use super::{PeopleWords, TrailWords, UserFormWords, grouped, isolate};
use crate::model::password::Fault;
use crate::model::views::{AccountAnswer, Count, UserAnswer, UserNotice, Value};
use crate::model::{ActKind, Role};

const RULES: &str = "At least 10 characters. Not close to the sign-in name, not one character over and over, not a common word.";

pub(super) const PEOPLE: PeopleWords = PeopleWords {
    users: "Users",
    count: |n| {
        if n == 1 {
            "1 user".into()
        } else {
            format!("{} users", grouped(n))
        }
    },
    caption: "Users",
    columns: [
        "Sign-in name",
        "Role",
        "State",
        "Last sign-in",
        "Signed in now",
    ],
    you: "you",
    may: |may| if may { "Enabled" } else { "Disabled" },
    never: "never",
    sign_ins: |n| match n {
        1 => "1 sign-in".into(),
        n => format!("{} sign-ins", grouped(n)),
    },
    role_note: |role| match role {
        Role::Support => "Reads mails, sends again, answers what needs checking",
        Role::Lead => "As support, and resends or releases many mails at once, closes months",
        Role::Admin => "As a lead, and manages users and settings",
    },
    add: UserFormWords {
        open: "Add a user",
        note: "They may sign in at once. Give them the first password in a safe way, and have them change it once they are signed in.",
        reason_note: "",
        example: "",
        confirm: "Add",
    },
    name: "Sign-in name",
    name_note: "At most 64 characters, without blanks. It cannot be changed later.",
    role: "Role",
    password: "Password",
    rules: RULES,
    suggested: "The password in the field was made up for you. Use it, or write another. It cannot be shown again once you leave this page.",
    fault: |fault| match fault {
        Fault::Short => "Use at least 10 characters for the password.",
        Fault::Long => "The password is too long. Use at most 1024 bytes.",
        Fault::Name => "The password is too much like the sign-in name.",
        Fault::Simple => "The password is easily guessed. Use another one.",
    },
    bad_name: "A sign-in name has at most 64 characters, without blanks or characters that cannot be seen. “api”, “denpyo” and names that end in a colon and a number stand for programs.",
    facts: ["Role", "State", "Added", "Last sign-in", "Signed in now"],
    disabled_because: |reason| format!("Disabled ({})", isolate(reason)),
    last_admin: "No other administrator can sign in. Add one before you disable this one or change the role.",
    links: [
        "What was done to this user",
        "What this user did",
        "All users",
    ],
    acts: "Actions",
    change_role: UserFormWords {
        open: "Change the role",
        note: "The new role holds from the next page that they open.",
        reason_note: "Required. Say why it changes; it is kept in the audit trail",
        example: "Example: leads the team from December.",
        confirm: "Change the role",
    },
    disable: UserFormWords {
        open: "Disable",
        note: "All their sign-ins end at once, and they cannot sign in any more. What they did stays on record, and they can be enabled again.",
        reason_note: "Required. Say why they are disabled; it is kept in the audit trail",
        example: "Example: left the company on 30 November.",
        confirm: "Disable now",
    },
    enable: UserFormWords {
        open: "Enable again",
        note: "They can sign in again, with the password they had.",
        reason_note: "Required. Say why they are enabled; it is kept in the audit trail",
        example: "Example: is back from leave.",
        confirm: "Enable",
    },
    set_password: UserFormWords {
        open: "Set a new password",
        note: "All their sign-ins end at once. Give them the new password in a safe way.",
        reason_note: "Required. Say why it is set; this is kept in the audit trail, the password is not",
        example: "Example: has forgotten the password.",
        confirm: "Set the password",
    },
    sign_out: UserFormWords {
        open: "End all sign-ins",
        note: "They have to sign in again on every device. The password stays as it is.",
        reason_note: "Required. Say why they are ended; it is kept in the audit trail",
        example: "Example: a device was lost.",
        confirm: "End them",
    },
    own_password: "Change your own password under “Password and sign-ins”.",
    notice,
    busy: "Working…",
    account: "Password and sign-ins",
    change: "Change the password",
    change_note: "Your sign-ins on other devices end with it.",
    no_password: |provider| match provider {
        Some(name) => format!(
            "You sign in with {0}. You have no password at this desk; the one of {0} is changed there.",
            isolate(name)
        ),
        None => {
            "You have no password at this desk. If you need one, ask an administrator.".to_owned()
        }
    },
    old: "Current password",
    new: "New password",
    again: "New password once more",
    change_confirm: "Change the password",
    own_sign_ins: "Your sign-ins",
    own_columns: ["Signed in", "Device"],
    this_one: "this device",
    other_one: "another device",
    end_others: "End the other sign-ins",
    no_others: "You are signed in nowhere else.",
    account_notice: |answer| match answer {
        AccountAnswer::PasswordChanged => {
            "The password was changed. Your sign-ins on other devices have ended."
        }
        AccountAnswer::WrongPassword => "The current password is wrong. Nothing was changed.",
        AccountAnswer::Differ => "The two new passwords differ. Write them once more.",
        AccountAnswer::SamePassword => "That is the current password. Use another one.",
        AccountAnswer::BadPassword(fault) => (WORDS.people.fault)(fault),
        AccountAnswer::Wait => "Too many tries in a row. Wait a moment, then try again.",
        AccountAnswer::OthersEnded => "Your sign-ins on other devices have ended.",
    },
};

fn notice(notice: &UserNotice) -> String {
    let name = isolate(&notice.name);
    match notice.what {
        UserAnswer::Added => format!(
            "{name} was added. Give them the sign-in name and the password that you just set; it cannot be shown again."
        ),
        UserAnswer::RoleChanged => format!("The role of {name} was changed."),
        UserAnswer::Disabled => format!("{name} was disabled. All sign-ins have ended."),
        UserAnswer::Enabled => format!("{name} was enabled again."),
        UserAnswer::PasswordSet => {
            format!("The new password of {name} was set. All sign-ins have ended.")
        }
        UserAnswer::SignedOut => format!("All sign-ins of {name} have ended."),
        UserAnswer::Stale => match (&notice.by, &notice.at) {
            (Some(by), Some(at)) => format!(
                "{} already made a change at {}. Nothing was changed now. This is the latest state.",
                isolate(by),
                at.clock()
            ),
            _ => "Somebody else already made a change. Nothing was changed now. This is the latest state."
                .into(),
        },
        UserAnswer::Same => "It is so already. Nothing was changed.".into(),
        UserAnswer::LastAdmin => format!(
            "{name} is the only administrator who can sign in, so nothing was changed. Add another administrator first."
        ),
        UserAnswer::ReasonMissing => WORDS.reason.missing.into(),
        UserAnswer::NameTaken => format!("“{name}” is taken. Use another sign-in name."),
        UserAnswer::BadName => WORDS.people.bad_name.into(),
        UserAnswer::BadPassword(fault) => (WORDS.people.fault)(fault).into(),
        UserAnswer::OwnPassword => WORDS.people.own_password.into(),
    }
}

pub(super) const TRAIL: TrailWords = TrailWords {
    title: "Audit trail",
    note: "Newest first. Nothing in it is ever changed or deleted.",
    caption: "What people did, newest first",
    columns: ["Time", "Who", "Act", "On what", "What changed, and why"],
    filters: "Filters",
    filter: ["Who", "Act", "On what", "From", "To"],
    day_example: "30 Nov 2026",
    about_note: "An order number, a mail’s id, a user or a month (2026-11)",
    any: "All",
    act: |act| match act {
        ActKind::Resend => "Sent again",
        ActKind::ConfirmSent => "Answered: it did go out",
        ActKind::ConfirmNotSent => "Answered: it did not go out",
        ActKind::Release => "Released",
        ActKind::Copy => "Further copy",
        ActKind::Cancel => "Called off",
        ActKind::Reveal => "Address shown",
        ActKind::BulkStart => "Resend many: started",
        ActKind::BulkStop => "Resend many: stopped",
        ActKind::BulkRevoked => "Resend many: stopped by itself (whoever started it no longer may)",
        ActKind::CloseMonth => "Month closed",
        ActKind::Export => "File saved (begun)",
        ActKind::ExportEnd => "File saved (ended)",
        ActKind::UserAdd => "User added",
        ActKind::UserRole => "Role changed",
        ActKind::UserDisable => "User disabled",
        ActKind::UserEnable => "User enabled",
        ActKind::UserPassword => "Password set",
        ActKind::UserSignOut => "All sign-ins ended",
        ActKind::OwnPassword => "Own password changed",
        ActKind::OwnSignOut => "Own other sign-ins ended",
        ActKind::TokenMade => "API token made",
        ActKind::TokenEnded => "API token ended",
    },
    actor: |actor| match actor {
        "api" => "API".into(),
        name => match name.strip_prefix("api ") {
            Some(token) => format!("API ({})", isolate(token)),
            None => isolate(name),
        },
    },
    list: |count| match count {
        Some(Count::Exact(1)) => "Mails (1 row)".into(),
        Some(count) => format!("Mails ({} rows)", (WORDS.count)(count)),
        None => "Mails".into(),
    },
    report: "Monthly report",
    broke_off: "broke off",
    value: |value| match value {
        Value::Status(s) => status(*s).into(),
        Value::Recipient(text) | Value::Other(text) => isolate(text),
        Value::Role(role) => (WORDS.role)(*role).into(),
        Value::Scope(scope) => (WORDS.tokens.scope)(*scope).into(),
        Value::MaySignIn(may) => (WORDS.people.may)(*may).into(),
    },
    change: |before, after| match (before, after) {
        (Some(before), Some(after)) => format!("{before} → {after}"),
        (None, Some(after)) => after.into(),
        (Some(before), None) => format!("{before} → none"),
        (None, None) => String::new(),
    },
    attempt: |n| format!("attempt {n}"),
    reason: "Reason",
    none: "No act matches these filters",
    none_help: "Remove a filter, or check the dates.",
    empty: "No acts yet",
    empty_help: "What people do, such as sending again or changing a user, is kept here.",
};
