//! nextcloud/mail#13421: a NULL time matched no sweeper. Every state that is not an end, with every
//! time missing, stale or ahead, has a next step: something will move it, or a person sees it.

use crate::common::{TestDb, both, claimant, refused, temporary, unknown};
use app::model::Filter;
use app::model::filter::Needs;
use denpyo::outbox::claim::{Claim, Claimant, claim_due};
use denpyo::outbox::list::{Where, count_up_to};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::outbox::{hold, lapse, lookup};
use denpyo::provider::SendOutcome;
use std::time::Duration;

async fn claimed(db: &TestDb, order: &str, lease: Duration) -> Claim {
    db.insert(order).await;
    let who = Claimant {
        lease,
        ..claimant()
    };
    claim_due(db, &who, 1).await.unwrap().remove(0)
}

async fn settled(db: &TestDb, order: &str, outcome: &SendOutcome, side: OnUnknown) -> i64 {
    let claim = claimed(db, order, Duration::from_millis(1)).await;
    settle(db, &claim, outcome, side, Retries { most: 5 })
        .await
        .unwrap();
    claim.id()
}

both! {
    async fn no_row_is_without_a_next_step(db: TestDb) {
        let (past, ahead) = (db.at(-60), db.at(3600));
        // Claimed by a process that vanished, or is at it.
        for (order, lease) in [("vanished", Duration::from_millis(1)), ("at-it", Duration::from_secs(120))] {
            claimed(&db, order, lease).await;
        }
        for (i, side) in [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed].into_iter().enumerate() {
            settled(&db, &format!("unknown-{i}"), &unknown(), side).await;
            // As a version before look-ups, or a restored backup, has left it.
            let id = settled(&db, &format!("unscheduled-{i}"), &unknown(), side).await;
            db.run(&format!("DELETE FROM lookups WHERE submission_id = {id}")).await;
        }
        settled(&db, "refused", &refused(), OnUnknown::Hold).await;
        for (order, next) in [("retry-past", &past), ("retry-ahead", &ahead), ("retry-none", &"NULL".to_owned())] {
            let id = settled(&db, order, &temporary(None), OnUnknown::Hold).await;
            db.change(id, &format!("next_attempt_at = {next}")).await;
        }
        for (order, set) in [
            ("plain", "not_before = NULL".to_owned()),
            ("postponed-past", format!("not_before = {past}")),
            ("postponed-ahead", format!("not_before = {ahead}")),
            ("held", "held_reason = 'x', held_by = NULL".to_owned()),
        ] {
            let id = db.insert(order).await;
            db.change(id, &set).await;
        }
        let old = db.at(-10 * 86_400);
        db.run(&format!(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
             VALUES ('old', 'k', 'a@example.com', 's', 'b', {old}), ('ahead', 'k', 'a@example.com', 's', 'b', {ahead})"
        ))
        .await;

        lapse::mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap();
        hold::hold_old(&db, Duration::from_secs(3 * 86_400)).await.unwrap();
        lookup::sweep(&db).await.unwrap();

        let now = db.at(0);
        // By itself: a claim now or at a set time, a lease that will end, a question on its way.
        let by_itself = format!(
            "((status = 'pending' AND held_reason IS NULL) \
             OR (status = 'failed' AND held_reason IS NULL AND next_attempt_at IS NOT NULL) \
             OR (status = 'requesting' AND unknown_at IS NULL AND lease_until > {now}) \
             OR EXISTS (SELECT 1 FROM lookups l WHERE l.submission_id = s.id AND l.attempt = s.attempts AND NOT l.ended))"
        );
        let ends = "(status = 'canceled' OR (status = 'synced' AND settled_by <> 'assumed'))";
        let moved = format!("SELECT COUNT(*) FROM email_submissions s WHERE NOT {ends} AND {by_itself}");
        let stands = format!("SELECT COUNT(*) FROM email_submissions s WHERE NOT {ends} AND NOT {by_itself}");
        assert_eq!(db.number(&moved).await, 14);
        let person = Filter { needs: Some(Needs::Person), ..Filter::default() };
        let seen = count_up_to(&db, &Where::new(&person, None, None, None), 1000).await.unwrap();
        // Everything that nothing moves is before a person: refused, given up, held, too old.
        assert_eq!(db.number(&stands).await, 4);
        let unseen = format!(
            "SELECT COUNT(*) FROM email_submissions s WHERE NOT {ends} AND NOT {by_itself} \
             AND NOT (held_reason IS NOT NULL OR status = 'rejected' OR (status = 'failed' AND next_attempt_at IS NULL))"
        );
        assert_eq!(db.number(&unseen).await, 0);
        assert!(seen >= 4, "{seen}");
    }
}
