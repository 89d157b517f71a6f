//! The settings' pages: who may see them, what they never show, and tokens of the API.

use crate::common::RunningSandbox;
use crate::run::{Home, eventually, on_both};
use crate::signer::Signer;
use crate::site::{Site, With, header, mail, read};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse";

on_both!(
    the_settings_are_for_administrators,
    the_state_is_told_and_no_secret,
    a_token_does_what_it_may_and_no_more,
    a_token_is_shown_once_and_needs_no_script,
);

async fn signed_in(home: &Home, site: &Site, name: &str, role: &str) -> String {
    home.add_user(name, role, PASSWORD);
    site.sign_in(name, PASSWORD).await
}

async fn ask(
    site: &Site,
    session: &str,
    act: &str,
    fields: &[(&str, &str)],
) -> (StatusCode, Value) {
    let answer = site.act(session, act, fields).await;
    let status = answer.status();
    let text = answer.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::Null))
}

async fn the_settings_are_for_administrators(home: Home) {
    let site = home.web().await;
    for role in ["support", "lead", "admin"] {
        let session = signed_in(&home, &site, role, role).await;
        let admin = role == "admin";
        for (act, fields) in [
            ("settings", &[][..]),
            ("tokens", &[]),
            ("make_token", &[("name", role), ("scope", "read")]),
            ("end_token", &[("id", "1"), ("reason", "x")]),
        ] {
            let (status, _) = ask(&site, &session, act, fields).await;
            let right = if admin {
                StatusCode::OK
            } else {
                StatusCode::FORBIDDEN
            };
            assert_eq!(status, right, "{role} {act}");
        }
        for path in ["/settings", "/settings/tokens"] {
            let page = site.get(path).header("accept", "text/html").with(&session);
            let answer = page.send().await.unwrap();
            let right = if admin {
                StatusCode::OK
            } else {
                StatusCode::FORBIDDEN
            };
            assert_eq!(answer.status(), right, "{role} {path}");
            let text = answer.text().await.unwrap();
            assert_eq!(
                text.contains("DENPYO_LEASE"),
                admin && path == "/settings",
                "{role}"
            );
            assert_eq!(
                text.contains("href=\"/settings\""),
                admin,
                "{role} sees no way there"
            );
        }
    }
    assert_eq!(home.db.number("SELECT COUNT(*) FROM api_tokens").await, 1);
}

