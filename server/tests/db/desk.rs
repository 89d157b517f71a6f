//! What the desk counts, shows and writes down.

use crate::common::{
    Scripted, TestDb, accepted, both, claimant, config, eventually, never_left, office, refused,
    sender, unknown,
};
use app::desk::{Answer, Desk, Note, Ticket};
use app::model::views::{Bar, Count, Form, Me, News, NoticeKind, Told};
use app::model::{Role, SettledBy, Status};
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::operate::{Answered, answer};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::provider::SendOutcome;

async fn settled(db: &TestDb, order: &str, outcome: &SendOutcome, side: OnUnknown) -> i64 {
    let id = db.insert(order).await;
    let claims = claim_due(db, &claimant(), 1).await.unwrap();
    settle(db, &claims[0], outcome, side, Retries { most: 5 })
        .await
        .unwrap();
    db.put_off(id).await;
    id
}

fn sato() -> Me {
    Me {
        name: "sato".to_owned(),
        role: Role::Support,
    }
}

both! {
    async fn the_overview_counts_each_state(db: TestDb) {
        let hold = OnUnknown::Hold;
        settled(&db, "1", &accepted("m"), hold).await;
        settled(&db, "2", &accepted("m"), hold).await;
        settled(&db, "3", &unknown(), OnUnknown::Synced).await;
        settled(&db, "4", &unknown(), OnUnknown::Failed).await;
        let failed = settled(&db, "5", &never_left(), hold).await;
        settled(&db, "6", &refused(), hold).await;
        let check = settled(&db, "7", &unknown(), hold).await;
        let old = settled(&db, "8", &unknown(), hold).await;
        db.change(old, &format!("claimed_at = {}", db.at(-7200))).await;
        // A second attempt, in the histogram's second bar.
        db.make_due(failed).await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        settle(&db, &claims[0], &never_left(), hold, Retries { most: 5 }).await.unwrap();
        db.put_off(failed).await;
        // What it was called off from says nothing of how it ended.
        let gave_up = settled(&db, "13", &never_left(), hold).await;
        db.change(gave_up, "status = 'canceled'").await;
        db.insert("9").await;
        claim_due(&db, &claimant(), 1).await.unwrap();
        db.insert("10").await;
        let canceled = db.insert("11").await;
        db.change(canceled, "status = 'canceled'").await;
        let held = db.insert("12").await;
        db.change(held, "held_reason = 'asked for'").await;

        let seen = office(&db).overview().await.unwrap();
        let counts = seen.counts;
        assert_eq!((counts.pending, counts.sending, counts.check), (2, 1, 2));
        assert_eq!((counts.synced, counts.synced_assumed), (Count::Exact(3), 1));
        assert_eq!((counts.failed, counts.failed_retrying, counts.failed_assumed), (2, 1, 1));
        assert_eq!((counts.rejected, counts.canceled), (1, 2));
        assert_eq!((seen.rejected, seen.failed_final, seen.held), (1, 1, 1));
        assert_eq!(seen.check_by_age, [1, 0, 1, 0]);
        let first = Bar { accepted: 3, failed: 1, rejected: 1, canceled: 1, open: 3 };
        let second = Bar { failed: 1, ..Bar::default() };
        assert_eq!(seen.histogram.bars[..2], [first, second]);
        assert_eq!(seen.histogram.bars[2..], [Bar::default(); 3]);
        // A month later nobody looks at it there.
        assert_eq!(db.status(check).await, Status::Requesting);
    }

    async fn an_empty_outbox_is_empty(db: TestDb) {
        let seen = office(&db).overview().await.unwrap();
        assert_eq!(seen.counts.synced, Count::Exact(0));
        assert_eq!((seen.check_by_age, seen.workers.len()), ([0; 4], 0));
        let list = office(&db).list(&sato(), "").await.unwrap();
        assert_eq!((list.rows.len(), list.count), (0, Count::Exact(0)));
        assert!(list.older.is_none() && list.newer.is_none());
        assert_eq!(office(&db).cases().await.unwrap().count(None), 0);
    }

    async fn cases_come_longest_first_with_their_attempt(db: TestDb) {
        let mut ids = Vec::new();
        for (order, age) in [("young", 60), ("oldest", 7200), ("old", 3600)] {
            let id = settled(&db, order, &unknown(), OnUnknown::Hold).await;
            db.change(id, &format!("claimed_at = {}", db.at(-age))).await;
            ids.push(id);
        }
        // Neither is in question: one is being sent, one is accepted.
        settled(&db, "accepted", &accepted("m"), OnUnknown::Hold).await;
        db.insert("sending").await;
        claim_due(&db, &claimant(), 1).await.unwrap();
        let cases = office(&db).cases().await.unwrap();
        let shown: Vec<&str> = cases.cases.iter().map(|c| c.row.order_id.as_str()).collect();
        assert_eq!((cases.count(None), shown), (3, vec!["oldest", "old", "young"]));
        for case in &cases.cases {
            let attempt = case.attempt.as_ref().unwrap();
            assert_eq!((attempt.attempt, attempt.error.as_deref()), (1, Some("no answer in time")));
        }
    }

    async fn nobody_answers_for_the_service_while_the_lease_lives(db: TestDb) {
        let id = db.insert("1001").await;
        claim_due(&db, &claimant(), 1).await.unwrap();
        let version = db.row(id).await.version;
        let said = office(&db).answer(&sato(), id, version, Answer::Sent, "checked").await.unwrap();
        assert_eq!(said, Told::refused(NoticeKind::LeaseAlive, Form::Sent, "checked"));
        assert_eq!(db.row(id).await.version, version);
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events").await, 0);
        db.lapse(id).await;
        let said = office(&db).answer(&sato(), id, version + 1, Answer::Sent, "checked").await.unwrap();
        assert_eq!(said, Told::from(NoticeKind::ConfirmedSent));
    }

    async fn an_answer_settles_with_its_reason(db: TestDb) {
        for (said, status, act) in [
            (Answer::Sent, Status::Synced, "confirm_sent"),
            (Answer::NotSent, Status::Failed, "confirm_not_sent"),
        ] {
            // Known to be unknown, so that the lease does not matter.
            let id = settled(&db, act, &unknown(), OnUnknown::Hold).await;
            let version = db.row(id).await.version;
            let stale = answer(&db, "sato", id, version - 1, said, "r").await.unwrap();
            assert!(matches!(stale, Answered::Refused(_)), "{stale:?}");
            let done = answer(&db, "sato", id, version, said, "電話で確認").await.unwrap();
            assert!(matches!(done, Answered::Recorded), "{done:?}");
            let row = db.row(id).await;
            assert_eq!((row.status().unwrap(), row.settled_by()), (status, Some(SettledBy::Person)));
            assert_eq!((row.next_attempt_at, row.unknown_at, row.version), (None, None, version + 1));
            let written = db
                .text_of(&format!(
                    "SELECT actor || '|' || act || '|' || reason || '|' || before_status || '|' || \
                     after_status || '|' || attempt FROM audit_events WHERE submission_id = {id}"
                ))
                .await;
            assert_eq!(written, Some(format!("sato|{act}|電話で確認|requesting|{}|1", status.as_str())));
            // Said twice, it is said once.
            let again = answer(&db, "suzuki", id, version, said, "r").await.unwrap();
            assert!(matches!(again, Answered::Refused(_)), "{again:?}");
            let acts = format!("SELECT COUNT(*) FROM audit_events WHERE submission_id = {id}");
            assert_eq!(db.number(&acts).await, 1);
        }
        let nobody = answer(&db, "sato", 999_999, 1, Answer::Sent, "r").await.unwrap();
        assert!(matches!(nobody, Answered::NotFound), "{nobody:?}");
    }

    async fn an_answer_closes_the_attempt_that_vanished(db: TestDb) {
        let id = db.insert("1001").await;
        claim_due(&db, &claimant(), 1).await.unwrap();
        db.lapse(id).await;
        let version = db.row(id).await.version;
        let blank = office(&db).answer(&sato(), id, version, Answer::NotSent, " \u{7}　").await.unwrap();
        assert_eq!(blank, Told::refused(NoticeKind::ReasonMissing, Form::NotSent, ""));
        let done = office(&db).answer(&sato(), id, version, Answer::NotSent, "checked").await.unwrap();
        assert_eq!(done, Told::from(NoticeKind::ConfirmedNotSent));
        assert_eq!(db.outcome(id, 1).await.as_deref(), Some("unknown"));
        let cause = format!("SELECT cause FROM submission_attempts WHERE submission_id = {id}");
        assert_eq!(db.text_of(&cause).await.as_deref(), Some("vanished"));
    }

    async fn of_two_answers_one_counts(db: TestDb) {
        for round in 0..10 {
            let id = settled(&db, &round.to_string(), &unknown(), OnUnknown::Hold).await;
            let version = db.row(id).await.version;
            let other = db.as_other_process().await;
            let (yes, no) = tokio::join!(
                answer(&db, "sato", id, version, Answer::Sent, "r"),
                answer(&other, "suzuki", id, version, Answer::NotSent, "r"),
            );
            let counted = [yes.unwrap(), no.unwrap()];
            let recorded = counted.iter().filter(|a| matches!(a, Answered::Recorded)).count();
            assert_eq!(recorded, 1, "{counted:?}");
            let acts = format!("SELECT COUNT(*) FROM audit_events WHERE submission_id = {id}");
            assert_eq!(db.number(&acts).await, 1);
        }
    }

    async fn a_resend_from_the_desk_is_sent_and_told(db: TestDb) {
        let id = settled(&db, "1001", &never_left(), OnUnknown::Hold).await;
        let service = Scripted::accepting();
        let desk = Office::new((*db).clone(), config(&[]), Some(sender(&db, &service)));
        let mail = desk.mail(id).await.unwrap();
        let ticket = Ticket { version: mail.version, attempt: 1 };
        assert_eq!(office(&db).resend(&sato(), id, ticket).await.unwrap(), NoticeKind::NoService);
        assert_eq!(desk.resend(&sato(), id, ticket).await.unwrap(), NoticeKind::Resent);
        eventually("it is accepted", async || db.status(id).await == Status::Synced).await;
        let again = desk.resend(&sato(), id, ticket).await.unwrap();
        assert_eq!(again, NoticeKind::AlreadyAccepted);
        assert_eq!(service.posts_of("1001"), 1);
        let News::Mail(notice) = desk.news(Note::Mail(id, again)).await.unwrap() else { panic!() };
        assert_eq!((notice.by.as_deref(), notice.attempt), (Some("sato"), Some(2)));
        let mail = desk.mail(id).await.unwrap();
        assert_eq!((mail.attempts.len(), mail.acts.len(), mail.status), (2, 1, Status::Synced));
    }
}
