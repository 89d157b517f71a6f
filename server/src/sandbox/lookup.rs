//! `POST /v3/logs`, `GET /v3/logs/{sg_message_id}` and `GET /v3/messages`.

use super::query::{Language, Query, STATUS};
use super::store::Message;
use super::{Refusal, Sandbox, authorised, errors};
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

/// Messages an answer has unless the request says otherwise.
const DEFAULT_LIMIT: u64 = 10;
/// Most messages an answer may have. Neither look-up has pages.
const LARGEST_LIMIT: u64 = 1000;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: Option<String>,
    limit: Option<u64>,
}

pub(super) async fn search_logs(
    State(sandbox): State<Sandbox>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<axum::Json<Value>, Refusal> {
    authorised(&headers)?;
    let search = if body.is_empty() {
        Ok(Search::default())
    } else {
        serde_json::from_slice(&body)
    };
    let search = search.map_err(|error| bad(None, &error.to_string()))?;
    find(&sandbox, &search, Language::Logs, log_line)
}

pub(super) async fn search_messages(
    State(sandbox): State<Sandbox>,
    headers: HeaderMap,
    RawQuery(parameters): RawQuery,
) -> Result<axum::Json<Value>, Refusal> {
    authorised(&headers)?;
    let mut search = Search::default();
    let parameters = parameters.unwrap_or_default();
    for (name, value) in url::form_urlencoded::parse(parameters.as_bytes()) {
        match &*name {
            "query" => search.query = Some(value.into_owned()),
            "limit" => {
                let limit = value.parse();
                search.limit = Some(limit.map_err(|_| bad(Some("limit"), "must be a number"))?);
            }
            _ => return Err(bad(Some(&name), "unknown parameter")),
        }
    }
    find(&sandbox, &search, Language::Activity, activity_line)
}

pub(super) async fn one_log(
    State(sandbox): State<Sandbox>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, Refusal> {
    authorised(&headers)?;
    let seen = newest_seen(&sandbox);
    let store = sandbox.store();
    let message = store
        .all()
        .find(|m| m.sg_message_id == id && m.received_at <= seen);
    match message {
        None => Err(errors(StatusCode::NOT_FOUND, None, "no such message")),
        Some(message) => {
            let mut shown = log_line(message);
            shown["custom_args"] = json!(message.custom_args);
            shown["events"] = json!([{"event": STATUS, "timestamp": time(message)}]);
            Ok(axum::Json(shown))
        }
    }
}

fn find(
    sandbox: &Sandbox,
    search: &Search,
    language: Language,
    show: fn(&Message) -> Value,
) -> Result<axum::Json<Value>, Refusal> {
    let limit = search.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=LARGEST_LIMIT).contains(&limit) {
        return Err(bad(Some("limit"), "must lie between 1 and 1000"));
    }
    let query = Query::parse(search.query.as_deref().unwrap_or_default(), language)
        .map_err(|error| bad(Some("query"), &error))?;
    let seen = newest_seen(sandbox);
    let store = sandbox.store();
    // Newest first.
    let found = store
        .all()
        .rev()
        .filter(|m| m.received_at <= seen && query.matches(m));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let messages: Vec<Value> = found.take(limit).map(show).collect();
    Ok(axum::Json(json!({"messages": messages})))
}

/// When the youngest message was accepted that look-ups see already.
fn newest_seen(sandbox: &Sandbox) -> DateTime<Utc> {
    let delay = sandbox.dice().faults().index_delay_ms;
    i64::try_from(delay)
        .ok()
        .and_then(TimeDelta::try_milliseconds)
        .and_then(|delay| Utc::now().checked_sub_signed(delay))
        .unwrap_or(DateTime::<Utc>::MIN_UTC)
}

fn log_line(message: &Message) -> Value {
    json!({
        "from_email": message.from.email,
        "sg_message_id": message.sg_message_id,
        "subject": message.subject,
        "to_email": message.to.email,
        "status": STATUS,
        "reason": "",
        "sg_message_id_created_at": time(message),
    })
}

fn activity_line(message: &Message) -> Value {
    json!({
        "from_email": message.from.email,
        "msg_id": message.sg_message_id,
        "subject": message.subject,
        "to_email": message.to.email,
        "status": STATUS,
        "opens_count": 0,
        "clicks_count": 0,
        "last_event_time": time(message),
    })
}

fn time(message: &Message) -> String {
    message
        .received_at
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn bad(field: Option<&str>, message: &str) -> Refusal {
    errors(StatusCode::BAD_REQUEST, field, message)
}
