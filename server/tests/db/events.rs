//! What services tell by themselves, written down.

use crate::common::{
    TestDb, accepted, account_refused, both, claimant, never_left, refused, temporary, unknown,
};
use app::model::{SettledBy, Status};
use chrono::{DateTime, Utc};
use denpyo::outbox::claim::{Claim, Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::events::{Applied, apply};
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::lookup;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, Settled, settle};
use denpyo::provider::events::{EventKind, MailEvent};
use std::time::Duration;
use uuid::Uuid;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_767_000_000 + seconds, 0).unwrap()
}

fn event(reference: Uuid, attempt: i32, kind: EventKind, seconds: i64) -> MailEvent {
    MailEvent {
        reference: Some(reference),
        attempt: Some(attempt),
        kind,
        at: Some(at(seconds)),
        message_id: Some(format!("m-{attempt}")),
        detail: None,
    }
}

async fn reference(db: &TestDb, id: i64) -> Uuid {
    db.row(id).await.uuid().unwrap()
}

async fn tell(db: &TestDb, events: &[MailEvent]) -> Applied {
    apply(db, "scripted", events).await.unwrap()
}

async fn claimed(db: &TestDb, order: &str) -> (i64, Uuid, Claim) {
    let id = db.insert(order).await;
    let mut claims = claim_due(db, &claimant(), 10).await.unwrap();
    assert_eq!(claims.len(), 1);
    (id, reference(db, id).await, claims.remove(0))
}

async fn write(db: &TestDb, claim: &Claim, outcome: denpyo::provider::SendOutcome) -> Settled {
    settle(db, claim, &outcome, OnUnknown::Hold, Retries { most: 5 })
        .await
        .unwrap()
}

async fn again(db: &TestDb, id: i64) -> Claim {
    let resend = Resend {
        actor: "sato",
        ..Resend::default()
    };
    match claim_for_person(db, &claimant(), id, &resend)
        .await
        .unwrap()
    {
        Resent::Claimed(claim) => *claim,
        other => panic!("{other:?}"),
    }
}

async fn all_observations(db: &TestDb, id: i64) -> i64 {
    db.number(&format!(
        "SELECT COUNT(*) FROM submission_observations WHERE submission_id = {id}"
    ))
    .await
}

