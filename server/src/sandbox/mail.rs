//! `POST /v3/mail/send`.

use super::faults::Fault;
use super::line::{Cut, Line};
use super::store::{Message, Part, Party};
use super::{Refusal, Sandbox, authorised, errors};
use app::model::address::Address;
use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::future::pending;
use uuid::Uuid;

/// Most bytes that `custom_args` may have.
const LARGEST_ARGS: usize = 10_000;
/// Requests a minute, as the headers say; nothing enforces it.
const LIMIT: i64 = 600;

/// The members of a request that are looked at; others (tracking, categories, …) are let pass.
#[derive(Deserialize)]
struct Request {
    #[serde(default)]
    personalizations: Vec<Personalization>,
    from: Option<Party>,
    reply_to: Option<Party>,
    subject: Option<String>,
    #[serde(default)]
    content: Vec<Part>,
    #[serde(default)]
    custom_args: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Personalization {
    #[serde(default)]
    to: Vec<Party>,
    subject: Option<String>,
    #[serde(default)]
    custom_args: BTreeMap<String, Value>,
}

/// A field, and what is wrong with it.
type Complaint = (String, &'static str);

pub(super) async fn send(
    State(sandbox): State<Sandbox>,
    line: Option<Extension<Line>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    // Before anything else, so that every request costs one draw.
    let (fault, latency) = {
        let mut dice = sandbox.dice();
        (dice.draw(), dice.faults().latency())
    };
    let read = authorised(&headers).and_then(|()| read(body));
    let answer = match read {
        Err(refusal) => refusal.into_response(),
        Ok(messages) => {
            let id = messages.first().map(|m| m.message_id.clone());
            if keeps(fault) {
                let mut store = sandbox.store();
                messages.into_iter().for_each(|m| store.push(m));
            }
            match fault {
                Some(Fault::AcceptThenHang | Fault::HangWithoutAccept) => {
                    return hang(line.as_deref()).await;
                }
                Some(Fault::AcceptThenReset) => return cut(line.as_deref(), Cut::Reset).await,
                Some(Fault::AcceptThenClose) => return cut(line.as_deref(), Cut::Close).await,
                Some(Fault::AcceptThenTruncate) => {
                    let part = half_an_answer(id.as_deref().unwrap_or_default());
                    return cut(line.as_deref(), Cut::Part(part)).await;
                }
                other => answer(other, id.as_deref()),
            }
        }
    };
    match line {
        Some(line) => line.wait(latency).await,
        None => tokio::time::sleep(latency).await,
    }
    answer
}

fn keeps(fault: Option<Fault>) -> bool {
    use Fault as F;
    match fault {
        None
        | Some(
            F::AcceptThenHang
            | F::AcceptThenReset
            | F::AcceptThenClose
            | F::AcceptThen500
            | F::AcceptThenTruncate,
        ) => true,
        Some(F::Refuse500 | F::Refuse429 | F::Refuse400 | F::HangWithoutAccept | F::Redirect) => {
            false
        }
    }
}

async fn hang(line: Option<&Line>) -> Response {
    match line {
        Some(line) => line.hang().await,
        None => pending().await,
    }
}

async fn cut(line: Option<&Line>, how: Cut) -> Response {
    match line {
        Some(line) => line.cut(how).await,
        None => pending().await,
    }
}

/// The head of an acceptance, and less of a body than it promises.
fn half_an_answer(id: &str) -> String {
    format!(
        "HTTP/1.1 202 Accepted\r\nx-message-id: {id}\r\ncontent-type: application/json\r\n\
         content-length: 64\r\n\r\n{{\"message\":"
    )
}

fn answer(fault: Option<Fault>, id: Option<&str>) -> Response {
    use StatusCode as S;
    let mut response = match fault {
        Some(Fault::AcceptThen500 | Fault::Refuse500) => errors(
            S::INTERNAL_SERVER_ERROR,
            None,
            "something went wrong in here",
        )
        .into_response(),
        Some(Fault::Refuse429) => {
            errors(S::TOO_MANY_REQUESTS, None, "too many requests").into_response()
        }
        Some(Fault::Refuse400) => {
            errors(S::BAD_REQUEST, Some("content"), "refused on purpose").into_response()
        }
        Some(Fault::Redirect) => {
            (S::FOUND, [(header::LOCATION, "/_sandbox/elsewhere")]).into_response()
        }
        _ => S::ACCEPTED.into_response(),
    };
    let headers = response.headers_mut();
    if headers.get(header::LOCATION).is_none() {
        let exhausted = fault == Some(Fault::Refuse429);
        let remaining = if exhausted { 0 } else { LIMIT - 1 };
        let now = Utc::now().timestamp();
        let reset = if exhausted {
            now + 2
        } else {
            now + 60 - now % 60
        };
        headers.insert("x-ratelimit-limit", HeaderValue::from(LIMIT));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(remaining));
        headers.insert("x-ratelimit-reset", HeaderValue::from(reset));
    }
    if let (None, Some(id)) = (fault, id.and_then(|id| HeaderValue::from_str(id).ok())) {
        headers.insert("x-message-id", id);
    }
    response
}

/// The messages that a request asks for, one a recipient, or the refusal.
fn read(body: Result<Bytes, BytesRejection>) -> Result<Vec<Message>, Refusal> {
    let bad = |field: Option<&str>, message: &str| errors(StatusCode::BAD_REQUEST, field, message);
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => errors(
            StatusCode::PAYLOAD_TOO_LARGE,
            None,
            "the message is too large",
        ),
        _ => bad(None, "the body could not be read"),
    })?;
    let value: Value =
        serde_json::from_slice(&body).map_err(|_| bad(None, "the body is not JSON"))?;
    let request: Request = serde_json::from_value(value)
        .map_err(|error| bad(None, &format!("the body has another shape: {error}")))?;
    messages(request).map_err(|(field, message)| bad(Some(&field), message))
}

