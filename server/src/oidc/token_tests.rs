#![allow(clippy::unwrap_used)]

use super::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::json;

const ISSUER: &str = "https://id.example.jp";
const NOW: i64 = 1_800_000_000;

fn encoded(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

struct Provider {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl Provider {
    fn new() -> Provider {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Provider {
            pair: EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap(),
            random,
        }
    }

    fn key(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        json!({
            "kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig",
            "x": URL_SAFE_NO_PAD.encode(&point[1..33]), "y": URL_SAFE_NO_PAD.encode(&point[33..]),
        })
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encoded(header), encoded(claims));
        let signature = self.pair.sign(&self.random, signed.as_bytes()).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn header() -> Value {
    json!({"alg": "ES256", "kid": "k1"})
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": "denpyo", "sub": "u1", "nonce": "n1",
        "iat": NOW - 5, "exp": NOW + 300,
    })
}

fn expected() -> Expected<'static> {
    Expected {
        issuer: ISSUER,
        client_id: "denpyo",
        nonce: "n1",
        now: NOW,
    }
}

/// The claims with some changed; null takes one away.
fn with(changes: Value) -> Value {
    let mut all = claims();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            all.as_object_mut().unwrap().remove(name);
        } else {
            all[name] = value.clone();
        }
    }
    all
}

#[test]
fn a_good_token_is_taken() {
    let provider = Provider::new();
    let keys = json!({"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}, provider.key()]});
    for good in [
        claims(),
        with(json!({"aud": ["denpyo"]})),
        with(json!({"aud": ["denpyo", "other"], "azp": "denpyo"})),
        with(json!({"exp": NOW - 30, "iat": NOW - 300})),
        with(json!({"iat": NOW + 30, "nbf": NOW + 30})),
    ] {
        let token = provider.sign(&header(), &good);
        assert_eq!(check(&token, &keys, &expected()), Ok(good));
    }
    // A provider with one key need not name it.
    let token = provider.sign(&json!({"alg": "ES256"}), &claims());
    assert!(check(&token, &keys, &expected()).is_ok());
}

#[test]
fn whatever_is_wrong_with_a_token_is_named() {
    let provider = Provider::new();
    let keys = json!({"keys": [provider.key()]});
    for (changes, fault) in [
        (json!({"iss": "https://evil.example"}), Fault::Issuer),
        (json!({"iss": format!("{ISSUER}/")}), Fault::Issuer),
        (json!({"iss": null}), Fault::Issuer),
        (json!({"aud": "other"}), Fault::Audience),
        (json!({"aud": []}), Fault::Audience),
        (json!({"aud": null}), Fault::Audience),
        (json!({"aud": ["denpyo", "other"]}), Fault::Audience),
        (json!({"azp": "other"}), Fault::Audience),
        (json!({"exp": NOW - 61}), Fault::Time),
        (json!({"exp": null}), Fault::Time),
        (json!({"exp": "later"}), Fault::Time),
        (json!({"iat": NOW + 61}), Fault::Time),
        (json!({"nbf": NOW + 61}), Fault::Time),
        (json!({"nonce": "n2"}), Fault::Nonce),
        (json!({"nonce": null}), Fault::Nonce),
        (json!({"sub": ""}), Fault::Subject),
        (json!({"sub": 7}), Fault::Subject),
        (json!({"sub": "x".repeat(256)}), Fault::Subject),
    ] {
        let token = provider.sign(&header(), &with(changes.clone()));
        assert_eq!(check(&token, &keys, &expected()), Err(fault), "{changes}");
    }
}

#[test]
fn only_the_providers_own_key_signs() {
    let (provider, other) = (Provider::new(), Provider::new());
    let keys = json!({"keys": [provider.key()]});
    let refused = |token: &str| check(token, &keys, &expected()).err();
    assert_eq!(
        refused(&other.sign(&header(), &claims())),
        Some(Fault::Signature)
    );
    // Unsigned, and signed with a secret that everybody knows: the public key.
    for alg in ["none", "None", "HS256", ""] {
        let head = json!({"alg": alg, "kid": "k1"});
        assert_eq!(
            refused(&provider.sign(&head, &claims())),
            Some(Fault::Algorithm),
            "{alg}"
        );
        let bare = format!("{}.{}.", encoded(&head), encoded(&claims()));
        assert_eq!(refused(&bare), Some(Fault::Algorithm), "{alg}");
    }
    for head in [
        json!({"alg": "ES256", "kid": "k2"}),
        json!({"alg": "RS256", "kid": "k1"}),
        json!({"alg": "ES384", "kid": "k1"}),
    ] {
        assert_eq!(
            refused(&provider.sign(&head, &claims())),
            Some(Fault::NoKey),
            "{head}"
        );
    }
    let head = json!({"alg": "ES256", "crit": ["b64"], "b64": false});
    assert_eq!(
        refused(&provider.sign(&head, &claims())),
        Some(Fault::Unreadable)
    );
    // A key for encryption signs nothing.
    let mut key = provider.key();
    key["use"] = json!("enc");
    let token = provider.sign(&header(), &claims());
    assert_eq!(
        check(&token, &json!({"keys": [key]}), &expected()),
        Err(Fault::NoKey)
    );
    // Other claims under the same signature.
    let parts: Vec<&str> = token.split('.').collect();
    let forged = format!(
        "{}.{}.{}",
        parts[0],
        encoded(&with(json!({"sub": "admin"}))),
        parts[2]
    );
    assert_eq!(refused(&forged), Some(Fault::Signature));
    for odd in ["", "a.b", "a.b.c.d", "..", "e30.e30.e30", "!.!.!"] {
        assert!(refused(odd).is_some(), "{odd}");
    }
    assert_eq!(
        check(&token, &json!({"keys": "none"}), &expected()),
        Err(Fault::NoKey)
    );
}

#[test]
fn a_key_of_edwards_curve_is_taken() {
    let random = SystemRandom::new();
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
    let keys = json!({"keys": [{
        "kty": "OKP", "crv": "Ed25519",
        "x": URL_SAFE_NO_PAD.encode(pair.public_key().as_ref()),
    }]});
    let signed = format!(
        "{}.{}",
        encoded(&json!({"alg": "EdDSA"})),
        encoded(&claims())
    );
    let signature = URL_SAFE_NO_PAD.encode(pair.sign(signed.as_bytes()));
    assert!(check(&format!("{signed}.{signature}"), &keys, &expected()).is_ok());
    let other = format!("{signed}x.{signature}");
    assert!(check(&other, &keys, &expected()).is_err());
}
