//! Parameters and forms. The framework's own extractors tell whoever sends nonsense of fields and
//! types; these tell its status alone.

use axum::extract::{FromRequest, FromRequestParts, Request, rejection::FormRejection};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use serde::de::DeserializeOwned;

/// What stands behind an address's question mark.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Query<T>, StatusCode> {
        let read = axum::extract::Query::from_request_parts(parts, state).await;
        read.map(|axum::extract::Query(query)| Query(query))
            .map_err(|_| StatusCode::BAD_REQUEST)
    }
}

/// A form's fields.
#[derive(Debug)]
pub struct Form<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = StatusCode;

    async fn from_request(request: Request, state: &S) -> Result<Form<T>, StatusCode> {
        let read = axum::Form::from_request(request, state).await;
        read.map(|axum::Form(form)| Form(form))
            .map_err(|why: FormRejection| why.into_response().status())
    }
}
