//! What administrators change of a user. Each change is refused where somebody was faster, and none
//! leaves the desk without an administrator.

use super::{User, hashing};
use crate::db::{Db, DbError, Sql, Tx};
use crate::in_tx;
use crate::outbox::audit::{self, Matter};
use app::desk::UserChange as Change;
use app::model::ActKind;

/// The change, unless it would take the last administrator away. On PostgreSQL the administrators
/// are locked in one order first: of two who disable each other the second waits, and then sees
/// that nobody else is left. SQLite has one writer.
macro_rules! keeping_an_admin {
    ($set:literal, $unless:literal) => {
        Sql {
            sqlite: concat!(
                "UPDATE users SET version = version + 1, ",
                $set,
                " WHERE id = $1 AND version = $2 AND (role <> 'admin' OR disabled OR ",
                $unless,
                " OR EXISTS (SELECT 1 FROM users AS other WHERE other.role = 'admin' \
                 AND NOT other.disabled AND other.id <> $1)) RETURNING epoch"
            ),
            postgres: concat!(
                "WITH admins AS MATERIALIZED (SELECT id FROM users WHERE role = 'admin' \
                 AND NOT disabled ORDER BY id FOR UPDATE) UPDATE users SET version = version + 1, ",
                $set,
                " WHERE id = $1 AND version = $2 AND (role <> 'admin' OR disabled OR ",
                $unless,
                " OR EXISTS (SELECT 1 FROM admins WHERE admins.id <> $1)) RETURNING epoch"
            ),
        }
    };
}

const ROLE: Sql = keeping_an_admin!("role = $3", "$3 = 'admin'");
const DISABLE: Sql = keeping_an_admin!(
    "disabled = TRUE, disabled_reason = $3, epoch = epoch + 1",
    "FALSE"
);
const ENABLE: Sql = Sql::same(
    "UPDATE users SET disabled = FALSE, disabled_reason = NULL, version = version + 1 \
     WHERE id = $1 AND version = $2 AND disabled RETURNING epoch",
);
const PASSWORD: Sql = Sql::same(
    "UPDATE users SET password_hash = $3, epoch = epoch + 1, version = version + 1 \
     WHERE id = $1 AND version = $2 RETURNING epoch",
);
const SIGN_OUT: Sql = Sql::same(
    "UPDATE users SET epoch = epoch + 1, version = version + 1 \
     WHERE id = $1 AND version = $2 RETURNING epoch",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("users::ROLE", ROLE),
    ("users::DISABLE", DISABLE),
    ("users::ENABLE", ENABLE),
    ("users::PASSWORD", PASSWORD),
    ("users::SIGN_OUT", SIGN_OUT),
];

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Done.
    Done,
    /// It is so already.
    Same,
    /// The user is not as the administrator saw them.
    Stale,
    /// It would leave no administrator.
    LastAdmin,
    /// No such user.
    NotFound,
}

/// Why it could not be tried.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// Hashing failed.
    #[error("the password could not be hashed")]
    Hash,
    /// The database.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Changes a user who is still of version `version`, and writes the act down with its reason, in
/// one transaction.
pub async fn change(
    db: &Db,
    actor: &str,
    id: i64,
    version: i64,
    change: Change<'_>,
    reason: &str,
) -> Result<Changed, ChangeError> {
    let (sql, kind, bound) = match change {
        Change::Role(role) => (ROLE, ActKind::UserRole, Some(role.as_str().to_owned())),
        Change::Disable => (DISABLE, ActKind::UserDisable, Some(reason.to_owned())),
        Change::Enable => (ENABLE, ActKind::UserEnable, None),
        Change::Password(password) => {
            let hash = hashing::hash(password).await.ok_or(ChangeError::Hash)?;
            (PASSWORD, ActKind::UserPassword, Some(hash))
        }
        Change::SignOut => (SIGN_OUT, ActKind::UserSignOut, None),
    };
    let mut tx = db.begin().await.map_err(DbError::from)?;
    let Some(user) = seen(db, &mut tx, id).await? else {
        return Ok(Changed::NotFound);
    };
    let (before, after) = match change {
        Change::Role(role) => (Some(user.role().as_str()), Some(role.as_str())),
        Change::Disable => (Some("enabled"), Some("disabled")),
        Change::Enable => (Some("disabled"), Some("enabled")),
        Change::Password(_) | Change::SignOut => (None, None),
    };
    if user.version != version {
        return Ok(Changed::Stale);
    }
    let same = match change {
        Change::Role(role) => user.role() == role,
        Change::Disable => user.disabled,
        Change::Enable => !user.disabled,
        Change::Password(_) | Change::SignOut => false,
    };
    if same {
        return Ok(Changed::Same);
    }
    let sql = db.text(sql);
    let done: Option<i64> = in_tx!(&mut tx, c => {
        let query = sqlx::query_scalar(&sql).bind(id).bind(version);
        let query = match &bound {
            Some(value) => query.bind(value),
            None => query,
        };
        query.fetch_optional(c).await
    })
    .map_err(DbError::from)?;
    if done.is_none() {
        // Somebody may have been faster by a moment.
        let now = seen(db, &mut tx, id).await?;
        let stale = now.is_none_or(|now| now.version != version);
        return Ok(if stale {
            Changed::Stale
        } else {
            Changed::LastAdmin
        });
    }
    let act = Matter {
        actor,
        kind,
        about: &user.name,
        reason: Some(reason),
        before,
        after,
    };
    audit::record_matter(db, &mut tx, act).await?;
    tx.commit().await.map_err(DbError::from)?;
    Ok(Changed::Done)
}

async fn seen(db: &Db, tx: &mut Tx, id: i64) -> Result<Option<User>, DbError> {
    let sql = db.text(super::BY_ID);
    Ok(in_tx!(tx, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}
