//! A service of a test's own: takes one request after the other, keeps them, and answers each as
//! it is told.

#![allow(clippy::unwrap_used)]

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, Method};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Seen {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub struct StandIn {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl StandIn {
    /// One that answers everything so.
    pub async fn answering(status: u16, headers: &[(&str, &str)], body: &str) -> StandIn {
        let mut head = Response::builder().status(status);
        for (name, value) in headers {
            head = head.header(*name, *value);
        }
        let body = body.to_owned();
        let (parts, ()) = head.body(()).unwrap().into_parts();
        StandIn::new(move |_| Response::from_parts(parts.clone(), Body::from(body.clone()))).await
    }

    pub async fn new(
        answer: impl Fn(&Seen) -> Response + Clone + Send + Sync + 'static,
    ) -> StandIn {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let keep = Arc::clone(&seen);
        let service = axum::Router::new().fallback(move |request: Request| {
            let (keep, answer) = (Arc::clone(&keep), answer.clone());
            async move {
                let (parts, body) = request.into_parts();
                let seen = Seen {
                    method: parts.method,
                    path: parts.uri.to_string(),
                    headers: parts.headers,
                    body: axum::body::to_bytes(body, usize::MAX).await.unwrap(),
                };
                let answer = answer(&seen);
                keep.lock().unwrap().push(seen);
                answer
            }
        });
        tokio::spawn(async move { axum::serve(listener, service).await });
        StandIn { url, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}
