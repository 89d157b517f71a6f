//! Very many events of one mail.

use crate::common::{TestDb, accepted, both, claimant};
use chrono::DateTime;
use denpyo::db::Db;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::events::apply;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::provider::events::{EventKind, MailEvent};
use uuid::Uuid;

/// `count` events a second apart.
fn events(reference: Uuid, kind: EventKind, count: i64) -> Vec<MailEvent> {
    (0..count)
        .map(|second| MailEvent {
            reference: Some(reference),
            attempt: Some(1),
            kind,
            at: DateTime::from_timestamp(1_767_000_000 + second, 0),
            message_id: None,
            detail: Some(format!("event {second}")),
        })
        .collect()
}

async fn sent(db: &TestDb) -> (i64, Uuid) {
    let id = db.insert("1").await;
    let claims = claim_due(db, &claimant(), 1).await.unwrap();
    let retries = Retries { most: 5 };
    settle(db, &claims[0], &accepted("m-1"), OnUnknown::Hold, retries)
        .await
        .unwrap();
    (id, db.row(id).await.uuid().unwrap())
}

both! {
    /// Others must get in between, so what was taken before a fault stands.
    async fn a_batch_is_taken_in_several_transactions(db: TestDb) {
        let (id, own) = sent(&db).await;
        db.run(if db.is_postgres() {
            "ALTER TABLE denpyo.submission_observations ADD CHECK (detail IS DISTINCT FROM 'event 350')"
        } else {
            "CREATE TRIGGER fault BEFORE INSERT ON submission_observations WHEN NEW.detail = 'event 350' \
             BEGIN SELECT RAISE(ABORT, 'a fault'); END"
        })
        .await;
        let mut batch = events(own, EventKind::Delivered, 400);
        batch.reverse();
        assert!(apply(&db, "scripted", &batch).await.is_err());
        assert_eq!(db.observations(id, "event_delivered").await, 300);
    }

    async fn opens_without_end_are_kept_up_to_a_limit(db: TestDb) {
        let (id, own) = sent(&db).await;
        for expected in [[200, 0, 0, 0], [0; 4]] {
            let told = apply(&db, "scripted", &events(own, EventKind::Accepted, 1500)).await.unwrap();
            assert_eq!(told.fresh, expected);
            assert_eq!(told.fresh[0] + told.repeated, 1500);
        }
        assert_eq!(db.observations(id, "event_accepted").await, 200);
        // What decides something is taken all the same, and so is proof for another attempt.
        let mut last = events(own, EventKind::Bounced, 1);
        last.extend(events(own, EventKind::Accepted, 1));
        last[1].attempt = Some(2);
        let told = apply(&db, "scripted", &last).await.unwrap();
        assert_eq!(told.fresh, [1, 0, 1, 0]);
        assert_eq!(db.row(id).await.delivery().map(|d| d.as_str()), Some("bounced"));
    }

    /// Or each event would be compared with every other of its mail.
    async fn an_event_is_looked_for_by_its_time(db: TestDb) {
        let (_, sql) = denpyo::outbox::statements()
            .into_iter()
            .find(|(name, _)| *name == "events::NOTE")
            .unwrap();
        let text = db.text(sql);
        let plan: Vec<String> = match &*db {
            Db::Sqlite(sqlite) => {
                let rows: Vec<(i64, i64, i64, String)> = sqlx::query_as(&format!("EXPLAIN QUERY PLAN {text}"))
                    .bind("[]")
                    .bind("scripted")
                    .fetch_all(&sqlite.write)
                    .await
                    .unwrap();
                rows.into_iter().map(|(.., line)| line).collect()
            }
            Db::Postgres(pool) => {
                let mut tx = pool.begin().await.unwrap();
                // A table this small would be read whole, and each event hashed.
                for off in ["seqscan", "hashjoin", "mergejoin", "bitmapscan"] {
                    sqlx::query(&format!("SET LOCAL enable_{off} = off")).execute(&mut *tx).await.unwrap();
                }
                let text = text.replace("$1", "'[]'").replace("$2", "'scripted'");
                sqlx::query_scalar(&format!("EXPLAIN {text}")).fetch_all(&mut *tx).await.unwrap()
            }
        };
        let by_time = |line: &String| {
            if db.is_postgres() {
                line.contains("Index Cond: ") && line.contains("(kind = ") && line.contains("(at = ")
            } else {
                line.contains("submission_observations_at (submission_id=? AND kind=? AND at=?)")
            }
        };
        assert!(plan.iter().any(by_time), "{plan:#?}");
    }
}
