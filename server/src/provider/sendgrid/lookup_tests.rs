#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::asking::Finding;
use crate::provider::stand_in::StandIn;
use crate::provider::{self, Provider, Settings};
use crate::sandbox::store::{Message, Party};
use crate::sandbox::{Sandbox, serve};
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use uuid::Uuid;

const REF: Uuid = Uuid::from_u128(7);

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_775_000_000 + seconds, 0).unwrap()
}

fn message(number: u128, received_at: DateTime<Utc>) -> Message {
    let party = |email: &str| Party {
        email: email.to_owned(),
        name: None,
    };
    let args = [
        ("ref", Uuid::from_u128(number).to_string()),
        ("attempt", "1".to_owned()),
    ];
    Message {
        message_id: format!("m{number}"),
        sg_message_id: format!("m{number}.filter"),
        received_at,
        to: party("copies@example.com"),
        from: party("order@example.com"),
        reply_to: None,
        subject: format!("order {number}"),
        content: Vec::new(),
        custom_args: BTreeMap::from(args.map(|(name, value)| (name.to_owned(), value))),
    }
}

/// Asks a service that holds these messages for the mail [`REF`], sent in the first hour.
async fn ask(messages: impl Iterator<Item = Message>, subject: &str) -> Finding {
    let sandbox = Sandbox::new();
    for message in messages {
        sandbox.take(message);
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let service = tokio::spawn(serve(listener, sandbox, pending()));
    let finding = sendgrid(&url).lookup(&question(subject)).await;
    service.abort();
    finding
}

fn sendgrid(url: &str) -> Arc<dyn Provider> {
    let settings = Settings {
        url: Some(url.to_owned()),
        key: Some("SG.key".to_owned()),
        timeout: Duration::from_secs(60),
        ..Settings::default()
    };
    provider::build("sendgrid", &settings).unwrap()
}

fn question(subject: &str) -> Question {
    Question {
        reference: REF,
        attempt: 1,
        recipient: "copies@example.com".to_owned(),
        subject: subject.to_owned(),
        message_id: None,
        since: at(0),
        until: Some(at(3600)),
    }
}

/// 1,300 others, more in the first minutes than later, none with the reference.
fn others() -> impl Iterator<Item = Message> {
    (0..1300).map(|n| message(n + 1000, at(i64::try_from(n * n / 500).unwrap())))
}

fn found(finding: &Finding) -> Vec<&str> {
    match finding {
        Finding::Found(mails) => mails
            .iter()
            .filter_map(|m| m.message_id.as_deref())
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_mail_is_found_among_more_than_one_answer_shows() {
    // By its subject first, and by looking at them all where the service changed that.
    for subject in ["order 7", "Order no. 7"] {
        for second in [0, 1234, 3600] {
            let with_it = others().chain([message(7, at(second))]);
            assert_eq!(
                found(&ask(with_it, subject).await),
                ["m7.filter"],
                "{second}"
            );
        }
    }
}

#[tokio::test]
async fn that_it_is_not_among_them_is_an_answer_too() {
    assert_eq!(ask(others(), "order 7").await, Finding::NotFound);
    // Outside the time in question nothing counts, however much there is.
    let outside = (0..2500).map(|n| message(n + 1000, at(if n % 2 == 0 { -1 } else { 3601 })));
    assert_eq!(ask(outside, "order 7").await, Finding::NotFound);
}

#[tokio::test]
async fn more_than_can_be_told_apart_stays_unclear() {
    let one_second = (0..1000).map(|n| message(n + 1000, at(60)));
    let too_many =
        (0..5001).map(|n| message(n + 1000, at(i64::try_from(n * 3600 / 5001).unwrap())));
    for finding in [
        ask(one_second, "order 7").await,
        ask(too_many, "order 7").await,
    ] {
        let Finding::Unclear { why, detail } = finding else {
            panic!("{finding:?}");
        };
        assert_eq!(why, Unclear::Incomplete);
        assert!(detail.ends_with("000+"), "{detail}");
    }
}

/// The details of another message cannot be read; that of the mail can.
#[tokio::test]
async fn a_mail_that_was_found_is_proof_though_another_gives_no_answer() {
    let listed = |id: &str| json!({"sg_message_id": id, "subject": "order 7"});
    let own = json!({"custom_args": {"ref": REF.to_string(), "attempt": "1"}});
    let list = json!({"messages": [listed("other"), listed("m7.filter")]});
    for whole in [
        [(500, json!({})), (200, own.clone())],
        [(200, own), (500, json!({}))],
    ] {
        let service = StandIn::start().await;
        service.answer(200, list.to_string());
        for (status, body) in whole {
            service.answer(status, body.to_string());
        }
        let got = sendgrid(&service.url).lookup(&question("order 7")).await;
        assert_eq!(found(&got).len(), 1);
    }
    // Nothing found, and not everything looked at.
    let service = StandIn::start().await;
    service.answer(200, list.to_string()).answer(500, "{}");
    let got = sendgrid(&service.url).lookup(&question("order 7")).await;
    assert!(matches!(got, Finding::Unclear { .. }), "{got:?}");
}
