//! English: the settings' pages.

use super::SettingsWords;

pub(super) const SETTINGS: SettingsWords = SettingsWords {
    title: "Settings",
    pages: "Pages of the settings",
    page: ["Users", "Audit trail"],
};
