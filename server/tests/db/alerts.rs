//! Who is told when something needs a person.

use crate::common::{Scripted, TestDb, both, claimant, config, listening, refused, unknown};
use axum::Json;
use axum::http::StatusCode;
use denpyo::alerts::Alerts;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::hold::{By, hold_all, release_all};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::provider::Provider;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Somebody who listens, at `/hook` and `/slack`.
struct Receiver {
    address: String,
    heard: Arc<Mutex<Vec<(String, Value)>>>,
    deaf: Arc<AtomicBool>,
}

impl Receiver {
    async fn start() -> Receiver {
        let heard: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let deaf = Arc::new(AtomicBool::new(false));
        let take = |path: &'static str| {
            let (heard, deaf) = (Arc::clone(&heard), Arc::clone(&deaf));
            axum::routing::post(async move |Json(body): Json<Value>| {
                if deaf.load(Ordering::Relaxed) {
                    return StatusCode::BAD_GATEWAY;
                }
                heard.lock().unwrap().push((path.to_owned(), body));
                StatusCode::OK
            })
        };
        let app = axum::Router::new()
            .route("/hook", take("hook"))
            .route("/slack", take("slack"));
        let address = listening(app).await;
        Receiver {
            address,
            heard,
            deaf,
        }
    }

    fn alerts(&self, db: &TestDb, more: &[(&str, &str)]) -> Alerts {
        let (hook, slack) = (
            format!("{}/hook", self.address),
            format!("{}/slack", self.address),
        );
        let mut variables = vec![
            ("DENPYO_ALERT_URL", hook.as_str()),
            ("DENPYO_ALERT_SLACK_URL", &slack),
        ];
        variables.extend_from_slice(more);
        let service: Arc<dyn Provider> = Scripted::accepting();
        Alerts::new(
            (**db).clone(),
            &config(&variables),
            Some(&service),
            "https://desk.example".to_owned(),
        )
        .unwrap()
    }

    /// What was heard at `/hook`: condition and state.
    fn heard(&self) -> Vec<(String, String)> {
        let all = self.heard.lock().unwrap();
        let word = |v: &Value| v.as_str().unwrap().to_owned();
        all.iter()
            .filter(|(path, _)| path == "hook")
            .map(|(_, body)| (word(&body["condition"]), word(&body["state"])))
            .collect()
    }
}

