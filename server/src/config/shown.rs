//! The settings as an administrator sees them: never a secret, nor a password inside an address.

use super::{Config, KEYS, SECRET};
use crate::outbox::settle::OnUnknown;
use app::model::views::{Setting, SettingSource, SettingValue};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// What holds where nothing is set. What depends on other things is not here.
const DEFAULTS: &[(&str, &str)] = &[
    ("alert_queue_age", "15m"),
    ("alert_reminder", "6h"),
    ("concurrency", "16"),
    ("database_url", "sqlite:denpyo.db"),
    ("lease", "2m"),
    ("listen", "127.0.0.1:3000"),
    ("log_format", "text"),
    ("mask_addresses", "off"),
    ("max_age", "3d"),
    ("max_attempts", "5"),
    ("notify", "on"),
    ("oidc_name", "OpenID Connect"),
    ("oidc_role_claim", "groups"),
    ("on_unknown", "hold"),
    ("poll_interval", "1s"),
    ("request_timeout", "30s"),
    ("time_zone", "Asia/Tokyo"),
];

/// Keys whose values are addresses that may hold a secret: what is shown of them is the rest.
const ADDRESSES: &[&str] = &[
    "alert_slack_url",
    "alert_url",
    "database_url",
    "provider_url",
];

/// Every setting in effect: `set` holds the texts, and `in_environment` the keys of those that come
/// from there.
pub(super) fn settings(
    config: &Config,
    set: &BTreeMap<String, String>,
    in_environment: &BTreeSet<String>,
) -> Vec<Setting> {
    let mut all: Vec<Setting> = KEYS
        .iter()
        .map(|key| {
            let source = if in_environment.contains(*key) {
                SettingSource::Environment
            } else if set.contains_key(*key) {
                SettingSource::File
            } else {
                SettingSource::Default
            };
            Setting {
                name: format!("DENPYO_{}", key.to_uppercase()),
                value: value(key, set.get(*key).map(String::as_str)),
                source,
            }
        })
        .collect();
    all.extend(
        config
            .on_unknown_by_kind
            .iter()
            .map(|(kind, side)| Setting {
                name: format!("[kind.{kind}] on_unknown"),
                value: SettingValue::Text(word(*side).to_owned()),
                source: SettingSource::File,
            }),
    );
    all
}

fn word(side: OnUnknown) -> &'static str {
    match side {
        OnUnknown::Hold => "hold",
        OnUnknown::Synced => "synced",
        OnUnknown::Failed => "failed",
    }
}

fn value(key: &str, text: Option<&str>) -> SettingValue {
    let default = || {
        let default = DEFAULTS.iter().find(|(name, _)| *name == key);
        default.map_or(SettingValue::Unset, |(_, text)| {
            SettingValue::Text((*text).to_owned())
        })
    };
    match text.map(str::trim) {
        None | Some("") => default(),
        Some(text) if ADDRESSES.contains(&key) => {
            let whole = !key.starts_with("alert_");
            harmless(text, whole).map_or(SettingValue::Secret, SettingValue::Text)
        }
        Some(_) if SECRET.contains(&key) => SettingValue::Secret,
        Some(text) => SettingValue::Text(text.to_owned()),
    }
}

