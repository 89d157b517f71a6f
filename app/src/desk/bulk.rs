//! Resending many mails.

use crate::error::AppError;
use crate::model::views::{Bulk, BulkAnswer, BulkNew, BulkPage, Me};
use async_trait::async_trait;

/// Resending many mails. For leads and administrators.
#[async_trait]
pub trait Many: Send + Sync + 'static {
    /// What a filter would take; `query` is the list's query string.
    async fn bulk_new(&self, me: &Me, query: &str) -> Result<BulkNew, AppError>;
    /// Keeps the mails of a filter as they are now, each with why it is or is not to be resent.
    async fn bulk_prepare(&self, me: &Me, query: &str)
    -> Result<Result<i64, BulkAnswer>, AppError>;
    /// A job, with its mails behind the place `from`.
    async fn bulk(&self, me: &Me, id: i64, from: i32) -> Result<BulkPage, AppError>;
    /// The newest jobs.
    async fn bulks(&self, me: &Me) -> Result<Vec<Bulk>, AppError>;
    /// Starts a job.
    async fn bulk_start(&self, me: &Me, id: i64, reason: &str) -> Result<BulkAnswer, AppError>;
    /// Stops a job before its next mail.
    async fn bulk_stop(&self, me: &Me, id: i64) -> Result<BulkAnswer, AppError>;
}
