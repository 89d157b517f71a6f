//! What comes to the desk, from people of every role and from nobody.

use super::draws::{Draws, odd, text};
use super::{Drawn, all_survive, goes_on, survives};
use crate::acts::ACTS;
use crate::common::RunningSandbox;
use crate::oidc::issuer::Issuer;
use crate::run::Home;
use crate::security::PAGES;
use crate::site::{Site, With, header, session_of};
use denpyo::sandbox::Faults;
use futures_util::poll;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;
use std::pin::pin;

const ROUNDS: usize = 28;

const PASSWORD: &str = "correct horse";

/// Addresses beside the pages; `*` is whatever was drawn.
const FILES: [&str; 16] = [
    "/submissions/1/body",
    "/exports/submissions.csv",
    "/exports/submissions.xlsx",
    "/exports/report.csv",
    "/exports/report.xlsx",
    "/session/oidc",
    "/session/oidc/callback",
    "/submissions/*",
    "/submissions/*/body",
    "/bulk/*",
    "/settings/users/*",
    "/webhooks/*",
    "/_desk/*",
    "/exports/*",
    "/pkg/*",
    "/*",
];

const HEADERS: [&str; 6] = [
    "accept-language",
    "accept-encoding",
    "if-none-match",
    "referer",
    "content-type",
    "cookie",
];

/// Sessions of nobody, and of somebody of each role. What was drawn may have ended a sign-in, or
/// disabled whose it was: then there is somebody new.
struct Callers {
    sessions: [(&'static str, String); 4],
    made: usize,
}

impl Callers {
    fn new() -> Callers {
        Callers {
            sessions: ["", "support", "lead", "admin"].map(|role| (role, String::new())),
            made: 0,
        }
    }

    /// One of them; every other time the one who may do most.
    fn one(&self, draws: &mut Draws) -> (&'static str, String) {
        let admin = self.sessions[3].clone();
        if draws.in_(2) {
            admin
        } else {
            draws.of(&self.sessions)
        }
    }

    async fn renew(&mut self, home: &Home, site: &Site) {
        for (role, session) in &mut self.sessions[1..] {
            let frame = site.script("frame", &[]).with(session);
            let answer = frame.send().await.unwrap();
            if answer.status() == StatusCode::OK {
                let frame: Value = answer.json().await.unwrap();
                if frame["me"]["role"] == *role {
                    continue;
                }
            }
            self.made += 1;
            let name = format!("{role}{}", self.made);
            home.add_user(&name, role, PASSWORD);
            *session = site.sign_in(&name, PASSWORD).await;
        }
    }
}

pub async fn no_stranger_breaks_the_desk(mut home: Home) {
    let faults = Faults {
        refuse_400: 0.5,
        accept_then_500: 0.2,
        ..Faults::default()
    };
    let service = RunningSandbox::with(faults).await;
    let issuer = Issuer::start().await;
    issuer.set(&mut home);
    home.send_through(&service.url);
    let site = home.serve().await;
    let draws = &mut Draws::new();
    let mut callers = Callers::new();
    for round in 0..ROUNDS {
        site.enqueue(&format!("order-of-before-{round}")).await;
        callers.renew(&home, &site).await;
        let rows = Rows::read(&site, &callers).await;
        let mut drawn = acts(&site, draws, &callers, &rows);
        drawn.extend(pages(&site, draws, &callers));
        for _ in 0..3 {
            drawn.extend(sign_in(&site, draws));
        }
        all_survive(&site, drawn).await;
        for (_, request) in acts(&site, draws, &callers, &rows) {
            hang_up(request, draws.one(&(0..400usize))).await;
        }
        come_back(&site, draws).await;
        follow(&site, draws, &callers).await;
    }
    goes_on(&home, &site).await;
}

/// Mails and users as they are, so that some acts are about what is there.
struct Rows {
    mails: Vec<Value>,
    users: Vec<Value>,
}

impl Rows {
    async fn read(site: &Site, callers: &Callers) -> Rows {
        let mails = site.list("").await.1["items"].as_array().unwrap().clone();
        let users = site.script("users", &[]).with(&callers.sessions[3].1);
        let users: Value = users.send().await.unwrap().json().await.unwrap();
        let users = users["users"].as_array().unwrap().clone();
        Rows { mails, users }
    }
}

/// Goes away in the middle.
async fn hang_up(request: RequestBuilder, patience: usize) {
    let mut asking = pin!(request.send());
    for _ in 0..patience {
        if poll!(asking.as_mut()).is_ready() {
            break;
        }
        tokio::task::yield_now().await;
    }
}

fn acts(site: &Site, draws: &mut Draws, callers: &Callers, rows: &Rows) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    for (act, wanted) in ACTS {
        let row = match act {
            _ if draws.in_(4) => Value::Null,
            _ if act.starts_with("user") => draws.of(&rows.users),
            _ if act.contains("bulk") || act.contains("token") => Value::Null,
            _ => draws.of(&rows.mails),
        };
        let body = draws.form(wanted, &row);
        let (role, session) = callers.one(draws);
        let request = if draws.in_(2) {
            site.script(act, &[])
        } else {
            site.form(&format!("/_desk/{act}"), &[])
        };
        let what = format!("{act} of {role:?} {body}");
        drawn.push((what, request.with(&session).body(body)));
    }
    drawn
}

fn pages(site: &Site, draws: &mut Draws, callers: &Callers) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    for path in PAGES.into_iter().chain(FILES) {
        let path = path.replace('*', &draws.one(&odd(300)));
        let path = format!("{path}?{}", draws.query());
        let (role, session) = callers.one(draws);
        let method = draws.of(&[Method::GET, Method::GET, Method::HEAD, Method::POST]);
        let mut request = site.ask(method.clone(), &path).with(&session);
        if !draws.in_(4) {
            request = request.header("accept", "text/html");
        }
        if !draws.in_(4) {
            request = request.header("origin", &site.address);
        }
        let name = draws.of(&HEADERS);
        let value = draws.one(
            &"([ -~]{0,80}|denpyo=[ -~]{0,40}|denpyo_failed=[A-Za-z0-9_=-]{0,80}|lang=[a-z]{2}|theme=x)",
        );
        let what = format!("{method} {path} of {role:?} with {name}: {value}");
        drawn.push((what, request.header(name, value)));
    }
    drawn
}

