//! Rows held for a person: too old, or after a restore.

use crate::common::{TestDb, accepted, both, claimant, refused, temporary};
use app::desk::Answer;
use app::model::Status;
use app::model::views::Cause;
use denpyo::outbox::claim::{Claim, Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::hold::{By, hold_all, hold_old, release, release_all};
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::operate::{Answered, answer};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{self, OnUnknown, settle};
use denpyo::outbox::{installation, lookup};
use std::time::Duration;

const AGE: Duration = Duration::from_secs(3 * 86_400);

async fn insert_old(db: &TestDb, order: &str, days: i64, not_before: Option<i64>) -> i64 {
    let created = db.at(-days * 86_400 - 60);
    let not_before = not_before.map_or("NULL".to_owned(), |days| db.at(-days * 86_400 - 60));
    db.run(&format!(
        "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at, not_before) \
         VALUES ('{order}', 'invoice', 'a@example.com', 's', 'b', {created}, {not_before})"
    ))
    .await;
    db.id_of(order).await
}

async fn claimed(db: &TestDb) -> Vec<i64> {
    let claims = claim_due(db, &claimant(), 100).await.unwrap();
    claims.iter().map(Claim::id).collect()
}

both! {
    /// Before the reconciler comes by, and after.
    async fn what_is_too_old_is_never_sent_by_itself(db: TestDb) {
        let old = insert_old(&db, "old", 3, None).await;
        let older = insert_old(&db, "older", 400, Some(5)).await;
        let wanted_later = insert_old(&db, "later", 400, Some(2)).await;
        let young = db.insert("young").await;
        let mut first = claimed(&db).await;
        first.sort_unstable();
        assert_eq!(first, [wanted_later, young]);
        assert_eq!(hold_old(&db, AGE).await.unwrap(), 2);
        assert_eq!(hold_old(&db, AGE).await.unwrap(), 0);
        for id in [old, older] {
            let row = db.row(id).await;
            assert_eq!(row.status().unwrap(), Status::Pending);
            assert!(row.held_reason.is_some());
            assert_eq!(db.observations(id, "held").await, 1);
        }
        assert!(claimed(&db).await.is_empty());
    }

    async fn a_retry_that_has_grown_too_old_is_held(db: TestDb) {
        let id = insert_old(&db, "1001", 2, None).await;
        let claim = claim_due(&db, &claimant(), 1).await.unwrap().remove(0);
        settle(&db, &claim, &temporary(None), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        db.make_due(id).await;
        assert_eq!(hold_old(&db, AGE).await.unwrap(), 0);
        assert_eq!(hold_old(&db, Duration::from_secs(86_400)).await.unwrap(), 1);
        assert!(claimed(&db).await.is_empty());
    }

    async fn what_a_person_lets_go_is_sent_and_its_age_counts_anew(db: TestDb) {
        let id = insert_old(&db, "1001", 30, None).await;
        hold_old(&db, AGE).await.unwrap();
        assert_eq!(release(&db, &[id], "sato", "still wanted").await.unwrap(), 1);
        assert_eq!(release(&db, &[id], "sato", "still wanted").await.unwrap(), 0);
        assert_eq!(hold_old(&db, AGE).await.unwrap(), 0);
        assert_eq!(claimed(&db).await, [id]);
        let acts = format!("SELECT COUNT(*) FROM audit_events WHERE submission_id = {id} AND act = 'release'");
        assert_eq!(db.number(&acts).await, 1);
    }

    async fn a_hold_stops_every_claim_and_a_release_ends_it(db: TestDb) {
        let mut ids = Vec::new();
        for n in 0..3 {
            ids.push(db.insert(&format!("o-{n}")).await);
        }
        let failed = claim_due(&db, &claimant(), 1).await.unwrap().remove(0);
        settle(&db, &failed, &temporary(None), OnUnknown::Hold, Retries { most: 1 }).await.unwrap();
        let old = insert_old(&db, "old", 30, None).await;
        hold_old(&db, AGE).await.unwrap();
        assert_eq!(hold_all(&db, By::Hold, "restored from Tuesday").await.unwrap(), 3);
        assert!(claimed(&db).await.is_empty());
        let click = Resend { actor: "sato", ..Resend::default() };
        let refused = claim_for_person(&db, &claimant(), failed.id(), &click).await.unwrap();
        let Resent::Refused(row) = refused else { panic!("{refused:?}") };
        assert_eq!(row.held_reason.as_deref(), Some("restored from Tuesday"));
        // What comes in from now on is new business.
        let new = db.insert("new").await;
        assert_eq!(claimed(&db).await, [new]);
        assert_eq!(release_all(&db, "cli", "checked").await.unwrap(), 3);
        // What age holds stays held.
        assert!(db.row(old).await.held_reason.is_some());
        assert_eq!(claimed(&db).await.len(), 2);
    }

    /// It is settled as ever, and whatever is left to be sent then waits for a person.
    async fn a_hold_reaches_what_is_being_sent(db: TestDb) {
        for n in 0..7 {
            db.insert(&format!("o-{n}")).await;
        }
        let claims = claim_due(&db, &claimant(), 10).await.unwrap();
        assert_eq!(hold_all(&db, By::Hold, "restored from Tuesday").await.unwrap(), 7);
        let [no, later, back, lapsed, taken, sent, not_sent] = &claims[..] else {
            panic!("{claims:?}")
        };
        for (claim, outcome) in [(no, refused()), (later, temporary(None)), (taken, accepted("m-1"))] {
            settle(&db, claim, &outcome, OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        }
        db.make_due(later.id()).await;
        settle::release(&db, back, Cause::Lease).await.unwrap();
        for claim in [lapsed, sent, not_sent] {
            db.lapse(claim.id()).await;
        }
        assert_eq!(mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap(), 3);
        // A person's word: what went out needs no hold any more.
        for (claim, word) in [(sent, Answer::Sent), (not_sent, Answer::NotSent)] {
            let version = db.row(claim.id()).await.version;
            let said = answer(&db, "sato", claim.id(), version, word, "asked").await.unwrap();
            assert!(matches!(said, Answered::Recorded), "{said:?}");
        }
        // A look-up's no sets it free, and it stays.
        let past = db.at(-1);
        db.run(&format!("UPDATE lookups SET next_at = {past}")).await;
        let open = lookup::take(&db, "p", AGE, 10).await.unwrap();
        assert_eq!(open.len(), 1);
        lookup::not_there(&db, &open[0], "not found twice", 5).await.unwrap();

        for (claim, status) in [
            (no, Status::Rejected),
            (later, Status::Failed),
            (back, Status::Pending),
            (lapsed, Status::Failed),
            (not_sent, Status::Failed),
        ] {
            let row = db.row(claim.id()).await;
            assert_eq!(row.status().unwrap(), status);
            assert_eq!(row.held_reason.as_deref(), Some("restored from Tuesday"), "{status:?}");
        }
        for claim in [taken, sent] {
            let row = db.row(claim.id()).await;
            assert_eq!(row.status().unwrap(), Status::Synced);
            assert!(row.held_reason.is_none() && row.held_by().is_none());
        }
        assert!(claimed(&db).await.is_empty());
        let click = Resend { actor: "sato", ..Resend::default() };
        let answer = claim_for_person(&db, &claimant(), not_sent.id(), &click).await.unwrap();
        assert!(matches!(answer, Resent::Refused(_)), "{answer:?}");
        assert_eq!(release_all(&db, "cli", "checked").await.unwrap(), 5);
        let mut sendable = claimed(&db).await;
        sendable.sort_unstable();
        let mut wanted = [later.id(), back.id(), lapsed.id()];
        wanted.sort_unstable();
        assert_eq!(sendable, wanted);
    }

    async fn another_installations_database_is_held(db: TestDb) {
        assert_eq!(installation(&db, Some("shop-1")).await.unwrap(), "shop-1");
        let id = db.insert("1001").await;
        assert_eq!(installation(&db, Some("shop-1")).await.unwrap(), "shop-1");
        assert_eq!(installation(&db, None).await.unwrap(), "shop-1");
        assert!(db.row(id).await.held_reason.is_none());
        assert_eq!(installation(&db, Some("shop-2")).await.unwrap(), "shop-2");
        let reason = db.row(id).await.held_reason.unwrap();
        assert!(reason.contains("shop-1") && reason.contains("shop-2"), "{reason}");
        assert!(claimed(&db).await.is_empty());
        // The new name is kept: a later start holds nothing.
        let new = db.insert("1002").await;
        installation(&db, Some("shop-2")).await.unwrap();
        assert_eq!(claimed(&db).await, [new]);
    }
}
