//! What the checking of signed posts has in common.

use super::ProviderError;
use super::events::NotEvents;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use rustls::pki_types::SubjectPublicKeyInfoDer;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use webpki::{RawPublicKeyEntity, ring::ECDSA_P256_SHA256};

/// A header's text; a post without it is not signed.
pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<&'a str, NotEvents> {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .ok_or(NotEvents::Signature)
}

/// Refuses what was signed longer ago than the service repeats a post, or as far in the future:
/// clocks go wrong both ways. `seconds` since 1970.
pub fn fresh(seconds: i64, now: SystemTime, window: Duration) -> Result<(), NotEvents> {
    let signed = u64::try_from(seconds)
        .ok()
        .and_then(|s| UNIX_EPOCH.checked_add(Duration::from_secs(s)))
        .ok_or(NotEvents::Stale)?;
    let apart = now
        .duration_since(signed)
        .unwrap_or_else(|in_future| in_future.duration());
    if apart > window {
        return Err(NotEvents::Stale);
    }
    Ok(())
}

/// Standard base64.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text.trim()).ok()
}

/// A public key of the curve P-256.
#[derive(Clone)]
pub struct P256Key(SubjectPublicKeyInfoDer<'static>);

impl P256Key {
    /// Reads a SubjectPublicKeyInfo in base64, with or without the lines of PEM around it.
    pub fn parse(text: &str) -> Result<P256Key, ProviderError> {
        let refused = |why: &str| ProviderError::WebhookKey(why.to_owned());
        let inner: String = text
            .lines()
            .filter(|line| !line.starts_with("-----"))
            .flat_map(str::split_whitespace)
            .collect();
        let der = base64(&inner).ok_or_else(|| refused("it is no base64"))?;
        let key = P256Key(SubjectPublicKeyInfoDer::from(der));
        // No signature fits, but only a key of another kind is refused as such.
        match key.entity()?.verify_signature(ECDSA_P256_SHA256, b"", b"") {
            Err(webpki::Error::InvalidSignatureForPublicKey) => Ok(key),
            _ => Err(refused("it is no public key of the curve P-256")),
        }
    }

    fn entity(&self) -> Result<RawPublicKeyEntity<'_>, ProviderError> {
        RawPublicKeyEntity::try_from(&self.0)
            .map_err(|_| ProviderError::WebhookKey("it is no public key".to_owned()))
    }

    /// Checks an ECDSA signature with SHA-256, in ASN.1.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), NotEvents> {
        let entity = self.entity().map_err(|_| NotEvents::Signature)?;
        entity
            .verify_signature(ECDSA_P256_SHA256, message, signature)
            .map_err(|_| NotEvents::Signature)
    }
}
