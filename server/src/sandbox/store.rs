//! What the sandbox has accepted.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// Most messages that are kept.
pub const MOST_MESSAGES: usize = 200_000;
/// Most bytes of contents that are kept.
pub const MOST_BYTES: usize = 1024 * 1024 * 1024;

/// An address with a name.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Party {
    /// The address.
    pub email: String,
    /// The name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// One body.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// `text/plain` or `text/html`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub value: String,
}

/// One accepted message to one recipient.
#[derive(Clone)]
pub struct Message {
    /// What the answer's `X-Message-Id` said.
    pub message_id: String,
    /// What look-ups call it: begins with `message_id`.
    pub sg_message_id: String,
    /// When it was accepted.
    pub received_at: DateTime<Utc>,
    /// To.
    pub to: Party,
    /// From.
    pub from: Party,
    /// Reply-To.
    pub reply_to: Option<Party>,
    /// Subject.
    pub subject: String,
    /// Bodies.
    pub content: Vec<Part>,
    /// What the sender wrote on it.
    pub custom_args: BTreeMap<String, String>,
}

impl Message {
    /// The row's reference.
    pub fn reference(&self) -> Option<&str> {
        self.custom_args.get("ref").map(String::as_str)
    }

    fn bytes(&self) -> usize {
        self.content.iter().map(|part| part.value.len()).sum()
    }

    /// As `GET /_sandbox/messages` shows it.
    pub(super) fn show(&self) -> Value {
        json!({
            "message_id": self.message_id,
            "sg_message_id": self.sg_message_id,
            "received_at": self.received_at.to_rfc3339_opts(SecondsFormat::Micros, true),
            "ref": self.reference(),
            "to": self.to,
            "from": self.from,
            "reply_to": self.reply_to,
            "subject": self.subject,
            "content": self.content,
            "custom_args": self.custom_args,
        })
    }
}

/// Messages, first to last.
#[derive(Default)]
pub(super) struct Store {
    messages: VecDeque<Message>,
    bytes: usize,
    dropped: u64,
}

impl Store {
    pub(super) fn push(&mut self, message: Message) {
        self.push_within(message, MOST_MESSAGES, MOST_BYTES);
    }

    fn push_within(&mut self, message: Message, most: usize, most_bytes: usize) {
        self.bytes += message.bytes();
        self.messages.push_back(message);
        while self.messages.len() > most || (self.bytes > most_bytes && self.messages.len() > 1) {
            if let Some(oldest) = self.messages.pop_front() {
                self.bytes -= oldest.bytes();
                self.dropped += 1;
            }
        }
    }

    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.messages.iter()
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: usize) -> Message {
        let party = Party {
            email: "a@example.com".to_owned(),
            name: None,
        };
        Message {
            message_id: number.to_string(),
            sg_message_id: number.to_string(),
            received_at: DateTime::UNIX_EPOCH,
            to: party.clone(),
            from: party,
            reply_to: None,
            subject: String::new(),
            content: vec![Part {
                kind: "text/plain".to_owned(),
                value: "x".repeat(100),
            }],
            custom_args: BTreeMap::new(),
        }
    }

    #[test]
    fn the_oldest_go_and_are_counted() {
        for (most, most_bytes) in [(3, usize::MAX), (usize::MAX, 399)] {
            let mut store = Store::default();
            for number in 1..=5 {
                store.push_within(message(number), most, most_bytes);
            }
            let kept: Vec<_> = store.all().map(|m| m.message_id.as_str()).collect();
            assert_eq!(kept, ["3", "4", "5"]);
            assert_eq!((store.dropped(), store.bytes), (2, 300));
        }
    }
}
