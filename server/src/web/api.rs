//! The API that shops' programs use.

use super::State;
use super::act_body::ActBody;
use super::limit::{self, BodyFault};
use super::problem::Problem;
use super::refusals::{refusal, unsendable};
use super::verdict;
use crate::desk::ResendAnswer;
use crate::intake;
use crate::outbox::asked;
use crate::outbox::claim::Resend;
use crate::outbox::copies::{Copied, Wanted, further_copy};
use crate::outbox::enqueue::{Enqueued, enqueue_within};
use crate::outbox::list::{self as rows, Where};
use crate::outbox::read;
use crate::outbox::row::Row;
use crate::tokens;
use app::model::filter::ListStatus;
use app::model::views::{NoticeKind, TokenScope};
use app::model::{Cursor, Filter, Status};
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Path, RawQuery};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Largest body that is taken, in bytes.
const LARGEST: usize = 10 * 1024 * 1024;
/// Bodies that a page of the list holds, in bytes, unless its first row alone has more.
const LARGEST_PAGE: i64 = 16 * 1024 * 1024;

/// Inserts at once. Each holds a connection for as long as it waits for another program's
/// transaction, and the worker and the desk need theirs.
const AT_ONCE: usize = 6;
static INTAKE: Semaphore = Semaphore::const_new(AT_ONCE);
/// How long another program's transaction that has the same key is waited for.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// How long an insert waits for its turn.
const TURN_PATIENCE: Duration = Duration::from_secs(10);

/// 503: not now, and when to come again.
fn later(detail: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(5)
}

/// Who calls, as acts name it: `api` with the token of the settings, else `api` and the token's name.
/// (No user's name has a blank.) Whoever holds no token that may do this is refused. Digests are
/// compared, so that the time tells nothing.
async fn authorise(
    state: &State,
    headers: &HeaderMap,
    needed: TokenScope,
) -> Result<String, Problem> {
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim());
    let Some(given) = given else {
        let detail = "send an API token as: Authorization: Bearer TOKEN";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, detail));
    };
    let by_setting = state.config.api_token.as_ref();
    if by_setting.is_some_and(|token| Sha256::digest(token) == Sha256::digest(given)) {
        return Ok("api".to_owned());
    }
    match tokens::program(&state.db, given).await? {
        Some(program) if program.scope >= needed => Ok(format!("api {}", program.name)),
        Some(_) => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "this token may only read: an administrator makes one that may write",
        )),
        None => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "there is no such token, or it was ended",
        )),
    }
}

async fn body_of(body: Body) -> Result<Vec<u8>, Problem> {
    limit::read(body, LARGEST)
        .await
        .map_err(|fault| match fault {
            BodyFault::TooLarge => Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "a body may have at most 10 MB",
            ),
            BodyFault::Broken => {
                Problem::new(StatusCode::BAD_REQUEST, "the body did not arrive whole")
            }
        })
}

fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    if kind.is_empty() || kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "send Content-Type: application/json",
    ))
}

/// `POST /api/v1/submissions`
pub async fn create(
    extract::State(state): extract::State<State>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let actor = authorise(&state, &headers, TokenScope::Write).await?;
    check_type(&headers)?;
    let bytes = body_of(body).await?;
    let mut new = match intake::parse(&bytes) {
        Ok(new) => new,
        Err(intake::Fault::Json(why)) => {
            return Err(Problem::new(
                StatusCode::BAD_REQUEST,
                format!("the body is not a JSON object: {why}"),
            ));
        }
        Err(intake::Fault::Fields(faults)) => return Err(Problem::fields(&faults)),
    };
    new.decided_by = Some(actor);
    let turn = tokio::time::timeout(TURN_PATIENCE, INTAKE.acquire()).await;
    let Ok(_turn) = turn else {
        return Err(later(
            "too many submissions wait for the database; try again in a moment",
        ));
    };
    let enqueued = enqueue_within(&state.db, &new, LOCK_PATIENCE).await;
    let enqueued = enqueued.map_err(|error| {
        if error.waits_for_lock() {
            later(
                "a transaction of another program has inserted this key (order_id, kind, occasion) and is \
                 not over; try again in a moment",
            )
        } else if error.refuses_values() {
            tracing::warn!(error = %error, "the database refuses a submission's values");
            let detail = "the database refuses these values";
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
        } else {
            Problem::from(error)
        }
    })?;
    Ok(match enqueued {
        Enqueued::Created(row) => created(row),
        Enqueued::Exists(row) => (StatusCode::OK, Json(row)).into_response(),
        Enqueued::Conflict(row) => {
            let detail = "this key (order_id, kind, occasion) names a mail with other content";
            Problem::new(StatusCode::CONFLICT, detail)
                .with("submission", json!(row))
                .into_response()
        }
    })
}

