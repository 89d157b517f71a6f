//! Users and sign-ins over HTTP: who may, and that what is ended is over with the next request.

use crate::acts::ACTS;
use crate::run::{Home, on_both};
use crate::site::{PASSWORD, Site, With, header, session_of};
use reqwest::StatusCode;
use serde_json::Value;

const NEW: &str = "k7hm-wq3e-xt5n";

on_both!(
    only_administrators_get_to_users_and_the_trail,
    a_disabled_user_is_out_with_the_next_request,
    another_role_holds_with_the_next_request,
    ones_own_password_moves_the_session_and_ends_the_others,
    other_sign_ins_end_and_ones_own_goes_on,
    a_form_leaves_no_password_behind,
);

/// An administrator, somebody of each other role, and the site.
async fn people(home: &Home) -> Site {
    for (name, role) in [("sato", "support"), ("suzuki", "lead"), ("admin", "admin")] {
        home.add_user(name, role, PASSWORD);
    }
    home.web().await
}

async fn json(site: &Site, session: &str, name: &str, fields: &[(&str, &str)]) -> Value {
    let answer = site.act(session, name, fields).await;
    assert_eq!(answer.status(), StatusCode::OK, "{name}");
    answer.json().await.unwrap()
}

/// What the last act came to, in the desk's own words.
async fn told(site: &Site, session: &str) -> String {
    json(site, session, "notice", &[]).await.to_string()
}

async fn signed_in(site: &Site, session: &str) -> bool {
    match site.act(session, "frame", &[]).await.status() {
        StatusCode::OK => true,
        StatusCode::UNAUTHORIZED => false,
        other => panic!("{other}"),
    }
}

/// A user as the list shows them.
async fn user(site: &Site, session: &str, name: &str) -> Value {
    let all = json(site, session, "users", &[]).await;
    let users = all["users"].as_array().unwrap();
    users.iter().find(|u| u["name"] == name).unwrap().clone()
}

/// Changes a user as the list shows them.
async fn change(site: &Site, session: &str, name: &str, act: &str, more: &[(&str, &str)]) {
    let row = user(site, session, name).await;
    let (id, version) = (row["id"].to_string(), row["version"].to_string());
    let mut fields = vec![("id", &*id), ("version", &*version), ("reason", "because")];
    fields.extend(more);
    let answer = site.act(session, act, &fields).await;
    assert_eq!(answer.status(), StatusCode::OK, "{act}");
}

async fn only_administrators_get_to_users_and_the_trail(home: Home) {
    let site = people(&home).await;
    let pages = ["/settings/users", "/settings/users/1", "/settings/audit"];
    for name in ["sato", "suzuki"] {
        let session = site.sign_in(name, PASSWORD).await;
        let theirs = |act: &str| act.starts_with("user") || act == "trail";
        for (act, fields) in ACTS.into_iter().filter(|(act, _)| theirs(act)) {
            let answer = site.act(&session, act, fields).await;
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{name} {act}");
        }
        for path in pages {
            let page = site.get(path).header("accept", "text/html").with(&session);
            let answer = page.send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{name} {path}");
            let text = answer.text().await.unwrap();
            assert!(!text.contains("suzuki") || name == "suzuki", "{path}");
            // But for the page itself in the other language, nothing leads there.
            let leads = ["href=\"/settings\"", "subnav"];
            assert!(!leads.iter().any(|to| text.contains(to)), "{name} {path}");
        }
        let page = site
            .get("/account")
            .header("accept", "text/html")
            .with(&session);
        let answer = page.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        // From every page the own name leads there.
        let text = answer.text().await.unwrap();
        assert!(text.contains("href=\"/account\""), "{text}");
    }
    let changed = "SELECT COUNT(*) FROM users WHERE version > 1 OR disabled";
    assert_eq!(home.db.number(changed).await, 0);
    let session = site.sign_in("admin", PASSWORD).await;
    for path in pages {
        let page = site.get(path).header("accept", "text/html").with(&session);
        let answer = page.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert!(
            answer
                .text()
                .await
                .unwrap()
                .contains("href=\"/settings/users\""),
            "{path}"
        );
    }
    let page = site
        .get("/settings/users/4711")
        .header("accept", "text/html");
    let answer = page.with(&session).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
}

