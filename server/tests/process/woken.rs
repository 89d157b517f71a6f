//! Late answers, after somebody else found out: a worker that is stopped in mid-request past its
//! lease and wakes up when its row is settled.

use crate::common::RunningSandbox;
use crate::run::{Home, eventually, faults};
use crate::scenarios::{QUIET, held, seen};
use denpyo::sandbox::Faults;
use serde_json::Value;

/// langwatch#7037: the lease lapsed and the late answer was taken silently. A process is stopped
/// in mid-request past its lease; another's reconciler resolves the row; then it wakes up.
/// Returns the row as it is then, and what the woken process logged.
async fn woken_up_after_another_resolved_it(how: Faults) -> (RunningSandbox, Value, String) {
    let mut home = Home::postgres().await;
    let service = RunningSandbox::patient().await;
    home.send_through(&service.url)
        .lease(4000, 6000)
        .set("LOOKUP_HORIZON", "2s");
    let site = home.web().await;
    faults(&service.sandbox, how);
    service.keep_answers();
    let id = site.enqueue("1001").await;
    let mut stopped = home.worker().await;
    eventually("an answer on its way", async || {
        (service.answers() == 1).then_some(())
    })
    .await;
    stopped.signal("STOP");
    faults(&service.sandbox, QUIET);
    service.send_answers();
    home.lease(500, 2000);
    let second = home.worker().await;
    let resolved = site.row_in(id, "synced").await;
    second.kill().await;
    stopped.signal("CONT");
    let row = site
        .row_when(id, "the late answer", |row| {
            seen(row, "late_accepted") + seen(row, "late_refused") > 0
        })
        .await;
    stopped.signal("TERM");
    assert_eq!(stopped.exit().await, 0, "{stopped:?}");
    assert_eq!(row["status"], "synced");
    assert_eq!(row["attempts"], resolved["attempts"]);
    (service, row, stopped.log())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_refusal_updates_no_row() {
    let how = Faults {
        refuse_400: 1.0,
        ..QUIET
    };
    let (service, row, log) = woken_up_after_another_resolved_it(how).await;
    let late = "the answer came after the row was settled otherwise";
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(late)).collect();
    assert_eq!(lines.len(), 1, "{log}");
    for word in [" WARN ", "attempt=1", "outcome=\"refused\""] {
        assert!(lines[0].contains(word), "{lines:?}");
    }
    // Freed by the look-up and sent by the other process.
    assert_eq!(
        (row["attempts"].as_i64(), seen(&row, "late_refused")),
        (Some(2), 1),
        "{row}"
    );
    assert_eq!(
        (
            row["settled_by"].as_str(),
            row["possible_duplicate"].as_bool()
        ),
        (Some("response"), Some(false))
    );
    assert_eq!(held(&service, &row), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_acceptance_is_kept_as_proof() {
    let (service, row, _) = woken_up_after_another_resolved_it(QUIET).await;
    assert_eq!(
        (row["attempts"].as_i64(), seen(&row, "late_accepted")),
        (Some(1), 1),
        "{row}"
    );
    assert_eq!(
        (
            seen(&row, "lookup_found"),
            row["possible_duplicate"].as_bool()
        ),
        (1, Some(false))
    );
    assert_eq!(held(&service, &row), 1);
}