/// An address without its password; of one that is a secret as a whole (`whole` is false: the path
/// of a webhook is its key), scheme and host. None where it cannot be taken apart.
fn harmless(text: &str, whole: bool) -> Option<String> {
    if let Some(path) = text.strip_prefix("sqlite:") {
        return (!path.contains('?')).then(|| text.to_owned());
    }
    let mut url = Url::parse(text).ok()?;
    let host = url.host_str()?.to_owned();
    if !whole {
        let port = url.port().map(|port| format!(":{port}"));
        return Some(format!(
            "{}://{host}{}/…",
            url.scheme(),
            port.unwrap_or_default()
        ));
    }
    if url.password().is_some() {
        url.set_password(Some("***")).ok()?;
    }
    // libpq takes a password among the parameters too; of those only the harmless are shown.
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| {
            matches!(
                name.as_ref(),
                "tls" | "host" | "port" | "user" | "dbname" | "sslmode" | "application_name"
            )
        })
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    url.set_fragment(None);
    Some(url.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use app::model::views::SettingGroup;
    use app::words::Lang;

    fn load(file: &str, environment: &[(&str, &str)]) -> Config {
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), file).unwrap();
        let environment = environment
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Config::load(Some(path.path()), environment).unwrap()
    }

    fn shown(config: &Config, name: &str) -> (SettingValue, SettingSource) {
        let found = config.settings.iter().find(|s| s.name == name).unwrap();
        (found.value.clone(), found.source)
    }

    fn text(text: &str) -> SettingValue {
        SettingValue::Text(text.to_owned())
    }

    #[test]
    fn every_setting_has_a_group_and_words() {
        for key in KEYS {
            let name = format!("DENPYO_{}", key.to_uppercase());
            assert!(SettingGroup::of(&name).is_some(), "{key}");
            for lang in [Lang::Ja, Lang::En] {
                assert_ne!((lang.words().settings.about)(key), "", "{key}");
            }
        }
    }

    #[test]
    fn the_defaults_shown_are_the_defaults() {
        let plain = load("", &[]);
        let named: Vec<(String, &str)> = DEFAULTS
            .iter()
            .map(|(key, text)| (format!("DENPYO_{}", key.to_uppercase()), *text))
            .collect();
        let named: Vec<(&str, &str)> = named.iter().map(|(k, v)| (k.as_str(), *v)).collect();
        let set = load("", &named);
        let alike = |c: &Config| {
            (
                (c.alerts.queue_age, c.alerts.reminder, c.concurrency),
                (c.database_url.clone(), c.lease, c.listen.clone()),
                (c.json_logs, c.mask_addresses, c.max_age, c.max_attempts),
                (c.notify, c.on_unknown, c.poll_interval),
                (c.request_timeout, c.time_zone),
            )
        };
        assert_eq!(alike(&plain), alike(&set));
        assert_eq!(
            shown(&plain, "DENPYO_LEASE"),
            (text("2m"), SettingSource::Default)
        );
        assert_eq!(
            shown(&plain, "DENPYO_PROVIDER"),
            (SettingValue::Unset, SettingSource::Default)
        );
    }

    #[test]
    fn each_says_where_it_comes_from() {
        let config = load(
            "lease = \"3m\"\nconcurrency = 4\n[kind.invoice]\non_unknown = \"synced\"\n",
            &[("DENPYO_CONCURRENCY", "8"), ("DENPYO_MAX_AGE", "1d")],
        );
        for (name, value, source) in [
            ("DENPYO_LEASE", "3m", SettingSource::File),
            ("DENPYO_CONCURRENCY", "8", SettingSource::Environment),
            ("DENPYO_MAX_AGE", "1d", SettingSource::Environment),
            ("DENPYO_LISTEN", "127.0.0.1:3000", SettingSource::Default),
            ("[kind.invoice] on_unknown", "synced", SettingSource::File),
        ] {
            assert_eq!(shown(&config, name), (text(value), source), "{name}");
        }
        assert!(config.file.is_some());
    }

    #[test]
    fn no_secret_is_shown() {
        let config = load(
            "provider_key = \"SECRET-1\"\n",
            &[
                ("DENPYO_API_TOKEN", "SECRET-2"),
                ("DENPYO_WEBHOOK_KEY", "SECRET-3"),
                ("DENPYO_PROVIDER", "smtp"),
                (
                    "DENPYO_PROVIDER_URL",
                    "smtp://shop:SECRET-4@mail.example.jp:587?tls=none&x=SECRET-4",
                ),
                ("DENPYO_FROM", "order@example.jp"),
                (
                    "DENPYO_ALERT_URL",
                    "https://u:SECRET-5@alerts.example.jp:8443/SECRET-5?k=SECRET-5",
                ),
                (
                    "DENPYO_ALERT_SLACK_URL",
                    "https://hooks.slack.com/services/SECRET-6",
                ),
                (
                    "DENPYO_DATABASE_URL",
                    "postgres://denpyo:SECRET-7@db.example.jp/shop?sslmode=require&password=SECRET-7",
                ),
            ],
        );
        let all = format!("{:?}", config.settings);
        assert!(!all.contains("SECRET-"), "{all}");
        for (name, value) in [
            ("DENPYO_PROVIDER_KEY", SettingValue::Secret),
            ("DENPYO_API_TOKEN", SettingValue::Secret),
            (
                "DENPYO_PROVIDER_URL",
                text("smtp://shop:***@mail.example.jp:587?tls=none"),
            ),
            ("DENPYO_ALERT_URL", text("https://alerts.example.jp:8443/…")),
            (
                "DENPYO_DATABASE_URL",
                text("postgres://denpyo:***@db.example.jp/shop?sslmode=require"),
            ),
        ] {
            assert_eq!(shown(&config, name).0, value, "{name}");
        }
        // What cannot be taken apart is not shown at all.
        let odd = load("", &[("DENPYO_DATABASE_URL", "postgres:SECRET-8")]);
        assert_eq!(shown(&odd, "DENPYO_DATABASE_URL").0, SettingValue::Secret);
    }
}
