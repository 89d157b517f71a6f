//! What every request of the API meets: its size and shape, its token, its address.

use crate::run::{Home, TOKEN};
use crate::site::{header, mail, read};
use reqwest::{Method, StatusCode};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_object_is_malformed() {
    let site = Home::sqlite().await.web_kept().await;
    for body in [
        "",
        "{",
        "[]",
        "\"x\"",
        "null",
        "{\"order_id\":}",
        "\u{feff}{}",
        "a=b",
    ] {
        let request = site.api(Method::POST, "").body(body);
        let (status, _) = read(request.send().await.unwrap()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body:?}");
    }
    let request = site.api(Method::POST, "").body(vec![0xff, 0xfe]);
    assert_eq!(
        read(request.send().await.unwrap()).await.0,
        StatusCode::BAD_REQUEST
    );
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        let request = site
            .api(Method::POST, "")
            .header("content-type", kind)
            .body(mail("1001").to_string());
        let (status, _) = read(request.send().await.unwrap()).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let request = site
        .api(Method::POST, "")
        .header("content-type", "Application/JSON; charset=utf-8")
        .body(mail("1001").to_string());
    assert_eq!(
        read(request.send().await.unwrap()).await.0,
        StatusCode::CREATED
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_megabytes_and_no_more() {
    let site = Home::sqlite().await.web_kept().await;
    let most = 10 * 1024 * 1024;
    let mut large = mail("1001");
    large["body_text"] = json!("");
    let frame = large.to_string().len();
    for (size, right) in [
        (most, StatusCode::CREATED),
        (most + 1, StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        large["order_id"] = json!(format!("{:04}", size % 10_000));
        large["body_text"] = json!("x".repeat(size - frame));
        let body = large.to_string();
        assert_eq!(body.len(), size);
        let request = site.api(Method::POST, "").body(body.clone());
        let (status, problem) = read(request.send().await.unwrap()).await;
        assert_eq!(status, right, "{}", problem["detail"]);
    }
    // Much too long, and without a length: the answer still arrives.
    let megabyte = vec![b' '; 1024 * 1024];
    for (megabytes, encoding) in [
        (11, "content-length: 11534336"),
        (40, "content-length: 41943040"),
        (11, "transfer-encoding: chunked"),
        (40, "transfer-encoding: chunked"),
    ] {
        let head = format!(
            "POST /api/v1/submissions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n{encoding}\r\n\r\n",
            TOKEN
        );
        let mut pieces = vec![head.into_bytes()];
        for _ in 0..megabytes {
            if encoding.ends_with("chunked") {
                pieces.push(b"100000\r\n".to_vec());
            }
            pieces.push(megabyte.clone());
            if encoding.ends_with("chunked") {
                pieces.push(b"\r\n".to_vec());
            }
        }
        pieces.push(b"0\r\n\r\n".to_vec());
        let answer = site.raw(pieces).await;
        assert!(
            answer.starts_with("HTTP/1.1 413 "),
            "{megabytes} {encoding}: {answer:?}"
        );
        assert!(answer.contains("application/problem+json"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_with_the_token() {
    let mut home = Home::sqlite().await;
    let paths = [
        (Method::POST, "/api/v1/submissions"),
        (Method::GET, "/api/v1/submissions"),
        (Method::GET, "/api/v1/submissions/1"),
        (Method::POST, "/api/v1/submissions/1/resend"),
        (Method::GET, "/api/v1/nothing"),
    ];
    for set in [true, false] {
        if !set {
            home.unset("API_TOKEN");
        }
        let site = home.web().await;
        for (method, path) in &paths {
            for given in [
                None,
                Some("Bearer wrong"),
                Some("Bearer"),
                Some("Bearer "),
                Some("Basic dG9rZW4="),
                Some(TOKEN),
            ] {
                let mut request = site.ask(method.clone(), path).json(&mail("1001"));
                if let Some(given) = given {
                    request = request.header("authorization", given);
                }
                let answer = request.send().await.unwrap();
                assert_eq!(header(&answer, "www-authenticate"), "Bearer");
                let (status, problem) = read(answer).await;
                assert_eq!(status, StatusCode::UNAUTHORIZED, "{path} {given:?}");
                assert!(!problem.to_string().contains(TOKEN));
            }
        }
        // A session is no token either, and a right token is none where none is set.
        let (status, _) = site.list("").await;
        let right = if set {
            StatusCode::OK
        } else {
            StatusCode::UNAUTHORIZED
        };
        assert_eq!(status, right);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_there_is_not_is_said_as_a_problem() {
    let site = Home::sqlite().await.web_kept().await;
    for path in [
        "",
        "/",
        "/v1",
        "/v1/",
        "/v1/submissions/",
        "/v1/submissions/1/x",
        "/v2/submissions",
    ] {
        let request = site.get(&format!("/api{path}")).bearer_auth(TOKEN);
        let (status, _) = read(request.send().await.unwrap()).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
    for (method, path, allowed) in [
        (Method::PUT, "", "POST"),
        (Method::DELETE, "/1", "GET"),
        (Method::GET, "/1/resend", "POST"),
    ] {
        let answer = site.api(method, path).send().await.unwrap();
        assert!(header(&answer, "allow").contains(allowed), "{path}");
        let (status, _) = read(answer).await;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
}

/// Whoever is refused before anybody read their mail hears of it, and not of a broken connection.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_heard_over_a_large_body() {
    let site = Home::sqlite().await.web_kept().await;
    let body = "x".repeat(8 * 1024 * 1024);
    let post = |path: &str| site.ask(Method::POST, path).body(body.clone());
    let mails = "/api/v1/submissions";
    for (what, request, status) in [
        ("no token", post(mails), StatusCode::UNAUTHORIZED),
        (
            "another type",
            post(mails)
                .bearer_auth(TOKEN)
                .header("content-type", "text/plain"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ),
        (
            "no such mail",
            post(&format!("{mails}/none/resend")).bearer_auth(TOKEN),
            StatusCode::NOT_FOUND,
        ),
        (
            "nothing there",
            post("/api/v2").bearer_auth(TOKEN),
            StatusCode::NOT_FOUND,
        ),
        (
            "another method",
            site.ask(Method::PUT, mails).body(body.clone()),
            StatusCode::METHOD_NOT_ALLOWED,
        ),
        ("health", post("/healthz"), StatusCode::METHOD_NOT_ALLOWED),
        (
            "a file",
            post("/robots.txt"),
            StatusCode::METHOD_NOT_ALLOWED,
        ),
        ("no service", post("/webhooks/none"), StatusCode::NOT_FOUND),
    ] {
        let answer = request.send().await;
        let answer = answer.unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(answer.status(), status, "{what}");
    }
}
