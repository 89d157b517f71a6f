//! What a reader wishes: `?lang=` and `?theme=`, remembered in cookies; else the browser's own
//! wish.

use app::model::Theme;
use app::words::Lang;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Parameters that never stay in the address bar: the wishes (cookies remember them) and the
/// framework's error, which anybody could have made up.
const PASSING: [&str; 4] = ["lang", "theme", "__err", "__path"];

/// Wishes in an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wished {
    lang: Option<Lang>,
    theme: Option<Theme>,
}

/// Finds the language and the theme, and cleans the address where it holds what should not stay there.
pub async fn choose(mut request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD)
        && let Some((to, wished)) = cleaned(request.uri())
    {
        let mut response = StatusCode::SEE_OTHER.into_response();
        if let Ok(to) = HeaderValue::from_str(&to) {
            response.headers_mut().insert(header::LOCATION, to);
        }
        let lang = wished.lang.map(|lang| ("lang", lang.code()));
        let theme = wished.theme.map(|theme| ("theme", theme.code()));
        for (name, code) in lang.into_iter().chain(theme) {
            let cookie = format!("{name}={code}; Path=/; Max-Age=31536000; SameSite=Lax");
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().append(header::SET_COOKIE, cookie);
            }
        }
        return response;
    }
    let lang = of(request.headers());
    let theme = remembered(request.headers(), "theme", Theme::parse).unwrap_or_default();
    request.extensions_mut().insert(lang);
    request.extensions_mut().insert(theme);
    next.run(request).await
}

/// The address without what should not stay in it, and the wishes in it; `None` where
/// there is nothing to clean.
fn cleaned(uri: &Uri) -> Option<(String, Wished)> {
    let mut wished = Wished::default();
    // The framework leaves a lone question mark behind after a form.
    let mut dropped = uri.query() == Some("");
    let mut kept = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(uri.query()?.as_bytes()) {
        if PASSING.contains(&name.as_ref()) {
            dropped = true;
            match name.as_ref() {
                "lang" => wished.lang = Lang::parse(&value),
                "theme" => wished.theme = Theme::parse(&value),
                _ => {}
            }
        } else {
            kept.append_pair(&name, &value);
        }
    }
    let kept = kept.finish();
    let path = own_path(uri.path());
    let to = if kept.is_empty() {
        path
    } else {
        format!("{path}?{kept}")
    };
    dropped.then_some((to, wished))
}

/// A path that leads to this site: browsers take what begins with two slashes for another host, a
/// backslash for a slash, and leave control characters out. Encoded ones as well, since a proxy may
/// hand paths on decoded.
fn own_path(path: &str) -> String {
    let mut rest = path;
    loop {
        let encoded = rest.strip_prefix('%').and_then(|hex| hex.get(..2));
        let first = match encoded.map(|hex| u8::from_str_radix(hex, 16)) {
            Some(Ok(byte)) => char::from(byte),
            _ => match rest.chars().next() {
                Some(c) => c,
                None => break,
            },
        };
        if !(matches!(first, '/' | '\\' | ' ') || first.is_ascii_control()) {
            break;
        }
        rest = if encoded.is_some() {
            &rest[3..]
        } else {
            &rest[first.len_utf8()..]
        };
    }
    format!("/{}", rest.replace('\\', "%5C"))
}

/// What a cookie remembers.
fn remembered<T>(headers: &HeaderMap, name: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then(|| parse(value)).flatten())
}

/// The language of a request by its cookie, else by `Accept-Language`; Japanese where nothing is
/// said.
pub fn of(headers: &HeaderMap) -> Lang {
    if let Some(lang) = remembered(headers, "lang", Lang::parse) {
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
            clean("/submissions?q=a%2Bb&lang=en&theme=dark&__err=eyJ9&__path=x"),
            Some((
                "/submissions?q=a%2Bb".to_owned(),
                Wished {
                    lang: Some(Lang::En),
                    theme: Some(Theme::Dark)
                }
            ))
        );
        assert_eq!(
            clean("//evil.example?lang=xx&theme=pink"),
            Some(("/evil.example".to_owned(), Wished::default()))
        );
    }

    #[test]
    fn a_cleaned_address_stays_on_this_site() {
        for path in [
            "//evil.example/",
            "///evil.example/",
            "/\\evil.example/",
            "\\/evil.example/",
            "/\\/\\evil.example/",
            "/%5Cevil.example/",
            "/%5c%2Fevil.example/",
            "/%09/evil.example/",
            "/%0D%0A%2F%20\\evil.example/",
        ] {
            assert_eq!(own_path(path), "/evil.example/", "{path}");
        }
        for (path, own) in [
            ("/", "/"),
            ("/submissions/1", "/submissions/1"),
            ("/a\\b", "/a%5Cb"),
            ("/%E3%81%82", "/%E3%81%82"),
            ("/%", "/%"),
            ("/%zz", "/%zz"),
        ] {
            assert_eq!(own_path(path), own, "{path}");
        }
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
