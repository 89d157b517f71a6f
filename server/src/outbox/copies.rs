//! Deliberate further copies of what the service has: a row of its own each, which the claim then
//! takes like any other. The original stays as it is.

use super::audit::{self, Act};
use super::claim::SEEN;
use super::row::{Row, columns};
use crate::db::{Db, DbError, Sql, Tx};
use crate::in_tx;
use app::model::ActKind;
use app::model::address::Address;
use app::model::views::NoticeKind;

/// The copy of number `$2`, where that is the next one. Two that ask for the same number meet at
/// the table's unique key: one copy comes of it.
const INSERT: Sql = Sql::same(concat!(
    "INSERT INTO email_submissions (order_id, kind, occasion, copy, original_id, recipient, subject, \
     body_text, body_html, reply_to, sender, decided_by) \
     SELECT o.order_id, o.kind, o.occasion, $2, COALESCE(o.original_id, o.id), \
     COALESCE(CAST($3 AS text), o.recipient), o.subject, o.body_text, o.body_html, o.reply_to, o.sender, $4 \
     FROM email_submissions o WHERE o.id = $1 AND o.status = 'synced' \
     AND $2 - 1 = (SELECT MAX(c.copy) FROM email_submissions c WHERE c.order_id = o.order_id \
     AND c.kind = o.kind AND c.occasion = o.occasion) \
     ON CONFLICT (order_id, kind, occasion, copy) DO NOTHING RETURNING ",
    columns!()
));
const OF_NUMBER: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM email_submissions WHERE order_id = (SELECT order_id FROM email_submissions WHERE id = $1) \
     AND kind = (SELECT kind FROM email_submissions WHERE id = $1) \
     AND occasion = (SELECT occasion FROM email_submissions WHERE id = $1) AND copy = $2"
));
const BY_ID: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM email_submissions WHERE id = $1"
));
const BY_REQUEST: Sql = Sql::same(
    "SELECT copy_id FROM audit_events WHERE submission_id = $1 AND act = 'copy' AND request_id = $2",
);
const NEXT: Sql = Sql::same(
    "SELECT 1 + CAST(MAX(c.copy) AS bigint) FROM email_submissions c JOIN email_submissions o ON o.id = $1 \
     WHERE c.order_id = o.order_id AND c.kind = o.kind AND c.occasion = o.occasion",
);
const AUTHOR: Sql =
    Sql::same("SELECT actor FROM audit_events WHERE copy_id = $1 ORDER BY id LIMIT 1");

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("copies::INSERT", INSERT),
    ("copies::OF_NUMBER", OF_NUMBER),
    ("copies::BY_ID", BY_ID),
    ("copies::BY_REQUEST", BY_REQUEST),
    ("copies::NEXT", NEXT),
    ("copies::AUTHOR", AUTHOR),
];

/// A further copy that somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// The sign-in name, or `api`.
    pub actor: &'a str,
    /// The number it is to have: what makes a double click one copy.
    pub copy: i32,
    /// Another recipient than the row's own.
    pub recipient: Option<&'a Address>,
    /// Their reason.
    pub reason: Option<&'a str>,
    /// The caller's own name for this request; the same name again is the same act.
    pub request_id: Option<&'a str>,
}

/// What came of it. Each row is the copy's own.
#[derive(Debug)]
pub enum Copied {
    /// A new row.
    Created(Box<Row>),
    /// That copy is there already, to the same recipient; also where the same request made it.
    Exists {
        /// The copy.
        row: Box<Row>,
        /// Who made it; nobody where another program inserted it.
        by: Option<String>,
    },
    /// That number is taken by a copy to somebody else, or is not the next one.
    Taken {
        /// The number that is next.
        next: i32,
    },
    /// Not a mail that is copied, and why.
    Refused(NoticeKind, Box<Row>),
    /// No such row.
    NotFound,
}

