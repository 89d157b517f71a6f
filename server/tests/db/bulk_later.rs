//! What becomes of a job of resends afterwards: its mails are followed to their end, and what nobody
//! started goes.

use crate::bulk::{lead, office, result, started, with_lead};
use crate::common::{
    Reply, Scripted, accepted, both, claimant, config, eventually, refused, sender, settled,
    temporary, unknown,
};
use app::desk::{Answer, Desk, Many, Ticket};
use app::error::AppError;
use app::model::views::{BulkAnswer, BulkResult, BulkState, NoticeKind};
use app::model::{Face, Status};
use denpyo::bulk::Bulk;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::sender::Sender;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

both! {
    async fn what_a_stopping_process_gave_back_is_followed_to_its_end(db: TestDb) {
        let given_back = settled(&db, "1", &refused()).await;
        let service = Scripted::accepting();
        let stopping = CancellationToken::new();
        let sender = Sender::new(
            (*db).clone(), config(&[]), service.clone(), "test".to_owned(), stopping.clone(),
        );
        let desk = office(&db, &sender);
        let job = started(&db, &desk).await;
        // The process is asked to stop between a mail's claim and its post.
        stopping.cancel();
        let runner = Bulk::new(office(&db, &sender), Arc::clone(&sender), 16);
        assert!(runner.run_once(&CancellationToken::new()).await.unwrap());
        sender.finish().await;
        assert_eq!(db.outcome(given_back, 2).await.as_deref(), Some("released"));
        assert!(service.posts().is_empty());
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        assert_eq!(result(&page, given_back), BulkResult::Resent { attempt: 2, face: Face::NotSent });
        // A worker takes it, meets a busy service, tries again, and nobody knows what came of it.
        let retries = Retries { most: 9 };
        for (attempt, outcome, face) in [
            (3, temporary(None), Face::NotSent),
            (4, unknown(), Face::NeedsChecking),
        ] {
            db.make_due(given_back).await;
            let claims = claim_due(&db, &claimant(), 1).await.unwrap();
            let page = desk.bulk(&lead(), job, 0).await.unwrap();
            let sending = BulkResult::Resent { attempt, face: Face::Sending };
            assert_eq!(result(&page, given_back), sending);
            settle(&db, &claims[0], &outcome, OnUnknown::Hold, retries).await.unwrap();
            let page = desk.bulk(&lead(), job, 0).await.unwrap();
            assert_eq!(result(&page, given_back), BulkResult::Resent { attempt, face });
            assert_eq!(page.bulk.counts.resent, [(face, 1)]);
        }
        // Somebody finds out that it went out: the job's page says so too.
        let version = db.row(given_back).await.version;
        desk.answer(&lead(), given_back, version, Answer::Sent, "in their log").await.unwrap();
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        assert_eq!(result(&page, given_back), BulkResult::Resent { attempt: 4, face: Face::Accepted });
        assert_eq!(page.bulk.counts.resent, [(Face::Accepted, 1)]);
    }

    /// A record of what a job did is not changed by what somebody does with its mails later.
    async fn a_persons_later_resend_is_not_the_jobs(db: TestDb) {
        let id = settled(&db, "1", &refused()).await;
        let service = Scripted::new(|post| Reply::Now(match post.attempt {
            2 => refused(),
            _ => accepted("m"),
        }));
        let sender = sender(&db, &service);
        let desk = office(&db, &sender);
        let job = started(&db, &desk).await;
        let runner = Bulk::new(office(&db, &sender), Arc::clone(&sender), 16);
        assert!(runner.run_once(&CancellationToken::new()).await.unwrap());
        eventually("it is refused", async || db.status(id).await == Status::Rejected).await;
        let row = db.row(id).await;
        let ticket = Ticket { version: row.version, attempt: row.attempts };
        assert_eq!(desk.resend(&lead(), id, ticket).await.unwrap(), NoticeKind::Resent);
        eventually("it is accepted", async || db.status(id).await == Status::Synced).await;
        let page = desk.bulk(&lead(), job, 0).await.unwrap();
        assert_eq!(result(&page, id), BulkResult::Resent { attempt: 2, face: Face::Refused });
        assert_eq!(page.bulk.counts.resent, [(Face::Refused, 1)]);
    }

    async fn what_was_seen_days_ago_is_not_started_and_goes(db: TestDb) {
        let id = settled(&db, "1", &refused()).await;
        with_lead(&db).await;
        let sender = sender(&db, &Scripted::accepting());
        let desk = office(&db, &sender);
        let prepare = async || desk.bulk_prepare(&lead(), "status=rejected").await.unwrap().unwrap();
        let aged = async |hours: i64| {
            let job = prepare().await;
            let then = db.at(-3600 * hours);
            db.run(&format!("UPDATE bulk_jobs SET created_at = {then} WHERE id = {job}")).await;
            job
        };
        let seen = async |job| desk.bulk(&lead(), job, 0).await.map(|page| page.bulk);
        // Jobs that were started stay, however old.
        let (fresh, ran) = (aged(23).await, aged(23).await);
        desk.bulk_start(&lead(), ran, "r").await.unwrap();
        db.run(&format!("UPDATE bulk_jobs SET created_at = {} WHERE id = {ran}", db.at(-86_400 * 9))).await;
        assert!(!seen(fresh).await.unwrap().outdated);
        let late = aged(25).await;
        assert!(seen(late).await.unwrap().outdated);
        assert_eq!(desk.bulk_start(&lead(), late, "r").await.unwrap(), BulkAnswer::NotStarted);
        let gone = aged(49).await;
        assert!(seen(gone).await.is_ok(), "until the next is frozen");
        let next = prepare().await;
        assert_eq!(seen(gone).await.err(), Some(AppError::NotFound));
        let left = format!("SELECT COUNT(*) FROM bulk_items WHERE job_id = {gone}");
        assert_eq!(db.number(&left).await, 0);
        for job in [fresh, ran, late, next] {
            let page = desk.bulk(&lead(), job, 0).await.unwrap();
            assert_eq!(page.rows.iter().map(|row| row.id).collect::<Vec<_>>(), [id]);
        }
        assert_eq!(seen(ran).await.unwrap().state, BulkState::Running);
        assert_eq!(desk.bulk_start(&lead(), fresh, "r").await.unwrap(), BulkAnswer::Started);
    }

    /// Two who freeze at once both find the same old ones.
    async fn old_ones_go_once_though_several_freeze_at_once(db: TestDb) {
        settled(&db, "1", &refused()).await;
        let desk = Arc::new(office(&db, &sender(&db, &Scripted::accepting())));
        for _ in 0..5 {
            desk.bulk_prepare(&lead(), "status=rejected").await.unwrap().unwrap();
        }
        db.run(&format!("UPDATE bulk_jobs SET created_at = {}", db.at(-86_400 * 3))).await;
        let mut freezing = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let desk = Arc::clone(&desk);
            freezing.spawn(async move { desk.bulk_prepare(&lead(), "status=rejected").await });
        }
        for job in freezing.join_all().await {
            assert!(job.unwrap().is_ok());
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM bulk_jobs").await, 6);
        assert_eq!(db.number("SELECT COUNT(*) FROM bulk_items").await, 6);
    }
}
