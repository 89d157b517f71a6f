#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::http::WORDS_WAIT;
use crate::provider::{self, samples};
use app::model::views::Cause;
use std::future::pending;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

const KEY: &str = "SG.test-key";

/// What the other side does once it has read a whole request.
#[derive(Clone)]
enum Then {
    Answer(String),
    /// An answer, and then silence on an open connection.
    AnswerAndHang(&'static str),
    Hang,
    Close,
    Reset,
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let n = stream.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|l| {
                    l.to_ascii_lowercase()
                        .strip_prefix("content-length: ")?
                        .parse()
                        .ok()
                })
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        assert!(n > 0, "the request ended early");
    }
}

/// A service that takes one request, and hands it back.
async fn service(then: Then) -> (String, oneshot::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (seen, request) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        seen.send(read_request(&mut stream).await).ok();
        match then {
            Then::Answer(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
            Then::AnswerAndHang(answer) => {
                stream.write_all(answer.as_bytes()).await.unwrap();
                pending::<()>().await;
            }
            Then::Hang => pending().await,
            Then::Close => stream.shutdown().await.unwrap(),
            Then::Reset => stream.set_zero_linger().unwrap(),
        }
    });
    (url, request)
}

fn sendgrid(url: &str, timeout: Duration) -> Arc<dyn Provider> {
    let settings = Settings {
        url: Some(url.to_owned()),
        key: Some(KEY.to_owned()),
        timeout,
        ..Settings::default()
    };
    provider::build("sendgrid", &settings).unwrap()
}

async fn send_to(url: &str) -> SendOutcome {
    let envelope = samples::envelope();
    let service = sendgrid(url, Duration::from_secs(2));
    service.send(Permit::for_test(&envelope)).await
}

async fn outcome(then: Then) -> SendOutcome {
    send_to(&service(then).await.0).await
}

fn answer(status: u16, headers: &str, body: &str) -> Then {
    let length = body.len();
    Then::Answer(format!(
        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    ))
}

fn accepted(id: Option<&str>) -> SendOutcome {
    SendOutcome::Accepted {
        message_id: id.map(str::to_owned),
    }
}

#[tokio::test]
async fn the_request_has_sendgrids_shape() {
    let (url, request) = service(answer(202, "X-Message-Id: abc.DEF-1\r\n", "")).await;
    assert_eq!(send_to(&url).await, accepted(Some("abc.DEF-1")));
    let request = request.await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("POST /v3/mail/send HTTP/1.1\r\n"),
        "{head}"
    );
    let head = head.to_ascii_lowercase();
    for line in [
        "authorization: bearer sg.test-key",
        "content-type: application/json",
        "accept: application/json",
    ] {
        assert!(head.lines().any(|l| l == line), "{line} in {head}");
    }
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        body,
        json!({
            "personalizations": [{"to": [{"email": "a..b.@example.ne.jp"}]}],
            "from": {"email": "order@example.com", "name": "株式会社サンプル, 受注係"},
            "reply_to": {"email": "info@example.com", "name": "Sample Co."},
            "subject": "ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます",
            "content": [
                {"type": "text/plain", "value": "本文\r\n二行目"},
                {"type": "text/html", "value": "<p>本文</p>"},
            ],
            "custom_args": {
                "ref": "00000000-0000-0000-0123-456789abcdef",
                "order_id": "1001",
                "attempt": "2",
                "installation": "shop-1",
            },
        })
    );
}

#[test]
fn a_long_order_number_is_cut_and_the_reference_is_not() {
    for piece in ["1", "注", "\"", "𠮷"] {
        let mut labels = samples::envelope().labels;
        labels.order_id = piece.repeat(20_000);
        let args = custom_args(&labels);
        assert_eq!(args["ref"], "00000000-0000-0000-0123-456789abcdef");
        let order_id = args["order_id"].as_str().unwrap();
        assert!(order_id.starts_with(piece) && order_id.ends_with('…'));
        assert!(args.to_string().len() <= LARGEST_ARGS);
        assert!(
            order_id.chars().map(longest_form).sum::<usize>() > 9_700,
            "{piece}"
        );
    }
}

