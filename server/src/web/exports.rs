//! Downloads: a filtered list or the month's table, as CSV. Each is written down
//! before its first byte leaves, and again when it has ended.

use super::State;
use crate::db::{DbError, Stamp};
use crate::desk::reports::ReportFile;
use crate::export::{Cell, csv as csv_text};
use crate::outbox::export::{self, ExportRow};
use crate::outbox::list::Where;
use app::desk::Caller;
use app::model::mask::{mask, mask_in};
use app::model::{ActKind, Cursor};
use app::words::Lang;
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{self, RawQuery};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::time::Duration;

/// Longest that counting the rows may take beforehand.
const PATIENCE: Duration = Duration::from_secs(20);
/// Why there is no file.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Db(#[from] DbError),
    #[error("the file could not be written: {0}")]
    Csv(#[from] csv::Error),
    #[error("the filter is not understood")]
    BadFilter,
    #[error("the rows could not be counted in time")]
    NotCounted,
    #[error("asked from another site")]
    Elsewhere,
}

fn refuse(refusal: &Refusal, lang: Lang) -> Response {
    let w = &lang.words().exports;
    let (status, text) = match refusal {
        Refusal::BadFilter => (StatusCode::BAD_REQUEST, w.bad_filter.to_owned()),
        Refusal::NotCounted => (StatusCode::UNPROCESSABLE_ENTITY, w.not_counted.to_owned()),
        Refusal::Elsewhere => (StatusCode::FORBIDDEN, w.elsewhere.to_owned()),
        Refusal::Db(_) | Refusal::Csv(_) => {
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
    mails(asked).await.unwrap_or_else(|r| refuse(&r, lang))
}

/// `GET /exports/report.csv`, of the month and basis that the page shows.
pub async fn report_csv(asked: Asked) -> Response {
    let lang = asked.2.0;
    report(asked).await.unwrap_or_else(|r| refuse(&r, lang))
}

/// What is written down of an export. It says so, too, when somebody goes away in between.
struct Log {
    state: State,
    actor: String,
    detail: serde_json::Value,
    rows: i64,
    ended: bool,
}

impl Log {
    /// Written before the first byte leaves; without it nothing leaves.
    async fn begin(state: &State, actor: &str, detail: serde_json::Value) -> Result<Log, Refusal> {
        export::record(&state.db, actor, ActKind::Export, &detail.to_string()).await?;
        Ok(Log {
            state: state.clone(),
            actor: actor.to_owned(),
            detail,
            rows: 0,
            ended: false,
        })
    }

    fn ending(&mut self, whole: bool) -> String {
        self.ended = true;
        let mut detail = self.detail.clone();
        detail["rows"] = self.rows.into();
        detail["whole"] = whole.into();
        detail.to_string()
    }

    async fn end(&mut self) -> Result<(), DbError> {
        let detail = self.ending(true);
        export::record(&self.state.db, &self.actor, ActKind::ExportEnd, &detail).await
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let detail = self.ending(false);
        let (state, actor) = (self.state.clone(), self.actor.clone());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(async move {
            let done = export::record(&state.db, &actor, ActKind::ExportEnd, &detail).await;
            if let Err(error) = done {
                tracing::warn!(error = %error, "the end of an export could not be written down");
            }
        });
    }
}

async fn mails(
    (extract::State(state), Extension(caller), Extension(lang), RawQuery(query), headers): Asked,
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
    let name = lang.words();
    let kind = filter
        .kind
        .as_deref()
        .map(|kind| (name.kind)(kind).unwrap_or(kind));
    let detail = json!({
        "what": "submissions",
        "format": "csv",
        "filter": filter.to_query(),
        "rows": rows,
    });
    let log = Log::begin(&state, &caller.0.name, detail).await?;
    let file = file_name(&state, "mails", name.exports.mails_file, kind).await?;
    let masked = state.office.masks(&caller.0);
    let body = csv_of_mails(state, condition, lang, masked, log);
    Ok(answer(&file, body))
}

/// What a list's reading has come to.
struct Reading {
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

/// A page is read when the one before it has gone: memory holds two at most, however slow the
/// other side is.
fn csv_of_mails(state: State, filter: Where, lang: Lang, masked: bool, log: Log) -> Body {
    let reading = Reading {
        state,
        filter,
        cursor: None,
        begun: false,
        over: false,
        lang,
        masked,
        log,
    };
    Body::from_stream(futures_util::stream::try_unfold(reading, |r| async {
        bytes_of(r).await.map_err(|error| {
            // The connection breaks off, so that nobody takes a part for the whole.
            tracing::error!(error = %error, "an export broke off");
            std::io::Error::other("broke off")
        })
    }))
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

async fn report(
    (extract::State(state), Extension(caller), Extension(lang), RawQuery(query), headers): Asked,
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
        "format": "csv",
        "filter": format!("month={}&basis={}", report.month, report.basis.as_str()),
        "rows": rows,
    });
    let mut log = Log::begin(&state, &caller.0.name, detail).await?;
    let w = &lang.words().exports;
    let month = report.month.to_string();
    let name = file_name(&state, "report", w.report_file, Some(&month)).await?;
    let head: Vec<Cell> = file
        .heads
        .iter()
        .map(|head| Cell::Text(head.clone()))
        .collect();
    let mut bytes = csv_text::BYTE_ORDER_MARK.as_bytes().to_vec();
    let all = std::iter::once(&head).chain(&file.rows).map(Vec::as_slice);
    bytes.extend(csv_text::lines(all)?);
    log.rows = rows;
    log.end().await?;
    Ok(answer(&name, bytes.into()))
}

/// Two names of a file: one for programs that know ASCII alone, and the whole one.
struct FileName {
    plain: String,
    whole: String,
}

async fn file_name(
    state: &State,
    plain: &str,
    whole: &str,
    about: Option<&str>,
) -> Result<FileName, DbError> {
    let now = state.office.local(state.db.now().await?);
    let at = now.format("%Y%m%d-%H%M");
    // Nothing that a file system or a header would read as more than a letter of a name.
    let about: String = about
        .unwrap_or_default()
        .chars()
        .map(|c| match c {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '.' | '%' => '_',
            c if c.is_control() || c.is_whitespace() => '_',
            c => c,
        })
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .take(60)
        .collect();
    let about = if about.is_empty() {
        about
    } else {
        format!("_{about}")
    };
    Ok(FileName {
        plain: format!("denpyo-{plain}-{at}"),
        whole: format!("{whole}{about}_{at}"),
    })
}

fn answer(name: &FileName, body: Body) -> Response {
    let mut whole = String::new();
    app::model::filter::percent(&mut whole, &name.whole);
    // Both are ASCII: the one by its making, the other percent-encoded (RFC 5987).
    let disposition = format!(
        "attachment; filename=\"{}.csv\"; filename*=UTF-8''{whole}.csv",
        name.plain
    );
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/csv; charset=utf-8"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
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
        Cell::text(row.delivery_state.as_deref()),
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
