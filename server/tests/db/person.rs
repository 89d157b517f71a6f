//! The claim by a person's resend.

use crate::common::{TestDb, accepted, both, claimant, never_left, refused, settled, unknown};
use app::model::Status;
use app::model::address::Address;
use denpyo::db::Db;
use denpyo::outbox::claim::{Claim, Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};

fn by(actor: &str) -> Resend<'_> {
    Resend {
        actor,
        ..Resend::default()
    }
}

async fn resend(db: &Db, id: i64, resend: &Resend<'_>) -> Resent {
    claim_for_person(db, &claimant(), id, resend).await.unwrap()
}

fn claim_of(resent: Resent) -> Claim {
    match resent {
        Resent::Claimed(claim) => *claim,
        other => panic!("not claimed: {other:?}"),
    }
}

async fn acts(db: &TestDb, id: i64) -> i64 {
    db.number(&format!(
        "SELECT COUNT(*) FROM audit_events WHERE submission_id = {id}"
    ))
    .await
}

both! {
    async fn what_failed_or_was_refused_is_sent_again(db: TestDb) {
        for (order, outcome, before) in [("1", never_left(), "failed"), ("2", refused(), "rejected")] {
            let id = settled(&db, order, &outcome).await;
            let version = db.row(id).await.version;
            let asked = Resend {
                version: Some(version),
                attempt: Some(1),
                reason: Some("the customer called"),
                ..by("sato")
            };
            let claim = claim_of(resend(&db, id, &asked).await);
            assert_eq!((claim.id(), claim.attempt()), (id, 2));
            let row = db.row(id).await;
            assert_eq!((row.status().unwrap(), row.attempts), (Status::Requesting, 2));
            assert_eq!((row.error, row.next_attempt_at, row.version), (None, None, version + 1));
            let written = db
                .text_of(&format!(
                    "SELECT actor || '|' || act || '|' || reason || '|' || before_status || '|' || \
                     after_status || '|' || attempt || '|' || version_seen FROM audit_events \
                     WHERE submission_id = {id}"
                ))
                .await;
            let expected = format!("sato|resend|the customer called|{before}|requesting|2|{version}");
            assert_eq!(written, Some(expected));
            let actor = format!("SELECT actor FROM submission_attempts WHERE submission_id = {id} AND attempt = 2");
            assert_eq!(db.text_of(&actor).await.as_deref(), Some("sato"));
        }
    }

    async fn a_corrected_recipient_goes_into_the_claim(db: TestDb) {
        let id = settled(&db, "1001", &refused()).await;
        for right in ["first-try@example.com", "right@example.com"] {
            let address = Address::parse(right).unwrap();
            let asked = Resend { recipient: Some(&address), ..by("sato") };
            let claim = claim_of(resend(&db, id, &asked).await);
            assert_eq!(claim.permit().unwrap().envelope().content.recipient.as_str(), right);
            let used = format!(
                "SELECT recipient FROM submission_attempts WHERE submission_id = {id} AND attempt = {}",
                claim.attempt()
            );
            assert_eq!(db.text_of(&used).await.as_deref(), Some(right));
            settle(&db, &claim, &refused(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        }
        let row = db.row(id).await;
        assert_eq!(row.recipient.unwrap().shown(), "right@example.com");
        assert_eq!(row.first_recipient.unwrap().shown(), "a@example.com");
        let changes = format!(
            "SELECT string_agg(before_recipient || '>' || after_recipient, ' ') FROM \
             (SELECT * FROM audit_events WHERE submission_id = {id} ORDER BY id) AS e"
        );
        let changes = changes.replace("string_agg", if db.is_postgres() { "string_agg" } else { "group_concat" });
        assert_eq!(
            db.text_of(&changes).await.as_deref(),
            Some("a@example.com>first-try@example.com first-try@example.com>right@example.com")
        );
    }

    async fn a_row_rejected_for_its_address_is_saved_by_a_correction(db: TestDb) {
        let id = db.insert_to("1001", "no at sign").await;
        assert!(claim_due(&db, &claimant(), 1).await.unwrap().is_empty());
        let without = resend(&db, id, &by("sato")).await;
        assert!(matches!(without, Resent::Unsendable(_)), "{without:?}");
        assert_eq!(acts(&db, id).await, 0);
        let address = Address::parse("right@example.com").unwrap();
        let claim = claim_of(resend(&db, id, &Resend { recipient: Some(&address), ..by("sato") }).await);
        assert_eq!(claim.attempt(), 1);
    }

    async fn a_row_that_is_not_as_it_was_seen_is_refused(db: TestDb) {
        let id = settled(&db, "1001", &never_left()).await;
        let row = db.row(id).await;
        for (version, attempt) in [(Some(row.version - 1), None), (None, Some(0)), (Some(row.version), Some(2))] {
            let answer = resend(&db, id, &Resend { version, attempt, ..by("sato") }).await;
            assert!(matches!(answer, Resent::Refused(_)), "{answer:?}");
        }
        let after = db.row(id).await;
        assert_eq!((after.version, after.attempts), (row.version, 1));
        assert_eq!(acts(&db, id).await, 0);
    }

    async fn no_other_state_is_resent(db: TestDb) {
        let synced = settled(&db, "synced", &accepted("m-1")).await;
        let requesting = settled(&db, "requesting", &unknown()).await;
        let pending = db.insert("pending").await;
        let canceled = db.insert("canceled").await;
        db.change(canceled, "status = 'canceled'").await;
        let held = settled_while_others_wait(&db, "held", pending).await;
        db.change(held, "held_reason = 'asked for'").await;
        for id in [synced, requesting, pending, canceled, held] {
            let before = db.row(id).await;
            let answer = resend(&db, id, &by("sato")).await;
            assert!(matches!(answer, Resent::Refused(_)), "{answer:?}");
            assert_eq!(db.row(id).await.version, before.version);
            assert_eq!(acts(&db, id).await, 0);
        }
        let nobody = resend(&db, 999_999, &by("sato")).await;
        assert!(matches!(nobody, Resent::NotFound), "{nobody:?}");
    }

    async fn the_same_request_is_the_same_act(db: TestDb) {
        let id = settled(&db, "1001", &never_left()).await;
        let asked = Resend { request_id: Some("r-1"), ..by("api") };
        let claim = claim_of(resend(&db, id, &asked).await);
        for _ in 0..2 {
            let again = resend(&db, id, &asked).await;
            assert!(matches!(again, Resent::Before { attempt: Some(2) }), "{again:?}");
        }
        settle(&db, &claim, &never_left(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        // Even now that it could be resent: that request was carried out.
        let again = resend(&db, id, &asked).await;
        assert!(matches!(again, Resent::Before { attempt: Some(2) }), "{again:?}");
        assert_eq!((db.row(id).await.attempts, acts(&db, id).await), (2, 1));
        claim_of(resend(&db, id, &Resend { request_id: Some("r-2"), ..by("api") }).await);
    }

    async fn twenty_clicks_are_one_claim(db: TestDb) {
        let id = settled(&db, "1001", &never_left()).await;
        let mut clicks = tokio::task::JoinSet::new();
        let others = [db.as_other_process().await, db.as_other_process().await];
        for i in 0..20 {
            let own = others[i % 2].clone();
            clicks.spawn(async move {
                let answer = claim_for_person(&own, &claimant(), id, &by("sato")).await.unwrap();
                match answer {
                    Resent::Claimed(_) => 1,
                    Resent::Refused(row) => {
                        assert_eq!(row.status().unwrap(), Status::Requesting);
                        0
                    }
                    other => panic!("{other:?}"),
                }
            });
        }
        assert_eq!(clicks.join_all().await.iter().sum::<i32>(), 1);
        assert_eq!((db.row(id).await.attempts, acts(&db, id).await), (2, 1));
    }

    /// Both want the same due row: one attempt comes of it, whoever is first.
    async fn a_person_and_a_worker_make_one_attempt(db: TestDb) {
        for round in 0..10 {
            let id = settled(&db, &round.to_string(), &never_left()).await;
            db.make_due(id).await;
            let other = db.as_other_process().await;
            let worker = tokio::spawn(async move { claim_due(&other, &claimant(), 10).await.unwrap().len() });
            let person = resend(&db, id, &by("sato")).await;
            let by_worker = worker.await.unwrap();
            let by_person = usize::from(matches!(person, Resent::Claimed(_)));
            assert_eq!(by_worker + by_person, 1, "round {round}: {person:?}");
            assert_eq!(db.row(id).await.attempts, 2);
            assert_eq!(acts(&db, id).await, by_person as i64);
        }
    }
}

async fn settled_while_others_wait(db: &TestDb, order: &str, waiting: i64) -> i64 {
    db.change(waiting, "held_reason = 'test'").await;
    let id = settled(db, order, &never_left()).await;
    db.change(waiting, "held_reason = NULL").await;
    id
}