#[tokio::test]
async fn any_2xx_is_accepted_whatever_its_body() {
    let id = "X-Message-Id: m1\r\n";
    assert_eq!(outcome(answer(202, "", "")).await, accepted(None));
    assert_eq!(
        outcome(answer(202, "X-Message-Id:  \r\n", "")).await,
        accepted(None)
    );
    assert_eq!(
        outcome(answer(200, id, "<p>no JSON</p>")).await,
        accepted(Some("m1"))
    );
    let cut = "HTTP/1.1 200 OK\r\nX-Message-Id: m1\r\nContent-Length: 99\r\n\r\n{\"";
    assert_eq!(
        outcome(Then::Answer(cut.to_owned())).await,
        accepted(Some("m1"))
    );
    let url = service(Then::AnswerAndHang(cut)).await.0;
    let patient = sendgrid(&url, Duration::from_secs(60));
    let begun = Instant::now();
    let outcome = patient.send(Permit::for_test(&samples::envelope())).await;
    assert_eq!(outcome, accepted(Some("m1")));
    assert!(begun.elapsed() < WORDS_WAIT, "the body was waited for");
}

#[tokio::test]
async fn each_status_has_its_meaning() {
    let body = r#"{"errors":[{"message":"Bad a@example.com.","field":"to","help":null},{"message":"Too\nlong"}]}"#;
    for code in [400_u16, 413, 422] {
        let detail = "Bad …@example.com.; Too long".to_owned();
        let expected = SendOutcome::Refused { code, detail };
        assert_eq!(outcome(answer(code, "", body)).await, expected);
    }
    let body = r#"{"errors":[{"message":"Maximum credits exceeded","field":null,"help":null}]}"#;
    for code in [401, 403, 404, 405, 406, 451] {
        let expected = SendOutcome::Account {
            code: Some(code),
            retry_after: None,
            detail: "Maximum credits exceeded".to_owned(),
        };
        assert_eq!(outcome(answer(code, "", body)).await, expected);
    }
    let expected = SendOutcome::Temporary {
        code: 429,
        retry_after: Some(Duration::from_secs(7)),
        detail: "Too Many Requests".to_owned(),
    };
    assert_eq!(
        outcome(answer(429, "Retry-After: 7\r\n", "")).await,
        expected
    );
    for code in [402, 408, 409, 410, 418, 500, 502, 503, 504, 599] {
        let got = outcome(answer(code, "Retry-After: 7\r\n", "oh no")).await;
        let expected = SendOutcome::Unknown {
            cause: Cause::Answer,
            code: Some(code),
            detail: "oh no".to_owned(),
        };
        assert_eq!(got, expected);
    }
}

