//! The reconciler: what time decides, and what services know. Runs in every process, safe with
//! many at once.
//!
//! A lease that ran out makes its row an open question; what is too old is held for a person; and
//! each open question is put to the service that the attempt went to, until an answer proves
//! something or no answer ever will.

mod look_up;
mod replay;

use crate::config::Config;
use crate::db::{Db, DbError};
use crate::outbox::claim::Claimant;
use crate::outbox::lookup::{self, Open, Undecided, Written};
use crate::outbox::{hold, lapse};
use crate::provider::Provider;
use crate::provider::asking::{Asking, FoundMail, Unclear};
use app::model::lookup::Evidence;
use app::model::recorded;
use futures_util::StreamExt;
use futures_util::stream;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Questions taken at once.
const BATCH: usize = 16;
/// Questions under way at once: after many crashes one by one would fall behind, and services
/// allow only so many.
const AT_ONCE: usize = 4;
/// How often rows are looked for that stand in no schedule.
const SWEEP: Duration = Duration::from_secs(60);
/// Longest time after which another process takes over a question.
const PATIENCE: Duration = Duration::from_secs(60);
/// Questions are asked more often than this: what was not is settled.
const FORGET: Duration = Duration::from_secs(48 * 3600);

/// How long an answer may take to be written down after a signal, beside the request timeout.
const FINISH: Duration = Duration::from_secs(2);

/// What a process remembers, by its monotonic clock, of a question that it asks.
#[derive(Clone, Copy, Debug)]
struct Watch {
    first_seen: Instant,
    last_asked: Instant,
    first_no: Option<Instant>,
    /// The highest attempt number when this attempt could not begin any more.
    mark: Option<i64>,
}

/// Looks after open questions.
pub struct Reconciler {
    db: Db,
    config: Arc<Config>,
    provider: Option<Arc<dyn Provider>>,
    who: Option<Claimant>,
    process: String,
    watches: HashMap<(i64, i32), Watch>,
    swept: Option<Instant>,
}

/// What one round came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Leases that ran out without an outcome.
    pub lapsed: usize,
    /// Rows held for their age.
    pub held: u64,
    /// Questions put to the service.
    pub asked: usize,
    /// Rows settled by the answers.
    pub settled: usize,
}

impl Reconciler {
    /// A reconciler; without a service it marks what lapsed, and asks nobody. `who` is the
    /// process's claimant, which replays need.
    pub fn new(
        db: Db,
        config: Arc<Config>,
        provider: Option<Arc<dyn Provider>>,
        who: Option<Claimant>,
    ) -> Reconciler {
        // Its own name, not the worker's: two reconcilers never share a clock.
        let process = uuid::Uuid::new_v4().simple().to_string();
        Reconciler {
            db,
            config,
            provider,
            who,
            process,
            watches: HashMap::new(),
            swept: None,
        }
    }

    /// One round.
    pub async fn run_once(&mut self) -> Result<Round, DbError> {
        let (lapsed, held) = pass_time(&self.db, &self.config).await?;
        let round = self.ask_once(&CancellationToken::new()).await?;
        Ok(Round {
            lapsed,
            held,
            ..round
        })
    }

    /// Puts the questions that are due; once the process is to stop, no further ones.
    async fn ask_once(&mut self, stopping: &CancellationToken) -> Result<Round, DbError> {
        let mut round = Round::default();
        let Some(provider) = self.provider.clone() else {
            return Ok(round);
        };
        if self.swept.is_none_or(|at| at.elapsed() >= SWEEP) {
            lookup::sweep(&self.db).await?;
            self.swept = Some(Instant::now());
        }
        let patience = self.patience(provider.as_ref());
        let questions = lookup::take(&self.db, &self.process, patience, BATCH as i64).await?;
        round.asked = questions.len();
        let puts = questions.into_iter().map(|open| {
            let (this, provider) = (&*self, Arc::clone(&provider));
            async move {
                let key = (open.id, open.attempt);
                let watch = this.watches.get(&key).copied();
                if stopping.is_cancelled() {
                    return (key, watch, Ok(false));
                }
                this.put(provider, open, watch).await
            }
        });
        let answers: Vec<_> = stream::iter(puts).buffer_unordered(AT_ONCE).collect().await;
        let mut failed = None;
        for (key, watch, answer) in answers {
            match watch {
                Some(watch) => self.watches.insert(key, watch),
                None => self.watches.remove(&key),
            };
            match answer {
                Ok(settled) => round.settled += usize::from(settled),
                Err(error) => failed = Some(error),
            }
        }
        // Questions that somebody else settled leave their memories behind.
        self.watches
            .retain(|_, watch| watch.last_asked.elapsed() < FORGET);
        failed.map_or(Ok(round), Err)
    }

    fn horizon(&self, provider: &dyn Provider) -> Duration {
        let own = match provider.asking() {
            Asking::Lookup { horizon, .. } => horizon,
            Asking::Replay { .. } | Asking::Never => Duration::from_secs(1800),
        };
        self.config.lookup_horizon.unwrap_or(own)
    }

