//! Tokens of the API. A token has 256 random bits, so that a plain SHA-256 of it is all that has to be
//! kept: nobody can guess one, nor tell one from its hash. It is found by that hash, so that the time
//! it takes tells nothing of how near a guess was.

use crate::db::{Db, DbError, Sql, Stamp};
use crate::outbox::audit::{self, Matter};
use crate::{in_tx, on_read, on_write, users};
use app::model::ActKind;
use app::model::views::TokenScope;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// What every token begins with, so that people and scanners of leaked secrets know one.
const PREFIX: &str = "denpyo_";
/// A token's length: the prefix, and 32 bytes in base64.
const LENGTH: usize = PREFIX.len() + 43;
/// The last use is written down this seldom: no busy program makes its row a hot one.
const COARSE_MS: i64 = 3_600_000;

const INSERT: Sql = Sql::same(
    "INSERT INTO api_tokens (name, hash, scope, created_by) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (name) DO NOTHING RETURNING id",
);
const END: Sql = Sql::same(
    "UPDATE api_tokens SET ended_at = {now}, ended_by = $2, end_reason = $3 \
     WHERE id = $1 AND ended_at IS NULL RETURNING name",
);
const BY_HASH: Sql = Sql::same(
    "SELECT id, name, scope, (used_at IS NULL OR used_at < {after $2}) AS stale FROM api_tokens \
     WHERE hash = $1 AND ended_at IS NULL",
);
const USED: Sql = Sql::same(
    "UPDATE api_tokens SET used_at = {now} WHERE id = $1 AND (used_at IS NULL OR used_at < {after $2})",
);
const ALL: Sql = Sql::same(
    "SELECT id, name, scope, created_by, created_at, used_at, ended_at, ended_by, end_reason \
     FROM api_tokens ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, id DESC LIMIT 500",
);
const BY_ID: Sql = Sql::same(
    "SELECT id, name, scope, created_by, created_at, used_at, ended_at, ended_by, end_reason \
     FROM api_tokens WHERE id = $1",
);

/// Every statement, for the test that has both databases check each.
pub const STATEMENTS: &[(&str, Sql)] = &[
    ("tokens::INSERT", INSERT),
    ("tokens::END", END),
    ("tokens::BY_HASH", BY_HASH),
    ("tokens::USED", USED),
    ("tokens::ALL", ALL),
    ("tokens::BY_ID", BY_ID),
];

/// A token as kept.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct TokenRow {
    /// Its number.
    pub id: i64,
    /// What it is called.
    pub name: String,
    scope: String,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: Stamp,
    /// When it was last used, to the hour.
    pub used_at: Option<Stamp>,
    /// When it was ended.
    pub ended_at: Option<Stamp>,
    /// By whom.
    pub ended_by: Option<String>,
    /// Why.
    pub end_reason: Option<String>,
}

impl TokenRow {
    /// What it may do. An unknown word is the least.
    pub fn scope(&self) -> TokenScope {
        TokenScope::parse(&self.scope).unwrap_or(TokenScope::Read)
    }
}

/// A program that holds a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The token's name.
    pub name: String,
    /// What it may do.
    pub scope: TokenScope,
}

/// A name as it is kept; none where it cannot be one. The record says `api` before it, so that none is
/// reserved.
pub fn name(text: &str) -> Option<String> {
    let name = users::normal(text.trim());
    users::can_be_seen(&name).then_some(name)
}

fn hash(token: &str) -> String {
    Sha256::digest(token)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Makes a token, and writes down who did. None where another has, or had, that name. The token is
/// here and nowhere else.
pub async fn make(
    db: &Db,
    actor: &str,
    name: &str,
    scope: TokenScope,
) -> Result<Option<(i64, String)>, DbError> {
    let token = format!(
        "{PREFIX}{}",
        URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
    );
    let sql = db.text(INSERT);
    let mut tx = db.begin().await?;
    let id: Option<i64> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql)
        .bind(name).bind(hash(&token)).bind(scope.as_str()).bind(actor)
        .fetch_optional(c).await)?;
    let Some(id) = id else { return Ok(None) };
    let act = Matter {
        after: Some(scope.as_str()),
        ..Matter::of(actor, ActKind::TokenMade, name)
    };
    audit::record_matter(db, &mut tx, act).await?;
    tx.commit().await?;
    Ok(Some((id, token)))
}

/// Ends a token for good, and writes down who did and why. False where it was ended before, or is
/// none.
pub async fn end(db: &Db, actor: &str, id: i64, reason: &str) -> Result<bool, DbError> {
    let sql = db.text(END);
    let mut tx = db.begin().await?;
    let name: Option<String> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql)
        .bind(id).bind(actor).bind(reason).fetch_optional(c).await)?;
    let Some(name) = name else { return Ok(false) };
    let act = Matter {
        reason: Some(reason),
        ..Matter::of(actor, ActKind::TokenEnded, &name)
    };
    audit::record_matter(db, &mut tx, act).await?;
    tx.commit().await?;
    Ok(true)
}

/// The program that a token names, while it is not ended.
pub async fn program(db: &Db, token: &str) -> Result<Option<Program>, DbError> {
    // Nothing else was ever made, so that nobody's guesses reach the database.
    if token.len() != LENGTH || !token.starts_with(PREFIX) {
        return Ok(None);
    }
    let sql = db.text(BY_HASH);
    let found: Option<(i64, String, String, bool)> = on_read!(db, c => sqlx::query_as(&sql)
        .bind(hash(token)).bind(-COARSE_MS).fetch_optional(c).await)?;
    let Some((id, name, scope, stale)) = found else {
        return Ok(None);
    };
    if stale {
        let sql = db.text(USED);
        let noted: sqlx::Result<()> = on_write!(db, c => sqlx::query(&sql)
            .bind(id).bind(-COARSE_MS).execute(c).await.map(|_| ()));
        // Not worth refusing a mail for.
        if let Err(error) = noted {
            tracing::warn!(error = %error, "the use of a token could not be written down");
        }
    }
    Ok(Some(Program {
        name,
        scope: TokenScope::parse(&scope).unwrap_or(TokenScope::Read),
    }))
}

/// Every token: those in use first, then those that were ended, newest first.
pub async fn all(db: &Db) -> Result<Vec<TokenRow>, DbError> {
    let sql = db.text(ALL);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?)
}

/// One token.
pub async fn by_id(db: &Db, id: i64) -> Result<Option<TokenRow>, DbError> {
    let sql = db.text(BY_ID);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}