/// Makes a further copy, and writes the act into the audit trail in the same transaction.
pub async fn further_copy(db: &Db, id: i64, wanted: &Wanted<'_>) -> Result<Copied, DbError> {
    let mut tx = db.begin().await?;
    let Some(original) = one(db, &mut tx, SEEN, id).await? else {
        return Ok(Copied::NotFound);
    };
    if let Some(copy_id) = by_request(db, &mut tx, id, wanted.request_id).await?
        && let Some(row) = one(db, &mut tx, BY_ID, copy_id).await?
    {
        return existing(db, &mut tx, row).await;
    }
    let standing = original.standing(None, None, true)?;
    if let Err(why) = standing.copy() {
        return Ok(Copied::Refused(why, Box::new(original)));
    }
    let recipient = wanted.recipient.map(Address::as_str);
    let sql = db.text(INSERT);
    // Number 0 and whatever is below it is no copy's.
    let made: Option<Row> = in_tx!(&mut tx, c => sqlx::query_as(&sql)
        .bind(id).bind(wanted.copy.max(0)).bind(recipient).bind(wanted.actor).fetch_optional(c).await)?;
    let Some(row) = made else {
        let sql = db.text(OF_NUMBER);
        let there: Option<Row> = in_tx!(&mut tx, c => sqlx::query_as(&sql)
            .bind(id).bind(wanted.copy).fetch_optional(c).await)?;
        // The original is no copy of itself.
        if let Some(row) = there.filter(|row| row.copy > 0)
            && same_recipient(&row, &original, recipient)
        {
            return existing(db, &mut tx, row).await;
        }
        let sql = db.text(NEXT);
        let next = in_tx!(&mut tx, c => sqlx::query_scalar(&sql).bind(id).fetch_one(c).await)?;
        return Ok(Copied::Taken { next: number(next) });
    };
    let shown = |row: &Row| row.recipient.as_ref().map(|text| text.shown().to_owned());
    let (before, after) = (shown(&original), shown(&row));
    let changed = before != after;
    let act = Act {
        reason: wanted.reason,
        before_status: Some(standing.status.as_str()),
        after_status: Some(standing.status.as_str()),
        before_recipient: before.as_deref().filter(|_| changed),
        after_recipient: after.as_deref().filter(|_| changed),
        version_seen: Some(original.version),
        request_id: wanted.request_id,
        copy_id: Some(row.id),
        ..Act::of(wanted.actor, ActKind::Copy, id)
    };
    audit::record(db, &mut tx, &act).await?;
    tx.commit().await?;
    Ok(Copied::Created(Box::new(row)))
}

/// The number that the next copy of a row's mail would have.
pub async fn next(db: &Db, id: i64) -> Result<i32, DbError> {
    let sql = db.text(NEXT);
    let next = crate::on_read!(db, c => sqlx::query_scalar(&sql).bind(id).fetch_one(c).await)?;
    Ok(number(next))
}

/// Behind the highest number, which another program may insert, there is none: it is asked for, and
/// found taken.
fn number(next: i64) -> i32 {
    i32::try_from(next).unwrap_or(i32::MAX)
}

async fn one(db: &Db, tx: &mut Tx, sql: Sql, id: i64) -> Result<Option<Row>, DbError> {
    let sql = db.text(sql);
    Ok(in_tx!(tx, c => sqlx::query_as(&sql).bind(id).fetch_optional(c).await)?)
}

async fn by_request(
    db: &Db,
    tx: &mut Tx,
    id: i64,
    request_id: Option<&str>,
) -> Result<Option<i64>, DbError> {
    let Some(request_id) = request_id else {
        return Ok(None);
    };
    let sql = db.text(BY_REQUEST);
    Ok(in_tx!(tx, c => sqlx::query_scalar(&sql).bind(id).bind(request_id).fetch_optional(c).await)?)
}

async fn existing(db: &Db, tx: &mut Tx, row: Row) -> Result<Copied, DbError> {
    let sql = db.text(AUTHOR);
    let by = in_tx!(tx, c => sqlx::query_scalar(&sql).bind(row.id).fetch_optional(c).await)?;
    let row = Box::new(row);
    Ok(Copied::Exists { row, by })
}

/// Whether a copy went where this one is to go; corrected since, it counts as first inserted.
fn same_recipient(copy: &Row, original: &Row, recipient: Option<&str>) -> bool {
    let of = |row: &Row| {
        let text = row.first_recipient.as_ref().or(row.recipient.as_ref());
        text.map(|t| t.shown().to_owned())
    };
    let wanted = recipient.map(str::to_owned).or_else(|| {
        let text = original.recipient.as_ref();
        text.map(|t| t.shown().to_owned())
    });
    of(copy) == wanted
}
