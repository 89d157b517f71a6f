//! What a send comes to, written down under its own claim.

use crate::common::{
    TestDb, accepted, account_refused, both, claimant, never_left, refused, temporary, unknown,
};
use app::model::views::Cause;
use app::model::{SettledBy, Status};
use denpyo::outbox::claim::{Claim, claim_due};
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::row::Row;
use denpyo::outbox::settle::{OnUnknown, Settled, release, settle};
use denpyo::provider::SendOutcome;

const RETRIES: Retries = Retries { most: 5 };

async fn claimed(db: &TestDb, order: &str) -> (i64, Claim) {
    let id = db.insert(order).await;
    // On a slow machine an earlier mail of the test may be due again.
    let mut claims = claim_due(db, &claimant(), 20).await.unwrap();
    claims.retain(|claim| claim.id() == id);
    assert_eq!(claims.len(), 1);
    (id, claims.remove(0))
}

/// Sends one mail, and returns its row, its attempt's outcome, and seconds to the next attempt.
async fn sent(
    db: &TestDb,
    order: &str,
    outcome: &SendOutcome,
    side: OnUnknown,
) -> (Row, String, Option<f64>) {
    let (id, claim) = claimed(db, order).await;
    let settled = settle(db, &claim, outcome, side, RETRIES).await.unwrap();
    assert_eq!(settled, Settled::Recorded);
    let row = db.row(id).await;
    let wait = row
        .next_attempt_at
        .map(|at| (at.micros() - row.updated_at.micros()) as f64 / 1e6);
    let closed = db.outcome(id, 1).await.expect("the attempt is closed");
    assert_eq!(row.version, 3);
    (row, closed, wait)
}

