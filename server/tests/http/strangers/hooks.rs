//! What comes to the addresses where mail services post.

use super::draws::{Draws, json_value};
use super::{Drawn, all_survive, goes_on, survives};
use crate::run::Home;
use crate::signer::Signer;
use proptest::arbitrary::any;
use proptest::collection::vec;
use reqwest::Method;
use serde_json::{Value, json};

const ROUNDS: usize = 40;

/// Signed, and yet not as documented: a service that changed its mind.
pub async fn no_signed_post_breaks_the_events(mut home: Home) {
    let signer = Signer::new();
    home.send_through("http://127.0.0.1:9")
        .set("WEBHOOK_KEY", signer.key());
    let site = home.web().await;
    let id = site.enqueue("order-of-before").await;
    let reference = site.row(id).await["ref"].clone();
    let draws = &mut Draws::new();
    for _ in 0..ROUNDS {
        let mut drawn = Vec::new();
        for _ in 0..4 {
            let events: Vec<Value> = (0..draws.one(&(0..4)))
                .map(|_| draws.changed(event(&reference)))
                .collect();
            let body = draws.written(&json!(events));
            let mut request = site.ask(Method::POST, "/webhooks/sendgrid");
            for (name, value) in signer.headers(&body, 0) {
                request = request.header(name, value);
            }
            let what = String::from_utf8_lossy(&body).into_owned();
            drawn.push((what, request.body(body)));
        }
        all_survive(&site, drawn).await;
    }
    // What can be read of all that is taken in.
    let row = site.row(id).await;
    assert_eq!(row["settled_by"], "webhook", "{row}");
    goes_on(&home, &site).await;
}

fn event(reference: &Value) -> Value {
    json!({
        "email": "a@example.com", "event": "delivered", "timestamp": 1_767_000_000,
        "sg_event_id": "e", "sg_message_id": "m.recvd-1", "ref": reference, "attempt": "1",
        "reason": "550 no", "type": "bounce",
    })
}

/// SendGrid's, of no account.
const PUBLIC_KEY: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";

/// With and without something in the place of a signature, to every service's address: a post that
/// nobody signed is refused, and that is all.
#[tokio::test(flavor = "multi_thread")]
async fn no_unsigned_post_is_taken() {
    const HEADERS: [&str; 7] = [
        "x-twilio-email-event-webhook-signature",
        "x-twilio-email-event-webhook-timestamp",
        "svix-id",
        "svix-timestamp",
        "svix-signature",
        "authorization",
        "content-encoding",
    ];
    for (service, url, key) in [
        ("sendgrid", "https://api.sendgrid.com", PUBLIC_KEY),
        (
            "resend",
            "https://api.resend.com",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ),
        ("postmark", "https://api.postmarkapp.com", "user:password"),
        (
            "mailgun",
            "https://api.mailgun.net/v3/mg.example.com",
            "signing-key",
        ),
        (
            "ses",
            "https://email.ap-northeast-1.amazonaws.com",
            "arn:aws:sns:ap-northeast-1:123456789012:mail",
        ),
    ] {
        let mut home = Home::sqlite().await;
        home.set("PROVIDER", service)
            .set("PROVIDER_URL", url)
            .set("PROVIDER_KEY", "AKIA:secret")
            .set("FROM", "Shop <order@shop.example>")
            .set("WEBHOOK_KEY", key);
        let site = home.web().await;
        site.enqueue("order-of-before").await;
        let draws = &mut Draws::new();
        for _ in 0..ROUNDS {
            let body = if draws.in_(2) {
                draws.one(&vec(any::<u8>(), 0..200))
            } else {
                let value = draws.one(&json_value());
                draws.written(&value)
            };
            let mut request = site.ask(Method::POST, &format!("/webhooks/{service}"));
            for name in HEADERS {
                if draws.in_(2) {
                    let value = draws
                        .one(&"([ -~]{0,80}|1767000000|v1,[a-zA-Z0-9+/]{43}=|Basic dXNlcjp4|gzip)");
                    request = request.header(name, value);
                }
            }
            let drawn: Drawn = (
                format!("{service} {}", String::from_utf8_lossy(&body)),
                request.body(body),
            );
            let what = drawn.0.clone();
            let status = survives(&site, drawn).await;
            assert!(status.is_client_error(), "{status} to {what:.500}");
        }
        goes_on(&home, &site).await;
    }
}
