//! The acts of the desk: who may, and what is said to those who may not.

use crate::common::RunningSandbox;
use crate::run::{Home, faults, on_both, refusing};
use crate::security::PAGES;
use crate::site::{With, header};
use denpyo::sandbox::Faults;
use reqwest::StatusCode;

/// Every act of the desk, with what it wants to know.
pub const ACTS: [(&str, &[(&str, &str)]); 41] = [
    ("frame", &[]),
    ("overview", &[]),
    ("list", &[("query", "")]),
    ("mail", &[("id", "1")]),
    ("cases", &[("query", "age=1h")]),
    ("notice", &[]),
    ("resend", &[("id", "1"), ("version", "3"), ("attempt", "1")]),
    (
        "resolve",
        &[
            ("id", "1"),
            ("version", "3"),
            ("answer", "not_sent"),
            ("reason", "x"),
        ],
    ),
    ("release", &[("id", "1"), ("version", "3"), ("reason", "x")]),
    (
        "release_many",
        &[
            ("query", ""),
            ("count", "1"),
            ("newest", "1"),
            ("versions", "1"),
            ("reason", "x"),
        ],
    ),
    (
        "correct",
        &[
            ("id", "1"),
            ("version", "3"),
            ("attempt", "1"),
            ("recipient", "b@example.com"),
            ("shown", "b@example.com"),
            ("reason", "x"),
        ],
    ),
    (
        "copy",
        &[
            ("id", "1"),
            ("copy", "1"),
            ("recipient", "b@example.com"),
            ("shown", "b@example.com"),
            ("reason", "x"),
        ],
    ),
    (
        "call_off",
        &[("id", "1"), ("version", "3"), ("reason", "x")],
    ),
    ("reveal", &[("id", "1"), ("reason", "x")]),
    ("list_news", &[("query", "")]),
    ("errors", &[("query", "")]),
    ("bulk_new", &[("query", "")]),
    ("bulk_prepare", &[("query", "")]),
    ("bulk", &[("id", "1")]),
    ("bulks", &[]),
    ("bulk_start", &[("id", "1"), ("reason", "x")]),
    ("bulk_stop", &[("id", "1")]),
    ("month_report", &[("query", "")]),
    ("month_sending", &[("query", "")]),
    ("close_month", &[("month", "2026-01"), ("reason", "x")]),
    ("users", &[]),
    ("user", &[("id", "1")]),
    (
        "user_add",
        &[
            ("name", "x"),
            ("role", "support"),
            ("password", "k7hm-wq3e-xt5n"),
        ],
    ),
    (
        "user_role",
        &[
            ("id", "1"),
            ("version", "1"),
            ("role", "admin"),
            ("reason", "x"),
        ],
    ),
    (
        "user_disable",
        &[("id", "1"), ("version", "1"), ("reason", "x")],
    ),
    (
        "user_enable",
        &[("id", "1"), ("version", "1"), ("reason", "x")],
    ),
    (
        "user_password",
        &[
            ("id", "1"),
            ("version", "1"),
            ("password", "k7hm-wq3e-xt5n"),
            ("reason", "x"),
        ],
    ),
    (
        "user_sign_out",
        &[("id", "1"), ("version", "1"), ("reason", "x")],
    ),
    ("account", &[]),
    (
        "own_password",
        &[
            ("old", "correct horse"),
            ("new", "k7hm-wq3e-xt5n"),
            ("again", "k7hm-wq3e-xt5n"),
        ],
    ),
    ("own_sign_out", &[]),
    ("trail", &[("query", "")]),
    ("settings", &[]),
    ("tokens", &[]),
    ("make_token", &[("name", "shop"), ("scope", "write")]),
    ("end_token", &[("id", "1"), ("reason", "x")]),
];

#[test]
fn every_act_is_named_here() {
    let mut there: Vec<String> = leptos::server_fn::axum::server_fn_paths()
        .map(|(path, _)| path.to_owned())
        .collect();
    let mut named = ACTS.map(|(name, _)| format!("/_desk/{name}"));
    there.sort();
    named.sort();
    assert_eq!(there, named, "acts that nothing here is tried on");
}

on_both!(
    acts_need_a_session,
    every_role_reads_and_resends,
    odd_questions_get_plain_answers,
);

async fn acts_need_a_session(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    faults(&service.sandbox, refusing());
    home.add_user("sato", "support", "correct horse");
    let site = home.serve().await;
    let id = site.enqueue("secret-order").await;
    site.row_in(id, "rejected").await;
    let row = site.stored(id).await;
    let old = site.sign_in("sato", "correct horse").await;
    site.form("/session/end", &[])
        .with(&old)
        .send()
        .await
        .unwrap();
    for (name, fields) in ACTS {
        for cookie in [
            "",
            "denpyo=AAAAAAAAAAAAAAAAAAAAAA",
            "denpyo=%00",
            old.as_str(),
        ] {
            let answer = site.script(name, fields).with(cookie).send().await.unwrap();
            assert_eq!(
                answer.status(),
                StatusCode::UNAUTHORIZED,
                "{name} {cookie:?}"
            );
            let text = answer.text().await.unwrap();
            for told in ["secret-order", "@", "sato", "zone", "as_of"] {
                assert!(!text.contains(told), "{name}: {text}");
            }
            // A form without scripts goes to the sign-in page.
            let form = site.form(&format!("/_desk/{name}"), fields).with(cookie);
            let answer = form.send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{name}");
            assert_eq!(header(&answer, "location"), "/login", "{name}");
        }
    }
    for path in ["/_desk/nothing", "/_desk/", "/_desk/../metrics"] {
        let answer = site.form(path, &[]).send().await.unwrap();
        assert!(!answer.status().is_success(), "{path}");
    }
    let pages = PAGES.iter().filter(|path| **path != "/login");
    for path in pages.chain(&["/submissions/1/body"]) {
        let page = site.get(path).header("accept", "text/html");
        let answer = page.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{path}");
        assert!(header(&answer, "location").starts_with("/login"), "{path}");
        assert!(
            !answer.text().await.unwrap().contains("secret-order"),
            "{path}"
        );
    }
    assert_eq!(site.stored(id).await, row, "and nothing was changed");
    assert_eq!(service.holds("secret-order"), 0);
}

