//! What needs a person is counted by one rule, wherever it is counted.

use crate::common::{TestDb, accepted, both, claimant, config, never_left, refused, unknown};
use app::desk::Desk;
use app::model::views::{Count, Me, Overview};
use app::model::{Filter, Role, filter::Needs};
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::hold::{By, hold_all};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::outbox::{conditions, list};
use denpyo::provider::SendOutcome;

async fn settled(db: &TestDb, order: &str, outcome: &SendOutcome, side: OnUnknown) -> i64 {
    let id = db.insert(order).await;
    let claims = claim_due(db, &claimant(), 1).await.unwrap();
    settle(db, &claims[0], outcome, side, Retries { most: 1 })
        .await
        .unwrap();
    id
}

/// The alert's count, the metric's, the list's, and the overview's, which must be one.
async fn counted(db: &TestDb) -> (i64, Overview) {
    let office = Office::new((*db).clone(), config(&[]), None);
    let me = Me {
        name: "sato".to_owned(),
        role: Role::Support,
    };
    let overview = office.overview().await.unwrap();
    let filter = Filter {
        needs: Some(Needs::Person),
        ..Filter::default()
    };
    let metric = list::Where::new(&filter, None, None, None);
    let metric = list::count_up_to(db, &metric, 100).await.unwrap();
    let rows = office.list(&me, "needs=person").await.unwrap().rows.len();
    let alert = conditions::waiting(db).await.unwrap();
    assert_eq!(
        [metric, i64::try_from(rows).unwrap(), overview.needs_person],
        [alert; 3]
    );
    // The bar's number is that of the page that it opens, and the sum of the ages.
    let check: i64 = overview.check_by_age.iter().sum();
    let cases = office.cases().await.unwrap();
    let shown = i64::try_from(cases.cases.len()).unwrap();
    let bar = office.frame(&me).await.unwrap().needs_checking;
    assert_eq!(
        [bar, cases.count(None), shown, overview.counts.check],
        [check; 4]
    );
    // What stands under each head, less what somebody is asked about or another head has, is the sum.
    let parts = [
        check - (overview.still_asked - overview.asked_failed),
        overview.rejected,
        overview.failed_final - overview.asked_failed,
        overview.held - overview.held_too,
    ];
    assert_eq!(parts.iter().sum::<i64>(), alert, "{parts:?}");
    (alert, overview)
}

both! {
    async fn everything_counts_what_needs_a_person_alike(db: TestDb) {
        assert_eq!(counted(&db).await.0, 0);
        let hold = OnUnknown::Hold;
        settled(&db, "refused", &refused(), hold).await;
        settled(&db, "given up", &never_left(), hold).await;
        let doubt = settled(&db, "in doubt", &unknown(), hold).await;
        settled(&db, "assumed", &unknown(), OnUnknown::Failed).await;
        let off = settled(&db, "called off", &never_left(), hold).await;
        db.change(off, "status = 'canceled'").await;
        let (needs, overview) = counted(&db).await;
        assert_eq!((needs, overview.still_asked), (2, 2), "the service is still to be asked of two");
        db.run(&format!("UPDATE lookups SET ended = TRUE WHERE submission_id = {doubt}")).await;
        let (needs, overview) = counted(&db).await;
        assert_eq!((needs, overview.still_asked), (3, 1));
        // Held and refused, or held and given up, is one mail.
        db.insert("waiting").await;
        hold_all(&db, By::Hold, "restored").await.unwrap();
        let (needs, overview) = counted(&db).await;
        assert_eq!((needs, overview.still_asked), (5, 0));
        // What is in doubt is held as well, and counts once.
        assert_eq!((overview.held, overview.rejected), (5, 1));
    }

    async fn bounced_mails_stand_on_the_overview_and_in_the_list(db: TestDb) {
        let office = Office::new((*db).clone(), config(&[]), None);
        let lead = Me { name: "suzuki".to_owned(), role: Role::Lead };
        let count = async || office.overview().await.unwrap().bounced.1;
        assert_eq!(count().await, Count::Exact(0));
        for (order, state) in [("1", "bounced"), ("2", "complained"), ("3", "delivered")] {
            let id = settled(&db, order, &accepted(order), OnUnknown::Hold).await;
            db.change(id, &format!("delivery_state = '{state}', delivery_at = updated_at")).await;
        }
        settled(&db, "4", &accepted("4"), OnUnknown::Hold).await;
        let long_ago = db.at(-40 * 86_400);
        db.run(&format!(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at, not_before) \
             VALUES ('5', 'invoice', 'a@example.com', 's', 't', {long_ago}, {})",
            db.at(-1)
        )).await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        let retries = Retries { most: 1 };
        settle(&db, &claims[0], &accepted("5"), OnUnknown::Hold, retries).await.unwrap();
        db.run("UPDATE email_submissions SET delivery_state = 'bounced', delivery_at = updated_at, \
                version = version + 1 WHERE order_id = '5'").await;
        // Those of the last 30 days; the number opens just its rows.
        let (filter, count) = office.overview().await.unwrap().bounced;
        assert_eq!(count, Count::Exact(2));
        let rows = async |query: &str| {
            let rows = office.list(&lead, query).await.unwrap().rows;
            rows.into_iter().map(|row| row.order_id).collect::<Vec<_>>()
        };
        assert_eq!(rows(&filter.to_query()).await, ["2", "1"]);
        assert_eq!(rows("only=delivered").await, ["3"]);
        assert_eq!(rows("only=complained").await, ["2"]);
    }
}
