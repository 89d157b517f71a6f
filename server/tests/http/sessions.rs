//! Signing in and out, and what the address bar may hold.

use crate::run::{Home, eventually, on_both};
use crate::site::{PASSWORD, Site, With, encoded, header, session_of};
use reqwest::{Response, StatusCode};
use sqlx::{Connection, Executor, PgConnection};

on_both!(
    a_session_begins_and_ends,
    a_disabled_user_is_out_at_once,
    sign_ins_that_fail_look_alike,
    an_address_that_leads_nowhere_has_the_way_on,
);

async fn signed_in(site: &Site, session: &str) -> bool {
    let asked = site.script("frame", &[]).with(session).send().await;
    match asked.unwrap().status() {
        StatusCode::OK => true,
        StatusCode::UNAUTHORIZED => false,
        other => panic!("{other}"),
    }
}

async fn an_address_that_leads_nowhere_has_the_way_on(home: Home) {
    let (site, session) = home.desk("support").await;
    for (path, status) in [
        ("/nope", StatusCode::NOT_FOUND),
        ("/settings/nope/x", StatusCode::NOT_FOUND),
        ("/submissions/99999999", StatusCode::NOT_FOUND),
        ("/settings/users", StatusCode::FORBIDDEN),
    ] {
        let answer = site.get(path).with(&session).send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        let page = answer.text().await.unwrap();
        assert!(page.contains("role=\"search\""), "{path}: {page}");
        assert_eq!(page.matches("<main").count(), 1, "{path}: {page}");
    }
    let posted = site.form("/nope", &[]).with(&session).send().await.unwrap();
    assert_eq!(posted.status(), StatusCode::NOT_FOUND);
    // Who is not signed in is told to, and nothing of what there is.
    for path in ["/nope", "/session/nope"] {
        let answer = site.get(path).send().await.unwrap();
        let next = path.replace('/', "%2F");
        assert_eq!(header(&answer, "location"), format!("/login?next={next}"));
    }
}

async fn a_session_begins_and_ends(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    home.add_user("suzuki", "lead", PASSWORD);
    let site = home.web().await;
    assert!(!signed_in(&site, "").await);

    let answer = site.try_sign_in("sato", PASSWORD).await;
    let cookie = header(&answer, "set-cookie").to_owned();
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(
        !cookie.contains("Secure"),
        "over http nothing would come back: {cookie}"
    );
    let first = session_of(&answer).unwrap();
    assert!(first.len() > "denpyo=".len() + 20, "{first}");
    assert!(signed_in(&site, &first).await);

    // Signing in again, as somebody planting a session would have it: a new id, the old one ends.
    let fields = [("name", "suzuki"), ("password", PASSWORD)];
    let answer = site
        .form("/session", &fields)
        .with(&first)
        .send()
        .await
        .unwrap();
    let second = session_of(&answer).expect("a new session");
    assert_ne!(second, first);
    assert!(signed_in(&site, &second).await);
    assert!(
        !signed_in(&site, &first).await,
        "the planted id is worth nothing"
    );
    let planted = "denpyo=AAAAAAAAAAAAAAAAAAAAAA";
    let answer = site
        .form("/session", &fields)
        .with(planted)
        .send()
        .await
        .unwrap();
    let third = session_of(&answer).expect("a new session");
    assert_ne!(third, planted);
    assert!(!signed_in(&site, planted).await);

    // The sign-in page has nothing for who is signed in.
    let answer = site.get("/login").with(&second).send().await.unwrap();
    assert_eq!(header(&answer, "location"), "/");

    let answer = site
        .form("/session/end", &[])
        .with(&second)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert_eq!(header(&answer, "location"), "/login");
    assert!(
        !signed_in(&site, &second).await,
        "the old cookie is useless"
    );
    assert!(signed_in(&site, &third).await, "another browser stays");
    // A GET signs nobody out.
    site.get("/session/end").with(&third).send().await.unwrap();
    assert!(signed_in(&site, &third).await);
}

/// On PostgreSQL, where a lock holds an act up halfway; the store's own tests go over both databases.
#[tokio::test(flavor = "multi_thread")]
async fn signing_out_is_not_undone_by_an_act_under_way() {
    let home = Home::postgres().await;
    let (site, session) = home.desk("admin").await;
    let mut lock = PgConnection::connect(home.db.url()).await.unwrap();
    lock.execute("BEGIN").await.unwrap();
    lock.execute("LOCK TABLE denpyo.api_tokens IN EXCLUSIVE MODE")
        .await
        .unwrap();
    let make = site.script("make_token", &[("name", "shop"), ("scope", "read")]);
    let act = tokio::spawn(make.with(&session).send());
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                   AND datname = current_database()";
    eventually("the act waits", async || {
        (home.db.number(waiting).await > 0).then_some(())
    })
    .await;
    let out = site.form("/session/end", &[]).with(&session);
    assert_eq!(header(&out.send().await.unwrap(), "location"), "/login");
    lock.execute("ROLLBACK").await.unwrap();
    let answer = act.await.unwrap().unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "the token is made");
    assert_eq!(header(&answer, "set-cookie"), "");
    assert!(!signed_in(&site, &session).await);
    assert_eq!(
        home.db.number("SELECT COUNT(*) FROM tower_sessions").await,
        0
    );
}

