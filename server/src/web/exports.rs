//! Downloads: a filtered list or the month's table, as CSV or as a workbook. Each is written down
//! before its first byte leaves, and again when it has ended.

mod answer;
mod list;
mod log;

use super::State;
use crate::db::DbError;
use crate::desk::reports::ReportFile;
use crate::export::xlsx::{Builder, XlsxError};
use crate::export::{Cell, csv as csv_text};
use crate::outbox::export;
use answer::{answer, file_name, of_file};
use app::desk::Caller;
use app::model::report::WORKBOOK_ROWS;
use app::words::{Lang, grouped};
use axum::Extension;
use axum::extract::{self, RawQuery};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use list::Reading;
use log::Log;
use serde_json::json;
use std::time::Duration;

/// Longest that counting the rows may take beforehand.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Xlsx,
}

impl Format {
    /// What the name ends with.
    fn ending(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Xlsx => "xlsx",
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Format::Csv => "text/csv; charset=utf-8",
            Format::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Db(#[from] DbError),
    #[error("the file could not be written: {0}")]
    Csv(#[from] csv::Error),
    #[error("the workbook could not be written: {0}")]
    Xlsx(#[from] XlsxError),
    #[error("the file could not be read again: {0}")]
    File(#[from] std::io::Error),
    #[error("the filter is not understood")]
    BadFilter,
    #[error("the rows could not be counted in time")]
    NotCounted,
    #[error("more rows than a workbook takes")]
    TooMany(i64),
    #[error("asked from another site")]
    Elsewhere,
}

fn refuse(refusal: &Refusal, lang: Lang) -> Response {
    let w = &lang.words().exports;
    let too_many = |rows| (w.too_many)(&grouped(rows), &grouped(WORKBOOK_ROWS));
    let (status, text) = match refusal {
        Refusal::BadFilter => (StatusCode::BAD_REQUEST, w.bad_filter.to_owned()),
        Refusal::NotCounted => (StatusCode::UNPROCESSABLE_ENTITY, w.not_counted.to_owned()),
        Refusal::TooMany(rows) => (StatusCode::UNPROCESSABLE_ENTITY, too_many(*rows)),
        // They have become so many since they were counted.
        Refusal::Xlsx(XlsxError::TooMany) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            too_many(WORKBOOK_ROWS + 1),
        ),
        Refusal::Elsewhere => (StatusCode::FORBIDDEN, w.elsewhere.to_owned()),
        Refusal::Db(_) | Refusal::Csv(_) | Refusal::Xlsx(_) | Refusal::File(_) => {
            let reference = super::reference();
            tracing::error!(%reference, error = %refusal, "an export failed");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                format!("{} {reference}", w.failed),
            )
        }
    };
    let no_store = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (status, no_store, format!("{text}\n")).into_response()
}

/// A link on another site opens no file: signed-in people's browsers would fetch it.
fn own_page(headers: &HeaderMap) -> Result<(), Refusal> {
    let site = headers.get("sec-fetch-site").and_then(|v| v.to_str().ok());
    match site {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(Refusal::Elsewhere),
    }
}

/// Who asks for a file, and of what.
type Asked = (
    extract::State<State>,
    Extension<Caller>,
    Extension<Lang>,
    RawQuery,
    HeaderMap,
);

/// `GET /exports/submissions.csv`, filtered as the list is.
pub async fn mails_csv(asked: Asked) -> Response {
    let lang = asked.2.0;
    mails(asked, Format::Csv)
        .await
        .unwrap_or_else(|r| refuse(&r, lang))
}

/// `GET /exports/submissions.xlsx`, the same as a workbook.
pub async fn mails_xlsx(asked: Asked) -> Response {
    let lang = asked.2.0;
    mails(asked, Format::Xlsx)
        .await
        .unwrap_or_else(|r| refuse(&r, lang))
}

/// `GET /exports/report.csv`, of the month and basis that the page shows.
pub async fn report_csv(asked: Asked) -> Response {
    let lang = asked.2.0;
    report(asked, Format::Csv)
        .await
        .unwrap_or_else(|r| refuse(&r, lang))
}

/// `GET /exports/report.xlsx`, the same as a workbook.
pub async fn report_xlsx(asked: Asked) -> Response {
    let lang = asked.2.0;
    report(asked, Format::Xlsx)
        .await
        .unwrap_or_else(|r| refuse(&r, lang))
}

async fn mails(
    (extract::State(state), Extension(caller), Extension(lang), RawQuery(query), headers): Asked,
    format: Format,
) -> Result<Response, Refusal> {
    own_page(&headers)?;
    let (filter, hints) = state
        .office
        .export_filter(query.as_deref().unwrap_or_default())
        .await?;
    // More would leave than was asked for.
    if !hints.is_empty() {
        return Err(Refusal::BadFilter);
    }
    let (condition, search) = state.office.filter_where(&caller.0, &filter).await?;
    // Nobody takes a part for the whole.
    if search.incomplete() {
        return Err(Refusal::NotCounted);
    }
    let rows = export::count(&state.db, &condition, PATIENCE).await?;
    if format == Format::Xlsx {
        match rows {
            None => return Err(Refusal::NotCounted),
            Some(rows) if rows > WORKBOOK_ROWS => return Err(Refusal::TooMany(rows)),
            Some(_) => {}
        }
    }
    let words = lang.words();
    let kind = filter
        .kind
        .as_deref()
        .map(|kind| (words.kind)(kind).unwrap_or(kind));
    let detail = json!({
        "what": "submissions",
        "format": format.ending(),
        "filter": filter.to_query(),
        "rows": rows,
    });
    let log = Log::begin(&state, &caller.0.name, detail).await?;
    let name = file_name(&state, "mails", words.exports.mails_file, kind).await?;
    let masked = state.office.masks(&caller.0);
    let reading = Reading::new(state, condition, lang, masked, log);
    match format {
        Format::Csv => Ok(answer(&name, format, reading.into_csv())),
        Format::Xlsx => {
            let (file, log) = reading.into_workbook().await?;
            of_file(&name, format, file, log)
        }
    }
}

async fn report(
    (extract::State(state), Extension(caller), Extension(lang), RawQuery(query), headers): Asked,
    format: Format,
) -> Result<Response, Refusal> {
    own_page(&headers)?;
    let query = query.unwrap_or_default();
    let report = state.office.read_month(&caller.0, &query).await?;
    if report.bad_month {
        return Err(Refusal::BadFilter);
    }
    let Some(file) = ReportFile::of(&report, lang.words()) else {
        return Err(Refusal::NotCounted);
    };
    let rows = i64::try_from(file.rows.len()).unwrap_or_default();
    let detail = json!({
        "what": "report",
        "format": format.ending(),
        "filter": format!("month={}&basis={}", report.month, report.basis.as_str()),
        "rows": rows,
    });
    let mut log = Log::begin(&state, &caller.0.name, detail).await?;
    log.rows = rows;
    let w = &lang.words().exports;
    let month = report.month.to_string();
    let name = file_name(&state, "report", w.report_file, Some(&month)).await?;
    let head: Vec<Cell> = file
        .heads
        .iter()
        .map(|head| Cell::Text(head.clone()))
        .collect();
    match format {
        Format::Csv => {
            let mut bytes = csv_text::BYTE_ORDER_MARK.as_bytes().to_vec();
            let all = std::iter::once(&head).chain(&file.rows).map(Vec::as_slice);
            bytes.extend(csv_text::lines(all)?);
            log.end().await?;
            Ok(answer(&name, format, bytes.into()))
        }
        Format::Xlsx => {
            let book = Builder::begin(w.report_file, head, w.cut);
            book.add(file.rows).await;
            of_file(&name, format, book.finish().await?, log)
        }
    }
}
