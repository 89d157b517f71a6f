//! A support agent's acts on one mail.

use super::catalogue::Text;
use crate::model::views::Mail;
use crate::model::{AddressFault, Moment};

/// The acts on one mail.
pub struct AgentWords {
    /// Beside "it did not go out": until when that would be said too early. The second moment is
    /// what counts as today; the service is the one that the mail went to, as stored.
    pub early: fn(&Moment, &Moment, Option<&str>) -> String,
    /// In the verdict: until when the mail may still turn up at the service.
    pub until: fn(&Moment, &Moment, Option<&str>) -> String,
    /// What a new address is asked for with.
    pub address: AddressWords,
    /// Sending it again to a corrected address.
    pub correct: FormWords,
    /// Sending a further copy.
    pub copy: FormWords,
    /// Calling it off.
    pub call_off: FormWords,
    /// Showing the addresses.
    pub reveal: FormWords,
    /// Under a refusal: what was written, and was not used.
    pub typed: Text,
    /// Between two sentences.
    pub between: Text,
    /// Where somebody else's copy goes.
    pub theirs: fn(&str) -> String,
    /// Leads from a copy to its original.
    pub original: Text,
    /// The reply for the customer.
    pub reply: ReplyWords,
}

/// A form that opens from a button.
pub struct FormWords {
    /// Opens it.
    pub open: Text,
    /// What it does.
    pub note: fn(&Mail) -> String,
    /// Beside the field for the reason: what is to be said there.
    pub reason_note: Text,
    /// In the empty field for the reason.
    pub example: Text,
    /// Its button.
    pub confirm: fn(&Mail) -> String,
}

/// An address that a person writes.
pub struct AddressWords {
    /// The field of a correction.
    pub correct: Text,
    /// The field of a copy.
    pub copy: Text,
    /// Beside the field of a copy.
    pub copy_hint: Text,
    /// What was trimmed is shown before it is used.
    pub tidied: fn(&str) -> String,
    /// Why it is no address.
    pub fault: fn(AddressFault) -> String,
    /// Before the address with the place marked.
    pub place: Text,
}

/// The reply for the customer.
pub struct ReplyWords {
    /// Head.
    pub title: Text,
    /// Each text's own language, Japanese first.
    pub langs: [Text; 2],
    /// What their buttons copy, Japanese first.
    pub copy: [Text; 2],
}
