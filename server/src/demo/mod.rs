//! `denpyo demo`: the desk on a throw-away database, with the sandbox as service.

mod cases;
mod life;
mod people;
mod rows;
mod seed;
mod specials;
mod story;
mod text;
mod ways;

use crate::cli::Failure;
use crate::config::listen::Listen;
use crate::config::{Config, duration};
use crate::db::{Db, schema};
use crate::sandbox::{self, Sandbox};
use crate::serve::{self, RunError, Site};
use crate::users;
use app::model::Role;
use rand::Rng;
use rand::distr::Alphanumeric;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const FROM: &str = "株式会社サンプル 受注係 <order@example.jp>";
const LISTEN: &str = "127.0.0.1:3000";
/// What the demo decides for itself, whatever the environment says.
const OURS: &[&str] = &[
    // Sample mails are nobody's alarm.
    "DENPYO_ALERT_SLACK_URL",
    "DENPYO_ALERT_URL",
    "DENPYO_API_TOKEN",
    "DENPYO_CONFIG",
    "DENPYO_DATABASE_URL",
    "DENPYO_FROM",
    "DENPYO_LISTEN",
    "DENPYO_PROVIDER",
    "DENPYO_PROVIDER_KEY",
    "DENPYO_PROVIDER_URL",
];
const NAMES: [(&str, Role, &str); 3] = [
    ("support1", Role::Support, "サポート / support"),
    ("lead1", Role::Lead, "リーダー / lead"),
    ("admin1", Role::Admin, "管理者 / administrator"),
];

/// Runs until the process is to stop; then nothing of it is left.
pub(crate) async fn run(listen: Option<String>) -> Result<(), Failure> {
    let folder = tempfile::Builder::new().prefix("denpyo-demo-").tempdir()?;
    let stopping = stop_at_signal(folder.path().to_path_buf());
    let result = serve_from(&folder, listen, &stopping).await;
    // Dropping would hide that the folder could not be removed.
    let path = folder.path().to_path_buf();
    if let Err(error) = folder.close() {
        tracing::warn!(path = %path.display(), error = %error, "the sample data could not be removed");
    }
    result
}

async fn serve_from(
    folder: &tempfile::TempDir,
    listen: Option<String>,
    stopping: &CancellationToken,
) -> Result<(), Failure> {
    let listen = listen_on(listen)?;
    let secrets = Secrets::new(private(&listen));
    let line = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let stand_in = format!("http://{}", line.local_addr()?);
    // An empty file, so that a denpyo.toml lying around here is not read.
    let no_settings = folder.path().join("empty.toml");
    std::fs::write(&no_settings, "")?;
    let database = folder.path().join("denpyo.db");
    let ours = [
        ("DENPYO_API_TOKEN", secrets.token.clone()),
        (
            "DENPYO_DATABASE_URL",
            format!("sqlite:{}", database.display()),
        ),
        ("DENPYO_FROM", FROM.to_owned()),
        ("DENPYO_LISTEN", listen),
        ("DENPYO_PROVIDER", "sendgrid".to_owned()),
        ("DENPYO_PROVIDER_KEY", "demo".to_owned()),
        ("DENPYO_PROVIDER_URL", stand_in.clone()),
    ];
    let config = Config::load(Some(&no_settings), environment(std::env::vars_os(), &ours))?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }

    let db = serve::open(&config).await.map_err(RunError::from)?;
    let mails = prepare(&db, &config, &secrets).await;
    db.close().await;
    let mails = mails?;
    if stopping.is_cancelled() {
        return Ok(());
    }
    // The service outlives the desk: what is in flight at the end is still answered.
    let service_ends = CancellationToken::new();
    let service = tokio::spawn(sandbox::serve(
        line,
        Sandbox::new(),
        service_ends.clone().cancelled_owned(),
    ));
    let site = Site::start(config, false, stopping.clone()).await?;
    tracing::info!(address = site.address, mails, "serving sample mails");
    say(&greeting(&site.address, &stand_in, &secrets, mails));
    let result = site.run().await;
    service_ends.cancel();
    let _ = tokio::time::timeout(Duration::from_secs(5), service).await;
    Ok(result?)
}

async fn prepare(db: &Db, config: &Config, secrets: &Secrets) -> Result<usize, Failure> {
    schema::migrate(db).await?;
    let account = serve::service(config)
        .map_err(RunError::from)?
        .map_or_else(String::new, |service| service.account().to_owned());
    let mails = story::tell(db.now().await?, config.time_zone);
    seed::write(db, &mails, &account).await?;
    for (i, (name, role, _)) in NAMES.into_iter().enumerate() {
        users::add(db, "denpyo demo", name, role, &secrets.passwords[i]).await?;
    }
    Ok(mails.len())
}