both! {
    async fn accepted_is_synced(db: TestDb) {
        for (order, outcome, message) in [
            ("1", accepted("m-1"), Some("m-1")),
            ("2", SendOutcome::Accepted { message_id: None }, None),
        ] {
            let (row, closed, wait) = sent(&db, order, &outcome, OnUnknown::Hold).await;
            assert_eq!((row.status().unwrap(), closed.as_str(), wait), (Status::Synced, "accepted", None));
            assert_eq!(row.settled_by(), Some(SettledBy::Response));
            assert_eq!(row.provider_message_id.as_deref(), message);
            assert!(row.sent_at.is_some() && row.error.is_none() && row.lease_until.is_none());
            assert!(!row.possible_duplicate);
        }
    }

    async fn what_was_not_accepted_for_now_is_tried_again(db: TestDb) {
        let (row, closed, wait) = sent(&db, "1", &never_left(), OnUnknown::Hold).await;
        assert_eq!((row.status().unwrap(), closed.as_str()), (Status::Failed, "never_left"));
        assert_eq!((row.settled_by(), row.attempts_counted), (Some(SettledBy::Response), 1));
        assert_eq!(row.error.as_deref(), Some("connection refused"));
        assert!((2.4..7.6).contains(&wait.unwrap()), "{wait:?}");

        let (row, closed, wait) = sent(&db, "2", &temporary(Some(7)), OnUnknown::Hold).await;
        assert_eq!((row.status().unwrap(), closed.as_str()), (Status::Failed, "temporary"));
        assert_eq!((row.error.as_deref(), row.attempts_counted), (Some("429 slow down"), 1));
        assert!((6.9..7.8).contains(&wait.unwrap()), "{wait:?}");

        // However long the service asks for: an hour at most.
        let (_, _, wait) = sent(&db, "3", &temporary(Some(1_764_000_000)), OnUnknown::Hold).await;
        assert!((3599.9..3600.1).contains(&wait.unwrap()), "{wait:?}");
    }

    async fn a_refused_mail_waits_for_a_person(db: TestDb) {
        let (row, closed, wait) = sent(&db, "1", &refused(), OnUnknown::Hold).await;
        assert_eq!((row.status().unwrap(), closed.as_str(), wait), (Status::Rejected, "refused", None));
        assert_eq!((row.error.as_deref(), row.attempts_counted), (Some("422 no such mailbox"), 1));
        let code = format!("SELECT code FROM submission_attempts WHERE submission_id = {}", row.id);
        assert_eq!(db.number(&code).await, 422);
    }

    async fn a_refused_account_costs_no_attempt(db: TestDb) {
        let (row, closed, wait) = sent(&db, "1", &account_refused(), OnUnknown::Hold).await;
        assert_eq!((row.status().unwrap(), closed.as_str()), (Status::Failed, "account"));
        assert_eq!((row.attempts, row.attempts_counted), (1, 0));
        assert!((29.9..33.1).contains(&wait.unwrap()), "{wait:?}");
    }

    async fn unknown_becomes_what_the_setting_says(db: TestDb) {
        let (row, closed, _) = sent(&db, "1", &unknown(), OnUnknown::Hold).await;
        assert_eq!((row.status().unwrap(), closed.as_str()), (Status::Requesting, "unknown"));
        assert!(row.unknown_at.is_some() && row.open_question && row.held_reason.is_none());
        assert_eq!(row.settled_by(), None);

        let (row, closed, wait) = sent(&db, "2", &unknown(), OnUnknown::Synced).await;
        assert_eq!((row.status().unwrap(), closed.as_str(), wait), (Status::Synced, "unknown", None));
        assert!(row.assumed() && row.sent_at.is_none());

        let (row, closed, wait) = sent(&db, "3", &unknown(), OnUnknown::Failed).await;
        assert_eq!((row.status().unwrap(), closed.as_str(), wait), (Status::Failed, "unknown", None));
        assert!(row.assumed());
        assert_eq!(row.error.as_deref(), Some("no answer in time"));
    }

    async fn the_last_attempt_that_counts_is_the_last(db: TestDb) {
        let id = db.insert("1001").await;
        for attempt in 1..=3 {
            let claims = claim_due(&db, &claimant(), 1).await.unwrap();
            assert_eq!(claims[0].attempt(), attempt);
            // The account's refusal between them does not count.
            let outcome = if attempt == 2 { account_refused() } else { never_left() };
            settle(&db, &claims[0], &outcome, OnUnknown::Hold, Retries { most: 2 }).await.unwrap();
            let row = db.row(id).await;
            assert_eq!(row.next_attempt_at.is_none(), attempt == 3, "attempt {attempt}");
            if attempt < 3 {
                db.make_due(id).await;
            }
        }
        let row = db.row(id).await;
        assert_eq!((row.status().unwrap(), row.attempts, row.attempts_counted), (Status::Failed, 3, 2));
        assert!(claim_due(&db, &claimant(), 1).await.unwrap().is_empty());
    }

    /// The connection was cut before the answer to COMMIT: the sender writes the same again.
    async fn a_settle_said_twice_is_said_once(db: TestDb) {
        let outcomes = [
            accepted("m-1"),
            never_left(),
            temporary(None),
            refused(),
            account_refused(),
            unknown(),
        ];
        for side in [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed] {
            for outcome in &outcomes {
                let order = format!("{side:?}-{}", outcome.word().as_str());
                let (id, claim) = claimed(&db, &order).await;
                settle(&db, &claim, outcome, side, RETRIES).await.unwrap();
                let pauses = "SELECT COALESCE(SUM(pauses), 0) FROM service_pauses";
                let (row, paused) = (db.row(id).await, db.number(pauses).await);
                for _ in 0..2 {
                    let again = settle(&db, &claim, outcome, side, RETRIES).await.unwrap();
                    assert_eq!(again, Settled::Before, "{order}");
                }
                let after = db.row(id).await;
                assert_eq!((after.version, after.attempts_counted), (row.version, row.attempts_counted));
                assert_eq!(after.possible_duplicate, row.possible_duplicate, "{order}");
                assert_eq!(db.number(pauses).await, paused, "{order}");
            }
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM submission_observations").await, 0);
    }

    /// Its process was stopped until its lease was over, and then found no time left to post.
    async fn what_is_given_back_late_is_known_not_to_have_left(db: TestDb) {
        for (side, status) in [(OnUnknown::Hold, Status::Pending), (OnUnknown::Failed, Status::Failed)] {
            let (id, claim) = claimed(&db, &format!("{side:?}")).await;
            db.lapse(id).await;
            mark_lapsed(&db, |_| side).await.unwrap();
            assert_eq!(db.outcome(id, 1).await.as_deref(), Some("unknown"));
            let recorded = release(&db, &claim, Cause::Lease).await.unwrap() == Settled::Recorded;
            assert_eq!(recorded, side == OnUnknown::Hold);
            assert_eq!(db.status(id).await, status);
            assert_eq!(release(&db, &claim, Cause::Lease).await.unwrap(), Settled::Before);
            assert_eq!(db.observations(id, "late_released").await, 1);
            db.change(id, "held_reason = 'out of the way'").await;
        }
        // In time, its attempt says so itself.
        let (id, claim) = claimed(&db, "in time").await;
        assert_eq!(release(&db, &claim, Cause::Lease).await.unwrap(), Settled::Recorded);
        assert_eq!(db.outcome(id, 1).await.as_deref(), Some("released"));
        assert_eq!(db.observations(id, "late_released").await, 0);
    }

    /// Settles and the marking of lapsed leases meet on the same rows without a deadlock.
    async fn settles_and_lapses_meet_in_peace(db: TestDb) {
        for order in 0..40 {
            db.insert(&order.to_string()).await;
        }
        let claims = claim_due(&db, &claimant(), 100).await.unwrap();
        let past = db.at(-1);
        db.run(&format!("UPDATE email_submissions SET lease_until = {past}, version = version + 1")).await;
        let other = db.as_other_process().await;
        let lapsing = tokio::spawn(async move {
            mark_lapsed(&other, |_| OnUnknown::Hold).await.unwrap()
        });
        for claim in &claims {
            settle(&db, claim, &accepted("m"), OnUnknown::Hold, RETRIES).await.unwrap();
        }
        lapsing.await.unwrap();
        let synced = "SELECT COUNT(*) FROM email_submissions WHERE status = 'synced'";
        assert_eq!(db.number(synced).await, 40);
    }
}
