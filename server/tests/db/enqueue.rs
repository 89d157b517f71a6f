//! Intake through Denpyo: one key is one mail.

use crate::common::{TestDb, both, claimant, eventually, refused};
use app::model::address::Address;
use denpyo::db::Db;
use denpyo::outbox::claim::{Resend, claim_due, claim_for_person};
use denpyo::outbox::enqueue::{Enqueued, NewSubmission, enqueue};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use std::time::Duration;

fn mail(order: &str) -> NewSubmission {
    let text = |t: &str| Some(t.to_owned());
    NewSubmission {
        order_id: order.to_owned(),
        kind: "order_confirmation".to_owned(),
        recipient: text("a@example.com"),
        subject: text("ご注文①"),
        body_text: text("一行目\n二行目"),
        ..NewSubmission::default()
    }
}

fn word(done: &Enqueued) -> &'static str {
    match done {
        Enqueued::Created(_) => "created",
        Enqueued::Exists(_) => "exists",
        Enqueued::Conflict(_) => "conflict",
    }
}

async fn put(db: &Db, new: &NewSubmission) -> &'static str {
    word(&enqueue(db, new).await.unwrap())
}

both! {
    async fn fifty_at_once_are_one_row(db: TestDb) {
        let others = [db.as_other_process().await, db.as_other_process().await];
        let mut asking = tokio::task::JoinSet::new();
        for i in 0..50 {
            let own = others[i % 2].clone();
            let new = NewSubmission { decided_by: Some(format!("api {i}")), ..mail("1001") };
            asking.spawn(async move { (word(&enqueue(&own, &new).await.unwrap()), new.decided_by) });
        }
        let answers = asking.join_all().await;
        let of = |w: &str| answers.iter().filter(|(a, _)| *a == w).count();
        assert_eq!((of("created"), of("exists"), of("conflict")), (1, 49, 0));
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 1);
        // Who was first put it in, whoever came after.
        let (_, first) = answers.into_iter().find(|(a, _)| *a == "created").unwrap();
        assert_eq!(db.text_of("SELECT decided_by FROM email_submissions").await, first);
    }

    async fn another_content_is_a_conflict_and_changes_nothing(db: TestDb) {
        let first = mail("1001");
        assert_eq!(put(&db, &first).await, "created");
        let other = |change: fn(&mut NewSubmission)| {
            let mut new = first.clone();
            change(&mut new);
            new
        };
        for new in [
            other(|m| m.recipient = Some("b@example.com".to_owned())),
            other(|m| m.subject = Some("ご注文②".to_owned())),
            other(|m| m.body_text = Some("一行目".to_owned())),
            other(|m| m.body_text = None),
            other(|m| m.body_html = Some("<p>".to_owned())),
            other(|m| m.reply_to = Some("c@example.com".to_owned())),
            other(|m| m.sender = Some("c@example.com".to_owned())),
        ] {
            assert_eq!(put(&db, &new).await, "conflict");
        }
        // The time is no content; the occasion is another key.
        assert_eq!(put(&db, &other(|m| m.occasion = "二個口".to_owned())).await, "created");
        assert_eq!(put(&db, &first).await, "exists");
        assert_eq!(db.row(db.number("SELECT MIN(id) FROM email_submissions").await).await.version, 1);
    }

    async fn absent_null_and_empty_are_one_and_line_ends_do_not_matter(db: TestDb) {
        let mut first = mail("1001");
        first.reply_to = Some(String::new());
        first.body_text = Some("一行目\r\n二行目\r\n".to_owned());
        assert_eq!(put(&db, &first).await, "created");
        let mut again = first.clone();
        again.reply_to = None;
        again.body_html = Some(String::new());
        again.body_text = Some("一行目\n二行目\n".to_owned());
        assert_eq!(put(&db, &again).await, "exists");
        again.body_text = Some("一行目\r二行目\r".to_owned());
        assert_eq!(put(&db, &again).await, "exists");
        again.body_text = Some("一行目\n二行目".to_owned());
        assert_eq!(put(&db, &again).await, "conflict");
    }

    async fn a_recipient_corrected_since_counts_as_first_inserted(db: TestDb) {
        let first = mail("1001");
        put(&db, &first).await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        settle(&db, &claims[0], &refused(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let address = Address::parse("right@example.com").unwrap();
        let resend = Resend { actor: "sato", recipient: Some(&address), ..Resend::default() };
        claim_for_person(&db, &claimant(), claims[0].id(), &resend).await.unwrap();
        let done = enqueue(&db, &first).await.unwrap();
        let Enqueued::Exists(row) = done else { panic!("{done:?}") };
        // The answer shows the row as it stands.
        assert_eq!(row.recipient.unwrap().shown(), "right@example.com");
        let corrected = NewSubmission { recipient: Some("right@example.com".to_owned()), ..first };
        assert_eq!(put(&db, &corrected).await, "conflict");
    }

    async fn not_before_is_kept_to_the_microsecond(db: TestDb) {
        let at = denpyo::db::Stamp::from_micros(1_790_000_000_123_456).unwrap();
        let done = enqueue(&db, &NewSubmission { not_before: Some(at), ..mail("1001") }).await.unwrap();
        let Enqueued::Created(row) = done else { panic!("{done:?}") };
        assert_eq!(row.not_before, Some(at));
        assert_eq!(db.row(row.id).await.not_before, Some(at));
    }
}

/// The shop's transaction is open, and the API is asked for the same key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_intake_waits_for_an_open_transaction() {
    for (ending, expected) in [("COMMIT", "exists"), ("ROLLBACK", "created")] {
        let db = TestDb::postgres().await;
        let Db::Postgres(pool) = &*db else {
            unreachable!()
        };
        let mut shop = pool.acquire().await.unwrap();
        sqlx::raw_sql(
            "BEGIN; INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
             VALUES ('1001', 'order_confirmation', 'a@example.com', 'ご注文①', E'一行目\n二行目') \
             ON CONFLICT DO NOTHING",
        )
        .execute(&mut *shop)
        .await
        .unwrap();
        let other = db.as_other_process().await;
        let asking = tokio::spawn(async move { put(&other, &mail("1001")).await });
        eventually("the intake waits for the shop's transaction", async || {
            db.number(
                "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                 AND datname = current_database()",
            )
            .await
                > 0
        })
        .await;
        assert!(!asking.is_finished());
        sqlx::raw_sql(ending).execute(&mut *shop).await.unwrap();
        let answer = tokio::time::timeout(Duration::from_secs(10), asking)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(answer, expected, "{ending}");
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 1);
    }
}
