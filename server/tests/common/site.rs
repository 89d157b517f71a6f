//! A site that is running, asked over HTTP as programs and browsers do.

#![allow(dead_code)] // no test file uses all of it

use crate::run::{Home, PATIENCE, Program, TOKEN, eventually};
use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Everybody's who is added here.
pub const PASSWORD: &str = "correct horse";

pub struct Site {
    pub program: Program,
    pub address: String,
    pub client: Client,
    pub home: Option<Home>,
}

pub fn client() -> Client {
    denpyo::provider::http::tls();
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .unwrap()
}

impl Home {
    /// Web and worker.
    pub async fn serve(&self) -> Site {
        Site::of(self.start(["serve"])).await
    }

    /// Web alone.
    pub async fn web(&self) -> Site {
        Site::of(self.start(["serve", "--no-worker"])).await
    }

    /// Web alone, and `sato` of this role, who is signed in there.
    pub async fn desk(&self, role: &str) -> (Site, String) {
        self.add_user("sato", role, PASSWORD);
        let site = self.web().await;
        let session = site.sign_in("sato", PASSWORD).await;
        (site, session)
    }

    /// Web alone, where people reach it under another address.
    pub async fn web_behind(&mut self, base_url: &str) -> Site {
        let port = self.port();
        self.set("LISTEN", format!("127.0.0.1:{port}"))
            .set("BASE_URL", base_url);
        let mut site = self.web().await;
        assert_eq!(site.address, base_url);
        site.address = format!("http://127.0.0.1:{port}");
        site
    }

    /// The same; the site keeps its home.
    pub async fn web_kept(self) -> Site {
        let mut site = self.web().await;
        site.home = Some(self);
        site
    }
}

impl Site {
    pub async fn of(mut program: Program) -> Site {
        let address = program.says("Denpyo is at ").await;
        Site {
            program,
            address,
            client: client(),
            home: None,
        }
    }

    /// Writes these bytes as far as they are taken; returns what comes back until the other side
    /// ends or says nothing more.
    pub async fn raw(&self, pieces: Vec<Vec<u8>>) -> String {
        let host = self.address.strip_prefix("http://").unwrap();
        let stream = tokio::net::TcpStream::connect(host).await.unwrap();
        let (mut from, mut to) = stream.into_split();
        let writer = tokio::spawn(async move {
            for piece in pieces {
                if to.write_all(&piece).await.is_err() {
                    break;
                }
            }
            to
        });
        let mut read = Vec::new();
        let mut chunk = [0; 4096];
        let reading = async {
            while let Ok(n @ 1..) = from.read(&mut chunk).await {
                read.extend_from_slice(&chunk[..n]);
                // Every answer here fits into one piece.
                if read.windows(4).any(|w| w == b"\r\n\r\n") {
                    break;
                }
            }
        };
        let timely = tokio::time::timeout(PATIENCE, reading).await;
        assert!(timely.is_ok(), "no answer");
        writer.abort();
        String::from_utf8_lossy(&read).into_owned()
    }

