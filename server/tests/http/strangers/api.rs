//! What programs send.

use super::draws::{Draws, json_value, odd};
use super::{Drawn, all_survive, goes_on};
use crate::run::Home;
use crate::site::Site;
use reqwest::Method;
use serde_json::{Value, json};

const ROUNDS: usize = 40;

const JSON: &str = "application/json";

fn mail() -> Value {
    json!({
        "order_id": "1", "kind": "k", "occasion": "", "recipient": "a@example.com", "subject": "s",
        "body_text": "b", "body_html": "<p>b", "reply_to": "b@example.com",
        "sender": "c@example.com", "not_before": "2026-11-30T00:00:00Z",
    })
}

fn act() -> Value {
    json!({
        "version": 1, "attempt": 0, "copy": 1, "recipient": "a@example.com", "reason": "r",
        "request_id": "1",
    })
}

pub async fn no_stranger_breaks_the_api(mut home: Home) {
    // Where nobody listens.
    home.send_through("http://127.0.0.1:9");
    let site = home.web().await;
    site.enqueue("order-of-before").await;
    let draws = &mut Draws::new();
    for _ in 0..ROUNDS {
        all_survive(&site, round(&site, draws)).await;
    }
    goes_on(&home, &site).await;
}

fn round(site: &Site, draws: &mut Draws) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    let id = if draws.in_(4) {
        draws.one(&odd(300))
    } else {
        draws.one(&(1..20i64)).to_string()
    };
    let of_mail = draws.changed(mail());
    let of_act = draws.changed(act());
    let whatever = draws.one(&json_value());
    for (path, value) in [
        ("", &of_mail),
        ("", &whatever),
        (&*format!("/{id}/resend"), &of_act),
        (&*format!("/{id}/copies"), &of_act),
        (&*format!("/{id}/resend"), &whatever),
    ] {
        let body = draws.written(value);
        let kind = if draws.in_(8) {
            draws.one(&"[ -~]{0,40}")
        } else {
            JSON.to_owned()
        };
        let request = site
            .api(Method::POST, path)
            .header("content-type", kind)
            .body(body.clone());
        drawn.push((
            format!("{path} {}", String::from_utf8_lossy(&body)),
            request,
        ));
    }
    let query = draws.query_of(&["order_id", "kind", "status", "cursor", "limit"]);
    let method = draws.of(&[Method::GET, Method::HEAD, Method::PUT, Method::DELETE]);
    for path in [
        format!("?{query}"),
        format!("/{id}"),
        format!("/{id}?{query}"),
    ] {
        drawn.push((path.clone(), site.api(Method::GET, &path)));
        drawn.push((format!("{method} {path}"), site.api(method.clone(), &path)));
    }
    let scheme = draws.of(&["", "Bearer ", "bearer", "Basic "]);
    let token = format!("{scheme}{}", draws.one(&"[ -~]{0,200}"));
    let request = site
        .get(&format!("/api/v1/submissions?{query}"))
        .header("authorization", &token);
    drawn.push((token, request));
    let path = format!("/api/{}", draws.one(&odd(300)));
    drawn.push((path.clone(), site.ask(method, &path)));
    drawn
}
