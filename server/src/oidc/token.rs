//! ID tokens: whether one is the provider's own, for this client, of this sign-in, and still good
//! (OpenID Connect Core 1.0, section 3.1.3.7; RFC 7515, 7517, 7518).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::Value;
use subtle::ConstantTimeEq;

/// How far apart the provider's clock and this one's may be, in seconds.
const SKEW: i64 = 60;
/// Longest subject, as the standard has it.
const LONGEST_SUBJECT: usize = 255;

/// Why an ID token is not accepted. The texts hold nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is no signed token.
    #[error("the ID token cannot be read")]
    Unreadable,
    /// It is not signed, or by a method that is not taken (a shared secret is none).
    #[error("the ID token is not signed by a method that is taken")]
    Algorithm,
    /// No key of the provider's fits.
    #[error("no key of the provider fits the ID token")]
    NoKey,
    /// Its signature does not fit.
    #[error("the signature of the ID token does not fit")]
    Signature,
    /// Another provider's.
    #[error("the ID token is another issuer's")]
    Issuer,
    /// For another client.
    #[error("the ID token is for another client")]
    Audience,
    /// Expired, or not good yet.
    #[error("the ID token has expired, or is not good yet")]
    Time,
    /// Of another sign-in.
    #[error("the ID token is of another sign-in")]
    Nonce,
    /// Of nobody.
    #[error("the ID token names nobody")]
    Subject,
}

/// What a token must say.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The provider.
    pub issuer: &'a str,
    /// This client.
    pub client_id: &'a str,
    /// Of this very sign-in.
    pub nonce: &'a str,
    /// Seconds since 1970.
    pub now: i64,
}

/// How a method checks.
enum Method {
    Rsa(&'static RsaParameters),
    /// The key type, and the curve.
    Other(
        &'static str,
        &'static str,
        &'static dyn VerificationAlgorithm,
    ),
}

/// Methods with a public key alone: whoever may check a shared secret could also sign with it.
fn method(name: &str) -> Option<Method> {
    Some(match name {
        "RS256" => Method::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        "RS384" => Method::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        "RS512" => Method::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        "PS256" => Method::Rsa(&RSA_PSS_2048_8192_SHA256),
        "ES256" => Method::Other("EC", "P-256", &ECDSA_P256_SHA256_FIXED),
        "ES384" => Method::Other("EC", "P-384", &ECDSA_P384_SHA384_FIXED),
        "EdDSA" => Method::Other("OKP", "Ed25519", &ED25519),
        _ => return None,
    })
}

/// The token's claims, once everything about it is right. `keys` is the provider's JWK set.
pub fn check(token: &str, keys: &Value, expected: &Expected<'_>) -> Result<Value, Fault> {
    let mut parts = token.split('.');
    let (Some(head), Some(body), Some(sign), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Fault::Unreadable);
    };
    let header = json(head)?;
    // Extensions that must be understood are none that this program does.
    if header.get("crit").is_some() {
        return Err(Fault::Unreadable);
    }
    let name = header["alg"].as_str().unwrap_or_default();
    let method = method(name).ok_or(Fault::Algorithm)?;
    let signature = bytes(sign).ok_or(Fault::Unreadable)?;
    let signed = &token.as_bytes()[..head.len() + 1 + body.len()];
    let wanted = header.get("kid").and_then(Value::as_str);
    let mut fitting = keys["keys"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|key| fits(key, name, &method, wanted))
        .peekable();
    if fitting.peek().is_none() {
        return Err(Fault::NoKey);
    }
    if !fitting.any(|key| verify(key, &method, signed, &signature).is_some()) {
        return Err(Fault::Signature);
    }
    let claims = json(body)?;
    claims_hold(&claims, expected)?;
    Ok(claims)
}

fn bytes(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

fn json(part: &str) -> Result<Value, Fault> {
    let bytes = bytes(part).ok_or(Fault::Unreadable)?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|_| Fault::Unreadable)?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(Fault::Unreadable)
    }
}

/// Whether a key may have signed: its type, what it is for, and its name where the token gives one.
fn fits(key: &Value, alg: &str, method: &Method, wanted: Option<&str>) -> bool {
    let text = |member: &str| key.get(member).and_then(Value::as_str);
    let kind = match method {
        Method::Rsa(_) => text("kty") == Some("RSA"),
        Method::Other(kty, crv, _) => text("kty") == Some(kty) && text("crv") == Some(crv),
    };
    kind && text("use").is_none_or(|u| u == "sig")
        && text("alg").is_none_or(|a| a == alg)
        && wanted.is_none_or(|kid| text("kid") == Some(kid))
}

fn verify(key: &Value, method: &Method, signed: &[u8], signature: &[u8]) -> Option<()> {
    let part = |member: &str| bytes(key.get(member)?.as_str()?);
    match method {
        Method::Rsa(parameters) => {
            let key = RsaPublicKeyComponents {
                n: part("n")?,
                e: part("e")?,
            };
            key.verify(parameters, signed, signature).ok()
        }
        Method::Other(kty, _, algorithm) => {
            let point = match *kty {
                "EC" => [vec![4], part("x")?, part("y")?].concat(),
                _ => part("x")?,
            };
            let key = UnparsedPublicKey::new(*algorithm, point);
            key.verify(signed, signature).ok()
        }
    }
}

fn claims_hold(claims: &Value, expected: &Expected<'_>) -> Result<(), Fault> {
    let text = |member: &str| claims.get(member).and_then(Value::as_str);
    if text("iss") != Some(expected.issuer) {
        return Err(Fault::Issuer);
    }
    let (ours, others) = match &claims["aud"] {
        Value::String(one) => (one == expected.client_id, false),
        Value::Array(many) => (
            many.iter().any(|a| a.as_str() == Some(expected.client_id)),
            many.len() > 1,
        ),
        _ => (false, false),
    };
    // Where a token is for several, it must say that it was this one that asked.
    let asked = match claims.get("azp") {
        None => !others,
        Some(azp) => azp.as_str() == Some(expected.client_id),
    };
    if !ours || !asked {
        return Err(Fault::Audience);
    }
    // Some write fractions.
    let time = |member: &str| claims.get(member).and_then(Value::as_f64);
    let now = expected.now as f64;
    let skew = SKEW as f64;
    let good = time("exp").is_some_and(|exp| exp > now - skew)
        && time("iat").is_some_and(|iat| iat < now + skew)
        && (claims.get("nbf").is_none() || time("nbf").is_some_and(|nbf| nbf < now + skew));
    if !good {
        return Err(Fault::Time);
    }
    let nonce = text("nonce").unwrap_or_default();
    if !bool::from(nonce.as_bytes().ct_eq(expected.nonce.as_bytes())) {
        return Err(Fault::Nonce);
    }
    match text("sub") {
        Some(sub) if !sub.is_empty() && sub.len() <= LONGEST_SUBJECT => Ok(()),
        _ => Err(Fault::Subject),
    }
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
