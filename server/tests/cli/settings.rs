//! Settings and usage.

use crate::common::RunningSandbox;
use crate::run::{Finished, Home, finish};

/// It failed with a sentence, not with a panic.
pub fn failed(done: &Finished, code: i32) {
    assert_eq!(done.code, code, "{done:?}");
    let said = done.out.clone() + &done.err;
    assert!(
        !said.contains("panicked") && !said.contains("backtrace"),
        "{said}"
    );
    assert!(!said.trim().is_empty());
}

#[tokio::test]
async fn wrong_usage_exits_with_2() {
    let home = Home::sqlite().await;
    for args in [
        &[][..],
        &["fly"],
        &["serve", "--fly"],
        &["serve", "extra"],
        &["worker", "--no-worker"],
        &["user"],
        &["user", "add"],
        &["user", "add", "sato"],
        &["user", "add", "sato", "--role", "boss"],
        &["sandbox", "--listen"],
        &["--config"],
    ] {
        let done = home.run(args.iter().copied(), b"x\n");
        failed(&done, 2);
        assert_eq!(done.out, "", "{args:?}");
    }
    for args in [
        &["--help"][..],
        &["help"],
        &["serve", "--help"],
        &["--version"],
    ] {
        let done = home.run(args.iter().copied(), b"");
        assert_eq!(done.code, 0, "{done:?}");
        assert!(done.out.contains("denpyo"), "{done:?}");
        assert_eq!(done.err, "");
    }
    let roles = home.run(["user", "add", "sato", "--role", "boss"], b"x\n");
    assert!(roles.err.contains("support, lead or admin"), "{roles:?}");
}

#[tokio::test]
async fn a_bad_setting_is_named_with_what_is_right() {
    for (key, value, words) in [
        (
            "LISTEN",
            "3000",
            &["DENPYO_LISTEN", "\"3000\"", "127.0.0.1:3000"][..],
        ),
        (
            "BASE_URL",
            "https://shop.example/denpyo",
            &["DENPYO_BASE_URL", "/denpyo", "root of a host name"],
        ),
        (
            "BASE_URL",
            "shop.example",
            &["DENPYO_BASE_URL", "\"shop.example\"", "https://"],
        ),
        (
            "LEASE",
            "2 minutes",
            &["DENPYO_LEASE", "\"2 minutes\"", "30s"],
        ),
        (
            "LEASE",
            "31s",
            &[
                "DENPYO_LEASE",
                "\"31s\"",
                "DENPYO_REQUEST_TIMEOUT",
                "more than 1s",
            ],
        ),
        (
            "REQUEST_TIMEOUT",
            "1",
            &["DENPYO_REQUEST_TIMEOUT", "\"1\"", "500ms"],
        ),
        (
            "MAX_ATTEMPTS",
            "0",
            &["DENPYO_MAX_ATTEMPTS", "\"0\"", "1 to 1000"],
        ),
        (
            "CONCURRENCY",
            "-1",
            &["DENPYO_CONCURRENCY", "\"-1\"", "1 to 1000"],
        ),
        (
            "POLL_INTERVAL",
            "0s",
            &["DENPYO_POLL_INTERVAL", "\"0s\"", "10ms"],
        ),
        (
            "ON_UNKNOWN",
            "resend",
            &["DENPYO_ON_UNKNOWN", "\"resend\"", "hold, synced or failed"],
        ),
        (
            "TIME_ZONE",
            "JST",
            &["DENPYO_TIME_ZONE", "\"JST\"", "Asia/Tokyo"],
        ),
        (
            "LOG_FORMAT",
            "xml",
            &["DENPYO_LOG_FORMAT", "\"xml\"", "text or json"],
        ),
        (
            "PROVIDER",
            "pigeon",
            &["DENPYO_PROVIDER", "\"pigeon\"", "sendgrid"],
        ),
        (
            "PROVIDER",
            "sendgrid",
            &["DENPYO_PROVIDER_KEY", "key of the account"],
        ),
        (
            "FROM",
            "株式会社サンプル <order>",
            &["DENPYO_FROM", "order@example.com", "write one address"],
        ),
        (
            "DATABASE_URL",
            "mysql://root:hunter2@db/x",
            &["DENPYO_DATABASE_URL", "sqlite:PATH", "mysql"],
        ),
    ] {
        let mut home = Home::sqlite().await;
        home.set(key, value);
        for command in ["serve", "check"] {
            let done = home.run([command], b"");
            failed(&done, 1);
            let said = done.out + &done.err;
            for word in words {
                assert!(said.contains(word), "{key}={value} {word}: {said}");
            }
            assert!(!said.contains("hunter2"), "{said}");
        }
    }
}

