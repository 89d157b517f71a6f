//! What needs a person is counted by one rule, wherever it is counted.

use crate::common::{TestDb, both, claimant, config, never_left, refused, unknown};
use app::desk::Desk;
use app::model::views::{Me, Overview};
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
}