/// Where to listen: the option, else the environment, else where `serve` does.
fn listen_on(option: Option<String>) -> Result<String, Failure> {
    if let Some(text) = option {
        Listen::parse(&text).map_err(|right| Failure::Other(format!("--listen: {right}")))?;
        return Ok(text);
    }
    Ok(std::env::var("DENPYO_LISTEN")
        .ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| LISTEN.to_owned()))
}

/// Only this machine reaches it. A set base address speaks of a proxy before it.
fn private(listen: &str) -> bool {
    let host = listen.trim().rsplit_once(':').map_or("", |(host, _)| host);
    let inner = host.trim_start_matches('[').trim_end_matches(']');
    let loopback = host.eq_ignore_ascii_case("localhost")
        || inner.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    loopback && std::env::var_os("DENPYO_BASE_URL").is_none_or(|url| url.is_empty())
}

/// The real environment without what is ours, and a lease so short that a mail without an answer
/// soon shows under "needs checking".
fn environment(
    real: impl IntoIterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
    ours: &[(&str, String)],
) -> Vec<(String, String)> {
    let mut environment: Vec<(String, String)> = real
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| !OURS.contains(&name.as_str()) && !value.is_empty())
        .collect();
    let set = |name: &str| {
        let found = environment.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.clone())
    };
    let horizon = set("DENPYO_LOOKUP_HORIZON").is_some();
    let masks = set("DENPYO_MASK_ADDRESSES").is_some();
    let timeout = set("DENPYO_REQUEST_TIMEOUT");
    let short = timeout.as_deref().is_none_or(|text| {
        duration(text.trim()).is_some_and(|timeout| timeout <= Duration::from_secs(10))
    });
    if set("DENPYO_LEASE").is_none() && short {
        environment.push(("DENPYO_LEASE".to_owned(), "15s".to_owned()));
    }
    if timeout.is_none() {
        environment.push(("DENPYO_REQUEST_TIMEOUT".to_owned(), "5s".to_owned()));
    }
    // So that whoever looks around meets it: a desk of one's own has it off.
    if !masks {
        environment.push(("DENPYO_MASK_ADDRESSES".to_owned(), "support".to_owned()));
    }
    // What the sample mails leave open stays so while somebody looks around: the stand-in service
    // knows none of them, and would soon be believed.
    if !horizon {
        let minutes = life::HORIZON / rows::MINUTE;
        environment.push(("DENPYO_LOOKUP_HORIZON".to_owned(), format!("{minutes}m")));
    }
    let ours = ours
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    environment.extend(ours);
    environment
}

/// What lets somebody in: easy to type where only this machine reaches the desk.
struct Secrets {
    passwords: [String; 3],
    token: String,
    private: bool,
}

impl Secrets {
    fn new(private: bool) -> Secrets {
        let random = || -> String {
            let mut rng = rand::rng();
            (0..16)
                .map(|_| char::from(rng.sample(Alphanumeric)))
                .collect()
        };
        if private {
            return Secrets {
                passwords: NAMES.map(|(name, ..)| format!("demo-{name}")),
                token: "demo-token".to_owned(),
                private,
            };
        }
        tracing::warn!(
            "others can reach this demo: its passwords and token are random, and nothing encrypts the line"
        );
        Secrets {
            passwords: NAMES.map(|_| random()),
            token: random(),
            private,
        }
    }
}

fn greeting(address: &str, stand_in: &str, secrets: &Secrets, mails: usize) -> String {
    let mut sign_ins = String::new();
    for (i, (name, _, role)) in NAMES.iter().enumerate() {
        let password = &secrets.passwords[i];
        sign_ins += &format!("    {name:<9} {password:<17} {role}\n");
    }
    let random = if secrets.private {
        ""
    } else {
        "  （ほかの機械からも届くため、毎回変わります / random, since others can reach it）\n"
    };
    let token = &secrets.token;
    format!(
        "\n伝票 Denpyo デモ / demo: {address}\n\
         見本のメール {mails}通 / {mails} sample mails\n\n\
         サインイン / Sign in\n{sign_ins}{random}\n\
         API token: {token}\n\
         送信サービスの代役 / Stand-in mail service: {stand_in}\n\n\
         1. 受け取っても答えない代役にする / Have it accept mails and never answer\n\
         \x20   curl -X PUT {stand_in}/_sandbox/faults -d '{{\"accept_then_hang\":1,\"index_delay_ms\":600000}}'\n\
         2. メールを1通登録する（数秒で要確認に現れます） / Post a mail: it comes under Needs checking in seconds\n\
         \x20   curl -X POST {address}/api/v1/submissions -H 'Authorization: Bearer {token}' \
         -H 'Content-Type: application/json' \
         -d '{{\"order_id\":\"'\"$(date +%s)\"'\",\"kind\":\"order_confirmation\",\"recipient\":\"hanako@example.jp\",\
         \"subject\":\"ご注文ありがとうございます\",\"body_text\":\"ご注文を承りました。\"}}'\n\
         3. 代役が受け取ったものを見る / See what it accepted\n\
         \x20   curl {stand_in}/_sandbox/messages\n\
         4. 元に戻す（次の照会で送信済みとわかります） / Have it behave again: the next look-up finds the mail\n\
         \x20   curl -X PUT {stand_in}/_sandbox/faults -d '{{}}'\n\n\
         Ctrl-C で終わり、見本は消えます / Ctrl-C ends it, and the sample data goes\n\n"
    )
}

