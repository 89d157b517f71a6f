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
    /// Lets it go, where it is held.
    Release,
    /// Says that it did go out, where nobody knows.
    Sent,
    /// Says that it did not.
    NotSent,
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

/// The most characters of a reason that are kept.
pub const LONGEST_REASON: usize = 1000;

/// A reason as somebody wrote it, to be shown again: a line break is one character, though forms send
/// it as two.
pub fn written(reason: &str) -> String {
    let reason = reason.trim().chars().filter(|c| *c != '\r');
    reason.take(LONGEST_REASON).collect()
}

impl Draft {
    /// Of a form that wants a reason alone.
    pub fn of_reason(form: Form, reason: &str) -> Draft {
        Draft {
            form,
            recipient: String::new(),
            fault: None,
            reason: reason.to_owned(),
            theirs: None,
        }
    }

    /// Whether it was the reason that was missing.
    pub fn lacks_reason(&self) -> bool {
        self.reason.trim().is_empty()
    }
}

/// What an act came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What happened.
    pub what: NoticeKind,
    /// The form as it was filled in, where it was not taken.
    pub draft: Option<Draft>,
}

impl Told {
    /// Refused, with the reason that was written: nobody has to type it once more.
    pub fn refused(what: NoticeKind, form: Form, reason: &str) -> Told {
        Told {
            what,
            draft: Some(Draft::of_reason(form, reason)),
        }
    }
}

impl From<NoticeKind> for Told {
    fn from(what: NoticeKind) -> Told {
        Told { what, draft: None }
    }
}
