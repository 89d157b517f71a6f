//! What way a post comes, and what noise it may hold.

use super::{event, hooked};
use crate::run::Home;
use crate::site::read;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::{Bytes, Frame};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use reqwest::{Body, StatusCode};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll};

fn packed(body: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(body).unwrap();
    gzip.finish().unwrap()
}

/// The signature covers the content, whatever way it came.
#[tokio::test(flavor = "multi_thread")]
async fn chunks_and_gzip_are_the_way_and_not_the_content() {
    let hooked = hooked(Home::sqlite().await).await;
    let (_, own) = hooked.mail("1001").await;
    let body = format!(
        "[{{\"event\":\"delivered\",\"timestamp\":1767000000.0,\"ref\":\"{own}\",\"attempt\":\"1\",\
         \"url\":\"https:\\/\\/example.jp\\/ご注文\"}},\r\n{{\"event\":\"open\",\"timestamp\":1767000001}}]\r\n"
    )
    .into_bytes();
    let with = |sent: Vec<u8>, coding: Option<&str>, chunked: bool| {
        let mut request = hooked.post();
        for (name, value) in hooked.signer.headers(&body, 0) {
            request = request.header(name, value);
        }
        if let Some(coding) = coding {
            request = request.header("content-encoding", coding);
        }
        let pieces = Pieces(sent.chunks(7).map(<[u8]>::to_vec).collect());
        let request = if chunked {
            request.body(Body::wrap(pieces))
        } else {
            request.body(sent)
        };
        async move { read(request.send().await.unwrap()).await.0 }
    };
    let gzipped = packed(&body);
    let half = body.len() / 2;
    let in_two = [packed(&body[..half]), packed(&body[half..])].concat();
    for chunked in [false, true] {
        assert_eq!(with(body.clone(), None, chunked).await, StatusCode::OK);
        assert_eq!(
            with(body.clone(), Some("identity"), chunked).await,
            StatusCode::OK
        );
        assert_eq!(
            with(gzipped.clone(), Some("gzip"), chunked).await,
            StatusCode::OK
        );
        assert_eq!(
            with(in_two.clone(), Some("GZIP"), chunked).await,
            StatusCode::OK
        );
        // One byte, the line end behind it, the line ends within.
        let mut other = body.clone();
        other[3] ^= 1;
        assert_eq!(with(other, None, chunked).await, StatusCode::UNAUTHORIZED);
        let trimmed = body.trim_ascii_end().to_vec();
        assert_eq!(
            with(packed(&trimmed), Some("gzip"), chunked).await,
            StatusCode::UNAUTHORIZED
        );
    }
    let cut = gzipped[..gzipped.len() - 9].to_vec();
    for (sent, coding, status) in [
        (body.clone(), "gzip", StatusCode::BAD_REQUEST),
        (cut, "gzip", StatusCode::BAD_REQUEST),
        (Vec::new(), "gzip", StatusCode::BAD_REQUEST),
        (body.clone(), "br", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (
            packed(&vec![b' '; 11 << 20]),
            "gzip",
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
        (
            vec![b' '; 11 << 20],
            "identity",
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
    ] {
        assert_eq!(with(sent, Some(coding), false).await, status, "{coding}");
    }
}

/// A body in pieces, of a length that nobody knows beforehand.
struct Pieces(VecDeque<Vec<u8>>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.0.pop_front();
        Poll::Ready(piece.map(|bytes| Ok(Frame::data(bytes.into()))))
    }
}

/// Whatever is posted, signed or not, this program does not fail over it.
#[tokio::test(flavor = "multi_thread")]
async fn no_post_makes_it_fail() {
    let hooked = hooked(Home::sqlite().await).await;
    let (_, own) = hooked.mail("1001").await;
    let mut runner = TestRunner::deterministic();
    let word = proptest::sample::select(vec![
        json!("delivered"),
        json!("bounce"),
        json!(own),
        json!(1_767_000_000),
        json!(-1),
        json!("1"),
        json!(null),
        json!([]),
        json!({}),
        json!("\u{0}"),
        json!("\u{10ffff}"),
        json!(1e308),
        json!("-2147483648"),
    ]);
    let name = proptest::sample::select(vec![
        "event",
        "timestamp",
        "ref",
        "attempt",
        "sg_message_id",
        "reason",
        "response",
    ]);
    let base = event("delivered", &own, 0);
    let changes = proptest::collection::vec((name, word), 0..6);
    let bytes = proptest::collection::vec(proptest::num::u8::ANY, 0..64);
    for turn in 0..150 {
        let mut draw = || changes.new_tree(&mut runner).unwrap().current();
        let mut events = Vec::new();
        for _ in 0..5 {
            let mut event = base.clone();
            for (name, value) in draw() {
                event[name] = value;
            }
            events.push(event);
        }
        let answer = hooked.tell(&Value::Array(events)).await;
        assert_eq!(answer, StatusCode::OK, "turn {turn}");
        let noise = bytes.new_tree(&mut runner).unwrap().current();
        for request in [hooked.signed(noise.clone()), hooked.post().body(noise)] {
            let status = request.send().await.unwrap().status();
            assert!(status.is_client_error(), "turn {turn}: {status}");
        }
    }
}
