//! Light or dark: the system's wish, unless a person chose.

use serde::{Deserialize, Serialize};

/// How the desk is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Theme {
    /// As the system wishes.
    #[default]
    Auto,
    /// Dark ink on white paper.
    Light,
    /// Light ink on near-black paper.
    Dark,
}

impl Theme {
    /// The code in `data-theme=` and in `?theme=`.
    pub fn code(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Reads the code.
    pub fn parse(code: &str) -> Option<Theme> {
        match code {
            "auto" => Some(Theme::Auto),
            "light" => Some(Theme::Light),
            "dark" => Some(Theme::Dark),
            _ => None,
        }
    }

    /// Where the switch leads: automatic, light, dark, and around.
    pub fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }

    /// What browsers are told (`color-scheme`).
    pub fn scheme(self) -> &'static str {
        match self {
            Theme::Auto => "light dark",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}