fn sign_in(site: &Site, draws: &mut Draws) -> [Drawn; 2] {
    let fields = [("name", "sato"), ("password", "x"), ("next", "/stuck")];
    let body = draws.form(&fields, &Value::Null);
    let form = site.form("/session", &[]).body(body.clone());
    let bytes = draws.one(&text());
    let typed = draws.one(&"[ -~]{0,40}");
    let request = site.ask(Method::POST, "/session");
    let request = request
        .header("origin", &site.address)
        .header("content-type", typed)
        .body(bytes.clone());
    [(body, form), (bytes, request)]
}

/// Back from the provider, with what it never said.
async fn come_back(site: &Site, draws: &mut Draws) {
    let begun = site.get("/session/oidc").send().await.unwrap();
    let session = session_of(&begun).expect("a session to come back to");
    let to = url::Url::parse(header(&begun, "location")).unwrap();
    let state = to.query_pairs().find(|(name, _)| name == "state");
    let (_, state) = state.unwrap();
    let (code, query) = (draws.one(&odd(1000)), draws.query());
    let path = format!("/session/oidc/callback?state={state}&code={code}&{query}");
    survives(site, (path.clone(), site.get(&path).with(&session))).await;
}

/// Opens a stream of what changes, which has no end: its beginning is all there is to see.
async fn follow(site: &Site, draws: &mut Draws, callers: &Callers) {
    let (role, session) = callers.one(draws);
    let path = format!("/live?since={}&{}", draws.one(&odd(300)), draws.query());
    let request = site.get(&path).with(&session);
    let answer = request.send().await.unwrap();
    let status = answer.status();
    assert!(
        !status.is_server_error(),
        "{status} to {path:.500} of {role:?}"
    );
}
