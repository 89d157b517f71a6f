//! Settings: a file, and environment variables that win over it. A start with a setting that
//! cannot be understood does not happen.

mod file;
pub mod listen;
mod place;
mod shown;
mod values;

use crate::outbox::settle::OnUnknown;
use app::model::Role;
use app::model::address::Mailbox;
use app::model::views::Setting;
use file::File;
use listen::Listen;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use values::Values;

/// What can be wrong with a setting. Values of secret keys are never shown.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A key that no setting has.
    #[error("{path}: there is no setting {key:?}{hint}")]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// A key that looks like it.
        hint: String,
    },
    /// A setting that others make necessary.
    #[error("{key} is not set: {right}")]
    Missing {
        /// The environment variable's name.
        key: String,
        /// What would be right.
        right: String,
    },
    /// A value that is no text at all.
    #[error("{key}: its value is not UTF-8 text")]
    NotUtf8 {
        /// The environment variable's name.
        key: String,
    },
    /// A value that cannot be understood.
    #[error("{key} = {value}: {right}")]
    Value {
        /// Where it stands, and its name there.
        key: String,
        /// The value, or stars for a secret.
        value: String,
        /// What would be right.
        right: String,
    },
}

/// Every key, as in the file; the environment variable is `DENPYO_` and the key in capitals.
pub const KEYS: &[&str] = &[
    "alert_queue_age",
    "alert_reminder",
    "alert_slack_url",
    "alert_url",
    "api_token",
    "base_url",
    "concurrency",
    "database_url",
    "from",
    "installation",
    "lease",
    "listen",
    "log_format",
    "lookup_horizon",
    "mask_addresses",
    "max_age",
    "max_attempts",
    "notify",
    "oidc_client_id",
    "oidc_client_secret",
    "oidc_issuer",
    "oidc_name",
    "oidc_role_claim",
    "oidc_roles",
    "on_unknown",
    "poll_interval",
    "provider",
    "provider_key",
    "provider_url",
    "request_timeout",
    "smtp_name",
    "time_zone",
    "webhook_key",
];

/// Keys whose values are never shown.
const SECRET: &[&str] = &[
    "alert_slack_url",
    "alert_url",
    "api_token",
    "database_url",
    "oidc_client_secret",
    "provider_key",
    "webhook_key",
];

/// Environment variables beside the keys.
const ALSO: &[&str] = &["DENPYO_CONFIG", "DENPYO_TEST_POSTGRES_URL"];

/// The service to send through.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderSettings {
    /// `DENPYO_PROVIDER`
    pub name: String,
    /// `DENPYO_PROVIDER_URL`
    pub url: Option<String>,
    /// `DENPYO_PROVIDER_KEY`; an SMTP address may hold its own.
    pub key: Option<String>,
    /// `DENPYO_SMTP_NAME`
    pub smtp_name: Option<String>,
    /// `DENPYO_WEBHOOK_KEY`
    pub webhook_key: Option<String>,
}

impl std::fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A provider of OpenID Connect, for signing in with an account of the organisation's.
#[derive(Clone, PartialEq, Eq)]
pub struct OidcSettings {
    /// `DENPYO_OIDC_ISSUER`, as the provider names itself.
    pub issuer: String,
    /// `DENPYO_OIDC_CLIENT_ID`
    pub client_id: String,
    /// `DENPYO_OIDC_CLIENT_SECRET`; none for a public client.
    pub client_secret: Option<String>,
    /// `DENPYO_OIDC_ROLE_CLAIM`
    pub role_claim: String,
    /// `DENPYO_OIDC_ROLES`: values of the claim, and the role that each gives.
    pub roles: Vec<(String, Role)>,
    /// `DENPYO_OIDC_NAME`: what stands on the button.
    pub name: String,
}

/// Whom to tell when something needs a person.
#[derive(Clone, PartialEq, Eq)]
pub struct AlertSettings {
    /// `DENPYO_ALERT_URL`: gets JSON.
    pub url: Option<String>,
    /// `DENPYO_ALERT_SLACK_URL`: gets JSON of Slack's shape.
    pub slack_url: Option<String>,
    /// `DENPYO_ALERT_QUEUE_AGE`: older than this, the queue's head is worth an alert.
    pub queue_age: Duration,
    /// `DENPYO_ALERT_REMINDER`: how often a condition that lasts is told again.
    pub reminder: Duration,
}

