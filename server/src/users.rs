//! People who may sign in.

use crate::db::{Db, DbError, Sql};
use crate::{on_read, on_write};
use app::model::Role;
use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use std::sync::LazyLock;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization;

/// Longest password in bytes. A longer one is refused at once: hashing costs by length.
pub const LONGEST_PASSWORD: usize = 1024;

const INSERT: Sql = Sql::same(
    "INSERT INTO users (name, role, password_hash) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
);
const BY_NAME: Sql =
    Sql::same("SELECT id, name, role, password_hash, disabled, epoch FROM users WHERE name = $1");
const BY_ID: Sql =
    Sql::same("SELECT id, name, role, password_hash, disabled, epoch FROM users WHERE id = $1");

/// Every statement, for the test that has both databases check each.
pub const STATEMENTS: &[(&str, Sql)] = &[
    ("users::INSERT", INSERT),
    ("users::BY_NAME", BY_NAME),
    ("users::BY_ID", BY_ID),
];

/// Somebody who may sign in.
#[derive(Clone, sqlx::FromRow)]
pub struct User {
    /// Their id.
    pub id: i64,
    /// Their sign-in name.
    pub name: String,
    role: String,
    password_hash: String,
    /// May not sign in any more.
    pub disabled: bool,
    /// Sessions of an earlier epoch are over.
    pub epoch: i64,
}

impl User {
    /// What they may do. An unknown word is the least.
    pub fn role(&self) -> Role {
        Role::parse(&self.role).unwrap_or(Role::Support)
    }
}

/// Why somebody could not be added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// No name, or one that cannot be typed back.
    #[error("a name has 1 to 64 characters, without blanks or control characters")]
    Name,
    /// The name is taken.
    #[error("there is already a user {0:?}")]
    Exists(String),
    /// No password.
    #[error("the password is empty")]
    Empty,
    /// Too long.
    #[error("a password has at most {LONGEST_PASSWORD} bytes")]
    TooLong,
    /// Hashing failed.
    #[error("the password could not be hashed")]
    Hash,
    /// The database.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Kana typed as one character or as two are one password.
fn normal(text: &str) -> String {
    text.nfc().collect()
}

/// Adds somebody.
pub async fn add(db: &Db, name: &str, role: Role, password: &str) -> Result<(), AddError> {
    let name = normal(name);
    let fine = (1..=64).contains(&name.chars().count())
        && !name.chars().any(|c| c.is_control() || c.is_whitespace());
    if !fine {
        return Err(AddError::Name);
    }
    if password.is_empty() {
        return Err(AddError::Empty);
    }
    if password.len() > LONGEST_PASSWORD {
        return Err(AddError::TooLong);
    }
    let hash = hash(&normal(password)).ok_or(AddError::Hash)?;
    let sql = db.text(INSERT);
    let rows = on_write!(db, c => sqlx::query(&sql).bind(&name).bind(role.as_str()).bind(&hash)
        .execute(c).await.map(|r| r.rows_affected()))
    .map_err(DbError::from)?;
    if rows == 0 {
        Err(AddError::Exists(name))
    } else {
        Ok(())
    }
}

fn hash(password: &str) -> Option<String> {
    let salt = SaltString::generate(&mut OsRng);
    Argon2::default()
        .hash_password(password.as_bytes(), &salt)
        .ok()
        .map(|h| h.to_string())
}

fn matches(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| {
        Argon2::default()
            .verify_password(password.as_bytes(), &hash)
            .is_ok()
    })
}

/// As many hashes at once as leave the pages some air.
static HASHING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));
/// Checked where there is no such user, so that this takes as long as a wrong password.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash("nobody").unwrap_or_default());

/// The user of that name and password, who may sign in. Takes as long whether the name is known,
/// unknown or disabled.
pub async fn sign_in(db: &Db, name: &str, password: &str) -> Result<Option<User>, DbError> {
    if password.len() > LONGEST_PASSWORD || name.len() > 256 {
        return Ok(None);
    }
    let sql = db.text(BY_NAME);
    // No name holds NUL, and PostgreSQL refuses to look for one: nobody has the name ''.
    let name = if name.contains('\0') { "" } else { name };
    let user: Option<User> =
        on_read!(db, c => sqlx::query_as(&sql).bind(normal(name)).fetch_optional(c).await)?;
    let stored = user
        .as_ref()
        .map_or_else(|| NOBODY.clone(), |u| u.password_hash.clone());
    let password = normal(password);
    let _slot = HASHING.acquire().await;
    let right = tokio::task::spawn_blocking(move || matches(&password, &stored))
        .await
        .unwrap_or(false);
    Ok(user.filter(|u| right && !u.disabled))
}

/// The user of a session.
pub async fn by_id(db: &Db, id: i64) -> Result<Option<User>, DbError> {
    let sql = db.text(BY_ID);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}
