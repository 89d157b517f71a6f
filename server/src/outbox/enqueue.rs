//! Intake: one key is one mail, however often and however concurrently it comes.

use super::row::{Row, columns};
use crate::db::{Db, DbError, LooseText, Sql, Stamp, Tx};
use crate::envelope::normalise_lines;
use crate::{in_tx, on_write};
use std::time::Duration;

/// A mail that somebody decided to send; members named as the columns.
#[derive(Clone, Debug, Default)]
pub struct NewSubmission {
    /// `order_id`
    pub order_id: String,
    /// `kind`
    pub kind: String,
    /// `occasion`
    pub occasion: String,
    /// `recipient`
    pub recipient: Option<String>,
    /// `subject`
    pub subject: Option<String>,
    /// `body_text`
    pub body_text: Option<String>,
    /// `body_html`
    pub body_html: Option<String>,
    /// `reply_to`
    pub reply_to: Option<String>,
    /// `sender`
    pub sender: Option<String>,
    /// `not_before`
    pub not_before: Option<Stamp>,
    /// `decided_by`: who puts it in; no program says that of itself.
    pub decided_by: Option<String>,
}

/// What became of it. Each holds the row as it stands.
#[derive(Debug)]
pub enum Enqueued {
    /// A new row.
    Created(Box<Row>),
    /// The key was there already, with the same content.
    Exists(Box<Row>),
    /// The key was there already, with other content.
    Conflict(Box<Row>),
}

const INSERT: Sql = Sql::same(concat!(
    "INSERT INTO email_submissions (order_id, kind, occasion, recipient, subject, body_text, body_html, \
     reply_to, sender, not_before, decided_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
     ON CONFLICT (order_id, kind, occasion, copy) DO NOTHING RETURNING ",
    columns!()
));
// A statement of its own: it sees the row of a winner that committed while the insert waited.
const EXISTING: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM email_submissions WHERE order_id = $1 AND kind = $2 AND occasion = $3 AND copy = 0"
));

pub(super) const STATEMENTS: &[(&str, Sql)] =
    &[("enqueue::INSERT", INSERT), ("enqueue::EXISTING", EXISTING)];

/// Inserts a mail, or finds the one that its key already names. Waits for another program's
/// transaction that has inserted the same key, however long it takes.
pub async fn enqueue(db: &Db, new: &NewSubmission) -> Result<Enqueued, DbError> {
    insert(db, new, None).await
}

/// Like [`enqueue`], but another program's transaction is waited for no longer than that; then the
/// error [waits for a lock](DbError::waits_for_lock).
pub async fn enqueue_within(
    db: &Db,
    new: &NewSubmission,
    patience: Duration,
) -> Result<Enqueued, DbError> {
    insert(db, new, Some(patience)).await
}

async fn insert(
    db: &Db,
    new: &NewSubmission,
    patience: Option<Duration>,
) -> Result<Enqueued, DbError> {
    let sql = db.text(INSERT);
    // A transaction, not a lone statement: the driver would hand the row over before SQLite has
    // written it, and a disk that is full at that moment would go unheard.
    let mut tx = db.begin().await?;
    if let (Tx::Postgres(tx), Some(patience)) = (&mut tx, patience) {
        // A number, so that there is nothing to escape; settings take no parameters.
        let set = format!("SET LOCAL lock_timeout = {}", patience.as_millis());
        sqlx::query(&set).execute(&mut **tx).await?;
    }
    let row: Option<Row> = in_tx!(&mut tx, c => sqlx::query_as(&sql)
        .bind(&new.order_id).bind(&new.kind).bind(&new.occasion)
        .bind(&new.recipient).bind(&new.subject).bind(&new.body_text).bind(&new.body_html)
        .bind(&new.reply_to).bind(&new.sender).bind(new.not_before).bind(&new.decided_by)
        .fetch_optional(c).await)?;
    tx.commit().await?;
    if let Some(row) = row {
        return Ok(Enqueued::Created(Box::new(row)));
    }
    let sql = db.text(EXISTING);
    let row: Row = on_write!(db, c => sqlx::query_as(&sql)
        .bind(&new.order_id).bind(&new.kind).bind(&new.occasion)
        .fetch_one(c).await)?;
    Ok(if same_content(&row, new) {
        Enqueued::Exists(Box::new(row))
    } else {
        Enqueued::Conflict(Box::new(row))
    })
}

/// Whether a row was inserted with this content: absent, NULL and `''` are one, and line ends do
/// not matter. A recipient corrected since then counts as first inserted.
fn same_content(row: &Row, new: &NewSubmission) -> bool {
    let recipient = row.first_recipient.as_ref().or(row.recipient.as_ref());
    [
        (recipient, &new.recipient),
        (row.subject.as_ref(), &new.subject),
        (row.body_text.as_ref(), &new.body_text),
        (row.body_html.as_ref(), &new.body_html),
        (row.reply_to.as_ref(), &new.reply_to),
        (row.sender.as_ref(), &new.sender),
    ]
    .into_iter()
    .all(|(stored, given)| {
        let stored = match stored {
            None => "",
            Some(LooseText::Text(text)) => text,
            Some(LooseText::Unreadable) => return false,
        };
        normalise_lines(stored) == normalise_lines(given.as_deref().unwrap_or(""))
    })
}