fn messages(request: Request) -> Result<Vec<Message>, Complaint> {
    let complain = |field: &str, message| Err((field.to_owned(), message));
    if request.personalizations.is_empty() {
        return complain("personalizations", "required, with at least one member");
    }
    let Some(from) = request.from else {
        return complain("from", "required");
    };
    check_party(&from, "from")?;
    if let Some(reply_to) = &request.reply_to {
        check_party(reply_to, "reply_to")?;
    }
    if request.content.is_empty() {
        return complain("content", "required, with at least one member");
    }
    for (i, part) in request.content.iter().enumerate() {
        if part.value.is_empty() {
            return Err((format!("content.{i}.value"), "must not be empty"));
        }
        if !part.kind.contains('/') {
            return Err((format!("content.{i}.type"), "must be a MIME type"));
        }
        if part.kind == "text/plain" && i > 0 {
            return Err((format!("content.{i}.type"), "text/plain must come first"));
        }
    }
    let message_id = Uuid::new_v4().simple().to_string()[..22].to_owned();
    let received_at = Utc::now();
    let mut messages = Vec::new();
    for (i, personalization) in request.personalizations.into_iter().enumerate() {
        let field = format!("personalizations.{i}");
        if personalization.to.is_empty() {
            return Err((format!("{field}.to"), "required, with at least one member"));
        }
        let subject = personalization.subject.or_else(|| request.subject.clone());
        let Some(subject) = subject.filter(|s| !s.is_empty()) else {
            return complain("subject", "required, with at least one character");
        };
        let mut args = request.custom_args.clone();
        args.extend(personalization.custom_args);
        let custom_args = check_args(args)?;
        for (j, to) in personalization.to.into_iter().enumerate() {
            check_party(&to, &format!("{field}.to.{j}"))?;
            let number = messages.len();
            messages.push(Message {
                sg_message_id: format!("{message_id}.filterdrecv-sandbox-0-{number}"),
                message_id: message_id.clone(),
                received_at,
                to,
                from: from.clone(),
                reply_to: request.reply_to.clone(),
                subject: subject.clone(),
                content: request.content.clone(),
                custom_args: custom_args.clone(),
            });
        }
    }
    Ok(messages)
}

fn check_party(party: &Party, field: &str) -> Result<(), Complaint> {
    match Address::parse(&party.email) {
        Ok(_) => Ok(()),
        Err(_) => Err((format!("{field}.email"), "not a valid address")),
    }
}

fn check_args(args: BTreeMap<String, Value>) -> Result<BTreeMap<String, String>, Complaint> {
    let mut texts = BTreeMap::new();
    let mut bytes = 2;
    for (name, value) in args {
        let Value::String(text) = value else {
            return Err((format!("custom_args.{name}"), "must be a text"));
        };
        // Quotes, colon and comma included.
        bytes += name.len() + text.len() + 6;
        texts.insert(name, text);
    }
    if bytes > LARGEST_ARGS {
        return Err(("custom_args".to_owned(), "more than 10000 bytes"));
    }
    Ok(texts)
}
