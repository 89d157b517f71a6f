//! Signing in through OpenID Connect, with a provider that says whatever a test wants. (The browser's
//! tests have a real one.)

pub mod issuer;

use crate::run::{Home, on_both};
use crate::site::{Site, With, header, session_of};
use issuer::{Issuer, Script};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::HashMap;

const PASSWORD: &str = "correct horse";
const SECRET: &str = "s/cret of the client";

on_both!(
    a_person_signs_in_with_the_role_of_their_claim,
    nobody_becomes_somebody_else,
    whoever_has_no_role_or_is_disabled_stays_out,
);

/// Makes the next answer wrong in some way.
type Change = Box<dyn Fn(&mut Script)>;

/// A browser that was sent to the provider.
struct Away {
    session: String,
    state: String,
}

/// Begins to sign in; the provider learns of it as a real one does, from the address.
async fn begin(site: &Site, issuer: &Issuer, next: &str) -> Away {
    let path = format!("/session/oidc?next={next}");
    let answer = site.get(&path).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let to = url::Url::parse(header(&answer, "location")).unwrap();
    assert!(
        to.as_str()
            .starts_with(&format!("{}/authorize?tenant=1&", issuer.url())),
        "{to}"
    );
    let query: HashMap<String, String> = to.query_pairs().into_owned().collect();
    assert_eq!(query["response_type"], "code");
    assert_eq!(query["client_id"], "denpyo");
    assert_eq!(
        query["redirect_uri"],
        format!("{}/session/oidc/callback", site.address)
    );
    assert_eq!(query["scope"], "openid profile groups");
    assert_eq!(query["code_challenge_method"], "S256");
    issuer.script(|script| {
        script.nonce = query["nonce"].clone();
        script.challenge = query["code_challenge"].clone();
    });
    Away {
        session: session_of(&answer).expect("a session to come back to"),
        state: query["state"].clone(),
    }
}

/// Comes back; where that leads, and the session that it gave.
async fn back(site: &Site, session: &str, query: &str) -> (String, Option<String>) {
    let path = format!("/session/oidc/callback?{query}");
    let answer = site.get(&path).with(session).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    (header(&answer, "location").to_owned(), session_of(&answer))
}

async fn come_back(site: &Site, away: &Away) -> (String, Option<String>) {
    let query = format!("code=the-code&state={}", away.state);
    back(site, &away.session, &query).await
}

async fn sign_in(site: &Site, issuer: &Issuer) -> (String, Option<String>) {
    let away = begin(site, issuer, "").await;
    come_back(site, &away).await
}

/// Who a session is, and in which role.
async fn who(site: &Site, session: &str) -> Option<(String, String)> {
    let answer = site
        .script("frame", &[])
        .with(session)
        .send()
        .await
        .unwrap();
    if answer.status() != StatusCode::OK {
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
        return None;
    }
    let frame: Value = answer.json().await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Some((text(&frame["me"]["name"]), text(&frame["me"]["role"])))
}

fn is(name: &str, role: &str) -> Option<(String, String)> {
    Some((name.to_owned(), role.to_owned()))
}

