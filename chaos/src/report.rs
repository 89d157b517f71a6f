//! What is printed: Markdown.

use crate::baseline::DESIGNS;
use crate::plan::{HORIZON, LEASE, LONGEST_INDEX_DELAY, LONGEST_STOP, TIMEOUT};
use crate::run::{Outcome, Setting, Who};
use std::time::Duration;

/// The table's head.
pub const HEAD: &str = "\
| | mails too many | lost | waiting for a person | rows saying something untrue |
|---|---:|---:|---:|---:|";

/// Everybody, in the report's order.
pub fn everybody() -> Vec<Who> {
    let denpyo = ["hold", "synced", "failed"].map(Who::Denpyo);
    let baselines = DESIGNS.map(Who::Baseline);
    denpyo.into_iter().chain(baselines).collect()
}

fn title(who: &Who) -> String {
    match who {
        Who::Denpyo(on_unknown) => format!("Denpyo, `DENPYO_ON_UNKNOWN={on_unknown}`"),
        Who::Baseline(design) => design.title.to_owned(),
    }
}

/// A line of the table. Where two numbers stand, the first is from the moment when the faults
/// ended, and the second from when nothing changed any more.
pub fn line(who: &Who, outcome: &Outcome) -> String {
    let (then, last) = (&outcome.at_end_of_faults, &outcome.at_last);
    format!(
        "| {} | {} | {} | {} → {} | {} → {} |",
        title(who),
        last.too_many,
        last.lost.len(),
        then.waiting,
        last.waiting,
        then.untrue.len(),
        last.untrue.len()
    )
}

/// What else a run came to.
pub fn details(who: &Who, outcome: &Outcome, orders: u32) -> String {
    let mut text = format!(
        "- {}: {} mails accepted for {orders} orders; {} kills, {} stops past the lease; \
         {:.0} s, {:.0} s of them after the faults",
        title(who),
        outcome.mails,
        outcome.killed,
        outcome.stopped,
        outcome.took.as_secs_f64(),
        outcome.settling.as_secs_f64(),
    );
    if outcome.ended > 0 {
        text += &format!("; {} processes ended by themselves", outcome.ended);
    }
    if outcome.still_open > 0 {
        text += &format!(
            "; {} rows were still open when patience ended",
            outcome.still_open
        );
    }
    if outcome.at_last.unsent > 0 {
        text += &format!(
            "; {} orders without a mail, and not lost",
            outcome.at_last.unsent
        );
    }
    if !outcome.attempts.is_empty() {
        let attempts = outcome
            .attempts
            .iter()
            .map(|(word, n)| format!("{n} {word}"));
        let attempts: Vec<_> = attempts.collect();
        text += &format!("; attempts: {}", attempts.join(", "));
    }
    text
}

/// Whether Denpyo's goal was met under `hold`, and if not, what is missing.
pub fn goal(outcome: &Outcome) -> Result<(), String> {
    let last = &outcome.at_last;
    let numbers = [
        ("mails too many", last.too_many),
        ("lost", last.lost.len() as u64),
        ("waiting for a person", last.waiting),
        ("untrue rows", last.untrue.len() as u64),
        (
            "untrue rows when the faults ended",
            outcome.at_end_of_faults.untrue.len() as u64,
        ),
    ];
    let missed: Vec<String> = numbers
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(what, number)| format!("{number} {what}"))
        .collect();
    if missed.is_empty() {
        Ok(())
    } else {
        Err(missed.join(", "))
    }
}

/// What the numbers came from.
pub fn parameters(setting: &Setting, took: Duration) -> String {
    let size = &setting.size;
    let (database, url) = match setting.postgres {
        Some(_) => ("PostgreSQL", "postgres"),
        None => ("SQLite", "sqlite"),
    };
    format!(
        "{} orders at {} a second, {} kills and {} stops past the lease over {} worker process{} on {database} \
         (baselines on SQLite), {} mails in flight each; timeout {:?}, lease {:?}, horizon {:?}, look-ups \
         up to {:?} late, stops up to {:?}. Wall time {:.0} s.\n\
         `make chaos ORDERS={} KILLS={} SEED={} DB={url} RATE={}`",
        size.orders,
        size.rate,
        size.kills,
        size.stops,
        size.processes,
        if size.processes == 1 { "" } else { "es" },
        setting.concurrency,
        TIMEOUT,
        LEASE,
        HORIZON,
        LONGEST_INDEX_DELAY,
        LONGEST_STOP,
        took.as_secs_f64(),
        size.orders,
        size.kills,
        size.seed,
        size.rate,
    )
}
