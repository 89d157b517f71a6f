//! `denpyo check`.

use crate::common::{RunningSandbox, listening};
use crate::run::{Home, on_both};
use crate::settings::failed;

on_both!(
    check_says_what_is_usable,
    what_a_changed_setting_comes_to_is_said_before_the_start
);

async fn check_says_what_is_usable(mut home: Home) {
    let done = home.run(["check"], b"");
    failed(&done, 1);
    assert!(done.out.contains("denpyo migrate"), "{done:?}");
    if !home.db.is_postgres() {
        // Looking leaves nothing behind.
        let new = home.folder.path().join("new.db");
        home.set("DATABASE_URL", format!("sqlite:{}", new.display()));
        let done = home.run(["check"], b"");
        failed(&done, 1);
        assert!(done.out.contains("not there yet"), "{done:?}");
        assert!(!new.exists());
        home.set("DATABASE_URL", home.db.url().to_owned());
    }
    home.migrate();
    let done = home.run(["check"], b"");
    // The tests' own cluster runs without fsync, which is what check is to find.
    if home.db.is_postgres() {
        failed(&done, 1);
        assert!(
            done.out.contains("durability: not safe") && done.out.contains("fsync=off"),
            "{done:?}"
        );
    } else {
        assert_eq!(done.code, 0, "{done:?}");
        assert!(
            done.out
                .contains("durability: ok, journal_mode=wal synchronous=2"),
            "{done:?}"
        );
        assert!(done.out.contains("3.24"), "{done:?}");
    }
    assert!(done.out.contains("schema: ok"), "{done:?}");
    assert!(done.out.contains("nothing is sent"), "{done:?}");

    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let done = home.run(["check"], b"");
    assert!(done.out.contains("service: ok"), "{done:?}");
    home.send_through("http://127.0.0.1:1");
    let done = home.run(["check"], b"");
    failed(&done, 1);
    assert!(done.out.contains("cannot be reached"), "{done:?}");
    assert!(!done.out.contains("SG."), "{done:?}");
}

/// A mail server that knows nothing but EHLO.
async fn bare_mail_server() -> String {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let mut line = String::from("220 mail.example.com\r\n");
                while stream.write_all(line.as_bytes()).await.is_ok() {
                    line.clear();
                    if !matches!(stream.read_line(&mut line).await, Ok(1..)) {
                        return;
                    }
                    line = "250 mail.example.com\r\n".to_owned();
                }
            });
        }
    });
    format!("127.0.0.1:{port}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_server_that_lacks_what_is_asked_for_is_found() {
    let mut home = Home::sqlite().await;
    home.migrate();
    let server = bare_mail_server().await;
    home.set("PROVIDER", "smtp")
        .set("FROM", "Shop <order@example.com>");
    for (url, lacks) in [
        (format!("smtp://{server}"), Some("STARTTLS")),
        (
            format!("smtp://user:hunter2@{server}?tls=none"),
            Some("AUTH"),
        ),
        (format!("smtp://{server}?tls=none"), None),
    ] {
        home.set("PROVIDER_URL", url);
        let done = home.run(["check"], b"");
        match lacks {
            Some(lacks) => {
                failed(&done, 1);
                assert!(done.out.contains(lacks), "{done:?}");
                assert!(!done.out.contains("service: ok"), "{done:?}");
            }
            None => assert_eq!(done.code, 0, "{done:?}"),
        }
        assert!(!done.out.contains("hunter2"), "{done:?}");
    }
    // Of a mail that is not sent because of it, the log says why.
    home.set("PROVIDER_URL", format!("smtp://{server}"));
    home.db.insert("1001").await;
    let mut worker = home.worker().await;
    worker.logs("sending is paused").await;
    let log = worker.log();
    let line = log.lines().find(|l| l.contains("sending is paused"));
    assert!(line.unwrap().contains("no TLS"), "{log}");
    assert!(!log.contains("@example"), "{log}");
    worker.kill().await;
}

#[tokio::test]
async fn settings_are_not_called_fine_and_then_refused() {
    let mut home = Home::sqlite().await;
    home.migrate();
    home.set("PROVIDER", "sendgrid")
        .set("PROVIDER_KEY", "no key at all")
        .set("FROM", "Shop <order@example.com>");
    let done = home.run(["check"], b"");
    failed(&done, 1);
    assert!(!done.out.contains("settings: ok"), "{done:?}");
    assert!(done.out.contains("DENPYO_PROVIDER_KEY"), "{done:?}");
}

