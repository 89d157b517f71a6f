//! The audit trail.

use super::TokenScope;
use crate::model::filter::Hint;
use crate::model::trail::TrailFilter;
use crate::model::{Moment, Month, Role, Status};
use serde::{Deserialize, Serialize};

/// What an act was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A mail.
    Mail {
        /// Its id.
        id: i64,
        /// What it is about.
        order_id: String,
        /// 0 the original.
        copy: i32,
        /// The further copy that was made: its id and its number.
        made: Option<(i64, i32)>,
    },
    /// A month.
    Month(Month),
    /// A list of mails that left as a file.
    List {
        /// The list's query string.
        query: String,
        /// Rows, where they were counted.
        rows: Option<i64>,
        /// It left whole; none before it ended.
        whole: Option<bool>,
    },
    /// A month's table that left as a file.
    Report {
        /// The report's query string.
        query: String,
        /// It left whole; none before it ended.
        whole: Option<bool>,
    },
    /// A user.
    User {
        /// Their id, where there is such a one.
        id: Option<i64>,
        /// Their name.
        name: String,
    },
    /// A job that resends many.
    Bulk(i64),
    /// Something else, as it was written down.
    Other(String),
}

/// A value that an act changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// A mail's status.
    Status(Status),
    /// A mail's recipient.
    Recipient(String),
    /// A user's role.
    Role(Role),
    /// What a token may do.
    Scope(TokenScope),
    /// Whether a user may sign in.
    MaySignIn(bool),
    /// Something else, as it was written down.
    Other(String),
}

/// An act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailLine {
    /// Its id.
    pub id: i64,
    /// When.
    pub at: Moment,
    /// The sign-in name, `api`, or the command.
    pub actor: String,
    /// What they did, as stored.
    pub act: String,
    /// On what.
    pub subject: Option<Subject>,
    /// The attempt it began or judged.
    pub attempt: Option<i32>,
    /// Their reason.
    pub reason: Option<String>,
    /// What changed: before, and after.
    pub changes: Vec<(Option<Value>, Option<Value>)>,
}

/// A page of the trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trail {
    /// When this was read.
    pub as_of: Moment,
    /// The filter as understood.
    pub filter: TrailFilter,
    /// What was not understood.
    pub hints: Vec<Hint>,
    /// Newest first.
    pub lines: Vec<TrailLine>,
    /// The filter of the page with newer lines, where there are any.
    pub newer: Option<TrailFilter>,
    /// The filter of the page with older lines, where there are any.
    pub older: Option<TrailFilter>,
    /// Names to choose from.
    pub names: Vec<String>,
    /// Lines a page holds at most.
    pub page_size: i64,
}
