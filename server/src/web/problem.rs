//! Errors of the API, as `application/problem+json` (RFC 9457). What is internal stays in the log,
//! under the reference that the answer names.

use crate::db::DbError;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

/// An answer that says what went wrong.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    members: Map<String, Value>,
    retry_after: Option<u32>,
}

impl Problem {
    /// A problem of that status; `detail` is for people.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        let mut members = Map::new();
        members.insert(
            "title".into(),
            status.canonical_reason().unwrap_or("Error").into(),
        );
        members.insert("status".into(), status.as_u16().into());
        members.insert("detail".into(), detail.into().into());
        Problem {
            status,
            members,
            retry_after: None,
        }
    }

    /// With one more member.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// With the seconds after which to try again.
    pub fn retry_after(mut self, seconds: u32) -> Problem {
        self.retry_after = Some(seconds);
        self
    }

    /// 422, naming each bad field.
    pub fn fields(faults: &[(String, String)]) -> Problem {
        let names: Vec<&str> = faults.iter().map(|(field, _)| field.as_str()).collect();
        let errors: Vec<Value> = faults
            .iter()
            .map(|(field, message)| json!({"field": field, "message": message}))
            .collect();
        Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("cannot be taken as it is: {}", names.join(", ")),
        )
        .with("errors", errors)
    }

    /// 400, naming a parameter of the URL.
    pub fn parameter(name: &str, right: &str) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, format!("{name}: {right}")).with("parameter", name)
    }
}

impl From<DbError> for Problem {
    fn from(error: DbError) -> Problem {
        let reference = super::reference();
        tracing::error!(%reference, error = %error, "a request of the API failed");
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("the database does not answer; try again later (reference {reference})"),
        )
        .with("reference", reference.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Value::Object(self.members))).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// What a browser or a program sees of a fault in this program.
pub fn panicked() -> Response {
    let reference = super::reference();
    tracing::error!(%reference, "a handler panicked");
    Problem::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        format!("something went wrong (reference {reference})"),
    )
    .with("reference", reference.to_string())
    .into_response()
}