/// A service over HTTP that answers every look-up so.
async fn answering(status: u16, body: &'static str) -> String {
    let status = http::StatusCode::from_u16(status).unwrap();
    let app = axum::Router::new().fallback(async move || (status, body));
    listening(app).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_called_usable_only_where_the_service_takes_it() {
    let nothing = r#"{"messages": [], "Messages": [], "TotalCount": 0, "items": [], "paging": {}}"#;
    let no = r#"{"errors": [{"message": "no"}]}"#;
    let mut home = Home::sqlite().await;
    home.migrate();
    home.set("FROM", "Shop <order@shop.example>")
        .set("PROVIDER_KEY", "SG.hunter2");
    for (service, records) in [
        ("sendgrid", "Email Logs"),
        ("postmark", "messages"),
        ("mailgun", "events"),
    ] {
        home.set("PROVIDER", service);
        for (status, body, code, words) in [
            (200, nothing, 0, "takes the key (tested with a look-up"),
            (401, no, 1, "refuses the key: 401"),
            (403, no, 1, "lacks the right to read"),
            (429, no, 0, "the key was not tested"),
            (500, no, 1, "did not succeed"),
        ] {
            home.set("PROVIDER_URL", answering(status, body).await);
            let done = home.run(["check"], b"");
            assert_eq!(done.code, code, "{service} {status}: {done:?}");
            assert!(done.out.contains(words), "{service} {status}: {done:?}");
            assert!(!done.out.contains("hunter2"), "{done:?}");
            if status == 403 {
                assert!(done.out.contains(records), "{done:?}");
            }
        }
    }
    // What cannot be tested without a mail is said to be untested.
    for service in ["resend", "ses"] {
        home.set("PROVIDER", service)
            .set("PROVIDER_KEY", "AKIA:hunter2");
        let url = answering(401, no).await;
        let url = match service {
            "ses" => format!("{url}#ap-northeast-1"),
            _ => url,
        };
        home.set("PROVIDER_URL", url);
        let done = home.run(["check"], b"");
        assert_eq!(done.code, 0, "{service}: {done:?}");
        assert!(done.out.contains("Not tested: the key"), "{done:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_called_damaged() {
    use std::io::{Seek, SeekFrom, Write};
    let home = Home::sqlite().await;
    home.migrate();
    let done = home.run(["check"], b"");
    assert!(done.out.contains("file: ok, whole"), "{done:?}");
    home.db.insert("1001").await;
    let page = home
        .db
        .number("SELECT rootpage FROM sqlite_master WHERE name = 'email_submissions_time'")
        .await;
    home.db.run("PRAGMA wal_checkpoint(TRUNCATE)").await;
    let path = home.db.url().trim_start_matches("sqlite:").to_owned();
    let mut file = std::fs::File::options().write(true).open(path).unwrap();
    let at = u64::try_from((page - 1) * 4096).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&[0x5a; 4096]).unwrap();
    let done = home.run(["check"], b"");
    failed(&done, 1);
    assert!(done.out.contains("file: damaged"), "{done:?}");
}

async fn what_a_changed_setting_comes_to_is_said_before_the_start(mut home: Home) {
    home.migrate();
    let service = RunningSandbox::start().await;
    home.send_through(&service.url).set("INSTALLATION", "shop");
    crate::run::faults(
        &service.sandbox,
        denpyo::sandbox::Faults {
            accept_then_close: 1.0,
            index_delay_ms: 3_600_000,
            ..Default::default()
        },
    );
    home.db.insert("1001").await;
    let worker = home.worker().await;
    crate::run::eventually("nobody knows", async || {
        let open = "SELECT COUNT(*) FROM lookups WHERE NOT ended";
        (home.db.number(open).await == 1).then_some(())
    })
    .await;
    worker.kill().await;
    let before = home.run(["check"], b"").out;
    assert!(!before.contains("warning:"), "{before}");

    home.db.insert("1002").await;
    home.set("PROVIDER_KEY", "SG.another")
        .set("INSTALLATION", "staging");
    let said = home.run(["check"], b"").out;
    assert!(said.contains("the one set now: 1."), "{said}");
    assert!(
        // What is in doubt is held too: a look-up that says no must not set it free.
        said.contains("the database was shop's") && said.contains("2 now"),
        "{said}"
    );
    let mut worker = home.worker().await;
    worker.logs("open questions belong to another").await;
    worker.kill().await;
}
