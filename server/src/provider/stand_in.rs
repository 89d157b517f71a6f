//! A service in memory, for the tests of those that speak HTTP.

#![allow(clippy::unwrap_used)]

use axum::body::Bytes;
use axum::extract::State;
use axum::response::IntoResponse;
use http::header::HeaderName;
use http::{HeaderMap, Method, StatusCode, Uri};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub fn path(&self) -> &str {
        self.uri.path()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The decoded pairs of the query.
    pub fn query(&self) -> Vec<(String, String)> {
        pairs(self.uri.query().unwrap_or_default())
    }
}

/// Decodes a query or form.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}

/// What a request is answered.
#[derive(Clone)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

/// Answers requests in their order, and keeps them. Where nothing is left to answer, the last
/// answer stands.
#[derive(Clone, Default)]
pub struct StandIn {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    requests: Arc<Mutex<Vec<Request>>>,
    /// Where it listens.
    pub url: String,
}

impl StandIn {
    pub async fn start() -> StandIn {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stand_in = StandIn {
            url: format!("http://{}", listener.local_addr().unwrap()),
            ..StandIn::default()
        };
        let app = axum::Router::new()
            .fallback(take)
            .with_state(stand_in.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        stand_in
    }

    /// One that answers everything so.
    pub async fn answering(status: u16, headers: &[(&str, &str)], body: &str) -> StandIn {
        let stand_in = StandIn::start().await;
        stand_in.answer_with(status, headers, body);
        stand_in
    }

    /// What the next request without an answer yet is answered.
    pub fn answer(&self, status: u16, body: impl Into<String>) -> &StandIn {
        self.answer_with(status, &[], body)
    }

    pub fn answer_with(
        &self,
        status: u16,
        headers: &[(&str, &str)],
        body: impl Into<String>,
    ) -> &StandIn {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let answer = Answer {
            status,
            headers: headers.iter().map(owned).collect(),
            body: body.into(),
        };
        self.answers.lock().unwrap().push_back(answer);
        self
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn take(
    State(stand_in): State<StandIn>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    stand_in.requests.lock().unwrap().push(Request {
        method,
        uri,
        headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    });
    let answer = {
        let mut answers = stand_in.answers.lock().unwrap();
        let last = answers.len() == 1;
        let next = if last {
            answers.front().cloned()
        } else {
            answers.pop_front()
        };
        next.unwrap()
    };
    let mut headers = HeaderMap::new();
    for (name, value) in answer.headers {
        let name: HeaderName = name.parse().unwrap();
        headers.insert(name, value.parse().unwrap());
    }
    (
        StatusCode::from_u16(answer.status).unwrap(),
        headers,
        answer.body,
    )
}
