//! Japanese: a support agent's acts on one mail.

use super::AgentWords;
use super::ja::when;

pub(super) const AGENT: AgentWords = AgentWords {
    early: |until, today| {
        format!(
            "{} まで待ってください。それまでは、送信サービスの記録にあとから現れることがあります。記録にないだけでは、送信されていなかったとは言えません。",
            when(until, today)
        )
    },
    until: |until, today| {
        format!(
            "{} までは、送信サービスの記録にあとから現れることがあります。",
            when(until, today)
        )
    },
};
