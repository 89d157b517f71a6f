//! Mail services: one file each. A service sends, and says what is known of the outcome.

use crate::outbox::claim::Permit;
use app::model::views::Cause;
use async_trait::async_trait;
use std::time::Duration;

/// A service that takes mails.
#[async_trait]
pub trait Provider: Send + Sync + 'static {
    /// The word in `DENPYO_PROVIDER` and in the tables.
    fn name(&self) -> &'static str;
    /// Its name as people know it.
    fn label(&self) -> &'static str;
    /// Tells accounts apart without giving the key away: the service's host, and a short digest
    /// of the key.
    fn account(&self) -> &str;
    /// Posts one mail, once. Never retries, never follows a redirect, and takes no longer than
    /// the request timeout. The permit is proof of a durable claim with time left.
    async fn send(&self, permit: Permit<'_>) -> SendOutcome;
    /// Whether the service's address answers at all (for `/readyz` and `denpyo check`).
    async fn reachable(&self) -> Result<(), String>;
}

/// What is known after a send. `detail` is the service's own words, shortened and without
/// addresses or secrets where it was ours to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The service took it.
    Accepted {
        /// Its id there, where the answer held one.
        message_id: Option<String>,
    },
    /// Nothing reached the service.
    NeverLeft {
        /// Why.
        cause: Cause,
        /// In words, for the log and the time-line.
        detail: String,
    },
    /// Documented as not accepted, for now.
    Temporary {
        /// HTTP status.
        code: u16,
        /// How long the service asks to wait.
        retry_after: Option<Duration>,
        /// The service's words.
        detail: String,
    },
    /// Documented as refused for the mail's content or recipient.
    Refused {
        /// HTTP status.
        code: u16,
        /// The service's words.
        detail: String,
    },
    /// Documented as refused for the account: key, permission, quota.
    Account {
        /// HTTP status.
        code: u16,
        /// How long the service asks to wait.
        retry_after: Option<Duration>,
        /// The service's words.
        detail: String,
    },
    /// The request left; nobody knows.
    Unknown {
        /// Why.
        cause: Cause,
        /// HTTP status, where there was an answer.
        code: Option<u16>,
        /// In words.
        detail: String,
    },
}