    fn patience(&self, provider: &dyn Provider) -> Duration {
        let answer = self.config.request_timeout * 2;
        PATIENCE.min(self.horizon(provider)).max(answer)
    }

    /// Puts one question. Gives back what is to be remembered of it, and whether the answer
    /// settled the row.
    async fn put(
        &self,
        provider: Arc<dyn Provider>,
        mut open: Open,
        watch: Option<Watch>,
    ) -> ((i64, i32), Option<Watch>, Result<bool, DbError>) {
        let key = (open.id, open.attempt);
        let provider = provider.as_ref();
        let asking = provider.asking();
        if open.provider != provider.name() || open.account != provider.account() {
            let detail = format!("it went to {} {}", open.provider, open.account);
            let answer = self.unclear(&open, Unclear::Elsewhere, &detail, None).await;
            return (key, watch, answer);
        }
        if asking == Asking::Never {
            let answer = self.unclear(&open, Unclear::NoLookup, "", None).await;
            return (key, watch, answer);
        }
        let now = Instant::now();
        let mut watch = watch.unwrap_or(Watch {
            first_seen: now,
            last_asked: now,
            first_no: None,
            mark: None,
        });
        watch.last_asked = now;
        // A database's clock that was set back makes an attempt no younger.
        open.since_claim = open.since_claim.max(now.duration_since(watch.first_seen));
        let answer = match asking {
            Asking::Replay { window } => self.replay(provider, &open, window).await,
            Asking::Lookup { retention, .. } => {
                self.look_up(provider, &open, &mut watch, retention).await
            }
            Asking::Never => Ok(false),
        };
        let settled = matches!(answer, Ok(true));
        (key, (!settled).then_some(watch), answer)
    }

    async fn accepted(&self, open: &Open, mails: &[FoundMail]) -> Result<Written, DbError> {
        let written = lookup::found(&self.db, open, mails).await?;
        tracing::info!(
            id = open.id,
            attempt = open.attempt,
            "looked up: the service has it"
        );
        Ok(written)
    }

    async fn not_there(&self, open: &Open, e: &Evidence) -> Result<Written, DbError> {
        let why = if e.later_mail_shown {
            recorded::LATER_MAIL_SHOWN
        } else {
            recorded::NOT_FOUND_TWICE
        };
        let written = lookup::not_there(&self.db, open, why, self.config.max_attempts).await?;
        tracing::info!(
            id = open.id,
            attempt = open.attempt,
            "looked up: the service does not have it"
        );
        Ok(written)
    }

    async fn unclear(
        &self,
        open: &Open,
        why: Unclear,
        detail: &str,
        again: Option<Duration>,
    ) -> Result<bool, DbError> {
        let asked = !matches!(why, Unclear::NoLookup | Unclear::Elsewhere);
        let why = why.as_str();
        let (id, attempt) = (open.id, open.attempt);
        if asked {
            tracing::warn!(id, attempt, why, "looked up: no clear answer");
        } else {
            tracing::warn!(
                id,
                attempt,
                why,
                "cannot be looked up: a person has to find out"
            );
        }
        lookup::undecided(&self.db, open, Undecided::Unclear { why, detail }, again).await?;
        Ok(false)
    }
}

/// What time alone decides: leases that ran out, rows too old to be sent by themselves. Returns
/// how many of each.
async fn pass_time(db: &Db, config: &Config) -> Result<(usize, u64), DbError> {
    let lapsed = lapse::mark_lapsed(db, |kind| config.on_unknown(kind)).await?;
    let held = hold::hold_old(db, config.max_age).await?;
    Ok((lapsed, held))
}

/// Runs until the process is to stop, and finishes what it is at: a replay that was posted has an
/// answer to come. A service that is slow to answer does not keep time from being looked after, so
/// each has a loop of its own.
pub async fn run(mut reconciler: Reconciler, stopping: CancellationToken) {
    let db = reconciler.db.clone();
    let config = Arc::clone(&reconciler.config);
    let pause = config.poll_interval.max(Duration::from_millis(200));
    let time = async {
        while !stopping.is_cancelled() {
            if let Err(error) = pass_time(&db, &config).await {
                tracing::warn!(error = %error, "lapsed leases could not be looked through");
            }
            rest(&stopping, pause).await;
        }
    };
    let questions = async {
        while !stopping.is_cancelled() {
            match reconciler.ask_once(&stopping).await {
                // More may be due already.
                Ok(round) if round.asked == BATCH => continue,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(error = %error, "open questions could not be looked after");
                }
            }
            rest(&stopping, pause).await;
        }
    };
    // A look-up of many requests is not waited for to its end: another process asks again.
    let late = async {
        stopping.cancelled().await;
        tokio::time::sleep(config.request_timeout + FINISH).await;
    };
    tokio::select! {
        ((), ()) = async { tokio::join!(time, questions) } => {}
        () = late => {}
    }
}

async fn rest(stopping: &CancellationToken, pause: Duration) {
    tokio::select! {
        () = stopping.cancelled() => {}
        () = tokio::time::sleep(pause) => {}
    }
}
