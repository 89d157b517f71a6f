//! Server functions of the report pages.

use crate::error::AppError;
use crate::model::views::{MonthReport, Sending};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ssr::{caller, desk, note};

/// The month's figures; `query` is the URL's query string, without the `?`.
#[server(prefix = "/_desk", endpoint = "month_report")]
pub async fn read_month(query: String) -> Result<MonthReport, AppError> {
    desk()?.month_report(&caller()?.0, &query).await
}

/// What became of the month's sends; `query` is the URL's query string, without the `?`.
#[server(prefix = "/_desk", endpoint = "month_sending")]
pub async fn read_sending(query: String) -> Result<Sending, AppError> {
    caller()?;
    desk()?.month_sending(&query).await
}

/// Keeps the figures of a month that is over.
#[server(prefix = "/_desk", endpoint = "close_month")]
pub async fn close_month(month: String, #[server(default)] reason: String) -> Result<(), AppError> {
    let caller = caller()?;
    let (month, what) = desk()?.close_month(&caller.0, &month, &reason).await?;
    note(crate::desk::Note::Month(month, what)).await;
    Ok(())
}
