//! English: a support agent's acts on one mail.

use super::AgentWords;
use super::en::when;

pub(super) const AGENT: AgentWords = AgentWords {
    early: |until, today| {
        format!(
            "Wait until {}. Until then the mail may still turn up in the service’s records, so not finding it there does not mean that it did not go out.",
            when(until, today)
        )
    },
    until: |until, today| {
        format!(
            "Until {} it may still turn up in the service’s records.",
            when(until, today)
        )
    },
};