async fn a_person_signs_in_with_the_role_of_their_claim(mut home: Home) {
    let issuer = Issuer::start().await;
    issuer.set(&mut home);
    let site = home.web().await;
    let page = site
        .get("/login")
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(page.contains("サンプル社 でサインインする"), "{page}");

    issuer.says(json!({"groups": ["cooks", "leads"]}));
    let away = begin(&site, &issuer, "/stuck").await;
    assert_eq!(who(&site, &away.session).await, None);
    let (to, session) = come_back(&site, &away).await;
    let session = session.expect("a session");
    assert_eq!(to, "/stuck");
    assert_eq!(who(&site, &session).await, is("sato", "lead"));
    // The id from before the sign-in is worth nothing, and the answer works once.
    assert_ne!(session, away.session);
    assert_eq!(who(&site, &away.session).await, None);
    let (to, none) = come_back(&site, &away).await;
    assert_eq!(to, "/login?again=oidc_stale");
    assert_eq!(who(&site, &none.unwrap_or_default()).await, None);

    // The role is the claim's at each sign-in, and holds for the sessions that there are.
    issuer.says(json!({"groups": "it", "preferred_username": "sato-renamed"}));
    let (_, second) = sign_in(&site, &issuer).await;
    assert_eq!(who(&site, &second.unwrap()).await, is("sato", "admin"));
    assert_eq!(who(&site, &session).await, is("sato", "admin"));
    // What the ID token leaves out is asked for.
    issuer.says(json!({"groups": null, "preferred_username": null, "sub": "u2"}));
    let told = json!({"sub": "u2", "preferred_username": "suzuki", "groups": ["helpdesk"]});
    issuer.script(|script| script.userinfo = told);
    let (_, third) = sign_in(&site, &issuer).await;
    assert_eq!(who(&site, &third.unwrap()).await, is("suzuki", "support"));

    assert_eq!(home.db.number("SELECT COUNT(*) FROM users").await, 2);
    let acts = "SELECT act || ' ' || actor || ': ' || detail || ' ' || COALESCE(before_value, '-') || ' ' || after_value FROM audit_events WHERE id = ";
    for (id, said) in [
        (1, "user_add OpenID Connect: sato - lead"),
        (2, "user_role OpenID Connect: sato lead admin"),
        (3, "user_add OpenID Connect: suzuki - support"),
    ] {
        let act = home.db.text_of(&format!("{acts}{id}")).await;
        assert_eq!(act.as_deref(), Some(said));
    }
    // Nobody of them has a password, the empty one included.
    for password in ["", "x", PASSWORD] {
        let answer = site.try_sign_in("sato", password).await;
        assert_eq!(header(&answer, "location"), "/login?again=1");
    }
    // So there is nothing to change, and the page says whose it is.
    let page = site.get("/account").header("accept", "text/html");
    let page = page.with(&session).send().await.unwrap();
    let page = page.text().await.unwrap();
    let told = "サンプル社 でサインインしているため、この画面のパスワードはありません";
    assert!(page.contains(told), "{page}");
    assert!(!page.contains("current-password"), "{page}");
    // Signing out is of this desk alone.
    let out = site.form("/session/end", &[]).with(&session);
    assert_eq!(header(&out.send().await.unwrap(), "location"), "/login");
    assert_eq!(who(&site, &session).await, None);
    let log = site.program.log();
    for secret in ["the-code", "the-access-token", SECRET, "sato", "eyJ"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_the_providers_own_answer_is_refused() {
    let mut home = Home::sqlite().await;
    let issuer = Issuer::start().await;
    issuer.set(&mut home);
    let site = home.web().await;
    let good = issuer.script(|script| script.clone());
    let now = chrono::Utc::now().timestamp();
    let wrong: [(&str, Change); 11] = [
        (
            "nonce",
            Box::new(|s| s.claims = json!({"nonce": "another"})),
        ),
        ("no nonce", Box::new(|s| s.claims = json!({"nonce": null}))),
        (
            "audience",
            Box::new(|s| s.claims = json!({"aud": "another"})),
        ),
        ("party", Box::new(|s| s.claims = json!({"azp": "another"}))),
        (
            "issuer",
            Box::new(|s| s.claims = json!({"iss": "https://evil.example"})),
        ),
        (
            "expired",
            Box::new(move |s| s.claims = json!({"exp": now - 600})),
        ),
        ("unsigned", Box::new(|s| s.alg = "none")),
        ("shared secret", Box::new(|s| s.alg = "HS256")),
        ("another key", Box::new(|s| s.foreign_key = true)),
        ("refused code", Box::new(|s| s.refuses = true)),
        (
            "userinfo of somebody else",
            Box::new(|s| {
                s.claims = json!({"groups": null});
                s.userinfo = json!({"sub": "u2", "groups": ["it"]});
            }),
        ),
    ];
    for (what, change) in wrong {
        let away = begin(&site, &issuer, "").await;
        issuer.script(|script| change(script));
        let (to, session) = come_back(&site, &away).await;
        assert_eq!(to, "/login?again=oidc_refused", "{what}");
        assert_eq!(
            who(&site, &session.unwrap_or_default()).await,
            None,
            "{what}"
        );
        assert_eq!(who(&site, &away.session).await, None, "{what}");
        issuer.script(|script| *script = good.clone());
    }
    // Another state, none, another browser, another issuer's answer, and a refusal.
    for (query, to) in [
        ("code=the-code&state=another", "oidc_stale"),
        ("code=the-code", "oidc_stale"),
        ("x=y", "oidc_stale"),
        (
            "code=the-code&state=STATE&iss=https://evil.example",
            "oidc_refused",
        ),
        ("error=access_denied&state=STATE", "oidc_refused"),
        ("code=another&state=STATE", "oidc_refused"),
    ] {
        let away = begin(&site, &issuer, "").await;
        let query = query.replace("STATE", &away.state);
        let (said, session) = back(&site, &away.session, &query).await;
        assert!(
            said.starts_with(&format!("/login?again={to}")),
            "{query} {said}"
        );
        assert_eq!(
            who(&site, &session.unwrap_or_default()).await,
            None,
            "{query}"
        );
        // One try each: the right answer comes too late.
        let (said, _) = come_back(&site, &away).await;
        assert_eq!(said, "/login?again=oidc_stale", "{query}");
        let (said, _) = back(&site, "", &format!("code=the-code&state={}", away.state)).await;
        assert_eq!(said, "/login?again=oidc_stale", "without the session");
    }
    assert_eq!(home.db.number("SELECT COUNT(*) FROM users").await, 0);
    // All of that was the script's doing.
    assert_eq!(sign_in(&site, &issuer).await.0, "/");
}

async fn nobody_becomes_somebody_else(mut home: Home) {
    let issuer = Issuer::start().await;
    issuer.set(&mut home);
    home.add_user("sato", "admin", PASSWORD);
    let site = home.web().await;
    // Whoever may choose their name there is not the one who has it here.
    let (_, session) = sign_in(&site, &issuer).await;
    assert_eq!(
        who(&site, &session.unwrap()).await,
        is("sato@127.0.0.1", "support")
    );
    let own = site.sign_in("sato", PASSWORD).await;
    assert_eq!(who(&site, &own).await, is("sato", "admin"));
    // The same name again, of yet another person: by what the provider itself calls them.
    issuer.says(json!({"sub": "u2"}));
    let (_, session) = sign_in(&site, &issuer).await;
    assert_eq!(who(&site, &session.unwrap()).await, is("u2", "support"));
    // Somebody who has all of those names already.
    home.add_user("u3", "support", PASSWORD);
    home.add_user("u3@127.0.0.1", "support", PASSWORD);
    issuer.says(json!({"sub": "u3"}));
    assert_eq!(sign_in(&site, &issuer).await.0, "/login?again=oidc_name");
}

async fn whoever_has_no_role_or_is_disabled_stays_out(mut home: Home) {
    let issuer = Issuer::start().await;
    issuer.set(&mut home);
    let site = home.web().await;
    issuer.says(json!({"groups": ["cooks"]}));
    let told = "/login?again=oidc_role";
    let (to, none) = sign_in(&site, &issuer).await;
    assert_eq!(to, told);
    assert_eq!(who(&site, &none.unwrap_or_default()).await, None);
    assert_eq!(home.db.number("SELECT COUNT(*) FROM users").await, 0);
    let page = site.get("/login?again=oidc_role").send().await.unwrap();
    assert!(page.text().await.unwrap().contains("権限がありません"));

    issuer.says(json!({}));
    let (_, session) = sign_in(&site, &issuer).await;
    let session = session.unwrap();
    assert_eq!(who(&site, &session).await, is("sato", "support"));
    // Whoever lost every role is out everywhere.
    issuer.says(json!({"groups": []}));
    assert_eq!(sign_in(&site, &issuer).await.0, told);
    assert_eq!(who(&site, &session).await, None);
    issuer.says(json!({}));
    let (_, session) = sign_in(&site, &issuer).await;
    let session = session.unwrap();
    let yes = if home.db.is_postgres() { "TRUE" } else { "1" };
    home.db
        .run(&format!("UPDATE users SET disabled = {yes}"))
        .await;
    assert_eq!(who(&site, &session).await, None);
    let (to, none) = sign_in(&site, &issuer).await;
    assert_eq!(to, "/login?again=oidc_disabled");
    assert_eq!(who(&site, &none.unwrap_or_default()).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_provider_passwords_go_on() {
    let mut home = Home::sqlite().await;
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    // Not set: no button, and nothing behind it.
    let page = site
        .get("/login")
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(!page.contains("/session/oidc"), "{page}");
    for path in ["/session/oidc", "/session/oidc/callback?code=x&state=y"] {
        let answer = site.get(path).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
    }
    drop(site);
    // Set, and down.
    let issuer = Issuer::start().await;
    issuer.set(&mut home);
    home.set("OIDC_ISSUER", "http://127.0.0.1:1");
    let site = home.web().await;
    let answer = site.get("/session/oidc?next=/stuck").send().await.unwrap();
    let to = header(&answer, "location").to_owned();
    assert_eq!(to, "/login?again=oidc_down&next=%2Fstuck");
    let page = site.get(&to).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("サンプル社 がいま応答しません"), "{page}");
    site.sign_in("sato", PASSWORD).await;
    // Somebody who is signed in has nothing to begin.
    let session = site.sign_in("sato", PASSWORD).await;
    let answer = site
        .get("/session/oidc")
        .with(&session)
        .send()
        .await
        .unwrap();
    assert_eq!(header(&answer, "location"), "/");
}
