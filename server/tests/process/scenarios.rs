//! What an outbox must survive: public incidents, each with real processes, real signals, a real
//! database, and the sandbox as the service. Durations are scaled down: a lease of some seconds,
//! a horizon of a few more.

use crate::common::{RunningSandbox, listening};
use crate::run::{Home, Program, copies, eventually, faults, on_both};
use crate::site::{Site, mail};
use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use denpyo::sandbox::Faults;
use serde_json::{Value, json};

on_both!(
    killed_before_it_could_record,
    killed_before_the_service_took_it,
    accepted_without_an_answer,
    accepted_with_half_an_answer,
    hidden_from_the_look_up_for_most_of_the_horizon,
    one_bad_address_among_ten,
    an_old_backlog_is_not_mailed,
);

pub const QUIET: Faults = Faults {
    seed: 0,
    accept_then_hang: 0.0,
    accept_then_reset: 0.0,
    accept_then_close: 0.0,
    accept_then_500: 0.0,
    refuse_500: 0.0,
    refuse_429: 0.0,
    refuse_400: 0.0,
    hang_without_accept: 0.0,
    redirect: 0.0,
    accept_then_truncate: 0.0,
    latency_ms: 0,
    index_delay_ms: 0,
};

/// A service, and a site that hands mails over; no worker yet.
pub async fn stage(home: &mut Home, how: Faults) -> (RunningSandbox, Site) {
    let service = RunningSandbox::start().await;
    faults(&service.sandbox, how);
    home.send_through(&service.url)
        .lease(500, 2000)
        .set("LOOKUP_HORIZON", "2s");
    let site = home.web().await;
    (service, site)
}

/// A mail that a worker is posting.
async fn in_mid_send(
    home: &Home,
    site: &Site,
    service: &RunningSandbox,
    kept: usize,
) -> (Program, Value) {
    let id = site.enqueue("1001").await;
    let worker = home.worker().await;
    let row = site.row_in(id, "requesting").await;
    eventually("the post", async || {
        (service.sandbox.messages().len() == kept).then_some(())
    })
    .await;
    (worker, row)
}

pub fn held(service: &RunningSandbox, row: &Value) -> usize {
    copies(&service.sandbox, row["ref"].as_str().unwrap())
}

fn time(at: &Value) -> chrono::DateTime<chrono::FixedOffset> {
    chrono::DateTime::parse_from_rfc3339(at.as_str().unwrap()).unwrap()
}

pub fn seen(row: &Value, kind: &str) -> usize {
    let all = row["observations"].as_array().unwrap();
    all.iter().filter(|o| o["kind"] == kind).count()
}

/// odoo#22148: sent, then the recording was rolled back and it went again.
async fn killed_before_it_could_record(mut home: Home) {
    let how = Faults {
        accept_then_hang: 1.0,
        ..QUIET
    };
    let (service, site) = stage(&mut home, how).await;
    home.lease(3000, 5000);
    let (worker, row) = in_mid_send(&home, &site, &service, 1).await;
    worker.kill().await;
    faults(&service.sandbox, QUIET);
    let _again = home.worker().await;
    let row = site.row_in(row["id"].as_i64().unwrap(), "synced").await;
    assert_eq!(row["settled_by"], "lookup", "{row}");
    assert!(row["provider_message_id"].is_string() && row["sent_at"].is_string());
    assert_eq!(
        (row["attempts"].as_i64(), seen(&row, "lookup_found")),
        (Some(1), 1)
    );
    assert_eq!(held(&service, &row), 1);
}

/// hexclave#1030: no recovery for sending rows. Sendable again only after the horizon.
async fn killed_before_the_service_took_it(mut home: Home) {
    let how = Faults {
        hang_without_accept: 1.0,
        ..QUIET
    };
    let (service, site) = stage(&mut home, how).await;
    home.lease(3000, 5000);
    let (worker, row) = in_mid_send(&home, &site, &service, 0).await;
    worker.kill().await;
    faults(&service.sandbox, QUIET);
    let _again = home.worker().await;
    let row = site.row_in(row["id"].as_i64().unwrap(), "synced").await;
    assert_eq!(
        (row["attempts"].as_i64(), row["settled_by"].as_str()),
        (Some(2), Some("response"))
    );
    assert!(
        seen(&row, "lookup_not_yet") >= 1 && seen(&row, "lookup_no") == 1,
        "{row}"
    );
    assert_eq!(held(&service, &row), 1);
    let log = &row["attempt_log"];
    let waited = time(&log[1]["claimed_at"]) - time(&log[0]["lease_until"]);
    assert!(waited >= chrono::TimeDelta::seconds(2), "{waited}");
}

