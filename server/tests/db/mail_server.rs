//! Mails that went to a mail server (SMTP), and what services answered so far.

use crate::common::{TestDb, both, claimant, office, unknown};
use app::desk::Desk;
use denpyo::outbox::claim::{Claimant, claim_due};
use denpyo::outbox::lookup::{self, Undecided};
use denpyo::outbox::pause;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::provider::SendOutcome;
use std::time::Duration;

fn over_smtp() -> Claimant {
    Claimant {
        provider: "smtp".to_owned(),
        account: "mail.example.com:25".to_owned(),
        ..claimant()
    }
}

async fn sent(db: &TestDb, who: &Claimant, outcome: &SendOutcome) -> i64 {
    let claims = claim_due(db, who, 1).await.unwrap();
    let retries = Retries { most: 5 };
    settle(db, &claims[0], outcome, OnUnknown::Hold, retries)
        .await
        .unwrap();
    claims[0].id()
}

both! {
    async fn its_message_id_is_what_the_mail_carries(db: TestDb) {
        db.insert("1").await;
        let own = db.insert("2").await;
        db.change(own, "sender = 'Shop 2 <order@two.example>'").await;
        for (order, domain) in [("1", "example.com"), ("2", "two.example")] {
            let id = sent(&db, &over_smtp(), &unknown()).await;
            let mail = office(&db).mail(id).await.unwrap();
            let expected = Some(format!("{}@{domain}", mail.reference));
            assert_eq!((mail.row.order_id.as_str(), &mail.message_id), (order, &expected));
            let cases = office(&db).cases().await.unwrap();
            let case = cases.cases.iter().find(|case| case.row.id == id).unwrap();
            assert_eq!(case.message_id, expected);
        }
        // Services with ids of their own need none.
        db.insert("3").await;
        let id = sent(&db, &claimant(), &unknown()).await;
        assert_eq!(office(&db).mail(id).await.unwrap().message_id, None);
    }

    async fn a_server_that_lacks_something_pauses_without_a_code(db: TestDb) {
        db.insert("1").await;
        let lacks = SendOutcome::Account {
            code: None,
            retry_after: None,
            detail: "the server offers no TLS".to_owned(),
        };
        let id = sent(&db, &over_smtp(), &lacks).await;
        let pause = pause::read(&db, "smtp", "mail.example.com:25").await.unwrap().unwrap();
        assert_eq!(pause.code, None);
        let mail = office(&db).mail(id).await.unwrap();
        assert_eq!(mail.error.as_deref(), Some("the server offers no TLS"));
        assert_eq!(mail.attempts[0].code, None);
    }

    async fn answers_are_counted_by_what_they_said(db: TestDb) {
        db.insert("1001").await;
        let id = sent(&db, &claimant(), &unknown()).await;
        let hour = Some(Duration::from_secs(3600));
        let unclear = Undecided::Unclear { why: "unreachable", detail: "no answer" };
        for answer in [Undecided::NotYet, unclear, unclear] {
            db.run(&format!("UPDATE lookups SET next_at = {}", db.at(-5))).await;
            let open = lookup::take(&db, "me", Duration::from_secs(60), 1).await.unwrap();
            lookup::undecided(&db, &open[0], answer, hour).await.unwrap();
        }
        let lookup = office(&db).mail(id).await.unwrap().lookup.unwrap();
        assert_eq!((lookup.asked, lookup.not_found, lookup.unclear), (3, 1, 2));
    }
}