    pub fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.address))
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.ask(Method::GET, path)
    }

    /// A form of the site's own pages.
    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        self.ask(Method::POST, path)
            .header("origin", &self.address)
            .header("accept", "text/html")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(fields))
    }

    /// A script's call of a server function.
    pub fn script(&self, name: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        self.ask(Method::POST, &format!("/_desk/{name}"))
            .header("sec-fetch-site", "same-origin")
            .header("accept", "application/json")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(fields))
    }

    /// An act of the desk, by somebody's script.
    pub async fn act(&self, session: &str, name: &str, fields: &[(&str, &str)]) -> Response {
        let request = self.script(name, fields).with(session);
        request.send().await.unwrap()
    }

    /// Freezes a list of mails to be resent; returns where its page is.
    pub async fn bulk_prepared(&self, session: &str, query: &str) -> String {
        let form = self.form("/_desk/bulk_prepare", &[("query", query)]);
        let answer = form.with(session).send().await.unwrap();
        assert!(answer.status().is_redirection(), "{}", answer.status());
        header(&answer, LOCATION.as_str()).to_owned()
    }

    pub fn api(&self, method: Method, path: &str) -> RequestBuilder {
        self.ask(method, &format!("/api/v1/submissions{path}"))
            .bearer_auth(TOKEN)
    }

    pub async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = self.api(Method::POST, path).json(body);
        read(request.send().await.unwrap()).await
    }

    pub async fn list(&self, query: &str) -> (StatusCode, Value) {
        let request = self.api(Method::GET, query);
        read(request.send().await.unwrap()).await
    }

    /// Hands a mail over; returns its id.
    pub async fn enqueue(&self, order: &str) -> i64 {
        let (status, row) = self.post("", &mail(order)).await;
        assert_eq!(status, StatusCode::CREATED, "{row}");
        row["id"].as_i64().unwrap()
    }

    pub async fn row(&self, id: i64) -> Value {
        let request = self.api(Method::GET, &format!("/{id}"));
        let (status, row) = read(request.send().await.unwrap()).await;
        assert_eq!(status, StatusCode::OK, "{row}");
        row
    }

    /// The row without what is judged anew at each reading.
    pub async fn stored(&self, id: i64) -> Value {
        let mut row = self.row(id).await;
        if let Value::Object(members) = &mut row {
            members.remove("verdict");
        }
        row
    }

    /// The row once it fits.
    pub async fn row_when(&self, id: i64, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        eventually(&format!("{what} of {id}"), async || {
            last = self.row(id).await;
            fits(&last).then(|| last.clone())
        })
        .await
    }

    pub async fn row_in(&self, id: i64, status: &str) -> Value {
        self.row_when(id, status, |row| row["status"] == status)
            .await
    }

    /// Sends the sign-in form.
    pub async fn try_sign_in(&self, name: &str, password: &str) -> Response {
        let fields = [("name", name), ("password", password)];
        self.form("/session", &fields).send().await.unwrap()
    }

    /// Signs in; returns what the browser's cookie header would say.
    pub async fn sign_in(&self, name: &str, password: &str) -> String {
        let answer = self.try_sign_in(name, password).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(header(&answer, LOCATION.as_str()), "/");
        session_of(&answer).expect("a session")
    }
}

/// `denpyo=…`, where an answer sets it.
pub fn session_of(answer: &Response) -> Option<String> {
    let cookies = answer.headers().get_all(SET_COOKIE);
    let mut cookies = cookies.iter().map(|c| c.to_str().unwrap());
    let cookie = cookies.find(|c| c.starts_with("denpyo="))?;
    Some(cookie.split(';').next().unwrap_or_default().to_owned())
}

/// With a session's cookie.
pub trait With {
    fn with(self, session: &str) -> Self;
}

impl With for RequestBuilder {
    fn with(self, session: &str) -> RequestBuilder {
        self.header(COOKIE, session)
    }
}

pub fn mail(order: &str) -> Value {
    json!({
        "order_id": order,
        "kind": "order_confirmation",
        "recipient": format!("{order}@example.com"),
        "subject": "ご注文ありがとうございます",
        "body_text": "またのご利用をお待ちしております。",
    })
}

pub fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    let value = answer.headers().get(name);
    value.map_or("", |v| v.to_str().unwrap())
}

/// Status and JSON. An error is a problem of the standard's shape, and tells nothing internal.
pub async fn read(answer: Response) -> (StatusCode, Value) {
    let status = answer.status();
    let kind = header(&answer, "content-type").to_owned();
    assert_eq!(header(&answer, "cache-control"), "no-store");
    let text = answer.text().await.unwrap();
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status} {text:?}"));
    if status.is_success() {
        assert_eq!(kind, "application/json");
    } else {
        assert_eq!(kind, "application/problem+json", "{status} {text}");
        assert_eq!(value["status"], status.as_u16(), "{text}");
        assert!(
            value["title"].is_string() && value["detail"].is_string(),
            "{text}"
        );
        for internal in [
            "SELECT",
            "sqlx",
            "serde",
            "src/",
            "email_submissions",
            "panicked",
        ] {
            assert!(!text.contains(internal), "{text}");
        }
    }
    (status, value)
}

pub fn encoded(fields: &[(&str, &str)]) -> String {
    let mut out = url::form_urlencoded::Serializer::new(String::new());
    out.extend_pairs(fields);
    out.finish()
}
