//! `POST /webhooks/{provider}`: what the mail service tells by itself. Whoever posts proves by a
//! signature who they are, so there is no session here and no question of origin.

use super::State;
use super::limit::{self, BodyFault};
use super::problem::Problem;
use crate::outbox::events::{self, Applied, KINDS};
use crate::provider::events::{Events, NotEvents, Post};
use app::model::views::PostRefusal;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Path};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::read::MultiGzDecoder;
use serde_json::json;
use std::io::Read;
use std::time::SystemTime;

/// Largest body that is taken, in bytes, as sent and unpacked.
const LARGEST: usize = 10 * 1024 * 1024;

/// `POST /webhooks/{provider}`
pub async fn take(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let service = state.sender.as_ref().map(|sender| sender.provider());
    let named = name.as_ref().ok().map(|Path(name)| name.as_str());
    let body = read(body).await?;
    let Some(service) = service.filter(|service| named == Some(service.name())) else {
        return Err(nothing_here());
    };
    let body = unpacked(&headers, body)?;
    let post = Post {
        headers: &headers,
        body: &body,
        now: SystemTime::now(),
    };
    let posts = state.office.posts();
    let told = service.events(post).await.map_err(|why| {
        posts.refused(word(&why));
        refusal(why)
    })?;
    let applied = events::apply(&state.db, service.name(), &told.events).await;
    let applied = applied.inspect_err(|_| posts.refused(PostRefusal::Database))?;
    posts.took(told.events.len() + told.odd);
    count(service.name(), &told, &applied);
    Ok(Json(json!({"events": told.events.len() + told.odd})).into_response())
}

fn nothing_here() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "no events are taken here: the path ends with the name of the service that is set",
    )
}

async fn read(body: Body) -> Result<Vec<u8>, Problem> {
    limit::read(body, LARGEST)
        .await
        .map_err(|fault| match fault {
            BodyFault::TooLarge => too_large(),
            BodyFault::Broken => {
                Problem::new(StatusCode::BAD_REQUEST, "the body did not arrive whole")
            }
        })
}

fn too_large() -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "a body may have at most 10 MB",
    )
}

/// Signatures cover the content, not how it was packed for the way.
fn unpacked(headers: &HeaderMap, body: Vec<u8>) -> Result<Vec<u8>, Problem> {
    let coding = match headers.get(header::CONTENT_ENCODING) {
        None => return Ok(body),
        Some(coding) => coding.to_str().unwrap_or("?").trim().to_ascii_lowercase(),
    };
    match coding.as_str() {
        "" | "identity" => return Ok(body),
        "gzip" | "x-gzip" => {}
        _ => {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send the body plain or with Content-Encoding: gzip",
            ));
        }
    }
    let mut content = Vec::new();
    let most = LARGEST as u64 + 1;
    MultiGzDecoder::new(body.as_slice())
        .take(most)
        .read_to_end(&mut content)
        .map_err(|_| Problem::new(StatusCode::BAD_REQUEST, "the body cannot be unpacked"))?;
    if content.len() > LARGEST {
        return Err(too_large());
    }
    Ok(content)
}

fn refusal(why: NotEvents) -> Problem {
    let status = match why {
        NotEvents::Off => StatusCode::NOT_FOUND,
        NotEvents::Signature => StatusCode::UNAUTHORIZED,
        NotEvents::Stale | NotEvents::Unreadable(_) => StatusCode::BAD_REQUEST,
        NotEvents::NotNow(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    tracing::warn!(%why, "a post of events was refused");
    Problem::new(status, why.to_string())
}

fn word(why: &NotEvents) -> PostRefusal {
    match why {
        NotEvents::Off => PostRefusal::Off,
        NotEvents::Signature => PostRefusal::Signature,
        NotEvents::Stale => PostRefusal::Stale,
        NotEvents::NotNow(_) => PostRefusal::NotNow,
        NotEvents::Unreadable(_) => PostRefusal::Unreadable,
    }
}

/// Numbers alone: what an odd event holds is not ours to log.
fn count(service: &str, told: &Events, applied: &Applied) {
    let add = |kind: &'static str, n: u64| {
        if n > 0 {
            metrics::counter!("denpyo_events_total", "kind" => kind).increment(n);
        }
    };
    for (kind, n) in KINDS.into_iter().zip(applied.fresh) {
        add(kind.as_str(), n);
    }
    let odd = told.odd as u64;
    add("repeated", applied.repeated);
    add("foreign", applied.foreign);
    add("odd", odd);
    let fresh: u64 = applied.fresh.iter().sum();
    let (repeated, foreign) = (applied.repeated, applied.foreign);
    if odd > 0 {
        tracing::warn!(
            service,
            fresh,
            repeated,
            foreign,
            odd,
            "events taken; some could not be read"
        );
    } else if foreign > 0 {
        tracing::info!(
            service,
            fresh,
            repeated,
            foreign,
            "events taken; some name no mail of this table"
        );
    } else {
        tracing::debug!(service, fresh, repeated, foreign, "events taken");
    }
}
