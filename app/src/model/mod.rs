//! Words and rules, pure: no clock, no database, no network. The browser links the same code.

pub mod act;
pub mod actor;
pub mod address;
pub mod age;
pub mod date;
pub mod failure;
pub mod filter;
mod further;
pub mod intake;
pub mod judgement;
pub mod keys;
pub mod live;
pub mod lookup;
pub mod mask;
pub mod moment;
pub mod password;
pub mod plan;
pub mod protocol;
pub mod recorded;
pub mod refusal;
pub mod report;
pub mod sending;
pub mod service;
pub mod sought;
pub mod standing;
pub mod status;
pub mod theme;
pub mod timeline;
pub mod trail;
pub mod transition;
pub mod trouble;
pub mod unsendable;
pub mod verdict;
pub mod views;

pub use act::ActKind;
pub use actor::Actor;
pub use address::{Address, AddressFault, Mailbox};
pub use age::Age;
pub use filter::{Cursor, Filter};
pub use intake::Intake;
pub use moment::Moment;
pub use report::Month;
pub use standing::Standing;
pub use status::{DeliveryState, Face, HeldBy, SettledBy, Status};
pub use theme::Theme;

use serde::{Deserialize, Serialize};

/// What a signed-in person may do, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks after customers: reads, resends, answers what needs checking.
    Support,
    /// Support, and resends or lets go of many mails at once, and closes months.
    Lead,
    /// Everything, settings included.
    Admin,
}

impl Role {
    /// Every role, least first.
    pub const ALL: [Role; 3] = [Role::Support, Role::Lead, Role::Admin];

    /// The word stored and typed on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Support => "support",
            Role::Lead => "lead",
            Role::Admin => "admin",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|r| r.as_str() == word)
    }
}
