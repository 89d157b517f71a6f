//! Signs events as SendGrid does.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};

/// What stands before the point in the SubjectPublicKeyInfo of every key of the curve P-256.
const SPKI: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

pub struct Signer(EcdsaKeyPair);

impl Signer {
    pub fn new() -> Signer {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pair = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Signer(EcdsaKeyPair::from_pkcs8(algorithm, pair.as_ref(), &random).unwrap())
    }

    /// What `DENPYO_WEBHOOK_KEY` would be.
    pub fn key(&self) -> String {
        STANDARD.encode([&SPKI[..], self.0.public_key().as_ref()].concat())
    }

    /// Signature and timestamp of a post made that many seconds ago.
    pub fn headers(&self, body: &[u8], age: i64) -> [(&'static str, String); 2] {
        let timestamp = (chrono::Utc::now().timestamp() - age).to_string();
        let message = [timestamp.as_bytes(), body].concat();
        let signature = self.0.sign(&SystemRandom::new(), &message).unwrap();
        [
            (
                "x-twilio-email-event-webhook-signature",
                STANDARD.encode(signature),
            ),
            ("x-twilio-email-event-webhook-timestamp", timestamp),
        ]
    }
}
