//! Files on their way out, and their names.

use super::log::Log;
use super::{Format, Refusal};
use crate::db::DbError;
use crate::web::State;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use std::fs::File;
use tokio::io::AsyncReadExt;

/// Bytes read at a time.
const PART: usize = 64 * 1024;

/// Two names of a file: one for programs that know ASCII alone, and the whole one.
pub(super) struct FileName {
    plain: String,
    whole: String,
}

/// A file's names, with what it is about and the time.
pub(super) async fn file_name(
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

/// A file on its way.
pub(super) fn answer(name: &FileName, format: Format, body: Body) -> Response {
    let mut whole = String::new();
    app::model::filter::percent(&mut whole, &name.whole);
    let ending = format.ending();
    // Both are ASCII: the one by its making, the other percent-encoded (RFC 5987).
    let disposition = format!(
        "attachment; filename=\"{}.{ending}\"; filename*=UTF-8''{whole}.{ending}",
        name.plain
    );
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(format.content_type()),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// A file of the disk on its way, as fast as the other side takes it.
pub(super) fn of_file(
    name: &FileName,
    format: Format,
    file: File,
    log: Log,
) -> Result<Response, Refusal> {
    let length = file.metadata()?.len();
    let sending = Sending {
        file: tokio::fs::File::from_std(file),
        left: length,
        log,
    };
    let body = Body::from_stream(futures_util::stream::try_unfold(sending, |s| async {
        part_of(s).await.map_err(|error| {
            tracing::error!(error = %error, "an export broke off");
            std::io::Error::other("broke off")
        })
    }));
    let mut response = answer(name, format, body);
    // Browsers then show how far they are.
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, length.into());
    Ok(response)
}

/// A file of which a part has left.
struct Sending {
    file: tokio::fs::File,
    left: u64,
    log: Log,
}

/// The next bytes of a file; none after the last.
async fn part_of(mut s: Sending) -> Result<Option<(Bytes, Sending)>, Refusal> {
    if s.left == 0 {
        return Ok(None);
    }
    let mut part = vec![0; PART];
    let read = s.file.read(&mut part).await?;
    part.truncate(read);
    s.left = s
        .left
        .saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
    // With its length told, nobody asks for anything after the last byte. A file never ends early:
    // nobody else has it.
    if s.left == 0 || read == 0 {
        s.log.end().await?;
    }
    Ok((read > 0).then(|| (part.into(), s)))
}
