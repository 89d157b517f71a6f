//! Behind PgBouncer in transaction mode nothing starts, and the pooler is named.

use crate::run::{Home, Program};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

/// A PgBouncer before the database of a test.
struct Bouncer {
    _program: Program,
    port: u16,
}

async fn bouncer(home: &mut Home, folder: &Path, mode: &str) -> Bouncer {
    let url = url::Url::parse(home.db.url()).unwrap();
    let pairs: std::collections::HashMap<_, _> = url.query_pairs().into_owned().collect();
    let host = pairs
        .get("host")
        .map(String::as_str)
        .or(url.host_str())
        .unwrap();
    let name = url.path().trim_start_matches('/');
    let user = pairs
        .get("user")
        .map_or_else(|| url.username(), String::as_str);
    let port = home.port();
    let password = url
        .password()
        .map_or_else(String::new, |word| format!("password='{word}'"));
    let server = url.port().unwrap_or(5432);
    let settings = format!(
        "[databases]\n{name} = host={host} port={server} dbname={name} user={user} {password}\n\
         [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
         auth_type = any\npool_mode = {mode}\ndefault_pool_size = 3\n\
         ignore_startup_parameters = extra_float_digits\n"
    );
    let file = folder.join(format!("{mode}.ini"));
    std::fs::write(&file, settings).unwrap();
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let mut command = if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        // It refuses to run as root. setpriv becomes it, so that it can be killed.
        let mut other = Command::new("setpriv");
        other.args([
            "--reuid=postgres",
            "--regid=postgres",
            "--clear-groups",
            "pgbouncer",
        ]);
        other
    } else {
        Command::new("pgbouncer")
    };
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .env("PATH", format!("{path}:/usr/sbin"))
        .arg(&file)
        .current_dir(folder);
    let mut program = Program::start(command);
    program.logs("process up").await;
    Bouncer {
        _program: program,
        port,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transaction_mode_is_refused_by_name() {
    let mut home = Home::postgres().await;
    home.migrate();
    let folder = tempfile::tempdir().unwrap();
    let name = url::Url::parse(home.db.url()).unwrap().path().to_owned();
    for mode in ["transaction", "statement"] {
        let bouncer = bouncer(&mut home, folder.path(), mode).await;
        home.set(
            "DATABASE_URL",
            format!("postgres://denpyo@127.0.0.1:{}{name}", bouncer.port),
        );
        for args in [
            &["check"][..],
            &["serve"],
            &["worker"],
            &["migrate"],
            &["enqueue"],
        ] {
            let done = home.run(args.iter().copied(), b"");
            assert_eq!(done.code, 1, "{mode} {args:?} {done:?}");
            let said = done.out + &done.err;
            assert!(said.contains("PgBouncer"), "{mode} {args:?} {said}");
            assert!(said.contains("session mode"), "{mode} {args:?} {said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn session_mode_works() {
    let mut home = Home::postgres().await;
    home.migrate();
    let folder = tempfile::tempdir().unwrap();
    let name = url::Url::parse(home.db.url()).unwrap().path().to_owned();
    let bouncer = bouncer(&mut home, folder.path(), "session").await;
    home.set(
        "DATABASE_URL",
        format!("postgres://denpyo@127.0.0.1:{}{name}", bouncer.port),
    );
    let done = home.run(["migrate"], b"");
    assert_eq!(done.code, 0, "{done:?}");
    let mail = crate::site::mail("1001").to_string();
    let done = home.run(["enqueue"], mail.as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
}
