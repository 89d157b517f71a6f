//! XLSX: written row by row into a temporary file, so that memory does not grow with the rows.

use super::{Cell, printable};
use app::model::report::WORKBOOK_ROWS;
use chrono::{Datelike, NaiveDateTime, Timelike};
use rust_xlsxwriter::{ExcelDateTime, Format, IgnoreError, Workbook, Worksheet};
use std::fs::File;
use std::io::{self, Seek};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// What a cell holds at most, in UTF-16 units.
const LONGEST: usize = 32_767;
/// Whole numbers beyond it lose digits in a spreadsheet.
const EXACT: i64 = 1 << 53;
/// Columns as wide as their heads and first line, within reason.
const WIDTHS: std::ops::RangeInclusive<usize> = 8..=48;

/// Why there is no workbook.
#[derive(Debug, thiserror::Error)]
pub enum XlsxError {
    /// The writer refused something.
    #[error(transparent)]
    Writer(#[from] rust_xlsxwriter::XlsxError),
    /// The temporary file could not be written or read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// More rows than a sheet has.
    #[error("more rows than a sheet has")]
    TooMany,
    /// Nobody waits for it any more.
    #[error("given up")]
    GivenUp,
    /// The writer panicked, which is how it takes a full disk.
    #[error("the writer failed")]
    Failed,
}

/// A workbook of one sheet, under way.
pub struct Book {
    workbook: Workbook,
    bold: Format,
    time: Format,
    /// Ends a text that was cut.
    mark: &'static str,
    /// Where the next line goes.
    row: u32,
    widths: Vec<f64>,
}

impl Book {
    /// With the sheet's name and the heads of its columns.
    pub fn new(sheet: &str, heads: &[Cell], mark: &'static str) -> Result<Book, XlsxError> {
        let mut book = Book {
            workbook: Workbook::new(),
            bold: Format::new().set_bold(),
            time: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
            mark,
            row: 0,
            widths: heads.iter().map(width).collect(),
        };
        let page = book.workbook.add_worksheet_with_constant_memory()?;
        page.set_name(sheet)?.set_freeze_panes(1, 0)?;
        for (column, cell) in (0u16..).zip(heads) {
            if let Cell::Text(text) = cell {
                let text = fitting(text, mark);
                page.write_string_with_format(0, column, text, &book.bold)?;
            }
        }
        book.row = 1;
        Ok(book)
    }

    /// Adds lines below those there are.
    pub fn add(&mut self, lines: &[Vec<Cell>]) -> Result<(), XlsxError> {
        let page = self.workbook.worksheet_from_index(0)?;
        for line in lines {
            if i64::from(self.row) > WORKBOOK_ROWS {
                return Err(XlsxError::TooMany);
            }
            for (column, cell) in (0u16..).zip(line) {
                put(page, (self.row, column), cell, &self.time, self.mark)?;
            }
            if self.row == 1 {
                for (widest, cell) in self.widths.iter_mut().zip(line) {
                    *widest = widest.max(width(cell));
                }
            }
            self.row += 1;
        }
        Ok(())
    }