fn said(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

both! {
    async fn a_condition_is_told_once_and_once_when_it_is_over(db: TestDb) {
        let receiver = Receiver::start().await;
        let alerts = receiver.alerts(&db, &[]);
        assert_eq!(alerts.run_once().await.unwrap(), 0);
        db.insert("1001").await;
        hold_all(&db, By::Hold, "restored").await.unwrap();
        assert_eq!(alerts.run_once().await.unwrap(), 1);
        assert_eq!(alerts.run_once().await.unwrap(), 0);
        release_all(&db, "cli", "checked").await.unwrap();
        assert_eq!(alerts.run_once().await.unwrap(), 1);
        assert_eq!(alerts.run_once().await.unwrap(), 0);
        assert_eq!(receiver.heard(), said(&[("needs_person", "began"), ("needs_person", "over")]));
        let heard = receiver.heard.lock().unwrap();
        assert_eq!(heard[0].1["count"], 1);
        assert_eq!(heard[0].1["url"], "https://desk.example/submissions?needs=person");
        let slack: Vec<&Value> = heard.iter().filter(|(path, _)| path == "slack").map(|(_, body)| body).collect();
        assert_eq!(slack.len(), 2);
        let text = slack[0]["text"].as_str().unwrap();
        assert!(text.contains("1件") && text.contains("wait for a person: 1"), "{text}");
        assert_eq!(slack[0].as_object().unwrap().len(), 1, "Slack refuses what it does not know");
    }

    async fn what_lasts_is_told_again(db: TestDb) {
        let receiver = Receiver::start().await;
        let alerts = receiver.alerts(&db, &[("DENPYO_ALERT_REMINDER", "1h")]);
        db.insert("1001").await;
        hold_all(&db, By::Hold, "restored").await.unwrap();
        alerts.run_once().await.unwrap();
        let past = db.at(-3601);
        db.run(&format!("UPDATE alerts SET told_at = {past}")).await;
        assert_eq!(alerts.run_once().await.unwrap(), 1);
        assert_eq!(alerts.run_once().await.unwrap(), 0);
        assert_eq!(receiver.heard(), said(&[("needs_person", "began"), ("needs_person", "still")]));
    }

    async fn of_many_processes_one_tells(db: TestDb) {
        let receiver = Receiver::start().await;
        db.insert("1001").await;
        hold_all(&db, By::Hold, "restored").await.unwrap();
        let (a, b, c) = (receiver.alerts(&db, &[]), receiver.alerts(&db, &[]), receiver.alerts(&db, &[]));
        let (a, b, c) = tokio::join!(a.run_once(), b.run_once(), c.run_once());
        assert_eq!(a.unwrap() + b.unwrap() + c.unwrap(), 1);
        assert_eq!(receiver.heard().len(), 1);
    }

    /// The receiver was away when it began.
    async fn what_nobody_heard_begins_again(db: TestDb) {
        let receiver = Receiver::start().await;
        let alerts = receiver.alerts(&db, &[]);
        db.insert("1001").await;
        hold_all(&db, By::Hold, "restored").await.unwrap();
        receiver.deaf.store(true, Ordering::Relaxed);
        alerts.run_once().await.unwrap();
        receiver.deaf.store(false, Ordering::Relaxed);
        alerts.run_once().await.unwrap();
        assert_eq!(receiver.heard(), said(&[("needs_person", "began")]));
    }

    async fn an_end_that_nobody_heard_is_told_again(db: TestDb) {
        let receiver = Receiver::start().await;
        let alerts = receiver.alerts(&db, &[]);
        db.insert("1001").await;
        hold_all(&db, By::Hold, "restored").await.unwrap();
        alerts.run_once().await.unwrap();
        release_all(&db, "sato", "checked").await.unwrap();
        receiver.deaf.store(true, Ordering::Relaxed);
        alerts.run_once().await.unwrap();
        alerts.run_once().await.unwrap();
        receiver.deaf.store(false, Ordering::Relaxed);
        alerts.run_once().await.unwrap();
        alerts.run_once().await.unwrap();
        let all = [("needs_person", "began"), ("needs_person", "over")];
        assert_eq!(receiver.heard(), said(&all));
    }

    async fn each_condition_is_seen(db: TestDb) {
        let receiver = Receiver::start().await;
        let alerts = receiver.alerts(&db, &[("DENPYO_ALERT_QUEUE_AGE", "10m")]);
        let retries = Retries { most: 5 };
        db.insert("doubt").await;
        let claim = claim_due(&db, &claimant(), 1).await.unwrap().remove(0);
        settle(&db, &claim, &unknown(), OnUnknown::Hold, retries).await.unwrap();
        alerts.run_once().await.unwrap();
        assert_eq!(receiver.heard(), [], "the service is still to be asked");
        db.run("UPDATE lookups SET unclear = 3").await;
        alerts.run_once().await.unwrap();
        db.run("UPDATE lookups SET ended = TRUE").await;
        alerts.run_once().await.unwrap();
        let old = db.at(-700);
        db.run(&format!(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
             VALUES ('old', 'invoice', 'a@example.com', 's', 'b', {old})"
        ))
        .await;
        alerts.run_once().await.unwrap();
        let claim = claim_due(&db, &claimant(), 1).await.unwrap().remove(0);
        settle(&db, &claim, &crate::common::account_refused(), OnUnknown::Hold, retries).await.unwrap();
        alerts.run_once().await.unwrap();
        denpyo::outbox::pause::clear(&db, &claimant()).await.unwrap();
        alerts.run_once().await.unwrap();
        assert_eq!(receiver.heard(), said(&[
            ("lookups_failing", "began"),
            ("needs_person", "began"),
            ("lookups_failing", "over"),
            ("queue_old", "began"),
            ("service_paused", "began"),
            ("queue_old", "over"),
            ("service_paused", "over"),
        ]));
    }

    async fn a_refused_mail_waits_for_a_person(db: TestDb) {
        let receiver = Receiver::start().await;
        db.insert("1001").await;
        let claim = claim_due(&db, &claimant(), 1).await.unwrap().remove(0);
        settle(&db, &claim, &refused(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        receiver.alerts(&db, &[]).run_once().await.unwrap();
        assert_eq!(receiver.heard(), said(&[("needs_person", "began")]));
        let heard = receiver.heard.lock().unwrap();
        assert_eq!(heard[0].1["text_ja"], json!("対応を待っているメールが1件あります。"));
    }
}
