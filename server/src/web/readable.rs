//! What a mail's own colours need to be readable where its document became part of a page.

use std::borrow::Cow;

/// Turns the document's `<body>` into a block that keeps its colours: what is cleaned is a
/// fragment, which has no body.
pub fn body_as_block(html: &str) -> Cow<'_, str> {
    let lower = html.to_ascii_lowercase();
    let Some(at) = lower.match_indices("<body").map(|(at, _)| at).find(|at| {
        lower[at + 5..].starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace())
    }) else {
        return Cow::Borrowed(html);
    };
    let Some(end) = end_of_tag(&html[at..]).map(|end| at + end) else {
        return Cow::Borrowed(html);
    };
    let attributes = &html[at + 5..end];
    let mut colours = String::new();
    for (name, property) in [("bgcolor", "background"), ("text", "color")] {
        let value = attribute(attributes, name)
            .filter(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#'));
        if let Some(value) = value {
            colours.push_str(&format!("{property}:{value};"));
        }
    }
    let mut out = String::with_capacity(html.len() + 64);
    out.push_str(&html[..at]);
    if !colours.is_empty() {
        out.push_str(&format!("<div style=\"{colours}\">"));
    }
    out.push_str("<div");
    out.push_str(&html[at + 5..]);
    Cow::Owned(out)
}

/// Where a tag's `>` stands, quotes passed over.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => {}
        }
    }
    None
}

/// An attribute's value, quoted or not.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let lower = attributes.to_ascii_lowercase();
    let at = lower.match_indices(name).map(|(at, _)| at).find(|at| {
        lower[..*at].ends_with(|c: char| c.is_ascii_whitespace())
            && lower[at + name.len()..].trim_start().starts_with('=')
    })?;
    let value = attributes[at + name.len()..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    match value.chars().next()? {
        q @ ('"' | '\'') => value[1..].split(q).next(),
        _ => value
            .split(|c: char| c.is_ascii_whitespace() || c == '/')
            .next(),
    }
}

/// A style that sets a background and no colour of text gets one that can be read on it. (The
/// customer's own program takes its usual one.)
pub fn with_text_colour(style: &str) -> Cow<'_, str> {
    let mut background = None;
    for declaration in style.split(';') {
        let (name, value) = declaration.split_once(':').unwrap_or((declaration, ""));
        match name.trim().to_ascii_lowercase().as_str() {
            "color" => return Cow::Borrowed(style),
            "background" | "background-color" => background = colour(value).or(background),
            _ => {}
        }
    }
    match background {
        None => Cow::Borrowed(style),
        Some(rgb) => {
            let text = if is_dark(rgb) { "#fff" } else { "#222" };
            Cow::Owned(format!(
                "{};color:{text}",
                style.trim_end_matches([';', ' '])
            ))
        }
    }
}

/// Whether white reads better than near-black on it, by WCAG's relative luminance.
fn is_dark(rgb: [u8; 3]) -> bool {
    let [r, g, b] = rgb.map(|v| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    });
    let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    1.05 / (luminance + 0.05) > (luminance + 0.05) / (0.016 + 0.05)
}

/// The first colour in a value: `#rgb`, `#rrggbb`, `rgb(…)`, or one of the dark names that mails
/// use.
fn colour(value: &str) -> Option<[u8; 3]> {
    let value = value.trim().to_ascii_lowercase();
    if let Some(at) = value.find('#') {
        let hex: String = value[at + 1..]
            .chars()
            .take_while(char::is_ascii_hexdigit)
            .collect();
        let digit = |i: usize| u8::from_str_radix(hex.get(i..=i)?, 16).ok();
        let pair = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
        return match hex.len() {
            3 | 4 => Some([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17]),
            6 | 8 => Some([pair(0)?, pair(2)?, pair(4)?]),
            _ => None,
        };
    }
    if let Some(at) = value.find("rgb") {
        let inner = value[at..].split_once('(')?.1.split(')').next()?;
        let mut numbers = inner.split([',', ' ', '/']).filter(|p| !p.is_empty());
        let mut next = || numbers.next()?.trim().parse::<f64>().ok();
        let [r, g, b] = [next()?, next()?, next()?];
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
        return Some([r, g, b].map(|v| v.clamp(0.0, 255.0) as u8));
    }
    let name = value.split_ascii_whitespace().next()?;
    Some(match name {
        "white" | "snow" | "ivory" | "whitesmoke" => [255, 255, 255],
        "black" => [0, 0, 0],
        "navy" | "midnightblue" | "darkblue" => [0, 0, 128],
        "maroon" | "darkred" => [128, 0, 0],
        "green" | "darkgreen" => [0, 100, 0],
        "purple" | "indigo" => [75, 0, 130],
        "teal" => [0, 128, 128],
        "gray" | "grey" => [128, 128, 128],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_keeps_its_colours() {
        assert_eq!(
            body_as_block("<html><BODY bgcolor='#000' text=white class=\"a>b\"><p>x</body>"),
            "<html><div style=\"background:#000;color:white;\"><div bgcolor='#000' text=white class=\"a>b\"><p>x</body>"
        );
        assert_eq!(
            body_as_block("<body style=\"background:#1a1a2e\">x"),
            "<div style=\"background:#1a1a2e\">x"
        );
        for same in ["<p>x", "<bodyx>", "<body", "<body a='>", ""] {
            assert_eq!(body_as_block(same), same);
        }
        // What could break out of the style is left out.
        assert_eq!(
            body_as_block("<body text=\"red;x:y\">"),
            "<div text=\"red;x:y\">"
        );
    }

    #[test]
    fn a_background_gets_a_text_that_can_be_read_on_it() {
        for (style, with) in [
            ("background:#222", "background:#222;color:#fff"),
            (
                "background-color: rgb(0, 0, 0);",
                "background-color: rgb(0, 0, 0);color:#fff",
            ),
            (
                "padding:1px;background:#fff url(x)",
                "padding:1px;background:#fff url(x);color:#222",
            ),
            ("background:navy", "background:navy;color:#fff"),
            ("background:#222;color:red", "background:#222;color:red"),
            ("background:url(x)", "background:url(x)"),
            ("color:#000", "color:#000"),
            ("", ""),
        ] {
            assert_eq!(with_text_colour(style), with, "{style}");
        }
    }
}
