#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::stand_in::{StandIn, pairs};
use crate::provider::{self, samples};
use http::HeaderMap;
use serde_json::json;
use std::time::SystemTime;
use uuid::Uuid;

const REF: &str = "00000000-0000-0000-0123-456789abcdef";

fn settings(url: &str) -> Settings {
    Settings {
        url: Some(url.to_owned()),
        key: Some("key-1".to_owned()),
        timeout: Duration::from_secs(5),
        from: Some(samples::envelope().content.sender),
        webhook_key: Some("signing-key".to_owned()),
        ..Settings::default()
    }
}

fn mailgun(url: &str) -> Arc<dyn Provider> {
    provider::build("mailgun", &settings(url)).unwrap()
}

async fn outcome(status: u16, body: &str) -> SendOutcome {
    let service = StandIn::start().await;
    service.answer(status, body);
    let envelope = samples::envelope();
    let outcome = mailgun(&service.url)
        .send(Permit::for_test(&envelope))
        .await;
    assert_eq!(service.requests().len(), 1, "posted once");
    outcome
}

#[tokio::test]
async fn the_request_has_mailguns_shape() {
    let service = StandIn::start().await;
    service.answer(
        200,
        r#"{"id":"<20260401.1@example.com>","message":"Queued. Thank you."}"#,
    );
    let envelope = samples::envelope();
    let got = mailgun(&service.url)
        .send(Permit::for_test(&envelope))
        .await;
    let message_id = Some("20260401.1@example.com".to_owned());
    assert_eq!(got, SendOutcome::Accepted { message_id });
    let request = &service.requests()[0];
    assert_eq!(
        (request.method.as_str(), request.path()),
        ("POST", "/v3/example.com/messages")
    );
    // api:key-1
    assert_eq!(request.header("authorization"), Some("Basic YXBpOmtleS0x"));
    assert_eq!(
        request.header("content-type"),
        Some("application/x-www-form-urlencoded")
    );
    let expected = [
        ("from", "\"株式会社サンプル, 受注係\" <order@example.com>"),
        ("to", "a..b.@example.ne.jp"),
        ("subject", "ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます"),
        ("text", "本文\r\n二行目"),
        ("html", "<p>本文</p>"),
        ("h:Reply-To", "\"Sample Co.\" <info@example.com>"),
        ("h:X-Denpyo-Ref", REF),
        ("v:ref", REF),
        ("v:order_id", "1001"),
        ("v:attempt", "2"),
        ("v:installation", "shop-1"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(pairs(&request.body), expected);
}

#[test]
fn options_keep_to_their_limit() {
    let mut envelope = samples::envelope();
    envelope.labels.order_id = "𠮷".repeat(5000);
    envelope.labels.installation = "𠮷".repeat(64);
    envelope.content.body_text = None;
    envelope.content.body_html = Some("x".to_owned());
    let form = form(&envelope);
    assert!(form.len() < 16_000, "{}", form.len());
    assert!(pairs(&form).contains(&("v:ref".to_owned(), REF.to_owned())));
}

#[test]
fn the_domain_is_the_senders_or_the_addresss() {
    let account = |url: Option<&str>| {
        let settings = Settings {
            url: url.map(str::to_owned),
            ..settings("")
        };
        provider::build("mailgun", &settings).map(|p| {
            let (host, rest) = p.account().split_once('#').unwrap();
            format!("{host} {}", rest.split_once('/').unwrap().1)
        })
    };
    for (url, expected) in [
        (None, "api.mailgun.net example.com"),
        (
            Some("https://api.eu.mailgun.net"),
            "api.eu.mailgun.net example.com",
        ),
        (
            Some("https://api.eu.mailgun.net/v3"),
            "api.eu.mailgun.net example.com",
        ),
        (
            Some("https://api.mailgun.net/v3/mg.example.jp/"),
            "api.mailgun.net mg.example.jp",
        ),
    ] {
        assert_eq!(account(url).as_deref(), Ok(expected));
    }
    for bad in ["https://api.mailgun.net/v3/a/b", "mailgun"] {
        let error = account(Some(bad)).err();
        assert!(
            matches!(error, Some(ProviderError::Url(_))),
            "{bad}: {error:?}"
        );
    }
    let nameless = Settings {
        from: None,
        ..settings("https://api.mailgun.net")
    };
    assert!(matches!(
        provider::build("mailgun", &nameless).err(),
        Some(ProviderError::Url(_))
    ));
}

#[tokio::test]
async fn each_status_has_its_meaning() {
    for (status, body, word) in [
        (
            400,
            r#"{"message":"to parameter is not a valid address. please check documentation"}"#,
            "refused",
        ),
        (400, r#"{"message":"Account is disabled"}"#, "account"),
        (413, "", "refused"),
        (401, "Forbidden", "account"),
        (402, "", "account"),
        (
            403,
            r#"{"message":"Domain example.com is not allowed to send"}"#,
            "account",
        ),
        (
            404,
            r#"{"message":"Domain not found: example.com"}"#,
            "account",
        ),
        (429, r#"{"message":"Too many requests"}"#, "temporary"),
        (500, "", "unknown"),
        (502, "<html>", "unknown"),
        (302, "", "unknown"),
        (408, "", "unknown"),
    ] {
        let got = outcome(status, body).await;
        assert_eq!(got.word().as_str(), word, "{status} {body}: {got:?}");
    }
    for body in ["", "<p>", "{}", r#"{"id":7}"#, r#"{"id":""}"#] {
        assert_eq!(
            outcome(200, body).await,
            SendOutcome::Accepted { message_id: None }
        );
    }
    let got = outcome(400, "").await;
    let detail = "Bad Request".to_owned();
    assert_eq!(got, SendOutcome::Refused { code: 400, detail });
}

fn question(recipient: &str) -> Question {
    Question {
        reference: Uuid::parse_str(REF).unwrap(),
        attempt: 2,
        recipient: recipient.to_owned(),
        subject: "s".to_owned(),
        message_id: None,
        since: DateTime::from_timestamp(1_775_000_000, 0).unwrap(),
        until: None,
    }
}

fn event(kind: &str, reference: &str, id: &str) -> Value {
    json!({"event": kind, "timestamp": 1_775_000_100.25, "user-variables": {"ref": reference, "attempt": "2"},
        "message": {"headers": {"message-id": id}}})
}

fn page(items: &[Value], next: &str) -> String {
    json!({"items": items, "paging": {"next": next}}).to_string()
}

const NEXT: &str = "https://api.mailgun.net/v3/example.com/events/W3siYSI6=";

#[tokio::test]
async fn a_mail_is_found_on_whatever_page_by_its_very_reference() {
    let service = StandIn::start().await;
    let other = Uuid::nil().to_string();
    service
        .answer(
            200,
            page(
                &[event("accepted", &other, "a@x"), json!({"event": "x"})],
                NEXT,
            ),
        )
        .answer(
            200,
            page(
                &[
                    event("accepted", REF, "b@x"),
                    event("delivered", REF, "b@x"),
                ],
                NEXT,
            ),
        )
        .answer(200, page(&[], NEXT));
    let got = mailgun(&service.url)
        .lookup(&question("a+b@example.jp"))
        .await;
    let mail = FoundMail {
        message_id: Some("b@x".to_owned()),
        accepted_at: DateTime::from_timestamp_millis(1_775_000_100_250),
        attempt: Some(2),
    };
    assert_eq!(got, Finding::Found(vec![mail]));
    let requests = service.requests();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let query = [
        pair("begin", "1775000000"),
        pair("ascending", "yes"),
        pair("limit", "300"),
        pair("recipient", "a+b@example.jp"),
    ];
    assert_eq!(requests[0].query(), query);
    assert_eq!(requests[0].uri.path(), "/v3/example.com/events");
    // At this very host, wherever the page is said to be.
    assert_eq!(requests[1].uri.path(), "/v3/example.com/events/W3siYSI6=");
    assert_eq!(requests.len(), 3);
}

#[tokio::test]
async fn not_found_is_said_only_after_the_last_page() {
    let service = StandIn::start().await;
    let rejected = event("rejected", REF, "b@x");
    service
        .answer(200, page(&[rejected], NEXT))
        .answer(200, page(&[], NEXT))
        .answer(200, page(&[], NEXT));
    let got = mailgun(&service.url)
        .lookup(&question("A@example.jp"))
        .await;
    assert_eq!(got, Finding::NotFound);
    let asked: Vec<_> = service.requests().iter().flat_map(|r| r.query()).collect();
    for recipient in ["A@example.jp", "a@example.jp"] {
        assert!(asked.contains(&("recipient".to_owned(), recipient.to_owned())));
    }

    let item = event("accepted", &Uuid::nil().to_string(), "a@x");
    let service = StandIn::start().await;
    for _ in 0..MOST_PAGES {
        service.answer(200, page(std::slice::from_ref(&item), NEXT));
    }
    let got = mailgun(&service.url)
        .lookup(&question("a@example.jp"))
        .await;
    assert!(
        matches!(
            got,
            Finding::Unclear {
                why: Unclear::Incomplete,
                ..
            }
        ),
        "{got:?}"
    );

    let service = StandIn::start().await;
    service.answer(200, page(&[item], NEXT)).answer(500, "");
    let got = mailgun(&service.url)
        .lookup(&question("a@example.jp"))
        .await;
    assert!(
        matches!(
            got,
            Finding::Unclear {
                why: Unclear::Unreachable,
                ..
            }
        ),
        "{got:?}"
    );
    for (status, body, expected) in [
        (401, "Forbidden".to_owned(), Unclear::Refused),
        (200, "{}".to_owned(), Unclear::Unreachable),
        (
            200,
            page(&[json!({})], "https://evil.example/x"),
            Unclear::Unreachable,
        ),
        (
            200,
            page(&[json!({})], "/events/../../x"),
            Unclear::Unreachable,
        ),
    ] {
        let service = StandIn::start().await;
        service.answer(status, body.clone());
        let got = mailgun(&service.url)
            .lookup(&question("a@example.jp"))
            .await;
        assert!(
            matches!(got, Finding::Unclear { why, .. } if why == expected),
            "{body}: {got:?}"
        );
    }
}

/// What was found stays found, whatever the rest of the search meets.
#[tokio::test]
async fn a_mail_that_was_found_is_proof_though_a_later_page_fails() {
    let accepted = event("accepted", REF, "a@x");
    for rest in [(500, String::new()), (200, "{}".to_owned())] {
        let service = StandIn::start().await;
        service
            .answer(200, page(std::slice::from_ref(&accepted), NEXT))
            .answer(rest.0, rest.1);
        let got = mailgun(&service.url)
            .lookup(&question("a@example.jp"))
            .await;
        assert!(
            matches!(&got, Finding::Found(mails) if mails.len() == 1),
            "{got:?}"
        );
    }
    // More pages than are read.
    let service = StandIn::answering(200, &[], &page(&[accepted], NEXT)).await;
    let got = mailgun(&service.url)
        .lookup(&question("a@example.jp"))
        .await;
    assert!(matches!(got, Finding::Found(_)), "{got:?}");
}

#[tokio::test]
async fn an_address_that_it_quotes_says_nothing_of_the_account() {
    for said in [
        "'to' parameter is not a valid address: 'account@example.jp'",
        "to parameter is not a valid address. account@example.jp",
        "'to' parameter <my account@example.jp> is not valid",
    ] {
        let body = json!({ "message": said }).to_string();
        let got = outcome(400, &body).await;
        assert!(
            matches!(got, SendOutcome::Refused { .. }),
            "{said}: {got:?}"
        );
    }
    let body =
        json!({"message": "Domain 'x.jp' isn't active: your account's disabled"}).to_string();
    assert!(matches!(
        outcome(400, &body).await,
        SendOutcome::Account { .. }
    ));
}

#[tokio::test]
async fn events_are_read_only_where_their_key_is_set() {
    let headers = HeaderMap::new();
    let post = Post {
        headers: &headers,
        body: b"{}",
        now: SystemTime::now(),
    };
    let got = mailgun("http://127.0.0.1:1").events(post).await;
    assert_eq!(got, Err(NotEvents::Signature));
    let off = Settings {
        webhook_key: None,
        ..settings("http://127.0.0.1:1")
    };
    let off = provider::build("mailgun", &off).unwrap();
    assert_eq!(off.events(post).await, Err(NotEvents::Off));
}
