//! Resending many mails: what is frozen, what is resent, and what is left alone.

use crate::common::{
    Reply, Scripted, TestDb, accepted, both, claimant, config, eventually, refused, sender,
    settled, unknown,
};
use app::desk::{Desk, Many, Note, Ticket};
use app::error::AppError;
use app::model::verdict::in_doubt;
use app::model::views::{BulkAnswer, BulkPage, BulkResult, BulkState, Me, News, NoticeKind};
use app::model::{Face, Role, Status};
use denpyo::bulk::Bulk;
use denpyo::desk::{Office, ResendAnswer};
use denpyo::outbox::claim::{Claimant, Resend, claim_due};
use denpyo::outbox::hold::{By, hold_all, release_all};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::outbox::{bulk, pulse};
use denpyo::sender::Sender;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub(crate) fn lead() -> Me {
    Me {
        name: "suzuki".to_owned(),
        role: Role::Lead,
    }
}

pub(crate) fn office(db: &TestDb, sender: &Arc<Sender>) -> Office {
    Office::new((*db).clone(), config(&[]), Some(Arc::clone(sender)))
}

/// Whoever starts a job must still be there when it is worked on.
pub(crate) async fn with_lead(db: &TestDb) {
    db.run("INSERT INTO users (name, role, password_hash) VALUES ('suzuki', 'lead', '')")
        .await;
}

/// A started job of every refused mail; returns its id.
pub(crate) async fn started(db: &TestDb, desk: &Office) -> i64 {
    with_lead(db).await;
    let job = desk.bulk_prepare(&lead(), "status=rejected").await;
    let job = job.unwrap().unwrap();
    desk.bulk_start(&lead(), job, "r").await.unwrap();
    job
}

pub(crate) fn result(page: &BulkPage, id: i64) -> BulkResult {
    let row = page.rows.iter().find(|row| row.id == id);
    row.expect("a row of the job").result.clone()
}

