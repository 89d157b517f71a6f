//! Resending many mails: what is frozen, what is resent, and what is left alone.

use crate::common::{
    Scripted, TestDb, accepted, both, config, eventually, refused, sender, settled, unknown,
};
use app::desk::{Desk, Many, Note, Ticket};
use app::error::AppError;
use app::model::views::{BulkAnswer, BulkPage, BulkResult, BulkState, Me, News, NoticeKind};
use app::model::{Face, Role, Status};
use denpyo::bulk::Bulk;
use denpyo::desk::Office;
use denpyo::outbox::hold::{By, hold_all};
use denpyo::outbox::{bulk, pulse};
use denpyo::sender::Sender;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn lead() -> Me {
    Me {
        name: "suzuki".to_owned(),
        role: Role::Lead,
    }
}

fn office(db: &TestDb, sender: &Arc<Sender>) -> Office {
    Office::new((*db).clone(), config(&[]), Some(Arc::clone(sender)))
}

fn result(page: &BulkPage, id: i64) -> BulkResult {
    let row = page.rows.iter().find(|row| row.id == id);
    row.expect("a row of the job").result.clone()
}

both! {
    async fn what_was_seen_is_resent_and_nothing_else(db: TestDb) {
        let first = settled(&db, "1", &refused()).await;
        let second = settled(&db, "2", &refused()).await;
        let taken = settled(&db, "3", &refused()).await;
        let done = settled(&db, "4", &accepted("m")).await;
        let asked = settled(&db, "5", &unknown()).await;
        let held = settled(&db, "6", &refused()).await;
        let bad = settled(&db, "7", &refused()).await;
        db.change(bad, "recipient = 'nobody'").await;
        let version = db.row(held).await.version;
        db.run(&format!(
            "UPDATE email_submissions SET held_reason = 'why', version = {version} + 1 WHERE id = {held}"
        )).await;
        let service = Scripted::accepting();
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let query = "kind=order_confirmation";
        let job = desk.bulk_prepare(&lead(), query).await.unwrap().unwrap();
        // Whatever joins the list later was not seen.
        let late = settled(&db, "8", &refused()).await;

        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        let counts = page.bulk.counts.clone();
        assert_eq!((counts.total, counts.eligible(), counts.waiting), (7, 3, 3));
        for (id, why) in [
            (done, NoticeKind::AlreadyAccepted),
            (asked, NoticeKind::InFlight),
            (held, NoticeKind::Held),
            (bad, NoticeKind::BadRecipient),
        ] {
            assert_eq!(result(&page, id), BulkResult::Refused(why));
        }
        assert_eq!(page.bulk.state, BulkState::Preview);

        // Nothing happens before somebody starts it, with a reason.
        let runner = Bulk::new(office(&db, &sender), Arc::clone(&sender), 16);
        let stopping = CancellationToken::new();
        assert!(!runner.run_once(&stopping).await.unwrap());
        let blank = desk.bulk_start(&lead(), job, " 　").await.unwrap();
        assert_eq!(blank, BulkAnswer::ReasonMissing);
        let started = desk.bulk_start(&lead(), job, "restored").await.unwrap();
        assert_eq!(started, BulkAnswer::Started);
        let again = desk.bulk_start(&lead(), job, "restored").await.unwrap();
        assert_eq!(again, BulkAnswer::NotStarted);

        // Somebody is faster with one of them.
        let row = db.row(taken).await;
        let ticket = Ticket { version: row.version, attempt: row.attempts };
        let sato = Me { name: "sato".to_owned(), role: Role::Support };
        assert_eq!(desk.resend(&sato, taken, ticket).await.unwrap(), NoticeKind::Resent);
        assert!(runner.run_once(&stopping).await.unwrap());
        eventually("all are sent", async || {
            let page = desk.bulk(&lead(), job, 0).await.unwrap();
            page.bulk.counts.resent == [(Face::Accepted, 2)]
        }).await;
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        assert_eq!(page.bulk.state, BulkState::Done);
        for id in [first, second] {
            let face = Face::Accepted;
            assert_eq!(result(&page, id), BulkResult::Resent { attempt: Some(2), face });
            assert_eq!(db.status(id).await, Status::Synced);
        }
        let BulkResult::Skipped { by, .. } = result(&page, taken) else { panic!() };
        assert_eq!(by.as_deref(), Some("sato"));
        assert_eq!(db.row(taken).await.attempts, 2);
        assert_eq!(db.status(late).await, Status::Rejected);
        assert_eq!(db.status(bad).await, Status::Rejected);

        // Who, why and what stands in the audit trail, of the job and of each mail.
        let acts = "SELECT COUNT(*) FROM audit_events WHERE actor = 'suzuki' AND reason = 'restored' AND act = ";
        assert_eq!(db.number(&format!("{acts} 'bulk_start'")).await, 1);
        assert_eq!(db.number(&format!("{acts} 'resend'")).await, 2);
    }

    async fn a_turn_that_comes_twice_sends_once(db: TestDb) {
        let id = settled(&db, "1", &refused()).await;
        let service = Scripted::accepting();
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let job = desk.bulk_prepare(&lead(), "status=rejected").await.unwrap().unwrap();
        desk.bulk_start(&lead(), job, "r").await.unwrap();
        let runner = Bulk::new(office(&db, &sender), Arc::clone(&sender), 16);
        let stopping = CancellationToken::new();
        // Open pages are told of the job too, under a number of its own.
        let before = pulse::look(&db).await.unwrap();
        assert!(runner.run_once(&stopping).await.unwrap());
        assert!(pulse::look(&db).await.unwrap().after(&before).touches(-job));
        // As a process leaves it that is killed right after the claim.
        db.run("UPDATE bulk_items SET result = NULL, made = NULL, at = NULL").await;
        db.run("UPDATE bulk_jobs SET state = 'running', ended_at = NULL").await;
        assert!(runner.run_once(&stopping).await.unwrap());
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        assert!(matches!(result(&page, id), BulkResult::Resent { attempt: Some(2), .. }));
        assert_eq!(db.row(id).await.attempts, 2);
    }

    async fn a_stop_comes_before_the_next_mail(db: TestDb) {
        for order in ["1", "2", "3"] {
            settled(&db, order, &refused()).await;
        }
        let service = Scripted::accepting();
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let job = desk.bulk_prepare(&lead(), "status=rejected").await.unwrap().unwrap();
        desk.bulk_start(&lead(), job, "r").await.unwrap();
        // Another process works on it: nobody else does meanwhile.
        let minute = Duration::from_secs(60);
        assert!(bulk::take(&db, "other", minute).await.unwrap().is_some());
        assert!(bulk::take(&db, "me", minute).await.unwrap().is_none());
        assert!(bulk::keep(&db, job, "other", minute).await.unwrap());
        assert_eq!(desk.bulk_stop(&lead(), job).await.unwrap(), BulkAnswer::Stopped);
        assert!(!bulk::keep(&db, job, "other", minute).await.unwrap());
        assert_eq!(desk.bulk_stop(&lead(), job).await.unwrap(), BulkAnswer::NotRunning);
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        assert_eq!((page.bulk.state, page.bulk.counts.waiting), (BulkState::Stopped, 3));
        assert_eq!(page.bulk.stopped.map(|s| s.by).as_deref(), Some("suzuki"));
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events WHERE act = 'bulk_stop'").await, 1);
        // One whose process vanished is taken over.
        let job = desk.bulk_prepare(&lead(), "status=rejected").await.unwrap().unwrap();
        desk.bulk_start(&lead(), job, "r").await.unwrap();
        bulk::take(&db, "other", minute).await.unwrap();
        db.run(&format!("UPDATE bulk_jobs SET lease_until = {} WHERE id = {job}", db.at(-1))).await;
        let taken = bulk::take(&db, "me", minute).await.unwrap();
        assert_eq!(taken.map(|taken| taken.id), Some(job));
    }

    async fn many_are_for_leads_and_for_filtered_lists(db: TestDb) {
        settled(&db, "1", &refused()).await;
        hold_all(&db, By::Hold, "r").await.unwrap();
        let desk = Office::new((*db).clone(), config(&[]), None);
        let sato = Me { name: "sato".to_owned(), role: Role::Support };
        let job = desk.bulk_prepare(&lead(), "needs=held").await.unwrap().unwrap();
        let forbidden = Some(AppError::Forbidden);
        assert_eq!(desk.bulk_new(&sato, "needs=held").await.err(), forbidden);
        assert_eq!(desk.bulk_prepare(&sato, "needs=held").await.err(), forbidden);
        assert_eq!(desk.bulk(&sato, job, 0).await.err(), forbidden);
        assert_eq!(desk.bulks(&sato).await.err(), forbidden);
        assert_eq!(desk.bulk_start(&sato, job, "r").await.err(), forbidden);
        assert_eq!(desk.bulk_stop(&sato, job).await.err(), forbidden);
        // Nothing in it can be resent: there is nothing to start.
        let started = desk.bulk_start(&lead(), job, "r").await.unwrap();
        assert_eq!(started, BulkAnswer::NotStarted);
        for (query, why) in [
            ("", BulkAnswer::Nothing),
            ("status=nonsense", BulkAnswer::Nothing),
            ("q=nothing-like-it", BulkAnswer::Nothing),
        ] {
            assert_eq!(desk.bulk_prepare(&lead(), query).await.unwrap(), Err(why), "{query}");
        }
        let told = desk.news(Note::Bulk(BulkAnswer::TooMany)).await.unwrap();
        assert_eq!(told, News::Bulk(BulkAnswer::TooMany));
        assert_eq!(desk.bulk(&lead(), 999, 0).await.err(), Some(AppError::NotFound));
    }
}
