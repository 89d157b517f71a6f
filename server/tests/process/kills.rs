//! Killed (SIGKILL) in mid-send.

use crate::common::RunningSandbox;
use crate::run::{Home, copies, eventually, faults, on_both};
use crate::site::Site;
use denpyo::sandbox::Faults;
use serde_json::Value;

on_both!(killed_in_mid_send);

/// Side by side, since each mostly waits.
async fn killed_in_mid_send(home: Home) {
    tokio::join!(
        killed_after_acceptance(home.another().await),
        killed_without_acceptance(home.another().await),
        killed_and_taken_for_accepted(home.another().await),
        killed_and_taken_for_failed(home.another().await),
    );
}

/// Look-ups do not show the mail yet.
fn hidden() -> Faults {
    Faults {
        index_delay_ms: 3_600_000,
        ..Faults::default()
    }
}

fn hangs() -> Faults {
    Faults {
        accept_then_hang: 1.0,
        ..Faults::default()
    }
}

/// Kills a worker while its post hangs, starts another, and waits until the lease is looked
/// through. Returns the row then.
async fn after_a_kill(
    home: &mut Home,
    how: Faults,
    accepted: usize,
) -> (Site, RunningSandbox, Value) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url).lease(3000, 6000);
    faults(
        &service.sandbox,
        Faults {
            index_delay_ms: 3_600_000,
            ..how
        },
    );
    let site = home.web().await;
    let id = site.enqueue("1001").await;
    let worker = home.worker().await;
    let row = site.row_in(id, "requesting").await;
    eventually("the post", async || {
        (service.sandbox.messages().len() == accepted).then_some(())
    })
    .await;
    worker.kill().await;
    faults(&service.sandbox, hidden());

    let mut again = home.worker().await;
    let row = site
        .row_when(id, "an ended lease", |now| now["version"] != row["version"])
        .await;
    let attempt = &row["attempt_log"][0];
    assert_eq!(attempt["outcome"], "unknown", "{row}");
    assert_eq!(attempt["cause"], "vanished", "{row}");

    // Whatever the new worker would do by itself, it has done before it gets to these.
    for order in ["2001", "2002"] {
        let probe = site.enqueue(order).await;
        let probe = site.row_in(probe, "synced").await;
        assert_eq!(copies(&service.sandbox, probe["ref"].as_str().unwrap()), 1);
    }
    let mut later = site.row(id).await;
    let mut row = row;
    for row in [&mut later, &mut row] {
        // Look-ups are kept, and change nothing; the verdict is judged anew at each reading.
        for member in ["lookup", "observations", "verdict"] {
            row.as_object_mut().unwrap().remove(member);
        }
    }
    assert_eq!(later, row, "nothing happens to it by itself");
    assert_eq!(
        copies(&service.sandbox, row["ref"].as_str().unwrap()),
        accepted
    );
    again.signal("TERM");
    assert_eq!(again.exit().await, 0);
    (site, service, row)
}

async fn killed_after_acceptance(mut home: Home) {
    let (_site, _sandbox, row) = after_a_kill(&mut home, hangs(), 1).await;
    assert_eq!(row["status"], "requesting");
    assert!(row["unknown_at"].is_string(), "{row}");
    assert_eq!(row["attempts"], 1);
}

async fn killed_without_acceptance(mut home: Home) {
    let how = Faults {
        hang_without_accept: 1.0,
        ..Faults::default()
    };
    let (_site, _sandbox, row) = after_a_kill(&mut home, how, 0).await;
    assert_eq!(row["status"], "requesting");
    assert!(row["unknown_at"].is_string(), "{row}");
    assert_eq!(row["attempts"], 1);
}

async fn killed_and_taken_for_accepted(mut home: Home) {
    home.set("ON_UNKNOWN", "synced");
    let (_site, _sandbox, row) = after_a_kill(&mut home, hangs(), 1).await;
    assert_eq!(row["status"], "synced");
    assert_eq!(row["settled_by"], "assumed");
    assert_eq!(row["sent_at"], Value::Null, "nobody knows");
}

async fn killed_and_taken_for_failed(mut home: Home) {
    home.set("ON_UNKNOWN", "failed");
    let (_site, _sandbox, row) = after_a_kill(&mut home, hangs(), 1).await;
    assert_eq!(row["status"], "failed");
    assert_eq!(row["settled_by"], "assumed");
    assert_eq!(row["next_attempt_at"], Value::Null);
}
