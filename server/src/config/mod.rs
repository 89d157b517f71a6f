//! Settings: a file, and environment variables that win over it. A start with a setting that
//! cannot be understood does not happen.

mod file;
pub mod listen;

use crate::outbox::settle::OnUnknown;
use app::model::Role;
use app::model::address::Mailbox;
use listen::Listen;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// A value that cannot be understood.
    #[error("{key} = {value}: {right}")]
    Value {
        /// The environment variable's name.
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
    /// `DENPYO_API_TOKEN`; without one the API answers 401.
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
        let file = match named {
            Some(path) => Some(file::read(&path)?),
            None if Path::new("denpyo.toml").exists() => {
                Some(file::read(Path::new("denpyo.toml"))?)
            }
            None => None,
        };
        let mut values = BTreeMap::new();
        let mut kinds = BTreeMap::new();
        if let Some(file) = file {
            values = file.values;
            kinds = file.on_unknown_by_kind;
        }
        let mut warnings = Vec::new();
        for (name, value) in environment {
            let key = name.trim_start_matches("DENPYO_").to_ascii_lowercase();
            if KEYS.contains(&key.as_str()) {
                // An empty variable is how shells and containers unset one.
                if !value.is_empty() {
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
        for (kind, word) in kinds {
            let side = on_unknown(&format!("[kind.{kind}] on_unknown"), &word)?;
            on_unknown_by_kind.insert(kind, side);
        }
        understand(&Values(values), on_unknown_by_kind, warnings)
    }
}

struct Values(BTreeMap<String, String>);

impl Values {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn wrong(&self, key: &str, right: impl Into<String>) -> ConfigError {
        match self.get(key) {
            Some(value) => wrong(key, value, right),
            None => ConfigError::Missing {
                key: format!("DENPYO_{}", key.to_uppercase()),
                right: right.into(),
            },
        }
    }

    fn read<T>(
        &self,
        key: &str,
        default: T,
        right: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        match self.get(key) {
            None => Ok(default),
            Some(text) => parse(text.trim()).ok_or_else(|| self.wrong(key, right)),
        }
    }

    fn address(&self, key: &str) -> Result<Option<String>, ConfigError> {
        self.read(
            key,
            None,
            "write an address such as https://hooks.shop.example/denpyo",
            |t| is_http(t).then(|| Some(t.to_owned())),
        )
    }

    fn duration(
        &self,
        key: &str,
        default: Duration,
        least: Duration,
    ) -> Result<Duration, ConfigError> {
        let right = format!(
            "write a duration of at least {} such as 500ms, 30s, 10m, 2h or 7d",
            shown(least)
        );
        self.read(key, default, &right, |text| {
            duration(text).filter(|d| *d >= least)
        })
    }
}

fn wrong(key: &str, value: &str, right: impl Into<String>) -> ConfigError {
    // An SMTP address may hold a password.
    let value = if SECRET.contains(&key) || key == "provider_url" && value.contains('@') {
        "***".to_owned()
    } else {
        format!("{value:?}")
    };
    let key = if key.starts_with('[') {
        key.to_owned()
    } else {
        format!("DENPYO_{}", key.to_uppercase())
    };
    ConfigError::Value {
        key,
        value,
        right: right.into(),
    }
}

fn on_unknown(key: &str, word: &str) -> Result<OnUnknown, ConfigError> {
    match word.trim() {
        "hold" => Ok(OnUnknown::Hold),
        "synced" => Ok(OnUnknown::Synced),
        "failed" => Ok(OnUnknown::Failed),
        _ => Err(wrong(key, word, "write hold, synced or failed")),
    }
}

fn understand(
    values: &Values,
    on_unknown_by_kind: BTreeMap<String, OnUnknown>,
    warnings: Vec<String>,
) -> Result<Config, ConfigError> {
    const SECOND: Duration = Duration::from_secs(1);
    let request_timeout =
        values.duration("request_timeout", 30 * SECOND, Duration::from_millis(100))?;
    let lease = values.duration("lease", 120 * SECOND, SECOND)?;
    if lease <= request_timeout + SECOND {
        return Err(values.wrong(
            "lease",
            format!(
                "the lease ({}) must exceed DENPYO_REQUEST_TIMEOUT ({}) by more than 1s",
                shown(lease),
                shown(request_timeout)
            ),
        ));
    }
    let lookup_horizon = match values.get("lookup_horizon") {
        None => None,
        Some(_) => Some(values.duration("lookup_horizon", SECOND, SECOND)?),
    };
    let max_age = values.duration("max_age", 3 * 86_400 * SECOND, SECOND)?;
    let alerts = AlertSettings {
        url: values.address("alert_url")?,
        slack_url: values.address("alert_slack_url")?,
        queue_age: values.duration("alert_queue_age", 900 * SECOND, SECOND)?,
        reminder: values.duration("alert_reminder", 6 * 3600 * SECOND, SECOND)?,
    };
    let json_logs = values.read("log_format", false, "write text or json", |t| match t {
        "text" => Some(false),
        "json" => Some(true),
        _ => None,
    })?;
    let from = match values.get("from") {
        None => None,
        Some(text) => Some(Mailbox::parse(text).map_err(|fault| {
            values.wrong(
                "from",
                format!(
                    "write one address, or a name and an address: \
                     株式会社サンプル <order@example.com> ({})",
                    crate::envelope::say(fault)
                ),
            )
        })?),
    };
    Ok(Config {
        database_url: values
            .get("database_url")
            .unwrap_or("sqlite:denpyo.db")
            .to_owned(),
        listen: match values.get("listen") {
            None => Listen::default(),
            Some(text) => Listen::parse(text).map_err(|right| values.wrong("listen", right))?,
        },
        base_url: match values.get("base_url") {
            None => None,
            Some(text) => Some(base_url(text).map_err(|right| values.wrong("base_url", right))?),
        },
        provider: provider(values, from.is_some())?,
        from,
        api_token: values.read(
            "api_token",
            None,
            "write letters, digits and signs of ASCII, no blanks",
            |t| {
                t.bytes()
                    .all(|b| b.is_ascii_graphic())
                    .then(|| Some(t.to_owned()).filter(|t| !t.is_empty()))
            },
        )?,
        request_timeout,
        lease,
        lookup_horizon,
        mask_addresses: values.read("mask_addresses", None, "write off, support or lead", |t| {
            match t {
                "off" => Some(None),
                "support" => Some(Some(Role::Support)),
                "lead" => Some(Some(Role::Lead)),
                _ => None,
            }
        })?,
        max_age,
        alerts,
        on_unknown: match values.get("on_unknown") {
            None => OnUnknown::Hold,
            Some(word) => on_unknown("on_unknown", word)?,
        },
        on_unknown_by_kind,
        max_attempts: values.read("max_attempts", 5, "write a number from 1 to 1000", |t| {
            t.parse().ok().filter(|n| (1..=1000).contains(n))
        })?,
        concurrency: values.read("concurrency", 16, "write a number from 1 to 1000", |t| {
            t.parse().ok().filter(|n| (1..=1000).contains(n))
        })?,
        poll_interval: values.duration("poll_interval", SECOND, Duration::from_millis(10))?,
        time_zone: values.read(
            "time_zone",
            chrono_tz::Asia::Tokyo,
            "write a zone's name such as Asia/Tokyo or UTC",
            |t| t.parse().ok(),
        )?,
        installation: values.read(
            "installation",
            None,
            "write a name of 1 to 64 characters, without control characters",
            |t| {
                let fine =
                    (1..=64).contains(&t.chars().count()) && !t.chars().any(char::is_control);
                fine.then(|| Some(t.to_owned()))
            },
        )?,
        notify: values.read("notify", true, "write on or off", |t| match t {
            "on" | "true" => Some(true),
            "off" | "false" => Some(false),
            _ => None,
        })?,
        json_logs,
        warnings,
    })
}

fn provider(values: &Values, has_from: bool) -> Result<Option<ProviderSettings>, ConfigError> {
    let Some(name) = values
        .get("provider")
        .map(str::trim)
        .filter(|n| !n.is_empty())
    else {
        return Ok(None);
    };
    if !crate::provider::KNOWN.contains(&name) {
        return Err(values.wrong(
            "provider",
            format!("write one of {}", crate::provider::KNOWN.join(", ")),
        ));
    }
    let key = values.get("provider_key").map(|k| k.trim().to_owned());
    // An SMTP address may hold user and password, or need none.
    if key.is_none() && name != "smtp" {
        return Err(values.wrong(
            "provider_key",
            format!("set the key of the account at {name}"),
        ));
    }
    if !has_from {
        return Err(values.wrong("from", "set the sender of the mails where a service is set"));
    }
    let url = values
        .get("provider_url")
        .map(|u| u.trim().trim_end_matches('/').to_owned());
    // What an SMTP address may be is the service's own matter.
    if let Some(url) = &url
        && name != "smtp"
        && !is_http(url)
    {
        return Err(values.wrong(
            "provider_url",
            "write an address such as https://api.sendgrid.com",
        ));
    }
    Ok(Some(ProviderSettings {
        name: name.to_owned(),
        url,
        key,
        smtp_name: values.get("smtp_name").map(|n| n.trim().to_owned()),
        webhook_key: values.get("webhook_key").map(|k| k.trim().to_owned()),
    }))
}

fn is_http(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|u| matches!(u.scheme(), "http" | "https") && u.has_host())
}

fn base_url(text: &str) -> Result<String, String> {
    let right = "write scheme and host such as https://denpyo.shop.example";
    let url = url::Url::parse(text.trim()).map_err(|_| right.to_owned())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(right.to_owned());
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(format!(
            "{right}: Denpyo has to stand at the root of a host name of its own, not below a path"
        ));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
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

fn shown(d: Duration) -> String {
    if d.subsec_millis() == 0 {
        format!("{}s", d.as_secs())
    } else {
        format!("{}ms", d.as_millis())
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
