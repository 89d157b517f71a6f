//! What a form about one mail came to.

use super::NoticeKind;
use crate::model::AddressFault;
use serde::{Deserialize, Serialize};

/// A form about one mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Sends it again, to a corrected address.
    Correct,
    /// Sends a further copy.
    Copy,
    /// Calls it off.
    CallOff,
}

/// What was written into a form that was not taken: it is shown again, with what is to be mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// Which form.
    pub form: Form,
    /// The address, tidied.
    pub recipient: String,
    /// Why it is none.
    pub fault: Option<AddressFault>,
    /// The reason.
    pub reason: String,
    /// Where somebody else's copy goes, where that is another address; masked as the role has it.
    #[serde(default)]
    pub theirs: Option<String>,
}

/// What an act came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What happened.
    pub what: NoticeKind,
    /// The form as it was filled in, where it was not taken.
    pub draft: Option<Draft>,
}

impl From<NoticeKind> for Told {
    fn from(what: NoticeKind) -> Told {
        Told { what, draft: None }
    }
}
