//! Stopped in an orderly way (SIGTERM), and refused a start.

use crate::common::{RunningSandbox, listening};
use crate::run::{Home, PATIENCE, Program, copies, eventually, faults, on_both, refusing};
use crate::site::mail;
use denpyo::sandbox::Faults;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

on_both!(
    a_stop_finishes_what_is_in_flight,
    a_stop_finishes_a_persons_resend,
    a_stop_finishes_a_replay,
    a_site_stops_though_a_connection_stays_open,
    a_worker_wants_its_own_schema,
);

async fn a_stop_finishes_what_is_in_flight(mut home: Home) {
    const MAILS: usize = 50;
    let service = RunningSandbox::patient().await;
    home.send_through(&service.url)
        .lease(20_000, 40_000)
        .set("CONCURRENCY", MAILS.to_string());
    service.keep_answers();
    home.migrate();
    let lines: Vec<String> = (0..MAILS)
        .map(|n| mail(&format!("order-{n}")).to_string())
        .collect();
    let done = home.run(["enqueue"], lines.join("\n").as_bytes());
    assert_eq!(done.code, 0, "{done:?}");

    let mut worker = home.worker().await;
    eventually("every mail at the service", async || {
        (service.sandbox.messages().len() == MAILS).then_some(())
    })
    .await;
    let in_flight = "SELECT COUNT(*) FROM email_submissions WHERE status = 'requesting'";
    assert_eq!(home.db.number(in_flight).await, 50);
    worker.signal("TERM");
    worker.logs("stopping").await;
    service.send_answers();
    assert_eq!(worker.exit().await, 0, "{worker:?}");

    let synced = "SELECT COUNT(*) FROM email_submissions WHERE status = 'synced' AND attempts = 1";
    assert_eq!(home.db.number(synced).await, 50);
    assert_eq!(service.sandbox.messages().len(), MAILS);
    for message in service.sandbox.messages() {
        assert_eq!(copies(&service.sandbox, message.reference().unwrap()), 1);
    }
    assert_eq!(home.db.number("SELECT COUNT(*) FROM workers").await, 0);
}

async fn a_stop_finishes_a_persons_resend(mut home: Home) {
    let service = RunningSandbox::patient().await;
    home.send_through(&service.url).lease(20_000, 40_000);
    faults(&service.sandbox, refusing());
    let mut site = home.serve().await;
    let id = site.enqueue("1001").await;
    site.row_in(id, "rejected").await;
    site.program.signal("TERM");
    assert_eq!(site.program.exit().await, 0);

    faults(&service.sandbox, Faults::default());
    service.keep_answers();
    let mut site = home.web().await;
    let (status, answer) = site
        .post(&format!("/{id}/resend"), &serde_json::json!({}))
        .await;
    assert_eq!(status, 202, "{answer}");
    eventually("the mail at the service", async || {
        (service.sandbox.messages().len() == 1).then_some(())
    })
    .await;
    site.program.signal("INT");
    site.program.logs("stopping").await;
    service.send_answers();
    assert_eq!(site.program.exit().await, 0, "{:?}", site.program);
    let synced = "SELECT COUNT(*) FROM email_submissions WHERE status = 'synced' AND attempts = 2";
    assert_eq!(home.db.number(synced).await, 1);
    assert_eq!(service.holds("1001"), 1);
}

/// Where a look-up is a post again, its answer is written down as well.
async fn a_stop_finishes_a_replay(mut home: Home) {
    let posts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&posts);
    let gate = tokio::sync::watch::Sender::new(false);
    let open = gate.clone();
    // The first answer never comes; the second once the process has heard that it is to stop.
    let answer = axum::routing::post(move || {
        let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        let mut open = open.subscribe();
        async move {
            if first {
                std::future::pending::<()>().await;
            }
            open.wait_for(|open| *open).await.unwrap();
            axum::Json(serde_json::json!({"id": "mail-1"}))
        }
    });
    let service = axum::Router::new().route("/emails", answer);
    let url = listening(service).await;
    home.send_through(&url)
        .set("PROVIDER", "resend")
        .set("PROVIDER_KEY", "re_key")
        .lease(2000, 3500);
    home.migrate();
    let done = home.run(["enqueue"], mail("1001").to_string().as_bytes());
    assert_eq!(done.code, 0, "{done:?}");

    let mut worker = home.worker().await;
    eventually("the replay at the service", async || {
        (posts.load(Ordering::SeqCst) == 2).then_some(())
    })
    .await;
    worker.signal("TERM");
    worker.logs("stopping").await;
    gate.send_replace(true);
    assert_eq!(worker.exit().await, 0, "{worker:?}");
    let synced = "SELECT COUNT(*) FROM email_submissions WHERE status = 'synced' \
                  AND settled_by = 'lookup' AND provider_message_id = 'mail-1'";
    assert_eq!(home.db.number(synced).await, 1);
}

