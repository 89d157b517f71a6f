#![allow(clippy::unwrap_used)]

use super::*;

fn load(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let pairs = pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    Config::load(Some(file.path()), pairs)
}

fn refusal(pairs: &[(&str, &str)]) -> String {
    load(pairs).err().map(|e| e.to_string()).unwrap_or_default()
}

fn from_file(bytes: &[u8]) -> Result<Config, ConfigError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Config::load(Some(file.path()), [])
}

#[test]
fn the_environment_wins_and_empty_is_unset() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "concurrency = 3\nmax_attempts = \"9\"\n").unwrap();
    let env = [("DENPYO_CONCURRENCY", "4"), ("DENPYO_MAX_ATTEMPTS", "")];
    let env = env.map(|(k, v)| (k.to_owned(), v.to_owned()));
    let config = Config::load(Some(file.path()), env).unwrap();
    assert_eq!((config.concurrency, config.max_attempts), (4, 9));
}

#[test]
fn a_wrong_value_names_key_value_and_what_is_right() {
    let text = refusal(&[("DENPYO_LEASE", "two minutes")]);
    assert!(
        text.contains("DENPYO_LEASE") && text.contains("two minutes") && text.contains("30s"),
        "{text}"
    );
    let text = refusal(&[("DENPYO_REQUEST_TIMEOUT", "30s"), ("DENPYO_LEASE", "31s")]);
    assert!(
        text.contains("DENPYO_LEASE") && text.contains("more than 1s"),
        "{text}"
    );
    assert!(
        load(&[
            ("DENPYO_REQUEST_TIMEOUT", "30s"),
            ("DENPYO_LEASE", "31001ms")
        ])
        .is_ok()
    );
    for (key, value) in [
        ("DENPYO_ON_UNKNOWN", "retry"),
        ("DENPYO_MAX_ATTEMPTS", "0"),
        ("DENPYO_CONCURRENCY", "-1"),
        ("DENPYO_TIME_ZONE", "Tokyo"),
        ("DENPYO_POLL_INTERVAL", "1"),
        ("DENPYO_BASE_URL", "shop.example"),
        ("DENPYO_BASE_URL", "https://shop.example/denpyo"),
        ("DENPYO_BASE_URL", "https://sato:secret@shop.example"),
        ("DENPYO_PROVIDER", "pigeon"),
        ("DENPYO_FROM", "a@example.jp, b@example.jp"),
        ("DENPYO_NOTIFY", "maybe"),
        ("DENPYO_MAX_AGE", "99999999999999d"),
        ("DENPYO_LOG_FORMAT", "xml"),
        ("DENPYO_API_TOKEN", "あいことば"),
        ("DENPYO_INSTALLATION", "two\nlines"),
        ("DENPYO_OIDC_ISSUER", "http://id.shop.example"),
        ("DENPYO_OIDC_ISSUER", "id.shop.example"),
    ] {
        let text = refusal(&[(key, value)]);
        assert!(text.contains(key), "{key}={value}: {text}");
    }
}

#[test]
fn secrets_are_never_shown() {
    let text = refusal(&[
        ("DENPYO_PROVIDER", "sendgrid"),
        ("DENPYO_PROVIDER_KEY", "SG.secret"),
    ]);
    assert!(text.contains("DENPYO_FROM"), "{text}");
    assert!(!text.contains("SG.secret"));
    let text = from_file(b"api_token = \"tok-secret\n")
        .err()
        .unwrap()
        .to_string();
    assert!(!text.contains("tok-secret"), "{text}");
}

#[test]
fn unknown_keys_stop_the_start_and_unknown_variables_warn() {
    let text = from_file(b"databse_url = \"sqlite:x\"\n")
        .err()
        .unwrap()
        .to_string();
    assert!(
        text.contains("databse_url") && text.contains("did you mean database_url"),
        "{text}"
    );
    let config = load(&[("DENPYO_CONCURENCY", "3")]).unwrap();
    assert!(config.warnings[0].contains("DENPYO_CONCURENCY"));
}

#[test]
fn files_saved_on_windows() {
    assert_eq!(
        from_file(b"\xef\xbb\xbfconcurrency = 7\r\n")
            .unwrap()
            .concurrency,
        7
    );
    let utf16 = from_file(b"\xff\xfec\x00").err().unwrap().to_string();
    assert!(utf16.contains("UTF-16"), "{utf16}");
    let sjis = from_file(b"# \x93\x60\x95\x5b\nconcurrency = 7\n")
        .err()
        .unwrap()
        .to_string();
    assert!(sjis.contains("Shift_JIS"), "{sjis}");
}

