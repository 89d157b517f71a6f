//! Which language a request wants: `?lang=`, remembered in a cookie; else the browser's wish.

use app::words::Lang;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Parameters that never stay in the address bar: the language (a cookie remembers it) and the
/// framework's error, which anybody could have made up.
const PASSING: [&str; 3] = ["lang", "__err", "__path"];

/// Finds the language, and cleans the address where it holds what should not stay there.
pub async fn choose(mut request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD)
        && let Some((to, wished)) = cleaned(request.uri())
    {
        let mut response = StatusCode::SEE_OTHER.into_response();
        if let Ok(to) = HeaderValue::from_str(&to) {
            response.headers_mut().insert(header::LOCATION, to);
        }
        if let Some(lang) = wished {
            let cookie = match lang {
                Lang::Ja => "lang=ja; Path=/; Max-Age=31536000; SameSite=Lax",
                Lang::En => "lang=en; Path=/; Max-Age=31536000; SameSite=Lax",
            };
            response
                .headers_mut()
                .append(header::SET_COOKIE, HeaderValue::from_static(cookie));
        }
        return response;
    }
    let lang = of(request.headers());
    request.extensions_mut().insert(lang);
    next.run(request).await
}

/// The address without what should not stay in it, and the language asked for; `None` where
/// there is nothing to clean.
fn cleaned(uri: &Uri) -> Option<(String, Option<Lang>)> {
    let mut wished = None;
    // The framework leaves a lone question mark behind after a form.
    let mut dropped = uri.query() == Some("");
    let mut kept = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(uri.query()?.as_bytes()) {
        if PASSING.contains(&name.as_ref()) {
            dropped = true;
            if name == "lang" {
                wished = Lang::parse(&value);
            }
        } else {
            kept.append_pair(&name, &value);
        }
    }
    let kept = kept.finish();
    // A path that begins with two slashes would lead to another host.
    let path = format!("/{}", uri.path().trim_start_matches('/'));
    let to = if kept.is_empty() {
        path
    } else {
        format!("{path}?{kept}")
    };
    dropped.then_some((to, wished))
}

/// The language of a request by its cookie, else by `Accept-Language`; Japanese where nothing is
/// said.
pub fn of(headers: &HeaderMap) -> Lang {
    let cookie = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'))
        .find_map(|pair| Lang::parse(pair.trim().strip_prefix("lang=")?));
    if let Some(lang) = cookie {
        return lang;
    }
    let Some(accept) = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|v| v.to_str().ok())
    else {
        return Lang::Ja;
    };
    let mut best = (0.0f32, Lang::En);
    for item in accept.split(',') {
        let (range, weight) = item.split_once(";q=").unwrap_or((item, "1"));
        let weight: f32 = weight.trim().parse().unwrap_or(0.0);
        let primary = range
            .trim()
            .split('-')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if let Some(lang) = Lang::parse(&primary)
            && weight > best.0
        {
            best = (weight, lang);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_made_up_stays_in_the_address() {
        let clean = |text: &str| text.parse::<Uri>().ok().and_then(|uri| cleaned(&uri));
        assert_eq!(clean("/submissions?q=a%2Bb&status=failed"), None);
        assert_eq!(
            clean("/submissions?q=a%2Bb&lang=en&__err=eyJ9&__path=x"),
            Some(("/submissions?q=a%2Bb".to_owned(), Some(Lang::En)))
        );
        assert_eq!(
            clean("//evil.example?lang=xx"),
            Some(("/evil.example".to_owned(), None))
        );
    }

    #[test]
    fn cookie_first_then_the_browsers_wish() {
        for (cookie, accept, lang) in [
            (None, None, Lang::Ja),
            (None, Some("ja,en-US;q=0.9"), Lang::Ja),
            (None, Some("en-GB,ja;q=0.8"), Lang::En),
            (None, Some("de;q=0.9, ja;q=0.5"), Lang::Ja),
            (None, Some("fr"), Lang::En),
            (None, Some(";;q=x,,"), Lang::En),
            (Some("a=b; lang=en"), Some("ja"), Lang::En),
            (Some("lang=xx"), Some("ja"), Lang::Ja),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(v) = cookie {
                headers.insert(header::COOKIE, HeaderValue::from_static(v));
            }
            if let Some(v) = accept {
                headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static(v));
            }
            assert_eq!(of(&headers), lang, "{cookie:?} {accept:?}");
        }
    }
}
