//! One design under one plan: intake, faults and kills, then quiet until nothing changes any more.

use crate::Trouble;
use crate::baseline::{Design, table};
use crate::count::{Count, Row, Says, count};
use crate::fleet::{Fleet, Recipe};
use crate::plan::{Event, LEASE, Plan, Size};
use crate::subject::{Denpyo, Place};
use denpyo::sandbox::{self, Faults, Sandbox};
use sqlx::SqlitePool;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

/// What is put to the test.
#[derive(Clone, Copy)]
pub enum Who {
    /// Denpyo, with this `DENPYO_ON_UNKNOWN`.
    Denpyo(&'static str),
    /// A baseline.
    Baseline(&'static Design),
}

impl Who {
    /// What `--only` calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Who::Denpyo(on_unknown) => on_unknown,
            Who::Baseline(design) => design.name,
        }
    }
}

/// What all runs share.
pub struct Setting {
    /// Denpyo's program.
    pub program: PathBuf,
    /// Where logs and SQLite files go.
    pub folder: PathBuf,
    /// The server, where Denpyo is to use PostgreSQL.
    pub postgres: Option<String>,
    /// Mails in flight a process.
    pub concurrency: u32,
    /// How long to wait for rows that still change, after the faults.
    pub patience: Duration,
    /// What is asked for.
    pub size: Size,
}

/// What a run came to.
pub struct Outcome {
    /// At the moment when nothing goes wrong any more.
    pub at_end_of_faults: Count,
    /// When nothing changes any more.
    pub at_last: Count,
    /// Rows that still would have changed when patience ended.
    pub still_open: i64,
    /// Processes killed.
    pub killed: u32,
    /// Processes stopped past their lease.
    pub stopped: u32,
    /// Processes that ended by themselves.
    pub ended: u32,
    /// Mails that the service has.
    pub mails: u64,
    /// Attempts by outcome, where the table has them.
    pub attempts: Vec<(String, i64)>,
    /// From the end of the faults until nothing changed any more.
    pub settling: Duration,
    /// Altogether.
    pub took: Duration,
}

enum Subject {
    Denpyo(Box<Denpyo>),
    Baseline(&'static Design, SqlitePool),
}

impl Subject {
    async fn book(&self, order: u32) -> Result<(), Trouble> {
        match self {
            Subject::Denpyo(denpyo) => denpyo.book(order).await,
            Subject::Baseline(design, db) => {
                sqlx::query(design.book).bind(order).execute(db).await?;
                Ok(())
            }
        }
    }