async fn the_state_is_told_and_no_secret(mut home: Home) {
    let (signer, service) = (Signer::new(), RunningSandbox::start().await);
    home.send_through(&service.url)
        .set("WEBHOOK_KEY", signer.key())
        .set(
            "ALERT_SLACK_URL",
            "http://127.0.0.1:1/services/slack-secret",
        )
        .set("INSTALLATION", "shop-1");
    let site = home.serve().await;
    let session = signed_in(&home, &site, "sato", "admin").await;
    let id = site.enqueue("1001").await;
    site.row_in(id, "synced").await;
    eventually("the process's first heartbeat", async || {
        (home.db.number("SELECT COUNT(*) FROM workers").await == 1).then_some(())
    })
    .await;
    let (status, page) = ask(&site, &session, "settings", &[]).await;
    assert_eq!(status, StatusCode::OK);
    let text = page.to_string();
    for secret in [
        crate::run::TOKEN,
        "SG.key-of-the-tests",
        signer.key().as_str(),
        "slack-secret",
    ] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_eq!(page["installation"]["name"], "shop-1");
    assert_eq!(page["installation"]["postgres"], home.db.is_postgres());
    assert_eq!(page["installation"]["mails"], json!({"Exact": 1}));
    assert!(
        page["installation"]["size"].as_i64().unwrap() > 10_000,
        "{page}"
    );
    assert_eq!(page["processes"][0]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(page["services"][0]["name"], "SendGrid");
    assert_eq!(page["services"][0]["paused"], Value::Null);
    assert_eq!(page["last_accepted"][1], "sendgrid");
    assert_eq!(page["alerts"]["slack"], true);
    assert_eq!(page["alerts"]["url"], false);
    let of = |name: &str| {
        let all = page["settings"].as_array().unwrap();
        all.iter().find(|s| s["name"] == name).unwrap().clone()
    };
    assert_eq!(of("DENPYO_API_TOKEN")["value"], "Secret");
    assert_eq!(of("DENPYO_LEASE")["source"], "default");
    assert_eq!(of("DENPYO_FROM")["source"], "environment");
    assert_eq!(of("DENPYO_BASE_URL")["value"]["Text"], site.address);

    // What the service tells, and what is refused of it.
    assert_eq!(page["webhook"]["state"], "on");
    assert_eq!(page["webhook"]["posts"]["taken"], 0);
    let row = site.row(id).await;
    let body = json!([{
        "email": "a@example.com", "event": "delivered", "timestamp": 1_767_000_000,
        "sg_event_id": "e", "sg_message_id": "m.recvd-1", "ref": row["ref"], "attempt": "1",
    }])
    .to_string();
    for good in [true, false] {
        let mut request = site.ask(Method::POST, "/webhooks/sendgrid");
        for (name, value) in signer.headers(body.as_bytes(), 0) {
            request = request.header(name, value);
        }
        let body = if good {
            body.clone()
        } else {
            format!("{body} ")
        };
        let (status, _) = read(request.body(body).send().await.unwrap()).await;
        assert_eq!(status == StatusCode::OK, good);
    }
    let (_, page) = ask(&site, &session, "settings", &[]).await;
    let webhook = &page["webhook"];
    assert_eq!(
        (&webhook["posts"]["taken"], &webhook["posts"]["events"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(webhook["posts"]["refused"], 1);
    assert_eq!(webhook["posts"]["refusal"][1], "signature");
    assert_eq!(webhook["last_event"][1], "event_delivered");
}

/// Makes a token; the token itself, as the next notice tells it.
async fn make(site: &Site, session: &str, name: &str, scope: &str) -> String {
    let fields = [("name", name), ("scope", scope)];
    let (status, _) = ask(site, session, "make_token", &fields).await;
    assert_eq!(status, StatusCode::OK);
    let (_, notice) = ask(site, session, "notice", &[]).await;
    let token = notice["Token"]["secret"].as_str().expect("the token");
    token.to_owned()
}

async fn a_token_does_what_it_may_and_no_more(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url).unset("API_TOKEN");
    let site = home.serve().await;
    let session = signed_in(&home, &site, "sato", "admin").await;
    let reads = make(&site, &session, "monitor", "read").await;
    let writes = make(&site, &session, "受注 システム", "write").await;
    let call = async |token: &str, method: Method, path: &str, body: Option<Value>| {
        let mut request = site
            .ask(method, &format!("/api/v1/submissions{path}"))
            .bearer_auth(token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        read(request.send().await.unwrap()).await
    };
    let (status, _) = call(&reads, Method::POST, "", Some(mail("1001"))).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, row) = call(&writes, Method::POST, "", Some(mail("1001"))).await;
    assert_eq!(status, StatusCode::CREATED);
    let id = row["id"].as_i64().unwrap();
    for token in [&reads, &writes] {
        assert_eq!(call(token, Method::GET, "", None).await.0, StatusCode::OK);
        let path = format!("/{id}");
        assert_eq!(
            call(token, Method::GET, &path, None).await.0,
            StatusCode::OK
        );
    }
    eventually("it is sent", async || {
        let (_, row) = call(&reads, Method::GET, &format!("/{id}"), None).await;
        (row["status"] == "synced").then_some(())
    })
    .await;
    let copies = format!("/{id}/copies");
    let copy = json!({"copy": 1, "reason": "asked for"});
    for path in [&copies, &format!("/{id}/resend")] {
        let (status, _) = call(&reads, Method::POST, path, Some(copy.clone())).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
    }
    let (status, _) = call(&writes, Method::POST, &copies, Some(copy)).await;
    assert_eq!(status, StatusCode::CREATED);
    let actor = "SELECT actor FROM audit_events WHERE act = 'copy'";
    assert_eq!(
        home.db.text_of(actor).await.as_deref(),
        Some("api 受注 システム")
    );

    // A reason is needed; ended, it is refused by the very next request.
    let fields = [("id", "2"), ("reason", " ")];
    ask(&site, &session, "end_token", &fields).await;
    let (_, notice) = ask(&site, &session, "notice", &[]).await;
    assert_eq!(notice["Token"]["what"], "reason_missing");
    assert_eq!(call(&writes, Method::GET, "", None).await.0, StatusCode::OK);
    ask(
        &site,
        &session,
        "end_token",
        &[("id", "2"), ("reason", "x")],
    )
    .await;
    let (status, problem) = call(&writes, Method::GET, "", None).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(!problem.to_string().contains(&writes), "{problem}");
    assert_eq!(call(&reads, Method::GET, "", None).await.0, StatusCode::OK);
    // Tokens are in no log.
    let log = site.program.log();
    assert!(!log.contains(&writes) && !log.contains(&reads), "{log}");
}

async fn a_token_is_shown_once_and_needs_no_script(home: Home) {
    let site = home.web().await;
    let session = signed_in(&home, &site, "sato", "admin").await;
    let other = signed_in(&home, &site, "suzuki", "admin").await;
    let form = site
        .form("/_desk/make_token", &[("name", "shop"), ("scope", "write")])
        .header("referer", format!("{}/settings/tokens", site.address))
        .with(&session);
    let answer = form.send().await.unwrap();
    assert!(answer.status().is_redirection());
    let to = header(&answer, "location").trim_end_matches('?').to_owned();
    assert!(
        !to.contains("denpyo_") && to.ends_with("/settings/tokens"),
        "{to}"
    );
    let page = async |session: &str| {
        let page = site.get("/settings/tokens").header("accept", "text/html");
        let answer = page.with(session).send().await.unwrap();
        assert_eq!(header(&answer, "cache-control"), "no-store");
        answer.text().await.unwrap()
    };
    let token = |text: &str| {
        let at = text.find("<code>denpyo_")?;
        Some(text[at + 6..at + 56].to_owned())
    };
    assert_eq!(token(&page(&other).await), None, "only who made it sees it");
    let shown = token(&page(&session).await).expect("shown");
    assert_eq!(token(&page(&session).await), None, "once");
    let asked = site.get("/api/v1/submissions").bearer_auth(&shown);
    assert_eq!(asked.send().await.unwrap().status(), StatusCode::OK);
    // Neither the token nor anything that it could be had from is kept.
    let dump = if home.db.is_postgres() {
        "SELECT string_agg(t::text, ' ') FROM denpyo.api_tokens t"
    } else {
        "SELECT group_concat(name || hash || scope || created_by, ' ') FROM api_tokens"
    };
    let kept = home.db.text_of(dump).await.unwrap();
    assert!(
        kept.contains("shop") && !kept.contains(&shown[7..]),
        "{kept}"
    );
    // The same name again is refused, and no token comes of it.
    let fields = [("name", "shop"), ("scope", "read")];
    ask(&site, &session, "make_token", &fields).await;
    let (_, notice) = ask(&site, &session, "notice", &[]).await;
    assert_eq!(notice["Token"]["what"], "name_taken");
    assert_eq!(notice["Token"]["secret"], Value::Null);
}
