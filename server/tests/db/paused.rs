//! A process that stands still between its lease check and its post until after the horizon: the
//! one case that breaks the assumption that look-ups rest on. It is never silent.

use crate::common::{RunningSandbox, both, config, eventually};
use app::model::Status;
use async_trait::async_trait;
use denpyo::outbox::claim::Permit;
use denpyo::provider::asking::{Asking, Finding, Question};
use denpyo::provider::{Provider, SendOutcome};
use denpyo::reconcile::Reconciler;
use denpyo::sender::Sender;
use denpyo::worker;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// SendGrid, whose first post stands still before its first byte until the gate opens.
struct StandingStill {
    inner: Arc<dyn Provider>,
    gate: watch::Receiver<bool>,
}

#[async_trait]
impl Provider for StandingStill {
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn label(&self) -> &'static str {
        self.inner.label()
    }
    fn account(&self) -> &str {
        self.inner.account()
    }
    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        if permit.envelope().labels.attempt == 1 {
            self.gate.clone().wait_for(|open| *open).await.unwrap();
        }
        self.inner.send(permit).await
    }
    async fn reachable(&self) -> Result<(), String> {
        self.inner.reachable().await
    }
    fn asking(&self) -> Asking {
        self.inner.asking()
    }
    async fn lookup(&self, question: &Question) -> Finding {
        self.inner.lookup(question).await
    }
}

both! {
    async fn a_post_after_the_horizon_is_flagged(db: TestDb) {
        let sandbox = RunningSandbox::start().await;
        let (open, gate) = watch::channel(false);
        let service: Arc<dyn Provider> = Arc::new(StandingStill {
            inner: sandbox.provider(Duration::from_secs(2)),
            gate,
        });
        let config = config(&[
            ("DENPYO_LOOKUP_HORIZON", "1s"),
            ("DENPYO_REQUEST_TIMEOUT", "100ms"),
            ("DENPYO_LEASE", "3s"),
        ]);
        let stopping = CancellationToken::new();
        let sender = Sender::new((*db).clone(), Arc::clone(&config), Arc::clone(&service), "test".to_owned(), stopping.clone());
        let id = db.insert("1001").await;
        let slots = Arc::new(Semaphore::new(4));
        assert_eq!(worker::run_once(&sender, &slots).await.unwrap(), 1);
        let mut reconciler = Reconciler::new((*db).clone(), config, Some(service), None);
        eventually("the look-up's no is believed", async || {
            reconciler.run_once().await.unwrap();
            db.status(id).await == Status::Failed
        })
        .await;
        assert_eq!(worker::run_once(&sender, &slots).await.unwrap(), 1);
        eventually("the second attempt is accepted", async || db.status(id).await == Status::Synced).await;
        assert!(!db.row(id).await.possible_duplicate);
        open.send_replace(true);
        eventually("it is flagged", async || db.row(id).await.possible_duplicate).await;
        assert_eq!(sandbox.holds("1001"), 2, "the assumption was broken");
        assert_eq!(db.observations(id, "late_accepted").await, 1);
        stopping.cancel();
        sender.finish().await;
    }
}
