//! The settings as they hold, and how the installation is.

use super::Count;
use crate::model::Moment;
use serde::{Deserialize, Serialize};

/// The page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsPage {
    /// When this was read.
    pub as_of: Moment,
    /// The settings file, where one is used.
    pub file: Option<String>,
    /// Every setting, in the order of their groups.
    pub settings: Vec<Setting>,
    /// What the start warned of.
    pub warnings: Vec<String>,
    /// The installation itself.
    pub installation: Installation,
    /// Processes seen in the last hour, most recently seen first.
    pub processes: Vec<Process>,
    /// Mail services: the one that is set, and accounts that stand paused.
    pub services: Vec<Service>,
    /// When a service last accepted a mail, and which.
    pub last_accepted: Option<(Moment, String)>,
    /// Look-ups.
    pub lookups: Lookups,
    /// What services tell by themselves.
    pub webhook: Webhook,
    /// Alerts.
    pub alerts: Alerts,
}

/// A setting as it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// As in the environment, `DENPYO_LEASE`; or as in the file, `[kind.invoice] on_unknown`.
    pub name: String,
    /// Its value.
    pub value: SettingValue,
    /// Where that comes from.
    pub source: SettingSource,
}

/// What a setting says. A secret is never in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettingValue {
    /// This.
    Text(String),
    /// A secret, which is set.
    Secret,
    /// Nothing.
    Unset,
}

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// Nobody set it.
    Default,
    /// The settings file.
    File,
    /// An environment variable.
    Environment,
}

/// What settings are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettingGroup {
    /// The database, and where the desk is.
    Desk,
    /// The mail service.
    Service,
    /// How mails are sent.
    Sending,
    /// What becomes of mails in doubt.
    Doubt,
    /// Who may what.
    Access,
    /// Who is told.
    Alerts,
}

impl SettingGroup {
    /// Every group, in the order of the page.
    pub const ALL: [SettingGroup; 6] = [
        SettingGroup::Desk,
        SettingGroup::Service,
        SettingGroup::Sending,
        SettingGroup::Doubt,
        SettingGroup::Access,
        SettingGroup::Alerts,
    ];

    /// The settings of the group, as in the file.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            SettingGroup::Desk => &[
                "database_url",
                "listen",
                "base_url",
                "time_zone",
                "installation",
                "log_format",
            ],
            SettingGroup::Service => &[
                "provider",
                "provider_url",
                "provider_key",
                "webhook_key",
                "from",
                "smtp_name",
            ],
            SettingGroup::Sending => &[
                "concurrency",
                "poll_interval",
                "notify",
                "request_timeout",
                "lease",
                "max_attempts",
                "max_age",
            ],
            SettingGroup::Doubt => &["on_unknown", "lookup_horizon"],
            SettingGroup::Access => &[
                "api_token",
                "mask_addresses",
                "oidc_issuer",
                "oidc_client_id",
                "oidc_client_secret",
                "oidc_role_claim",
                "oidc_roles",
                "oidc_name",
            ],
            SettingGroup::Alerts => &[
                "alert_url",
                "alert_slack_url",
                "alert_queue_age",
                "alert_reminder",
            ],
        }
    }

    /// The group of a setting, by its name as shown.
    pub fn of(name: &str) -> Option<SettingGroup> {
        if name.starts_with('[') {
            return Some(SettingGroup::Doubt);
        }
        let key = name.strip_prefix("DENPYO_")?.to_ascii_lowercase();
        SettingGroup::ALL
            .into_iter()
            .find(|group| group.keys().contains(&key.as_str()))
    }
}

/// The installation itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installation {
    /// What mails carry as their origin.
    pub name: String,
    /// This program's version.
    pub version: String,
    /// PostgreSQL, else SQLite.
    pub postgres: bool,
    /// The database's own version.
    pub database_version: String,
    /// The schema's version.
    pub schema: i64,
    /// The database's size in bytes, where it says so.
    pub size: Option<i64>,
    /// All mails.
    pub mails: Count,
}