/// A mail as an answer left it, what is unknown taken for not sent.
async fn assumed_failed(db: &TestDb, order: &str, claimant: &Claimant) -> i64 {
    let id = db.insert(order).await;
    let claims = claim_due(db, claimant, 1).await.unwrap();
    let retries = Retries { most: 5 };
    settle(db, &claims[0], &unknown(), OnUnknown::Failed, retries)
        .await
        .unwrap();
    id
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
        with_lead(&db).await;
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
            assert_eq!(result(&page, id), BulkResult::Resent { attempt: 2, face });
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

    async fn what_may_arrive_twice_is_told_apart_as_on_its_own_page(db: TestDb) {
        let once = claimant();
        let replaying = Claimant { provider: "resend".to_owned(), ..claimant() };
        let sure = settled(&db, "sure", &refused()).await;
        let assumed = assumed_failed(&db, "assumed", &once).await;
        let confirmed = assumed_failed(&db, "confirmed", &once).await;
        let again = assumed_failed(&db, "again", &once).await;
        let looked_up = assumed_failed(&db, "looked up", &once).await;
        let released = assumed_failed(&db, "released", &once).await;
        let replayed = assumed_failed(&db, "replayed", &replaying).await;
        for id in [confirmed, again, looked_up, released, replayed] {
            db.change(id, "settled_by = 'response'").await;
        }
        db.run(&format!(
            "INSERT INTO audit_events (submission_id, actor, act, reason) \
             VALUES ({confirmed}, 'sato', 'confirm_not_sent', 'r')"
        )).await;
        for (id, kind) in [(looked_up, "lookup_no"), (released, "late_released"), (replayed, "late_released")] {
            db.run(&format!(
                "INSERT INTO submission_observations (submission_id, kind, attempt, provider) \
                 VALUES ({id}, '{kind}', 1, 'resend')"
            )).await;
        }
        let service = Scripted::accepting();
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let job = desk.bulk_prepare(&lead(), "kind=order_confirmation").await.unwrap().unwrap();
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        let mut count = 0;
        for (id, expected) in [
            (sure, false), (assumed, true), (confirmed, false), (again, true), (looked_up, false),
            (released, false), (replayed, true),
        ] {
            let mail = desk.read_mail(id).await.unwrap().unwrap();
            assert_eq!(in_doubt(&mail), expected, "{id}");
            assert_eq!(result(&page, id), BulkResult::Waiting { doubtful: expected }, "{id}");
            count += i64::from(expected);
        }
        assert_eq!((page.doubtful, page.bulk.counts.waiting), (count, 7));
        // What turns out accepted before its turn is in nobody's doubt, and is not resent.
        db.change(again, "status = 'synced'").await;
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        assert_eq!(result(&page, again), BulkResult::Waiting { doubtful: false });
        assert_eq!(page.doubtful, count - 1);
    }

    async fn a_turn_that_comes_twice_sends_once(db: TestDb) {
        let id = settled(&db, "1", &refused()).await;
        let service = Scripted::accepting();
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let job = started(&db, &desk).await;
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
        assert!(matches!(result(&page, id), BulkResult::Resent { attempt: 2, .. }));
        assert_eq!(db.row(id).await.attempts, 2);
    }

    /// Whatever a program calls its requests, a job does not take them for its own.
    async fn a_programs_request_is_not_taken_for_a_jobs(db: TestDb) {
        let id = settled(&db, "1", &refused()).await;
        let service = Scripted::accepting();
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let job = started(&db, &desk).await;
        let name = format!("bulk/{job}");
        let resend = Resend { actor: "api", request_id: Some(&name), ..Resend::default() };
        let answer = desk.resend_as(id, &resend).await.unwrap();
        assert!(matches!(answer, ResendAnswer::Begun { .. }), "{answer:?}");
        let runner = Bulk::new(office(&db, &sender), Arc::clone(&sender), 16);
        assert!(runner.run_once(&CancellationToken::new()).await.unwrap());
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        let BulkResult::Skipped { by, .. } = result(&page, id) else { panic!() };
        assert_eq!(by.as_deref(), Some("api"));
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

    async fn nothing_more_goes_out_in_the_name_of_who_may_not_any_more(db: TestDb) {
        with_lead(&db).await;
        for (n, change) in [
            "UPDATE users SET disabled = TRUE WHERE name = 'suzuki'",
            "UPDATE users SET disabled = FALSE, role = 'support' WHERE name = 'suzuki'",
            "DELETE FROM users WHERE name = 'suzuki'",
        ].into_iter().enumerate() {
            for order in ["1", "2", "3"] {
                settled(&db, &format!("{n}-{order}"), &refused()).await;
            }
            db.run("UPDATE users SET disabled = FALSE, role = 'lead' WHERE name = 'suzuki'").await;
            // The first mail is under way while the administrator acts.
            let service = Scripted::new(|_| Reply::AtGate(accepted("m")));
            let sender = sender(&db, &service);
            let desk = office(&db, &sender);
            let job = desk.bulk_prepare(&lead(), "status=rejected").await.unwrap().unwrap();
            desk.bulk_start(&lead(), job, "r").await.unwrap();
            let runner = Bulk::new(office(&db, &sender), Arc::clone(&sender), 1);
            let stopping = CancellationToken::new();
            let working = tokio::spawn(async move { runner.run_once(&stopping).await });
            eventually("the first is posted", async || service.posts().len() == 1).await;
            db.run(change).await;
            service.open_gate();
            assert!(working.await.unwrap().unwrap());
            sender.finish().await;
            assert_eq!(service.posts().len(), 1, "{change}");

            let page = desk.bulk(&lead(), job, 0).await.unwrap();
            let bulk = &page.bulk;
            assert_eq!((bulk.state, bulk.revoked, &bulk.stopped), (BulkState::Stopped, true, &None));
            assert!(bulk.ended_at.is_some());
            assert_eq!(bulk.counts.resent, [(Face::Accepted, 1)], "{change}");
            let told = format!(
                "SELECT COUNT(*) FROM audit_events WHERE act = 'bulk_revoked' \
                 AND actor = 'denpyo' AND detail = '/bulk/{job}'"
            );
            assert_eq!(db.number(&told).await, 1, "{change}");
        }
    }

    async fn what_is_held_during_a_job_is_left_alone_for_good(db: TestDb) {
        let ids = [settled(&db, "1", &refused()).await, settled(&db, "2", &refused()).await];
        let service = Scripted::accepting();
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let runner = Bulk::new(office(&db, &sender), Arc::clone(&sender), 16);
        let held = started(&db, &desk).await;
        hold_all(&db, By::Hold, "a restore").await.unwrap();
        assert!(runner.run_once(&CancellationToken::new()).await.unwrap());
        let page = desk.bulk(&lead(), held, 0).await.unwrap();
        for id in ids {
            let left = matches!(result(&page, id), BulkResult::Skipped { why: NoticeKind::Held, .. });
            assert!(left, "{:?}", result(&page, id));
        }
        // Held and let go between being seen and their turn, they are not as they were seen.
        release_all(&db, "denpyo release", "checked").await.unwrap();
        let released = desk.bulk_prepare(&lead(), "status=rejected").await.unwrap().unwrap();
        desk.bulk_start(&lead(), released, "r").await.unwrap();
        hold_all(&db, By::Hold, "again").await.unwrap();
        release_all(&db, "denpyo release", "checked").await.unwrap();
        assert!(runner.run_once(&CancellationToken::new()).await.unwrap());
        let page = desk.bulk(&lead(), released, 0).await.unwrap();
        for id in ids {
            let left = matches!(result(&page, id), BulkResult::Skipped { why: NoticeKind::Changed, .. });
            assert!(left, "{:?}", result(&page, id));
        }
        assert!(service.posts().is_empty());
    }
}
