//! What stands around every page, and what came of an act.

use super::Draft;
use crate::model::{Moment, Role};
use serde::{Deserialize, Serialize};

/// The person at the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// Sign-in name.
    pub name: String,
    /// What they may do.
    pub role: Role,
}

/// A count that may be cut short or estimated where exactness costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Count {
    /// Exactly this many.
    Exact(i64),
    /// At least this many; counting stopped here.
    AtLeast(i64),
    /// Roughly this many, from the database's own figures.
    About(i64),
    /// Not known: shown as a dash, never as 0.
    Unknown,
}

/// Whether mails can go out at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServiceState {
    /// None is set: decisions are recorded, nothing is sent.
    None,
    /// Set, and nothing is known to be wrong.
    Ready {
        /// Its name as people know it, such as `SendGrid`.
        name: String,
    },
    /// Sending is paused: the service refuses this account.
    Paused {
        /// Its name.
        name: String,
        /// The answer's HTTP status, where there was one.
        code: Option<i32>,
        /// Since when.
        since: Moment,
        /// When one mail tries again.
        until: Moment,
    },
}

/// What every page shows around its own matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Who is signed in.
    pub me: Me,
    /// When this was read.
    pub as_of: Moment,
    /// The zone's name, such as `Asia/Tokyo`.
    pub zone: String,
    /// Rows that need checking.
    pub needs_checking: i64,
    /// Whether mails can go out.
    pub service: ServiceState,
}

/// What to tell somebody after an act, once. Names and times are read from the row itself, so
/// that nothing in a URL can put words into the desk's mouth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The mail it is about.
    pub id: i64,
    /// Its order number.
    pub order_id: String,
    /// What happened.
    pub what: NoticeKind,
    /// Who was first, for a refusal: the last person or process that changed the row.
    pub by: Option<String>,
    /// When.
    pub at: Option<Moment>,
    /// The attempt's number, for a resend.
    pub attempt: Option<i32>,
    /// The copy that somebody made last: its id and its number.
    pub copy: Option<(i64, i32)>,
    /// The form that was not taken.
    pub draft: Option<Draft>,
}

impl NoticeKind {
    /// Whether the form is to be mended and sent again.
    pub fn mends(self) -> bool {
        matches!(
            self,
            NoticeKind::ReasonMissing | NoticeKind::BadRecipient | NoticeKind::Tidied
        )
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The resend began.
    Resent,
    /// It is now recorded as accepted.
    ConfirmedSent,
    /// It is now recorded as not sent.
    ConfirmedNotSent,
    /// Refused: somebody was faster, the row has changed since it was shown.
    Changed,
    /// Refused: it is being sent, or nobody knows yet whether it was.
    InFlight,
    /// Refused: the service has it.
    AlreadyAccepted,
    /// Refused: called off.
    CalledOff,
    /// Refused: it waits to be sent by itself.
    StillWaiting,
    /// Refused: held.
    Held,
    /// It is held no longer.
    Released,
    /// Refused: nobody holds it any more.
    NotHeld,
    /// Refused: no service is set.
    NoService,
    /// Refused: the lease is alive, so the answer may still come.
    LeaseAlive,
    /// Refused: a reason is needed.
    ReasonMissing,
    /// Refused: the recipient is no address.
    BadRecipient,
    /// Refused: something else in the mail cannot be sent.
    BadContent,
    /// Not done yet: the address was tidied, and is shown first.
    Tidied,
    /// A further copy is decided.
    Copied,
    /// Refused: somebody made that copy, or another of its number, already.
    CopyTaken,
    /// Refused: only what the service has is copied.
    NotAccepted,
    /// Refused: the recipient reported it as spam.
    Complained,
    /// It is called off.
    Canceled,
    /// Refused: it changed before it could be called off.
    TooLate,
    /// Its addresses are shown to this person for a while.
    Revealed,
}

/// What came of letting many mails go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LotNotice {
    /// What happened.
    pub what: LotAnswer,
    /// Who let mails go last, where that may be why the list has changed.
    pub by: Option<String>,
    /// When.
    pub at: Option<Moment>,
    /// The form that was not taken.
    pub draft: Option<Draft>,
}

/// What happened to a lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LotAnswer {
    /// So many mails are held no longer.
    Released(i64),
    /// Refused: the list is not what was shown.
    Changed {
        /// How many were shown.
        shown: i64,
        /// How many there are now.
        now: i64,
    },
    /// Refused: more than may be let go at once.
    TooMany,
    /// Refused: a reason is needed.
    ReasonMissing,
}

/// What to tell somebody after an act, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// Of one mail.
    Mail(Notice),
    /// Of many.
    Lot(LotNotice),
    /// Of a month.
    Month(super::MonthNotice),
    /// Of a user.
    User(super::UserNotice),
    /// Of one's own password or sign-ins.
    Account(super::AccountAnswer),
    /// Of a job that resends many.
    Bulk(super::BulkAnswer),
    /// Of a token.
    Token(super::TokenNotice),
    /// The act failed.
    Fault(crate::error::AppError),
}
