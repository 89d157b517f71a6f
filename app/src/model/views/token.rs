//! Tokens of the API.

use crate::model::Moment;
use serde::{Deserialize, Serialize};

/// The page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// When this was read.
    pub as_of: Moment,
    /// Those that may be used, newest first, and then those that were ended.
    pub tokens: Vec<Token>,
    /// `DENPYO_API_TOKEN` is set, which may do everything.
    pub by_setting: bool,
}

/// A token. What programs send is never in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its number.
    pub id: i64,
    /// What it is called.
    pub name: String,
    /// What it may do.
    pub scope: TokenScope,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: Moment,
    /// When it was last used, to the hour.
    pub used_at: Option<Moment>,
    /// It was ended.
    pub ended: Option<TokenEnd>,
}

/// How a token came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenEnd {
    /// When.
    pub at: Moment,
    /// By whom.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// What a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenScope {
    /// Read mails.
    Read,
    /// Read mails, hand them over, send them again, make copies.
    Write,
}

impl TokenScope {
    /// Both, least first.
    pub const ALL: [TokenScope; 2] = [TokenScope::Read, TokenScope::Write];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            TokenScope::Read => "read",
            TokenScope::Write => "write",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<TokenScope> {
        TokenScope::ALL.into_iter().find(|s| s.as_str() == word)
    }
}

/// What came of an act on tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenAnswer {
    /// It is made.
    Made,
    /// Refused: it needs a name of 1 to 64 characters.
    BadName,
    /// Refused: another has or had that name.
    NameTaken,
    /// It is ended.
    Ended,
    /// Refused: somebody had ended it.
    EndedBefore,
    /// Refused: a reason is needed.
    ReasonMissing,
}

/// What came of an act on tokens, to be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenNotice {
    /// What happened.
    pub what: TokenAnswer,
    /// The token it is about.
    pub id: Option<i64>,
    /// What it is called.
    pub name: String,
    /// The token itself, this once; none where it was shown already.
    pub secret: Option<String>,
    /// How it was ended.
    pub ended: Option<TokenEnd>,
}
