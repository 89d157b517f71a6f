//! `POST /api/v1/submissions`, and one row.

use crate::common::RunningSandbox;
use crate::run::{Home, eventually, on_both};
use crate::site::{With, header, mail, read};
use app::model::views::TokenScope;
use denpyo::tokens;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::{Connection, Executor, PgConnection};

on_both!(
    one_key_is_one_mail,
    fifty_at_once_are_one_mail,
    what_cannot_be_stored_is_refused_first,
    ids_that_name_nothing,
    times_that_are_not_now,
    by_which_way_it_came,
);

async fn one_key_is_one_mail(home: Home) {
    let site = home.web().await;
    let request = site.api(Method::POST, "").json(&mail("1001"));
    let answer = request.send().await.unwrap();
    let at = header(&answer, "location").to_owned();
    let (status, row) = read(answer).await;
    assert_eq!(status, StatusCode::CREATED, "{row}");
    assert_eq!(at, format!("/api/v1/submissions/{}", row["id"]));
    assert_eq!(row["status"], "pending");
    assert_eq!(row["attempts"], 0);
    assert_eq!(row["subject"], "ご注文ありがとうございます");
    let request = site.get(&at).bearer_auth(crate::run::TOKEN);
    let (_, shown) = read(request.send().await.unwrap()).await;
    assert_eq!(shown["ref"], row["ref"]);
    assert_eq!(shown["attempt_log"], json!([]));
    assert_eq!(shown["observations"], json!([]));

    // Absent, null and '' are one, and line ends are no difference.
    let mut same = mail("1001");
    same["reply_to"] = Value::Null;
    same["body_html"] = json!("");
    assert_eq!(site.post("", &same).await, (StatusCode::OK, row.clone()));

    let mut lines = mail("1002");
    lines["body_text"] = json!("a\nb");
    assert_eq!(site.post("", &lines).await.0, StatusCode::CREATED);
    lines["body_text"] = json!("a\r\nb");
    assert_eq!(site.post("", &lines).await.0, StatusCode::OK);

    for (member, value) in [
        ("recipient", "b@example.com"),
        ("subject", "別の件名"),
        ("body_text", "別の本文"),
        ("body_html", "<p>別の本文</p>"),
        ("reply_to", "c@example.com"),
        ("sender", "d@example.com"),
    ] {
        let mut other = mail("1001");
        other[member] = json!(value);
        let (status, problem) = site.post("", &other).await;
        assert_eq!(status, StatusCode::CONFLICT, "{member}");
        assert_eq!(problem["submission"], row, "{member}");
    }
    // Another occasion is another mail.
    let mut parcel = mail("1001");
    parcel["occasion"] = json!("parcel 2");
    assert_eq!(site.post("", &parcel).await.0, StatusCode::CREATED);
}

async fn fifty_at_once_are_one_mail(home: Home) {
    let site = home.web().await;
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let request = site.api(Method::POST, "").json(&mail("1001"));
        requests.spawn(async move { read(request.send().await.unwrap()).await });
    }
    let answers = requests.join_all().await;
    let created = |(status, _): &&(StatusCode, Value)| *status == StatusCode::CREATED;
    assert_eq!(answers.iter().filter(created).count(), 1);
    let found = |(status, _): &&(StatusCode, Value)| *status == StatusCode::OK;
    assert_eq!(answers.iter().filter(found).count(), 49);
    assert!(answers.iter().all(|(_, row)| *row == answers[0].1));
}

