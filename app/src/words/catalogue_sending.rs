//! What the reports say of sends.

use super::catalogue::Text;
use crate::model::Month;
use crate::model::protocol::OnUnknown;
use crate::model::sending::Range;
use crate::model::views::{Delay, Unknowns};

/// Tries, hours, delays, and what other settings would have done.
pub struct SendingWords {
    /// Which mails all of it is about.
    pub about: fn(Month) -> String,
    /// The month's figures were kept, and these are of now.
    pub not_kept: Text,
    /// A part that counting took too long for.
    pub not_counted: Text,
    /// Mails by tries.
    pub tries: Text,
    /// By kind and service.
    pub by_kind: Text,
    /// What the last column of the table says of services.
    pub by_kind_note: Text,
    /// What the table is.
    pub by_kind_caption: fn(Month) -> String,
    /// Columns: kind, service, never tried.
    pub tries_columns: [Text; 3],
    /// A service by its stored name.
    pub service: fn(&str) -> &str,
    /// In place of a service: none had the mail yet.
    pub no_service: Text,
    /// The plot is narrowed to this.
    pub narrowed: fn(&[&str]) -> String,
    /// Nothing of that was tried.
    pub none_of_these: Text,
    /// Takes that back.
    pub widen: Text,
    /// No mail was decided in the month.
    pub no_mails: Text,
    /// No mail of the month was tried, as far as is known here.
    pub none: Text,
    /// By hour.
    pub hours: Text,
    /// Of which time.
    pub hours_note: fn(zone: &str) -> String,
    /// What the table is.
    pub hours_caption: fn(Month) -> String,
    /// Columns: hour, accepted, not accepted, no clear answer, share of accepted.
    pub hours_columns: [Text; 5],
    /// An hour in the table.
    pub hour: fn(usize) -> String,
    /// An hour under the plot.
    pub hour_short: fn(usize) -> String,
    /// How long acceptance took.
    pub delays: Text,
    /// From when to when.
    pub delays_note: Text,
    /// What the table is.
    pub delays_caption: fn(Month) -> String,
    /// Columns: kind, accepted, p50, p95.
    pub delays_columns: [Text; 4],
    /// All kinds together, in a sentence.
    pub delays_said: fn(&Delay) -> String,
    /// Less than this is not told apart.
    pub under_a_second: Text,
    /// All kinds.
    pub all_kinds: Text,
    /// What other settings would have done.
    pub unknowns: Text,
    /// What the sends without a clear answer turned out to be.
    pub unknowns_said: fn(&Unknowns) -> String,
    /// There were none.
    pub unknowns_none: Text,
    /// How to read the table.
    pub unknowns_note: Text,
    /// Before the setting's name.
    pub unknowns_setting: Text,
    /// What the table is.
    pub unknowns_caption: fn(Month) -> String,
    /// Columns: setting, the mail twice, no mail, a wait.
    pub unknowns_columns: [Text; 4],
    /// What a setting does.
    pub setting: fn(OnUnknown) -> Text,
    /// The one that is set.
    pub is_set: Text,
    /// How many at least, and at most.
    pub range: fn(Range) -> String,
    /// How many waited, how long, and how many wait still.
    pub waited: fn(&Unknowns) -> String,
}
