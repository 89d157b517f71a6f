//! What became of a month's sends.

use super::Histogram;
use crate::model::Month;
use crate::model::filter::Basis;
use crate::model::protocol::OnUnknown;
use serde::{Deserialize, Serialize};

/// What became of the sends of the mails that were decided in a month. What could not be counted
/// in time is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sending {
    /// The month.
    pub month: Month,
    /// What the month's table counts by. Sends are always told of the mails decided in the month.
    pub basis: Basis,
    /// The zone that days and hours are counted in.
    pub zone: String,
    /// Its table shows kept figures; these are of now.
    pub closed: bool,
    /// The kind that the plot of tries is narrowed to.
    pub kind: Option<String>,
    /// The service that it is narrowed to.
    pub service: Option<String>,
    /// Mails by tries.
    pub tries: Option<Vec<Tries>>,
    /// What became of tries by the hour of day, midnight first.
    pub hours: Option<[Hour; 24]>,
    /// How long acceptance took.
    pub delays: Option<Delays>,
    /// Sends whose outcome nobody knew.
    pub unknowns: Option<Unknowns>,
    /// `DENPYO_ON_UNKNOWN` as it is set for most kinds.
    pub on_unknown: OnUnknown,
}

/// The mails of a kind and of the service that had them last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tries {
    /// The kind as stored; blank where many small lines share one.
    pub kind: String,
    /// The service as stored; blank where none had them yet.
    pub service: String,
    /// By number of tries and how they ended.
    pub histogram: Histogram,
    /// Never tried.
    pub never: i64,
}

/// An hour of the day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hour {
    /// Mails accepted in it.
    pub accepted: i64,
    /// Tries that were not.
    pub not_accepted: i64,
    /// Tries without a clear answer.
    pub unclear: i64,
}

/// How long acceptance took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delays {
    /// All kinds.
    pub all: Delay,
    /// By kind, the largest first.
    pub kinds: Vec<Delay>,
}

/// How long acceptance took, of one kind or of all. Seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delay {
    /// The kind as stored.
    pub kind: String,
    /// Accepted mails.
    pub count: i64,
    /// Half of them took no longer.
    pub p50: i64,
    /// Nineteen of twenty took no longer.
    pub p95: i64,
}

/// Sends whose outcome nobody knew at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknowns {
    /// The service had accepted them, as it turned out.
    pub accepted: i64,
    /// It had not.
    pub not_accepted: i64,
    /// Nobody knows to this day.
    pub open: i64,
    /// Seconds until half of those that cleared had done so.
    pub half_waited: i64,
    /// Seconds until the last one had.
    pub all_waited: i64,
}