/// odoo#55717, freescout#5457: the client timed out, the service had accepted.
async fn accepted_without_an_answer(mut home: Home) {
    let (service, site) = stage(
        &mut home,
        Faults {
            index_delay_ms: 1500,
            ..QUIET
        },
    )
    .await;
    let _worker = home.worker().await;
    for (order, how) in [
        (
            "hang",
            Faults {
                accept_then_hang: 1.0,
                ..QUIET
            },
        ),
        (
            "fin",
            Faults {
                accept_then_close: 1.0,
                ..QUIET
            },
        ),
        (
            "rst",
            Faults {
                accept_then_reset: 1.0,
                ..QUIET
            },
        ),
        (
            "500",
            Faults {
                accept_then_500: 1.0,
                ..QUIET
            },
        ),
    ] {
        faults(
            &service.sandbox,
            Faults {
                index_delay_ms: 1500,
                ..how
            },
        );
        let id = site.enqueue(order).await;
        let row = site
            .row_when(id, "an unknown outcome", |row| {
                row["unknown_at"].is_string()
            })
            .await;
        assert_eq!(row["status"], "requesting");
        let row = site.row_in(id, "synced").await;
        assert_eq!(
            (row["settled_by"].as_str(), row["attempts"].as_i64()),
            (Some("lookup"), Some(1)),
            "{order}"
        );
        let message = service
            .sandbox
            .messages()
            .into_iter()
            .find(|m| m.reference() == row["ref"].as_str());
        assert_eq!(
            row["provider_message_id"],
            message.unwrap().sg_message_id,
            "{order}"
        );
        assert_eq!(held(&service, &row), 1, "{order}");
    }
}

/// The same, with a body that ends early: the head said already that the mail was accepted, so nothing
/// is unknown, and nothing is sent again.
async fn accepted_with_half_an_answer(mut home: Home) {
    let how = Faults {
        accept_then_truncate: 1.0,
        ..QUIET
    };
    let (service, site) = stage(&mut home, how).await;
    let worker = home.worker().await;
    let id = site.enqueue("1001").await;
    let row = site.row_in(id, "synced").await;
    let message = service.sandbox.messages().remove(0);
    assert_eq!(row["provider_message_id"], message.message_id);
    // The next mail goes out behind it, so nothing of the first is still to come.
    faults(&service.sandbox, QUIET);
    let next = site.enqueue("1002").await;
    site.row_in(next, "synced").await;
    worker.kill().await;
    let row = site.row(id).await;
    assert_eq!(
        (row["settled_by"].as_str(), row["attempts"].as_i64()),
        (Some("response"), Some(1)),
        "{row}"
    );
    assert_eq!(held(&service, &row), 1);
}

/// Services index late: "not found" inside the horizon never resends.
async fn hidden_from_the_look_up_for_most_of_the_horizon(mut home: Home) {
    let how = Faults {
        accept_then_hang: 1.0,
        index_delay_ms: 5000,
        ..QUIET
    };
    let (service, site) = stage(&mut home, how).await;
    home.set("LOOKUP_HORIZON", "6s");
    let _worker = home.worker().await;
    let id = site.enqueue("1001").await;
    let row = site.row_in(id, "synced").await;
    assert_eq!(row["settled_by"], "lookup", "{row}");
    assert!(seen(&row, "lookup_not_yet") >= 2, "{row}");
    assert_eq!(
        (row["attempts"].as_i64(), held(&service, &row)),
        (Some(1), 1)
    );
}

