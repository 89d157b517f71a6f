//! The worker with its sender, against a service of a script and against the sandbox.

use crate::common::{
    Port, Reply, RunningSandbox, Scripted, TestDb, accepted, both, config, eventually, refused,
    temporary,
};
use app::model::Status;
use denpyo::db::Db;
use denpyo::outbox::enqueue::{Enqueued, NewSubmission, enqueue};
use denpyo::provider::Provider;
use denpyo::reconcile::Reconciler;
use denpyo::sandbox::Faults;
use denpyo::sender::Sender;
use denpyo::worker;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const SOON: Duration = Duration::from_millis(50);

/// A worker that runs until it is told to stop.
struct Running {
    sender: Arc<Sender>,
    stopping: CancellationToken,
    task: JoinHandle<()>,
}

fn start(db: Db, service: Arc<dyn Provider>, concurrency: u32) -> Running {
    let stopping = CancellationToken::new();
    let sender = Sender::new(
        db,
        config(&[]),
        service,
        "test".to_owned(),
        stopping.clone(),
    );
    let run = worker::run(
        Arc::clone(&sender),
        concurrency,
        SOON,
        false,
        stopping.clone(),
    );
    Running {
        task: tokio::spawn(run),
        sender,
        stopping,
    }
}

impl Running {
    async fn stop(self) {
        self.stopping.cancel();
        self.task.await.unwrap();
        self.sender.finish().await;
    }
}

async fn count(db: &TestDb, status: &str) -> i64 {
    db.number(&format!(
        "SELECT COUNT(*) FROM email_submissions WHERE status = '{status}'"
    ))
    .await
}

fn mail(order: &str) -> NewSubmission {
    NewSubmission {
        order_id: order.to_owned(),
        kind: "order_confirmation".to_owned(),
        recipient: Some("a@example.com".to_owned()),
        subject: Some("s".to_owned()),
        body_text: Some("b".to_owned()),
        ..NewSubmission::default()
    }
}