/// 201: a new mail, and where it is.
fn created(row: Box<Row>) -> Response {
    let at = [(header::LOCATION, format!("/api/v1/submissions/{}", row.id))];
    (StatusCode::CREATED, at, Json(row)).into_response()
}

/// The id in the path, as far as it is one.
type Id = Result<Path<String>, PathRejection>;

fn parse_id(id: &Id) -> Result<i64, Problem> {
    let text = id.as_ref().map(|Path(text)| text.as_str());
    text.unwrap_or_default().parse().map_err(|_| not_found())
}

fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no such submission")
}

/// `GET /api/v1/submissions/{id}`
pub async fn show(
    extract::State(state): extract::State<State>,
    headers: HeaderMap,
    id: Id,
) -> Result<Response, Problem> {
    authorise(&state, &headers, TokenScope::Read).await?;
    let id = parse_id(&id)?;
    let row = read::by_id(&state.db, id).await?.ok_or_else(not_found)?;
    let mail = state.office.read_mail(id).await?.ok_or_else(not_found)?;
    let mut value = json!(row);
    if let Value::Object(members) = &mut value {
        members.insert(
            "attempt_log".into(),
            json!(read::attempts(&state.db, id).await?),
        );
        members.insert(
            "observations".into(),
            json!(read::observations(&state.db, id).await?),
        );
        let lookups = asked::lookups(&state.db, &id.to_string()).await?;
        members.insert(
            "lookup".into(),
            json!(lookups.first().map(|(_, lookup)| lookup)),
        );
        members.insert("verdict".into(), verdict::of(&mail));
    }
    Ok(Json(value).into_response())
}

/// A page of the list.
#[derive(Serialize)]
struct Page {
    items: Vec<Row>,
    next: Option<String>,
}

/// `GET /api/v1/submissions`
pub async fn list(
    extract::State(state): extract::State<State>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    authorise(&state, &headers, TokenScope::Read).await?;
    let mut filter = Filter::default();
    let mut order = None;
    let mut limit = 50i64;
    for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if value.is_empty() {
            continue;
        }
        match name.as_ref() {
            "order_id" => order = Some(value.into_owned()),
            "kind" => filter.kind = Some(value.into_owned()),
            "status" => {
                for word in value.split(',') {
                    let status = Status::parse(word).ok_or_else(|| {
                        let words: Vec<&str> = Status::ALL.iter().map(|s| s.as_str()).collect();
                        Problem::parameter("status", &format!("write one of {}", words.join(", ")))
                    })?;
                    let status = ListStatus::Stored(status);
                    if !filter.statuses.contains(&status) {
                        filter.statuses.push(status);
                    }
                }
            }
            "cursor" => {
                let cursor = Cursor::parse(&value).ok_or_else(|| {
                    Problem::parameter("cursor", "write the `next` of an earlier answer")
                })?;
                filter.cursor = Some(cursor);
            }
            "limit" => {
                limit = value
                    .parse()
                    .ok()
                    .filter(|n| (1..=200).contains(n))
                    .ok_or_else(|| Problem::parameter("limit", "write a number from 1 to 200"))?;
            }
            // Ignored, it would look as if it had been heeded.
            other => {
                let name: String = other.chars().take(64).collect();
                return Err(Problem::parameter(&name, "there is no such parameter"));
            }
        }
    }
    let condition = Where::new(&filter, None, None, order.as_deref());
    let part = rows::list_with_bodies(&state.db, &condition, filter.cursor, limit, LARGEST_PAGE);
    let part = part.await?;
    let page = Page {
        items: part.rows,
        next: part.next.map(|cursor| cursor.to_string()),
    };
    Ok(Json(page).into_response())
}