/// langx#1348, mautic#7226: one refused address released the whole batch again.
async fn one_bad_address_among_ten(mut home: Home) {
    let posts = std::sync::Arc::new(std::sync::Mutex::new(Vec::<String>::new()));
    let kept = std::sync::Arc::clone(&posts);
    let send = async move |Json(body): Json<Value>| {
        let to = body["personalizations"][0]["to"][0]["email"]
            .as_str()
            .unwrap()
            .to_owned();
        kept.lock().unwrap().push(to.clone());
        let mut headers = HeaderMap::new();
        let status = match to.as_str() {
            "3@example.com" => StatusCode::UNPROCESSABLE_ENTITY,
            "7@example.com" => {
                headers.insert("retry-after", "600".parse().unwrap());
                StatusCode::TOO_MANY_REQUESTS
            }
            _ => StatusCode::ACCEPTED,
        };
        (status, headers, Json(json!({})))
    };
    let app = axum::Router::new().route("/v3/mail/send", axum::routing::post(send));
    let address = listening(app).await;
    home.send_through(&address);
    let site = home.web().await;
    let mut ids = Vec::new();
    for n in 0..10 {
        ids.push(site.enqueue(&n.to_string()).await);
    }
    let _worker = home.worker().await;
    eventually("every mail is answered", async || {
        let open =
            "SELECT COUNT(*) FROM email_submissions WHERE status IN ('pending', 'requesting')";
        (home.db.number(open).await == 0).then_some(())
    })
    .await;
    for (n, id) in ids.into_iter().enumerate() {
        let row = site.row(id).await;
        let expected = match n {
            3 => "rejected",
            7 => "failed",
            _ => "synced",
        };
        assert_eq!(
            (row["status"].as_str(), row["attempts"].as_i64()),
            (Some(expected), Some(1)),
            "{row}"
        );
        if n == 7 {
            // As long as was asked for, and a little on top.
            let waits = time(&row["next_attempt_at"]) - time(&row["attempt_log"][0]["closed_at"]);
            assert!((600..=661).contains(&waits.num_seconds()), "{row}");
        }
    }
    let mut posts = posts.lock().unwrap().clone();
    posts.sort();
    let expected: Vec<String> = (0..10).map(|n| format!("{n}@example.com")).collect();
    assert_eq!(posts, expected);
}

/// magento2#27039, listmonk#1801: an old backlog or a restored snapshot was mailed.
async fn an_old_backlog_is_not_mailed(mut home: Home) {
    let (service, site) = stage(&mut home, QUIET).await;
    home.set("MAX_AGE", "1d");
    let old = home.db.at(-90_000);
    home.db
        .run(&format!(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
             VALUES ('old', 'invoice', 'old@example.com', 's', 'b', {old})"
        ))
        .await;
    let old = home.db.id_of("old").await;
    let new = site.enqueue("new").await;
    let worker = home.worker().await;
    site.row_in(new, "synced").await;
    let row = site
        .row_when(old, "a hold", |row| row["held_reason"].is_string())
        .await;
    assert_eq!(
        (row["status"].as_str(), row["attempts"].as_i64()),
        (Some("pending"), Some(0))
    );
    worker.kill().await;
    // A restored snapshot: everything that could go out waits for a person.
    let restored = site.enqueue("restored").await;
    let done = home.run(["hold", "--reason", "restored from Tuesday"], b"");
    assert_eq!(
        (
            done.code,
            done.out.contains("2 mails held, 1 of them newly")
        ),
        (0, true),
        "{done:?}"
    );
    let worker = home.worker().await;
    let probe = site.enqueue("probe").await;
    site.row_in(probe, "synced").await;
    assert_eq!(
        site.row(restored).await["held_reason"],
        "restored from Tuesday"
    );
    let (status, problem) = site.post(&format!("/{restored}/resend"), &json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    let done = home.run(["release"], b"");
    assert_eq!(done.code, 0, "{done:?}");
    let row = site.row_in(restored, "synced").await;
    assert_eq!(held(&service, &row), 1);
    assert_eq!(site.row(old).await["status"], "pending");
    drop(worker);
}

/// odoo#275696, flarum#4647, postal#2222: 8 workers, up to 17 copies.
#[tokio::test(flavor = "multi_thread")]
async fn fifty_requests_with_one_key_and_eight_workers() {
    let mut home = Home::postgres().await;
    let (service, site) = stage(&mut home, QUIET).await;
    let mut workers = Vec::new();
    for _ in 0..8 {
        workers.push(home.worker().await);
    }
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let request = site.api(reqwest::Method::POST, "").json(&mail("1001"));
        requests.spawn(async move { request.send().await.unwrap().status().as_u16() });
    }
    let mut answers = Vec::new();
    while let Some(status) = requests.join_next().await {
        answers.push(status.unwrap());
    }
    answers.sort_unstable();
    assert_eq!(answers[49], 201);
    assert!(answers[..49].iter().all(|s| *s == 200), "{answers:?}");
    let id = home.db.id_of("1001").await;
    let row = site.row_in(id, "synced").await;
    assert_eq!(row["attempts"], 1);
    assert_eq!(service.sandbox.messages().len(), 1);
}
