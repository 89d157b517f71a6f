//! Japanese: the settings' pages.

use super::SettingsWords;

pub(super) const SETTINGS: SettingsWords = SettingsWords {
    title: "設定",
    pages: "設定のページ",
    page: ["利用者", "操作履歴"],
};
