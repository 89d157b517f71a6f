//! The command line: what it prints, what it takes, and how it exits.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod check;
#[path = "../common/mod.rs"]
mod common;
mod databases;
mod demo;
mod enqueue;
mod hold;
mod listen;
mod pooler;
#[path = "../common/run.rs"]
mod run;
mod settings;
#[path = "../common/site.rs"]
mod site;
mod users;