/// `POST /api/v1/submissions/{id}/resend`
pub async fn resend(
    extract::State(state): extract::State<State>,
    headers: HeaderMap,
    id: Id,
    body: Body,
) -> Result<Response, Problem> {
    let actor = authorise(&state, &headers, TokenScope::Write).await?;
    check_type(&headers)?;
    let id = parse_id(&id)?;
    let body = ActBody::parse(&body_of(body).await?, &["version", "attempt"])?;
    let resend = Resend {
        actor: &actor,
        version: body.version,
        attempt: body.attempt,
        recipient: body.recipient.as_ref(),
        reason: body.reason.as_deref(),
        request_id: body.request_id.as_deref(),
    };
    let answer = state.office.resend_as(id, &resend).await?;
    let row = async || -> Result<Row, Problem> {
        read::by_id(&state.db, id).await?.ok_or_else(not_found)
    };
    match answer {
        ResendAnswer::Begun { attempt } => {
            let answer = json!({"id": id, "attempt": attempt, "submission": row().await?});
            Ok((StatusCode::ACCEPTED, Json(answer)).into_response())
        }
        ResendAnswer::NotFound => Err(not_found()),
        ResendAnswer::Unsendable(fault) => Err(unsendable(fault, &row().await?)),
        ResendAnswer::Refused(kind) => Err(refusal(&state, id, kind, row().await?).await?),
    }
}

/// `POST /api/v1/submissions/{id}/copies`
pub async fn copies(
    extract::State(state): extract::State<State>,
    headers: HeaderMap,
    id: Id,
    body: Body,
) -> Result<Response, Problem> {
    let actor = authorise(&state, &headers, TokenScope::Write).await?;
    check_type(&headers)?;
    let id = parse_id(&id)?;
    let body = ActBody::parse(&body_of(body).await?, &["copy"])?;
    let Some(copy) = body.copy else {
        let message = "write the number that the copy is to have, from 1";
        return Err(Problem::fields(&[("copy".to_owned(), message.to_owned())]));
    };
    let wanted = Wanted {
        actor: &actor,
        copy,
        recipient: body.recipient.as_ref(),
        reason: body.reason.as_deref(),
        request_id: body.request_id.as_deref(),
    };
    let refused = |reason: &str, detail: &str| {
        Problem::new(StatusCode::CONFLICT, detail).with("reason", reason)
    };
    match further_copy(&state.db, id, &wanted).await? {
        Copied::Created(row) => Ok(created(row)),
        Copied::Exists { row, .. } => Ok((StatusCode::OK, Json(row)).into_response()),
        Copied::Taken { next } => Err(refused(
            "copy_taken",
            "that copy went to another recipient, or is not the next one: `next` is",
        )
        .with("next", next)),
        Copied::Refused(kind, row) => {
            let detail = match kind {
                NoticeKind::Complained => "its recipient reported it as spam",
                _ => "only what the service has accepted is copied",
            };
            let word = if kind == NoticeKind::Complained {
                "complained"
            } else {
                "not_accepted"
            };
            Err(refused(word, detail).with("submission", json!(row)))
        }
        Copied::NotFound => Err(not_found()),
    }
}

/// Whatever else lies under `/api`.
pub async fn nothing_here(
    extract::State(state): extract::State<State>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    authorise(&state, &headers, TokenScope::Read).await?;
    Err(Problem::new(StatusCode::NOT_FOUND, "there is nothing here"))
}

/// A method that a path does not have.
pub async fn wrong_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this path does not take this method",
    )
}
