//! What the tests of databases and processes share.
//!
//! A test that needs PostgreSQL fails where there is none: `scripts/with-postgres.sh cargo test`
//! starts one.

#![allow(dead_code, unused_macros, unused_imports)] // each test program uses a part
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod clock;
mod database;
mod port;
mod service;

pub use clock::noon;
pub use database::TestDb;
pub use port::Port;
pub use service::{Keyed, Post, Reply, RunningSandbox, Scripted};

use app::model::address::Mailbox;
use denpyo::config::Config;
use denpyo::desk::Office;
use denpyo::outbox::claim::{Claimant, Requests, claim_due};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::provider::{Provider, SendOutcome};
use denpyo::sender::Sender;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Makes a test for each database out of each function: `name::sqlite` and `name::postgres`.
macro_rules! both {
    ($($(#[$meta:meta])* async fn $name:ident($db:ident: TestDb) $body:block)*) => {$(
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn body($db: $crate::common::TestDb) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                body($crate::common::TestDb::sqlite().await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                body($crate::common::TestDb::postgres().await).await;
            }
        }
    )*};
}
pub(crate) use both;

/// Asks again and again until the answer is yes; fails after a while, saying what never came.
pub async fn eventually(what: &str, mut ask: impl AsyncFnMut() -> bool) {
    const PATIENCE: Duration = Duration::from_secs(20);
    let begun = Instant::now();
    while !ask().await {
        assert!(begun.elapsed() < PATIENCE, "still not so: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Somebody who claims, with a lease that no test outlives.
pub fn claimant() -> Claimant {
    Claimant {
        worker: "worker-1".to_owned(),
        provider: "scripted".to_owned(),
        account: "account-1".to_owned(),
        installation: "test".to_owned(),
        from: Mailbox::parse("shop@example.com").ok(),
        lease: Duration::from_secs(120),
        timeout: Duration::from_secs(30),
        max_age: Duration::from_secs(3 * 86_400),
        requests: Requests::default(),
    }
}

/// The same, for a service that knows idempotency keys.
pub fn keyed_claimant() -> Claimant {
    let provider: Arc<dyn Provider> = Arc::new(Keyed);
    Claimant {
        requests: Requests::of(&provider),
        ..claimant()
    }
}

/// Settings from these variables alone, over `DENPYO_FROM`.
pub fn config(variables: &[(&str, &str)]) -> Arc<Config> {
    let variables = [("DENPYO_FROM", "shop@example.com")]
        .iter()
        .chain(variables)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Arc::new(Config::load(None, variables).expect("settings"))
}

/// The desk of a process that sends nothing.
pub fn office(db: &TestDb) -> Office {
    Office::new((*db).clone(), config(&[]), None)
}

/// What posts to this service.
pub fn sender(db: &TestDb, service: &Arc<Scripted>) -> Arc<Sender> {
    let stopping = CancellationToken::new();
    Sender::new(
        (*db).clone(),
        config(&[]),
        service.clone(),
        "test".to_owned(),
        stopping,
    )
}

/// A mail that was claimed and settled so, and is not sent again by itself; returns its id.
pub async fn settled(db: &TestDb, order: &str, outcome: &SendOutcome) -> i64 {
    let id = db.insert(order).await;
    let claims = claim_due(db, &claimant(), 1).await.unwrap();
    assert_eq!(claims[0].id(), id);
    let retries = Retries { most: 5 };
    settle(db, &claims[0], outcome, OnUnknown::Hold, retries)
        .await
        .unwrap();
    db.put_off(id).await;
    id
}

/// Serves on a free port for as long as the test runs; returns the address.
pub async fn listening(app: axum::Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

/// The service took it.
pub fn accepted(id: &str) -> SendOutcome {
    SendOutcome::Accepted {
        message_id: Some(id.to_owned()),
    }
}

/// The service refused the mail.
pub fn refused() -> SendOutcome {
    SendOutcome::Refused {
        code: 422,
        detail: "no such mailbox".to_owned(),
    }
}

/// The service does not take it for now.
pub fn temporary(retry_after: Option<u64>) -> SendOutcome {
    SendOutcome::Temporary {
        code: 429,
        retry_after: retry_after.map(Duration::from_secs),
        detail: "slow down".to_owned(),
    }
}

/// The service refused the account.
pub fn account_refused() -> SendOutcome {
    SendOutcome::Account {
        code: Some(401),
        retry_after: None,
        detail: "bad key".to_owned(),
    }
}

/// The request left, and nobody knows.
pub fn unknown() -> SendOutcome {
    SendOutcome::Unknown {
        cause: app::model::views::Cause::Timeout,
        code: None,
        detail: "no answer in time".to_owned(),
    }
}

/// Nothing reached the service.
pub fn never_left() -> SendOutcome {
    SendOutcome::NeverLeft {
        cause: app::model::views::Cause::Connect,
        detail: "connection refused".to_owned(),
    }
}
