//! Users as administrators see them.

use super::own::living;
use crate::db::{Db, DbError, Sql, Stamp};
use crate::on_read;
use app::model::Role;

const ALL: Sql = living!(
    "SELECT u.id, u.name, u.role, u.disabled, u.disabled_reason, u.created_at, u.signed_in_at, \
     u.version, (SELECT COUNT(*) FROM sign_ins AS s WHERE s.user_id = u.id AND s.epoch = u.epoch AND ",
    ") AS sign_ins FROM users AS u ORDER BY u.disabled, u.name, u.id"
);
const ONE: Sql = living!(
    "SELECT u.id, u.name, u.role, u.disabled, u.disabled_reason, u.created_at, u.signed_in_at, \
     u.version, (SELECT COUNT(*) FROM sign_ins AS s WHERE s.user_id = u.id AND s.epoch = u.epoch AND ",
    ") AS sign_ins FROM users AS u WHERE u.id = $1"
);
const OTHER_ADMINS: Sql = Sql::same(
    "SELECT EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND NOT disabled AND id <> $1)",
);
/// Who changed a user last, for a refusal. Not looked for further back than this many acts: nobody
/// was faster by so much.
const LAST_CHANGE: Sql = Sql::same(
    "SELECT actor, at FROM audit_events WHERE detail = $1 AND submission_id IS NULL \
     AND act IN ('user_add', 'user_role', 'user_disable', 'user_enable', 'user_password', \
     'user_sign_out', 'own_password', 'own_sign_out') \
     AND id > (SELECT COALESCE(MAX(id), 0) - 20000 FROM audit_events) ORDER BY id DESC LIMIT 1",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("users::ALL", ALL),
    ("users::ONE", ONE),
    ("users::OTHER_ADMINS", OTHER_ADMINS),
    ("users::LAST_CHANGE", LAST_CHANGE),
];

/// A user.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Listed {
    /// Their id.
    pub id: i64,
    /// Their sign-in name.
    pub name: String,
    role: String,
    /// May not sign in any more.
    pub disabled: bool,
    /// Why not.
    pub disabled_reason: Option<String>,
    /// When they were added.
    pub created_at: Stamp,
    /// When they signed in last.
    pub signed_in_at: Option<Stamp>,
    /// Goes up at every change.
    pub version: i64,
    /// Sign-ins that live.
    pub sign_ins: i64,
}

impl Listed {
    /// What they may do. An unknown word is the least.
    pub fn role(&self) -> Role {
        Role::parse(&self.role).unwrap_or(Role::Support)
    }
}

/// Everybody: those who may sign in first, by name.
pub async fn all(db: &Db) -> Result<Vec<Listed>, DbError> {
    let sql = db.text(ALL);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_all(c).await)?)
}

/// One of them.
pub async fn one(db: &Db, id: i64) -> Result<Option<Listed>, DbError> {
    let sql = db.text(ONE);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

/// Whether there is an administrator beside this user.
pub async fn other_admins(db: &Db, id: i64) -> Result<bool, DbError> {
    let sql = db.text(OTHER_ADMINS);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(id).fetch_one(c).await)?)
}

/// Who changed a user last, and when.
pub async fn last_change(db: &Db, name: &str) -> Result<Option<(String, Stamp)>, DbError> {
    let sql = db.text(LAST_CHANGE);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(name).fetch_optional(c).await)?)
}