async fn a_disabled_user_is_out_at_once(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    home.add_user("suzuki", "support", PASSWORD);
    let site = home.web().await;
    let sato = site.sign_in("sato", PASSWORD).await;
    let suzuki = site.sign_in("suzuki", PASSWORD).await;
    let yes = if home.db.is_postgres() { "TRUE" } else { "1" };
    home.db
        .run(&format!(
            "UPDATE users SET disabled = {yes} WHERE name = 'sato'"
        ))
        .await;
    home.db
        .run("UPDATE users SET epoch = epoch + 1 WHERE name = 'suzuki'")
        .await;
    for session in [&sato, &suzuki] {
        assert!(!signed_in(&site, session).await);
        let page = site.get("/submissions/1").header("accept", "text/html");
        let answer = page.with(session).send().await.unwrap();
        assert!(header(&answer, "location").starts_with("/login"));
    }
    // Another epoch ends sessions, not people.
    site.sign_in("suzuki", PASSWORD).await;
}

async fn sign_ins_that_fail_look_alike(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    home.add_user("gone", "support", PASSWORD);
    let yes = if home.db.is_postgres() { "TRUE" } else { "1" };
    home.db
        .run(&format!(
            "UPDATE users SET disabled = {yes} WHERE name = 'gone'"
        ))
        .await;
    let site = home.web().await;
    let mut seen = Vec::new();
    for (name, password) in [
        ("sato", "wrong"),
        ("gone", "wrong"),
        ("gone", PASSWORD),
        ("nobody", PASSWORD),
        ("", ""),
        ("sato\u{0}", PASSWORD),
        ("sato", "\u{0}"),
        ("' OR 1=1 --", PASSWORD),
    ] {
        seen.push((name, look(site.try_sign_in(name, password).await).await));
    }
    let (_, first) = &seen[0];
    assert!(first.0.is_redirection());
    assert_eq!(first.1["location"], "/login?again=1");
    assert!(first.1.get("set-cookie").is_none());
    for (name, other) in &seen[1..] {
        assert_eq!(other, first, "{name:?}");
    }
}

