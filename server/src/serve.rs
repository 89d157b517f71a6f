//! Putting the parts together: `denpyo serve` and `denpyo worker`.

use crate::alerts::{self, Alerts};
use crate::bulk::{self, Bulk};
use crate::config::Config;
use crate::db::open::{self, OpenError};
use crate::db::{Db, DbError, schema};
use crate::desk::Office;
use crate::oidc::Oidc;
use crate::outbox::{asked, installation, workers};
use crate::provider::{self, Provider, ProviderError};
use crate::reconcile::Reconciler;
use crate::sender::Sender;
use crate::{indexer, lock, reconcile, web, worker};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Why a process does not start, or stops.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database answers, but not as it should.
    #[error(transparent)]
    Db(#[from] DbError),
    /// Another process sends already.
    #[error(transparent)]
    Lock(#[from] lock::LockError),
    /// The service's settings cannot be used.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The address cannot be listened on.
    #[error("DENPYO_LISTEN = {address:?}: {why}")]
    Listen {
        /// As it was set.
        address: String,
        /// The system's words.
        why: String,
    },
    /// Asked to stop before it had started.
    #[error("stopped before it had started")]
    Stopped,
    /// Serving broke off.
    #[error("serving broke off: {0}")]
    Io(#[from] std::io::Error),
}

/// How long what is in flight may take to finish after a signal, beside the request timeout.
const FINISH: Duration = Duration::from_secs(10);

/// Opens the database that the settings name.
pub async fn open(config: &Config) -> Result<Db, OpenError> {
    open::open(&config.database_url, config.concurrency + 8).await
}

/// Like [`open`], but a database that is not there is an error: what works on mails has none to work on
/// in a new one, and an empty file in the wrong folder looks like success.
pub async fn open_existing(config: &Config) -> Result<Db, OpenError> {
    let url = &config.database_url;
    match open::open_existing(url, config.concurrency + 8).await? {
        Some(db) => Ok(db),
        None => Err(OpenError::NoFile(open::file_of(url).unwrap_or_default())),
    }
}

/// How long a process that serves or sends waits for its database at the start.
const DATABASE_PATIENCE: Duration = Duration::from_secs(30);
/// The longest gap between two tries.
const LONGEST_GAP: Duration = Duration::from_secs(8);

/// Like [`open`], but a server that cannot be reached yet (it is restarting, say) is tried again for
/// a while, at growing intervals.
async fn open_patiently(config: &Config, stopping: &CancellationToken) -> Result<Db, RunError> {
    let begun = Instant::now();
    let mut gap = Duration::from_millis(500);
    loop {
        let error = tokio::select! {
            () = stopping.cancelled() => return Err(RunError::Stopped),
            opened = open(config) => match opened {
                Ok(db) => return Ok(db),
                Err(error) => error,
            },
        };
        let left = DATABASE_PATIENCE.saturating_sub(begun.elapsed());
        if !error.may_pass() || left.is_zero() {
            return Err(error.into());
        }
        let wait = gap.min(left);
        tracing::warn!(error = %error, again_in = ?wait, "the database cannot be reached yet");
        tokio::select! {
            () = stopping.cancelled() => return Err(RunError::Stopped),
            () = tokio::time::sleep(wait) => {}
        }
        gap = (gap * 2).min(LONGEST_GAP);
    }
}

/// The service that the settings name.
pub fn service(config: &Config) -> Result<Option<Arc<dyn Provider>>, ProviderError> {
    let Some(settings) = &config.provider else {
        return Ok(None);
    };
    let settings_for = provider::Settings {
        url: settings.url.clone(),
        key: settings.key.clone(),
        timeout: config.request_timeout,
        from: config.from.clone(),
        smtp_name: settings.smtp_name.clone(),
        webhook_key: settings.webhook_key.clone(),
    };
    provider::build(&settings.name, &settings_for).map(Some)
}

/// Counts sends and times, for `/metrics`. Once a process.
pub fn metrics_handle() -> PrometheusHandle {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    // A second recorder, as tests in one process make, counts nothing but harms nothing.
    let _ = metrics::set_global_recorder(recorder);
    web::health::describe();
    handle
}

/// A cancellation at SIGTERM or SIGINT. They are watched from here on, not from the first time that
/// a task runs: to be called before anything else is done.
pub fn stop_at_signal() -> CancellationToken {
    use tokio::signal::unix::{SignalKind, signal};
    let token = CancellationToken::new();
    let on_signal = token.clone();
    match (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) {
        (Ok(mut term), Ok(mut int)) => {
            tokio::spawn(async move {
                tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
                tracing::info!("stopping: finishing what is in flight");
                on_signal.cancel();
                // A second signal does not wait.
                tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
                std::process::exit(1);
            });
        }
        _ => tracing::error!("signals cannot be watched"),
    }
    token
}

/// What runs in the background of a process that sends.
struct Engine {
    sender: Option<Arc<Sender>>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    resends_only: bool,
    _lock: Option<lock::SenderLock>,
}

impl Engine {
    async fn start(
        db: &Db,
        config: &Arc<Config>,
        base_url: &str,
        resends_only: bool,
        stopping: &CancellationToken,
    ) -> Result<Engine, RunError> {
        let lock = match db {
            Db::Sqlite(sqlite) if !resends_only => Some(lock::take(&sqlite.path)?),
            _ => None,
        };
        let provider = service(config)?;
        let name = installation(db, config.installation.as_deref()).await?;
        crate::outbox::set_notify(db, config.notify).await?;
        let sender = provider.map(|provider| {
            Sender::new(
                db.clone(),
                Arc::clone(config),
                provider,
                name,
                stopping.clone(),
            )
        });
        if let Some(sender) = &sender {
            warn_of_elsewhere(db, sender).await?;
        }
        let mut tasks = Vec::new();
        // Where no process sends, somebody has to be told of just that.
        let service = sender.as_ref().map(|s| s.provider());
        let alerts = Alerts::new(db.clone(), config, service, base_url.to_owned())?;
        tasks.push(tokio::spawn(alerts::run(alerts, stopping.clone())));
        if !resends_only {
            let reconciler = Reconciler::new(
                db.clone(),
                Arc::clone(config),
                sender.as_ref().map(|s| Arc::clone(s.provider())),
                sender.as_ref().map(|s| s.claimant().clone()),
            );
            tasks.push(tokio::spawn(reconcile::run(reconciler, stopping.clone())));
        }
        if let Some(sender) = &sender {
            if !resends_only {
                tasks.push(tokio::spawn(worker::run(
                    Arc::clone(sender),
                    config.concurrency,
                    config.poll_interval,
                    config.notify,
                    stopping.clone(),
                )));
            }
            let office = Office::new(db.clone(), Arc::clone(config), Some(Arc::clone(sender)));
            let many = Bulk::new(office, Arc::clone(sender), config.concurrency);
            tasks.push(tokio::spawn(bulk::run(many, stopping.clone())));
            let (beats, stop) = (Arc::clone(sender), stopping.clone());
            tasks.push(tokio::spawn(async move {
                while !stop.is_cancelled() {
                    beats.beat(resends_only).await;
                    tokio::select! { () = stop.cancelled() => {}, () = tokio::time::sleep(Duration::from_secs(5)) => {} }
                }
            }));
        } else {
            tracing::warn!(
                "no mail service is set (DENPYO_PROVIDER): decisions are recorded, nothing is sent"
            );
        }
        Ok(Engine {
            sender,
            tasks,
            resends_only,
            _lock: lock,
        })
    }

    /// Waits until nothing is in flight, but not for ever.
    async fn finish(self, db: &Db, config: &Config) {
        let finish = async {
            for task in self.tasks {
                let _ = task.await;
            }
            if let Some(sender) = &self.sender {
                sender.finish().await;
                let _ = workers::gone(db, &sender.claimant().worker).await;
            }
        };
        if tokio::time::timeout(config.request_timeout + FINISH, finish)
            .await
            .is_err()
        {
            tracing::error!("not everything in flight could be finished; the rows need checking");
        }
        tracing::info!(resends_only = self.resends_only, "stopped");
    }
}

/// A changed key or service leaves questions that nobody asks any more.
async fn warn_of_elsewhere(db: &Db, sender: &Sender) -> Result<(), DbError> {
    let who = sender.claimant();
    let open = asked::elsewhere(db, &who.provider, &who.account).await?;
    if open > 0 {
        tracing::warn!(
            open,
            "open questions belong to another service or account than the one set now: they cannot be asked"
        );
    }
    Ok(())
}

/// A site that is listening.
pub struct Site {
    /// What people click.
    pub address: String,
    db: Db,
    config: Arc<Config>,
    engine: Engine,
    listeners: Vec<TcpListener>,
    state: web::State,
    stopping: CancellationToken,
}

impl Site {
    /// Opens, migrates, binds. `no_worker`: web alone, but a person's resend is still sent.
    pub async fn start(
        config: Config,
        no_worker: bool,
        stopping: CancellationToken,
    ) -> Result<Site, RunError> {
        let config = Arc::new(config);
        let db = open_patiently(&config, &stopping).await?;
        schema::migrate(&db).await?;
        let (listeners, address) = config.listen.bind().await.map_err(|error| RunError::Listen {
            address: config.listen.shown().to_owned(),
            why: match error.kind() {
                std::io::ErrorKind::AddrInUse => {
                    "another program listens there: stop it, or choose another port (0 takes a free one)".to_owned()
                }
                std::io::ErrorKind::PermissionDenied => {
                    "this user may not listen there: choose a port above 1023".to_owned()
                }
                std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
                _ => error.to_string(),
            },
        })?;
        let base = config.base_url.clone().unwrap_or_else(|| address.clone());
        let oidc = config
            .oidc
            .as_ref()
            .map(|settings| Oidc::new(settings, &base));
        let oidc = oidc.transpose()?.map(Arc::new);
        let engine = Engine::start(&db, &config, &base, no_worker, &stopping).await?;
        let state = web::State::new(
            db.clone(),
            Arc::clone(&config),
            engine.sender.clone(),
            &base,
            metrics_handle(),
            stopping.clone(),
            oidc,
        );
        Ok(Site {
            address: base,
            db,
            config,
            engine,
            listeners,
            state,
            stopping,
        })
    }

    /// The open database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Serves until the process is to stop.
    pub async fn run(self) -> Result<(), RunError> {
        let app = web::router(self.state).into_make_service_with_connect_info::<SocketAddr>();
        let mut servers = tokio::task::JoinSet::new();
        for listener in self.listeners {
            let stopping = self.stopping.clone();
            let app = app.clone();
            servers.spawn(async move {
                axum::serve(listener, app)
                    .with_graceful_shutdown(async move { stopping.cancelled().await })
                    .await
            });
        }
        let expiry = tokio::spawn({
            use tower_sessions::ExpiredDeletion;
            let store = web::session::store::Store::new(&self.db);
            store.continuously_delete_expired(Duration::from_secs(3600))
        });
        let indexer = tokio::spawn(indexer::run(self.db.clone(), self.stopping.clone()));
        self.stopping.cancelled().await;
        // Connections that stay open do not keep the process from finishing its mails.
        let _ = tokio::time::timeout(Duration::from_secs(5), async {
            while servers.join_next().await.is_some() {}
        })
        .await;
        servers.abort_all();
        expiry.abort();
        let _ = indexer.await;
        self.engine.finish(&self.db, &self.config).await;
        self.db.close().await;
        Ok(())
    }
}

/// `denpyo worker`: worker and reconciler alone. Does not migrate.
pub async fn run_worker(config: Config, stopping: CancellationToken) -> Result<(), RunError> {
    let config = Arc::new(config);
    let db = open_patiently(&config, &stopping).await?;
    tokio::select! {
        () = stopping.cancelled() => return Ok(()),
        ready = schema::wait_for(&db, Duration::from_secs(30)) => ready?,
    }
    // Where the desk is, as far as a worker knows.
    let base = match &config.base_url {
        Some(base) => base.clone(),
        None => format!("http://{}", config.listen.shown()),
    };
    let engine = Engine::start(&db, &config, &base, false, &stopping).await?;
    tracing::info!("working");
    stopping.cancelled().await;
    engine.finish(&db, &config).await;
    db.close().await;
    Ok(())
}
