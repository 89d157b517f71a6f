#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::{self, samples};
use app::model::trouble::Told;
use std::future::pending;
use std::sync::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// What the server does at a point of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Say(&'static str),
    Hang,
    Close,
    Reset,
}
use Act::{Close, Hang, Reset, Say};

/// A server that follows a script: (what the client's line begins with, what is done). `""` is
/// the greeting, `.` the end of the message. What the script does not name goes well.
struct Script(&'static [(&'static str, Act)]);

impl Script {
    fn act(&self, line: &str) -> Act {
        let scripted = |(start, _): &&(&str, Act)| match *start {
            "" => line.is_empty(),
            start => line.to_ascii_uppercase().starts_with(start),
        };
        if let Some((_, act)) = self.0.iter().find(scripted) {
            return *act;
        }
        match line.split(' ').next().unwrap_or_default() {
            "" => Say("220 mail.example.com ESMTP"),
            "EHLO" => Say("250-mail.example.com\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1000000"),
            "AUTH" => Say("235 2.7.0 fine"),
            "DATA" => Say("354 go on"),
            "." => Say("250 2.0.0 Ok: queued as 4XYZ12"),
            "QUIT" => Say("221 bye"),
            _ => Say("250 fine"),
        }
    }
}

/// What came over the wire, a connection an entry.
type Heard = Arc<Mutex<Vec<Vec<String>>>>;

async fn serve(script: Script) -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Heard::default();
    let kept = Arc::clone(&heard);
    let script = Arc::new(script);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let at = {
                let mut heard = kept.lock().unwrap();
                heard.push(Vec::new());
                heard.len() - 1
            };
            tokio::spawn(converse(stream, Arc::clone(&script), Arc::clone(&kept), at));
        }
    });
    (port, heard)
}

async fn converse(stream: TcpStream, script: Arc<Script>, heard: Heard, at: usize) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    let mut in_message = false;
    loop {
        let known = if in_message { line == "." } else { true };
        if known {
            match script.act(&line) {
                Say(reply) => {
                    in_message = line == "DATA" && reply.starts_with("354");
                    let reply = format!("{reply}\r\n");
                    if stream.write_all(reply.as_bytes()).await.is_err() {
                        return;
                    }
                }
                Hang => pending().await,
                Close => return,
                Reset => return stream.get_ref().set_zero_linger().unwrap(),
            }
        }
        line.clear();
        match stream.read_line(&mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => line.truncate(line.trim_end_matches(['\r', '\n']).len()),
        }
        heard.lock().unwrap()[at].push(line.clone());
    }
}

fn smtp(url: &str, timeout: Duration) -> Arc<dyn Provider> {
    let settings = Settings {
        url: Some(url.to_owned()),
        timeout,
        from: Some(samples::envelope().content.sender),
        ..Settings::default()
    };
    provider::build("smtp", &settings).unwrap()
}

const SHORT: Duration = Duration::from_millis(700);

async fn outcome(script: &'static [(&'static str, Act)]) -> (SendOutcome, Heard) {
    let (port, heard) = serve(Script(script)).await;
    let service = smtp(&format!("smtp://127.0.0.1:{port}?tls=none"), SHORT);
    let envelope = samples::envelope();
    (service.send(Permit::for_test(&envelope)).await, heard)
}

#[tokio::test]
async fn a_mail_is_accepted_by_the_reply_to_its_dot() {
    let (got, heard) = outcome(&[]).await;
    let message_id = Some("4XYZ12".to_owned());
    assert_eq!(got, SendOutcome::Accepted { message_id });
    let heard = heard.lock().unwrap().clone();
    let [lines] = heard.as_slice() else {
        panic!("not one connection: {heard:?}")
    };
    assert_eq!(
        lines[..4],
        [
            "EHLO example.com",
            "MAIL FROM:<order@example.com>",
            "RCPT TO:<a..b.@example.ne.jp>",
            "DATA"
        ]
    );
    assert_eq!(lines.iter().filter(|l| *l == ".").count(), 1);
    let reference = "00000000-0000-0000-0123-456789abcdef";
    assert!(lines.contains(&format!("Message-ID: <{reference}@example.com>")));
    assert!(lines.contains(&format!("X-Denpyo-Ref: {reference}")));
}

#[tokio::test]
async fn an_accepting_reply_counts_whatever_follows_it() {
    for script in [
        &[("QUIT", Hang)][..],
        &[("QUIT", Close)],
        &[("QUIT", Say("500 what?"))],
    ] {
        let (got, _) = outcome(script).await;
        assert!(
            matches!(got, SendOutcome::Accepted { .. }),
            "{script:?}: {got:?}"
        );
    }
    let (got, _) = outcome(&[(".", Say("250 "))]).await;
    assert_eq!(got, SendOutcome::Accepted { message_id: None });
}

