//! CSV by RFC 4180, in UTF-8 with a byte-order mark: without it Excel garbles Japanese.

use super::{Cell, printable};

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

/// Spreadsheets run a cell that begins like a formula; after an apostrophe it is text.
fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
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
        for start in ["=1+1", "+81", "-1", "@SUM(A1)", "\tx", "\rx"] {
            let written = text(&[Cell::Text(start.into())]);
            let bare = written.trim_start_matches('"');
            assert!(bare.starts_with('\''), "{written:?}");
        }
        assert_eq!(text(&[Cell::Text("1-2".into())]), "1-2\r\n");
    }

    #[test]
    fn control_characters_are_shown() {
        let cells = [Cell::Text("a\u{0}b\u{1b}c\u{7f}".into())];
        assert_eq!(text(&cells), "a␀b␛c␡\r\n");
    }
}
