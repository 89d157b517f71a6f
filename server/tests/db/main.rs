//! The tables and what is done with them, on both databases.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;

mod agent;
mod alerts;
mod broken;
mod bulk;
mod bulk_later;
mod claim;
mod desk;
mod enqueue;
mod events;
mod failures;
mod guards;
mod hold;
mod idle;
mod insert;
mod late;
mod list;
mod lockstep;
mod mail_server;
mod many_events;
mod masked;
mod needs;
mod odd_inserts;
mod panics;
mod pause;
mod paused;
mod people;
mod person;
mod pulse;
mod reconcile;
mod release;
mod replay;
mod replay_claims;
mod reports;
mod schema;
mod search;
mod sending;
mod sessions;
mod settle;
mod steps;
mod tokens;
mod trail;
mod unclear;
mod wake;
mod walk;
mod worker;
