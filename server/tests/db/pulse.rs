//! What open pages are told of: every change, and no change that was none.

use crate::common::{TestDb, accepted, both, claimant, unknown};
use app::model::live::Changed;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::hold::{By, hold_all};
use denpyo::outbox::pulse::{Look, look, since};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::outbox::{audit, call_off};

/// Looks again; what has changed since the last look.
async fn changed(db: &TestDb, last: &mut Look) -> Changed {
    let now = look(db).await.unwrap();
    let changed = now.after(last);
    *last = now;
    changed
}

both! {
    async fn every_change_names_its_mail(db: TestDb) {
        let mut last = look(&db).await.unwrap();
        let these = |id: i64| Changed::These(vec![id]);
        let (first, second) = (db.insert("1").await, db.insert("2").await);
        assert_eq!(changed(&db, &mut last).await, Changed::These(vec![first, second]));
        assert_eq!(changed(&db, &mut last).await, Changed::Nothing);

        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        assert_eq!(changed(&db, &mut last).await, these(first));
        let retries = Retries { most: 5 };
        settle(&db, &claims[0], &accepted("m"), OnUnknown::Hold, retries).await.unwrap();
        assert_eq!(changed(&db, &mut last).await, these(first));
        // Both between two looks.
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        settle(&db, &claims[0], &unknown(), OnUnknown::Hold, retries).await.unwrap();
        assert_eq!(changed(&db, &mut last).await, these(second));
        assert_eq!(last.check, 1);

        let third = db.insert("3").await;
        changed(&db, &mut last).await;
        hold_all(&db, By::Hold, "why").await.unwrap();
        assert_eq!(changed(&db, &mut last).await, Changed::These(vec![second, third]));
        let version = db.row(third).await.version;
        call_off::call_off(&db, "sato", third, version, "why").await.unwrap();
        assert_eq!(changed(&db, &mut last).await, these(third));
        audit::reveal(&db, second, "sato", "why").await.unwrap();
        assert_eq!(changed(&db, &mut last).await, these(second));
        assert_eq!(changed(&db, &mut last).await, Changed::Nothing);
    }

    async fn a_lease_that_runs_out_is_a_change_though_nothing_is_written(db: TestDb) {
        let id = db.insert("1").await;
        claim_due(&db, &claimant(), 1).await.unwrap();
        let mut last = look(&db).await.unwrap();
        crate::common::eventually("a look while a short lease lives", async || {
            db.change(id, &format!("lease_until = {}", db.at(1))).await;
            last = look(&db).await.unwrap();
            last.check == 0
        }).await;
        crate::common::eventually("it needs checking", async || {
            changed(&db, &mut last).await == Changed::Anything && last.check == 1
        }).await;
    }

    async fn of_a_crowd_it_is_said_that_it_is_one(db: TestDb) {
        db.insert("0").await;
        let mut last = look(&db).await.unwrap();
        for order in 1..=150 {
            db.insert(&order.to_string()).await;
        }
        assert_eq!(changed(&db, &mut last).await, Changed::Anything);
        assert_eq!(changed(&db, &mut last).await, Changed::Nothing);
    }

    async fn a_page_of_an_earlier_moment_is_told_so(db: TestDb) {
        let id = db.insert("1").await;
        let begun = db.row(id).await.created_at;
        assert!(since(&db, begun).await.unwrap());
        // By the millisecond, as SQLite's clock has it.
        crate::common::eventually("a later moment", async || db.now().await.unwrap() > begun).await;
        let now = db.now().await.unwrap();
        assert!(!since(&db, now).await.unwrap());
        audit::reveal(&db, id, "sato", "why").await.unwrap();
        assert!(since(&db, now).await.unwrap());
    }
}

/// Ids are given out when a row is inserted, and become visible when its transaction ends.
#[tokio::test]
async fn a_transaction_that_ends_late_is_told_of() {
    let db = TestDb::postgres().await;
    let denpyo::db::Db::Postgres(pool) = &*db else {
        unreachable!()
    };
    db.insert("1").await;
    let mut shop = pool.begin().await.unwrap();
    sqlx::query(
        "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
         VALUES ('late', 'invoice', 'a@example.com', 's', 'b')",
    )
    .execute(&mut *shop)
    .await
    .unwrap();
    let quicker = db.insert("2").await;
    let mut last = look(&db).await.unwrap();
    shop.commit().await.unwrap();
    let late = db.id_of("late").await;
    assert!(late < quicker);
    assert_eq!(changed(&db, &mut last).await, Changed::These(vec![late]));
}
