//! Bodies up to a size. What nobody wants to read is read on for a while and thrown away: an answer
//! sent into a connection whose other side is still writing gets lost when that connection is closed.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use hyper::body::Frame;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

/// Forms of the desk are small.
const LARGEST_FORM: usize = 64 * 1024;
/// Most that is read on and thrown away.
const THROWN_AWAY: usize = 64 * 1024 * 1024;
/// Longest that this takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// More than may be.
    TooLarge,
    /// It broke off.
    Broken,
}

/// Reads a body of at most that many bytes.
pub async fn read(mut body: Body, most: usize) -> Result<Vec<u8>, BodyFault> {
    let mut kept = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyFault::Broken)?;
        let data = frame.into_data().unwrap_or_default();
        if kept.len() + data.len() > most {
            return Err(BodyFault::TooLarge);
        }
        kept.extend_from_slice(&data);
    }
    Ok(kept)
}

/// A body that comes back where it is dropped before its end.
struct Lent {
    body: Body,
    ended: bool,
    back: Arc<Mutex<Option<Body>>>,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        self.ended |= matches!(frame, Poll::Ready(None | Some(Err(_))));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.ended
            && let Ok(mut back) = self.back.lock()
        {
            *back = Some(std::mem::take(&mut self.body));
        }
    }
}

/// Answers once the other side has written its body, whether or not anybody read it: whoever is
/// refused for their token, or for the path, is to hear of it.
pub async fn hear_out(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let back = Arc::default();
    let request = request.map(|body| {
        let back = Arc::clone(&back);
        let ended = false;
        Body::new(Lent { body, ended, back })
    });
    let response = next.run(request).await;
    let rest = back.lock().ok().and_then(|mut back| back.take());
    if let Some(body) = rest {
        throw_away(body).await;
    }
    response
}

async fn throw_away(mut body: Body) {
    let mut thrown_away = 0;
    let reading = async {
        while let Some(Ok(frame)) = body.frame().await {
            thrown_away += frame.into_data().map_or(0, |data| data.len());
            if thrown_away > THROWN_AWAY {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(PATIENCE, reading).await;
}

/// Reads forms whole, so that what stands behind gets none that is too large.
pub async fn forms(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match read(body, LARGEST_FORM).await {
        Ok(bytes) => next.run(Request::from_parts(parts, bytes.into())).await,
        Err(BodyFault::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(BodyFault::Broken) => StatusCode::BAD_REQUEST.into_response(),
    }
}
