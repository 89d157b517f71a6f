//! Tells people when something needs them: a webhook, Slack's shape of one, and a log line; once
//! a condition, again after `DENPYO_ALERT_REMINDER` while it lasts, and once when it is over.

use crate::config::{AlertSettings, Config};
use crate::db::{Db, DbError, Stamp};
use crate::outbox::conditions;
use crate::provider::{Provider, http};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often conditions are looked at.
const PACE: Duration = Duration::from_secs(15);
/// How long a receiver may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What may be worth an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Rows that nothing will move but a person.
    NeedsPerson,
    /// Look-ups that get no clear answer.
    LookupsFailing,
    /// The service refuses the account.
    ServicePaused,
    /// Mails wait longer than they should.
    QueueOld,
}

/// What there is to say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It holds since now.
    Began,
    /// It still holds.
    Still,
    /// It is over.
    Over,
}

impl Condition {
    /// Every condition.
    pub const ALL: [Condition; 4] = [
        Condition::NeedsPerson,
        Condition::LookupsFailing,
        Condition::ServicePaused,
        Condition::QueueOld,
    ];

    /// Its word, in alerts and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Condition::NeedsPerson => "needs_person",
            Condition::LookupsFailing => "lookups_failing",
            Condition::ServicePaused => "service_paused",
            Condition::QueueOld => "queue_old",
        }
    }

    fn page(self) -> &'static str {
        match self {
            Condition::NeedsPerson => "/submissions?needs=person",
            Condition::LookupsFailing => "/stuck",
            Condition::ServicePaused => "/",
            Condition::QueueOld => "/submissions?status=pending",
        }
    }

    fn english(self, state: State, count: i64) -> String {
        if state == State::Over {
            return match self {
                Condition::NeedsPerson => "No mail waits for a person any more.",
                Condition::LookupsFailing => "The mail service answers look-ups again.",
                Condition::ServicePaused => "The mail service accepts this account again.",
                Condition::QueueOld => "No mail waits too long any more.",
            }
            .to_owned();
        }
        match self {
            Condition::NeedsPerson => format!("Mails that wait for a person: {count}."),
            Condition::LookupsFailing => {
                format!("Look-ups get no clear answer from the mail service: {count}.")
            }
            Condition::ServicePaused => {
                "Sending is paused: the mail service refuses this account, or lacks what the settings ask for."
                    .to_owned()
            }
            Condition::QueueOld => format!("Mails that have waited too long to be sent: {count}."),
        }
    }

    fn japanese(self, state: State, count: i64) -> String {
        if state == State::Over {
            return match self {
                Condition::NeedsPerson => "対応を待っているメールはなくなりました。",
                Condition::LookupsFailing => {
                    "送信サービスへの照会に、また答えが返るようになりました。"
                }
                Condition::ServicePaused => {
                    "送信サービスが、またこのアカウントを受け付けるようになりました。"
                }
                Condition::QueueOld => "長く送信を待っているメールはなくなりました。",
            }
            .to_owned();
        }
        match self {
            Condition::NeedsPerson => format!("対応を待っているメールが{count}件あります。"),
            Condition::LookupsFailing => {
                format!(
                    "送信サービスへの照会で、はっきりした答えが得られないものが{count}件あります。"
                )
            }
            Condition::ServicePaused => {
                "送信を止めています。送信サービスがこのアカウントを断ったか、設定どおりの接続に対応していません。"
                    .to_owned()
            }
            Condition::QueueOld => format!("送信を長く待っているメールが{count}件あります。"),
        }
    }
}

impl State {
    /// Its word, in alerts.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Began => "began",
            State::Still => "still",
            State::Over => "over",
        }
    }
}

/// Looks after alerts.
pub struct Alerts {
    db: Db,
    settings: AlertSettings,
    service: Option<(String, String)>,
    base_url: String,
    client: reqwest::Client,
}

