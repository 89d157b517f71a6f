//! The tables and what is done with them, on both databases.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;

mod broken;
mod claim;
mod desk;
mod enqueue;
mod guards;
mod hold;
mod insert;
mod late;
mod list;
mod lockstep;
mod pause;
mod person;
mod reconcile;
mod replay;
mod schema;
mod settle;
mod wake;
mod walk;
mod worker;
