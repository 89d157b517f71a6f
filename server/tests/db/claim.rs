//! The claim by workers.

use crate::common::{TestDb, both, claimant, eventually, never_left};
use app::model::Status;
use app::model::views::Cause;
use denpyo::db::Db;
use denpyo::outbox::claim::{Claim, Claimant, claim_due};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, Settled, release, settle};
use std::collections::HashSet;
use std::time::Duration;

async fn claim_all(db: &Db) -> Vec<Claim> {
    claim_due(db, &claimant(), 100).await.unwrap()
}

both! {
    /// The clock was set back after it was inserted, or the shop's clock is wrong.
    async fn a_mail_decided_in_the_future_is_due_now_and_a_postponed_one_is_not(db: TestDb) {
        let later = db.at(3600);
        for (order, created, not_before) in [("now", &later, "NULL"), ("later", &db.at(-60), later.as_str())] {
            db.run(&format!(
                "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at, not_before) \
                 VALUES ('{order}', 'k', 'a@example.com', 's', 'b', {created}, {not_before})"
            ))
            .await;
        }
        let claims = claim_due(&db, &claimant(), 10).await.unwrap();
        let ids: Vec<i64> = claims.iter().map(|c| c.id()).collect();
        assert_eq!(ids, [db.id_of("now").await]);
    }

    async fn a_claim_counts_the_attempt_and_opens_its_record(db: TestDb) {
        let id = db.insert("1001").await;
        let claims = claim_all(&db).await;
        assert_eq!(claims.len(), 1);
        assert_eq!((claims[0].id(), claims[0].attempt(), claims[0].attempts_counted()), (id, 1, 0));
        // As another connection sees it: committed.
        let other = db.as_other_process().await;
        let row = denpyo::outbox::read::by_id(&other, id).await.unwrap().unwrap();
        assert_eq!(row.status().unwrap(), Status::Requesting);
        assert_eq!((row.attempts, row.version), (1, 2));
        assert_eq!(row.provider.as_deref(), Some("scripted"));
        let lease = row.lease_until.unwrap().micros() - row.claimed_at.unwrap().micros();
        assert_eq!(lease, 120_000_000);
        let attempts = denpyo::outbox::read::attempts(&other, id).await.unwrap();
        let [attempt] = &attempts[..] else { panic!("{attempts:?}") };
        assert_eq!((attempt.attempt, attempt.worker.as_str()), (1, "worker-1"));
        assert_eq!((attempt.provider.as_str(), attempt.account.as_str()), ("scripted", "account-1"));
        assert_eq!(attempt.recipient.as_ref().unwrap().shown(), "a@example.com");
        assert_eq!((attempt.closed_at, attempt.lease_until), (None, row.lease_until.unwrap()));
        assert!(db.column(id, "claim_token").await.is_some());
        assert!(claim_all(&db).await.is_empty(), "what is claimed is claimed");
    }

    async fn eight_workers_take_each_row_once(db: TestDb) {
        for order in 0..300 {
            db.insert(&order.to_string()).await;
        }
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let own = db.as_other_process().await;
            workers.spawn(async move {
                let mut taken = Vec::new();
                loop {
                    let claims = claim_due(&own, &claimant(), 7).await.unwrap();
                    if claims.is_empty() {
                        return taken;
                    }
                    assert!(claims.len() <= 7);
                    taken.extend(claims.iter().map(Claim::id));
                }
            });
        }
        let taken: Vec<i64> = workers.join_all().await.concat();
        // A worker may find all that is left locked by others and stop; nobody takes twice.
        let rest: Vec<i64> = claim_all(&db).await.iter().map(Claim::id).collect();
        let all: HashSet<i64> = taken.iter().chain(&rest).copied().collect();
        assert_eq!(taken.len() + rest.len(), 300);
        assert_eq!(all.len(), 300);
        assert_eq!(db.number("SELECT COUNT(*) FROM submission_attempts").await, 300);
        assert_eq!(db.number("SELECT MAX(attempts) FROM email_submissions").await, 1);
    }

    async fn only_what_is_due_is_taken(db: TestDb) {
        let (past, future) = (db.at(-60), db.at(60));
        let due = db.insert("due").await;
        let earlier = db.insert("earlier").await;
        let later = db.insert("later").await;
        let held = db.insert("held").await;
        let retry = failed(&db, "retry").await;
        let wait = failed(&db, "wait").await;
        let last = failed(&db, "last").await;
        let held_retry = failed(&db, "held_retry").await;
        db.change(earlier, &format!("not_before = {past}")).await;
        db.change(later, &format!("not_before = {future}")).await;
        db.change(held, "held_reason = 'asked for'").await;
        db.change(retry, &format!("next_attempt_at = {past}")).await;
        db.change(wait, &format!("next_attempt_at = {future}")).await;
        db.change(last, "next_attempt_at = NULL").await;
        db.change(held_retry, &format!("next_attempt_at = {past}, held_reason = 'asked for'")).await;
        let mut taken: Vec<i64> = claim_all(&db).await.iter().map(Claim::id).collect();
        taken.sort_unstable();
        assert_eq!(taken, [due, earlier, retry]);
        assert_eq!(db.row(retry).await.attempts, 2);
    }

    async fn the_longest_waiting_goes_first(db: TestDb) {
        let new = db.insert("new").await;
        let old = db.insert("old").await;
        let oldest = failed(&db, "oldest").await;
        db.change(old, &format!("not_before = {}", db.at(-60))).await;
        db.change(oldest, &format!("next_attempt_at = {}", db.at(-120))).await;
        let mut order = Vec::new();
        for _ in 0..3 {
            order.extend(claim_due(&db, &claimant(), 1).await.unwrap().iter().map(Claim::id));
        }
        assert_eq!(order, [oldest, old, new]);
    }

    async fn an_assumed_failure_is_nobodys_but_a_persons(db: TestDb) {
        let id = db.insert("1001").await;
        let claims = claim_all(&db).await;
        let unknown = crate::common::unknown();
        settle(&db, &claims[0], &unknown, OnUnknown::Failed, Retries { most: 5 }).await.unwrap();
        let row = db.row(id).await;
        assert_eq!((row.status().unwrap(), row.assumed()), (Status::Failed, true));
        assert_eq!(row.next_attempt_at, None);
        assert!(claim_all(&db).await.is_empty());
    }

    async fn what_cannot_be_sent_is_set_aside_and_the_queue_goes_on(db: TestDb) {
        let mut faulty = vec![
            ("'no-at-sign', 's', 'b'", "recipient: no @"),
            ("NULL, 's', 'b'", "recipient: missing"),
            ("'a@example.com\nBcc: b@example.com', 's', 'b'", "recipient: line break or control character at character 14"),
            ("'a@example.com', 'x\r\ny', 'b'", "subject: line break or control character at character 2"),
            ("'a@example.com', 's', NULL", "body_text: both bodies are missing"),
            ("'a@example.com', ' ', 'b'", "subject: missing"),
            ("'a@example.com,b@example.com', 's', 'b'", "recipient: more than one address (at character 16)"),
        ];
        if !db.is_postgres() {
            faulty.push(("x'93fa967b', 's', 'b'", "recipient: not readable as UTF-8 text"));
            faulty.push(("'a@example.com', CAST(x'93fa' AS TEXT), 'b'", "subject: not readable as UTF-8 text"));
            faulty.push(("'a@example.com', 's', x'ff'", "body_text: not readable as UTF-8 text"));
        }
        db.insert("first").await;
        for (i, (content, _)) in faulty.iter().enumerate() {
            db.run(&format!(
                "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
                 VALUES ('{i}', 'k', {content})"
            ))
            .await;
        }
        db.insert("last").await;
        assert_eq!(claim_all(&db).await.len(), 2, "the first and the last");
        for (i, (_, why)) in faulty.iter().enumerate() {
            let id = db.id_of(&i.to_string()).await;
            let row = db.row(id).await;
            assert_eq!(row.status().unwrap(), Status::Rejected, "{why}");
            assert_eq!(row.error.as_deref(), Some(*why));
            assert_eq!((row.attempts, row.provider.as_deref()), (0, None), "{why}");
            assert_eq!(db.observations(id, "screened").await, 1);
        }
    }

    /// The default sender went away after a first attempt.
    async fn a_retry_that_cannot_be_sent_any_more_ends(db: TestDb) {
        let id = failed(&db, "1001").await;
        db.make_due(id).await;
        let nameless = Claimant { from: None, ..claimant() };
        assert!(claim_due(&db, &nameless, 10).await.unwrap().is_empty());
        let row = db.row(id).await;
        assert_eq!((row.status().unwrap(), row.next_attempt_at), (Status::Failed, None));
        assert_eq!(row.error.as_deref(), Some("sender: missing, and DENPYO_FROM is not set"));
        assert_eq!(row.attempts, 1);
    }

    async fn no_leave_to_post_when_the_lease_could_lapse_first(db: TestDb) {
        let short = Claimant {
            lease: Duration::from_millis(1300),
            timeout: Duration::from_millis(100),
            ..claimant()
        };
        let mut round = 0;
        // A machine that was busy with something else meanwhile has shown nothing.
        eventually("none before the lease is over, and not by waiting for it", async || {
            round += 1;
            db.insert(&round.to_string()).await;
            let claim = claim_due(&db, &short, 1).await.unwrap().remove(0);
            let early = claim.permit().is_some();
            assert!(early || claim.age() > Duration::from_millis(200));
            while claim.permit().is_some() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            early && claim.age() < Duration::from_millis(1300)
        })
        .await;
    }

    async fn a_release_gives_back_what_it_took(db: TestDb) {
        let fresh = db.insert("fresh").await;
        let retry = failed(&db, "retry").await;
        db.make_due(retry).await;
        for claim in claim_all(&db).await {
            assert_eq!(release(&db, &claim, Cause::Stopping).await.unwrap(), Settled::Recorded);
            // Said again after a cut connection, it changes nothing.
            assert_eq!(release(&db, &claim, Cause::Stopping).await.unwrap(), Settled::Before);
        }
        let row = db.row(fresh).await;
        assert_eq!((row.status().unwrap(), row.attempts, row.next_attempt_at), (Status::Pending, 1, None));
        let row = db.row(retry).await;
        assert_eq!((row.status().unwrap(), row.attempts), (Status::Failed, 2));
        assert!(row.next_attempt_at.unwrap() <= db.now().await.unwrap());
        for (id, attempt) in [(fresh, 1), (retry, 2)] {
            assert_eq!(db.outcome(id, attempt).await.as_deref(), Some("released"));
            assert_eq!(db.column(id, "claim_token").await, None);
        }
        // Neither counted, and both are sendable at once.
        let again = claim_all(&db).await;
        assert_eq!(again.len(), 2);
        assert!(again.iter().all(|c| c.attempts_counted() == i32::from(c.id() == retry)));
    }
}