impl Alerts {
    /// `base_url`: where browsers reach the desk.
    pub fn new(
        db: Db,
        config: &Config,
        provider: Option<&Arc<dyn Provider>>,
        base_url: String,
    ) -> Result<Alerts, crate::provider::ProviderError> {
        Ok(Alerts {
            db,
            settings: config.alerts.clone(),
            service: provider.map(|p| (p.name().to_owned(), p.account().to_owned())),
            base_url,
            client: http::client(TIMEOUT)?,
        })
    }

    /// Looks at every condition once, and tells what is to be told; returns how many were told.
    pub async fn run_once(&self) -> Result<usize, DbError> {
        let standing = conditions::standing(&self.db, self.settings.reminder).await?;
        let mut told = 0;
        for condition in Condition::ALL {
            let count = self.count(condition).await?;
            let stands = standing.iter().find(|(word, _)| word == condition.as_str());
            let news = match (count, stands) {
                (0, Some(_)) => conditions::off(&self.db, condition.as_str())
                    .await?
                    .map(|since| (State::Over, since)),
                (0, None) | (_, Some((_, false))) => None,
                (_, _) => {
                    let reminder = self.settings.reminder;
                    let on = conditions::on(&self.db, condition.as_str(), reminder).await?;
                    on.map(|(since, first)| {
                        (if first { State::Began } else { State::Still }, since)
                    })
                }
            };
            if let Some((state, since)) = news {
                self.tell(condition, state, count, since).await?;
                told += 1;
            }
        }
        Ok(told)
    }

    async fn count(&self, condition: Condition) -> Result<i64, DbError> {
        match (condition, &self.service) {
            (Condition::NeedsPerson, _) => conditions::waiting(&self.db).await,
            (Condition::LookupsFailing, _) => conditions::unanswered(&self.db).await,
            (Condition::QueueOld, _) => {
                conditions::overdue(&self.db, self.settings.queue_age).await
            }
            (Condition::ServicePaused, Some((provider, account))) => {
                let paused = conditions::paused(&self.db, provider, account).await?;
                Ok(i64::from(paused))
            }
            (Condition::ServicePaused, None) => Ok(0),
        }
    }

    async fn tell(
        &self,
        condition: Condition,
        state: State,
        count: i64,
        since: Stamp,
    ) -> Result<(), DbError> {
        let (word, how) = (condition.as_str(), state.as_str());
        match state {
            State::Over => tracing::info!(condition = word, "alert: over"),
            _ => tracing::warn!(condition = word, state = how, count, "alert"),
        }
        let english = condition.english(state, count);
        let japanese = condition.japanese(state, count);
        let url = format!("{}{}", self.base_url, condition.page());
        let mut arrived = true;
        if let Some(to) = &self.settings.url {
            let body = json!({
                "condition": word, "state": how, "count": count, "since": since,
                "text": english, "text_ja": japanese, "url": url,
            });
            arrived &= self.post(to, &body).await;
        }
        if let Some(to) = &self.settings.slack_url {
            let text = format!("Denpyo: {japanese}\n{english}\n{url}");
            arrived &= self.post(to, &json!({"text": text})).await;
        }
        match state {
            _ if arrived => {}
            // Nobody heard the beginning: it begins again at the next look.
            State::Began => {
                conditions::off(&self.db, word).await?;
            }
            // Nor the end: it ends again.
            State::Over => conditions::back(&self.db, word, since).await?,
            State::Still => {}
        }
        Ok(())
    }

    async fn post(&self, to: &str, body: &Value) -> bool {
        let request = self.client.post(to).body(body.to_string());
        let request = request.header("content-type", "application/json");
        let why = match http::once(request, TIMEOUT).await {
            Ok(answer) if answer.status().is_success() => return true,
            Ok(answer) => answer.status().as_u16().to_string(),
            Err(outcome) => outcome.word().as_str().to_owned(),
        };
        // The address may hold a secret.
        tracing::error!(why, "an alert could not be delivered");
        false
    }
}

/// Runs until the process is to stop.
pub async fn run(alerts: Alerts, stopping: CancellationToken) {
    loop {
        if let Err(error) = alerts.run_once().await {
            tracing::warn!(error = %error, "alerts could not be looked after");
        }
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(PACE) => {}
        }
    }
}