    /// The whole workbook, at its beginning.
    pub fn finish(mut self) -> Result<File, XlsxError> {
        let (last, right) = (
            self.row - 1,
            u16::try_from(self.widths.len()).unwrap_or(1).max(1) - 1,
        );
        let page = self.workbook.worksheet_from_index(0)?;
        for (column, width) in (0u16..).zip(&self.widths) {
            page.set_column_width(column, *width)?;
        }
        if last > 0 {
            page.autofilter(0, 0, last, right)?;
            // Order numbers are text on purpose.
            page.ignore_error_range(1, 0, last, right, IgnoreError::NumberStoredAsText)?;
        }
        let mut file = tempfile::tempfile()?;
        self.workbook.save_to_writer(&file)?;
        file.rewind()?;
        Ok(file)
    }
}

fn put(
    page: &mut Worksheet,
    (row, column): (u32, u16),
    cell: &Cell,
    time: &Format,
    mark: &str,
) -> Result<(), XlsxError> {
    match cell {
        Cell::Empty => {}
        Cell::Text(text) => {
            page.write_string(row, column, fitting(text, mark))?;
        }
        // Both are exact within the bounds.
        #[allow(clippy::cast_precision_loss)]
        Cell::Number(n) if n.unsigned_abs() <= EXACT.unsigned_abs() => {
            page.write_number(row, column, *n as f64)?;
        }
        Cell::Number(n) => {
            page.write_string(row, column, n.to_string())?;
        }
        Cell::Time(at) => match date(*at) {
            Some(date) => {
                page.write_datetime_with_format(row, column, &date, time)?;
            }
            // Before 1901 spreadsheets count days wrongly, or not at all.
            None => {
                page.write_string(row, column, at.format("%Y-%m-%d %H:%M:%S").to_string())?;
            }
        },
    }
    Ok(())
}

/// A time as a date to calculate with, to the second.
fn date(at: NaiveDateTime) -> Option<ExcelDateTime> {
    let year = u16::try_from(at.year()).ok().filter(|y| *y > 1900)?;
    let part = |n: u32| u8::try_from(n).ok();
    ExcelDateTime::from_ymd(year, part(at.month())?, part(at.day())?)
        .ok()?
        .and_hms(u16::from(part(at.hour())?), part(at.minute())?, at.second())
        .ok()
}

/// A text as a cell takes it: no control characters, one sort of line end, not too long.
fn fitting(text: &str, mark: &str) -> String {
    let text = printable(text).replace("\r\n", "\n").replace('\r', "\n");
    if text.encode_utf16().count() <= LONGEST {
        return text;
    }
    let mut room = LONGEST - mark.encode_utf16().count();
    let mut cut: String = text
        .chars()
        .take_while(|c| {
            let fits = room >= c.len_utf16();
            room = room.saturating_sub(c.len_utf16());
            fits
        })
        .collect();
    cut.push_str(mark);
    cut
}

/// Wide characters take two places.
fn width(cell: &Cell) -> f64 {
    let places = match cell {
        Cell::Text(text) => {
            let line = text.lines().next().unwrap_or_default();
            let places = line.chars().map(|c| if c.is_ascii() { 1 } else { 2 });
            places.take(*WIDTHS.end()).sum::<usize>() + 2
        }
        Cell::Number(n) => n.to_string().len() + 2,
        Cell::Time(_) => 20,
        Cell::Empty => 0,
    };
    let places = places.clamp(*WIDTHS.start(), *WIDTHS.end());
    u16::try_from(places).map_or(10.0, f64::from)
}

/// What a [`Builder`] is told.
enum Part {
    Lines(Vec<Vec<Cell>>),
    End,
}

/// Builds a workbook on a thread that may wait for the disk. It takes two pages ahead at most.
pub struct Builder {
    parts: mpsc::Sender<Part>,
    book: JoinHandle<Result<File, XlsxError>>,
}

impl Builder {
    /// Begins one. Dropping the builder gives the workbook up.
    pub fn begin(sheet: &'static str, heads: Vec<Cell>, mark: &'static str) -> Builder {
        let (parts, mut lines) = mpsc::channel(1);
        let book = tokio::task::spawn_blocking(move || {
            let mut book = Book::new(sheet, &heads, mark)?;
            loop {
                match lines.blocking_recv() {
                    Some(Part::Lines(lines)) => book.add(&lines)?,
                    Some(Part::End) => return book.finish(),
                    None => return Err(XlsxError::GivenUp),
                }
            }
        });
        Builder { parts, book }
    }

    /// Adds lines; `false` where it has failed, which [`Builder::finish`] tells.
    pub async fn add(&self, lines: Vec<Vec<Cell>>) -> bool {
        self.parts.send(Part::Lines(lines)).await.is_ok()
    }

    /// The whole workbook, at its beginning.
    pub async fn finish(self) -> Result<File, XlsxError> {
        // Where nobody hears it, the book has failed and says why.
        let _ = self.parts.send(Part::End).await;
        self.book.await.unwrap_or(Err(XlsxError::Failed))
    }
}

#[cfg(test)]
#[path = "xlsx_tests.rs"]
mod tests;
