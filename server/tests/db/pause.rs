//! A service that refuses the account is left alone for a while.

use crate::common::{
    Reply, Scripted, TestDb, accepted, account_refused, both, claimant, eventually, sender,
};
use app::model::Status;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::pause;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::worker::run_once;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

async fn end_pause(db: &TestDb) {
    let past = db.at(-1);
    db.run(&format!("UPDATE service_pauses SET paused_until = {past}"))
        .await;
}

/// For how long the service was paused when it had refused that mail.
async fn paused_for(db: &TestDb, id: i64) -> f64 {
    let pause = pause::read(db, "scripted", "account-1")
        .await
        .unwrap()
        .expect("a pause");
    (pause.paused_until.micros() - db.row(id).await.updated_at.micros()) as f64 / 1e6
}

both! {
    async fn mails_refused_together_make_one_pause(db: TestDb) {
        for order in 0..10 {
            db.insert(&order.to_string()).await;
        }
        let mut last = 0;
        for claim in claim_due(&db, &claimant(), 10).await.unwrap() {
            settle(&db, &claim, &account_refused(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
            last = claim.id();
        }
        let first = paused_for(&db, last).await;
        assert!((29.0..31.0).contains(&first), "{first}");
        // The next refusal after it doubles.
        end_pause(&db).await;
        let id = db.insert("later").await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        assert_eq!(claims[0].id(), id);
        settle(&db, &claims[0], &account_refused(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let second = paused_for(&db, id).await;
        assert!((59.0..61.0).contains(&second), "{second}");
    }

    async fn a_paused_service_gets_one_mail_when_the_pause_is_over(db: TestDb) {
        let good = Arc::new(AtomicBool::new(false));
        let says = Arc::clone(&good);
        let service = Scripted::new(move |_| match says.load(Ordering::SeqCst) {
            false => Reply::Now(account_refused()),
            true => Reply::AtGate(accepted("m")),
        });
        let sender = sender(&db, &service);
        let slots = Arc::new(Semaphore::new(16));
        for order in 0..4 {
            db.insert(&order.to_string()).await;
        }
        assert_eq!(run_once(&sender, &slots).await.unwrap(), 4);
        eventually("all four are refused", async || {
            db.number("SELECT COUNT(*) FROM email_submissions WHERE status = 'failed'").await == 4
        })
        .await;
        eventually("nothing is in flight", async || !sender.busy()).await;
        db.insert("new").await;
        for _ in 0..3 {
            assert_eq!(run_once(&sender, &slots).await.unwrap(), 0, "while it is paused");
        }
        good.store(true, Ordering::SeqCst);
        end_pause(&db).await;
        assert_eq!(run_once(&sender, &slots).await.unwrap(), 1, "one mail tries");
        eventually("the one that tries is posted", async || service.posts().len() == 5).await;
        for order in 5..8 {
            db.insert(&order.to_string()).await;
        }
        for _ in 0..3 {
            assert_eq!(run_once(&sender, &slots).await.unwrap(), 0, "until it is answered");
        }
        service.open_gate();
        eventually("the pause is ended", async || {
            pause::read(&db, "scripted", "account-1").await.unwrap().is_none()
        })
        .await;
        // What the pause had put off is due, without waiting for its own time.
        eventually("everything is sent", async || {
            run_once(&sender, &slots).await.unwrap();
            db.number("SELECT COUNT(*) FROM email_submissions WHERE status <> 'synced'").await == 0
        })
        .await;
        assert_eq!(service.posts().len(), 4 + 8);
        assert_eq!(db.number("SELECT MAX(attempts_counted) FROM email_submissions").await, 0);
    }

    async fn an_acceptance_makes_due_only_what_the_pause_put_off(db: TestDb) {
        let put_off = db.insert("put off").await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        settle(&db, &claims[0], &account_refused(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let delayed = db.insert("delayed").await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        let slow = crate::common::temporary(Some(600));
        settle(&db, &claims[0], &slow, OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        pause::clear(&db, &claimant()).await.unwrap();
        let due: Vec<i64> = claim_due(&db, &claimant(), 10).await.unwrap().iter().map(|c| c.id()).collect();
        assert_eq!(due, [put_off]);
        assert_eq!(db.status(delayed).await, Status::Failed);
    }

    /// One recipient that the service does not take must not keep everybody else's mail.
    async fn a_mail_refused_again_while_others_are_accepted_is_to_blame_itself(db: TestDb) {
        let retries = Retries { most: 2 };
        let settled = async |id: i64, outcome: &denpyo::provider::SendOutcome| {
            if db.status(id).await == Status::Failed {
                db.make_due(id).await;
            }
            let claim = claim_due(&db, &claimant(), 1).await.unwrap().remove(0);
            assert_eq!(claim.id(), id);
            settle(&db, &claim, outcome, OnUnknown::Hold, retries).await.unwrap();
        };
        let pauses = async || db.number("SELECT COUNT(*) FROM service_pauses").await;
        let odd = db.insert("odd").await;
        settled(odd, &account_refused()).await;
        settled(odd, &account_refused()).await;
        assert_eq!((pauses().await, db.row(odd).await.attempts_counted), (1, 0), "nothing else is known yet");

        let fine = db.insert("fine").await;
        settled(fine, &accepted("m")).await;
        pause::clear(&db, &claimant()).await.unwrap();
        settled(odd, &account_refused()).await;
        assert_eq!((pauses().await, db.row(odd).await.attempts_counted), (0, 1));
        assert!(db.row(odd).await.next_attempt_at.is_some(), "tried once more");

        // Nothing was accepted since: it may be the account all the same.
        settled(odd, &account_refused()).await;
        assert_eq!((pauses().await, db.row(odd).await.attempts_counted), (1, 1));

        let other = db.insert("other").await;
        settled(other, &accepted("m")).await;
        settled(odd, &account_refused()).await;
        let row = db.row(odd).await;
        assert_eq!((row.attempts_counted, row.next_attempt_at), (2, None), "a person has to look");
        assert_eq!(db.outcome(odd, 5).await.as_deref(), Some("account"));
    }

    /// What another account takes says nothing of this one.
    async fn another_account_proves_nothing(db: TestDb) {
        let other = denpyo::outbox::claim::Claimant { account: "account-2".to_owned(), ..claimant() };
        let retries = Retries { most: 5 };
        let odd = db.insert("odd").await;
        for _ in 0..2 {
            let claim = claim_due(&db, &claimant(), 1).await.unwrap().remove(0);
            assert_eq!(claim.id(), odd);
            settle(&db, &claim, &account_refused(), OnUnknown::Hold, retries).await.unwrap();
            db.insert(&uuid::Uuid::new_v4().to_string()).await;
            let claim = claim_due(&db, &other, 1).await.unwrap().remove(0);
            settle(&db, &claim, &accepted("m"), OnUnknown::Hold, retries).await.unwrap();
            db.make_due(odd).await;
        }
        assert_eq!(db.row(odd).await.attempts_counted, 0);
    }
}
