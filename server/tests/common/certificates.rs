//! Certificates of a test's own.

#![allow(dead_code)] // no test file uses all of it

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::path::{Path, PathBuf};

/// A certificate for a host, and the authority that vouches for it.
pub struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// Written into that folder: `authority.pem`, `cert.pem` and `key.pem`.
    pub fn new(folder: &Path, host: &str) -> Certificates {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let vouching = authority.self_signed(&key).unwrap();
        let issuer = Issuer::new(authority, key);
        let own_key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(vec![host.to_owned()]).unwrap();
        let own = own.signed_by(&own_key, &issuer).unwrap();
        let certificates = Certificates {
            folder: folder.to_path_buf(),
        };
        for (name, text) in [
            ("authority.pem", vouching.pem()),
            ("cert.pem", own.pem()),
            ("key.pem", own_key.serialize_pem()),
        ] {
            std::fs::write(certificates.path(name), text).unwrap();
        }
        certificates
    }

    /// Where one of the three is.
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// What one of the three holds.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}
