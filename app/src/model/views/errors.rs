//! What went wrong, by sort.

use crate::model::Moment;
use crate::model::filter::Failed;
use serde::{Deserialize, Serialize};

/// What went wrong, without what differs from mail to mail: no address is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The service; empty where a mail never came so far.
    pub provider: String,
    /// The answer's code.
    pub code: Option<i32>,
    /// The words, Denpyo's own or the service's; perhaps none.
    pub text: String,
}

/// A sort of failure, and how often it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorGroup {
    /// Leads to its mails.
    pub failed: Failed,
    /// What went wrong.
    pub what: Failure,
    /// With how many mails.
    pub mails: i64,
    /// How often.
    pub failures: i64,
    /// First in this time.
    pub first: Moment,
    /// Last.
    pub last: Moment,
}

/// What went wrong in a span of days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errors {
    /// When this was read.
    pub as_of: Moment,
    /// Days back from then.
    pub days: u16,
    /// Others to choose.
    pub windows: Vec<u16>,
    /// The most frequent first; none where it could not be read in time.
    pub groups: Option<Vec<ErrorGroup>>,
    /// No more than this many are shown.
    pub most: i64,
}
