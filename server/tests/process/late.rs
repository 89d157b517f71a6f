//! A worker that is stopped (SIGSTOP) in mid-request past its lease, and wakes up to an answer
//! that nobody waits for any more.

use crate::run::{Home, eventually, on_both};
use crate::site::{Site, With};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

on_both!(woken_up_after_the_lease);

/// Side by side, since each mostly waits.
async fn woken_up_after_the_lease(home: Home) {
    tokio::join!(
        a_late_acceptance_is_proof(home.another().await),
        a_late_refusal_changes_nothing(home.another().await),
        a_late_acceptance_that_nobody_judged(home.another().await),
    );
}

/// Takes one post, and returns the connection with its answer still to come.
async fn one_post(listener: &TcpListener) -> TcpStream {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut read = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            let n = stream.read(&mut chunk).await.unwrap();
            read.extend_from_slice(&chunk[..n]);
            let text = String::from_utf8_lossy(&read).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                assert!(n > 0, "a request broken off: {text}");
                continue;
            };
            let length = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                break;
            }
        }
        if read.starts_with(b"POST /v3/mail/send ") {
            return stream;
        }
        // Somebody asked whether the service is there.
        stream
            .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
    }
}

const ACCEPTED: &str =
    "HTTP/1.1 202 Accepted\r\nx-message-id: late-but-true\r\ncontent-length: 0\r\n\r\n";
const REFUSED: &str = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";

/// Stops a worker in mid-post, and wakes it up after its lease with the answer there. Returns the
/// row as it was before that.
async fn wake_up_to(home: &mut Home, answer: &str, judged: bool) -> (Site, Value) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    home.send_through(&format!("http://{}", listener.local_addr().unwrap()));
    // With its one slot taken it claims nothing more: it is not to be stopped with SQLite's one
    // write lock in hand.
    home.lease(3000, 6000).set("CONCURRENCY", "1");
    let site = home.web().await;
    let worker = home.worker().await;
    eventually("the worker's first heartbeat", async || {
        (home.db.number("SELECT COUNT(*) FROM workers").await == 2).then_some(())
    })
    .await;
    let id = site.enqueue("1001").await;
    let mut post = one_post(&listener).await;
    worker.signal("STOP");
    lease_over(home, id).await;
    if judged {
        judge(home, &site, id).await;
    }
    let before = site.row(id).await;
    post.write_all(answer.as_bytes()).await.unwrap();
    worker.signal("CONT");
    if judged {
        site.row_when(id, "a late answer", |row| {
            row["observations"].as_array().is_some_and(|o| o.len() == 1)
        })
        .await;
    } else {
        site.row_when(id, "an answer", |row| row["version"] != before["version"])
            .await;
    }
    let mut worker = worker;
    worker.signal("TERM");
    assert_eq!(worker.exit().await, 0, "{worker:?}");
    (site, before)
}

/// The lease of a mail's claim has run out.
pub async fn lease_over(home: &Home, id: i64) {
    let over = format!(
        "SELECT COUNT(*) FROM email_submissions WHERE id = {id} AND lease_until <= {}",
        home.db.at(0)
    );
    eventually("the lease's end", async || {
        (home.db.number(&over).await == 1).then_some(())
    })
    .await;
}

/// A person says that the mail was not sent; where another process may look through the leases,
/// it does so first.
async fn judge(home: &Home, site: &Site, id: i64) {
    if home.db.is_postgres() {
        let second = home.worker().await;
        site.row_when(id, "a lapsed lease", |row| row["unknown_at"].is_string())
            .await;
        drop(second);
    }
    home.add_user("sato", "support", "correct horse");
    let session = site.sign_in("sato", "correct horse").await;
    not_sent(site, &session, id).await;
}

/// The person who is signed in says that the mail was not sent.
pub async fn not_sent(site: &Site, session: &str, id: i64) {
    let row = site.row(id).await;
    let (id_text, version) = (id.to_string(), row["version"].to_string());
    let fields = [
        ("id", id_text.as_str()),
        ("version", &version),
        ("answer", "not_sent"),
        ("reason", "お客様に確認しました"),
    ];
    let form = site
        .form("/_desk/resolve", &fields)
        .header("referer", format!("{}/stuck", site.address))
        .with(session);
    let answer = form.send().await.unwrap();
    assert!(answer.status().is_redirection(), "{answer:?}");
    let row = site.row_in(id, "failed").await;
    assert_eq!(row["settled_by"], "person");
    assert_eq!(row["next_attempt_at"], Value::Null);
}

async fn a_late_acceptance_is_proof(mut home: Home) {
    let (site, before) = wake_up_to(&mut home, ACCEPTED, true).await;
    let row = site.row(before["id"].as_i64().unwrap()).await;
    assert_eq!(row["observations"][0]["kind"], "late_accepted", "{row}");
    assert_eq!(row["observations"][0]["attempt"], 1);
    assert_eq!(row["status"], "synced");
    assert_eq!(row["settled_by"], "response");
    assert_eq!(row["provider_message_id"], "late-but-true");
    assert_eq!(row["attempts"], 1);
    assert_eq!(row["possible_duplicate"], false);
    assert_eq!(
        row["attempt_log"][0], before["attempt_log"][0],
        "closed once"
    );
}

async fn a_late_refusal_changes_nothing(mut home: Home) {
    let (site, mut before) = wake_up_to(&mut home, REFUSED, true).await;
    let mut row = site.row(before["id"].as_i64().unwrap()).await;
    assert_eq!(row["observations"][0]["kind"], "late_refused", "{row}");
    for row in [&mut row, &mut before] {
        let row = row.as_object_mut().unwrap();
        row.remove("observations");
        // The schedule forgets the answered question when it next comes to it.
        row.remove("lookup");
        // Judged anew at each reading.
        row.remove("verdict");
    }
    assert_eq!(row, before);
}

async fn a_late_acceptance_that_nobody_judged(mut home: Home) {
    let (site, before) = wake_up_to(&mut home, ACCEPTED, false).await;
    assert_eq!(before["status"], "requesting");
    let row = site.row(before["id"].as_i64().unwrap()).await;
    assert_eq!(row["status"], "synced", "{row}");
    assert_eq!(row["provider_message_id"], "late-but-true");
    // The process that wakes up may look through its own lapsed lease before it settles.
    let outcome = &row["attempt_log"][0]["outcome"];
    let seen = &row["observations"][0]["kind"];
    assert!(
        outcome == "accepted" || (outcome == "unknown" && seen == "late_accepted"),
        "{row}"
    );
}
