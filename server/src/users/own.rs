//! What somebody may know and change of their own sign-in.

use super::{User, by_name, hashing};
use crate::db::{Db, DbError, Sql, Stamp, Tx};
use crate::outbox::audit::{self, Matter};
use crate::{in_tx, on_read};
use app::model::ActKind;

/// Whether the session of a sign-in lives; ends that forget about the expiry do not count.
macro_rules! living {
    ($head:literal, $tail:literal) => {
        Sql {
            sqlite: concat!(
                $head,
                "EXISTS (SELECT 1 FROM tower_sessions AS t WHERE t.id = s.session_id \
                 AND datetime(t.expiry_date) > datetime('now'))",
                $tail
            ),
            postgres: concat!(
                $head,
                "EXISTS (SELECT 1 FROM tower_sessions AS t WHERE t.id = s.session_id \
                 AND t.expiry_date > now())",
                $tail
            ),
        }
    };
}
pub(super) use living;

const SIGNED_IN: Sql =
    Sql::same("INSERT INTO sign_ins (user_id, epoch, session_id) VALUES ($1, $2, $3)");
const LAST: Sql = Sql::same("UPDATE users SET signed_in_at = {now} WHERE id = $1");
const FORGET: Sql = living!("DELETE FROM sign_ins AS s WHERE user_id = $1 AND NOT ", "");
const MOVED: Sql =
    Sql::same("UPDATE sign_ins SET session_id = $2, epoch = $3 WHERE session_id = $1");
const LIST: Sql = living!(
    "SELECT s.at, s.session_id = $2 AS own FROM sign_ins AS s \
     JOIN users AS u ON u.id = s.user_id AND u.epoch = s.epoch WHERE u.name = $1 AND ",
    " ORDER BY s.at DESC, s.id DESC"
);
/// Only over the very password that was just checked: an administrator may have set another.
const PASSWORD: Sql = Sql::same(
    "UPDATE users SET password_hash = $3, epoch = epoch + 1, version = version + 1 \
     WHERE id = $1 AND password_hash = $2 AND NOT disabled RETURNING epoch",
);
const OTHERS: Sql = Sql::same(
    "UPDATE users SET epoch = epoch + 1, version = version + 1 \
     WHERE name = $1 AND NOT disabled RETURNING epoch",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("users::SIGNED_IN", SIGNED_IN),
    ("users::LAST", LAST),
    ("users::FORGET", FORGET),
    ("users::MOVED", MOVED),
    ("users::LIST", LIST),
    ("users::OWN_PASSWORD", PASSWORD),
    ("users::OTHERS", OTHERS),
];

/// Writes a sign-in down, and forgets those whose sessions are over.
pub async fn signed_in(db: &Db, user: &User, session: &str) -> Result<(), DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(FORGET);
    in_tx!(&mut tx, c => sqlx::query(&sql).bind(user.id).execute(c).await.map(|_| ()))?;
    let sql = db.text(SIGNED_IN);
    in_tx!(&mut tx, c => sqlx::query(&sql).bind(user.id).bind(user.epoch).bind(session)
        .execute(c).await.map(|_| ()))?;
    let sql = db.text(LAST);
    in_tx!(&mut tx, c => sqlx::query(&sql).bind(user.id).execute(c).await.map(|_| ()))?;
    tx.commit().await?;
    Ok(())
}

/// A sign-in goes on under another session id and epoch, in the transaction that moves the session.
pub(crate) async fn moved(
    db: &Db,
    tx: &mut Tx,
    [from, to]: [&str; 2],
    epoch: i64,
) -> Result<(), DbError> {
    let sql = db.text(MOVED);
    in_tx!(tx, c => sqlx::query(&sql).bind(from).bind(to).bind(epoch)
        .execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Somebody's sign-ins that live, newest first: since when, and whether it is the session that asks.
pub async fn sign_ins(db: &Db, name: &str, session: &str) -> Result<Vec<(Stamp, bool)>, DbError> {
    let sql = db.text(LIST);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(name).bind(session).fetch_all(c).await)?)
}

/// What came of changing one's own password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// Done; sessions of an earlier epoch are over, the caller's own included until it is renewed.
    Done {
        /// The epoch from now on.
        epoch: i64,
    },
    /// The old password is another one.
    Wrong,
}

/// Sets somebody's own password, who knows the old one.
pub async fn change_password(
    db: &Db,
    name: &str,
    old: &str,
    new: &str,
) -> Result<Own, super::change::ChangeError> {
    use super::change::ChangeError;
    let user = by_name(db, name).await?;
    let kept = user.as_ref().and_then(User::kept);
    let right = old.len() <= super::LONGEST_PASSWORD && hashing::is_right(old, kept).await;
    let Some(user) = user.filter(|_| right) else {
        return Ok(Own::Wrong);
    };
    let hash = hashing::hash(new).await.ok_or(ChangeError::Hash)?;
    let mut tx = db.begin().await.map_err(DbError::from)?;
    let sql = db.text(PASSWORD);
    let epoch: Option<i64> = in_tx!(&mut tx, c => sqlx::query_scalar(&sql)
        .bind(user.id).bind(&user.password_hash).bind(&hash).fetch_optional(c).await)
    .map_err(DbError::from)?;
    let Some(epoch) = epoch else {
        return Ok(Own::Wrong);
    };
    record(db, &mut tx, &user.name, ActKind::OwnPassword).await?;
    tx.commit().await.map_err(DbError::from)?;
    Ok(Own::Done { epoch })
}

/// Ends all of somebody's sign-ins, the caller's own included until it is renewed; returns the
/// epoch from now on.
pub async fn end_others(db: &Db, name: &str) -> Result<Option<i64>, DbError> {
    let mut tx = db.begin().await?;
    let sql = db.text(OTHERS);
    let epoch: Option<i64> =
        in_tx!(&mut tx, c => sqlx::query_scalar(&sql).bind(name).fetch_optional(c).await)?;
    if epoch.is_some() {
        record(db, &mut tx, name, ActKind::OwnSignOut).await?;
        tx.commit().await?;
    }
    Ok(epoch)
}

async fn record(db: &Db, tx: &mut Tx, name: &str, kind: ActKind) -> Result<(), DbError> {
    let act = Matter::of(name, kind, name);
    audit::record_matter(db, tx, act).await
}