/// The API's row and the page say alike who put a mail in; of an earlier version's mails nobody knows.
async fn by_which_way_it_came(home: Home) {
    home.add_user("sato", "support", "correct horse");
    let site = home.web().await;
    let session = site.sign_in("sato", "correct horse").await;
    let made = tokens::make(&home.db, "sato", "受注", TokenScope::Write).await;
    let (_, secret) = made.unwrap().expect("the name is new");
    let by_api = site.enqueue("1001").await;
    let request = site.ask(Method::POST, "/api/v1/submissions");
    let request = request.bearer_auth(&secret).json(&mail("1002"));
    let by_token = read(request.send().await.unwrap()).await.1["id"]
        .as_i64()
        .unwrap();
    let line = mail("1003").to_string();
    let done = home.run(["enqueue"], line.as_bytes());
    let done: Value = serde_json::from_str(&done.out).unwrap();
    let by_command = done["id"].as_i64().unwrap();
    let by_insert = home.db.insert("1004").await;
    // Asked for again, by whomever, it came the way it came.
    assert_eq!(
        home.run(["enqueue"], mail("1001").to_string().as_bytes())
            .code,
        0
    );
    let says = async |id: i64, by: Value, ja: &str, en: &str| {
        assert_eq!(site.row(id).await["decided_by"], by);
        for (lang, words) in [("ja", ja), ("en", en)] {
            let page = site.get(&format!("/submissions/{id}")).with(&session);
            let page = page.header("accept-language", lang).send().await.unwrap();
            let page = page.text().await.unwrap();
            assert!(page.contains(&format!("<b>{words}</b>")), "{words}");
        }
    };
    let en = "Recorded through the API";
    says(by_api, json!("api"), "API から登録されました", en).await;
    let ja = "API（受注）から登録されました";
    says(
        by_token,
        json!("api 受注"),
        ja,
        "Recorded through the API (受注)",
    )
    .await;
    let ja = "denpyo enqueue で登録されました";
    says(
        by_command,
        json!("denpyo enqueue"),
        ja,
        "Recorded with denpyo enqueue",
    )
    .await;
    let ja = "データベースから登録されました";
    says(by_insert, Value::Null, ja, "Recorded through the database").await;

    let said = home
        .db
        .refusal("UPDATE email_submissions SET decided_by = 'x', version = version + 1")
        .await;
    assert!(said.contains("never changes"), "{said}");
    home.db
        .run("UPDATE settings SET value = '1000' WHERE key = 'decided_by_after'")
        .await;
    says(by_insert, Value::Null, "登録されました", "Recorded").await;
    says(by_api, json!("api"), "API から登録されました", en).await;
}

/// The names that a 422 gives, sorted.
fn named(problem: &Value) -> Vec<String> {
    let errors = problem["errors"].as_array().unwrap().iter();
    let mut names: Vec<String> = errors
        .map(|e| {
            assert!(!e["message"].as_str().unwrap().is_empty());
            e["field"].as_str().unwrap().to_owned()
        })
        .collect();
    names.sort();
    names
}

async fn what_cannot_be_stored_is_refused_first(home: Home) {
    let site = home.web().await;
    let everything = json!({
        "order_id": "　", "kind": 7, "occasion": "\u{0}", "recipient": "nobody",
        "subject": "a\r\nBcc: b@example.com", "body_text": "", "body_html": null,
        "reply_to": "a@b@c", "sender": "x", "not_before": "tomorrow", "attachments": [],
    });
    let (status, problem) = site.post("", &everything).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let all = [
        "attachments",
        "body_text",
        "kind",
        "not_before",
        "occasion",
        "order_id",
        "recipient",
        "reply_to",
        "sender",
        "subject",
    ];
    assert_eq!(named(&problem), all);

    let long = "9".repeat(256);
    for (member, value) in [
        ("order_id", json!("a\u{0}b")),
        ("order_id", json!(long)),
        ("order_id", json!("9".repeat(1_000_000))),
        ("kind", json!("")),
        ("kind", json!(long)),
        ("occasion", json!(["x"])),
        ("recipient", json!("a@example.com\r\nBcc: b@example.com")),
        ("recipient", json!("a@example.com\n")),
        ("recipient", json!("no-at-sign.example.com")),
        ("recipient", json!("a@example.com, b@example.com")),
        ("recipient", json!("a\u{0}@example.com")),
        ("recipient", json!(null)),
        ("subject", json!("a\u{0}")),
        ("body_text", json!("a\u{0}")),
        ("body_html", json!("<p>\u{0}</p>")),
        ("sender", json!("a@example.com\nX: y")),
        ("cc", json!("b@example.com")),
        ("status", json!("synced")),
        ("id", json!(5)),
    ] {
        let mut bad = mail("1001");
        bad[member] = value.clone();
        let (status, problem) = site.post("", &bad).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{member}");
        assert_eq!(named(&problem), [member], "{problem}");
    }
    // Each of 255 characters, together more than an index holds; random, so that nothing shrinks.
    let mut seed = 7_u32;
    let mut key = || -> String {
        let sign = |_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from_u32(0x2_0000 + (seed >> 16)).unwrap()
        };
        (0..255).map(sign).collect()
    };
    let mut wide = mail(&key());
    wide["kind"] = json!(key());
    wide["recipient"] = json!("a@example.com");
    let (status, _) = site.post("", &wide).await;
    assert_eq!(status, StatusCode::CREATED, "2040 bytes");
    wide["occasion"] = json!(key());
    let (status, problem) = site.post("", &wide).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(named(&problem), ["order_id"]);
    // What is odd but can be sent is taken.
    for (n, address) in ["a..b.@example.ne.jp", "da.@example.ne.jp", "a+b@example.jp"]
        .iter()
        .enumerate()
    {
        let mut odd = mail(&format!("odd-{n}"));
        odd["recipient"] = json!(address);
        let (status, row) = site.post("", &odd).await;
        assert_eq!(status, StatusCode::CREATED, "{row}");
        assert_eq!(row["recipient"], *address);
    }
    let mut longest = mail("x");
    longest["order_id"] = json!("注".repeat(255));
    assert_eq!(site.post("", &longest).await.0, StatusCode::CREATED);
    let (_, list) = site.list("").await;
    assert_eq!(list["items"].as_array().unwrap().len(), 5, "nothing else");
}

