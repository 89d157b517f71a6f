//! TLS, signing in, names and waiting: against a mail server made of npm's smtp-server.

use crate::node;
use crate::run::{Home, Program, eventually};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use std::path::PathBuf;

struct Receiver {
    program: Program,
    port: u16,
}

impl Receiver {
    async fn start(settings: &Value) -> Receiver {
        let mut program = node::start("mail/receiver.mjs", &[&settings.to_string()]);
        let port = program.says("listening on ").await.parse().unwrap();
        Receiver { program, port }
    }

    fn mails(&self) -> Vec<Value> {
        let out = self.program.out();
        out.lines()
            .filter_map(|line| line.strip_prefix("mail "))
            .map(|mail| serde_json::from_str(mail).unwrap())
            .collect()
    }
}

/// Sends one mail through that address.
async fn home(url: &str) -> Home {
    let mut home = Home::sqlite().await;
    home.set("PROVIDER", "smtp")
        .set("PROVIDER_URL", url)
        .set("FROM", "Shop <order@example.com>")
        .lease(5_000, 10_000);
    home.migrate();
    let mail = json!({"order_id": "1", "kind": "k", "recipient": "a..b.@example.ne.jp",
        "subject": "s", "body_text": "b"});
    let done = home.run(["enqueue"], mail.to_string().as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    home
}

async fn is(home: &Home, condition: &str) {
    let sql = format!("SELECT COUNT(*) FROM email_submissions WHERE {condition}");
    eventually(condition, async || {
        (home.db.number(&sql).await == 1).then_some(())
    })
    .await;
}

/// A certificate for `localhost`, and the authority that vouches for it.
struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    fn new(home: &std::path::Path) -> Certificates {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let vouching = authority.self_signed(&key).unwrap();
        let issuer = Issuer::new(authority, key);
        let own_key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let own = own.signed_by(&own_key, &issuer).unwrap();
        let certificates = Certificates {
            folder: home.to_path_buf(),
        };
        for (name, text) in [
            ("authority.pem", vouching.pem()),
            ("cert.pem", own.pem()),
            ("key.pem", own_key.serialize_pem()),
        ] {
            std::fs::write(certificates.path(name), text).unwrap();
        }
        certificates
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_and_signing_in_with_odd_passwords() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::new(folder.path());
    for (tls, scheme) in [("wrapped", "smtps"), ("upgraded", "smtp")] {
        let receiver = Receiver::start(&json!({"tls": tls,
            "cert": certificates.path("cert.pem"), "key": certificates.path("key.pem"),
            "user": "shop@example.com", "password": "p#a/s%"}))
        .await;
        let port = receiver.port;
        let home = home(&format!(
            "{scheme}://shop%40example.com:p%23a%2Fs%25@localhost:{port}"
        ))
        .await;

        // Nobody vouches for the certificate: nothing is said to that server.
        let stranger = home.worker().await;
        is(&home, "status = 'failed' AND error IS NOT NULL").await;
        stranger.kill().await;
        assert_eq!(receiver.mails(), [] as [Value; 0]);

        let id = home.db.id_of("1").await;
        home.db.make_due(id).await;
        let mut command = home.command(["worker"]);
        command.env("SSL_CERT_FILE", certificates.path("authority.pem"));
        let worker = Program::start(command);
        is(
            &home,
            "status = 'synced' AND provider_message_id = 'RECEIVER1'",
        )
        .await;
        assert!(!worker.log().contains("p#a"), "{worker:?}");
        let mails = receiver.mails();
        let [mail] = mails.as_slice() else {
            panic!("{mails:?}")
        };
        assert_eq!(mail["to"], json!(["a..b.@example.ne.jp"]));
        assert_eq!(mail["from"], "order@example.com");
        assert_eq!(
            (&mail["secure"], &mail["user"]),
            (&json!(true), &json!("shop@example.com"))
        );
        assert_eq!(mail["hello"], "example.com");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_pauses_the_service_until_it_is_right() {
    let receiver = Receiver::start(&json!({"user": "shop@example.com", "password": "right"})).await;
    let url = |password: &str| {
        let port = receiver.port;
        format!("smtp://shop%40example.com:{password}@127.0.0.1:{port}?tls=none")
    };
    let mut home = home(&url("wrong")).await;
    let worker = home.worker().await;
    is(&home, "status = 'failed' AND attempts_counted = 0").await;
    assert_eq!(
        home.db.number("SELECT COUNT(*) FROM service_pauses").await,
        1
    );
    worker.kill().await;

    home.set("PROVIDER_URL", url("right"));
    let id = home.db.id_of("1").await;
    home.db.make_due(id).await;
    let _worker = home.worker().await;
    is(&home, "status = 'synced'").await;
    assert_eq!(receiver.mails().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_name_pauses_the_service_and_a_better_one_helps() {
    let receiver = Receiver::start(&json!({"strict_hello": true})).await;
    let mut home = home(&format!("smtp://127.0.0.1:{}?tls=none", receiver.port)).await;
    for (attempt, name) in [(1, "shop_worker_1"), (2, "4f5e6d7c8b9a")] {
        home.set("SMTP_NAME", name);
        let worker = home.worker().await;
        let refused = "status = 'failed' AND attempts_counted = 0 AND error LIKE '%hostname%'";
        is(&home, &format!("{refused} AND attempts = {attempt}")).await;
        assert_eq!(
            home.db.number("SELECT COUNT(*) FROM service_pauses").await,
            1
        );
        worker.kill().await;
        home.db.run("DELETE FROM service_pauses").await;
        let id = home.db.id_of("1").await;
        home.db.make_due(id).await;
    }
    home.set("SMTP_NAME", "mail.example.com");
    let _worker = home.worker().await;
    is(&home, "status = 'synced'").await;
    assert_eq!(receiver.mails()[0]["hello"], "mail.example.com");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_greylisted_mail_is_tried_again_and_arrives_once() {
    let receiver = Receiver::start(&json!({"greylist_ms": 1500})).await;
    let home = home(&format!("smtp://127.0.0.1:{}?tls=none", receiver.port)).await;
    let _worker = home.worker().await;
    is(&home, "status = 'failed' AND next_attempt_at IS NOT NULL").await;
    let id = home.db.id_of("1").await;
    assert_eq!(home.db.outcome(id, 1).await.as_deref(), Some("temporary"));
    is(&home, "status = 'synced'").await;
    assert_eq!(receiver.mails().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_recipient_that_is_not_relayed_does_not_stop_the_others() {
    let receiver = Receiver::start(&json!({"no_relay": "elsewhere.example"})).await;
    let mut home = home(&format!("smtp://127.0.0.1:{}?tls=none", receiver.port)).await;
    home.set("MAX_ATTEMPTS", "1");
    home.db.change(1, "recipient = 'a@elsewhere.example'").await;
    let worker = home.worker().await;
    is(
        &home,
        "order_id = '1' AND attempts = 1 AND status = 'failed' AND attempts_counted = 0",
    )
    .await;
    // The pause is over, and somebody else's mail is the one that tries.
    home.db.insert("2").await;
    let past = home.db.at(-1);
    let over = format!("UPDATE service_pauses SET paused_until = {past}");
    home.db.run(&over).await;
    is(&home, "order_id = '2' AND status = 'synced'").await;
    let blamed =
        "status = 'failed' AND attempts = 2 AND attempts_counted = 1 AND next_attempt_at IS NULL";
    is(&home, &format!("order_id = '1' AND {blamed}")).await;
    assert_eq!(
        home.db.number("SELECT COUNT(*) FROM service_pauses").await,
        0
    );
    home.db.insert("3").await;
    is(&home, "order_id = '3' AND status = 'synced'").await;
    assert!(worker.log().contains("about this mail"), "{worker:?}");
    assert_eq!(receiver.mails().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_signs_in_and_sends_nothing() {
    let receiver = Receiver::start(&json!({"user": "shop@example.com", "password": "right"})).await;
    let mut home = Home::sqlite().await;
    home.migrate();
    home.set("PROVIDER", "smtp")
        .set("FROM", "Shop <order@example.com>");
    for (login, code, words) in [
        ("shop%40example.com:right@", 0, "takes the sign-in"),
        ("shop%40example.com:hunter2@", 1, "refuses the sign-in: 535"),
        ("", 0, "no sign-in is set"),
    ] {
        home.set(
            "PROVIDER_URL",
            format!("smtp://{login}127.0.0.1:{}?tls=none", receiver.port),
        );
        let done = home.run(["check"], b"");
        assert_eq!(done.code, code, "{done:?}");
        assert!(done.out.contains(words), "{done:?}");
        assert!(!done.out.contains("hunter2"), "{done:?}");
    }
    assert_eq!(receiver.mails(), [] as [Value; 0]);
}
