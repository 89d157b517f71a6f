#![allow(clippy::unwrap_used)]

use super::*;
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use proptest::prelude::*;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::json;
use std::sync::{LazyLock, Mutex};
use std::time::SystemTime;

const ARN: &str = "arn:aws:sns:ap-northeast-1:123456789012:mail";
const CERTIFICATE: &str =
    "https://sns.ap-northeast-1.amazonaws.com/SimpleNotificationService-1.pem";
const CONFIRM: &str = "https://sns.ap-northeast-1.amazonaws.com/?Action=ConfirmSubscription\
    &TopicArn=arn:aws:sns:ap-northeast-1:123456789012:mail&Token=2336";
/// Made for these tests, and used for nothing else.
const PEM: &str = include_str!("sample.pem");
static KEY: LazyLock<RsaKeyPair> = LazyLock::new(|| {
    let der = PrivatePkcs8KeyDer::from_pem_slice(include_bytes!("sample.key")).unwrap();
    RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap()
});

/// Amazon SNS: keeps what it is asked for.
#[derive(Default)]
struct Sns {
    asked: Mutex<Vec<String>>,
    down: bool,
    page: Option<&'static str>,
}

#[async_trait]
impl Fetch for Sns {
    async fn get(&self, url: &Url) -> Result<Vec<u8>, String> {
        self.asked.lock().unwrap().push(url.to_string());
        if self.down {
            return Err("HTTP 503".to_owned());
        }
        Ok(self.page.unwrap_or(PEM).into())
    }
}