/// All settings, understood.
#[derive(Clone)]
pub struct Config {
    /// `DENPYO_DATABASE_URL`
    pub database_url: String,
    /// `DENPYO_LISTEN`
    pub listen: Listen,
    /// `DENPYO_BASE_URL`: scheme and host, no path, no slash at the end.
    pub base_url: Option<String>,
    /// `DENPYO_PROVIDER…`; without one nothing is sent.
    pub provider: Option<ProviderSettings>,
    /// `DENPYO_FROM`
    pub from: Option<Mailbox>,
    /// `DENPYO_OIDC_…`; without an issuer people sign in with passwords alone.
    pub oidc: Option<OidcSettings>,
    /// `DENPYO_API_TOKEN`; without one the API answers 401 to all but tokens made at the desk.
    pub api_token: Option<String>,
    /// `DENPYO_REQUEST_TIMEOUT`
    pub request_timeout: Duration,
    /// `DENPYO_LEASE`
    pub lease: Duration,
    /// `DENPYO_LOOKUP_HORIZON`; else the service's own.
    pub lookup_horizon: Option<Duration>,
    /// `DENPYO_MASK_ADDRESSES`: this role and those below see addresses masked.
    pub mask_addresses: Option<Role>,
    /// `DENPYO_MAX_AGE`
    pub max_age: Duration,
    /// `DENPYO_ALERT_…`
    pub alerts: AlertSettings,
    /// `DENPYO_ON_UNKNOWN`
    pub on_unknown: OnUnknown,
    /// `[kind.NAME] on_unknown`
    pub on_unknown_by_kind: BTreeMap<String, OnUnknown>,
    /// `DENPYO_MAX_ATTEMPTS`
    pub max_attempts: i32,
    /// `DENPYO_CONCURRENCY`
    pub concurrency: u32,
    /// `DENPYO_POLL_INTERVAL`
    pub poll_interval: Duration,
    /// `DENPYO_TIME_ZONE`
    pub time_zone: chrono_tz::Tz,
    /// `DENPYO_INSTALLATION`
    pub installation: Option<String>,
    /// `DENPYO_NOTIFY`: wake idle workers on PostgreSQL.
    pub notify: bool,
    /// `DENPYO_LOG_FORMAT` is `json`.
    pub json_logs: bool,
    /// Things worth a warning.
    pub warnings: Vec<String>,
    /// The settings file, where one was read.
    pub file: Option<PathBuf>,
    /// Every setting as it may be shown: without secrets, and where it comes from.
    pub settings: Vec<Setting>,
}

impl Config {
    /// What an unknown outcome of this kind of mail becomes.
    pub fn on_unknown(&self, kind: &str) -> OnUnknown {
        self.on_unknown_by_kind
            .get(kind)
            .copied()
            .unwrap_or(self.on_unknown)
    }

    /// Reads the file named by `--config` or `DENPYO_CONFIG`, else `denpyo.toml` where there is
    /// one, and the environment over it.
    pub fn load(
        path: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Config, ConfigError> {
        let environment: BTreeMap<String, String> = environment
            .into_iter()
            .filter(|(name, _)| name.starts_with("DENPYO_"))
            .collect();
        let named = path.map(Path::to_path_buf).or_else(|| {
            environment
                .get("DENPYO_CONFIG")
                .filter(|p| !p.is_empty())
                .map(PathBuf::from)
        });
        let path = named.or_else(|| {
            let usual = PathBuf::from("denpyo.toml");
            usual.exists().then_some(usual)
        });
        let file = match &path {
            Some(path) => file::read(path)?,
            None => File::default(),
        };
        let mut values = file.values;
        let mut in_environment = BTreeSet::new();
        let mut warnings = Vec::new();
        for (name, value) in environment {
            let own = name.strip_prefix("DENPYO_").unwrap_or_default();
            let key = own.to_ascii_lowercase();
            // In capitals alone, and behind one prefix: two spellings could disagree.
            if KEYS.contains(&key.as_str()) && own == key.to_ascii_uppercase() {
                if value.contains(char::REPLACEMENT_CHARACTER) {
                    return Err(ConfigError::NotUtf8 { key: name });
                }
                // An empty variable is how shells and containers unset one.
                if !value.is_empty() {
                    in_environment.insert(key.clone());
                    values.insert(key, value);
                }
            } else if !ALSO.contains(&name.as_str()) {
                warnings.push(format!(
                    "{name} is set, but there is no such setting{}",
                    file::hint(&key, |k| format!("DENPYO_{}", k.to_uppercase()))
                ));
            }
        }
        let mut on_unknown_by_kind = BTreeMap::new();
        for (kind, word) in file.on_unknown_by_kind {
            let side = values::on_unknown(&format!("[kind.{kind}] on_unknown"), &word)
                .map_err(|error| place::named(error, path.as_deref(), &in_environment))?;
            on_unknown_by_kind.insert(kind, side);
        }
        let values = Values(values);
        let mut config = values::understand(&values, on_unknown_by_kind, warnings)
            .map_err(|error| place::named(error, path.as_deref(), &in_environment))?;
        config.settings = shown::settings(&config, &values.0, &in_environment);
        config.file = path;
        Ok(config)
    }
}

/// Reads `500ms`, `30s`, `10m`, `2h`, `7d`.
pub fn duration(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().ok()?;
    let ms = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number
        .checked_mul(ms)
        .filter(|ms| *ms <= 3_660 * 86_400_000)
        .map(Duration::from_millis)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
