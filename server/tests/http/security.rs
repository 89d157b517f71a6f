//! What every answer carries, and what another site may do: nothing.

use crate::acts::ACTS;
use crate::run::{Home, TOKEN};
use crate::site::{With, encoded, header};
use reqwest::{Method, StatusCode};

/// Pages, by address; an id is 1.
pub const PAGES: [&str; 17] = [
    "/login",
    "/",
    "/submissions",
    "/submissions/errors",
    "/submissions/1",
    "/stuck",
    "/reports",
    "/help",
    "/account",
    "/settings/users",
    "/settings/users/1",
    "/settings/audit",
    "/bulk",
    "/bulk/new",
    "/bulk/1",
    "/settings",
    "/settings/tokens",
];

#[tokio::test]
async fn every_page_is_named_here() {
    let mut there: Vec<String> = leptos_axum::generate_route_list(app::App)
        .iter()
        .map(|route| route.path().replace("{id}", "1"))
        .filter(|path| path != app::LOST)
        .collect();
    let mut named = PAGES;
    there.sort();
    named.sort_unstable();
    assert_eq!(there, named, "pages that nothing here is tried on");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_kept_and_nothing_framed() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("admin").await;
    site.enqueue("1001").await;
    let mut paths = PAGES.to_vec();
    paths.extend([
        "/submissions/1/body",
        "/submissions/2/body",
        "/nothing",
        "/pkg/nothing",
        "/api/v1/submissions",
        "/api/v1/submissions/1",
        "/api/v1/nothing",
        "/healthz",
        "/metrics",
        "/_desk/frame",
    ]);
    for path in paths {
        for cookie in ["", session.as_str()] {
            let answer = site
                .get(path)
                .bearer_auth(TOKEN)
                .header("accept", "text/html")
                .with(cookie)
                .send()
                .await
                .unwrap();
            let at = format!("{path} {cookie:?} {}", answer.status());
            assert!(answer.status().as_u16() < 500, "{at}");
            let policy = header(&answer, "content-security-policy");
            assert!(policy.contains("default-src 'none'"), "{at}: {policy}");
            assert!(policy.contains("frame-ancestors"), "{at}: {policy}");
            assert!(!policy.contains("'unsafe-eval'"), "{at}: {policy}");
            for (name, value) in [
                ("cache-control", "no-store"),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "same-origin"),
                ("x-frame-options", "SAMEORIGIN"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
            ] {
                assert_eq!(header(&answer, name), value, "{name} of {at}");
            }
            assert!(!header(&answer, "permissions-policy").is_empty(), "{at}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_has_a_nonce_of_its_own() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("support").await;
    let mut nonces = Vec::new();
    for _ in 0..3 {
        let answer = site.get("/").with(&session).send().await.unwrap();
        let policy = header(&answer, "content-security-policy").to_owned();
        let (_, rest) = policy.split_once("'nonce-").expect(&policy);
        nonces.push(rest.split('\'').next().unwrap().to_owned());
        let script = policy
            .split(';')
            .find(|p| p.trim().starts_with("script-src"));
        assert!(!script.unwrap().contains("unsafe-inline"), "{policy}");
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 3);
    assert!(nonces.iter().all(|nonce| nonce.len() >= 16));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_site_changes_nothing() {
    let mut home = Home::sqlite().await;
    home.add_user("sato", "admin", "correct horse");
    let base = "https://denpyo.shop.example";
    let site = home.web_behind(base).await;
    let session = site.sign_in("sato", "correct horse").await;
    let elsewhere: [&[(&str, &str)]; 6] = [
        &[],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site"), ("origin", base)],
        &[("sec-fetch-site", "same-site"), ("origin", base)],
        &[("sec-fetch-site", "none")],
    ];
    let mut forms: Vec<(String, String)> = ACTS
        .iter()
        .map(|(name, fields)| (format!("/_desk/{name}"), encoded(fields)))
        .collect();
    forms.push(("/session".into(), "name=sato&password=correct+horse".into()));
    forms.push(("/session/end".into(), String::new()));
    forms.push(("/".into(), String::new()));
    for headers in elsewhere {
        for (path, body) in &forms {
            for accept in ["text/html", "application/json"] {
                let mut request = site
                    .ask(Method::POST, path)
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("accept", accept)
                    .with(&session)
                    .body(body.clone());
                for (name, value) in headers {
                    request = request.header(*name, *value);
                }
                let answer = request.send().await.unwrap();
                assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} {headers:?}");
                assert_eq!(header(&answer, "set-cookie"), "", "{path}");
            }
        }
    }
    // The session is as it was: nobody was signed out.
    let home_page = site.get("/").header("accept", "text/html").with(&session);
    let answer = home_page.send().await.unwrap();
    assert_ne!(header(&answer, "location"), "/login");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_refused_without_the_frameworks_words() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("support").await;
    let twice = [("name", "a"), ("name", "b")];
    for (what, request) in [
        ("twice", site.form("/session", &twice)),
        (
            "another type",
            site.ask(Method::POST, "/session")
                .header("origin", &site.address)
                .header("content-type", "text/plain")
                .body("name=a"),
        ),
        ("a stream", site.get("/live?since=1&since=2").with(&session)),
        ("the way out", site.get("/session/oidc?next=1&next=2")),
        (
            "the way back",
            site.get("/session/oidc/callback?code=1&code=2"),
        ),
    ] {
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_client_error(), "{what}");
        assert_eq!(answer.text().await.unwrap(), "", "{what}");
    }
}
