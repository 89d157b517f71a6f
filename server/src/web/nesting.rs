//! How much work a document would be to clean, found out before it is: the parser's own checks look
//! through all open elements, so that time grows with the square of their depth, and what is left open
//! may begin anew in everything that follows.

/// Elements within each other, at most; mails of nested tables have some dozens.
const DEEPEST: usize = 256;
/// Attributes of one element, at most: each is compared with the others.
const MOST_ATTRIBUTES: usize = 256;
/// `<` in a document, at most: what stands in a table beside its cells is put before it, each behind a
/// look through all that was.
const MOST_TAGS: usize = 30_000;
/// The same of a document with a drawing or a formula. In them nothing is void or closes itself, and other
/// things are comments, so that nesting is not looked at but taken for granted.
const MOST_TAGS_WITH_FOREIGN: usize = 5_000;
/// Elements such as `<b>` that are open, counted anew at each tag and with their attributes, at most: a
/// paragraph that is left with them open has the next begin with a copy of every one.
const MOST_REOPENED: usize = 1_000_000;
/// Bytes of a document, at most.
const LARGEST: usize = 2 * 1024 * 1024;

/// Whether a document can be cleaned in a moment. It may be refused where the parser would have
/// managed it, never the other way round: an element counts as open until the very next end tag is
/// its own.
pub fn bearable(html: &str) -> bool {
    if html.len() > LARGEST {
        return false;
    }
    let lower = html.to_ascii_lowercase();
    let foreign = lower.contains("<svg") || lower.contains("<math");
    let most = if foreign {
        MOST_TAGS_WITH_FOREIGN
    } else {
        MOST_TAGS
    };
    lower.matches('<').count() <= most
        && !(foreign && lower.contains("<![cdata["))
        && Scan::new(html).keeps_within()
}

/// Closed by whatever follows, so that they nest in others alone, which count.
const CLOSE_THEMSELVES: [&str; 12] = [
    "html", "head", "body", "p", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "colgroup",
];
const VOID: [&str; 14] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "hr", "img", "input", "link",
    "meta", "source", "wbr",
];
/// Their content may be text, in which a comment or an attribute is none.
const RAW: [&str; 10] = [
    "style",
    "script",
    "title",
    "textarea",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
];
/// Begin anew in what follows where they were left open.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];
/// Close their last item with themselves.
const LISTS: [&str; 3] = ["ul", "ol", "dl"];

fn is_item(name: &str) -> bool {
    matches!(name, "li" | "dt" | "dd")
}

struct Scan<'a> {
    html: &'a str,
    at: usize,
    open: Vec<String>,
    /// Within an element of [`RAW`]; of no name where nobody can say when that ends.
    raw: Option<String>,
    /// Attributes of all `<html>`, which become those of one element.
    of_root: usize,
    /// See [`MOST_REOPENED`].
    reopened: usize,
    /// An element of [`FORMATTING`] with its attributes, as of the one that has most.
    heaviest: usize,
    /// Bytes read for a second time.
    again: usize,
}

impl<'a> Scan<'a> {
    fn new(html: &'a str) -> Scan<'a> {
        Scan {
            html,
            at: 0,
            open: Vec::new(),
            raw: None,
            of_root: 0,
            reopened: 0,
            heaviest: 1,
            again: 0,
        }
    }

    fn rest(&self) -> &'a str {
        &self.html[self.at..]
    }

    /// Goes on behind `end`, or to the document's end where there is none.
    fn skip_past(&mut self, end: &str) {
        self.at = match self.rest().find(end) {
            Some(found) => self.at + found + end.len(),
            None => self.html.len(),
        };
    }

    fn keeps_within(&mut self) -> bool {
        while let Some(found) = self.rest().find('<') {
            self.at += found + 1;
            let rest = self.rest();
            let letter = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
            let fine = if letter(rest) {
                self.tag(true)
            } else if rest.strip_prefix('/').is_some_and(letter) {
                self.at += 1;
                self.tag(false)
            } else {
                if self.raw.is_none() {
                    self.skip_comment();
                }
                true
            };
            if !fine {
                return false;
            }
        }
        true
    }

