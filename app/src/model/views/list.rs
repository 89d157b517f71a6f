//! The list.

use super::{Count, Failure};
use crate::model::filter::{Filter, Hint};
use crate::model::{Cursor, Face, Moment};
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
    /// On the first page, where rows newer than those shown would begin.
    pub top: Option<Cursor>,
    /// Rows in the filter.
    pub count: Count,
    /// Kinds to choose from.
    pub kinds: Vec<String>,
    /// Rows a page holds at most.
    pub page_size: i64,
    /// What is to be said of the search text.
    pub search: Option<SearchNote>,
    /// What went wrong with these mails, where the filter names it.
    pub failed: Option<Failure>,
    /// The same text as a part, where it was found whole.
    pub parts: Option<Filter>,
    /// The one mail that the search text names by an id of its own.
    pub straight: Option<i64>,
    /// The caller's role may resend many.
    pub may_resend: bool,
    /// The held mails of this filter, where it asks for held ones and there are any.
    pub lot: Option<Lot>,
}

/// What is to be said of a search text beside what it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchNote {
    /// Nothing has just this number or address, and a part needs more characters.
    Short,
    /// The database cannot search for parts.
    NoParts,
    /// Addresses are masked for this person, and so are found whole alone.
    Masked,
    /// Not all mails are in the index of parts yet.
    Behind,
    /// So many mails have this part that reading them was given up.
    TooCommon,
}

impl SearchNote {
    /// Rows may be missing from what was found.
    pub fn incomplete(self) -> bool {
        !matches!(self, SearchNote::Short | SearchNote::Masked)
    }
}

/// What has become of the rows of a list that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListNews {
    /// The rows as they are now, whether or not the filter still has them.
    pub rows: Vec<MailRow>,
    /// Rows of the filter that are newer than those shown, up to [`MOST_NEWER`].
    pub newer: i64,
    /// Rows in the filter.
    pub count: Count,
}

/// Newer rows are counted up to here.
pub const MOST_NEWER: i64 = 100;
/// Rows of a list that may be asked after at once.
pub const MOST_SHOWN: usize = 200;

/// Held mails that may be let go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lot {
    /// What is shown; what is let go must be the very same.
    pub seen: Seen,
    /// The caller's role may let go of many at once.
    pub allowed: bool,
    /// There are more than may be let go at once.
    pub too_many: bool,
}

/// So many held mails may be let go at once.
pub const LARGEST_LOT: i64 = 10_000;

/// A set of rows as somebody saw it: any row more, less or changed makes it another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// How many rows.
    pub count: i64,
    /// The newest one's id.
    pub newest: i64,
    /// The sum of their versions.
    pub versions: i64,
}
