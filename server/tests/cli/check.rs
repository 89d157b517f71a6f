//! `denpyo check`.

use crate::common::RunningSandbox;
use crate::run::{Home, on_both};
use crate::settings::failed;

on_both!(check_says_what_is_usable);

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