async fn a_site_stops_though_a_connection_stays_open(home: Home) {
    let mut site = home.serve().await;
    // One that never finishes its request.
    let host = site.address.strip_prefix("http://").unwrap();
    let mut open = tokio::net::TcpStream::connect(host).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut open, b"GET /healthz HTTP/1.1\r\n")
        .await
        .unwrap();
    site.program.signal("TERM");
    let begun = Instant::now();
    assert_eq!(site.program.exit().await, 0);
    assert!(begun.elapsed() < PATIENCE / 2);
}

async fn a_worker_wants_its_own_schema(home: Home) {
    home.migrate();
    let list = if home.db.is_postgres() {
        "denpyo._sqlx_migrations"
    } else {
        "_sqlx_migrations"
    };
    let ours = home
        .db
        .number(&format!("SELECT MAX(version) FROM {list}"))
        .await;
    for (version, words) in [
        (9_999_999, ["newer", "start the newer denpyo"]),
        (ours - 1, ["older", "denpyo migrate"]),
    ] {
        let newest = format!("version = (SELECT MAX(version) FROM {list})");
        home.db
            .run(&if version > ours {
                format!("UPDATE {list} SET version = {version} WHERE {newest}")
            } else {
                format!("DELETE FROM {list} WHERE {newest}")
            })
            .await;
        let mut commands = vec![vec!["worker"], vec!["enqueue"], vec!["check"]];
        if version > ours {
            commands.extend([vec!["serve"], vec!["migrate"]]);
        }
        for args in commands {
            let mut program: Program = home.start(args.clone());
            assert_eq!(program.exit().await, 1, "{args:?} {program:?}");
            let said = program.log() + &program.out();
            for word in words {
                assert!(said.contains(word), "{args:?} {said}");
            }
            assert!(!said.contains("panicked"), "{said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_sends_on_sqlite() {
    let mut home = Home::sqlite().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let worker = {
        home.migrate();
        home.worker().await
    };
    for args in [&["worker"][..], &["serve"]] {
        let mut second = home.start(args.iter().copied());
        assert_eq!(second.exit().await, 1, "{second:?}");
        let log = second.log();
        assert!(log.contains("already sends"), "{log}");
        assert!(log.contains("serve --no-worker"), "{log}");
        assert!(log.contains("PostgreSQL"), "{log}");
    }

    // Beside it a site without a worker serves, and sends what a person resends.
    let site = home.web().await;
    faults(&service.sandbox, refusing());
    let id = site.enqueue("1001").await;
    site.row_in(id, "rejected").await;
    worker.kill().await;
    faults(&service.sandbox, Faults::default());
    let (status, answer) = site
        .post(&format!("/{id}/resend"), &serde_json::json!({}))
        .await;
    assert_eq!(status, 202, "{answer}");
    let row = site.row_in(id, "synced").await;
    assert_eq!(row["attempts"], 2);
    let resender = format!(":{}", site.program.child.id());
    let worker = row["attempt_log"][1]["worker"].as_str().unwrap();
    assert!(worker.ends_with(&resender), "{row}");
    assert_eq!(service.sandbox.messages().len(), 1);
}

/// Whether a process handles SIGTERM by itself, as the kernel has it.
fn handles_sigterm(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    caught.is_some_and(|bits| bits & (1 << 14) != 0)
}

/// Signals are watched before even the settings are read: here from a pipe that holds nothing yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_in_the_first_moments_ends_it_cleanly() {
    for command in ["serve", "worker"] {
        let home = Home::sqlite().await;
        home.migrate();
        let settings = home.folder.path().join("settings.toml");
        let made = std::process::Command::new("mkfifo").arg(&settings).status();
        assert!(made.unwrap().success());
        let path = settings.to_str().unwrap().to_owned();
        let mut program = home.start([command, "--config", &path]);
        let pid = program.child.id();
        eventually("a handler", async || handles_sigterm(pid).then_some(())).await;
        program.signal("TERM");
        std::fs::write(&settings, "").unwrap();
        assert_eq!(program.exit().await, 0, "{program:?}");
    }
}
