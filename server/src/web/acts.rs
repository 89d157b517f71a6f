//! Server functions over HTTP: the framework answers every error with 500; here each gets the
//! status that it means.

use app::error::AppError;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

/// Where server functions live, clear of the API.
pub const PREFIX: &str = "/_desk/";

/// Longest error that is read back: they are codes and numbers.
const LONGEST: usize = 4096;

/// Gives a server function's error its status. A form posted without scripts is not touched: its
/// answer is a redirect.
pub async fn statuses(request: Request, next: Next) -> Response {
    let act = request.uri().path().starts_with(PREFIX);
    let response = next.run(request).await;
    if !act || response.status() != StatusCode::INTERNAL_SERVER_ERROR {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, LONGEST).await.unwrap_or_default();
    let error = serde_json::from_slice(&bytes).unwrap_or(AppError::BadInput);
    parts.status = match error {
        AppError::SignedOut => StatusCode::UNAUTHORIZED,
        AppError::Forbidden => StatusCode::FORBIDDEN,
        AppError::NotFound => StatusCode::NOT_FOUND,
        AppError::BadInput | AppError::NoConnection => StatusCode::BAD_REQUEST,
        AppError::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    // Written anew: what the framework could not encode as ours is not passed on.
    Response::from_parts(
        parts,
        Body::from(serde_json::to_vec(&error).unwrap_or_default()),
    )
}
