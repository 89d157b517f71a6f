//! The browser's half of the desk and the public files, embedded into the binary.

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

/// `target/site`, as xtask builds it. Debug builds read it from the disk at each request.
#[derive(RustEmbed)]
#[folder = "../target/site"]
struct Site;

/// Names the folder under `/pkg/` that holds the browser's half; nothing where it was not built.
const HASH_FILE: &str = "hash.txt";

/// In this order of preference: brotli is the smaller one.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// The name of the folder under `/pkg/` that holds `denpyo.js`, `denpyo_bg.wasm` and `denpyo.css`.
/// `None` where the browser's half was not built: the pages work without it.
pub fn hash() -> Option<String> {
    let file = Site::get(HASH_FILE)?;
    Some(String::from_utf8_lossy(&file.data).trim().to_owned())
}

/// Answers GET and HEAD for `/pkg/{*path}` and for the public files.
pub async fn serve(uri: Uri, headers: HeaderMap) -> Response {
    respond(uri.path(), &headers, Site::get)
}

fn respond(
    path: &str,
    headers: &HeaderMap,
    find: impl Fn(&str) -> Option<EmbeddedFile>,
) -> Response {
    let path = path.trim_start_matches('/');
    // What was compressed ahead is reached through Accept-Encoding only.
    let inner = path == HASH_FILE || ENCODINGS.iter().any(|(_, suffix)| path.ends_with(suffix));
    let Some(plain) = find(path).filter(|_| !inner) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (file, encoding) = ENCODINGS
        .iter()
        .filter(|(name, _)| accepts(headers, name))
        .find_map(|(name, suffix)| Some((find(&format!("{path}{suffix}"))?, Some(*name))))
        .unwrap_or((plain, None));

    // Of the bytes as sent, so that each encoding has its own.
    let tag: String = file.metadata.sha256_hash()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tag = format!("\"{tag}\"");
    let known = text(headers, &IF_NONE_MATCH).split(',').any(|known| {
        let known = known.trim();
        known == "*" || known.trim_start_matches("W/") == tag
    });
    // A changed file under pkg/ has another path.
    let caching = if path.starts_with("pkg/") {
        "public, max-age=31536000, immutable"
    } else {
        "public, max-age=3600"
    };
    let common = [
        (ETAG, tag.as_str()),
        (CACHE_CONTROL, caching),
        (VARY, "Accept-Encoding"),
    ];
    if known {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = [(CONTENT_TYPE, content_type(path))];
    let mut response = (common, kind, Body::from(file.data)).into_response();
    if let Some(encoding) = encoding {
        response
            .headers_mut()
            .insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

fn content_type(path: &str) -> String {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    if kind.type_() == mime_guess::mime::TEXT {
        format!("{kind}; charset=utf-8")
    } else {
        kind.to_string()
    }
}

/// Whether `Accept-Encoding` names this encoding, and not with `q=0`.
fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    text(headers, &ACCEPT_ENCODING).split(',').any(|item| {
        let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
        let weight = parameters
            .trim()
            .strip_prefix("q=")
            .map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case(encoding) && weight.is_ok_and(|weight| weight > 0.0)
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use axum::Router;
    use axum::body::to_bytes;
    use axum::http::Request;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    fn site(path: &str) -> Option<EmbeddedFile> {
        let text = match path {
            "hash.txt" => "abc",
            "favicon.svg" => "<svg/>",
            "robots.txt" => "User-agent: *",
            "pkg/abc/denpyo.js" => "plain",
            "pkg/abc/denpyo.js.br" => "as brotli",
            "pkg/abc/denpyo.js.gz" => "as gzip",
            "pkg/abc/denpyo.css" => "body {}",
            "pkg/abc/denpyo_bg.wasm" => "wasm",
            _ => return None,
        };
        let mut file = tempfile::NamedTempFile::new().ok()?;
        file.write_all(text.as_bytes()).ok()?;
        rust_embed::utils::read_file_from_fs(file.path()).ok()
    }

    async fn ask(method: &str, path: &str, header: (&str, &str)) -> (Response, String) {
        let handler = |uri: Uri, headers: HeaderMap| async move {
            respond(uri.path(), &headers, site) //
        };
        let router = Router::new()
            .route("/pkg/{*path}", get(handler))
            .fallback(get(handler));
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header.0, header.1);
        let answer = router
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap();
        let (head, body) = answer.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        (
            Response::from_parts(head, Body::empty()),
            String::from_utf8(body.to_vec()).unwrap(),
        )
    }

    async fn encoded(accept: &str) -> (String, String) {
        let (answer, body) = ask("GET", "/pkg/abc/denpyo.js", ("accept-encoding", accept)).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()[VARY], "Accept-Encoding");
        (text(answer.headers(), &CONTENT_ENCODING).to_owned(), body)
    }

    #[tokio::test]
    async fn the_browser_gets_the_smallest_encoding_it_takes() {
        let pair = |encoding: &str, body: &str| (encoding.to_owned(), body.to_owned());
        assert_eq!(
            encoded("gzip, deflate, br, zstd").await,
            pair("br", "as brotli")
        );
        assert_eq!(encoded("gzip;q=0.5, br;q=0").await, pair("gzip", "as gzip"));
        assert_eq!(encoded("GZIP").await, pair("gzip", "as gzip"));
        assert_eq!(encoded("identity").await, pair("", "plain"));
        assert_eq!(encoded("bread").await, pair("", "plain"));
        let (answer, body) = ask(
            "GET",
            "/pkg/abc/denpyo.css",
            ("accept-encoding", "br, gzip"),
        )
        .await;
        assert!(answer.headers().get(CONTENT_ENCODING).is_none());
        assert_eq!(body, "body {}");
    }

    #[tokio::test]
    async fn types_and_lifetimes_are_right() {
        for (path, kind, caching) in [
            (
                "/pkg/abc/denpyo.js",
                "text/javascript; charset=utf-8",
                "public, max-age=31536000, immutable",
            ),
            (
                "/pkg/abc/denpyo.css",
                "text/css; charset=utf-8",
                "public, max-age=31536000, immutable",
            ),
            (
                "/pkg/abc/denpyo_bg.wasm",
                "application/wasm",
                "public, max-age=31536000, immutable",
            ),
            ("/favicon.svg", "image/svg+xml", "public, max-age=3600"),
            (
                "/robots.txt",
                "text/plain; charset=utf-8",
                "public, max-age=3600",
            ),
        ] {
            let (answer, _) = ask("GET", path, ("accept", "*/*")).await;
            assert_eq!(answer.headers()[CONTENT_TYPE], kind, "{path}");
            assert_eq!(answer.headers()[CACHE_CONTROL], caching, "{path}");
        }
    }

    #[tokio::test]
    async fn what_the_browser_has_is_not_sent_again() {
        let (plain, _) = ask("GET", "/pkg/abc/denpyo.js", ("accept", "*/*")).await;
        let (small, _) = ask("GET", "/pkg/abc/denpyo.js", ("accept-encoding", "br")).await;
        let tag = text(plain.headers(), &ETAG);
        assert_ne!(tag, text(small.headers(), &ETAG));

        let weak = format!("\"other\", W/{tag}");
        for known in [tag, &weak, "*"] {
            let (answer, body) = ask("GET", "/pkg/abc/denpyo.js", ("if-none-match", known)).await;
            assert_eq!(answer.status(), StatusCode::NOT_MODIFIED);
            assert_eq!(answer.headers()[ETAG], tag);
            assert_eq!(body, "");
        }
        let (answer, _) = ask("GET", "/pkg/abc/denpyo.js", ("if-none-match", "\"other\"")).await;
        assert_eq!(answer.status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn head_has_the_headers_alone() {
        let (answer, body) = ask("HEAD", "/pkg/abc/denpyo.js", ("accept-encoding", "br")).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-length"], "9");
        assert_eq!(body, "");
    }

    #[tokio::test]
    async fn anything_else_is_not_found() {
        for path in [
            "/",
            "/nothing",
            "/pkg/abd/denpyo.js",
            "/pkg/abc/denpyo.js.br",
            "/hash.txt",
        ] {
            let (answer, _) = ask("GET", path, ("accept-encoding", "br")).await;
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        }
        let serve = Router::new().fallback(get(serve));
        for path in [
            "/../Cargo.toml",
            "/pkg/../../../Cargo.toml",
            "/%2e%2e/%2e%2e/Cargo.toml",
        ] {
            let request = Request::builder().uri(path).body(Body::empty()).unwrap();
            let answer = serve.clone().oneshot(request).await.unwrap();
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}
