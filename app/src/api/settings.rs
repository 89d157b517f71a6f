//! Server functions of the settings' pages. The desk refuses whoever is no administrator.

use crate::error::AppError;
use crate::model::views::{SettingsPage, Tokens};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ssr::{caller, desk, note};
#[cfg(feature = "ssr")]
use crate::desk::Note;

/// The settings as they hold, and how the installation is.
#[server(prefix = "/_desk", endpoint = "settings")]
pub async fn read_settings() -> Result<SettingsPage, AppError> {
    desk()?.settings(&caller()?.0).await
}

/// The tokens of the API.
#[server(prefix = "/_desk", endpoint = "tokens")]
pub async fn read_tokens() -> Result<Tokens, AppError> {
    desk()?.tokens(&caller()?.0).await
}

/// Makes a token: `scope` is `read` or `write`. The token itself is told once, as a notice.
#[server(prefix = "/_desk", endpoint = "make_token")]
pub async fn make_token(
    #[server(default)] name: String,
    #[server(default)] scope: String,
) -> Result<(), AppError> {
    let caller = caller()?;
    let (id, what) = desk()?.make_token(&caller.0, &name, &scope).await?;
    note(Note::Token(id, what)).await;
    Ok(())
}

/// Ends a token for good.
#[server(prefix = "/_desk", endpoint = "end_token")]
pub async fn end_token(id: i64, #[server(default)] reason: String) -> Result<(), AppError> {
    let caller = caller()?;
    let what = desk()?.end_token(&caller.0, id, &reason).await?;
    note(Note::Token(Some(id), what)).await;
    Ok(())
}
