//! By which way a mail came to be decided, read from what is stored of it.

use serde::{Deserialize, Serialize};

/// By which way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intake {
    /// An insert of another program's, in its own transaction.
    Insert,
    /// The API.
    Api,
    /// The API, with the token of this name.
    Token(String),
    /// `denpyo enqueue`.
    Command,
    /// Somebody made it, as a further copy: an act of its own tells it.
    Copy,
    /// From before it was written down.
    Unknown,
}

impl Intake {
    /// Reads the stored name; `written` says whether it was written down already when the mail came.
    pub fn of(stored: Option<&str>, written: bool) -> Intake {
        match stored {
            None if written => Intake::Insert,
            None => Intake::Unknown,
            Some("api") => Intake::Api,
            Some("denpyo enqueue") => Intake::Command,
            Some(name) => match name.strip_prefix("api ") {
                Some(token) => Intake::Token(token.to_owned()),
                None => Intake::Copy,
            },
        }
    }
}