both! {
    async fn every_event_proves_that_the_mail_was_accepted(db: TestDb) {
        let kinds = [EventKind::Accepted, EventKind::Delivered, EventKind::Bounced, EventKind::Complained];
        for (i, kind) in kinds.into_iter().enumerate() {
            for state in ["pending", "held", "requesting", "unknown", "failed", "rejected", "canceled",
                "assumed failed", "assumed sent"] {
                let order = format!("{state}-{}", kind.as_str());
                let (id, own) = match state {
                    "pending" | "held" | "canceled" => {
                        let id = db.insert(&order).await;
                        (id, reference(&db, id).await)
                    }
                    _ => {
                        let (id, own, claim) = claimed(&db, &order).await;
                        match state {
                            "unknown" => { write(&db, &claim, unknown()).await; }
                            "failed" => { write(&db, &claim, never_left()).await; }
                            "rejected" => { write(&db, &claim, refused()).await; }
                            "assumed failed" | "assumed sent" => {
                                let side = if state.ends_with("sent") { OnUnknown::Synced } else { OnUnknown::Failed };
                                settle(&db, &claim, &unknown(), side, Retries { most: 5 }).await.unwrap();
                            }
                            _ => {}
                        }
                        (id, own)
                    }
                };
                match state {
                    "held" => db.change(id, "held_reason = 'restored', held_by = 'hold'").await,
                    "canceled" => db.change(id, "status = 'canceled'").await,
                    _ => {}
                }
                let told = tell(&db, &[event(own, 1, kind, 0)]).await;
                assert_eq!(told.fresh[i], 1, "{order}");
                let row = db.row(id).await;
                assert_eq!(row.status().unwrap(), Status::Synced, "{order}");
                assert_eq!(row.settled_by(), Some(SettledBy::Webhook), "{order}");
                assert_eq!(row.sent_at.unwrap().utc(), at(0), "{order}");
                assert_eq!(row.provider_message_id.as_deref(), Some("m-1"), "{order}");
                assert_eq!(row.provider.as_deref(), Some("scripted"), "{order}");
                assert!(row.held_reason.is_none() && row.error.is_none() && row.next_attempt_at.is_none());
                assert!(!row.possible_duplicate, "{order}");
                let delivery = row.delivery().map(|d| d.as_str());
                assert_eq!(delivery, (kind != EventKind::Accepted).then_some(kind.as_str()), "{order}");
                assert_eq!(db.observations(id, &format!("event_{}", kind.as_str())).await, 1);
            }
        }
        assert!(claim_due(&db, &claimant(), 100).await.unwrap().is_empty());
    }

    async fn what_is_told_again_changes_nothing(db: TestDb) {
        let (id, own, claim) = claimed(&db, "1").await;
        write(&db, &claim, accepted("m-1")).await;
        let mut timeless = event(own, 1, EventKind::Bounced, 0);
        timeless.at = None;
        let mut nameless = event(own, 1, EventKind::Delivered, 40);
        nameless.attempt = None;
        let batch = [
            event(own, 1, EventKind::Accepted, 1),
            event(own, 1, EventKind::Accepted, 2),
            event(own, 1, EventKind::Delivered, 3),
            event(own, 1, EventKind::Delivered, 3),
            timeless,
            nameless,
        ];
        let told = tell(&db, &batch).await;
        assert_eq!((told.fresh, told.repeated), ([2, 2, 1, 0], 1));
        let before = db.row(id).await;
        assert_eq!(before.settled_by(), Some(SettledBy::Response));
        for _ in 0..3 {
            let told = tell(&db, &batch).await;
            assert_eq!((told.fresh, told.repeated, told.foreign), ([0; 4], 6, 0));
        }
        let after = db.row(id).await;
        assert_eq!((after.version, after.updated_at), (before.version, before.updated_at));
        assert_eq!(all_observations(&db, id).await, 5);
    }

    async fn foreign_events_are_counted_and_harmless(db: TestDb) {
        let (id, own, claim) = claimed(&db, "1").await;
        write(&db, &claim, accepted("m-1")).await;
        let mut nobodys = event(own, 1, EventKind::Delivered, 3);
        nobodys.reference = None;
        let mut beyond = event(own, -7, EventKind::Delivered, 3);
        beyond.at = DateTime::from_timestamp(200_000_000_000, 0);
        let told = tell(&db, &[
            nobodys.clone(),
            event(Uuid::from_u128(7), 1, EventKind::Bounced, 3),
            beyond,
        ]).await;
        // A time that no mail can have counts as none, and so does an attempt.
        assert_eq!((told.fresh, told.repeated, told.foreign), ([0, 1, 0, 0], 0, 2));
        let (row, now) = (db.row(id).await, db.now().await.unwrap());
        assert!((now.micros() - row.delivery_at.unwrap().micros()).abs() < 60_000_000);
        assert_eq!(tell(&db, &[nobodys]).await.foreign, 1);
        assert_eq!(tell(&db, &[]).await, Applied::default());
    }

    /// Services keep no order: whatever order events come in, one at a time or together, the same
    /// is true in the end.
    async fn delivery_does_not_hang_on_the_order_of_events(db: TestDb) {
        use EventKind::{Bounced, Complained, Delivered};
        type Told = &'static [(EventKind, i64)];
        let cases: [(Told, &str, i64); 6] = [
            (&[(Delivered, 10), (Bounced, 20)], "bounced", 20),
            (&[(Bounced, 10), (Delivered, 20)], "delivered", 20),
            (&[(Complained, 10), (Delivered, 20)], "complained", 10),
            (&[(Delivered, 20), (Bounced, 20)], "bounced", 20),
            (&[(Delivered, 5), (Complained, 10), (Delivered, 30)], "complained", 10),
            (&[(Complained, 10), (Delivered, 20), (Bounced, 15)], "bounced", 15),
        ];
        for (i, (told, state, seconds)) in cases.into_iter().enumerate() {
            for turn in 0..told.len() {
                for together in [true, false] {
                    let id = db.insert(&format!("{i}-{turn}-{together}")).await;
                    let own = reference(&db, id).await;
                    let mut events: Vec<MailEvent> =
                        told.iter().map(|(kind, at)| event(own, 1, *kind, *at)).collect();
                    events.rotate_left(turn);
                    if together {
                        tell(&db, &events).await;
                    } else {
                        for one in &events {
                            tell(&db, std::slice::from_ref(one)).await;
                        }
                    }
                    let row = db.row(id).await;
                    assert_eq!(row.delivery().map(|d| d.as_str()), Some(state), "{told:?} from {turn}");
                    assert_eq!(row.delivery_at.unwrap().utc(), at(seconds), "{told:?} from {turn}");
                }
            }
        }
    }

    /// The event is quicker than the answer.
    async fn the_workers_own_answer_after_an_event_does_no_harm(db: TestDb) {
        let outcomes = [accepted("m-late"), refused(), never_left(), temporary(None), account_refused(), unknown()];
        for (i, outcome) in outcomes.into_iter().enumerate() {
            let (id, own, claim) = claimed(&db, &i.to_string()).await;
            tell(&db, &[event(own, 1, EventKind::Delivered, 3)]).await;
            let good = outcome == accepted("m-late");
            assert_eq!(write(&db, &claim, outcome.clone()).await, if good { Settled::Recorded } else { Settled::Late });
            let row = db.row(id).await;
            assert_eq!(row.status().unwrap(), Status::Synced, "{outcome:?}");
            assert!(!row.possible_duplicate && row.next_attempt_at.is_none(), "{outcome:?}");
            assert_eq!(row.provider_message_id.as_deref(), Some(if good { "m-late" } else { "m-1" }));
            assert_eq!(db.outcome(id, 1).await.as_deref(), Some(outcome.word().as_str()));
            // Nothing is asked about it, and nothing is sent again.
            assert_eq!(mark_lapsed(&db, |_| OnUnknown::Failed).await.unwrap(), 0);
            assert!(claim_due(&db, &claimant(), 10).await.unwrap().is_empty());
        }
    }

    async fn an_older_attempts_event_says_that_two_mails_may_be_on_their_way(db: TestDb) {
        let (id, own, claim) = claimed(&db, "1").await;
        write(&db, &claim, refused()).await;
        let second = again(&db, id).await;
        tell(&db, &[event(own, 1, EventKind::Accepted, 3)]).await;
        let row = db.row(id).await;
        assert_eq!((row.status().unwrap(), row.possible_duplicate), (Status::Synced, true));
        write(&db, &second, accepted("m-2")).await;
        assert!(db.row(id).await.possible_duplicate);

        // Two attempts told of, each once accepted.
        let (id, own, claim) = claimed(&db, "2").await;
        write(&db, &claim, refused()).await;
        let second = again(&db, id).await;
        write(&db, &second, accepted("m-2")).await;
        tell(&db, &[event(own, 2, EventKind::Delivered, 3)]).await;
        assert!(!db.row(id).await.possible_duplicate);
        tell(&db, &[event(own, 1, EventKind::Delivered, 4)]).await;
        assert!(db.row(id).await.possible_duplicate);
    }

    /// A process dies after the event came: its attempt is closed once the lease is over.
    async fn an_attempt_that_nobody_closes_is_closed(db: TestDb) {
        let (id, own, claim) = claimed(&db, "1").await;
        tell(&db, &[event(own, 1, EventKind::Accepted, 3)]).await;
        let take = async || lookup::take(&db, "p", Duration::from_secs(60), 10).await.unwrap().len();
        assert_eq!((take().await, db.outcome(id, 1).await), (0, None), "its lease lives");
        let past = db.at(-1);
        db.run(&format!("UPDATE lookups SET next_at = {past}")).await;
        assert_eq!((take().await, db.outcome(id, 1).await), (0, None), "looked at early");
        // SQLite and PostgreSQL both refuse to change an attempt; a claim with a short lease stands in.
        drop(claim);
        let short = denpyo::outbox::claim::Claimant { lease: Duration::from_millis(1), ..claimant() };
        let id = db.insert("2").await;
        let own = reference(&db, id).await;
        assert_eq!(claim_due(&db, &short, 10).await.unwrap().len(), 1);
        tell(&db, &[event(own, 1, EventKind::Accepted, 3)]).await;
        assert_eq!(take().await, 0);
        assert_eq!(db.outcome(id, 1).await.as_deref(), Some("accepted"));
        assert_eq!(db.number("SELECT COUNT(*) FROM lookups").await, 0);
        assert!(!db.row(id).await.possible_duplicate);
    }

    /// Services post the same batch through several connections.
    async fn a_batch_told_twice_at_once_is_written_once(db: TestDb) {
        let mut batch = Vec::new();
        for order in 0..60 {
            let id = db.insert(&order.to_string()).await;
            let own = reference(&db, id).await;
            batch.push(event(own, 1, EventKind::Accepted, 1));
            batch.push(event(own, 1, EventKind::Delivered, 2));
        }
        let mut tasks = Vec::new();
        for turn in 0..4 {
            let (other, mut batch) = (db.as_other_process().await, batch.clone());
            batch.rotate_left(turn * 31);
            tasks.push(tokio::spawn(async move { apply(&other, "scripted", &batch).await.unwrap() }));
        }
        let (mut fresh, mut repeated) = ([0; 4], 0);
        for task in tasks {
            let told = task.await.unwrap();
            for (sum, n) in fresh.iter_mut().zip(told.fresh) {
                *sum += n;
            }
            repeated += told.repeated;
        }
        assert_eq!((fresh, repeated), ([60, 60, 0, 0], 3 * 120));
        assert_eq!(db.number("SELECT COUNT(*) FROM submission_observations").await, 120);
        assert_eq!(db.number("SELECT MAX(version) FROM email_submissions").await, 3);
    }

    /// A service that was answered wrongly repeats a batch for a day: what is known writes nothing.
    async fn a_batch_of_five_hundred_is_applied_once_however_often_it_comes(db: TestDb) {
        let mut batch = Vec::new();
        for order in 0..500 {
            db.insert(&order.to_string()).await;
        }
        for id in 1..=500 {
            batch.push(event(reference(&db, id).await, 1, EventKind::Delivered, id));
        }
        for turn in 0..46 {
            let told = tell(&db, &batch).await;
            let expected = if turn == 0 { (500, 0) } else { (0, 500) };
            assert_eq!((told.fresh[1], told.repeated), expected);
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM submission_observations").await, 500);
        assert_eq!(db.number("SELECT SUM(version) FROM email_submissions").await, 1500);
    }
}
