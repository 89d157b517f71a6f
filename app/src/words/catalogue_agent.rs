//! A support agent's acts on one mail.

use super::catalogue::Text;
use crate::model::Moment;

/// The acts on one mail.
pub struct AgentWords {
    /// Beside "it did not go out": until when that would be said too early. The second moment is
    /// what counts as today.
    pub early: fn(&Moment, &Moment) -> String,
    /// In the verdict: until when the mail may still turn up at the service.
    pub until: fn(&Moment, &Moment) -> String,
}