/// Signs in a relay's user or password that have a meaning in an address, as people paste them.
#[tokio::test]
async fn an_unescaped_password_stops_the_start_with_a_hint_and_is_never_printed() {
    for url in [
        "smtp://shop@example.com:p#a/s%@mail.example.com:587",
        "smtp://shop%40example.com:p#a/s%@mail.example.com:587",
        "smtp://shop:p#a@mail.example.com:587",
        "smtp://shop:p/a@mail.example.com:587",
        "smtp://shop:p?a@mail.example.com:587",
        "smtp://shop:p%a@mail.example.com:587",
        "smtps://shop:p@a@mail.example.com",
    ] {
        let mut home = Home::sqlite().await;
        home.migrate();
        home.set("PROVIDER", "smtp")
            .set("PROVIDER_URL", url)
            .set("FROM", "Shop <order@example.com>");
        for command in ["serve", "worker", "check"] {
            let mut command = home.command([command]);
            command.env("RUST_LOG", "trace");
            let done = finish(command, b"");
            failed(&done, 1);
            let said = done.out + &done.err;
            for word in ["DENPYO_PROVIDER_URL", "@ as %40", "# as %23"] {
                assert!(said.contains(word), "{url} {word}: {said}");
            }
            for secret in [
                "p#a",
                "p/a",
                "p?a",
                "p%a",
                "p@a",
                "a/s%",
                "shop@example.com",
            ] {
                assert!(!said.contains(secret), "{url} {secret}: {said}");
            }
        }
    }
}

#[tokio::test]
async fn a_settings_file_is_read_and_its_keys_are_known() {
    let mut home = Home::sqlite().await;
    let file = home.folder.path().join("denpyo.toml");
    for (text, word) in [
        ("listn = \"x\"", "did you mean listen?"),
        ("lease = \"1s\"", "denpyo.toml: lease = \"1s\""),
        ("DENPYO_LISTEN = \"x\"", "in the file it is written listen"),
        ("LISTEN = \"x\"", "in the file it is written listen"),
        ("listen = 127.0.0.1:42008", "in quotes: listen ="),
        ("provider_key = hunter2", "in quotes: provider_key ="),
        ("[kind.invoice]\non_unknown = \"no\"", "kind.invoice"),
        ("[kind.invoice]\ncolour = \"red\"", "kind.invoice.colour"),
        ("api_token = \"hunter2\nlease = 3", "line 1"),
        ("provider_key = [\"hunter2\"]", "provider_key"),
    ] {
        std::fs::write(&file, text).unwrap();
        let done = home.run(["migrate"], b"");
        failed(&done, 1);
        assert!(
            done.err.contains("denpyo.toml") || done.err.contains(word),
            "{done:?}"
        );
        assert!(done.err.contains(word), "{done:?}");
        assert!(!done.err.contains("hunter2"), "{done:?}");
    }
    let utf16: Vec<u8> = "lease = \"2m\""
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (bytes, word) in [
        ([&b"\xff\xfe"[..], &utf16].concat(), "UTF-16"),
        (
            b"# \x83\x81\x81[\x83\x8b\nlease = \"2m\"".to_vec(),
            "Shift_JIS",
        ),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let done = home.run(["migrate"], b"");
        failed(&done, 1);
        assert!(done.err.contains(word), "{done:?}");
    }
    // A mark and Windows' line ends are no trouble; the environment wins.
    std::fs::write(
        &file,
        b"\xef\xbb\xbf# \xe8\xa8\xad\xe5\xae\x9a\r\nlease = \"2 minutes\"\r\n",
    )
    .unwrap();
    failed(&home.run(["migrate"], b""), 1);
    home.set("LEASE", "2m");
    assert_eq!(home.run(["migrate"], b"").code, 0);
    // Named on the command line or in the environment: it must be there.
    std::fs::remove_file(&file).unwrap();
    failed(&home.run(["--config", "other.toml", "migrate"], b""), 1);
    home.set("CONFIG", "elsewhere.toml");
    let done = home.run(["migrate"], b"");
    failed(&done, 1);
    assert!(done.err.contains("elsewhere.toml"), "{done:?}");
}

