//! Amazon SNS's posts to a real process, whose every connection comes to a stand-in of Amazon SNS.

use crate::certificates::Certificates;
use crate::run::{Home, Program};
use crate::site::{Site, read};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, StatusCode};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

const ARN: &str = "arn:aws:sns:ap-northeast-1:123456789012:mail";
const HOST: &str = "sns.ap-northeast-1.amazonaws.com";
/// With which this "Amazon SNS" signs.
const SIGNING: &[u8] = include_bytes!("../../src/provider/ses/sample.pem");
const SIGNING_KEY: &[u8] = include_bytes!("../../src/provider/ses/sample.key");

/// Whatever somebody connects to.
struct Everywhere {
    port: u16,
    /// What was asked for, a connection an entry; one that broke off before it asked is blank.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Everywhere {
    fn start(certificates: &Certificates) -> Everywhere {
        denpyo::provider::http::tls();
        let chain = vec![CertificateDer::from_pem_slice(&certificates.bytes("cert.pem")).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(&certificates.bytes("key.pem")).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&asked);
        // Ends with the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let tls = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = BufReader::new(StreamOwned::new(tls, stream.unwrap()));
                let (mut first, mut line) = (String::new(), String::new());
                while stream.read_line(&mut line).is_ok_and(|n| n > 2) {
                    if first.is_empty() {
                        first = line.trim_end().to_owned();
                    }
                    line.clear();
                }
                kept.lock().unwrap().push(first);
                let length = SIGNING.len();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
                );
                let stream = stream.get_mut();
                // Whoever is gone needs no answer.
                let _ = stream.write_all(&[head.as_bytes(), SIGNING].concat());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        });
        Everywhere { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn signed(mut post: Value) -> Value {
    let names: &[&str] = if post["Type"] == "Notification" {
        &["Message", "MessageId", "Timestamp", "TopicArn", "Type"]
    } else {
        &[
            "Message",
            "MessageId",
            "SubscribeURL",
            "Timestamp",
            "Token",
            "TopicArn",
            "Type",
        ]
    };
    let lines: Vec<String> = names
        .iter()
        .map(|name| format!("{name}\n{}\n", post[*name].as_str().unwrap()))
        .collect();
    let der = PrivatePkcs8KeyDer::from_pem_slice(SIGNING_KEY).unwrap();
    let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
    let mut signature = vec![0; key.public().modulus_len()];
    let message = lines.concat();
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        message.as_bytes(),
        &mut signature,
    )
    .unwrap();
    post["Signature"] = json!(STANDARD.encode(signature));
    post
}

fn post(kind: &str, message: &str) -> Value {
    json!({
        "Type": kind, "MessageId": "1", "TopicArn": ARN, "Message": message,
        "Timestamp": chrono::Utc::now().to_rfc3339(), "SignatureVersion": "2",
        "SigningCertURL": format!("https://{HOST}/SimpleNotificationService-1.pem"),
    })
}

fn subscription(host: &str) -> Value {
    let mut post = post("SubscriptionConfirmation", "You have chosen to subscribe");
    post["Token"] = json!("2336");
    post["SubscribeURL"] = json!(format!(
        "https://{host}/?Action=ConfirmSubscription&TopicArn={ARN}&Token=2336"
    ));
    post
}

/// As SNS labels its posts, and without any label.
const LABELS: [Option<&str>; 2] = [Some("text/plain; charset=UTF-8"), None];

async fn told(site: &Site, label: Option<&str>, post: &Value) -> (StatusCode, Value) {
    let request = site
        .ask(Method::POST, "/webhooks/ses")
        .body(post.to_string());
    let request = match label {
        Some(label) => request.header("content-type", label),
        None => request,
    };
    read(request.send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_are_read_by_their_body_and_a_bad_one_makes_it_ask_nobody() {
    let mut home = Home::sqlite().await;
    let certificates = Certificates::new(home.folder.path(), HOST);
    let everywhere = Everywhere::start(&certificates);
    home.set("PROVIDER", "ses")
        .set("PROVIDER_URL", "https://email.ap-northeast-1.amazonaws.com")
        .set("PROVIDER_KEY", "AKIA:secret")
        .set("FROM", "Shop <order@shop.example>")
        .set("WEBHOOK_KEY", ARN);
    let mut command = home.command_with("http/everywhere.c", ["serve", "--no-worker"]);
    command
        .env("EVERYWHERE", everywhere.port.to_string())
        .env("SSL_CERT_FILE", certificates.path("authority.pem"));
    let site = Site::of(Program::start(command)).await;
    let id = site.enqueue("1001").await;
    let row = site.row(id).await;
    let event = json!({
        "eventType": "Delivery",
        "mail": {
            "timestamp": "2026-04-01T00:00:00.000Z", "messageId": "0100017-1",
            "tags": {"ref": [row["ref"]], "attempt": ["1"]},
        },
        "delivery": {"timestamp": "2026-04-01T00:00:05.669Z"},
    });
    let notification = post("Notification", &event.to_string());
    let with = |name: &str, value: String| {
        let mut post = notification.clone();
        post[name] = json!(value);
        signed(post)
    };

    let foreign = "arn:aws:sns:ap-northeast-1:999999999999:mail".to_owned();
    for label in LABELS {
        for (what, post) in [
            ("no SNS", json!({"Type": "Notification"})),
            ("another topic", with("TopicArn", foreign.clone())),
            (
                "another host",
                with(
                    "SigningCertURL",
                    "https://sns.evil.example/a.pem".to_owned(),
                ),
            ),
            (
                "no TLS",
                with("SigningCertURL", format!("http://{HOST}/a.pem")),
            ),
            (
                "a host that only looks alike",
                with(
                    "SigningCertURL",
                    format!("https://{HOST}.evil.example/a.pem"),
                ),
            ),
        ] {
            let (status, problem) = told(&site, label, &post).await;
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{what}: {problem}");
        }
    }
    assert_eq!(everywhere.asked(), [""; 0]);

    for label in LABELS {
        let (status, answer) = told(&site, label, &signed(subscription(HOST))).await;
        assert_eq!((status, &answer), (StatusCode::OK, &json!({"events": 0})));
    }
    let confirm = format!("GET /?Action=ConfirmSubscription&TopicArn={ARN}&Token=2336 HTTP/1.1");
    let asked = [
        "GET /SimpleNotificationService-1.pem HTTP/1.1",
        &confirm,
        &confirm,
    ];
    assert_eq!(everywhere.asked(), asked);

    for label in LABELS {
        let mut forged = signed(notification.clone());
        forged["Message"] = json!("{}");
        let (status, problem) = told(&site, label, &forged).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{problem}");
        let elsewhere = signed(subscription("sns.evil.example"));
        let (status, problem) = told(&site, label, &elsewhere).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
        assert_eq!(site.row(id).await["version"], row["version"]);
    }
    for label in LABELS {
        let (status, answer) = told(&site, label, &signed(notification.clone())).await;
        assert_eq!((status, &answer), (StatusCode::OK, &json!({"events": 1})));
    }
    assert_eq!(everywhere.asked(), asked, "the certificate is known by now");
    let row = site.row(id).await;
    assert_eq!(
        (&row["status"], &row["settled_by"], &row["delivery_state"]),
        (&json!("synced"), &json!("webhook"), &json!("delivered"))
    );
    assert_eq!(row["provider_message_id"], "0100017-1");
    assert_eq!(row["observations"].as_array().unwrap().len(), 1, "{row}");
}
