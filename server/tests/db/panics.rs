//! A service's code that panics: an outcome of that mail, and no end of the process.

use crate::common::{accepted, both, config};
use app::model::Status;
use async_trait::async_trait;
use denpyo::envelope::Envelope;
use denpyo::outbox::claim::Permit;
use denpyo::provider::asking::{Asking, Finding, FoundMail, Question};
use denpyo::provider::{self, Provider, SendOutcome};
use denpyo::reconcile::Reconciler;
use denpyo::sender::Sender;
use denpyo::worker;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Panics over order 1001, at the first look-up, and over every digest.
#[derive(Default)]
struct Stumbling {
    asked: AtomicU32,
}

#[async_trait]
impl Provider for Stumbling {
    fn name(&self) -> &'static str {
        "stumbling"
    }
    fn label(&self) -> &'static str {
        "Stumbling"
    }
    fn account(&self) -> &str {
        "account-1"
    }
    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        tokio::task::yield_now().await;
        let order = &permit.envelope().labels.order_id;
        assert_ne!(order, "1001", "a reader stumbles");
        accepted("m-1")
    }
    async fn reachable(&self) -> Result<(), String> {
        panic!("a reader stumbles")
    }
    fn asking(&self) -> Asking {
        Asking::Lookup {
            horizon: Duration::from_secs(1800),
            retention: Duration::from_secs(86_400),
        }
    }
    async fn lookup(&self, _: &Question) -> Finding {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        assert!(asked > 0, "a reader stumbles");
        Finding::Found(vec![FoundMail::default()])
    }
    fn request_digest(&self, _: &Envelope) -> Option<String> {
        panic!("a reader stumbles")
    }
}

both! {
    async fn a_panic_is_an_outcome_and_stops_nobody(db: TestDb) {
        let service = provider::guarded(Arc::new(Stumbling::default()));
        let config = config(&[]);
        let stopping = CancellationToken::new();
        let sender = Sender::new((*db).clone(), Arc::clone(&config), Arc::clone(&service), "test".to_owned(), stopping);
        let [bad, good] = [db.insert("1001").await, db.insert("1002").await];
        let slots = Arc::new(Semaphore::new(4));
        assert_eq!(worker::run_once(&sender, &slots).await.unwrap(), 2);
        sender.finish().await;
        assert_eq!(db.status(good).await, Status::Synced, "the other goes out");
        let row = db.row(bad).await;
        assert_eq!(row.status().unwrap(), Status::Requesting);
        assert!(row.unknown_at.is_some(), "known to be unknown, long before the lease's end");
        let closed = "SELECT COUNT(*) FROM submission_attempts WHERE outcome = 'unknown' AND cause = 'fault'";
        assert_eq!(db.number(closed).await, 1);
        assert_eq!(slots.available_permits(), 4, "no slot is lost");
        assert!(service.reachable().await.is_err());

        let mut reconciler = Reconciler::new((*db).clone(), config, Some(service), None);
        let past = db.at(-1);
        for (settled, unclear) in [(0, 1), (1, 1)] {
            db.run(&format!("UPDATE lookups SET next_at = {past}")).await;
            let round = reconciler.run_once().await.unwrap();
            assert_eq!((round.asked, round.settled), (1, settled));
            assert_eq!(db.observations(bad, "lookup_unclear").await, unclear);
        }
        assert_eq!(db.status(bad).await, Status::Synced, "and then it is found");
    }
}