async fn ids_that_name_nothing(home: Home) {
    let site = home.web().await;
    site.enqueue("1001").await;
    for id in [
        "2",
        "0",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "abc",
        "1.5",
        "+1x",
        "%00",
        "%ff",
        "1%2F2",
        "%E6%B3%A8",
    ] {
        let request = site.api(Method::GET, &format!("/{id}"));
        let (status, _) = read(request.send().await.unwrap()).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{id}");
        let (status, _) = site.post(&format!("/{id}/resend"), &json!({})).await;
        assert!(matches!(status.as_u16(), 404 | 409), "{id} {status}");
    }
}

async fn times_that_are_not_now(home: Home) {
    let site = home.web().await;
    for (n, (given, stored)) in [
        ("2030-04-01T09:00:00+09:00", "2030-04-01T00:00:00.000000Z"),
        ("2030-04-01T00:00:00Z", "2030-04-01T00:00:00.000000Z"),
        (
            "2030-04-01t00:00:00.1234567z",
            "2030-04-01T00:00:00.123456Z",
        ),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"),
    ]
    .iter()
    .enumerate()
    {
        let mut later = mail(&format!("{n}"));
        later["not_before"] = json!(given);
        let (status, row) = site.post("", &later).await;
        assert_eq!(status, StatusCode::CREATED, "{row}");
        assert_eq!(row["not_before"], *stored);
    }
    for bad in [
        "2030-04-01",
        "2030-04-01T09:00:00",
        "2030-13-01T00:00:00Z",
        "2030-02-30T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "9999-12-31T23:59:59-09:00",
        "+262000-01-01T00:00:00Z",
        "1764460800",
        "令和8年11月30日",
    ] {
        let mut later = mail("bad");
        later["not_before"] = json!(bad);
        let (status, problem) = site.post("", &later).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
        assert_eq!(named(&problem), ["not_before"]);
    }
}

/// A transaction of the shop's that stays open keeps its own key alone, however often that is posted.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_transaction_of_the_shops_stops_no_other_mail() {
    let mut home = Home::postgres().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url).set("CONCURRENCY", "1");
    let site = home.serve().await;
    let insert = |order: &str| {
        format!(
            "INSERT INTO public.email_submissions (order_id, kind, recipient, subject, body_text) \
             VALUES ('{order}', 'order_confirmation', 'a@example.com', 's', 'b')"
        )
    };
    let mut shop = PgConnection::connect(home.db.url()).await.unwrap();
    shop.execute("BEGIN").await.unwrap();
    shop.execute(insert("1001").as_str()).await.unwrap();
    // More than the pool has connections.
    let posts: Vec<_> = (0..16)
        .map(|_| tokio::spawn(site.api(Method::POST, "").json(&mail("1001")).send()))
        .collect();
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                   AND datname = current_database()";
    eventually("the posts wait", async || {
        (home.db.number(waiting).await > 3).then_some(())
    })
    .await;
    home.db.run(&insert("1002")).await;
    let id = home.db.id_of("1002").await;
    eventually("the next mail is sent", async || {
        (home.db.column(id, "status").await.as_deref() == Some("synced")).then_some(())
    })
    .await;
    assert!(
        posts.iter().any(|post| !post.is_finished()),
        "the posts still wait"
    );
    for post in posts {
        let answer = post.await.unwrap().unwrap();
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(header(&answer, "retry-after"), "5");
        let (_, problem) = read(answer).await;
        assert!(
            problem["detail"].as_str().unwrap().contains("try again"),
            "{problem}"
        );
    }
    shop.execute("ROLLBACK").await.unwrap();
    assert_eq!(site.post("", &mail("1001")).await.0, StatusCode::CREATED);
}
