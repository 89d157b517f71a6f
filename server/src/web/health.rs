//! What monitors ask. None of it needs a session or sets a cookie.

use super::State;
use crate::db::DbError;
use crate::outbox::{self, list, read};
use app::model::Status;
use app::model::views::Count;
use axum::extract;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The process lives.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Why the service cannot be used.
#[derive(Clone, Debug)]
enum NotReady {
    /// It does not answer.
    Unreachable(String),
    /// It lacks what the settings ask for.
    Lacks(String),
}

/// The last answer to "is the service there?", kept so that probes do not become its load.
#[derive(Default)]
pub struct Reachable(Mutex<Option<(Instant, Result<(), NotReady>)>>);

const KEPT: Duration = Duration::from_secs(10);
/// How long the database may take to answer a probe: probes give up themselves soon after.
const PATIENCE: Duration = Duration::from_secs(3);

impl Reachable {
    async fn ask(&self, state: &State) -> Result<(), NotReady> {
        let Some(sender) = &state.sender else {
            return Ok(());
        };
        let kept = self.0.lock().ok().and_then(|kept| kept.clone());
        if let Some((at, answer)) = kept
            && at.elapsed() < KEPT
        {
            return answer;
        }
        let provider = sender.provider();
        let answer = match provider.reachable().await {
            Ok(()) => provider.suits().await.map_err(NotReady::Lacks),
            Err(why) => Err(NotReady::Unreachable(why)),
        };
        if let Ok(mut kept) = self.0.lock() {
            *kept = Some((Instant::now(), answer.clone()));
        }
        answer
    }
}

/// Whether this process can do its work: the database answers, and the service where one is set.
pub async fn readyz(extract::State(state): extract::State<State>) -> Response {
    // A database that only reads cannot record a mail.
    let write = tokio::time::timeout(PATIENCE, outbox::probe(&state.db)).await;
    let why = match write {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some(format!("no answer within {PATIENCE:?}")),
    };
    if let Some(error) = why {
        tracing::warn!(error, "not ready: the database does not answer");
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer\n",
        )
            .into_response();
    }
    if let Err(not) = state.reachable.ask(&state).await {
        let text = match not {
            NotReady::Unreachable(why) => {
                tracing::warn!(why, "not ready: the mail service cannot be reached");
                "the mail service cannot be reached\n"
            }
            NotReady::Lacks(why) => {
                tracing::warn!(
                    why,
                    "not ready: the mail service lacks what the settings ask for"
                );
                "the mail service lacks what the settings ask for\n"
            }
        };
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    }
    "ready\n".into_response()
}

/// Prometheus' text format.
pub async fn metrics(extract::State(state): extract::State<State>) -> Response {
    if let Err(error) = refresh(&state).await {
        tracing::warn!(error = %error, "the metrics could not be read from the database");
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer\n",
        )
            .into_response();
    }
    let text = state.metrics.render();
    (
        [(
            header::CONTENT_TYPE,
            "text/plain; version=0.0.4; charset=utf-8",
        )],
        text,
    )
        .into_response()
}

#[allow(clippy::cast_precision_loss)] // Prometheus knows only floating point
async fn refresh(state: &State) -> Result<(), DbError> {
    let unsettled = read::unsettled(&state.db).await?;
    let mut others = 0;
    for status in Status::ALL.into_iter().filter(|s| *s != Status::Synced) {
        let count = unsettled
            .iter()
            .find(|(word, ..)| word == status.as_str())
            .map_or(0, |(_, n, _)| *n);
        others += count;
        metrics::gauge!("denpyo_submissions", "status" => status.as_str()).set(count as f64);
    }
    let count = read::synced(&state.db, others).await?;
    let exact = matches!(count, Count::Exact(_));
    let synced = match count {
        Count::Exact(n) | Count::AtLeast(n) | Count::About(n) => n as f64,
        Count::Unknown => f64::NAN,
    };
    metrics::gauge!("denpyo_submissions", "status" => Status::Synced.as_str()).set(synced);
    metrics::gauge!("denpyo_submissions_exact").set(if exact { 1.0 } else { 0.0 });
    let oldest = match read::oldest_due(&state.db).await? {
        Some(at) => (state.db.now().await?.micros() - at.micros()).max(0) as f64 / 1e6,
        None => 0.0,
    };
    metrics::gauge!("denpyo_oldest_pending_seconds").set(oldest);
    let person = app::model::Filter {
        needs: Some(app::model::filter::Needs::Person),
        ..app::model::Filter::default()
    };
    let condition = list::Where::new(&person, None, None, None);
    let needs = list::count_up_to(&state.db, &condition, 1_000_000).await?;
    metrics::gauge!("denpyo_needs_person").set(needs as f64);
    Ok(())
}

/// Names and helps, once a process.
pub fn describe() {
    metrics::describe_gauge!("denpyo_submissions", "Submissions by status");
    metrics::describe_gauge!(
        "denpyo_submissions_exact",
        "1 where the count of synced submissions is exact, 0 where it is the database's estimate"
    );
    metrics::describe_gauge!(
        "denpyo_oldest_pending_seconds",
        "How long the longest-waiting due mail has waited"
    );
    metrics::describe_gauge!("denpyo_needs_person", "Submissions that wait for a person");
    metrics::describe_counter!("denpyo_sends_total", "Posts to the mail service by outcome");
    metrics::describe_counter!(
        "denpyo_events_total",
        "Events that the mail service told: by kind where they were new, else repeated, foreign or odd"
    );
    metrics::describe_histogram!(
        "denpyo_send_seconds",
        "How long posts to the mail service took"
    );
}
