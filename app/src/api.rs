//! Server functions: see who calls, ask the desk, nothing more. Each is a public endpoint.

mod agent;
mod bulk;
mod people;
mod reports;
mod settings;

pub use agent::*;
pub use bulk::*;
pub use people::*;
pub use reports::*;
pub use settings::*;

use crate::error::AppError;
use crate::model::views::{Cases, Errors, Frame, ListNews, Mail, MailList, News, Overview};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
mod ssr {
    use crate::desk::{Caller, Failed, Note, SharedDesk, SharedNotices, SharedSession};
    use crate::error::AppError;
    use crate::model::views::MOST_SHOWN;
    use axum::http::request::Parts;
    use leptos::prelude::*;

    /// The desk, as provided by the server.
    pub fn desk() -> Result<SharedDesk, AppError> {
        use_context::<SharedDesk>().ok_or(AppError::BadInput)
    }

    /// Who calls; `SignedOut` where nobody is signed in.
    pub fn caller() -> Result<Caller, AppError> {
        use_context::<Parts>()
            .and_then(|parts| parts.extensions.get::<Caller>().cloned())
            .ok_or(AppError::SignedOut)
    }

    /// Where notices are kept between an act and the page that shows what came of it.
    pub fn notices() -> Option<SharedNotices> {
        use_context::<Parts>().and_then(|parts| parts.extensions.get::<SharedNotices>().cloned())
    }

    /// The session that calls.
    pub fn own_session() -> Result<SharedSession, AppError> {
        use_context::<Parts>()
            .and_then(|parts| parts.extensions.get::<SharedSession>().cloned())
            .ok_or(AppError::SignedOut)
    }

    /// The error of the act that led to this page.
    pub fn failed() -> Option<AppError> {
        use_context::<Parts>()
            .and_then(|parts| parts.extensions.get::<Failed>().map(|f| f.0.clone()))
    }

    /// The ids of what a page shows, joined by commas.
    pub fn ids_of(text: &str) -> Result<Vec<i64>, AppError> {
        let ids = text.split(',').filter(|id| !id.is_empty());
        let ids: Option<Vec<i64>> = ids.map(|id| id.parse().ok()).collect();
        ids.filter(|ids| ids.len() <= MOST_SHOWN)
            .ok_or(AppError::BadInput)
    }

    /// Keeps what an act came to until the next page tells it.
    pub async fn note(note: Note) {
        if let Some(notices) = notices() {
            notices.put(note).await;
        }
    }
}

#[cfg(feature = "ssr")]
use crate::desk::Note;
#[cfg(feature = "ssr")]
use ssr::{caller, desk, failed, ids_of, note, notices};

/// What stands around every page.
#[server(prefix = "/_desk", endpoint = "frame")]
pub async fn read_frame() -> Result<Frame, AppError> {
    desk()?.frame(&caller()?.0).await
}

/// The overview.
#[server(prefix = "/_desk", endpoint = "overview")]
pub async fn read_overview() -> Result<Overview, AppError> {
    caller()?;
    desk()?.overview().await
}

/// A page of the list; `query` is the URL's query string, without the `?`.
#[server(prefix = "/_desk", endpoint = "list")]
pub async fn read_list(query: String) -> Result<MailList, AppError> {
    desk()?.list(&caller()?.0, &query).await
}

/// What has become of the rows of a list that is shown: `ids`, joined by commas. `top` is where newer
/// rows would begin, where they are to be counted.
#[server(prefix = "/_desk", endpoint = "list_news")]
pub async fn read_list_news(
    query: String,
    #[server(default)] ids: String,
    #[server(default)] top: String,
) -> Result<ListNews, AppError> {
    let caller = caller()?;
    let ids = ids_of(&ids)?;
    let top = match top.as_str() {
        "" => None,
        top => Some(crate::model::Cursor::parse(top).ok_or(AppError::BadInput)?),
    };
    desk()?.list_news(&caller.0, &query, &ids, top).await
}

/// One mail.
#[server(prefix = "/_desk", endpoint = "mail")]
pub async fn read_mail(id: i64) -> Result<Mail, AppError> {
    desk()?.mail_for(&caller()?.0, id).await
}

/// What went wrong, by sort; `query` is the URL's query string, without the `?`.
#[server(prefix = "/_desk", endpoint = "errors")]
pub async fn read_errors(query: String) -> Result<Errors, AppError> {
    caller()?;
    desk()?.errors(&query).await
}

/// What needs checking; `query` is the URL's query string, without the `?`. `shown` are the cases that
/// the page shows already, joined by commas.
#[server(prefix = "/_desk", endpoint = "cases")]
pub async fn read_cases(
    #[server(default)] query: String,
    #[server(default)] shown: String,
) -> Result<Cases, AppError> {
    let caller = caller()?;
    let shown = ids_of(&shown)?;
    desk()?.cases_for(&caller.0, &query, &shown).await
}

/// What came of the caller's last act; it is told once.
#[server(prefix = "/_desk", endpoint = "notice")]
pub async fn take_notice() -> Result<Option<News>, AppError> {
    caller()?;
    if let Some(error) = failed() {
        return Ok(Some(News::Fault(error)));
    }
    let Some(notices) = notices() else {
        return Ok(None);
    };
    match notices.take().await {
        Some(note) => desk()?.news(note).await.map(Some),
        None => Ok(None),
    }
}

/// Sends a mail again. `version` and `attempt` are the row as the person saw it.
#[server(prefix = "/_desk", endpoint = "resend")]
pub async fn resend(id: i64, version: i64, attempt: i32) -> Result<(), AppError> {
    let caller = caller()?;
    let ticket = crate::desk::Ticket { version, attempt };
    let kind = desk()?.resend(&caller.0, id, ticket).await?;
    note(Note::Mail(id, kind)).await;
    Ok(())
}

/// Records what a person found out: `answer` is `sent` or `not_sent`.
#[server(prefix = "/_desk", endpoint = "resolve")]
pub async fn resolve(
    id: i64,
    version: i64,
    answer: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    use crate::desk::Answer;
    let caller = caller()?;
    let answer = match answer.as_str() {
        "sent" => Answer::Sent,
        "not_sent" => Answer::NotSent,
        _ => return Err(AppError::BadInput),
    };
    let told = desk()?
        .answer(&caller.0, id, version, answer, &reason)
        .await?;
    note(Note::of(id, told)).await;
    Ok(())
}

/// Lets go of a held mail. `version` is the row as the person saw it.
#[server(prefix = "/_desk", endpoint = "release")]
pub async fn release(
    id: i64,
    version: i64,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let caller = caller()?;
    let told = desk()?.release(&caller.0, id, version, &reason).await?;
    note(Note::of(id, told)).await;
    Ok(())
}

/// Lets go of the held mails of a list. `query` is its URL's query string, and the numbers are
/// what the person saw.
#[server(prefix = "/_desk", endpoint = "release_many")]
pub async fn release_many(
    query: String,
    count: i64,
    newest: i64,
    versions: i64,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let caller = caller()?;
    let seen = crate::model::views::Seen {
        count,
        newest,
        versions,
    };
    let answer = desk()?
        .release_many(&caller.0, &query, seen, &reason)
        .await?;
    note(Note::of_lot(answer, &reason)).await;
    Ok(())
}