    /// What begins with `<!`, `<?` or `</` and is no tag; a lone `<` is text.
    fn skip_comment(&mut self) {
        let rest = self.rest();
        if let Some(comment) = rest.strip_prefix("!--") {
            if comment.starts_with('>') || comment.starts_with("->") {
                self.skip_past(">");
                return;
            }
            self.at += 3;
            while let Some(found) = self.rest().find("--") {
                self.at += found + 1;
                let behind = &self.rest()[1..];
                if behind.starts_with('>') || behind.starts_with("!>") {
                    self.skip_past(">");
                    return;
                }
            }
            self.at = self.html.len();
        } else if rest.starts_with(['!', '?', '/']) {
            self.skip_past(">");
        }
    }

    /// Reads a tag from its name on; false where it is too much.
    fn tag(&mut self, start: bool) -> bool {
        let rest = self.rest();
        let end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        let name = rest[..rest.find(end).unwrap_or(rest.len())].to_ascii_lowercase();
        self.at += name.len();
        let from = self.at;
        let attributes = self.attributes();
        if self.raw.is_some() {
            // Where this is text, a quote in it ends nothing and hides nothing.
            self.again += self.at - from;
            self.at = from;
        }
        let Some(mut attributes) = attributes else {
            // The document ends within the tag, which is none then.
            return self.again <= LARGEST;
        };
        if start && name == "html" {
            self.of_root += attributes;
            attributes = self.of_root;
        }
        if start && FORMATTING.contains(&&*name) {
            self.heaviest = self.heaviest.max(1 + attributes);
        }
        if start {
            self.opens(name);
        } else {
            self.closes(&name);
        }
        let formatting = |name: &&String| FORMATTING.contains(&name.as_str());
        self.reopened += self.open.iter().filter(formatting).count() * self.heaviest;
        attributes <= MOST_ATTRIBUTES
            && self.open.len() <= DEEPEST
            && self.reopened <= MOST_REOPENED
            && self.again <= LARGEST
    }

    fn opens(&mut self, name: String) {
        if VOID.contains(&&*name) || CLOSE_THEMSELVES.contains(&&*name) {
            return;
        }
        if RAW.contains(&&*name) {
            let within = self.raw.is_some();
            self.raw = Some(if within { String::new() } else { name.clone() });
        }
        let last = self.open.last().map(String::as_str);
        let follows = match last {
            Some("li") => name == "li",
            Some("dt" | "dd") => matches!(&*name, "dt" | "dd"),
            _ => false,
        };
        if follows {
            self.open.pop();
        }
        self.open.push(name);
    }

    fn closes(&mut self, name: &str) {
        if self.raw.as_deref() == Some(name) {
            self.raw = None;
        }
        if let [.., list, item] = &self.open[..]
            && is_item(item)
            && list == name
            && LISTS.contains(&name)
        {
            self.open.pop();
        }
        if self.open.last().is_some_and(|last| last == name) {
            self.open.pop();
        }
    }

    /// Passes over a tag's attributes as a parser does, quotes only behind `=`; their number, or
    /// `None` where the document ends before the tag does.
    fn attributes(&mut self) -> Option<usize> {
        let mut count = 0;
        loop {
            self.skip_while(|b| b.is_ascii_whitespace() || b == b'/');
            if self.byte()? == b'>' {
                self.at += 1;
                return Some(count);
            }
            count += 1;
            // Whatever an attribute begins with belongs to its name.
            self.at += 1;
            self.skip_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'/' | b'>' | b'='));
            self.skip_while(|b| b.is_ascii_whitespace());
            if self.byte()? != b'=' {
                continue;
            }
            self.at += 1;
            self.skip_while(|b| b.is_ascii_whitespace());
            match self.byte()? {
                quote @ (b'"' | b'\'') => {
                    self.at += 1;
                    self.skip_while(|b| b != quote);
                    self.byte()?;
                    self.at += 1;
                }
                b'>' => {}
                _ => self.skip_while(|b| !b.is_ascii_whitespace() && b != b'>'),
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.html.as_bytes().get(self.at).copied()
    }

