//! What holds when processes are killed, stopped, started together: real ones, against real
//! databases.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod alerts;
mod bulk;
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod kills;
mod late;
mod paused;
mod refusals;
#[path = "../common/run.rs"]
mod run;
mod scenarios;
mod several;
#[path = "../common/site.rs"]
mod site;
mod stops;
mod woken;