async fn every_role_reads_and_resends(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let site = home.serve().await;
    for role in ["support", "lead", "admin"] {
        home.add_user(role, role, "correct horse");
        let session = site.sign_in(role, "correct horse").await;
        faults(&service.sandbox, refusing());
        let id = site.enqueue(role).await;
        let row = site.row_in(id, "rejected").await;
        faults(&service.sandbox, Faults::default());
        let id_text = id.to_string();
        for (name, fields) in ACTS.into_iter().take(6) {
            let answer = site.act(&session, name, fields).await;
            assert_eq!(answer.status(), StatusCode::OK, "{role} {name}");
        }
        let (version, attempts) = (row["version"].to_string(), row["attempts"].to_string());
        let fields = [
            ("id", id_text.as_str()),
            ("version", &version),
            ("attempt", &attempts),
        ];
        let answer = site.act(&session, "resend", &fields).await;
        assert_eq!(answer.status(), StatusCode::OK, "{role}");
        let row = site.row_in(id, "synced").await;
        assert_eq!(row["attempt_log"][1]["actor"], role);
        // Told once, to whom it concerns.
        for (time, told) in [true, false].into_iter().enumerate() {
            let notice = site.act(&session, "notice", &[]).await;
            let text = notice.text().await.unwrap();
            assert_eq!(text.contains("resent"), told, "{role} {time} {text}");
        }
        // The same form again (double click, reload) begins nothing.
        let answer = site.act(&session, "resend", &fields).await;
        assert_eq!(answer.status(), StatusCode::OK, "{role}");
        assert_eq!(service.holds(role), 1);
        assert_eq!(site.row(id).await["attempts"], 2);
    }
}

async fn odd_questions_get_plain_answers(home: Home) {
    let (site, session) = home.desk("support").await;
    site.enqueue("1001").await;
    let long = format!("q={}", "x".repeat(20_000));
    for query in [
        "q=%00",
        "kind=%00",
        "q=%ff",
        "q=%25_%5C%27",
        "q=9223372036854775808",
        "status=%00,sent",
        "from=0000-00-00&to=9999-12-31",
        "from=%2B262143-01-01&to=-262143-01-01",
        "cursor=o253402300799999999_9223372036854775807",
        "cursor=n-62135596800000000_-9223372036854775808",
        "needs=%00&needs=person&needs=",
        "%=%&&&==&q",
        long.as_str(),
    ] {
        let answer = site.act(&session, "list", &[("query", query)]).await;
        assert_eq!(answer.status(), StatusCode::OK, "{query:.60}");
    }
    for (name, fields) in [
        ("mail", &[("id", "9223372036854775808")][..]),
        ("mail", &[("id", "-1")]),
        ("mail", &[("id", "")]),
        ("mail", &[]),
        ("resend", &[("id", "1"), ("version", "x"), ("attempt", "0")]),
        (
            "resend",
            &[("id", "4711"), ("version", "1"), ("attempt", "0")],
        ),
        (
            "resolve",
            &[
                ("id", "1"),
                ("version", "1"),
                ("answer", "perhaps"),
                ("reason", "x"),
            ],
        ),
        (
            "resolve",
            &[
                ("id", "4711"),
                ("version", "1"),
                ("answer", "sent"),
                ("reason", "\u{0}x"),
            ],
        ),
    ] {
        let answer = site.act(&session, name, fields).await;
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(!status.is_success(), "{name} {fields:?} {text}");
        assert!(!text.contains("navailable"), "{name} {fields:?} {text}");
    }
    assert_eq!(site.row(1).await["version"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_that_fails_without_scripts_is_told_once() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("support").await;
    let told = "操作できませんでした。";
    let many = ACTS.iter().find(|(name, _)| *name == "release_many");
    for (name, fields) in [
        (
            "resend",
            &[("id", "4711"), ("version", "1"), ("attempt", "1")][..],
        ),
        ("resend", &[("id", "no number")][..]),
        // For leads and administrators.
        ("release_many", many.unwrap().1),
    ] {
        let form = site.form(&format!("/_desk/{name}"), fields);
        let form = form.header("referer", format!("{}/stuck", site.address));
        let answer = form.with(&session).send().await.unwrap();
        assert!(
            answer.status().is_redirection(),
            "{name} {}",
            answer.status()
        );
        let cookie = header(&answer, "set-cookie").to_owned();
        let cookie = cookie.split(';').next().unwrap();
        assert!(cookie.starts_with("denpyo_failed="), "{name}: {cookie:?}");
        let page = site.get("/stuck").with(&format!("{session}; {cookie}"));
        let page = page.send().await.unwrap();
        assert!(
            header(&page, "set-cookie").contains("denpyo_failed=;"),
            "told once"
        );
        assert!(
            page.text().await.unwrap().contains(told),
            "{name} {fields:?}"
        );
    }
    // What somebody made up brings no words of theirs.
    for cookie in ["denpyo_failed=<b>", "denpyo_failed=YWJj", "denpyo_failed="] {
        let page = site.get("/stuck").with(&format!("{session}; {cookie}"));
        let page = page.send().await.unwrap();
        assert_eq!(page.status(), StatusCode::OK, "{cookie}");
        assert!(!page.text().await.unwrap().contains("abc"));
    }
}
