//! The one door through which pages reach the outbox. The server implements it, so that this
//! crate never links a database.

mod agent;
mod bulk;
mod people;
mod reports;
mod settings;

pub use agent::{Agent, Written};
pub use bulk::Many;
pub use people::{NewUser, OwnSession, People, SharedSession, UserChange, UserTold};
pub use reports::Reports;
pub use settings::Settings;

use crate::error::AppError;
use crate::model::views::{
    AccountAnswer, BulkAnswer, Cases, Draft, Errors, Form, Frame, ListNews, LotAnswer, Mail,
    MailList, Me, MonthAnswer, News, NoticeKind, Overview, Seen, TokenAnswer, Told, written,
};
use crate::model::{Cursor, Month};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A resend as clicked: the row as the person saw it. Both are checked again inside the claiming
/// statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The row's `version`.
    pub version: i64,
    /// The row's `attempts`.
    pub attempt: i32,
}

/// What a person says of a mail whose outcome nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It did go out.
    Sent,
    /// It did not.
    NotSent,
}

impl Answer {
    /// The form that it is given with.
    pub fn form(self) -> Form {
        match self {
            Answer::Sent => Form::Sent,
            Answer::NotSent => Form::NotSent,
        }
    }
}

/// What the pages may ask of the outbox. Every method that changes something records the act in
/// the same transaction; a refusal is a normal answer, not an error.
#[async_trait]
pub trait Desk: Agent + Many + People + Reports + Settings {
    /// What stands around every page.
    async fn frame(&self, me: &Me) -> Result<Frame, AppError>;
    /// The overview.
    async fn overview(&self) -> Result<Overview, AppError>;
    /// A page of the list; `query` is the URL's query string.
    async fn list(&self, me: &Me, query: &str) -> Result<MailList, AppError>;
    /// What has become of the rows of a list, and what is newer than `top`.
    async fn list_news(
        &self,
        me: &Me,
        query: &str,
        ids: &[i64],
        top: Option<Cursor>,
    ) -> Result<ListNews, AppError>;
    /// One mail, or `NotFound`.
    async fn mail(&self, id: i64) -> Result<Mail, AppError>;
    /// What went wrong, by sort; `query` is the URL's query string.
    async fn errors(&self, query: &str) -> Result<Errors, AppError>;
    /// What needs checking.
    async fn cases(&self) -> Result<Cases, AppError>;
    /// Sends a mail again, through the claim that workers use.
    async fn resend(&self, me: &Me, id: i64, ticket: Ticket) -> Result<NoticeKind, AppError>;
    /// Records what a person found out about an unknown outcome.
    async fn answer(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        answer: Answer,
        reason: &str,
    ) -> Result<Told, AppError>;
    /// Lets go of a held mail, if it is still the version that the person saw.
    async fn release(&self, me: &Me, id: i64, version: i64, reason: &str)
    -> Result<Told, AppError>;
    /// Lets go of the held mails of a filter, if they are still those that the person saw. For
    /// leads and administrators.
    async fn release_many(
        &self,
        me: &Me,
        query: &str,
        seen: Seen,
        reason: &str,
    ) -> Result<LotAnswer, AppError>;
    /// A note in full: names and times come from the rows.
    async fn news(&self, note: Note) -> Result<News, AppError>;
}

/// What an act came to, as kept until it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// Of the mail of this id.
    Mail(i64, NoticeKind),
    /// Of a form about the mail of this id that was not taken.
    Draft(i64, NoticeKind, Draft),
    /// Of many mails.
    Lot(LotAnswer),
    /// Of a form about many mails that was not taken.
    LotDraft(LotAnswer, Draft),
    /// Of a month.
    Month(Month, MonthAnswer),
    /// Of a user.
    User(UserTold),
    /// Of one's own password or sign-ins.
    Account(AccountAnswer),
    /// Of a job that resends many.
    Bulk(BulkAnswer),
    /// Of the token of this number, where there is one. The token itself is never in it.
    Token(Option<i64>, TokenAnswer),
}

impl Note {
    /// Of the mail of this id.
    pub fn of(id: i64, told: Told) -> Note {
        match told.draft {
            Some(draft) => Note::Draft(id, told.what, draft),
            None => Note::Mail(id, told.what),
        }
    }

    /// Of many mails that were to be let go for this reason.
    pub fn of_lot(answer: LotAnswer, reason: &str) -> Note {
        if let LotAnswer::Released(_) = answer {
            return Note::Lot(answer);
        }
        Note::LotDraft(answer, Draft::of_reason(Form::Release, &written(reason)))
    }

    /// Whether with it goes what cannot be shown again.
    pub fn is_shown_once(&self) -> bool {
        matches!(self, Note::Token(Some(_), TokenAnswer::Made))
    }
}

/// The error of the act that a form without scripts just posted; in the request's extensions.
#[derive(Clone, Debug)]
pub struct Failed(pub AppError);

/// Keeps a note between an act and the next page of the same person.
#[async_trait]
pub trait Notices: Send + Sync + 'static {
    /// Replaces the note, unless that one is shown once.
    async fn put(&self, note: Note);
    /// Takes it out.
    async fn take(&self) -> Option<Note>;
}

/// In the request's extensions.
pub type SharedNotices = Arc<dyn Notices>;

/// As provided to every page and server function.
pub type SharedDesk = Arc<dyn Desk>;

/// Who calls, as the middleware found out; in the request's extensions where somebody is signed
/// in.
#[derive(Clone, Debug)]
pub struct Caller(pub Me);