    async fn rows(&self) -> Result<Vec<Row>, Trouble> {
        let (design, db) = match self {
            Subject::Denpyo(denpyo) => return denpyo.rows().await,
            Subject::Baseline(design, db) => (design, db),
        };
        let rows: Vec<(u32, String, bool, i64)> = sqlx::query_as(design.rows).fetch_all(db).await?;
        let row = |(order, says, waits, version): (u32, String, bool, i64)| Row {
            order,
            says: match says.as_str() {
                "accepted" => Says::Accepted,
                "unknown" => Says::Unknown,
                _ => Says::NotAccepted,
            },
            waits,
            version,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    async fn open(&self) -> Result<i64, Trouble> {
        match self {
            Subject::Denpyo(denpyo) => denpyo.open().await,
            Subject::Baseline(design, db) => {
                Ok(sqlx::query_scalar(design.open).fetch_one(db).await?)
            }
        }
    }
}

/// Mails by order, as the service has them.
fn mails(sandbox: &Sandbox) -> HashMap<u32, u64> {
    let mut mails = HashMap::new();
    for message in sandbox.messages() {
        let order = message.custom_args.get("order_id");
        if let Some(order) = order.and_then(|order| order.parse().ok()) {
            *mails.entry(order).or_default() += 1;
        }
    }
    mails
}

async fn take_stock(subject: &Subject, sandbox: &Sandbox, orders: u32) -> Result<Count, Trouble> {
    let before = subject.rows().await?;
    let mails = mails(sandbox);
    let after = subject.rows().await?;
    Ok(count(orders, &before, &mails, &after))
}

/// Runs it.
pub async fn run(setting: &Setting, who: Who) -> Result<Outcome, Trouble> {
    let begun = Instant::now();
    let size = &setting.size;
    let plan = Plan::draw(size);
    let folder = setting.folder.join(who.name());
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;

    let sandbox = Sandbox::new();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let service = format!("http://{}", listener.local_addr()?);
    let serving = tokio::spawn(sandbox::serve(
        listener,
        sandbox.clone(),
        std::future::pending(),
    ));

    let (subject, recipe) = start(setting, who, &folder, &service).await?;
    let subject = Arc::new(subject);
    let mut fleet = Fleet::start(size.processes, recipe)?;
    play(&plan, size, &subject, &sandbox, &mut fleet).await?;

    let at_end_of_faults = take_stock(&subject, &sandbox, size.orders).await?;
    sandbox.set_faults(Faults::default())?;
    fleet.look_after(true).await?;
    let quiet = Instant::now();
    // What was in flight is told apart from what waits only after a lease.
    sleep(LEASE + Duration::from_secs(1)).await;
    let mut still_open = subject.open().await?;
    while still_open > 0 && quiet.elapsed() < setting.patience {
        sleep(Duration::from_millis(250)).await;
        fleet.look_after(true).await?;
        still_open = subject.open().await?;
    }
    let settling = quiet.elapsed();
    // A baseline's last mails are marked before they are posted: let them be posted.
    sleep(Duration::from_secs(2)).await;
    let at_last = take_stock(&subject, &sandbox, size.orders).await?;
    let (killed, stopped, ended) = (fleet.killed, fleet.stopped, fleet.ended);
    drop(fleet);

    let mut attempts = Vec::new();
    if let Some(Subject::Denpyo(denpyo)) = Arc::into_inner(subject) {
        attempts = denpyo.outcomes().await?;
        keep_evidence(&denpyo, &sandbox, &folder, &at_last).await?;
        denpyo.end().await?;
    }
    serving.abort();
    Ok(Outcome {
        at_end_of_faults,
        mails: mails(&sandbox).values().sum(),
        at_last,
        still_open,
        killed,
        stopped,
        ended,
        attempts,
        settling,
        took: begun.elapsed(),
    })
}

async fn start(
    setting: &Setting,
    who: Who,
    folder: &Path,
    service: &str,
) -> Result<(Subject, Recipe), Trouble> {
    match who {
        Who::Denpyo(on_unknown) => {
            let place = match &setting.postgres {
                Some(url) => Place::Postgres(url),
                None => Place::Sqlite,
            };
            let program = &setting.program;
            let concurrency = setting.concurrency;
            let denpyo =
                Denpyo::start(program, folder, &place, service, on_unknown, concurrency).await?;
            let recipe = denpyo.worker();
            Ok((Subject::Denpyo(Box::new(denpyo)), recipe))
        }
        Who::Baseline(design) => {
            let database = folder.join("baseline.db");
            let db = table::open(&database).await?;
            sqlx::raw_sql(design.schema).execute(&db).await?;
            let program = std::env::current_exe()?;
            let service = service.to_owned();
            let among = setting.size.processes.to_string();
            let concurrency = setting.concurrency.to_string();
            let log = folder.join("workers.log");
            let recipe: Recipe = Box::new(move |number| {
                let log = std::fs::File::options()
                    .create(true)
                    .append(true)
                    .open(&log)?;
                let mut command = Command::new(&program);
                command
                    .args(["baseline", design.name, "--service", &service])
                    .args(["--number", &number.to_string(), "--among", &among])
                    .args(["--concurrency", &concurrency, "--database"])
                    .arg(&database)
                    .stdout(Stdio::null())
                    .stderr(log);
                Ok(command)
            });
            Ok((Subject::Baseline(design, db), recipe))
        }
    }
}

/// Orders come in, and things go wrong, until the plan ends and every order is in.
async fn play(
    plan: &Plan,
    size: &Size,
    subject: &Arc<Subject>,
    sandbox: &Sandbox,
    fleet: &mut Fleet,
) -> Result<(), Trouble> {
    let begun = Instant::now();
    let intake = tokio::spawn(intake(Arc::clone(subject), *size, begun));
    for (at, event) in &plan.events {
        let at = begun + *at;
        while let Some(waking) = fleet.next_waking().filter(|waking| *waking < at) {
            sleep_until(waking).await;
            fleet.look_after(false).await?;
        }
        sleep_until(at).await;
        match event {
            Event::Faults(faults) => {
                sandbox.set_faults(Faults::clone(faults))?;
                fleet.look_after(false).await?;
            }
            Event::Kill(number) => fleet.kill(*number).await?,
            Event::Stop(number, time) => fleet.stop(*number, *time).await?,
        }
    }
    sleep_until(begun + plan.end).await;
    intake.await.map_err(broke_off)?
}

/// Books every order at its time. A booking that fails is repeated, as a shop would, but not for
/// ever: without a table there is nothing to report.
async fn intake(subject: Arc<Subject>, size: Size, begun: Instant) -> Result<(), Trouble> {
    const AT_ONCE: usize = 16;
    const LONGEST: Duration = Duration::from_secs(60);
    let slots = Arc::new(Semaphore::new(AT_ONCE));
    let mut bookings = JoinSet::new();
    for order in 0..size.orders {
        sleep_until(begun + Duration::from_secs_f64(f64::from(order) / size.rate)).await;
        let slot = Arc::clone(&slots).acquire_owned().await;
        let subject = Arc::clone(&subject);
        bookings.spawn(async move {
            let first = Instant::now();
            while let Err(error) = subject.book(order).await {
                if first.elapsed() > LONGEST {
                    return Err(error);
                }
                sleep(Duration::from_millis(200)).await;
            }
            drop(slot);
            Ok(())
        });
        while let Some(booked) = bookings.try_join_next() {
            booked.map_err(broke_off)??;
        }
    }
    while let Some(booked) = bookings.join_next().await {
        booked.map_err(broke_off)??;
    }
    Ok(())
}

fn broke_off(error: tokio::task::JoinError) -> Trouble {
    Trouble::Other(format!("the intake broke off: {error}"))
}

/// Writes down what Denpyo and the service have of every order that went wrong.
async fn keep_evidence(
    denpyo: &Denpyo,
    sandbox: &Sandbox,
    folder: &Path,
    count: &Count,
) -> Result<(), Trouble> {
    let mut wrong: Vec<u32> = [&count.doubled, &count.lost, &count.untrue]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    wrong.sort_unstable();
    wrong.dedup();
    let messages = sandbox.messages();
    let mut lines = String::new();
    for order in wrong.into_iter().take(200) {
        let own = order.to_string();
        let accepted: Vec<_> = messages
            .iter()
            .filter(|m| m.custom_args.get("order_id") == Some(&own))
            .map(|m| serde_json::json!({"at": m.received_at.to_rfc3339(), "args": m.custom_args}))
            .collect();
        let story = denpyo.story(order).await?;
        let line = serde_json::json!({"order": order, "service": accepted, "denpyo": story});
        lines += &format!("{line}\n");
    }
    std::fs::write(folder.join("evidence.jsonl"), lines)?;
    Ok(())
}