impl Sns {
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn topic(sns: &Arc<Sns>) -> Topic {
    Topic::new(ARN, Arc::clone(sns) as Arc<dyn Fetch>).unwrap()
}

fn at(text: &str) -> SystemTime {
    time(text).unwrap().into()
}

/// A post, signed in the way that SNS signs since 2022.
fn signed(mut post: Value) -> Value {
    let kind = post["Type"].as_str().unwrap_or_default().to_owned();
    let message = to_sign(&kind, post.as_object().unwrap()).unwrap_or_default();
    let mut signature = vec![0; KEY.public().modulus_len()];
    let random = SystemRandom::new();
    KEY.sign(
        &RSA_PKCS1_SHA256,
        &random,
        message.as_bytes(),
        &mut signature,
    )
    .unwrap();
    post["Signature"] = STANDARD.encode(signature).into();
    post
}

fn bare(kind: &str, message: &str) -> Value {
    json!({
        "Type": kind, "MessageId": "1", "TopicArn": ARN, "Message": message,
        "Timestamp": "2026-04-01T00:00:00.000Z", "SignatureVersion": "2",
        "SigningCertURL": CERTIFICATE,
        "UnsubscribeURL": "https://sns.ap-northeast-1.amazonaws.com/?Action=Unsubscribe",
    })
}

fn confirmation() -> Value {
    let mut post = bare("SubscriptionConfirmation", "You have chosen to subscribe");
    post["Token"] = "2336".into();
    post["SubscribeURL"] = CONFIRM.into();
    post
}

async fn read(topic: &Topic, post: &Value) -> Result<Events, NotEvents> {
    read_at(topic, post.to_string().as_bytes(), "2026-04-01T00:00:01Z").await
}

async fn read_at(topic: &Topic, body: &[u8], now: &str) -> Result<Events, NotEvents> {
    let (headers, now) = (HeaderMap::new(), at(now));
    let headers = &headers;
    topic.read(Post { headers, body, now }).await
}

async fn told(event: &Value) -> Events {
    let topic = topic(&Arc::default());
    read(&topic, &signed(bare("Notification", &event.to_string())))
        .await
        .unwrap()
}

fn sample(word: &str, member: &str) -> Value {
    json!({
        "eventType": word,
        "mail": {
            "timestamp": "2026-04-01T00:00:00.000Z", "messageId": "0100017-1",
            "destination": ["a@example.com"],
            "tags": {"ses:from-domain": ["example.com"], "attempt": ["2"],
                "ref": ["00000000-0000-0000-0000-000000000007"]},
        },
        member: {
            "timestamp": "2026-04-01T00:00:05.669Z", "reason": "550 no <a@example.com>",
        },
    })
}

#[tokio::test]
async fn every_documented_kind_is_known() {
    for (word, member, kind) in [
        ("Send", "send", EventKind::Accepted),
        ("DeliveryDelay", "deliveryDelay", EventKind::Accepted),
        ("Open", "open", EventKind::Accepted),
        ("Click", "click", EventKind::Accepted),
        ("Subscription", "subscription", EventKind::Accepted),
        ("Delivery", "delivery", EventKind::Delivered),
        ("Bounce", "bounce", EventKind::Bounced),
        ("Reject", "reject", EventKind::Bounced),
        ("Rendering Failure", "failure", EventKind::Bounced),
        ("Complaint", "complaint", EventKind::Complained),
    ] {
        let event = MailEvent {
            reference: Some(Uuid::from_u128(7)),
            attempt: Some(2),
            kind,
            at: time("2026-04-01T00:00:05.669Z"),
            message_id: Some("0100017-1".to_owned()),
            detail: Some("550 no <…@example.com>".to_owned()),
        };
        let mut told_of = sample(word, member);
        assert_eq!(
            told(&told_of).await.events,
            std::slice::from_ref(&event),
            "{word}"
        );
        // As notifications of an identity tell it: no tags, perhaps the headers.
        let named = told_of["eventType"].take();
        told_of.as_object_mut().unwrap().remove("eventType");
        told_of["notificationType"] = named;
        told_of["mail"]["tags"] = Value::Null;
        told_of["mail"]["headers"] = json!([{"name": "x-denpyo-ref", "value": Uuid::from_u128(7)}]);
        let event = MailEvent {
            attempt: None,
            ..event
        };
        assert_eq!(told(&told_of).await.events, [event], "{word}");
    }
}

#[tokio::test]
async fn what_is_no_mails_event_is_odd() {
    let odd = Events {
        events: Vec::new(),
        odd: 1,
    };
    let topic = topic(&Arc::default());
    for message in ["Successfully validated SNS topic", "", "{}", "[]", "7"] {
        let post = signed(bare("Notification", message));
        assert_eq!(read(&topic, &post).await, Ok(odd.clone()), "{message}");
    }
    let mut no_time = sample("Delivery", "delivery");
    no_time["delivery"]["timestamp"] = 5.into();
    for event in [
        sample("Teleported", "x"),
        no_time,
        json!({"eventType": "Send"}),
    ] {
        assert_eq!(told(&event).await, odd, "{event}");
    }
}

#[tokio::test]
async fn both_kinds_of_signatures_are_checked() {
    let sns = Arc::new(Sns::default());
    let topic = topic(&sns);
    // Made with openssl: no library here signs with SHA-1.
    let mut old = bare("Notification", r#"{"eventType":"Delivery"}"#);
    old["SignatureVersion"] = "1".into();
    old["Signature"] = SHA1.into();
    assert!(read(&topic, &old).await.is_ok());
    old["SignatureVersion"] = "2".into();
    assert_eq!(read(&topic, &old).await, Err(NotEvents::Signature));
    let mut new = signed(bare("Notification", "{}"));
    assert!(read(&topic, &new).await.is_ok());
    for version in ["1", "3", ""] {
        new["SignatureVersion"] = version.into();
        assert_eq!(
            read(&topic, &new).await,
            Err(NotEvents::Signature),
            "{version}"
        );
    }
    // With a subject, and with letters that JSON escapes.
    let mut post = bare("Notification", "{}\n\"ご注文\"\t/");
    post["Subject"] = "Amazon SES".into();
    let post = signed(post);
    let body = post.to_string();
    let now = "2026-04-01T00:00:01Z";
    assert!(read_at(&topic, body.as_bytes(), now).await.is_ok());
    let escaped = body.replace('/', "\\/").replace('ご', "\\u3054");
    assert!(read_at(&topic, escaped.as_bytes(), now).await.is_ok());
    for (name, value) in [
        ("Message", "{} "),
        ("MessageId", "2"),
        ("Subject", "SES"),
        ("Timestamp", "2026-04-01T00:00:00.001Z"),
    ] {
        let mut altered = post.clone();
        altered[name] = value.into();
        assert_eq!(
            read(&topic, &altered).await,
            Err(NotEvents::Signature),
            "{name}"
        );
    }
    assert_eq!(sns.asked(), [CERTIFICATE], "fetched once");
}

/// Whoever posts something bad makes this program ask nobody anything.
#[tokio::test]
async fn nothing_is_asked_for_a_bad_post() {
    let sns = Arc::new(Sns::default());
    let topic = topic(&sns);
    for url in [
        "http://sns.ap-northeast-1.amazonaws.com/a.pem",
        "https://sns.ap-northeast-1.amazonaws.com.evil.example/a.pem",
        "https://evil.example/sns.ap-northeast-1.amazonaws.com/a.pem",
        "https://sns.evil.example#.amazonaws.com/a.pem",
        "https://sns.a.b.amazonaws.com/a.pem",
        "https://sns..amazonaws.com/a.pem",
        "https://sns.amazonaws.com/a.pem",
        "https://s3.ap-northeast-1.amazonaws.com/a.pem",
        "https://mysns.ap-northeast-1.amazonaws.com/a.pem",
        "https://sns.ap-northeast-1.amazonaws.com:8443/a.pem",
        "https://user@sns.ap-northeast-1.amazonaws.com/a.pem",
        "https://sns.ap-northeast-1.amazonaws.com/a.pem?x",
        "https://sns.ap-northeast-1.amazonaws.com/?Action=Publish&x=.pem",
        "https://sns.ap-northeast-1.amazonaws.com/a.txt",
        "file:///etc/passwd.pem",
        "nonsense",
    ] {
        let mut post = bare("Notification", "{}");
        post["SigningCertURL"] = url.into();
        assert_eq!(
            read(&topic, &signed(post)).await,
            Err(NotEvents::Signature),
            "{url}"
        );
    }
    for (name, value) in [
        (
            "TopicArn",
            json!("arn:aws:sns:ap-northeast-1:999999999999:mail"),
        ),
        ("Type", json!("Something")),
        ("Message", json!(7)),
        ("MessageId", Value::Null),
        ("Subject", json!(7)),
    ] {
        let mut post = bare("Notification", "{}");
        post[name] = value;
        assert_eq!(
            read(&topic, &signed(post)).await,
            Err(NotEvents::Signature),
            "{name}"
        );
    }
    for body in ["", "[]", "{}", "nonsense"] {
        let read = read_at(&topic, body.as_bytes(), "2026-04-01T00:00:01Z").await;
        assert_eq!(read, Err(NotEvents::Signature), "{body}");
    }
    let mut unsigned = bare("Notification", "{}");
    assert_eq!(read(&topic, &unsigned).await, Err(NotEvents::Signature));
    unsigned["Signature"] = "!!!".into();
    assert_eq!(read(&topic, &unsigned).await, Err(NotEvents::Signature));
    assert_eq!(sns.asked(), [""; 0]);
    for fine in [
        "https://sns.us-gov-west-1.amazonaws.com/x.pem",
        "https://sns.cn-north-1.amazonaws.com.cn/x.pem",
    ] {
        assert!(of_sns(fine).is_some(), "{fine}");
    }
}

#[tokio::test]
async fn a_subscription_of_this_topic_alone_is_confirmed() {
    let sns = Arc::new(Sns::default());
    let topic = topic(&sns);
    let post = signed(confirmation());
    assert_eq!(read(&topic, &post).await, Ok(Events::default()));
    assert_eq!(sns.asked(), [CERTIFICATE, CONFIRM]);
    for url in [
        CONFIRM.replace("amazonaws.com", "evil.example"),
        CONFIRM.replace("https", "http"),
        CONFIRM.replace("123456789012", "999999999999"),
        CONFIRM.replace("ConfirmSubscription", "Unsubscribe"),
        format!("{CONFIRM}&Action=Unsubscribe"),
        String::new(),
    ] {
        let mut post = confirmation();
        post["SubscribeURL"] = url.clone().into();
        let read = read(&topic, &signed(post)).await;
        assert!(
            matches!(read, Err(NotEvents::Unreadable(_))),
            "{url}: {read:?}"
        );
    }
    let mut forged = post;
    forged["Token"] = "2337".into();
    assert_eq!(read(&topic, &forged).await, Err(NotEvents::Signature));
    assert_eq!(sns.asked().len(), 2);
    let mut ended = confirmation();
    ended["Type"] = "UnsubscribeConfirmation".into();
    assert_eq!(read(&topic, &signed(ended)).await, Ok(Events::default()));
    assert_eq!(sns.asked().len(), 2);
}

/// SNS repeats what is answered with 5xx, and gives up after any 4xx.
#[tokio::test]
async fn what_cannot_be_checked_now_is_to_come_again() {
    let sns = Arc::new(Sns {
        down: true,
        ..Sns::default()
    });
    let post = signed(bare("Notification", "{}"));
    let read_now = read(&topic(&sns), &post).await;
    assert!(
        matches!(read_now, Err(NotEvents::NotNow(_))),
        "{read_now:?}"
    );
    for page in [
        "",
        "<html>",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ] {
        let sns = Arc::new(Sns {
            page: Some(page),
            ..Sns::default()
        });
        assert_eq!(
            read(&topic(&sns), &post).await,
            Err(NotEvents::Signature),
            "{page}"
        );
    }
}

#[tokio::test]
async fn posts_are_taken_as_long_as_they_are_repeated() {
    let topic = topic(&Arc::default());
    let body = signed(bare("Notification", "{}")).to_string();
    for (now, fine) in [
        ("2026-04-01T00:00:00Z", true),
        ("2026-04-01T01:01:00Z", true),
        ("2026-04-01T01:16:00Z", false),
        ("2026-03-31T22:00:00Z", false),
    ] {
        assert_eq!(
            read_at(&topic, body.as_bytes(), now).await.is_ok(),
            fine,
            "{now}"
        );
    }
    let mut timeless = bare("Notification", "{}");
    timeless["Timestamp"] = "soon".into();
    assert_eq!(read(&topic, &signed(timeless)).await, Err(NotEvents::Stale));
}

#[test]
fn names_that_are_no_topics_are_refused() {
    for bad in [
        "",
        "mail",
        "arn:aws:sqs:r:1:mail",
        "arn:aws:sns:r:1",
        "arn:aws:sns::1:mail",
        "arn:aws:sns:r:1:mail:sub",
    ] {
        let refused = Topic::new(bad, Arc::new(Sns::default())).map(|_| ());
        assert!(
            matches!(refused, Err(ProviderError::WebhookKey(_))),
            "{bad}"
        );
    }
    assert!(Topic::new("arn:aws-cn:sns:cn-north-1:1:mail", Arc::new(Sns::default())).is_ok());
}

fn now<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(future)
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body in proptest::collection::vec(any::<u8>(), 0..200), name in "[A-Za-z]{1,12}", value in crate::provider::samples::json()) {
        let topic = topic(&Arc::default());
        prop_assert!(now(read_at(&topic, &body, "2026-04-01T00:00:01Z")).is_err());
        let mut post = signed(bare("Notification", "{}"));
        post[name.as_str()] = value;
        let _ = now(read(&topic, &post));
    }

