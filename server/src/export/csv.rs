//! CSV by RFC 4180, in UTF-8 with a byte-order mark: without it Excel garbles Japanese.

use super::{Cell, printable};
use unicode_normalization::UnicodeNormalization;

/// Goes before everything.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Lines of cells as bytes.
///
/// # Errors
/// None in practice: the writer writes to memory.
pub fn lines<'a>(lines: impl IntoIterator<Item = &'a [Cell]>) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .flexible(true)
        .from_writer(Vec::new());
    for line in lines {
        writer.write_record(line.iter().map(written))?;
    }
    writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
}

fn written(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => harmless(&printable(text)),
        Cell::Number(number) => number.to_string(),
        Cell::Time(time) => time.format("%Y-%m-%d %H:%M:%S").to_string(),
        Cell::Empty => String::new(),
    }
}

/// Spreadsheets run a cell that begins like a formula; after an apostrophe it is text. Some pass over
/// blanks before it, and in Japanese they take full-width signs like any other.
fn harmless(text: &str) -> String {
    let passed_over = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    };
    let first = text.trim_start_matches(passed_over).chars().next();
    let sign = first.and_then(|c| c.nfkc().next());
    if matches!(sign, Some('=' | '+' | '-' | '@')) || text.starts_with(['\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cells: &[Cell]) -> String {
        String::from_utf8(lines([cells]).unwrap_or_default()).unwrap_or_default()
    }

    #[test]
    fn quotes_line_ends_and_commas() {
        let cells = [
            Cell::Text("a,\"b\"\r\nc".into()),
            Cell::Text("0001001".into()),
            Cell::Number(-5),
            Cell::Empty,
        ];
        assert_eq!(text(&cells), "\"a,\"\"b\"\"\r\nc\",0001001,-5,\r\n");
    }

    #[test]
    fn a_cell_that_begins_like_a_formula_is_text() {
        for start in [
            "=1+1",
            "+81",
            "-1",
            "@SUM(A1)",
            "\tx",
            "\rx",
            "\nx",
            "＝1+1",
            "＋1",
            "－1",
            "＠SUM(1)",
            "﹦1",
            " =1+1",
            "\u{3000}＝1",
            "\n=1+1",
            "\r\n@SUM(1)",
            "\u{feff}=1",
        ] {
            let written = text(&[Cell::Text(start.into())]);
            let bare = written.trim_start_matches('"');
            assert!(bare.starts_with('\''), "{written:?}");
        }
        for fine in ["1-2", " 1=1", "ー", "株式会社＝"] {
            assert_eq!(text(&[Cell::Text(fine.into())]), format!("{fine}\r\n"));
        }
    }

    #[test]
    fn control_characters_are_shown() {
        let cells = [Cell::Text("a\u{0}b\u{1b}c\u{7f}".into())];
        assert_eq!(text(&cells), "a␀b␛c␡\r\n");
    }
}