/// To standard output, as far as anybody still listens.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A cancellation at SIGTERM or SIGINT. A second signal does not wait, but takes the sample data
/// along.
fn stop_at_signal(folder: PathBuf) -> CancellationToken {
    use tokio::signal::unix::{SignalKind, signal};
    let token = CancellationToken::new();
    let on_signal = token.clone();
    // Watched from here on, not from the first time that the task runs.
    let (Ok(mut term), Ok(mut int)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        tracing::error!("signals cannot be watched");
        return token;
    };
    tokio::spawn(async move {
        tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
        tracing::info!("stopping: finishing what is in flight");
        on_signal.cancel();
        tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
        let _ = std::fs::remove_dir_all(&folder);
        std::process::exit(1);
    });
    token
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(pairs: &[(&str, &str)]) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
        pairs.iter().map(|(n, v)| (n.into(), v.into())).collect()
    }

    fn value(environment: &[(String, String)], name: &str) -> Option<String> {
        let mut found = environment.iter().filter(|(n, _)| n == name);
        let first = found.next().map(|(_, v)| v.clone());
        assert!(found.next().is_none(), "{name} stands there twice");
        first
    }

    #[test]
    fn the_real_database_and_service_are_left_alone() {
        let real = os(&[
            ("DENPYO_DATABASE_URL", "postgres://shop"),
            ("DENPYO_PROVIDER", "smtp"),
            ("DENPYO_CONFIG", "/etc/denpyo.toml"),
            ("DENPYO_TIME_ZONE", "UTC"),
            ("DENPYO_LEASE", ""),
        ]);
        let ours = [("DENPYO_DATABASE_URL", "sqlite:x".to_owned())];
        let made = environment(real, &ours);
        let get = |name| value(&made, name);
        assert_eq!(get("DENPYO_DATABASE_URL").as_deref(), Some("sqlite:x"));
        assert_eq!(get("DENPYO_PROVIDER"), None);
        assert_eq!(get("DENPYO_CONFIG"), None);
        assert_eq!(get("DENPYO_TIME_ZONE").as_deref(), Some("UTC"));
        assert_eq!(get("DENPYO_LEASE").as_deref(), Some("15s"));
        assert_eq!(get("DENPYO_REQUEST_TIMEOUT").as_deref(), Some("5s"));
        let made = environment(os(&[("DENPYO_REQUEST_TIMEOUT", "30s")]), &ours);
        assert_eq!(value(&made, "DENPYO_LEASE"), None);
        // No lookup of the stand-in service settles the story while somebody looks around.
        let horizon = value(&made, "DENPYO_LOOKUP_HORIZON");
        assert_eq!(horizon.as_deref(), Some("80m"));
        assert_eq!(
            value(&made, "DENPYO_MASK_ADDRESSES").as_deref(),
            Some("support")
        );
        let made = environment(os(&[("DENPYO_LOOKUP_HORIZON", "5s")]), &ours);
        assert_eq!(value(&made, "DENPYO_LOOKUP_HORIZON").as_deref(), Some("5s"));
    }

    #[test]
    fn easy_passwords_only_where_nobody_else_comes() {
        for listen in ["127.0.0.1:3000", "[::1]:0", "localhost:80", " 127.9.0.1:1"] {
            assert!(private(listen), "{listen}");
        }
        for listen in ["0.0.0.0:3000", "[::]:3000", "192.0.2.1:80", ""] {
            assert!(!private(listen), "{listen}");
        }
        let (a, b) = (Secrets::new(false), Secrets::new(false));
        assert_ne!(a.token, b.token);
        assert_ne!(a.passwords[0], a.passwords[1]);
    }
}