#[tokio::test]
async fn an_unknown_variable_is_a_warning_and_no_secret_is_logged() {
    let mut home = Home::sqlite().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url)
        .set("PROVIDER_KEY", "SG.hunter2")
        .set("API_TOKEN", "hunter2hunter2")
        .set("LESAE", "5m")
        .set("WORKERS", "hunter2");
    let mut command = home.command(["serve"]);
    command.env("RUST_LOG", "trace");
    let mut program = crate::run::Program::start(command);
    program.says("Denpyo is at ").await;
    program.logs("DENPYO_LESAE").await;
    program.logs("did you mean DENPYO_LEASE?").await;
    program.logs("DENPYO_WORKERS").await;
    program.signal("TERM");
    assert_eq!(program.exit().await, 0);
    assert!(!program.log().contains("hunter2"));
}

#[tokio::test]
async fn json_logs_are_json() {
    let mut home = Home::sqlite().await;
    home.set("LOG_FORMAT", "json");
    let mut program = home.start(["serve"]);
    program.says("Denpyo is at ").await;
    program.signal("TERM");
    assert_eq!(program.exit().await, 0);
    for line in program.log().lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect(line);
        assert!(entry["level"].is_string(), "{line}");
    }
}

#[tokio::test]
async fn a_log_that_nobody_reads_stops_nothing() {
    let mut home = Home::sqlite().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let mut command = home.command(["serve"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stderr(writer);
    let mut site = crate::site::Site::of(crate::run::Program::start_as_is(command)).await;
    for order in ["1001", "1002"] {
        let id = site.enqueue(order).await;
        site.row_in(id, "synced").await;
    }
    site.program.signal("TERM");
    assert_eq!(site.program.exit().await, 0);
}

#[tokio::test]
async fn a_value_that_is_no_text_stops_the_start() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"sqlite:/x/\xff.db");
    let home = Home::sqlite().await;
    for key in ["DENPYO_DATABASE_URL", "DENPYO_API_TOKEN"] {
        let mut command = home.command(["check"]);
        command.env(key, odd);
        let done = finish(command, b"");
        failed(&done, 1);
        assert!(
            done.err.contains(key) && done.err.contains("UTF-8"),
            "{done:?}"
        );
    }
    // One that nobody knows is a warning still.
    home.migrate();
    let mut command = home.command(["check"]);
    command.env("DENPYO_COLOUR", odd);
    let done = finish(command, b"");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("DENPYO_COLOUR"), "{done:?}");
}

#[tokio::test]
async fn what_is_no_address_is_not_quoted() {
    let mut home = Home::sqlite().await;
    home.set(
        "DATABASE_URL",
        "host=db user=shop password=PASSW0RD: dbname=y",
    );
    let done = home.run(["check"], b"");
    failed(&done, 1);
    let told = format!("{}{}", done.out, done.err);
    assert!(
        told.contains("DENPYO_DATABASE_URL") && !told.contains("PASSW0RD"),
        "{told}"
    );
}
