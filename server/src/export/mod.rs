//! What leaves as a file: cells, and the format that they are written in.

pub mod csv;
pub mod xlsx;

use chrono::NaiveDateTime;

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Text, every digit of it: order numbers and ids are text.
    Text(String),
    /// A number to calculate with.
    Number(i64),
    /// A time of the shop's zone.
    Time(NaiveDateTime),
    /// Nothing.
    Empty,
}

impl Cell {
    /// Text, or nothing where there is none.
    pub fn text(text: Option<&str>) -> Cell {
        match text {
            Some(text) if !text.is_empty() => Cell::Text(text.to_owned()),
            _ => Cell::Empty,
        }
    }
}

/// Text as spreadsheets take it: control characters, which they do not take,
/// are shown by their pictures (`␀`); tabs and line ends stay.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => c,
            '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
            '\u{7f}' => '\u{2421}',
            '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
            c => c,
        })
        .collect()
}