both! {
    async fn of_ten_one_is_refused_one_delayed_and_eight_are_sent_once(db: TestDb) {
        let service = Scripted::new(|post| {
            Reply::Now(match post.order_id.as_str() {
                "3" => refused(),
                "7" => temporary(Some(60)),
                order => accepted(order),
            })
        });
        for order in 0..10 {
            db.insert(&order.to_string()).await;
        }
        let running = start((*db).clone(), service.clone(), 4);
        eventually("ten are settled", async || {
            count(&db, "pending").await + count(&db, "requesting").await == 0
        })
        .await;
        running.stop().await;
        assert_eq!((count(&db, "synced").await, count(&db, "rejected").await), (8, 1));
        assert_eq!(db.status(db.id_of("3").await).await, Status::Rejected);
        let delayed = db.row(db.id_of("7").await).await;
        assert_eq!(delayed.status().unwrap(), Status::Failed);
        let wait = delayed.next_attempt_at.unwrap().micros() - delayed.updated_at.micros();
        assert!((59_900_000..66_100_000).contains(&wait), "{wait}");
        for order in 0..10 {
            assert_eq!(service.posts_of(&order.to_string()), 1, "order {order}");
        }
    }

    async fn what_cannot_be_read_is_set_aside_and_the_queue_goes_on(db: TestDb) {
        db.insert("before").await;
        let broken = if db.is_postgres() { "NULL, 's', NULL" } else { "x'93fa', x'ff', x'00'" };
        db.run(&format!(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
             VALUES ('broken', 'k', {broken})"
        ))
        .await;
        db.insert("after").await;
        let service = Scripted::accepting();
        let running = start((*db).clone(), service.clone(), 4);
        eventually("the others are sent", async || count(&db, "synced").await == 2).await;
        running.stop().await;
        let broken = db.row(db.id_of("broken").await).await;
        assert_eq!((broken.status().unwrap(), broken.attempts), (Status::Rejected, 0));
        assert!(broken.error.is_some());
        assert_eq!(service.posts().len(), 2);
    }

    /// Fifty requests for one mail, and eight workers to send it.
    async fn fifty_requests_and_eight_workers_are_one_mail(db: TestDb) {
        let service = Scripted::accepting();
        let mut workers = Vec::new();
        for _ in 0..8 {
            workers.push(start(db.as_other_process().await, service.clone(), 2));
        }
        let mut requests = tokio::task::JoinSet::new();
        for _ in 0..50 {
            let own = (*db).clone();
            requests.spawn(async move { enqueue(&own, &mail("1001")).await.unwrap() });
        }
        let answers = requests.join_all().await;
        let created = answers.iter().filter(|a| matches!(a, Enqueued::Created(_))).count();
        assert_eq!(created, 1);
        assert!(!answers.iter().any(|a| matches!(a, Enqueued::Conflict(_))));
        eventually("it is sent", async || count(&db, "synced").await == 1).await;
        for running in workers {
            running.stop().await;
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 1);
        assert_eq!((service.posts().len(), db.number("SELECT COUNT(*) FROM submission_attempts").await), (1, 1));
    }

    async fn no_more_is_in_flight_than_allowed(db: TestDb) {
        let service = Scripted::new(|post| Reply::AtGate(accepted(&post.order_id)));
        for order in 0..9 {
            db.insert(&order.to_string()).await;
        }
        let running = start((*db).clone(), service.clone(), 3);
        eventually("three are posted", async || service.posts().len() == 3).await;
        assert_eq!((count(&db, "requesting").await, count(&db, "pending").await), (3, 6));
        service.open_gate();
        eventually("all are sent", async || count(&db, "synced").await == 9).await;
        running.stop().await;
        assert_eq!(service.posts().len(), 9);
    }

    async fn a_stop_finishes_what_was_posted_and_gives_the_rest_back(db: TestDb) {
        let service = Scripted::new(|post| Reply::AtGate(accepted(&post.order_id)));
        let posted = db.insert("posted").await;
        let stopping = CancellationToken::new();
        let sender = Sender::new(
            (*db).clone(), config(&[]), service.clone(), "test".to_owned(), stopping.clone(),
        );
        let slots = Arc::new(Semaphore::new(4));
        assert_eq!(worker::run_once(&sender, &slots).await.unwrap(), 1);
        eventually("it is posted", async || service.posts().len() == 1).await;
        let unposted = db.insert("unposted").await;
        stopping.cancel();
        assert_eq!(worker::run_once(&sender, &slots).await.unwrap(), 1);
        eventually("it is given back", async || db.status(unposted).await == Status::Pending).await;
        service.open_gate();
        sender.finish().await;
        assert_eq!(db.status(posted).await, Status::Synced);
        assert_eq!(service.posts_of("unposted"), 0);
    }

    /// The service takes the mail and then nothing sensible comes back.
    async fn accepted_but_unanswered_is_held_and_never_sent_again(db: TestDb) {
        for (order, faults) in [
            ("hang", Faults { accept_then_hang: 1.0, ..Faults::default() }),
            ("fin", Faults { accept_then_close: 1.0, ..Faults::default() }),
            ("rst", Faults { accept_then_reset: 1.0, ..Faults::default() }),
            ("500", Faults { accept_then_500: 1.0, ..Faults::default() }),
        ] {
            let sandbox = RunningSandbox::with(faults).await;
            let id = db.insert(order).await;
            let running = start((*db).clone(), sandbox.provider(Duration::from_millis(600)), 4);
            eventually("its outcome is unknown", async || db.row(id).await.unknown_at.is_some()).await;
            // The service is well again, time passes, and workers and the reconciler look around.
            sandbox.sandbox.set_faults(Faults::default()).unwrap();
            db.lapse(id).await;
            Reconciler::new((*db).clone(), config(&[]), None, None).run_once().await.unwrap();
            let next = db.insert(&format!("after-{order}")).await;
            eventually("the next one is sent", async || db.status(next).await == Status::Synced).await;
            running.stop().await;
            let row = db.row(id).await;
            assert_eq!((row.status().unwrap(), row.attempts), (Status::Requesting, 1), "{order}");
            assert!(row.open_question && row.held_reason.is_none() && row.error.is_some());
            assert_eq!(db.outcome(id, 1).await.as_deref(), Some("unknown"));
            assert_eq!(sandbox.holds(order), 1, "{order}");
        }
    }

    async fn what_never_reached_the_service_goes_again(db: TestDb) {
        let sandbox = RunningSandbox::start().await;
        let nobody = Port::reserve();
        let settings = denpyo::provider::Settings {
            url: Some(nobody.url()),
            key: Some("SG.key".to_owned()),
            timeout: Duration::from_secs(5),
            ..Default::default()
        };
        let id = db.insert("1001").await;
        let dead = start((*db).clone(), denpyo::provider::build("sendgrid", &settings).unwrap(), 1);
        eventually("it failed", async || db.status(id).await == Status::Failed).await;
        dead.stop().await;
        assert_eq!(db.outcome(id, 1).await.as_deref(), Some("never_left"));
        db.make_due(id).await;
        let running = start((*db).clone(), sandbox.provider(Duration::from_secs(5)), 1);
        eventually("it is sent", async || db.status(id).await == Status::Synced).await;
        running.stop().await;
        assert_eq!((sandbox.holds("1001"), db.row(id).await.attempts), (1, 2));
        let message = &sandbox.sandbox.messages()[0];
        let reference = db.row(id).await.reference;
        assert_eq!(message.reference(), Some(reference.as_str()));
        assert_eq!(db.row(id).await.provider_message_id.as_deref(), Some(message.message_id.as_str()));
    }
}
