//! The states a submission can be in, as stored and as shown.

use serde::{Deserialize, Serialize};

/// The stored status: column `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Decided, not claimed.
    Pending,
    /// Claimed; the outcome is not known.
    Requesting,
    /// Accepted by the service, and recorded here.
    Synced,
    /// Not accepted; may be tried again.
    Failed,
    /// Refused; a person decides.
    Rejected,
    /// A person closed it without sending.
    Canceled,
}

impl Status {
    /// Every status, in the order in which a mail meets them.
    pub const ALL: [Status; 6] = [
        Status::Pending,
        Status::Requesting,
        Status::Synced,
        Status::Failed,
        Status::Rejected,
        Status::Canceled,
    ];

    /// The word stored in the table and written in URLs.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Requesting => "requesting",
            Status::Synced => "synced",
            Status::Failed => "failed",
            Status::Rejected => "rejected",
            Status::Canceled => "canceled",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|s| s.as_str() == word)
    }
}

/// What a settled status rests on: column `settled_by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledBy {
    /// The service's own answer to the attempt.
    Response,
    /// A look-up at the service.
    Lookup,
    /// A signed event from the service.
    Webhook,
    /// A person who checked.
    Person,
    /// Nobody knows; `DENPYO_ON_UNKNOWN` chose this side.
    Assumed,
    /// Brought in from another system.
    Imported,
}

impl SettledBy {
    /// Every way a status can have been settled.
    pub const ALL: [SettledBy; 6] = [
        SettledBy::Response,
        SettledBy::Lookup,
        SettledBy::Webhook,
        SettledBy::Person,
        SettledBy::Assumed,
        SettledBy::Imported,
    ];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            SettledBy::Response => "response",
            SettledBy::Lookup => "lookup",
            SettledBy::Webhook => "webhook",
            SettledBy::Person => "person",
            SettledBy::Assumed => "assumed",
            SettledBy::Imported => "imported",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<SettledBy> {
        SettledBy::ALL.into_iter().find(|s| s.as_str() == word)
    }
}

/// Who holds a mail: column `held_by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldBy {
    /// An administrator, by `denpyo hold`.
    Hold,
    /// `DENPYO_INSTALLATION` disagreed with the database's: a restore or a copy.
    Installation,
    /// Its age: it is too old to be sent by itself.
    Age,
}

impl HeldBy {
    /// Whether the mail may have gone out after a backup that the database was restored from.
    pub fn after_backup(self) -> bool {
        matches!(self, HeldBy::Hold | HeldBy::Installation)
    }

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            HeldBy::Hold => "hold",
            HeldBy::Installation => "installation",
            HeldBy::Age => "age",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<HeldBy> {
        [HeldBy::Hold, HeldBy::Installation, HeldBy::Age]
            .into_iter()
            .find(|b| b.as_str() == word)
    }
}

/// What became of an accepted mail, from the service's events: column `delivery_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// The recipient's server took it.
    Delivered,
    /// The recipient's server refused it.
    Bounced,
    /// The recipient called it spam.
    Complained,
}

impl DeliveryState {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            DeliveryState::Delivered => "delivered",
            DeliveryState::Bounced => "bounced",
            DeliveryState::Complained => "complained",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<DeliveryState> {
        [
            DeliveryState::Delivered,
            DeliveryState::Bounced,
            DeliveryState::Complained,
        ]
        .into_iter()
        .find(|s| s.as_str() == word)
    }
}

/// The state as people see it: one word, one shape and one colour each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Face {
    /// Waiting to send.
    Waiting,
    /// Claimed a moment ago; the answer is awaited.
    Sending,
    /// Nobody can say yet whether the service accepted it.
    NeedsChecking,
    /// Accepted by the service.
    Accepted,
    /// Accepted, and the recipient's server took it.
    Delivered,
    /// Accepted, but the recipient's server did not take it.
    Bounced,
    /// It arrived, and the recipient called it spam.
    Complained,
    /// Not sent; can be sent again.
    NotSent,
    /// Refused for what it is.
    Refused,
    /// Closed by a person without sending.
    CalledOff,
}

impl Face {
    /// Every state, as a mail may come through them.
    pub const ALL: [Face; 10] = [
        Face::Waiting,
        Face::Sending,
        Face::NeedsChecking,
        Face::Accepted,
        Face::Delivered,
        Face::Bounced,
        Face::Complained,
        Face::NotSent,
        Face::Refused,
        Face::CalledOff,
    ];

    /// What to show for a row. `open_question`: it is `requesting`, and its lease has passed or
    /// its outcome is known to be unknown.
    pub fn of(status: Status, open_question: bool, delivery: Option<DeliveryState>) -> Face {
        match (status, delivery) {
            (Status::Pending, _) => Face::Waiting,
            (Status::Requesting, _) if open_question => Face::NeedsChecking,
            (Status::Requesting, _) => Face::Sending,
            (Status::Synced, None) => Face::Accepted,
            (Status::Synced, Some(DeliveryState::Delivered)) => Face::Delivered,
            (Status::Synced, Some(DeliveryState::Bounced)) => Face::Bounced,
            (Status::Synced, Some(DeliveryState::Complained)) => Face::Complained,
            (Status::Failed, _) => Face::NotSent,
            (Status::Rejected, _) => Face::Refused,
            (Status::Canceled, _) => Face::CalledOff,
        }
    }
}
