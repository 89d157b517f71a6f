//! Mails that are due while nothing sends, and questions that another account would answer.

use crate::common::{Scripted, TestDb, both, claimant, config, sender, unknown};
use app::desk::Desk;
use app::model::plan::{Step, Why};
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::outbox::{asked, workers};

fn office(db: &TestDb) -> Office {
    let sender = sender(db, &Scripted::accepting());
    Office::new((*db).clone(), config(&[]), Some(sender))
}

both! {
    async fn the_desk_says_so_where_mails_are_due_and_nothing_sends(db: TestDb) {
        let office = office(&db);
        assert!(!office.overview().await.unwrap().idle(), "nothing is due");
        let id = db.insert("1001").await;
        assert!(office.overview().await.unwrap().idle());
        assert!(office.mail(id).await.unwrap().idle);
        // One that sends only what people resend does not send it.
        workers::beat(&db, "web:1", true, 0, 0).await.unwrap();
        assert!(office.overview().await.unwrap().idle());
        workers::beat(&db, "worker:2", false, 0, 0).await.unwrap();
        assert!(!office.overview().await.unwrap().idle());
        assert!(!office.mail(id).await.unwrap().idle);
        let past = db.at(-61);
        db.run(&format!("UPDATE workers SET seen_at = {past}")).await;
        assert!(office.overview().await.unwrap().idle());
        assert!(office.mail(id).await.unwrap().idle);
    }

    async fn of_another_account_no_question_is_announced(db: TestDb) {
        let office = office(&db);
        for (order, account) in [("1", "account-1"), ("2", "another")] {
            let id = db.insert(order).await;
            let who = denpyo::outbox::claim::Claimant { account: account.to_owned(), ..claimant() };
            let claims = claim_due(&db, &who, 1).await.unwrap();
            settle(&db, &claims[0], &unknown(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
            let plan = office.mail(id).await.unwrap().plan().unwrap();
            let cases = office.cases().await.unwrap();
            let case = cases.cases.iter().find(|case| case.row.id == id).unwrap();
            for next in [plan.next, cases.plan(case).next] {
                let elsewhere = next == Step::Person(Why::Elsewhere);
                assert_eq!(elsewhere, account == "another", "{next:?}");
            }
        }
        assert_eq!(asked::elsewhere(&db, "scripted", "account-1").await.unwrap(), 1);
    }
}
