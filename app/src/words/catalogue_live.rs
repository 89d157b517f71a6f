//! Pages that follow the database.

use super::catalogue::Text;

/// What pages that follow the database say of it.
pub struct LiveWords {
    /// Stops a page from following.
    pub pause: Text,
    /// Has it follow again.
    pub resume: Text,
    /// After the time, where the page does not follow.
    pub still: Text,
    /// The connection is lost.
    pub lost: Text,
    /// The session is over.
    pub ended: Text,
    /// Other windows follow instead.
    pub elsewhere: Text,
    /// Changes wait because a form is open.
    pub waiting: Text,
    /// Shows them.
    pub show: Text,
    /// Shows newer rows.
    pub newer: fn(i64) -> String,
    /// Newer rows, told to those who do not see them.
    pub newer_told: fn(i64) -> String,
}
