//! What a reader finds: mails sent to MailDev and read back through its API.

use crate::common::Port;
use crate::node;
use crate::run::{Home, Program, eventually};
use serde_json::{Value, json};

/// On ports that it is given: it does not tell which ones it took.
struct MailDev {
    _program: Program,
    smtp: Port,
    _web: Port,
    api: String,
}

impl MailDev {
    async fn start() -> MailDev {
        let (smtp, web) = (Port::reserve(), Port::reserve());
        let program = node::start(
            "node_modules/maildev/dist/bin/maildev.js",
            &[
                "--smtp",
                &smtp.number().to_string(),
                "--ip",
                "127.0.0.1",
                "--web",
                &web.number().to_string(),
                "--web-ip",
                "127.0.0.1",
            ],
        );
        let maildev = MailDev {
            _program: program,
            api: format!("{}/api/email", web.url()),
            smtp,
            _web: web,
        };
        eventually("MailDev listens", async || {
            let smtp = ("127.0.0.1", maildev.smtp.number());
            let smtp = tokio::net::TcpStream::connect(smtp).await;
            let api = reqwest::get(&maildev.api).await;
            (smtp.is_ok() && api.is_ok()).then_some(())
        })
        .await;
        maildev
    }

    /// The mails, once there are so many: it reads them after it has accepted them.
    async fn mails(&self, count: usize) -> Vec<Value> {
        eventually("MailDev has read the mails", async || {
            let answer = reqwest::get(&self.api).await.unwrap();
            let mails: Vec<Value> = answer.json().await.unwrap();
            (mails.len() >= count).then_some(mails)
        })
        .await
    }

    async fn raw(&self, mail: &Value) -> String {
        let id = mail["id"].as_str().unwrap();
        let answer = reqwest::get(format!("{}/{id}/source", self.api)).await;
        answer.unwrap().text().await.unwrap()
    }
}

const ODD: &str = "①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧邉󠄂";

#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_is_what_is_read() {
    denpyo::provider::http::tls();
    let maildev = MailDev::start().await;
    let mut home = Home::sqlite().await;
    home.set("PROVIDER", "smtp")
        .set(
            "PROVIDER_URL",
            format!("smtp://127.0.0.1:{}?tls=none", maildev.smtp.number()),
        )
        .set("FROM", "株式会社サンプル, 受注係 <order@example.com>");
    home.migrate();

    let link = format!("https://example.com/{}", "y".repeat(100));
    let long_line = format!("<p>{}<a href=\"{link}\">{ODD}</a></p>", "z".repeat(950));
    let long_line = format!("{long_line}{}", "w".repeat(20_000));
    let smuggled = "dots\n.\n..\n.x\r.\r\n.\r\nMAIL FROM:<evil@example.com>\r\ntrailing  \nend";
    let mails = [
        json!({"order_id": format!("1-{ODD}"), "kind": "k", "recipient": "a@example.jp",
            "subject": ODD, "body_text": ODD, "sender": format!("{ODD} <order@example.com>"),
            "reply_to": format!("{ODD} <reply@example.com>")}),
        json!({"order_id": "2", "kind": "k", "recipient": "b@example.jp",
            "subject": "ご注文ありがとうございます ".repeat(20) + "end",
            "body_html": long_line}),
        json!({"order_id": "3", "kind": "k", "recipient": "c@example.jp", "subject": "dots",
            "body_text": smuggled, "body_html": "<b>3</b>",
            "sender": "Sample (Tokyo), \"Inc.\" <other@example.org>"}),
    ];
    let lines: Vec<_> = mails.iter().map(Value::to_string).collect();
    let done = home.run(["enqueue"], lines.join("\n").as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    let _worker = home.worker().await;
    let synced = "SELECT COUNT(*) FROM email_submissions WHERE status = 'synced' AND attempts = 1";
    eventually("all are accepted", async || {
        (home.db.number(synced).await == 3).then_some(())
    })
    .await;

    let got = maildev.mails(3).await;
    assert_eq!(got.len(), 3, "{got:?}");
    let of = |to: &str| {
        let mail = got.iter().find(|m| m["to"][0]["address"] == to);
        mail.unwrap_or_else(|| panic!("{to} in {got:?}"))
    };
    let text = |mail: &Value, body: &str| {
        let body = mail[body].as_str().unwrap_or_default();
        body.replace("\r\n", "\n").trim_end_matches('\n').to_owned()
    };

    let first = of("a@example.jp");
    assert_eq!(first["subject"], ODD);
    assert_eq!(text(first, "text"), ODD);
    for (mail, name) in [
        (first, ODD),
        (of("b@example.jp"), "株式会社サンプル, 受注係"),
    ] {
        assert_eq!(mail["from"].as_array().unwrap().len(), 1);
        assert_eq!(mail["from"][0]["name"], name);
        assert_eq!(mail["from"][0]["address"], "order@example.com");
    }
    let id = home.db.id_of(&format!("1-{ODD}")).await;
    let reference = home.db.column(id, "ref").await.unwrap();
    let raw = maildev.raw(first).await;
    for line in [
        format!("Message-ID: <{reference}@example.com>"),
        format!("X-Denpyo-Ref: {reference}"),
        "X-Denpyo-Attempt: 1".to_owned(),
    ] {
        assert!(raw.lines().any(|l| l == line), "{line} in {raw}");
    }
    let parsed = mail_parser::MessageParser::new()
        .parse(raw.as_bytes())
        .unwrap();
    let reply_to = parsed.reply_to().unwrap().first().unwrap();
    assert_eq!(reply_to.name(), Some(ODD));
    let order = parsed.header_as("X-Denpyo-Order", mail_parser::HeaderForm::Text);
    assert_eq!(order[0].as_text(), Some(format!("1-{ODD}").as_str()));

    let second = of("b@example.jp");
    assert_eq!(second["subject"], mails[1]["subject"]);
    let raw = maildev.raw(second).await;
    assert!(raw.lines().all(|line| line.len() <= 998), "{raw}");
    assert_eq!(text(second, "html"), long_line);

    let third = of("c@example.jp");
    assert_eq!(
        text(third, "text"),
        "dots\n.\n..\n.x\n.\n.\nMAIL FROM:<evil@example.com>\ntrailing  \nend"
    );
    assert_eq!(third["from"][0]["name"], "Sample (Tokyo), \"Inc.\"");
    assert_eq!(third["from"].as_array().unwrap().len(), 1);
    let id = home.db.id_of("3").await;
    assert!(home.db.column(id, "provider_message_id").await.is_some());
}
