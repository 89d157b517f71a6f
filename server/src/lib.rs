//! Denpyo's server: the outbox and everything around it.

pub mod envelope;
pub mod outbox;
pub mod provider;
pub mod sandbox;
