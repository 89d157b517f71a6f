//! What a list can be narrowed to by choosing: statuses, parts, and who waits for whom.

use crate::model::{Status, failure};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A status to filter by: the stored ones, and `check`, the part of `requesting` that needs
/// checking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ListStatus {
    /// As stored.
    Stored(Status),
    /// `requesting`, while the answer is awaited.
    Sending,
    /// `requesting`, lease passed or outcome unknown.
    Check,
}

impl ListStatus {
    /// Every choice, in the order of the menu. `requesting`, which is both of its parts, is only
    /// understood.
    pub const ALL: [ListStatus; 7] = [
        ListStatus::Stored(Status::Pending),
        ListStatus::Sending,
        ListStatus::Check,
        ListStatus::Stored(Status::Synced),
        ListStatus::Stored(Status::Failed),
        ListStatus::Stored(Status::Rejected),
        ListStatus::Stored(Status::Canceled),
    ];

    /// The word in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            ListStatus::Stored(status) => status.as_str(),
            ListStatus::Sending => "sending",
            ListStatus::Check => "check",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<ListStatus> {
        ListStatus::ALL
            .into_iter()
            .chain([ListStatus::Stored(Status::Requesting)])
            .find(|s| s.as_str() == word)
    }
}

/// What a day of a list or a report means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The day on which the mail was decided on: `created_at`.
    #[default]
    Decided,
    /// The day on which the service accepted it: `sent_at`. Mails without that time are left out.
    Accepted,
}

impl Basis {
    /// Both.
    pub const ALL: [Basis; 2] = [Basis::Decided, Basis::Accepted];

    /// The word in the URL and in kept figures.
    pub fn as_str(self) -> &'static str {
        match self {
            Basis::Decided => "decided",
            Basis::Accepted => "accepted",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Basis> {
        Basis::ALL.into_iter().find(|b| b.as_str() == word)
    }
}

/// A part of a status, or of everything, as reports count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Only {
    /// Its status was only assumed.
    Assumed,
    /// The recipient's server took it.
    Delivered,
    /// Accepted, but the recipient's server did not take it.
    Bounced,
    /// Arrived, and the recipient called it spam.
    Complained,
    /// Either of the two, which reports count together.
    BouncedOrComplained,
    /// A deliberate further copy.
    Further,
    /// No further copy.
    Original,
    /// Accepted, nobody knows when.
    Untimed,
}

impl Only {
    /// Every choice.
    pub const ALL: [Only; 8] = [
        Only::Assumed,
        Only::Delivered,
        Only::Bounced,
        Only::Complained,
        Only::BouncedOrComplained,
        Only::Further,
        Only::Original,
        Only::Untimed,
    ];

    /// What became of an accepted mail, in the order of the menu: one of them at a time.
    pub const DELIVERY: [Only; 4] = [
        Only::Delivered,
        Only::Bounced,
        Only::Complained,
        Only::BouncedOrComplained,
    ];

    /// Whether it says what became of an accepted mail.
    pub fn is_delivery(self) -> bool {
        Only::DELIVERY.contains(&self)
    }

    /// The word in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Only::Assumed => "assumed",
            Only::Delivered => "delivered",
            Only::Bounced => "bounced",
            Only::Complained => "complained",
            Only::BouncedOrComplained => "bounced_or_complained",
            Only::Further => "further",
            Only::Original => "original",
            Only::Untimed => "untimed",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Only> {
        Only::ALL.into_iter().find(|o| o.as_str() == word)
    }
}

/// A narrower question than a status: who is waiting for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Needs {
    /// Everything that waits for a person.
    Person,
    /// `failed`, and not tried again by itself.
    Final,
    /// Held: no claim takes it.
    Held,
}

impl Needs {
    /// Every choice.
    pub const ALL: [Needs; 3] = [Needs::Person, Needs::Final, Needs::Held];

    /// The word in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Needs::Person => "person",
            Needs::Final => "final",
            Needs::Held => "held",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Needs> {
        Needs::ALL.into_iter().find(|n| n.as_str() == word)
    }
}

/// A failure by the name of what went wrong, and since when: `0123456789abcdef-7` of the last seven
/// days, without the number of all times.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failed {
    /// The name.
    pub hash: String,
    /// Days back from now.
    pub days: Option<u16>,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hash)?;
        self.days.map_or(Ok(()), |days| write!(f, "-{days}"))
    }
}

impl Failed {
    /// Reads what `Display` wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Failed> {
        let (hash, days) = match text.split_once('-') {
            Some((hash, days)) => (hash, Some(days.parse().ok().filter(|d| *d > 0)?)),
            None => (text, None),
        };
        let failed = Failed {
            hash: hash.to_owned(),
            days,
        };
        (failure::is_hash(hash) && failed.to_string() == text).then_some(failed)
    }
}