    #[test]
    fn no_json_makes_it_panic(value in crate::provider::samples::json(), place in 0..6usize) {
        let mut event = sample("Bounce", "bounce");
        match place {
            0 => event = value,
            1 => event["mail"] = value,
            2 => event["bounce"] = value,
            3 => event["mail"]["tags"] = value,
            4 => event["mail"]["headers"] = value,
            _ => event["bounce"]["bouncedRecipients"] = value,
        }
        let read = now(told(&event));
        prop_assert_eq!(read.events.len() + read.odd, 1);
    }
}
const SHA1: &str = "eemUipGoMOf9xvyywX64CuGZ2aFJ16KQbfJamfUO6qyK3JeqYvA8DSaLCI9dTWupFWVdlUelnPefz9z/MeYoeQrSqoUNmK4BbHWLgfzfetD/9aYgE2TjwhJRnbKemEKbp+emVCMSC4QZsEwhIGPB7rDF3+Yiq/Pwuiv+cKgTHgzqQXmUp/VFYkHFG6b2sZMzkTbWUG49fJkfV3aC21Exo+QcoLkdgWkyYJNEnHlI7TZFGEszxIHppxk/sCxUUW4zdaUs/wpadwHVaKfdhdFtEsEb7NzkQnPmBvpknjynrdX8iTgBgyAcRkqlX3GdHyg50ZN41wogOKuoIU8ffyROaQ==";
