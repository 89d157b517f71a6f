//! What the settings' pages may ask and do. For administrators alone.

use crate::error::AppError;
use crate::model::views::{Me, SettingsPage, TokenAnswer, TokenNotice, Tokens};
use async_trait::async_trait;

/// The settings, and the tokens of the API. `Forbidden` for everybody but administrators.
#[async_trait]
pub trait Settings: Send + Sync + 'static {
    /// The settings as they hold, and how the installation is.
    async fn settings(&self, me: &Me) -> Result<SettingsPage, AppError>;
    /// The tokens of the API.
    async fn tokens(&self, me: &Me) -> Result<Tokens, AppError>;
    /// Makes a token; its number, where it was made. `scope` is `read` or `write`.
    async fn make_token(
        &self,
        me: &Me,
        name: &str,
        scope: &str,
    ) -> Result<(Option<i64>, TokenAnswer), AppError>;
    /// Ends a token for good.
    async fn end_token(&self, me: &Me, id: i64, reason: &str) -> Result<TokenAnswer, AppError>;
    /// What to tell of an act on tokens. A token that was just made is told once.
    async fn token_notice(
        &self,
        id: Option<i64>,
        what: TokenAnswer,
    ) -> Result<TokenNotice, AppError>;
}