/// A process that sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The machine.
    pub host: String,
    /// Its number there.
    pub pid: String,
    /// Its program's version; empty where an older one wrote none.
    pub version: String,
    /// `serve --no-worker`: sends only what a person resends.
    pub resends_only: bool,
    /// When it began.
    pub started: Moment,
    /// When it last wrote that it lives.
    pub seen: Moment,
    /// Mails it is sending.
    pub in_flight: i64,
}

/// A mail service and an account there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// Its name as people know it.
    pub name: String,
    /// Tells accounts apart: the host, and a short digest of the key.
    pub account: String,
    /// The one that is set.
    pub current: bool,
    /// It stands paused.
    pub paused: Option<Paused>,
}

/// A pause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// Since when.
    pub since: Moment,
    /// When one mail tries again.
    pub until: Moment,
    /// The answer's code; none where the service lacks what the settings ask for.
    pub code: Option<i32>,
}

/// How look-ups are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookups {
    /// How the service that is set can be asked.
    pub way: LookupWay,
    /// Questions that are still asked.
    pub open: i64,
    /// Of those, without a clear answer three times in a row or more.
    pub failing: i64,
    /// Asked no more: a person has to find out.
    pub ended: i64,
    /// When the next question is due.
    pub next_at: Option<Moment>,
    /// What was answered last, newest first.
    pub answers: Vec<LookupAnswer>,
}

/// How a service can be asked afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookupWay {
    /// No service is set.
    NoService,
    /// It cannot.
    Never,
    /// It has a look-up.
    Lookup,
    /// The same request again, under its own key.
    Replay,
}

/// What a service answered of a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookupAnswer {
    /// When.
    pub at: Moment,
    /// The mail.
    pub id: i64,
    /// Its order number.
    pub order_id: String,
    /// `lookup_found`, `lookup_not_yet`, `lookup_no`, `lookup_unclear`.
    pub kind: String,
}

/// What the service that is set tells by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    /// Whether its posts are taken.
    pub state: WebhookState,
    /// Where it posts to.
    pub address: Option<String>,
    /// The posts that this process had since its start.
    pub posts: Posts,
    /// The last event that is known, by the service's time: `event_delivered` and the like.
    pub last_event: Option<(Moment, String)>,
}

/// Whether events are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookState {
    /// No service is set.
    NoService,
    /// The service tells nothing by itself.
    NotOffered,
    /// No key to check its posts with is set.
    NoKey,
    /// They are.
    On,
}

/// Posts of events since a process's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posts {
    /// Good ones.
    pub taken: i64,
    /// The events in them.
    pub events: i64,
    /// The last good one.
    pub taken_at: Option<Moment>,
    /// Refused ones.
    pub refused: i64,
    /// The last refused one, and why.
    pub refusal: Option<(Moment, PostRefusal)>,
}

/// Why a post of events was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PostRefusal {
    /// No key is set.
    Off,
    /// The signature does not fit.
    Signature,
    /// It is too old.
    Stale,
    /// It could not be checked at that time.
    NotNow,
    /// It is signed, and cannot be read.
    Unreadable,
    /// The database did not take it.
    Database,
}

/// Who is told, and of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alerts {
    /// An address for JSON is set.
    pub url: bool,
    /// One of Slack's is set.
    pub slack: bool,
    /// Conditions that hold: the word, since when, and when it was last told.
    pub standing: Vec<(String, Moment, Moment)>,
}

#[cfg(test)]
mod tests {
    use super::SettingGroup;

    #[test]
    fn a_setting_is_in_one_group() {
        let mut keys: Vec<&str> = SettingGroup::ALL
            .into_iter()
            .flat_map(SettingGroup::keys)
            .copied()
            .collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
        assert_eq!(
            SettingGroup::of("DENPYO_LEASE"),
            Some(SettingGroup::Sending)
        );
        assert_eq!(
            SettingGroup::of("[kind.invoice] on_unknown"),
            Some(SettingGroup::Doubt)
        );
        assert_eq!(SettingGroup::of("DENPYO_NOTHING"), None);
    }
}