/// A row that failed once, with its next attempt still to come.
async fn failed(db: &TestDb, order: &str) -> i64 {
    // Others that wait must not be taken along.
    let others = "held_reason IS NULL AND status = 'pending'";
    let set = "held_reason = 'test', version = version + 1";
    db.run(&format!(
        "UPDATE email_submissions SET {set} WHERE {others}"
    ))
    .await;
    let id = db.insert(order).await;
    let claims = claim_all(db).await;
    let [claim] = &claims[..] else {
        panic!("{claims:?}")
    };
    settle(
        db,
        claim,
        &never_left(),
        OnUnknown::Hold,
        Retries { most: 5 },
    )
    .await
    .unwrap();
    db.put_off(id).await;
    db.run("UPDATE email_submissions SET held_reason = NULL, version = version + 1 WHERE held_reason = 'test'")
        .await;
    id
}

/// A claim locks its rows; another worker passes them by instead of waiting.
#[tokio::test]
async fn workers_on_postgres_do_not_wait_for_each_other() {
    let db = TestDb::postgres().await;
    let first = db.insert("first").await;
    let second = db.insert("second").await;
    let other = db.as_other_process().await;
    let Db::Postgres(pool) = &other else {
        unreachable!()
    };
    let mut tx = pool.begin().await.unwrap();
    sqlx::query("SELECT id FROM email_submissions WHERE id = $1 FOR UPDATE")
        .bind(first)
        .execute(&mut *tx)
        .await
        .unwrap();
    let claims = tokio::time::timeout(Duration::from_secs(10), claim_all(&db))
        .await
        .expect("it waits for a row that another holds");
    assert_eq!(claims.iter().map(Claim::id).collect::<Vec<_>>(), [second]);
    tx.rollback().await.unwrap();
    assert_eq!(
        claim_all(&db)
            .await
            .iter()
            .map(Claim::id)
            .collect::<Vec<_>>(),
        [first]
    );
}