#[tokio::test]
async fn a_refusal_stands_though_its_body_stalls_or_is_cut() {
    let cut = "HTTP/1.1 400 X\r\nContent-Length: 99\r\n\r\npart";
    for then in [Then::Answer(cut.to_owned()), Then::AnswerAndHang(cut)] {
        let expected = SendOutcome::Refused {
            code: 400,
            detail: "part".to_owned(),
        };
        assert_eq!(outcome(then).await, expected);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_no_success() {
    for code in [301_u16, 302, 303, 307, 308] {
        let target = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let location = format!("Location: http://{}/\r\n", target.local_addr().unwrap());
        let got = outcome(answer(code, &location, "")).await;
        assert!(
            matches!(got, SendOutcome::Unknown { cause: Cause::Answer, code: Some(c), .. } if c == code),
            "{got:?}"
        );
        // The outcome is settled; had anything been sent to the target, it would wait there.
        let accept = target.into_std().unwrap().accept();
        assert_eq!(accept.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    }
}

#[tokio::test]
async fn without_a_connection_nothing_left() {
    let connect = |got: SendOutcome| {
        assert!(
            matches!(
                got,
                SendOutcome::NeverLeft {
                    cause: Cause::Connect,
                    ..
                }
            ),
            "{got:?}"
        );
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    connect(send_to(&url).await);
    assert!(
        sendgrid(&url, Duration::from_secs(2))
            .reachable()
            .await
            .is_err()
    );

    // TLS: closed, and stalled past the limit for connecting.
    for stall in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let connection = listener.accept().await;
            if stall {
                pending::<()>().await;
            }
            drop(connection);
        });
        connect(send_to(&url).await);
    }
}

#[tokio::test]
async fn after_the_request_left_silence_and_cuts_are_unknown() {
    for (then, expected) in [
        (Then::Hang, Cause::Timeout),
        (Then::Close, Cause::Cut),
        (Then::Reset, Cause::Cut),
        (Then::Answer("garbage\r\n\r\n".to_owned()), Cause::Cut),
        (Then::Answer("HTTP/1.1 202 Acc".to_owned()), Cause::Cut),
    ] {
        let got = outcome(then).await;
        assert!(
            matches!(got, SendOutcome::Unknown { cause, code: None, .. } if cause == expected),
            "{got:?}"
        );
    }
}

#[tokio::test]
async fn a_connection_that_ends_while_it_is_reused_makes_no_second_try() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let other_side = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        let kept_open = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(kept_open).await.unwrap();
        read_request(&mut stream).await;
        stream.shutdown().await.unwrap();
        listener
    });
    let envelope = samples::envelope();
    let service = sendgrid(&url, Duration::from_secs(2));
    let first = service.send(Permit::for_test(&envelope)).await;
    assert_eq!(first, accepted(None));
    let second = service.send(Permit::for_test(&envelope)).await;
    let listener = other_side.await.unwrap().into_std().unwrap();
    assert!(
        matches!(
            second,
            SendOutcome::Unknown {
                cause: Cause::Cut,
                ..
            }
        ),
        "{second:?}"
    );
    let third = listener.accept().unwrap_err();
    assert_eq!(third.kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn a_request_larger_than_the_buffers_that_is_cut_half_way_is_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_exact(&mut [0; 1000]).await.unwrap();
        stream.set_zero_linger().unwrap();
    });
    let mut envelope = samples::envelope();
    envelope.content.body_text = Some("x".repeat(8_000_000));
    let service = sendgrid(&url, Duration::from_secs(5));
    let got = service.send(Permit::for_test(&envelope)).await;
    assert!(
        matches!(
            got,
            SendOutcome::Unknown {
                cause: Cause::Cut,
                ..
            }
        ),
        "{got:?}"
    );
}

#[tokio::test]
async fn any_answer_shows_that_the_service_is_there() {
    let (url, _) = service(answer(404, "", "")).await;
    let service = sendgrid(&url, Duration::from_secs(2));
    assert_eq!(service.reachable().await, Ok(()));
}

#[test]
fn settings_are_checked_and_the_key_is_not_printed() {
    let settings = |url: Option<&str>, key: Option<&str>| Settings {
        url: url.map(str::to_owned),
        key: key.map(str::to_owned),
        timeout: Duration::from_secs(2),
        ..Settings::default()
    };
    let fails = |name: &str, s: &Settings| provider::build(name, s).err();
    let good = settings(None, Some(KEY));
    assert_eq!(fails("sendgrid", &good), None);
    assert!(!format!("{good:?}").contains(KEY));
    assert!(provider::KNOWN.contains(&"sendgrid"));
    let unknown = fails("sendmail", &good).unwrap().to_string();
    assert!(
        unknown.starts_with("unknown service \"sendmail\"; known: ")
            && unknown.contains("sendgrid"),
        "{unknown}"
    );
    for key in [None, Some(""), Some(" ")] {
        assert_eq!(
            fails("sendgrid", &settings(None, key)),
            Some(ProviderError::KeyMissing)
        );
    }
    let broken = fails("sendgrid", &settings(None, Some("SG\r\nx: y")));
    assert_eq!(broken, Some(ProviderError::KeyUnusable));
    let url = fails("sendgrid", &settings(Some("sendgrid.com"), Some(KEY)));
    assert!(matches!(url, Some(ProviderError::Url(_))));
}
