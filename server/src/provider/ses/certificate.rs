//! The certificates with which Amazon SNS signs.

use crate::provider::http as shared;
use async_trait::async_trait;
use ring::signature::{RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, UnparsedPublicKey};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    AlgorithmIdentifier, CertificateDer, InvalidSignature, SignatureVerificationAlgorithm, alg_id,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use url::Url;
use webpki::EndEntityCert;
use webpki::ring::RSA_PKCS1_2048_8192_SHA256;

/// Gets what lies at an address that was looked through before.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// The body of a 200, or why there is none.
    async fn get(&self, url: &Url) -> Result<Vec<u8>, String>;
}

/// Over HTTPS, with the client's time limit, and without following redirects.
pub struct OverHttps(pub reqwest::Client);

#[async_trait]
impl Fetch for OverHttps {
    async fn get(&self, url: &Url) -> Result<Vec<u8>, String> {
        let request = self.0.get(url.clone()).send().await;
        let answer = request.map_err(|e| e.without_url().to_string())?;
        if answer.status() != http::StatusCode::OK {
            return Err(format!("HTTP {}", answer.status().as_u16()));
        }
        Ok(shared::read(answer, shared::WORDS_WAIT).await)
    }
}

/// An address of Amazon SNS itself: `https://sns.REGION.amazonaws.com`, or `.cn` behind it.
pub fn of_sns(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = url.scheme() == "https"
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let rest = url.host_str()?.strip_prefix("sns.")?;
    let region = rest
        .strip_suffix(".amazonaws.com")
        .or_else(|| rest.strip_suffix(".amazonaws.com.cn"))?;
    let region = !region.is_empty()
        && region
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    (plain && region).then_some(url)
}

/// The hash in a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// `SignatureVersion` 1.
    Sha1,
    /// `SignatureVersion` 2.
    Sha256,
}

/// RSA with SHA-1, which is what topics use unless they are told otherwise.
#[derive(Debug)]
struct Sha1;

impl SignatureVerificationAlgorithm for Sha1 {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, public_key)
            .verify(message, signature)
            .map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    /// sha1WithRSAEncryption
    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        AlgorithmIdentifier::from_slice(&[
            0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05, 0x05, 0x00,
        ])
    }
}

/// Why a signature could not be found good.
#[derive(Debug, PartialEq, Eq)]
pub enum NotGood {
    /// It is not.
    Signature,
    /// The certificate could not be had.
    Unavailable(String),
}

/// Certificates that are being fetched at once, at most: whoever knows the topic's name can make
/// this program ask Amazon SNS for certificates.
const AT_ONCE: usize = 2;
/// Certificates that are kept; SNS changes its own now and then.
const KEPT: usize = 8;

/// Certificates by their address, fetched once.
pub struct Certificates {
    fetch: Arc<dyn Fetch>,
    kept: Mutex<HashMap<Url, Arc<CertificateDer<'static>>>>,
    fetching: Semaphore,
}

impl Certificates {
    /// None yet.
    pub fn new(fetch: Arc<dyn Fetch>) -> Certificates {
        Certificates {
            fetch,
            kept: Mutex::default(),
            fetching: Semaphore::new(AT_ONCE),
        }
    }

    /// Gets something else from Amazon SNS.
    pub async fn get(&self, url: &Url) -> Result<Vec<u8>, String> {
        self.fetch.get(url).await
    }

    /// Checks a signature with the certificate at that address of Amazon SNS.
    pub async fn verify(
        &self,
        url: &Url,
        hash: Hash,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), NotGood> {
        let der = self.certificate(url).await?;
        let certificate = EndEntityCert::try_from(&*der).map_err(|_| NotGood::Signature)?;
        let algorithm: &dyn SignatureVerificationAlgorithm = match hash {
            Hash::Sha1 => &Sha1,
            Hash::Sha256 => RSA_PKCS1_2048_8192_SHA256,
        };
        certificate
            .verify_signature(algorithm, message, signature)
            .map_err(|_| NotGood::Signature)
    }

    async fn certificate(&self, url: &Url) -> Result<Arc<CertificateDer<'static>>, NotGood> {
        let kept = self.kept.lock().ok().and_then(|k| k.get(url).cloned());
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let busy = || NotGood::Unavailable("too many certificates are asked for".to_owned());
        let _turn = self.fetching.try_acquire().map_err(|_| busy())?;
        let pem = self.fetch.get(url).await.map_err(NotGood::Unavailable)?;
        let der = CertificateDer::from_pem_slice(&pem).map_err(|_| NotGood::Signature)?;
        let der = Arc::new(der);
        if let Ok(mut kept) = self.kept.lock() {
            if kept.len() >= KEPT {
                kept.clear();
            }
            kept.insert(url.clone(), Arc::clone(&der));
        }
        Ok(der)
    }
}
