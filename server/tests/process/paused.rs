//! A worker that is stopped (SIGSTOP) between its lease check and its post until after the horizon:
//! the one case that breaks the assumption that look-ups rest on. It is never silent.

use crate::common::RunningSandbox;
use crate::late::{lease_over, not_sent};
use crate::run::{Home, Program, copies, eventually, on_both};
use crate::site::{Site, With};
use serde_json::json;
use std::process::Command;

on_both!(a_post_after_the_horizon_is_flagged);

/// A worker that stops before the first byte of its first mail. It is the program as it is: a
/// library in front of the system's own raises the signal, since nobody outside could hit the few
/// microseconds in question. Clocks run on, and no timer of the worker's is spared.
fn stopping_worker(home: &Home) -> Command {
    home.command_with("process/stand_still.c", ["worker"])
}

fn stands_still(worker: &Program) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", worker.child.id())).unwrap();
    let (_, after_name) = stat.rsplit_once(") ").unwrap();
    after_name.starts_with('T')
}

/// What a person sees of the mail.
async fn desk_warns(site: &Site, session: &str, id: i64) -> bool {
    let page = site.get(&format!("/submissions/{id}")).with(session);
    let page = page.header("accept-language", "ja").send().await.unwrap();
    assert_eq!(page.status(), 200);
    page.text()
        .await
        .unwrap()
        .contains("二重に届いたおそれがあります")
}

/// On PostgreSQL a second worker looks the mail up and sends it again. A SQLite file has one
/// sending process, and the one that stands still holds its lock: there nobody sends again by
/// himself, and it takes a person who says that the mail did not go out and has it sent again.
async fn a_post_after_the_horizon_is_flagged(mut home: Home) {
    let service = RunningSandbox::start().await;
    // With its one slot taken it claims nothing more: it is not to be stopped with SQLite's one
    // write lock in hand.
    home.send_through(&service.url)
        .lease(500, 2000)
        .set("LOOKUP_HORIZON", "2s")
        .set("CONCURRENCY", "1");
    let site = home.web().await;
    let mut first = Program::start(stopping_worker(&home));
    first.logs("working").await;
    eventually("the worker's first heartbeat", async || {
        (home.db.number("SELECT COUNT(*) FROM workers").await == 2).then_some(())
    })
    .await;
    let id = site.enqueue("1001").await;
    eventually("the worker stands still", async || {
        stands_still(&first).then_some(())
    })
    .await;
    let row = site.row(id).await;
    assert_eq!(
        (row["status"].as_str(), row["attempts"].as_i64()),
        (Some("requesting"), Some(1)),
        "claimed, and its lease was long enough: {row}"
    );
    let reference = row["ref"].as_str().unwrap().to_owned();
    let held = || copies(&service.sandbox, &reference);
    assert_eq!(held(), 0, "not a byte has left");

    home.add_user("sato", "support", "correct horse");
    let session = site.sign_in("sato", "correct horse").await;
    let second = if home.db.is_postgres() {
        Some(home.worker().await)
    } else {
        lease_over(&home, id).await;
        not_sent(&site, &session, id).await;
        let (status, answer) = site.post(&format!("/{id}/resend"), &json!({})).await;
        assert_eq!(status, 202, "{answer}");
        None
    };
    let row = site.row_in(id, "synced").await;
    assert_eq!(
        (
            row["attempts"].as_i64(),
            row["possible_duplicate"].as_bool()
        ),
        (Some(2), Some(false)),
        "{row}"
    );
    if second.is_some() {
        let seen = row["observations"].as_array().unwrap();
        assert!(seen.iter().any(|o| o["kind"] == "lookup_no"), "{row}");
    }
    assert_eq!(held(), 1);
    assert!(!desk_warns(&site, &session, id).await);

    assert!(stands_still(&first));
    first.signal("CONT");
    let row = site
        .row_when(id, "a flag", |row| row["possible_duplicate"] == true)
        .await;
    assert_eq!(held(), 2, "the assumption was broken");
    assert_eq!(
        (row["status"].as_str(), row["attempts"].as_i64()),
        (Some("synced"), Some(2))
    );
    let seen = row["observations"].as_array().unwrap();
    let late = |o: &&serde_json::Value| o["kind"] == "late_accepted" && o["attempt"] == 1;
    assert_eq!(seen.iter().filter(late).count(), 1, "{row}");
    assert!(desk_warns(&site, &session, id).await);
    first.signal("TERM");
    assert_eq!(first.exit().await, 0, "{first:?}");
}
