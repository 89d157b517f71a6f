//! A list's rows on their way into a file, a page at a time.

use super::Refusal;
use super::log::Log;
use crate::db::{DbError, Stamp};
use crate::export::xlsx::Builder;
use crate::export::{Cell, csv as csv_text};
use crate::outbox::export::{self, ExportRow};
use crate::outbox::list::Where;
use crate::web::State;
use app::model::mask::{mask, mask_in};
use app::model::{Cursor, DeliveryState, Face, Status};
use app::words::Lang;
use axum::body::{Body, Bytes};
use std::fs::File;

/// What a list's reading has come to.
pub(super) struct Reading {
    state: State,
    filter: Where,
    cursor: Option<Cursor>,
    begun: bool,
    over: bool,
    lang: Lang,
    masked: bool,
    log: Log,
}

impl Reading {
    /// From the list's beginning.
    pub(super) fn new(state: State, filter: Where, lang: Lang, masked: bool, log: Log) -> Reading {
        Reading {
            state,
            filter,
            cursor: None,
            begun: false,
            over: false,
            lang,
            masked,
            log,
        }
    }

    /// A page is read when the one before it has gone: memory holds two at most, however slow the
    /// other side is.
    pub(super) fn into_csv(self) -> Body {
        Body::from_stream(futures_util::stream::try_unfold(self, |r| async {
            bytes_of(r).await.map_err(|error| {
                // The connection breaks off, so that nobody takes a part for the whole.
                tracing::error!(error = %error, "an export broke off");
                std::io::Error::other("broke off")
            })
        }))
    }

    /// The whole list in a workbook, whose end is not yet written down. Whoever goes away
    /// meanwhile gives it up.
    pub(super) async fn into_workbook(mut self) -> Result<(File, Log), Refusal> {
        let w = &self.lang.words().exports;
        let book = Builder::begin(w.mails_file, heads(&self.state, self.lang), w.cut);
        while let Some(lines) = self.next().await? {
            if !book.add(lines).await {
                break;
            }
        }
        Ok((book.finish().await?, self.log))
    }

    /// The next lines; none after the last.
    async fn next(&mut self) -> Result<Option<Vec<Vec<Cell>>>, DbError> {
        if self.over {
            return Ok(None);
        }
        let (rows, next) = export::page(&self.state.db, &self.filter, self.cursor).await?;
        self.over = next.is_none();
        self.cursor = next;
        self.log.rows += i64::try_from(rows.len()).unwrap_or_default();
        let lines = rows
            .iter()
            .map(|row| line(&self.state, row, self.lang, self.masked));
        Ok(Some(lines.collect()))
    }
}

/// The next bytes of a list; none after the last.
async fn bytes_of(mut r: Reading) -> Result<Option<(Bytes, Reading)>, Refusal> {
    let mut bytes = Vec::new();
    if !r.begun {
        r.begun = true;
        bytes.extend_from_slice(csv_text::BYTE_ORDER_MARK.as_bytes());
        let heads = heads(&r.state, r.lang);
        bytes.extend(csv_text::lines([heads.as_slice()])?);
    }
    let Some(lines) = r.next().await? else {
        r.log.end().await?;
        return Ok(None);
    };
    bytes.extend(csv_text::lines(lines.iter().map(Vec::as_slice))?);
    Ok(Some((bytes.into(), r)))
}

fn heads(state: &State, lang: Lang) -> Vec<Cell> {
    let columns = lang.words().exports.columns;
    columns(state.office.zone()).map(Cell::Text).into()
}

fn line(state: &State, row: &ExportRow, lang: Lang, masked: bool) -> Vec<Cell> {
    let words = lang.words();
    let kind = row.kind.shown();
    let time = |at: Option<Stamp>| {
        at.map_or(Cell::Empty, |at| {
            Cell::Time(state.office.local(at).naive_local())
        })
    };
    // As the desk's list shows them.
    let seen = |text: &str, hide: fn(&str) -> String| {
        if masked { hide(text) } else { text.to_owned() }
    };
    let loose = |text: &Option<crate::db::LooseText>, hide: fn(&str) -> String| {
        Cell::text(text.as_ref().map(|t| seen(t.shown(), hide)).as_deref())
    };
    let face = row.face().map(words.face);
    // Nothing is known of it that has no word of its own.
    let delivery = row.delivery_state.as_deref().map(|stored| {
        let face =
            DeliveryState::parse(stored).map(|state| Face::of(Status::Synced, false, Some(state)));
        face.map_or(stored, words.face)
    });
    vec![
        Cell::Text(row.id.to_string()),
        Cell::Text(row.reference.clone()),
        Cell::text(Some(row.order_id.shown())),
        Cell::text(Some((words.kind)(kind).unwrap_or(kind))),
        Cell::text(Some(row.occasion.shown())),
        Cell::Number(row.copy.into()),
        loose(&row.recipient, mask),
        loose(&row.subject, mask_in),
        Cell::text(face),
        Cell::text(Some(&row.status)),
        Cell::text(row.settled_by.as_deref()),
        Cell::Number(row.attempts.into()),
        time(Some(row.created_at)),
        time(row.sent_at),
        Cell::text(delivery),
        time(row.delivery_at),
        Cell::text(row.provider.as_deref()),
        Cell::text(row.provider_message_id.as_deref()),
        Cell::text(
            row.error
                .as_deref()
                .map(|e| seen(&(words.mail.cause)(e), mask_in))
                .as_deref(),
        ),
    ]
}
