//! Denpyo's server: the outbox and everything around it.

pub mod alerts;
pub mod bulk;
pub mod cli;
pub mod clock;
pub mod config;
pub mod db;
pub mod demo;
pub mod desk;
pub mod envelope;
pub mod export;
pub mod indexer;
pub mod intake;
pub mod lock;
pub mod oidc;
pub mod outbox;
pub mod provider;
pub mod reconcile;
pub mod sandbox;
pub mod sender;
pub mod serve;
pub mod tokens;
pub mod users;
pub mod web;
pub mod worker;