async fn a_disabled_user_is_out_with_the_next_request(home: Home) {
    let site = people(&home).await;
    let admin = site.sign_in("admin", PASSWORD).await;
    let sato = site.sign_in("sato", PASSWORD).await;
    let elsewhere = site.sign_in("sato", PASSWORD).await;
    assert_eq!(user(&site, &admin, "sato").await["sign_ins"], 2);
    change(&site, &admin, "sato", "user_disable", &[]).await;
    assert!(told(&site, &admin).await.contains("disabled"));
    for session in [&sato, &elsewhere] {
        assert!(!signed_in(&site, session).await);
        let page = site.get("/").header("accept", "text/html").with(session);
        let answer = page.send().await.unwrap();
        assert!(header(&answer, "location").starts_with("/login"));
        let act = site.act(
            session,
            "own_password",
            &[("old", PASSWORD), ("new", NEW), ("again", NEW)],
        );
        assert_eq!(act.await.status(), StatusCode::UNAUTHORIZED);
    }
    // Signing in is refused in the words of a wrong password.
    let answer = site.try_sign_in("sato", PASSWORD).await;
    assert_eq!(header(&answer, "location"), "/login?again=1");
    assert_eq!(session_of(&answer), None);
    // Enabled again, the old sessions stay over.
    change(&site, &admin, "sato", "user_enable", &[]).await;
    assert!(!signed_in(&site, &sato).await);
    let again = site.sign_in("sato", PASSWORD).await;
    assert!(signed_in(&site, &again).await);
    let row = user(&site, &admin, "sato").await;
    assert_eq!(
        (&row["sign_ins"], row["signed_in_at"].is_string()),
        (&1.into(), true)
    );
    // A new password ends them as well, and so does ending them.
    change(&site, &admin, "sato", "user_password", &[("password", NEW)]).await;
    assert!(!signed_in(&site, &again).await);
    let again = site.sign_in("sato", NEW).await;
    change(&site, &admin, "sato", "user_sign_out", &[]).await;
    assert!(!signed_in(&site, &again).await);
    assert!(signed_in(&site, &admin).await);
}

async fn another_role_holds_with_the_next_request(home: Home) {
    let site = people(&home).await;
    let admin = site.sign_in("admin", PASSWORD).await;
    let sato = site.sign_in("sato", PASSWORD).await;
    assert_eq!(
        site.act(&sato, "users", &[]).await.status(),
        StatusCode::FORBIDDEN
    );
    change(&site, &admin, "sato", "user_role", &[("role", "admin")]).await;
    assert_eq!(site.act(&sato, "users", &[]).await.status(), StatusCode::OK);
    change(&site, &sato, "admin", "user_role", &[("role", "support")]).await;
    assert_eq!(
        site.act(&admin, "users", &[]).await.status(),
        StatusCode::FORBIDDEN
    );
    assert!(signed_in(&site, &admin).await);
    // Nobody but sato administers now.
    change(&site, &sato, "sato", "user_role", &[("role", "lead")]).await;
    assert!(told(&site, &sato).await.contains("last_admin"));
    assert_eq!(site.act(&sato, "users", &[]).await.status(), StatusCode::OK);
    for role in ["owner", "", "Admin"] {
        let fields = [
            ("id", "1"),
            ("version", "1"),
            ("role", role),
            ("reason", "x"),
        ];
        let answer = site.act(&sato, "user_role", &fields).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{role}");
    }
}

