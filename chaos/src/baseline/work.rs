//! A baseline's worker process.

use super::{Answer, Design, table};
use crate::Trouble;
use crate::plan::TIMEOUT;
use serde_json::json;
use sqlx::SqlitePool;
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How often an idle worker looks: as Denpyo's are told to.
const POLL: Duration = Duration::from_millis(100);

/// Which orders a worker takes: those whose number leaves `number` when divided by `among`.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// This worker, from 0.
    pub number: u32,
    /// All workers.
    pub among: u32,
    /// Mails in flight.
    pub concurrency: u32,
}

/// Works until it is killed.
pub async fn run(
    design: &'static Design,
    database: &Path,
    service: &str,
    share: Share,
) -> Result<(), Trouble> {
    let db = table::open(database).await?;
    denpyo::provider::http::tls();
    let client = reqwest::Client::builder()
        .timeout(TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .build()?;
    let address: Arc<str> = format!("{service}/v3/mail/send").into();
    let slots = Arc::new(Semaphore::new(share.concurrency as usize));
    let flying: Arc<Mutex<HashSet<i64>>> = Arc::default();
    loop {
        // What is in flight may still be due by the table.
        let due: Result<Vec<i64>, _> = sqlx::query_scalar(design.due)
            .bind(2 * share.concurrency)
            .bind(share.number)
            .bind(share.among)
            .fetch_all(&db)
            .await;
        for order in due.unwrap_or_default() {
            let new = flying
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(order);
            if !new {
                continue;
            }
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
                return Ok(());
            };
            let (db, client, flying) = (db.clone(), client.clone(), Arc::clone(&flying));
            let address = Arc::clone(&address);
            tokio::spawn(async move {
                handle(design, &db, &client, &address, order).await;
                flying
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(&order);
                drop(slot);
            });
        }
        tokio::time::sleep(POLL).await;
    }
}

async fn handle(
    design: &Design,
    db: &SqlitePool,
    client: &reqwest::Client,
    address: &str,
    order: i64,
) {
    if let Some(claim) = design.claim {
        match sqlx::query(claim).bind(order).execute(db).await {
            Ok(done) if done.rows_affected() == 1 => {}
            // Taken meanwhile, or the database was busy for too long: the next round sees.
            _ => return,
        }
    }
    let answer = post(client, address, order).await;
    let Some(record) = (design.record)(answer) else {
        return;
    };
    while sqlx::query(record).bind(order).execute(db).await.is_err() {
        tokio::time::sleep(POLL).await;
    }
}

async fn post(client: &reqwest::Client, address: &str, order: i64) -> Answer {
    let mail = json!({
        "personalizations": [{"to": [{"email": format!("customer-{order}@example.com")}]}],
        "from": {"email": "order@shop.example"},
        "subject": "Thank you for your order",
        "content": [{"type": "text/plain", "value": "We have received your order."}],
        "custom_args": {"order_id": order.to_string()},
    });
    let request = client.post(address).bearer_auth("any").json(&mail);
    match request.send().await {
        Ok(answer) if answer.status().is_success() => Answer::Accepted,
        Ok(answer) if answer.status().is_client_error() => Answer::Refused,
        Ok(_) => Answer::Error,
        Err(error) if error.is_timeout() => Answer::Timeout,
        Err(_) => Answer::Error,
    }
}
