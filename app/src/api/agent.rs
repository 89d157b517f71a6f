//! A support agent's acts on one mail.

use crate::error::AppError;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ssr::{caller, desk, note};
#[cfg(feature = "ssr")]
use crate::desk::{Note, Ticket, Written};

/// Sends a mail again to a corrected address. `version` and `attempt` are the row as the person saw
/// it, `shown` the address as the page showed it.
#[server(prefix = "/_desk", endpoint = "correct")]
pub async fn correct(
    id: i64,
    version: i64,
    attempt: i32,
    #[server(default)] recipient: String,
    #[server(default)] shown: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let caller = caller()?;
    let ticket = Ticket { version, attempt };
    let to = Written {
        text: &recipient,
        shown: &shown,
    };
    let told = desk()?.correct(&caller.0, id, ticket, to, &reason).await?;
    note(Note::of(id, told)).await;
    Ok(())
}

/// Decides on a further copy. `copy` is the number that the page showed.
#[server(prefix = "/_desk", endpoint = "copy")]
pub async fn further_copy(
    id: i64,
    copy: i32,
    #[server(default)] recipient: String,
    #[server(default)] shown: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let caller = caller()?;
    let to = Written {
        text: &recipient,
        shown: &shown,
    };
    let told = desk()?
        .further_copy(&caller.0, id, copy, to, &reason)
        .await?;
    note(Note::of(id, told)).await;
    Ok(())
}

/// Calls a mail off. `version` is the row as the person saw it.
#[server(prefix = "/_desk", endpoint = "call_off")]
pub async fn call_off(
    id: i64,
    version: i64,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let caller = caller()?;
    let told = desk()?.call_off(&caller.0, id, version, &reason).await?;
    note(Note::of(id, told)).await;
    Ok(())
}

/// Shows the caller a mail's addresses for a while.
#[server(prefix = "/_desk", endpoint = "reveal")]
pub async fn reveal(id: i64, #[server(default)] reason: String) -> Result<(), AppError> {
    let caller = caller()?;
    let kind = desk()?.reveal(&caller.0, id, &reason).await?;
    note(Note::Mail(id, kind)).await;
    Ok(())
}
