//! What pages are given to show. Counts are exact unless they say otherwise.

mod attempt;
mod frame;
mod list;
mod mail;
mod overview;

pub use attempt::{Attempt, Cause, Outcome};
pub use frame::{Count, Frame, Me, Notice, NoticeKind, ServiceState};
pub use list::{MailList, MailRow};
pub use mail::{ActRecord, Case, Cases, Mail, Observation};
pub use overview::{Bar, Counts, Histogram, Overview, Worker};