async fn look(answer: Response) -> (StatusCode, reqwest::header::HeaderMap, String) {
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    headers.remove("date");
    (status, headers, answer.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_of_a_megabyte_costs_nothing() {
    let home = Home::sqlite().await;
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let answer = site.try_sign_in("sato", &"x".repeat(1_000_000)).await;
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    // One that a form may hold is refused like a wrong one, without a hash.
    let answer = site.try_sign_in("sato", &"x".repeat(60_000)).await;
    assert_eq!(header(&answer, "location"), "/login?again=1");
    for body in [
        "",
        "name=sato",
        "password=x",
        "%ff=%ff",
        "name=%ff&password=%ff",
    ] {
        let request = site.form("/session", &[]).body(body);
        let status = request.send().await.unwrap().status();
        assert!(
            status.is_redirection() || status.is_client_error(),
            "{body} {status}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_becomes_slow() {
    let home = Home::sqlite().await;
    home.add_user("sato", "support", PASSWORD);
    home.add_user("suzuki", "support", PASSWORD);
    let site = home.web().await;
    let right = async |name: &str| to(&site.try_sign_in(name, PASSWORD).await);
    // Then even the right password has to wait: the first wait is a second, which a slow machine may
    // have spent on the way.
    eventually("the right password waits", async || {
        let free = guessed(&site, &["sato"]).await;
        assert!((5..9).contains(&free), "{free} tries");
        (right("sato").await == "/login?again=wait").then_some(())
    })
    .await;
    assert_eq!(right("suzuki").await, "/", "but nobody else's");
    // One name, however it is typed: as two they would have ten.
    let free = guessed(&site, &["\u{304c}", "\u{304b}\u{3099}"]).await;
    assert!((5..9).contains(&free), "{free} tries");
    // If asking meanwhile made it longer, the wait would have no end.
    eventually("the wait's end", async || {
        (right("sato").await == "/").then_some(())
    })
    .await;
}

/// Where an answer leads.
fn to(answer: &Response) -> String {
    header(answer, "location").to_owned()
}

/// Guesses a password under these names in turn until there is a wait; how many guesses were free.
/// Each wait is twice as long as the one before, so that one is met however slow the machine is.
async fn guessed(site: &Site, names: &[&str]) -> usize {
    for (made, name) in names.iter().cycle().take(12).enumerate() {
        match to(&site.try_sign_in(name, "wrong").await).as_str() {
            "/login?again=1" => {}
            "/login?again=wait" => return made,
            other => panic!("{other}"),
        }
    }
    panic!("nobody has to wait")
}

#[tokio::test(flavor = "multi_thread")]
async fn over_https_the_cookie_is_secure() {
    let mut home = Home::sqlite().await;
    home.add_user("sato", "support", PASSWORD);
    let site = home.web_behind("https://denpyo.shop.example").await;
    let fields = [("name", "sato"), ("password", PASSWORD)];
    let form = site.form("/session", &fields);
    let answer = form.send().await.unwrap();
    let cookie = header(&answer, "set-cookie");
    assert!(
        cookie.contains("Secure") && cookie.contains("HttpOnly"),
        "{cookie}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn next_leads_nowhere_else() {
    let home = Home::sqlite().await;
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    for (next, to) in [
        ("/submissions?status=failed", "/submissions?status=failed"),
        ("/stuck", "/stuck"),
        ("", "/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("\\\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/\r\nset-cookie: x=y", "/"),
        ("javascript:alert(1)", "/"),
        ("/session/end", "/"),
        ("/_desk/resend", "/"),
    ] {
        let fields = [("name", "sato"), ("password", PASSWORD), ("next", next)];
        let answer = site.form("/session", &fields).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(header(&answer, "location"), to, "{next:?}");
        // A failed try keeps it only where it is good.
        let fields = [("name", "nobody"), ("password", "x"), ("next", next)];
        let answer = site.form("/session", &fields).send().await.unwrap();
        let kept = header(&answer, "location").contains("next=");
        assert_eq!(kept, to != "/", "{next:?}");
        if next == "/stuck" {
            // So that nobody's tries are slowed.
            site.sign_in("sato", PASSWORD).await;
        }
    }
    // The page that was wanted is where the sign-in leads.
    let page = site.get("/submissions?status=failed&q=a%2Bb");
    let answer = page.header("accept", "text/html").send().await.unwrap();
    let to = header(&answer, "location").to_owned();
    let (_, next) = to.split_once("/login?next=").expect(&to);
    let next: Vec<_> = url::form_urlencoded::parse(format!("x={next}").as_bytes())
        .into_owned()
        .collect();
    assert_eq!(next[0].1, "/submissions?status=failed&q=a%2Bb");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_made_up_stays_in_the_address() {
    let site = Home::sqlite().await.web_kept().await;
    let go = async |path: &str, cookie: &str| {
        let page = site.get(path).header("accept", "text/html");
        page.with(cookie).send().await.unwrap()
    };
    for (lang, path, to) in [
        ("en", "/login?lang=en", "/login"),
        ("ja", "/login?again=1&lang=ja", "/login?again=1"),
        ("en", "/?lang=en", "/"),
    ] {
        let answer = go(path, "").await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{path}");
        assert_eq!(header(&answer, "location"), to, "{path}");
        let cookie = header(&answer, "set-cookie");
        assert!(cookie.starts_with(&format!("lang={lang};")), "{cookie}");
        assert!(
            cookie.contains("Path=/") && cookie.contains("SameSite"),
            "{cookie}"
        );
    }
    let crafted = encoded(&[
        ("__path", "/_desk/resend"),
        ("__err", "<b>Call +81-3-…</b>"),
    ]);
    let answer = go(&format!("/login?{crafted}&again=1"), "").await;
    assert_eq!(header(&answer, "location"), "/login?again=1");
    let answer = go("/login?lang=xx", "").await;
    assert_eq!(header(&answer, "location"), "/login");
    assert_eq!(header(&answer, "set-cookie"), "", "no such language");
    let answer = go("//evil.example/?lang=en", "").await;
    assert_eq!(header(&answer, "location"), "/evil.example/");
    // As a proxy hands it on that decodes paths; no client would send it so.
    for path in ["/\\evil.example/?lang=en", "/%5Cevil.example/?theme=dark"] {
        let asked = format!("GET {path} HTTP/1.1\r\nhost: desk\r\nconnection: close\r\n\r\n");
        let answer = site.raw(vec![asked.into_bytes()]).await;
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        assert!(answer.contains("location: /evil.example/\r\n"), "{answer}");
    }
    let answer = go("/login?again=1", "lang=en").await;
    assert_eq!(answer.status(), StatusCode::OK);
}

/// Without scripts: an act leads back to where it came from, and errors stay out of the address.
#[tokio::test(flavor = "multi_thread")]
async fn a_form_leads_back_to_its_page() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("support").await;
    site.enqueue("1001").await;
    let page = format!("{}/submissions/1?q=a%2Bb", site.address);
    for (id, fine) in [("1", true), ("4711", false), ("x", false)] {
        let fields = [("id", id), ("version", "1"), ("attempt", "0")];
        let form = site.form("/_desk/resend", &fields).header("referer", &page);
        let answer = form.with(&session).send().await.unwrap();
        assert!(answer.status().is_redirection(), "{id} {}", answer.status());
        let to = header(&answer, "location").to_owned();
        let to = to.strip_prefix(&site.address).unwrap_or(&to);
        assert!(to.starts_with("/submissions/1?q=a%2Bb"), "{to}");
        if fine {
            assert!(!to.contains("__err"), "{to}");
            continue;
        }
        let answer = site.get(to).header("accept", "text/html").with(&session);
        let answer = answer.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{to}");
        assert_eq!(header(&answer, "location"), "/submissions/1?q=a%2Bb");
    }
}
