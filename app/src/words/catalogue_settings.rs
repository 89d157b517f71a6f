//! What the settings' pages say.

use super::catalogue::Text;

/// The settings, and how the installation is.
pub struct SettingsWords {
    /// In the bar.
    pub title: Text,
    /// Names the links between the settings' pages.
    pub pages: Text,
    /// Those links: users, audit trail.
    pub page: [Text; 2],
}
