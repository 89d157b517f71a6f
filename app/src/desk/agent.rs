//! A support agent's acts on one mail.

use super::Ticket;
use crate::error::AppError;
use crate::model::views::{Cases, Mail, Me, NoticeKind, Told};
use async_trait::async_trait;

/// An address as somebody typed or pasted it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written<'a> {
    /// As it came.
    pub text: &'a str,
    /// The address that the page showed for it before it was sent: what was trimmed of `text` need
    /// not be shown again.
    pub shown: &'a str,
}

/// What an agent may do with one mail beside sending it again. Each act wants a reason, is recorded
/// in the transaction of what it changes, and is refused where the mail is not as it was seen.
#[async_trait]
pub trait Agent: Send + Sync + 'static {
    /// Sends a mail again, to a corrected address.
    async fn correct(
        &self,
        me: &Me,
        id: i64,
        ticket: Ticket,
        to: Written<'_>,
        reason: &str,
    ) -> Result<Told, AppError>;
    /// Decides on a further copy of an accepted mail. `copy` is the number that the page showed it
    /// would get; without an address it goes where the mail went.
    async fn further_copy(
        &self,
        me: &Me,
        id: i64,
        copy: i32,
        to: Written<'_>,
        reason: &str,
    ) -> Result<Told, AppError>;
    /// Closes a mail without sending it, if it is still the version that the person saw.
    async fn call_off(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        reason: &str,
    ) -> Result<Told, AppError>;
    /// One mail, its addresses masked for who need not see them, or `NotFound`.
    async fn mail_for(&self, me: &Me, id: i64) -> Result<Mail, AppError>;
    /// What needs checking, addresses masked alike; `query` is the URL's query string, which may ask for
    /// one age. Those of `shown` that still need checking are with it, whatever their age.
    async fn cases_for(&self, me: &Me, query: &str, shown: &[i64]) -> Result<Cases, AppError>;
    /// Shows this person a mail's addresses for a while, where their role sees them masked.
    async fn reveal(&self, me: &Me, id: i64, reason: &str) -> Result<NoticeKind, AppError>;
}
