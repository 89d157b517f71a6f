//! Passwords are kept hashed; hashing costs on purpose, and so is done beside everything else.

use super::normal;
use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use rand::Rng;
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// As many hashes at once as leave the pages some air.
static HASHING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));
/// Checked where there is no such user, so that this takes as long as a wrong password.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_now("nobody").unwrap_or_default());

/// Letters and digits that nobody mistakes for others when they are read out or copied by hand.
const CLEAR: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";

/// A password to offer: 79 bits, in groups that can be read out.
pub fn suggestion() -> String {
    let mut rng = rand::rng();
    let mut group = || -> String {
        let letters = (0..4).map(|_| char::from(CLEAR[rng.random_range(0..CLEAR.len())]));
        letters.collect()
    };
    [group(), group(), group(), group()].join("-")
}

fn hash_now(password: &str) -> Option<String> {
    let salt = SaltString::generate(&mut OsRng);
    Argon2::default()
        .hash_password(password.as_bytes(), &salt)
        .ok()
        .map(|h| h.to_string())
}

/// What is kept of a password.
pub(super) async fn hash(password: &str) -> Option<String> {
    let password = normal(password);
    let _slot = HASHING.acquire().await;
    tokio::task::spawn_blocking(move || hash_now(&password))
        .await
        .ok()
        .flatten()
}

/// Whether this is the password of what was kept. Without anything kept it takes as long, and is
/// not.
pub(super) async fn is_right(password: &str, kept: Option<&str>) -> bool {
    let there = kept.is_some();
    let kept = kept.map_or_else(|| NOBODY.clone(), str::to_owned);
    let password = normal(password);
    let _slot = HASHING.acquire().await;
    let right = tokio::task::spawn_blocking(move || {
        PasswordHash::new(&kept).is_ok_and(|hash| {
            Argon2::default()
                .verify_password(password.as_bytes(), &hash)
                .is_ok()
        })
    });
    right.await.unwrap_or(false) && there
}
