//! From the texts that are set to the settings that they mean.

use super::listen::Listen;
use super::{AlertSettings, Config, ConfigError, OidcSettings, ProviderSettings, SECRET, duration};
use crate::outbox::settle::OnUnknown;
use app::model::Role;
use app::model::address::Mailbox;
use std::collections::BTreeMap;
use std::time::Duration;

/// What is set, as text.
pub(super) struct Values(pub(super) BTreeMap<String, String>);

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

pub(super) fn on_unknown(key: &str, word: &str) -> Result<OnUnknown, ConfigError> {
    match word.trim() {
        "hold" => Ok(OnUnknown::Hold),
        "synced" => Ok(OnUnknown::Synced),
        "failed" => Ok(OnUnknown::Failed),
        _ => Err(wrong(key, word, "write hold, synced or failed")),
    }
}

/// Understands every setting, or says what is wrong with the first that is not right.
pub(super) fn understand(
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
        oidc: oidc(values)?,
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
        max_age,
        mask_addresses: values.read("mask_addresses", None, "write off, support or lead", |t| {
            match t {
                "off" => Some(None),
                "support" => Some(Some(Role::Support)),
                "lead" => Some(Some(Role::Lead)),
                _ => None,
            }
        })?,
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
        file: None,
        settings: Vec::new(),
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

/// Signing in through OpenID Connect.
fn oidc(values: &Values) -> Result<Option<OidcSettings>, ConfigError> {
    let text = |key: &str| values.get(key).map(str::trim).filter(|t| !t.is_empty());
    let Some(issuer) = text("oidc_issuer") else {
        let others = ["oidc_client_id", "oidc_client_secret", "oidc_roles"];
        return match others.into_iter().find(|key| text(key).is_some()) {
            None => Ok(None),
            Some(_) => Err(values.wrong(
                "oidc_issuer",
                "set the provider's address where other settings of OpenID Connect are set",
            )),
        };
    };
    if !is_issuer(issuer) {
        return Err(values.wrong(
            "oidc_issuer",
            "write the provider's issuer such as https://id.shop.example, as it names itself \
             (http:// only on this machine)",
        ));
    }
    let needed = |key: &str, right: &str| {
        text(key)
            .map(str::to_owned)
            .ok_or_else(|| values.wrong(key, right))
    };
    let client_id = needed(
        "oidc_client_id",
        "set the id that the provider gave this client",
    )?;
    let right =
        "write values of the claim and roles, such as helpdesk=support, leads=lead, it=admin";
    let roles = needed("oidc_roles", right)?
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (value, role) = pair.rsplit_once('=')?;
            let value = Some(value.trim()).filter(|v| !v.is_empty())?;
            Some((value.to_owned(), Role::parse(role.trim())?))
        })
        .collect::<Option<Vec<_>>>()
        .filter(|roles| !roles.is_empty())
        .ok_or_else(|| values.wrong("oidc_roles", right))?;
    Ok(Some(OidcSettings {
        issuer: issuer.to_owned(),
        client_id,
        client_secret: text("oidc_client_secret").map(str::to_owned),
        role_claim: text("oidc_role_claim").unwrap_or("groups").to_owned(),
        roles,
        name: text("oidc_name").unwrap_or("OpenID Connect").to_owned(),
    }))
}

/// `https`, or `http` to this very machine: what comes back decides who may do what.
fn is_issuer(text: &str) -> bool {
    let Ok(url) = url::Url::parse(text) else {
        return false;
    };
    let here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => return false,
    };
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    plain && (url.scheme() == "https" || url.scheme() == "http" && here)
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
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!("{right}, without a user or password"));
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(format!(
            "{right}: Denpyo has to stand at the root of a host name of its own, not below a path"
        ));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn shown(d: Duration) -> String {
    if d.subsec_millis() == 0 {
        format!("{}s", d.as_secs())
    } else {
        format!("{}ms", d.as_millis())
    }
}
