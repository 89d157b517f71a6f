//! A mail as the customer sees it, at an address of its own: it stands in a sandboxed frame, under
//! a policy that loads nothing, with everything remote taken out.

use super::State;
use super::nesting;
use crate::db::LooseText;
use crate::outbox::read;
use ammonia::Builder;
use app::words::Lang;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Extension, Path};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// Mails are written for white paper, so they are shown on it in both themes.
const STYLE: &str = "html{background:#fff;color:#222;color-scheme:light;font:13px/1.8 \"Hiragino Sans\",\
\"Noto Sans JP\",\"Noto Sans CJK JP\",sans-serif;line-break:strict}body{margin:16px 20px;overflow-wrap:anywhere}\
pre{font:inherit;white-space:pre-wrap;margin:0}img{max-width:100%}\
.note{color:#555}";

/// Documents that are cleaned at once, whoever still waits for them: it is work for a processor, and
/// the mails need some too.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .add_tags(["center", "font", "style"])
        .rm_clean_content_tags(["style"])
        // A whole document names itself in its head; only what it shows belongs here.
        .add_clean_content_tags(["title"])
        .add_generic_attributes([
            "style",
            "align",
            "valign",
            "bgcolor",
            "width",
            "height",
            "color",
            "border",
            "cellpadding",
            "cellspacing",
        ])
        // What a frame may not load anyway is not even asked for.
        .url_schemes(["http", "https", "mailto", "tel", "data"].into())
        .attribute_filter(|element, attribute, value| {
            if attribute == "style" {
                return Some(super::readable::with_text_colour(value));
            }
            let loads = matches!(
                (element, attribute),
                ("img", "src") | (_, "background" | "cite")
            );
            (!loads || value.starts_with("data:image/")).then_some(value.into())
        });
    builder
});

/// The HTML body cleaned; where there is none, or one that would take too long, the text. Runs to
/// its end whether or not anybody waits for it, and is no more than a moment's work.
async fn clean(
    html: Option<String>,
    plain: Option<String>,
    too_complex: &'static str,
) -> Result<String, tokio::task::JoinError> {
    // Never closed.
    let turn = AT_ONCE.acquire().await.ok();
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let text = |plain: &str| format!("<pre>{}</pre>", ammonia::clean_text(plain));
        match (html, plain) {
            (Some(html), plain) => {
                let html = super::readable::body_as_block(&html);
                if nesting::bearable(&html) {
                    return CLEANER.clean(&html).to_string();
                }
                let instead = plain.map_or_else(String::new, |plain| text(&plain));
                format!("<p class=\"note\">{too_complex}</p>{instead}")
            }
            (None, Some(plain)) => text(&plain),
            (None, None) => String::new(),
        }
    })
    .await
}

/// Shows the HTML body, or the text where there is none.
pub async fn show(
    extract::State(state): extract::State<State>,
    lang: Option<Extension<Lang>>,
    id: Result<Path<i64>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let row = match read::by_id(&state.db, id).await {
        Ok(Some(row)) => row,
        Ok(None) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => return super::problem::Problem::from(error).into_response(),
    };
    let text = |t: Option<LooseText>| {
        t.map(|t| t.shown().to_owned())
            .filter(|text| !text.is_empty())
    };
    let words = &lang.map_or(Lang::Ja, |lang| lang.0).words().mail;
    let (html, plain) = (text(row.body_html), text(row.body_text));
    let inner = match clean(html, plain, words.too_complex).await {
        Ok(inner) => inner,
        Err(_) => return super::problem::panicked(),
    };
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Mail</title><style>{STYLE}</style>{inner}"
    );
    let mut response = Html(page).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
        ),
    );
    response
}
