//! A mail as the customer sees it, at an address of its own: it stands in a sandboxed frame, under
//! a policy that loads nothing, with everything remote taken out.

use super::State;
use crate::db::LooseText;
use crate::outbox::read;
use ammonia::Builder;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Path};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use std::sync::LazyLock;

/// Mails are written for white paper, so they are shown on it in both themes.
const STYLE: &str = "html{background:#fff;color:#222;color-scheme:light;font:13px/1.8 \"Hiragino Sans\",\
\"Noto Sans JP\",\"Noto Sans CJK JP\",sans-serif;line-break:strict}body{margin:16px 20px;overflow-wrap:anywhere}\
pre{font:inherit;white-space:pre-wrap;margin:0}img{max-width:100%}";

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

/// Shows the HTML body, or the text where there is none.
pub async fn show(
    extract::State(state): extract::State<State>,
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
    let text = |t: &Option<LooseText>| {
        t.as_ref()
            .map(|t| t.shown().to_owned())
            .filter(|t| !t.is_empty())
    };
    let inner = match (text(&row.body_html), text(&row.body_text)) {
        (Some(html), _) => CLEANER
            .clean(&super::readable::body_as_block(&html))
            .to_string(),
        (None, Some(plain)) => format!("<pre>{}</pre>", ammonia::clean_text(&plain)),
        (None, None) => String::new(),
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
