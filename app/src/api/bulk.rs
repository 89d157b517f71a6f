//! Server functions for resending many mails.

use crate::error::AppError;
use crate::model::views::{Bulk, BulkNew, BulkPage};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ssr::{caller, desk, note};
#[cfg(feature = "ssr")]
use crate::desk::Note;

/// What a filter would take; `query` is the list's query string, without the `?`.
#[server(prefix = "/_desk", endpoint = "bulk_new")]
pub async fn read_bulk_new(query: String) -> Result<BulkNew, AppError> {
    desk()?.bulk_new(&caller()?.0, &query).await
}

/// A job, with its mails behind the place `from`.
#[server(prefix = "/_desk", endpoint = "bulk")]
pub async fn read_bulk(id: i64, #[server(default)] from: i32) -> Result<BulkPage, AppError> {
    desk()?.bulk(&caller()?.0, id, from).await
}

/// The newest jobs.
#[server(prefix = "/_desk", endpoint = "bulks")]
pub async fn read_bulks() -> Result<Vec<Bulk>, AppError> {
    desk()?.bulks(&caller()?.0).await
}

/// Keeps the mails of a filter as they are now, and leads to what was kept.
#[server(prefix = "/_desk", endpoint = "bulk_prepare")]
pub async fn prepare_bulk(#[server(default)] query: String) -> Result<(), AppError> {
    let caller = caller()?;
    match desk()?.bulk_prepare(&caller.0, &query).await? {
        Ok(id) => leptos_axum::redirect(&format!("/bulk/{id}")),
        Err(answer) => note(Note::Bulk(answer)).await,
    }
    Ok(())
}

/// Starts a job.
#[server(prefix = "/_desk", endpoint = "bulk_start")]
pub async fn start_bulk(id: i64, #[server(default)] reason: String) -> Result<(), AppError> {
    let caller = caller()?;
    let answer = desk()?.bulk_start(&caller.0, id, &reason).await?;
    note(Note::Bulk(answer)).await;
    Ok(())
}

/// Stops a job before its next mail.
#[server(prefix = "/_desk", endpoint = "bulk_stop")]
pub async fn stop_bulk(id: i64) -> Result<(), AppError> {
    let caller = caller()?;
    let answer = desk()?.bulk_stop(&caller.0, id).await?;
    note(Note::Bulk(answer)).await;
    Ok(())
}
