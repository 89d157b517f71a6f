//! Bodies up to a size. What is too large is read on for a while and thrown away: an answer sent
//! into a connection whose other side is still writing gets lost when that connection is closed.

use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use std::time::Duration;

/// Forms of the desk are small.
const LARGEST_FORM: usize = 64 * 1024;
/// Most that is read on and thrown away.
const THROWN_AWAY: usize = 64 * 1024 * 1024;
/// Longest that this takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// More than may be.
    TooLarge,
    /// It broke off.
    Broken,
}

/// Reads a body of at most that many bytes.
pub async fn read(mut body: Body, most: usize) -> Result<Vec<u8>, BodyFault> {
    let mut kept = Vec::new();
    loop {
        match body.frame().await {
            None => return Ok(kept),
            Some(Err(_)) => return Err(BodyFault::Broken),
            Some(Ok(frame)) => {
                let data = frame.into_data().unwrap_or_default();
                if kept.len() + data.len() > most {
                    break;
                }
                kept.extend_from_slice(&data);
            }
        }
    }
    drop(kept);
    let mut thrown_away = 0;
    let reading = async {
        while let Some(Ok(frame)) = body.frame().await {
            thrown_away += frame.into_data().map_or(0, |data| data.len());
            if thrown_away > THROWN_AWAY {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(PATIENCE, reading).await;
    Err(BodyFault::TooLarge)
}

/// Reads forms whole, so that what stands behind gets none that is too large.
pub async fn forms(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match read(body, LARGEST_FORM).await {
        Ok(bytes) => next.run(Request::from_parts(parts, bytes.into())).await,
        Err(BodyFault::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(BodyFault::Broken) => StatusCode::BAD_REQUEST.into_response(),
    }
}
