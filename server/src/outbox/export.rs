//! A list's rows as they leave in a file, read page by page: without bodies, which no table shows.

use super::audit::{self, Matter};
use super::list::{Where, page_of};
use super::row::needs_checking;
use crate::db::{Db, DbError, LooseText, Stamp};
use crate::{on_limited, on_read};
use app::model::filter::Basis;
use app::model::{ActKind, Cursor, DeliveryState, Face, Status};
use std::time::Duration;

/// Rows read at a time.
const PAGE: i64 = 1000;

/// A row.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ExportRow {
    /// `id`
    pub id: i64,
    /// `ref`
    #[sqlx(rename = "ref")]
    pub reference: String,
    /// `order_id`
    pub order_id: LooseText,
    /// `kind`
    pub kind: LooseText,
    /// `occasion`
    pub occasion: LooseText,
    /// `copy`
    pub copy: i32,
    /// `recipient`
    pub recipient: Option<LooseText>,
    /// `subject`
    pub subject: Option<LooseText>,
    /// `status`
    pub status: String,
    /// `settled_by`
    pub settled_by: Option<String>,
    /// `attempts`
    pub attempts: i32,
    /// `error`
    pub error: Option<String>,
    /// `provider`
    pub provider: Option<String>,
    /// `provider_message_id`
    pub provider_message_id: Option<String>,
    /// `delivery_state`
    pub delivery_state: Option<String>,
    /// `delivery_at`
    pub delivery_at: Option<Stamp>,
    /// `created_at`
    pub created_at: Stamp,
    /// `sent_at`
    pub sent_at: Option<Stamp>,
    open_question: bool,
}

impl ExportRow {
    /// The state as people see it; none for a word that no version of Denpyo writes.
    pub fn face(&self) -> Option<Face> {
        let delivery = self
            .delivery_state
            .as_deref()
            .and_then(DeliveryState::parse);
        Some(Face::of(
            Status::parse(&self.status)?,
            self.open_question,
            delivery,
        ))
    }
}

/// The next rows of a list, in its order, and where the ones after them begin.
pub async fn page(
    db: &Db,
    filter: &Where,
    cursor: Option<Cursor>,
) -> Result<(Vec<ExportRow>, Option<Cursor>), DbError> {
    let (filter, tail) = page_of(filter, cursor, PAGE, true);
    let sql = filter.sql(
        db,
        concat!("SELECT id, CAST(ref AS text) AS ref, order_id, kind, occasion, copy, recipient, subject, \
         status, settled_by, attempts, error, provider, provider_message_id, delivery_state, \
         delivery_at, created_at, sent_at, (", needs_checking!(), ") AS open_question FROM email_submissions"),
        &tail,
    );
    let rows: Vec<ExportRow> = on_read!(db, c => {
        super::list::bind_all!(sqlx::query_as(&sql), &filter.args).fetch_all(c).await
    })?;
    let full = i64::try_from(rows.len()).is_ok_and(|n| n == PAGE);
    let next = rows.last().filter(|_| full).map(|row| Cursor {
        older: true,
        micros: match filter.basis {
            Basis::Decided => row.created_at,
            Basis::Accepted => row.sent_at.unwrap_or(row.created_at),
        }
        .micros(),
        id: row.id,
    });
    Ok((rows, next))
}

/// How many rows a list has; none where counting took too long.
pub async fn count(db: &Db, filter: &Where, patience: Duration) -> Result<Option<i64>, DbError> {
    let sql = filter.sql(db, "SELECT COUNT(*) FROM email_submissions", "");
    on_limited!(db, patience, c => {
        super::list::bind_all!(sqlx::query_scalar(&sql), &filter.args).fetch_one(c).await
    })
}

/// Writes down that somebody takes rows away, or took them.
pub async fn record(db: &Db, actor: &str, kind: ActKind, detail: &str) -> Result<(), DbError> {
    let mut tx = db.begin().await?;
    let act = Matter::of(actor, kind, detail);
    audit::record_matter(db, &mut tx, act).await?;
    tx.commit().await?;
    Ok(())
}
