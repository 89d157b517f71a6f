//! Server functions over HTTP: the framework answers every error with 500; here each gets the
//! status that it means.

use app::desk::Failed;
use app::error::AppError;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use leptos::server_fn::error::ServerFnUrlError;

/// Where server functions live, clear of the API.
pub const PREFIX: &str = "/_desk/";

/// Longest error that is read back: they are codes and numbers.
const LONGEST: usize = 4096;

/// Holds the error of an act from its form's answer to the next page. A cookie, since the database
/// may be what failed; it holds codes, as the framework writes them, and no text.
const FAILED: &str = "denpyo_failed";

/// Gives a server function's error its status. The answer to a form posted without scripts is a
/// redirect: its error is handed on to the page that it leads to, which tells it once.
pub async fn statuses(mut request: Request, next: Next) -> Response {
    let act = request.uri().path().starts_with(PREFIX);
    let kept = (!act).then(|| kept(request.headers())).flatten();
    if let Some(code) = &kept {
        let error = ServerFnUrlError::<AppError>::decode_err(code);
        request.extensions_mut().insert(Failed(error));
    }
    let mut response = next.run(request).await;
    let cookie = match failure(act, &response) {
        Some(code) => Some(format!(
            "{FAILED}={code}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"
        )),
        None => kept.map(|_| format!("{FAILED}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")),
    };
    if let Some(cookie) = cookie.and_then(|text| HeaderValue::from_str(&text).ok()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
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

/// The error that the framework wrote into the address it redirects to.
fn failure(act: bool, response: &Response) -> Option<String> {
    if !act || !response.status().is_redirection() {
        return None;
    }
    let to = response.headers().get(header::LOCATION)?.to_str().ok()?;
    let (_, query) = to.split_once('?')?;
    url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "__err")
        .map(|(_, code)| code.into_owned())
        .filter(|code| is_code(code))
}

/// The error that an answer before this request left.
fn kept(headers: &HeaderMap) -> Option<String> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, code)| *name == FAILED && is_code(code))
        .map(|(_, code)| code.to_owned())
}

/// Base64, and short: nothing else goes into a cookie.
fn is_code(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_=".contains(&b))
}
