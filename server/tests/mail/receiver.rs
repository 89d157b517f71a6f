//! TLS, signing in, names and waiting: against a mail server made of npm's smtp-server.

use crate::certificates::Certificates;
use crate::node;
use crate::run::{Home, Program, eventually, on_both};
use crate::site::{Site, With};
use serde_json::{Value, json};

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

    /// The mails that it took, once there are so many: what it prints of one may be on its way still
    /// when Denpyo has its answer.
    async fn mails(&mut self, count: usize) -> Vec<Value> {
        let mails = self
            .program
            .wait_for("mails", |program| {
                let out = program.out();
                let (whole, _) = out.rsplit_once('\n')?;
                let mails: Vec<Value> = whole
                    .lines()
                    .filter_map(|line| line.strip_prefix("mail "))
                    .map(|mail| serde_json::from_str(mail).unwrap())
                    .collect();
                (mails.len() >= count).then_some(mails)
            })
            .await;
        assert_eq!(mails.len(), count, "{mails:?}");
        mails
    }
}

/// Sends one mail through that address.
async fn home(url: &str) -> Home {
    with_mail(Home::sqlite().await, url).await
}

async fn with_mail(mut home: Home, url: &str) -> Home {
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

#[tokio::test(flavor = "multi_thread")]
async fn tls_and_signing_in_with_odd_passwords() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::new(folder.path(), "localhost");
    for (tls, scheme) in [("wrapped", "smtps"), ("upgraded", "smtp")] {
        let mut receiver = Receiver::start(&json!({"tls": tls,
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
        receiver.mails(0).await;

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
        let mail = &receiver.mails(1).await[0];
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
    let mut receiver =
        Receiver::start(&json!({"user": "shop@example.com", "password": "right"})).await;
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
    receiver.mails(1).await;
}

/// Whether the desk says that sending is paused, and why; in both languages alike.
async fn desk_tells_of_a_pause(site: &Site, session: &str, code: u16) -> bool {
    let mut told = Vec::new();
    for (lang, notice) in [
        ("ja", format!("送信を止めています（{code}）")),
        ("en", format!("refuses this account ({code})")),
    ] {
        let page = site.get("/").with(session).header("accept-language", lang);
        let page = page.send().await.unwrap().text().await.unwrap();
        told.push(page.contains(&notice));
    }
    assert_eq!(told[0], told[1]);
    told[0]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_name_pauses_the_service_tells_the_desk_and_a_better_one_helps() {
    for (strict, code) in [
        ("RCPT", 450),
        ("RCPT", 504),
        ("EHLO", 450),
        ("EHLO", 504),
        ("EHLO", 550),
    ] {
        let at = format!("{code} at {strict}");
        let settings = json!({"strict_hello": strict, "strict_code": code});
        let mut receiver = Receiver::start(&settings).await;
        let mut home = home(&format!("smtp://127.0.0.1:{}?tls=none", receiver.port)).await;
        home.add_user("sato", "support", "correct horse");
        let site = home.web().await;
        let session = site.sign_in("sato", "correct horse").await;
        for (attempt, name) in [(1, "shop_worker_1"), (2, "4f5e6d7c8b9a")] {
            home.set("SMTP_NAME", name);
            let worker = home.worker().await;
            let refused = format!(
                "status = 'failed' AND attempts_counted = 0 AND attempts = {attempt} \
                 AND error LIKE '{code} %name%'"
            );
            is(&home, &refused).await;
            assert!(desk_tells_of_a_pause(&site, &session, code).await, "{at}");
            worker.kill().await;
            home.db.run("DELETE FROM service_pauses").await;
            let id = home.db.id_of("1").await;
            home.db.make_due(id).await;
        }
        let otherwise = "SELECT COUNT(*) FROM submission_attempts WHERE outcome <> 'account'";
        assert_eq!(home.db.number(otherwise).await, 0, "{at}");
        home.set("SMTP_NAME", "mail.example.com");
        let _worker = home.worker().await;
        is(&home, "status = 'synced'").await;
        assert_eq!(receiver.mails(1).await[0]["hello"], "mail.example.com");
        assert!(!desk_tells_of_a_pause(&site, &session, code).await, "{at}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_greylisted_mail_is_tried_again_and_arrives_once() {
    let mut receiver = Receiver::start(&json!({"greylist_ms": 1500})).await;
    let home = home(&format!("smtp://127.0.0.1:{}?tls=none", receiver.port)).await;
    let _worker = home.worker().await;
    is(&home, "status = 'synced' AND attempts > 1").await;
    let id = home.db.id_of("1").await;
    assert_eq!(home.db.outcome(id, 1).await.as_deref(), Some("temporary"));
    receiver.mails(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_recipient_that_is_not_relayed_does_not_stop_the_others() {
    let mut receiver = Receiver::start(&json!({"no_relay": "elsewhere.example"})).await;
    let mut home = home(&format!("smtp://127.0.0.1:{}?tls=none", receiver.port)).await;
    home.set("MAX_ATTEMPTS", "1");
    home.db.change(1, "recipient = 'a@elsewhere.example'").await;
    let mut worker = home.worker().await;
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
    worker.logs("about this mail").await;
    receiver.mails(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn check_signs_in_and_sends_nothing() {
    let mut receiver =
        Receiver::start(&json!({"user": "shop@example.com", "password": "right"})).await;
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
    receiver.mails(0).await;
}

on_both!(temporary_answers_in_a_row_are_waited_out);

/// Each wait is longer than the one before, none counts as a refusal, and what the mail is still
/// allowed is enough for a server that greylists for the first quarter of an hour.
async fn temporary_answers_in_a_row_are_waited_out(home: Home) {
    const CODES: [i64; 4] = [451, 450, 421, 422];
    let mut receiver = Receiver::start(&json!({"first": CODES})).await;
    let home = with_mail(
        home,
        &format!("smtp://127.0.0.1:{}?tls=none", receiver.port),
    )
    .await;
    home.add_user("sato", "support", "correct horse");
    let site = home.web().await;
    let _worker = home.worker().await;
    let id = home.db.id_of("1").await;
    for (attempt, code) in (1..).zip(CODES) {
        let put_off = format!(
            "status = 'failed' AND attempts = {attempt} AND attempts_counted = {attempt} \
             AND next_attempt_at IS NOT NULL AND error LIKE '{code} %'"
        );
        is(&home, &put_off).await;
        home.db.make_due(id).await;
    }
    is(&home, "status = 'synced' AND attempts = 5").await;
    receiver.mails(1).await;

    let row = site.row(id).await;
    let log = row["attempt_log"].as_array().unwrap();
    let time = |at: &Value| chrono::DateTime::parse_from_rfc3339(at.as_str().unwrap()).unwrap();
    let mut waits = Vec::new();
    for (entry, code) in log.iter().zip(CODES) {
        assert_eq!(
            (&entry["outcome"], &entry["code"]),
            (&json!("temporary"), &json!(code))
        );
        waits.push((time(&entry["next_attempt_at"]) - time(&entry["closed_at"])).num_seconds());
    }
    assert!(waits.windows(2).all(|w| w[0] < w[1]), "{waits:?}");
    assert!(waits.iter().sum::<i64>() >= 15 * 60, "{waits:?}");

    let session = site.sign_in("sato", "correct horse").await;
    for (lang, temporary, refused) in [("ja", "一時的", "断られ"), ("en", "temporarily", "refused")]
    {
        let page = site.get(&format!("/submissions/{id}")).with(&session);
        let page = page.header("accept-language", lang).send().await.unwrap();
        let page = page.text().await.unwrap();
        // Beyond it, the help says what every state means.
        let (page, _) = page.split_once("</main>").unwrap();
        assert!(
            page.contains(temporary) && !page.contains(refused),
            "{page}"
        );
    }
}