#[tokio::test]
async fn until_the_message_begins_a_fault_leaves_nothing_there() {
    for start in ["", "EHLO", "MAIL", "RCPT", "DATA"] {
        for act in [
            Hang,
            Close,
            Reset,
            Say("garbage"),
            Say("354 too early, or too late"),
        ] {
            if (start, act) == ("DATA", Say("354 too early, or too late")) {
                continue;
            }
            let script: &'static [(&str, Act)] = Box::leak(Box::new([(start, act)]));
            let (got, heard) = outcome(script).await;
            // A greeting or EHLO of another positive code is taken as one.
            if (start == "EHLO" || start.is_empty()) && matches!(got, SendOutcome::Accepted { .. })
            {
                continue;
            }
            assert!(
                matches!(got, SendOutcome::NeverLeft { .. }),
                "{start} {act:?}: {got:?}"
            );
            assert!(!heard.lock().unwrap()[0].contains(&".".to_owned()));
        }
    }
}

/// lettre's reader of the answer to EHLO panics there.
#[tokio::test]
async fn a_blank_line_in_the_answer_to_ehlo_is_no_panic_and_left_nothing_there() {
    let blank = Say("250-mail.example.com\r\n250-   \r\n250 SIZE 1000000");
    let script: &'static [(&str, Act)] = Box::leak(Box::new([("EHLO", blank)]));
    let (got, heard) = outcome(script).await;
    let fault = Cause::Fault;
    assert!(
        matches!(got, SendOutcome::NeverLeft { cause, .. } if cause == fault),
        "{got:?}"
    );
    assert_eq!(heard.lock().unwrap()[0], ["EHLO example.com"]);
}

#[tokio::test]
async fn from_then_on_silence_cuts_and_garbage_are_unknown() {
    for (act, expected) in [
        (Hang, Cause::Timeout),
        (Close, Cause::Cut),
        (Reset, Cause::Cut),
        (Say("garbage"), Cause::Cut),
        (Say("250-half a reply"), Cause::Timeout),
        (Say("354 what?"), Cause::Answer),
    ] {
        let script: &'static [(&str, Act)] = Box::leak(Box::new([(".", act)]));
        let (got, heard) = outcome(script).await;
        assert!(
            matches!(got, SendOutcome::Unknown { cause, .. } if cause == expected),
            "{act:?}: {got:?}"
        );
        assert_eq!(heard.lock().unwrap().len(), 1, "tried again");
    }
}

#[tokio::test]
async fn a_message_cut_half_way_is_unknown_and_nothing_is_written_behind_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (give_up, given_up) = oneshot::channel::<()>();
    let other_side = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        stream.write_all(b"220 x\r\n").await.unwrap();
        let mut line = String::new();
        while !line.ends_with("DATA\r\n") {
            stream.read_line(&mut line).await.unwrap();
            let reply: &[u8] = if line.ends_with("DATA\r\n") {
                b"354 x\r\n"
            } else {
                b"250 x\r\n"
            };
            stream.write_all(reply).await.unwrap();
        }
        // The rest is read once the other side has given up.
        stream.read_exact(&mut [0; 1000]).await.unwrap();
        given_up.await.unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        rest
    });
    let mut envelope = samples::envelope();
    envelope.content.body_text = Some("x".repeat(8_000_000));
    let service = smtp(&format!("smtp://127.0.0.1:{port}?tls=none"), SHORT);
    let got = service.send(Permit::for_test(&envelope)).await;
    give_up.send(()).unwrap();
    let timeout = Cause::Timeout;
    assert!(
        matches!(got, SendOutcome::Unknown { cause, .. } if cause == timeout),
        "{got:?}"
    );
    let rest = other_side.await.unwrap();
    let end = String::from_utf8_lossy(&rest[rest.len().saturating_sub(100)..]).into_owned();
    assert!(!end.contains("QUIT") && !end.contains("\r\n.\r\n"), "{end}");
}

#[tokio::test]
async fn refusals_have_their_meaning_at_each_point() {
    let word = |got: &SendOutcome| got.word().as_str();
    for (script, expected) in [
        (&[("", Say("421 busy"))][..], "temporary"),
        (&[("", Say("554 no service for you"))], "account"),
        (&[("EHLO", Say("501 bad name"))], "account"),
        (&[("MAIL", Say("550 not yours"))], "account"),
        (&[("RCPT", Say("451 4.7.1 Greylisted"))], "temporary"),
        (
            &[("RCPT", Say("450-4.2.0 come\r\n450 4.2.0 again"))],
            "temporary",
        ),
        (&[("RCPT", Say("550 5.1.1 no such user"))], "refused"),
        (
            &[(
                "RCPT",
                Say("450 4.7.1 <example.com>: Helo command rejected"),
            )],
            "account",
        ),
        (&[("DATA", Say("451 try later"))], "temporary"),
        (&[(".", Say("452 4.3.1 disk full"))], "temporary"),
        (&[(".", Say("554 5.7.1 spam"))], "refused"),
    ] {
        let (got, _) = outcome(script).await;
        assert_eq!(word(&got), expected, "{script:?}: {got:?}");
    }
    let (got, _) = outcome(&[("RCPT", Say("550 5.1.1 <a@example.com>: no\tsuch user"))]).await;
    let expected = SendOutcome::Refused {
        code: 550,
        detail: "5.1.1 <…@example.com>: no such user".to_owned(),
    };
    assert_eq!(got, expected);
}

