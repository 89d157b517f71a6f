//! A provider of OpenID Connect that says whatever a test wants.

use super::SECRET;
use crate::run::Home;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// How the next answer is made.
#[derive(Clone)]
pub struct Script {
    /// Changes to the claims of the ID token; null takes one away.
    pub claims: Value,
    pub userinfo: Value,
    pub alg: &'static str,
    pub foreign_key: bool,
    pub refuses: bool,
    /// Of the sign-in under way.
    pub nonce: String,
    pub challenge: String,
}

struct Inner {
    url: String,
    pair: EcdsaKeyPair,
    other: EcdsaKeyPair,
    script: Mutex<Script>,
}

#[derive(Clone)]
pub struct Issuer(Arc<Inner>);

fn pair() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap()
}

impl Issuer {
    pub async fn start() -> Issuer {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Issuer(Arc::new(Inner {
            url,
            pair: pair(),
            other: pair(),
            script: Mutex::new(Script {
                claims: json!({}),
                userinfo: json!({}),
                alg: "ES256",
                foreign_key: false,
                refuses: false,
                nonce: String::new(),
                challenge: String::new(),
            }),
        }));
        let app = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/userinfo", get(userinfo))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        issuer
    }

    /// As it names itself.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    pub fn script<T>(&self, change: impl FnOnce(&mut Script) -> T) -> T {
        change(&mut self.0.script.lock().unwrap())
    }

    pub fn says(&self, claims: Value) {
        self.script(|script| script.claims = claims);
    }

    pub fn set(&self, home: &mut Home) {
        home.set("OIDC_ISSUER", &self.0.url)
            .set("OIDC_CLIENT_ID", "denpyo")
            .set("OIDC_CLIENT_SECRET", SECRET)
            .set("OIDC_ROLES", "helpdesk=support,leads=lead,it=admin")
            .set("OIDC_NAME", "サンプル社");
    }
}

async fn discovery(State(issuer): State<Issuer>) -> Json<Value> {
    let url = &issuer.0.url;
    Json(json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize?tenant=1"),
        "token_endpoint": format!("{url}/token"),
        "userinfo_endpoint": format!("{url}/userinfo"),
        "jwks_uri": format!("{url}/keys"),
        "scopes_supported": ["openid", "profile", "groups"],
    }))
}

async fn keys(State(issuer): State<Issuer>) -> Json<Value> {
    let point = issuer.0.pair.public_key().as_ref();
    Json(json!({"keys": [{
        "kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig",
        "x": URL_SAFE_NO_PAD.encode(&point[1..33]), "y": URL_SAFE_NO_PAD.encode(&point[33..]),
    }]}))
}

async fn token(
    State(issuer): State<Issuer>,
    headers: HeaderMap,
    body: String,
) -> axum::response::Response {
    let script = issuer.0.script.lock().unwrap().clone();
    let form: HashMap<String, String> = url::form_urlencoded::parse(body.as_bytes())
        .into_owned()
        .collect();
    // As a strict provider: the client's secret, the code, and the verifier behind the challenge.
    let secret = STANDARD.encode("denpyo:s%2Fcret+of+the+client");
    let proved = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    let fine = headers["authorization"] == format!("Basic {secret}")
        && form["grant_type"] == "authorization_code"
        && form["code"] == "the-code"
        && form["redirect_uri"].ends_with("/session/oidc/callback")
        && proved == script.challenge;
    if script.refuses || !fine {
        let error = json!({"error": "invalid_grant", "error_description": "the-code of sato"});
        return (StatusCode::BAD_REQUEST, Json(error)).into_response();
    }
    let now = chrono::Utc::now().timestamp();
    let mut claims = json!({
        "iss": issuer.0.url, "aud": "denpyo", "sub": "u1", "nonce": script.nonce,
        "iat": now, "exp": now + 300, "preferred_username": "sato", "groups": ["helpdesk"],
    });
    for (name, value) in script.claims.as_object().unwrap() {
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        } else {
            claims[name] = value.clone();
        }
    }
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = json!({"alg": script.alg, "kid": "k1"});
    let signed = format!("{}.{}", encoded(&head), encoded(&claims));
    let key = if script.foreign_key {
        &issuer.0.other
    } else {
        &issuer.0.pair
    };
    let signature = if script.alg == "none" {
        String::new()
    } else {
        let signature = key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        URL_SAFE_NO_PAD.encode(signature)
    };
    Json(json!({
        "access_token": "the-access-token", "token_type": "Bearer",
        "id_token": format!("{signed}.{signature}"),
    }))
    .into_response()
}

async fn userinfo(State(issuer): State<Issuer>, headers: HeaderMap) -> Json<Value> {
    assert_eq!(headers["authorization"], "Bearer the-access-token");
    Json(issuer.0.script.lock().unwrap().userinfo.clone())
}
