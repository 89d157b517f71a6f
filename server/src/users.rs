//! People who may sign in.

pub mod change;
mod hashing;
mod name;
pub mod own;
pub mod read;

use crate::db::{Db, DbError, Sql};
use crate::outbox::audit::{self, Matter};
use crate::{in_tx, on_read};
use app::model::{ActKind, Role};
use unicode_normalization::UnicodeNormalization;

pub use app::model::password::LONGEST as LONGEST_PASSWORD;
pub use hashing::suggestion;
pub(crate) use name::is_hidden;
pub(crate) use name::{can_be_seen, check_name};

/// Longest sign-in name, in characters.
pub const LONGEST_NAME: usize = 64;

const INSERT: Sql = Sql::same(
    "INSERT INTO users (name, role, password_hash) VALUES ($1, $2, $3) \
     ON CONFLICT (name) DO NOTHING RETURNING id",
);
const BY_NAME: Sql = Sql::same(
    "SELECT id, name, role, password_hash, disabled, epoch, version FROM users WHERE name = $1",
);
const BY_ID: Sql = Sql::same(
    "SELECT id, name, role, password_hash, disabled, epoch, version FROM users WHERE id = $1",
);

/// Every statement, for the test that has both databases check each.
pub fn statements() -> Vec<(&'static str, Sql)> {
    let own = [
        ("users::INSERT", INSERT),
        ("users::BY_NAME", BY_NAME),
        ("users::BY_ID", BY_ID),
    ];
    [&own, change::STATEMENTS, own::STATEMENTS, read::STATEMENTS].concat()
}

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
    /// Goes up at every change.
    pub version: i64,
}

impl User {
    /// What they may do. An unknown word is the least.
    pub fn role(&self) -> Role {
        Role::parse(&self.role).unwrap_or(Role::Support)
    }

    /// Whether they may do what this role may.
    pub fn may(&self, role: Role) -> bool {
        !self.disabled && self.role() >= role
    }

    /// What is kept of their password. Whoever comes through OpenID Connect has none.
    fn kept(&self) -> Option<&str> {
        Some(self.password_hash.as_str()).filter(|hash| !hash.is_empty())
    }

    /// Whether they have a password here.
    pub fn has_password(&self) -> bool {
        self.kept().is_some()
    }
}

/// Why somebody could not be added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// No name, or one that cannot be seen or typed back.
    #[error(
        "a name has 1 to {LONGEST_NAME} characters, without blanks or characters that cannot be seen"
    )]
    Name,
    /// The record uses the name for what no person did.
    #[error("{0:?} stands for a program in the record: choose another name")]
    Reserved(String),
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

/// Kana typed as one character or as two are one name, and one password.
pub(crate) fn normal(text: &str) -> String {
    text.nfc().collect()
}

/// Adds somebody, and writes down who did; returns the id.
pub async fn add(
    db: &Db,
    actor: &str,
    name: &str,
    role: Role,
    password: &str,
) -> Result<i64, AddError> {
    let name = normal(name);
    check_name(&name)?;
    if password.is_empty() {
        return Err(AddError::Empty);
    }
    if password.len() > LONGEST_PASSWORD {
        return Err(AddError::TooLong);
    }
    let hash = hashing::hash(password).await.ok_or(AddError::Hash)?;
    match insert(db, actor, &name, role, &hash).await? {
        Some(id) => Ok(id),
        None => Err(AddError::Exists(name)),
    }
}

/// None where the name is taken.
async fn insert(
    db: &Db,
    actor: &str,
    name: &str,
    role: Role,
    hash: &str,
) -> Result<Option<i64>, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(INSERT);
    let id: Option<i64> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql)
        .bind(name).bind(role.as_str()).bind(hash).fetch_optional(c).await)?;
    if id.is_some() {
        let act = Matter {
            after: Some(role.as_str()),
            ..Matter::of(actor, ActKind::UserAdd, name)
        };
        audit::record_matter(db, &mut tx, act).await?;
        tx.commit().await?;
    }
    Ok(id)
}

/// The user of that name and password, who may sign in. Takes as long whether the name is known,
/// unknown or disabled.
pub async fn sign_in(db: &Db, name: &str, password: &str) -> Result<Option<User>, DbError> {
    if password.len() > LONGEST_PASSWORD || name.len() > 256 {
        return Ok(None);
    }
    let user = by_name(db, name).await?;
    // That somebody has no password is told as slowly as any wrong one.
    let kept = user.as_ref().and_then(User::kept);
    let right = hashing::is_right(password, kept).await;
    Ok(user.filter(|u| right && !u.disabled))
}

/// The user of that name.
pub async fn by_name(db: &Db, name: &str) -> Result<Option<User>, DbError> {
    let sql = db.text(BY_NAME);
    // No name holds NUL, and PostgreSQL refuses to look for one: nobody has the name ''.
    let name = if name.contains('\0') { "" } else { name };
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(normal(name)).fetch_optional(c).await)?)
}

/// The user of a session.
pub async fn by_id(db: &Db, id: i64) -> Result<Option<User>, DbError> {
    let sql = db.text(BY_ID);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}