async fn ones_own_password_moves_the_session_and_ends_the_others(home: Home) {
    let site = people(&home).await;
    let own = site.sign_in("sato", PASSWORD).await;
    let other = site.sign_in("sato", PASSWORD).await;
    let fields = [("old", "wrong horse"), ("new", NEW), ("again", NEW)];
    let answer = site.act(&own, "own_password", &fields).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(told(&site, &own).await.contains("wrong_password"));
    assert!(signed_in(&site, &own).await && signed_in(&site, &other).await);
    let fields = [("old", PASSWORD), ("new", NEW), ("again", NEW)];
    let answer = site.act(&own, "own_password", &fields).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let moved = session_of(&answer).expect("another session id");
    assert_ne!(moved, own);
    assert!(told(&site, &moved).await.contains("password_changed"));
    assert!(signed_in(&site, &moved).await);
    for over in [&own, &other] {
        assert!(
            !signed_in(&site, over).await,
            "an earlier id is worth nothing"
        );
    }
    let account = json(&site, &moved, "account", &[]).await;
    let sign_ins = account["sign_ins"].as_array().unwrap();
    assert_eq!(sign_ins.len(), 1, "{account}");
    assert_eq!(sign_ins[0]["own"], true);
    site.sign_in("sato", NEW).await;
    let answer = site.try_sign_in("sato", PASSWORD).await;
    assert_eq!(header(&answer, "location"), "/login?again=1");
}

async fn other_sign_ins_end_and_ones_own_goes_on(home: Home) {
    let site = people(&home).await;
    let own = site.sign_in("sato", PASSWORD).await;
    let other = site.sign_in("sato", PASSWORD).await;
    let third = site.sign_in("sato", PASSWORD).await;
    let suzuki = site.sign_in("suzuki", PASSWORD).await;
    let count = async |session: &str| {
        let account = json(&site, session, "account", &[]).await;
        let sign_ins = account["sign_ins"].as_array().unwrap().clone();
        assert_eq!(
            sign_ins.iter().filter(|s| s["own"] == true).count(),
            1,
            "{account}"
        );
        sign_ins.len()
    };
    assert_eq!(count(&own).await, 3);
    // Whoever signs out is not counted any more.
    let out = site.form("/session/end", &[]).with(&third);
    out.send().await.unwrap();
    assert_eq!(count(&own).await, 2);
    let answer = site.act(&own, "own_sign_out", &[]).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let moved = session_of(&answer).expect("another session id");
    assert_eq!(count(&moved).await, 1);
    assert!(!signed_in(&site, &own).await && !signed_in(&site, &other).await);
    assert!(signed_in(&site, &suzuki).await, "nobody else's");
}

/// Without scripts a form is answered by a redirect: neither it nor the page after it holds what was
/// typed.
async fn a_form_leaves_no_password_behind(home: Home) {
    let mut site = people(&home).await;
    let admin = site.sign_in("admin", PASSWORD).await;
    let page = format!("{}/settings/users", site.address);
    for (name, password) in [("hanako", "hanako1234"), ("admin", NEW), ("hanako", NEW)] {
        let fields = [("name", name), ("role", "lead"), ("password", password)];
        let form = site
            .form("/_desk/user_add", &fields)
            .header("referer", &page);
        let answer = form.with(&admin).send().await.unwrap();
        assert!(answer.status().is_redirection());
        let said = format!("{:?}", answer.headers());
        assert!(!said.contains(password), "{said}");
        let shown = site.get("/settings/users").header("accept", "text/html");
        let answer = shown.with(&admin).send().await.unwrap();
        assert_eq!(header(&answer, "cache-control"), "no-store");
        let text = answer.text().await.unwrap();
        assert!(!text.contains(password), "{name}");
        assert!(text.contains(name), "{name}");
    }
    site.sign_in("hanako", NEW).await;
    let sql = if home.db.is_postgres() {
        "SELECT COUNT(*) FROM audit_events WHERE CAST(audit_events AS text) LIKE '%k7hm%'"
    } else {
        "SELECT COUNT(*) FROM audit_events WHERE COALESCE(detail, '') || COALESCE(reason, '') \
         || COALESCE(after_value, '') LIKE '%k7hm%'"
    };
    assert_eq!(home.db.number(sql).await, 0);
    site.program.logs("signed in").await;
    let log = site.program.log();
    assert!(!log.contains(NEW));
    assert!(!log.contains("hanako"), "a name may be an address: {log}");
}
