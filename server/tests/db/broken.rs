//! Callers that go away, and writers that try to get round the guards.

use crate::common::{Reply, Scripted, TestDb, accepted, both, config, eventually};
use app::model::Status;
use denpyo::db::Db;
use denpyo::outbox::claim::Resend;
use denpyo::sender::Sender;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

both! {
    async fn a_resend_goes_on_when_the_browser_goes_away(db: TestDb) {
        let id = db.insert("1001").await;
        db.change(id, "status = 'rejected'").await;
        let service = Scripted::new(|_| Reply::Now(accepted("m1")));
        let sender = Sender::new(
            db.as_other_process().await,
            config(&[]),
            service,
            "test".to_owned(),
            CancellationToken::new(),
        );
        let resend = Resend { actor: "support1", ..Resend::default() };
        // Polled once, so that it has begun, and dropped.
        let gone = tokio::time::timeout(Duration::ZERO, sender.resend(id, &resend)).await;
        assert!(gone.is_err());
        eventually("the mail is accepted", async || db.status(id).await == Status::Synced).await;
    }

    async fn no_insert_can_jam_the_queue(db: TestDb) {
        for (column, value) in [
            ("version", "9223372036854775807"),
            ("attempts_counted", "2147483647"),
            ("error", "'x'"),
            ("provider_message_id", "'x'"),
        ] {
            db.refusal(&format!(
                "INSERT INTO email_submissions (order_id, kind, {column}) VALUES ('1', 'k', {value})"
            ))
            .await;
        }
    }
}

#[tokio::test]
async fn null_and_replace_do_not_get_round_sqlites_guards() {
    let db = TestDb::sqlite().await;
    let id = db.insert("1001").await;
    for column in ["status", "attempts", "version", "ref", "attempts_counted"] {
        let version = if column == "version" {
            ""
        } else {
            ", version = version + 1"
        };
        db.refusal(&format!(
            "UPDATE OR REPLACE email_submissions SET {column} = NULL{version} WHERE id = {id}"
        ))
        .await;
    }
    db.run("INSERT INTO audit_events (actor, act) VALUES ('a', 'resend')")
        .await;
    db.refusal("REPLACE INTO audit_events (id, actor, act) VALUES (1, 'b', 'resend')")
        .await;
    db.run(&format!(
        "INSERT INTO submission_observations (submission_id, kind) VALUES ({id}, 'x')"
    ))
    .await;
    db.refusal(&format!(
        "REPLACE INTO submission_observations (id, submission_id, kind) VALUES (1, {id}, 'y')"
    ))
    .await;
    db.refusal(
        "INSERT INTO email_submissions (order_id, kind, original_id) VALUES ('2', 'k', 'abc')",
    )
    .await;
}

#[tokio::test]
async fn a_full_disk_is_heard_and_got_over() {
    use denpyo::outbox::enqueue::{NewSubmission, enqueue};
    let db = TestDb::sqlite().await;
    let own = db.as_other_process().await;
    let Db::Sqlite(sqlite) = &own else {
        panic!("SQLite")
    };
    // As full as a disk can be made without one: not a page more.
    sqlx::query("PRAGMA max_page_count = 1")
        .execute(&sqlite.write)
        .await
        .unwrap();
    let mail = |order: &str| NewSubmission {
        order_id: order.to_owned(),
        kind: "k".to_owned(),
        body_text: Some("x".repeat(1_000_000)),
        ..NewSubmission::default()
    };
    assert!(enqueue(&own, &mail("1")).await.is_err());
    assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 0);
    // The failed connection was given up, and its limit with it: there is room again.
    enqueue(&own, &mail("1")).await.unwrap();
    assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 1);
}