#[test]
fn the_side_of_the_unknown_is_a_setting_per_kind() {
    let config =
        from_file(b"on_unknown = \"failed\"\n[kind.invoice]\non_unknown = \"synced\"\n").unwrap();
    assert_eq!(config.on_unknown("invoice"), OnUnknown::Synced);
    assert_eq!(config.on_unknown("order_confirmation"), OnUnknown::Failed);
    assert!(from_file(b"[kind.invoice]\non_unknown = \"maybe\"\n").is_err());
}

#[test]
fn openid_connect_is_set_whole_or_not_at_all() {
    let whole = [
        ("DENPYO_OIDC_ISSUER", "https://id.shop.example/realm"),
        ("DENPYO_OIDC_CLIENT_ID", "denpyo"),
        ("DENPYO_OIDC_ROLES", "cn=it,ou=shop=admin"),
    ];
    // A value may hold signs of equality, but no comma.
    assert!(refusal(&whole).contains("DENPYO_OIDC_ROLES"));
    for missing in [
        "DENPYO_OIDC_ISSUER",
        "DENPYO_OIDC_CLIENT_ID",
        "DENPYO_OIDC_ROLES",
    ] {
        let some: Vec<_> = whole
            .into_iter()
            .filter(|(key, _)| *key != missing)
            .collect();
        assert!(refusal(&some).contains(missing), "{missing}");
    }
    for bad in ["helpdesk", "helpdesk=boss", "=admin", ","] {
        let roles = [whole[0], whole[1], ("DENPYO_OIDC_ROLES", bad)];
        assert!(refusal(&roles).contains("DENPYO_OIDC_ROLES"), "{bad}");
    }
    let roles = "helpdesk = support, /shop/leads=lead,a=b=admin,";
    let config = load(&[whole[0], whole[1], ("DENPYO_OIDC_ROLES", roles)]).unwrap();
    let oidc = config.oidc.unwrap();
    let given = [
        ("helpdesk".to_owned(), Role::Support),
        ("/shop/leads".to_owned(), Role::Lead),
        ("a=b".to_owned(), Role::Admin),
    ];
    assert_eq!(oidc.roles, given);
    assert_eq!(
        (oidc.role_claim.as_str(), oidc.client_secret),
        ("groups", None)
    );
    assert!(load(&[]).unwrap().oidc.is_none());
}

#[test]
fn base_urls() {
    let config = load(&[("DENPYO_BASE_URL", "https://shop.example/")]).unwrap();
    assert_eq!(config.base_url.as_deref(), Some("https://shop.example"));
}

#[test]
fn places_to_listen() {
    for text in [
        "[::]:3000",
        "[::1]:3000",
        "localhost:3000",
        "0.0.0.0:0",
        "127.0.0.1:65535",
    ] {
        assert!(Listen::parse(text).is_ok(), "{text}");
    }
    for (text, says) in [
        ("::1:3000", "[::1]:3000"),
        (":3000", "0.0.0.0:3000"),
        ("0.0.0.0", "port"),
        ("shop.example:3000", "localhost"),
        ("127.0.0.1:70000", "65535"),
        ("", "port"),
    ] {
        let right = Listen::parse(text).err().unwrap_or_default();
        assert!(right.contains(says), "{text}: {right}");
    }
}

#[test]
fn durations() {
    assert_eq!(duration("500ms"), Some(Duration::from_millis(500)));
    assert_eq!(duration("7d"), Some(Duration::from_secs(7 * 86_400)));
    for text in [
        "",
        "5",
        "s",
        "-5s",
        "1.5h",
        "5 s",
        "5sec",
        "99999999999999999999s",
    ] {
        assert_eq!(duration(text), None, "{text}");
    }
}

#[test]
fn a_variable_is_spelled_in_one_way() {
    let config = load(&[
        ("DENPYO_CONCURRENCY", "4"),
        ("DENPYO_DENPYO_CONCURRENCY", "5"),
        ("DENPYO_concurrency", "6"),
        ("DENPYO_max_attempts", "7"),
    ])
    .unwrap();
    assert_eq!((config.concurrency, config.max_attempts), (4, 5));
    assert_eq!(config.warnings.len(), 3, "{:?}", config.warnings);
    assert!(
        config
            .warnings
            .iter()
            .all(|w| w.contains("no such setting"))
    );
}
