//! What stands between the desk and other people's pages.

use super::State;
use axum::extract::{self, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The policy of a page: scripts by nonce, styles from files alone, nothing from elsewhere.
pub fn page_policy(nonce: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static(NOTHING))
}

const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// Sets what every answer carries. Signed-in pages and API answers are never kept: after signing
/// out, Back must not show a customer's data.
pub async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut absent = |name: header::HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    absent(header::CACHE_CONTROL, "no-store");
    absent(header::CONTENT_SECURITY_POLICY, NOTHING);
    absent(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    absent(header::REFERRER_POLICY, "same-origin");
    absent(header::X_FRAME_OPTIONS, "SAMEORIGIN");
    absent(
        header::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    absent(
        header::HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    absent(
        header::HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    );
    response
}

/// Refuses a change of state that another site asked for.
pub async fn same_origin(
    extract::State(state): extract::State<State>,
    request: Request,
    next: Next,
) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || is_same_origin(request.headers(), &state.base_url) {
        return next.run(request).await;
    }
    (
        StatusCode::FORBIDDEN,
        "This request did not come from a page of this desk, so nothing was done.\n",
    )
        .into_response()
}

/// Browsers say where a request comes from: by `Sec-Fetch-Site`, older ones by `Origin`. One that
/// says neither is refused.
fn is_same_origin(headers: &HeaderMap, base_url: &str) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|v| v.to_str().ok());
    if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site")) {
        return site == "same-origin";
    }
    let Some(origin) = text(header::ORIGIN) else {
        return false;
    };
    let host = text(header::HOST).unwrap_or_default();
    origin == base_url
        || origin
            .split_once("://")
            .is_some_and(|(_, of)| !host.is_empty() && of == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            if let (Ok(name), Ok(value)) = (
                header::HeaderName::from_bytes(name.as_bytes()),
                HeaderValue::from_str(value),
            ) {
                map.insert(name, value);
            }
        }
        map
    }

    #[test]
    fn only_this_desks_own_pages_may_change_things() {
        let base = "https://denpyo.shop.example";
        for (pairs, fine) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site"), ("origin", base)], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", base)], true),
            (
                &[
                    ("origin", "http://127.0.0.1:3000"),
                    ("host", "127.0.0.1:3000"),
                ],
                true,
            ),
            (
                &[
                    ("origin", "https://evil.example"),
                    ("host", "denpyo.shop.example"),
                ],
                false,
            ),
            (&[("origin", "null"), ("host", "")], false),
            (&[], false),
        ] {
            assert_eq!(is_same_origin(&headers(pairs), base), fine, "{pairs:?}");
        }
    }
}
