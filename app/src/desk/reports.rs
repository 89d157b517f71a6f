//! What the report pages may ask.

use crate::error::AppError;
use crate::model::Month;
use crate::model::views::{Me, MonthAnswer, MonthNotice, MonthReport, Sending};
use async_trait::async_trait;

/// Reports. Everybody signed in may read them.
#[async_trait]
pub trait Reports: Send + Sync + 'static {
    /// The month's figures; `query` is the URL's query string.
    async fn month_report(&self, me: &Me, query: &str) -> Result<MonthReport, AppError>;
    /// What became of the month's sends; the same query string.
    async fn month_sending(&self, query: &str) -> Result<Sending, AppError>;
    /// Keeps the figures of a month that is over. For leads and administrators.
    async fn close_month(
        &self,
        me: &Me,
        month: &str,
        reason: &str,
    ) -> Result<(Month, MonthAnswer), AppError>;
    /// What to tell of a month that somebody wanted to close.
    async fn month_notice(&self, month: Month, what: MonthAnswer) -> Result<MonthNotice, AppError>;
}
