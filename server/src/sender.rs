//! Carries one claim from its post to its settle. Workers and people's resends both go through
//! here; no transaction is open while the service is asked.

use crate::config::Config;
use crate::db::{Db, DbError};
use crate::envelope::Unsendable;
use crate::outbox::claim::{Claim, Claimant, Requests, Resend, Resent, claim_for_person};
use crate::outbox::retry::Retries;
use crate::outbox::row::Row;
use crate::outbox::settle::{self, Settled};
use crate::outbox::{pause, workers};
use crate::provider::{Provider, SendOutcome};
use app::model::views::Cause;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Sends what is claimed.
pub struct Sender {
    db: Db,
    config: Arc<Config>,
    provider: Arc<dyn Provider>,
    claimant: Claimant,
    in_flight: AtomicI64,
    accepted: Mutex<VecDeque<Instant>>,
    /// The service was seen paused, so an acceptance has a pause to end.
    pause_seen: AtomicBool,
    tasks: TaskTracker,
    /// Set when the process is to stop: what has not been posted is given back.
    stopping: CancellationToken,
}

/// One mail in flight: counted until it ends, however it ends.
struct Flight<'a>(&'a AtomicI64);

impl<'a> Flight<'a> {
    fn begin(count: &'a AtomicI64) -> Flight<'a> {
        count.fetch_add(1, Ordering::Relaxed);
        Flight(count)
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How a person's resend was taken.
#[derive(Debug)]
pub enum Resending {
    /// Being sent, or was already under the same request.
    Begun {
        /// The attempt's number.
        attempt: Option<i32>,
    },
    /// Not in a state to be resent, or not as it was seen.
    Refused(Box<Row>),
    /// Its content cannot be sent.
    Unsendable(Unsendable),
    /// No such row.
    NotFound,
}

/// How long a settle is tried again while the database does not answer. The row stays
/// `requesting` meanwhile, and if it never succeeds, the desk shows it as needing a check.
const SETTLE_PATIENCE: Duration = Duration::from_secs(600);

impl Sender {
    /// A sender for one service. `installation` is what mails carry as their origin.
    pub fn new(
        db: Db,
        config: Arc<Config>,
        provider: Arc<dyn Provider>,
        installation: String,
        stopping: CancellationToken,
    ) -> Arc<Sender> {
        let claimant = Claimant {
            worker: process_name(),
            provider: provider.name().to_owned(),
            account: provider.account().to_owned(),
            installation,
            from: config.from.clone(),
            lease: config.lease,
            timeout: config.request_timeout,
            max_age: config.max_age,
            requests: Requests::of(&provider),
        };
        Arc::new(Sender {
            db,
            config,
            provider,
            claimant,
            in_flight: AtomicI64::new(0),
            accepted: Mutex::new(VecDeque::new()),
            // An earlier process may have left a pause behind.
            pause_seen: AtomicBool::new(true),
            tasks: TaskTracker::new(),
            stopping,
        })
    }

    /// Who claims, for [`crate::outbox::claim`].
    pub fn claimant(&self) -> &Claimant {
        &self.claimant
    }

    /// The service.
    pub fn provider(&self) -> &Arc<dyn Provider> {
        &self.provider
    }

    /// Remembers that the service stands paused: the next acceptance ends that.
    pub fn see_pause(&self) {
        self.pause_seen.store(true, Ordering::Relaxed);
    }

    /// The database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Sends in the background; `done` is dropped when the outcome is written.
    pub fn spawn<D: Send + 'static>(self: &Arc<Self>, claim: Claim, done: D) {
        let sender = Arc::clone(self);
        self.tasks.spawn(async move {
            sender.deliver(claim).await;
            drop(done);
        });
    }

    /// How many mails are being posted.
    pub fn in_flight(&self) -> i64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Whether anything is being sent.
    pub fn busy(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Claims a mail for a person and sends it. Both run to their end whether or not the caller
    /// stays: a browser that goes away during the claim must not leave a mail claimed and unsent.
    pub async fn resend(
        self: &Arc<Self>,
        id: i64,
        resend: &Resend<'_>,
    ) -> Result<Resending, DbError> {
        let sender = Arc::clone(self);
        let actor = resend.actor.to_owned();
        let recipient = resend.recipient.cloned();
        let reason = resend.reason.map(str::to_owned);
        let request_id = resend.request_id.map(str::to_owned);
        let (version, attempt) = (resend.version, resend.attempt);
        let (tell, told) = tokio::sync::oneshot::channel();
        self.tasks.spawn(async move {
            let resend = Resend {
                actor: &actor,
                version,
                attempt,
                recipient: recipient.as_ref(),
                reason: reason.as_deref(),
                request_id: request_id.as_deref(),
            };
            let mut ours = None;
            let answer = claim_for_person(&sender.db, &sender.claimant, id, &resend)
                .await
                .map(|resent| match resent {
                    Resent::Claimed(claim) => {
                        let attempt = Some(claim.attempt());
                        ours = Some(claim);
                        Resending::Begun { attempt }
                    }
                    Resent::Before { attempt } => Resending::Begun { attempt },
                    Resent::Refused(row) => Resending::Refused(row),
                    Resent::Unsendable(fault) => Resending::Unsendable(fault),
                    Resent::NotFound => Resending::NotFound,
                });
            // Nobody may be listening any more; the mail goes out all the same.
            let _ = tell.send(answer);
            if let Some(claim) = ours {
                sender.deliver(*claim).await;
            }
        });
        told.await.unwrap_or(Err(sqlx::Error::WorkerCrashed.into()))
    }

    /// Waits until everything in flight is written down. Nothing may be spawned afterwards.
    pub async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Posts one mail and writes down what is known. Never panics the caller, never retries the
    /// post.
    pub async fn deliver(&self, claim: Claim) {
        let _flight = Flight::begin(&self.in_flight);
        if self.stopping.is_cancelled() {
            self.release(&claim, Cause::Stopping).await;
        } else {
            // Asked last: from here to the post nothing waits.
            match claim.permit() {
                Some(permit) => {
                    let begun = Instant::now();
                    let outcome = self.provider.send(permit).await;
                    metrics::histogram!("denpyo_send_seconds").record(begun.elapsed());
                    self.settle(&claim, &outcome).await;
                }
                None => self.release(&claim, Cause::Lease).await,
            }
        }
    }

    async fn settle(&self, claim: &Claim, outcome: &SendOutcome) {
        let word = outcome.word().as_str();
        metrics::counter!("denpyo_sends_total", "outcome" => word).increment(1);
        let on_unknown = self.config.on_unknown(claim.kind());
        let retries = Retries {
            most: self.config.max_attempts,
        };
        let begun = Instant::now();
        let mut wait = Duration::from_millis(100);
        let settled = loop {
            match settle::settle(&self.db, claim, outcome, on_unknown, retries).await {
                Ok(settled) => break settled,
                Err(error) if begun.elapsed() < SETTLE_PATIENCE => {
                    tracing::error!(
                        id = claim.id(), attempt = claim.attempt(), outcome = word,
                        error = %error, "the outcome could not be written; trying again"
                    );
                    tokio::time::sleep(wait).await;
                    wait = (wait * 2).min(Duration::from_secs(5));
                }
                Err(error) => {
                    tracing::error!(
                        id = claim.id(), attempt = claim.attempt(), outcome = word,
                        error = %error, "the outcome could not be written; the row needs checking"
                    );
                    return;
                }
            }
        };
        match settled {
            Settled::Recorded | Settled::Before => {
                tracing::info!(
                    id = claim.id(),
                    attempt = claim.attempt(),
                    outcome = word,
                    "outcome written"
                );
            }
            Settled::Late => tracing::warn!(
                id = claim.id(),
                attempt = claim.attempt(),
                outcome = word,
                "the answer came after the row was settled otherwise; kept as an observation"
            ),
        }
        if matches!(outcome, SendOutcome::Accepted { .. }) {
            self.count_accepted();
            if self.pause_seen.swap(false, Ordering::Relaxed)
                && let Err(error) = pause::clear(&self.db, &self.claimant).await
            {
                self.see_pause();
                tracing::warn!(error = %error, "an old pause could not be ended");
            }
        }
        if matches!(outcome, SendOutcome::Account { .. }) {
            self.see_pause();
        }
    }

    async fn release(&self, claim: &Claim, cause: Cause) {
        match settle::release(&self.db, claim, cause).await {
            Ok(_) => tracing::info!(
                id = claim.id(),
                attempt = claim.attempt(),
                cause = cause.as_str(),
                "given back before the first byte"
            ),
            Err(error) => tracing::error!(
                id = claim.id(), error = %error,
                "could not be given back; the row needs checking when its lease ends"
            ),
        }
    }

    fn count_accepted(&self) {
        if let Ok(mut accepted) = self.accepted.lock() {
            accepted.push_back(Instant::now());
        }
    }

    /// Says in the database that this process lives.
    pub async fn beat(&self, resends_only: bool) {
        const HOUR: Duration = Duration::from_secs(3600);
        let accepted = match self.accepted.lock() {
            Ok(mut accepted) => {
                while accepted.front().is_some_and(|at| at.elapsed() > HOUR) {
                    accepted.pop_front();
                }
                i64::try_from(accepted.len()).unwrap_or(i64::MAX)
            }
            Err(_) => 0,
        };
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        let name = &self.claimant.worker;
        if let Err(error) = workers::beat(&self.db, name, resends_only, in_flight, accepted).await {
            tracing::warn!(error = %error, "the heartbeat could not be written");
        }
    }
}

/// Host and process, such as `web-1:4711`.
fn process_name() -> String {
    let host = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    format!("{host}:{}", std::process::id())
}