#[tokio::test]
async fn the_server_gets_the_decoded_user_and_password() {
    let (port, heard) = serve(Script(&[])).await;
    let url = format!("smtp://shop%40example.com:p%23a%2Fs%25@127.0.0.1:{port}?tls=none");
    let service = smtp(&url, SHORT);
    assert!(!service.account().contains("p#a") && !service.account().contains("p%23"));
    let envelope = samples::envelope();
    let got = service.send(Permit::for_test(&envelope)).await;
    assert!(matches!(got, SendOutcome::Accepted { .. }), "{got:?}");
    // "\0shop@example.com\0p#a/s%" as base64.
    let expected = "AUTH PLAIN AHNob3BAZXhhbXBsZS5jb20AcCNhL3Ml";
    assert!(heard.lock().unwrap()[0].contains(&expected.to_owned()));
}

#[tokio::test]
async fn what_the_server_does_not_offer_pauses_the_service() {
    let (port, heard) = serve(Script(&[("EHLO", Say("250 mail.example.com"))])).await;
    for url in [
        format!("smtp://127.0.0.1:{port}"),
        format!("smtp://user:secret@127.0.0.1:{port}?tls=none"),
        format!("smtp://user:secret@127.0.0.1:{port}"),
    ] {
        let envelope = samples::envelope();
        let got = smtp(&url, SHORT).send(Permit::for_test(&envelope)).await;
        // The server refused nothing, so there is no code of its own.
        let SendOutcome::Account { code, detail, .. } = got else {
            panic!("{url}: {got:?}")
        };
        assert_eq!(code, None, "{url}");
        assert!(Told::parse(&detail).is_some(), "{detail}");
    }
    let heard = heard.lock().unwrap();
    assert!(
        !heard
            .iter()
            .flatten()
            .any(|l| l.starts_with("AUTH") || l.starts_with("MAIL"))
    );
}

#[tokio::test]
async fn what_the_server_lacks_is_named_before_any_mail() {
    let suits = async |script, user: &str, query: &str| {
        let (port, _) = serve(Script(script)).await;
        let url = format!("smtp://{user}127.0.0.1:{port}{query}");
        smtp(&url, SHORT).suits().await
    };
    const BARE: &[(&str, Act)] = &[("EHLO", Say("250 mail.example.com"))];
    let lacks = suits(BARE, "", "").await.unwrap_err();
    assert!(
        lacks.contains("TLS") && lacks.contains("STARTTLS"),
        "{lacks}"
    );
    let lacks = suits(BARE, "user:secret@", "?tls=none").await.unwrap_err();
    assert!(lacks.contains("AUTH"), "{lacks}");
    assert!(!lacks.contains("secret"), "{lacks}");
    // What is not asked for is not missing.
    assert_eq!(suits(BARE, "", "?tls=none").await, Ok(()));
    assert_eq!(suits(&[], "user:secret@", "?tls=none").await, Ok(()));
    // One that has no time now is there; one that takes nobody is not what was meant.
    assert_eq!(
        suits(&[("", Say("421 4.3.2 too busy"))], "", "?tls=none").await,
        Ok(())
    );
    let closed = suits(&[("", Say("554 5.7.1 not for you"))], "", "?tls=none").await;
    assert!(closed.unwrap_err().contains("554"));
}

#[tokio::test]
async fn without_a_connection_nothing_left() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for url in [
        format!("smtp://127.0.0.1:{port}?tls=none"),
        format!("smtps://127.0.0.1:{port}"),
        "smtp://no-such-host.invalid?tls=none".to_owned(),
    ] {
        let service = smtp(&url, SHORT);
        let envelope = samples::envelope();
        let got = service.send(Permit::for_test(&envelope)).await;
        let SendOutcome::NeverLeft { cause, detail } = got else {
            panic!("{got:?}")
        };
        assert_eq!(cause, Cause::Connect);
        assert!(Told::parse(&detail).is_some(), "{detail}");
        assert!(service.reachable().await.is_err());
    }
    // A server that speaks no TLS where TLS is due.
    let (port, _) = serve(Script(&[])).await;
    let service = smtp(&format!("smtps://127.0.0.1:{port}"), SHORT);
    let envelope = samples::envelope();
    let got = service.send(Permit::for_test(&envelope)).await;
    assert!(matches!(got, SendOutcome::NeverLeft { .. }), "{got:?}");
    assert_eq!(service.reachable().await, Ok(()));
}
