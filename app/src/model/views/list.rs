//! The list.

use super::Count;
use crate::model::filter::{Filter, Hint};
use crate::model::{Face, Moment};
use serde::{Deserialize, Serialize};

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailRow {
    /// Its id.
    pub id: i64,
    /// What the mail is about.
    pub order_id: String,
    /// What sort of mail it is.
    pub kind: String,
    /// 0 the original; 1, 2, … deliberate further copies.
    pub copy: i32,
    /// Tells apart mails of one kind for one order.
    pub occasion: String,
    /// To whom; empty where the row has none.
    pub recipient: String,
    /// The state as shown.
    pub face: Face,
    /// The status was only assumed.
    pub assumed: bool,
    /// Held.
    pub held: bool,
    /// Claims made so far.
    pub attempts: i32,
    /// Decided at.
    pub created_at: Moment,
    /// Accepted at, so far as known.
    pub sent_at: Option<Moment>,
}

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailList {
    /// When this was read.
    pub as_of: Moment,
    /// The filter as understood.
    pub filter: Filter,
    /// What was not understood.
    pub hints: Vec<Hint>,
    /// The rows, newest first.
    pub rows: Vec<MailRow>,
    /// The filter of the page with newer rows, where there are any.
    pub newer: Option<Filter>,
    /// The filter of the page with older rows, where there are any.
    pub older: Option<Filter>,
    /// Rows in the filter.
    pub count: Count,
    /// Kinds to choose from.
    pub kinds: Vec<String>,
    /// Rows a page holds at most.
    pub page_size: i64,
}
