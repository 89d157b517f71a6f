//! How much work a document would be to clean, found out before it is: the parser's own checks look
//! through all open elements, so that time grows with the square of their depth.

/// Elements within each other, at most; mails of nested tables have some dozens.
const DEEPEST: usize = 256;
/// Attributes of one element, at most: each is compared with the others.
const MOST_ATTRIBUTES: usize = 256;
/// Bytes of a document, at most.
const LARGEST: usize = 2 * 1024 * 1024;

/// Whether a document can be cleaned in a moment. It may be refused where the parser would have
/// managed it, never the other way round: an element counts as open until the very next end tag is
/// its own.
pub fn bearable(html: &str) -> bool {
    html.len() <= LARGEST && Scan::new(html).keeps_within()
}

/// Closed by whatever follows, so that they nest in others alone, which count.
const CLOSE_THEMSELVES: [&str; 12] = [
    "html", "head", "body", "p", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "colgroup",
];
const VOID: [&str; 14] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "hr", "img", "input", "link",
    "meta", "source", "wbr",
];
/// Their content may be text, in which a comment is none.
const RAW: [&str; 9] = [
    "style",
    "script",
    "title",
    "textarea",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "plaintext",
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
    raw: Option<String>,
}

impl<'a> Scan<'a> {
    fn new(html: &'a str) -> Scan<'a> {
        Scan {
            html,
            at: 0,
            open: Vec::new(),
            raw: None,
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
                let behind = &self.rest()[found + 2..];
                if behind.starts_with('>') || behind.starts_with("!>") {
                    self.skip_past(">");
                    return;
                }
                self.at += found + 1;
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
        let Some(attributes) = self.attributes() else {
            // The document ends within the tag, which is none then.
            return true;
        };
        if attributes > MOST_ATTRIBUTES {
            return false;
        }
        if start {
            self.opens(name);
        } else {
            self.closes(&name);
        }
        self.open.len() <= DEEPEST
    }

    fn opens(&mut self, name: String) {
        if VOID.contains(&&*name) || CLOSE_THEMSELVES.contains(&&*name) {
            return;
        }
        if self.raw.is_none() && RAW.contains(&&*name) {
            self.raw = Some(name.clone());
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
        assert!(!bearable(&format!("<p {}>", "a ".repeat(1000))));
        assert!(!bearable(&"x".repeat(LARGEST + 1)));
        // A tag that never ends is none.
        assert!(bearable(&format!("<p {}", "a ".repeat(1000))));
    }
}
