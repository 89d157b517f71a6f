//! Server functions over HTTP: the framework answers every error with 500 and tells of its own
//! routes; here each gets the status that it means.

use app::error::AppError;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use leptos::server_fn::axum::get_server_fn_service;

/// Longest error that is read back: they are codes and numbers.
const LONGEST: usize = 4096;

/// Carries out the server function that the path names, under a context.
pub async fn carry_out(context: impl Fn() + Clone + Send + 'static, request: Request) -> Response {
    if get_server_fn_service(request.uri().path(), request.method().clone()).is_none() {
        return StatusCode::NOT_FOUND.into_response();
    }
    let response = leptos_axum::handle_server_fns_with_context(context, request)
        .await
        .into_response();
    if response.status() != StatusCode::INTERNAL_SERVER_ERROR {
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
