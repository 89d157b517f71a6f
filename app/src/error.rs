//! The one error that a browser ever sees. It holds codes, never text: an error can come back in
//! a URL that somebody made up.

use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};

/// What can go wrong between a page and the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AppError {
    /// Nobody is signed in.
    #[error("signed out")]
    SignedOut,
    /// Signed in, but not allowed.
    #[error("not allowed")]
    Forbidden,
    /// No such thing.
    #[error("not found")]
    NotFound,
    /// What was sent cannot be read.
    #[error("bad input")]
    BadInput,
    /// The database does not answer; nothing was changed.
    #[error("unavailable")]
    Unavailable {
        /// Quoted to support, and written in the log.
        reference: Reference,
    },
    /// The browser could not reach the server.
    #[error("no connection")]
    NoConnection,
}

/// A number to quote, such as `E-7QF2-0419`: found again in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reference(pub u32);

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "E-{:04X}-{:04X}", self.0 >> 16, self.0 & 0xffff)
    }
}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        // The library's texts name internals; only their kind goes on.
        match error {
            ServerFnErrorErr::Request(_) | ServerFnErrorErr::Response(_) => AppError::NoConnection,
            _ => AppError::BadInput,
        }
    }
}
