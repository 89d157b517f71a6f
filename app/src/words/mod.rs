//! Every string that a person reads, in one typed catalogue: a string missing in one language
//! does not compile.

mod catalogue;
mod catalogue_agent;
mod catalogue_bulk;
mod catalogue_live;
mod catalogue_mail;
mod catalogue_people;
mod catalogue_reports;
mod catalogue_sending;
mod catalogue_settings;
mod en;
mod en_agent;
mod en_bulk;
mod en_cause;
mod en_line;
mod en_list;
mod en_live;
mod en_mail;
mod en_people;
mod en_plan;
mod en_proof;
mod en_reports;
mod en_sending;
mod en_settings;
mod errors;
mod exports;
mod help;
mod isolate;
mod ja;
mod ja_agent;
mod ja_bulk;
mod ja_cause;
mod ja_line;
mod ja_list;
mod ja_live;
mod ja_mail;
mod ja_people;
mod ja_plan;
mod ja_proof;
mod ja_reports;
mod ja_sending;
mod ja_settings;
mod numbers;
mod reply;

pub use catalogue::*;
pub use catalogue_agent::*;
pub use catalogue_bulk::*;
pub use catalogue_live::*;
pub use catalogue_mail::*;
pub use catalogue_people::*;
pub use catalogue_reports::*;
pub use catalogue_sending::SendingWords;
pub use catalogue_settings::*;
pub use errors::ErrorWords;
pub use exports::ExportWords;
pub use help::HelpWords;
pub use isolate::isolate;
pub use numbers::{grouped, zone_label};
pub use reply::reply;

use serde::{Deserialize, Serialize};

/// The languages of the desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lang {
    /// Japanese.
    #[default]
    Ja,
    /// English.
    En,
}

impl Lang {
    /// The code in `lang=` and in `?lang=`.
    pub fn code(self) -> &'static str {
        match self {
            Lang::Ja => "ja",
            Lang::En => "en",
        }
    }

    /// Reads the code.
    pub fn parse(code: &str) -> Option<Lang> {
        match code {
            "ja" => Some(Lang::Ja),
            "en" => Some(Lang::En),
            _ => None,
        }
    }
}

impl Lang {
    /// The other one: where the language link leads.
    pub fn other(self) -> Lang {
        match self {
            Lang::Ja => Lang::En,
            Lang::En => Lang::Ja,
        }
    }

    /// Everything the desk says in this language.
    pub fn words(self) -> &'static Words {
        match self {
            Lang::Ja => &ja::WORDS,
            Lang::En => &en::WORDS,
        }
    }
}

#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod told_tests;