    /// Ends at ASCII, or at the document's end.
    fn skip_while(&mut self, goes_on: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(|b| !b.is_ascii() || goes_on(b)) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(part: &str) -> String {
        format!("<p>{}", part.repeat(100_000 / part.len().max(20)))
    }

    #[test]
    fn what_mails_are_made_of_is_bearable() {
        let table = "<table><tr><td>".repeat(60) + "x" + &"</td></tr></table>".repeat(60);
        for fine in [
            String::new(),
            "text < 3 & more".to_owned(),
            table,
            many("<p>one"),
            many("<div class=\"a>b\" title='</div>'>x</div>"),
            many("<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>"),
            many("<img src=x><br/><hr>"),
            many("<tr><td>a<td>b"),
            many("<b>注文</b> <a href=x>注文</a>"),
            many(
                "<!--[if mso]><table><tr><td><![endif]--><i>x</i><!--[if mso]></table><![endif]-->",
            ),
            many("<style>a > b { } /* <!-- */</style>"),
            many("<STYLE><!-- p { color: #000 } --></Style>"),
            many("<!doctype html><?xml?></ ></>"),
        ] {
            assert!(bearable(&fine), "{}", &fine[..fine.len().min(80)]);
        }
    }

    #[test]
    fn whatever_hides_depth_is_not() {
        for deep in [
            "<div>",
            "<div/>",
            "<DIV\n",
            "<div></x>",
            "<div><table></div>",
            "<div \">",
            "<div a=\">\">",
            "<div title=\"x\"><!-- </div> -->",
            "<li><dd>",
            "<b><li></b><b><dd></b>",
            "<!--><div>",
            "<!--x--!><div>",
            "<svg><style><g><foreignObject><div></style>",
            "<p><font a=1></p>",
            "<div a='</div>'>",
            "<div><!-- > </div> -->",
            "<svg><td>",
            "<math><col>",
        ] {
            let deep = if deep.ends_with('\n') {
                format!("{deep}>")
            } else {
                deep.to_owned()
            };
            assert!(!bearable(&many(&deep)), "{deep}");
        }
        let hidden = format!("<style><!--</style>{}-->", many("<div>"));
        assert!(!bearable(&hidden));
        let hidden = format!("<style><x><!--</style>{}-->", many("<div>"));
        assert!(!bearable(&hidden));
        let (deep, attributes) = ("<div>".repeat(1000), "a ".repeat(1000));
        for hidden in [
            format!("<style><a b=\"</style>{deep}\">"),
            format!("<noscript><!--</noscript>{deep}-->"),
            format!("<svg><![CDATA[><!--]]>{deep}-->"),
            format!("<svg><style><p><textarea></style><!--</textarea>{deep}-->"),
            format!("<select><style></select><p {attributes}>"),
        ] {
            assert!(!bearable(&hidden), "{}", &hidden[..40]);
        }
        assert!(!bearable(&format!("<p {attributes}>")));
        assert!(!bearable(&"x".repeat(LARGEST + 1)));
        let roots: String = (0..1000).map(|i| format!("<html a{i}>")).collect();
        assert!(!bearable(&roots));
        assert!(!bearable(&"<br>".repeat(MOST_TAGS + 1)));
        // A tag that never ends is none.
        assert!(bearable(&format!("<p {}", "a ".repeat(1000))));
    }

    #[test]
    fn what_begins_anew_everywhere_is_not() {
        let fonts: String = (0..200).map(|i| format!("<font a={i}>")).collect();
        assert!(bearable(&format!("<p>{fonts}{}", "<p>x".repeat(100))));
        assert!(!bearable(&format!("<p>{fonts}{}", "<p>x".repeat(5000))));
    }

    #[test]
    fn a_drawing_among_text_is_bearable() {
        let icon = "<svg viewBox='0 0 1 1'><path d='M0 0'/><path d='M0 0'></path></svg>";
        assert!(bearable(&format!("<p>x<br>{}", icon.repeat(20))));
        let table = "<tr><td>x<br>".repeat(100);
        assert!(bearable(&format!("{icon}<table>{table}</table>")));
    }
}
