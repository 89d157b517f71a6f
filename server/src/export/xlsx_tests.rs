//! What was written is read again by another program's reader.

use super::*;
use calamine::{Data, Range, Reader, Xlsx};

fn read(lines: &[Vec<Cell>]) -> Range<Data> {
    let heads: Vec<Cell> = ["注文", "時刻", "件数"]
        .map(|h| Cell::Text(h.into()))
        .into();
    let mut book = Book::new("伝票", &heads, "…（略）").unwrap();
    book.add(lines).unwrap();
    let mut file: Xlsx<_> = Xlsx::new(book.finish().unwrap()).unwrap();
    assert_eq!(file.sheet_names(), ["伝票"]);
    file.worksheet_range("伝票").unwrap()
}

fn text(text: &str) -> Vec<Cell> {
    vec![Cell::Text(text.into())]
}

fn written(of: &str) -> String {
    match read(&[text(of)]).get_value((1, 0)) {
        Some(Data::String(text)) => text.clone(),
        other => panic!("{of:?}: {other:?}"),
    }
}

#[test]
fn ids_are_texts_with_every_digit() {
    for id in [
        "0001001",
        "12345678901234567890",
        "1-2",
        "1E5",
        "=1+1",
        "TRUE",
        "2026-11-30",
        "①㈱髙﨑𠮷〜～－ｶﾞ",
        " blank ",
        "_x0041_",
        "a<&>\"'b",
        "two\nlines\tand a tab",
    ] {
        assert_eq!(written(id), id);
    }
}

#[test]
fn control_characters_are_shown_and_line_ends_are_one_sort() {
    assert_eq!(written("a\u{0}b\u{1b}c\u{7f}\u{ffff}"), "a␀b␛c␡\u{fffd}");
    assert_eq!(written("a\r\nb\rc"), "a\nb\nc");
}

#[test]
fn a_text_that_is_too_long_is_cut_and_marked() {
    let long = written(&"長".repeat(40_000));
    assert_eq!(long.encode_utf16().count(), LONGEST);
    assert!(long.ends_with("長…（略）"));
    // Two units each: none is cut in half.
    let wide = written(&"𠮷".repeat(20_000));
    assert!((LONGEST - 1..=LONGEST).contains(&wide.encode_utf16().count()));
    assert!(wide.ends_with("𠮷…（略）"));
    let whole = "a".repeat(LONGEST);
    assert_eq!(written(&whole), whole);
}

#[test]
fn times_are_dates_and_numbers_are_numbers() {
    let at = |text: &str| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f").unwrap();
    let line = |time, number| vec![Cell::Empty, Cell::Time(at(time)), Cell::Number(number)];
    let range = read(&[
        line("2026-11-30 23:59:59.999999", -5),
        line("0001-01-01 00:00:00", i64::MAX),
    ]);
    let Some(Data::DateTime(date)) = range.get_value((1, 1)) else {
        panic!("{range:?}")
    };
    // Days since 1899-12-30.
    let days = 46_356.0 + 86_399.0 / 86_400.0;
    assert!((date.as_f64() - days).abs() < 1e-6, "{date:?}");
    assert_eq!(range.get_value((1, 0)), Some(&Data::Empty));
    assert_eq!(range.get_value((1, 2)), Some(&Data::Float(-5.0)));
    let text = |text: &str| Data::String(text.into());
    assert_eq!(range.get_value((2, 1)), Some(&text("0001-01-01 00:00:00")));
    assert_eq!(range.get_value((2, 2)), Some(&text("9223372036854775807")));
}

#[test]
fn a_sheet_without_rows_opens() {
    let range = read(&[]);
    assert_eq!(range.get_size(), (1, 3));
    assert_eq!(range.get_value((0, 0)), Some(&Data::String("注文".into())));
}

#[tokio::test]
async fn a_workbook_is_built_line_by_line_or_given_up() {
    let heads = || text("n");
    let builder = Builder::begin("s", heads(), "…");
    for page in 0..3 {
        let lines = (0..1000).map(|i| text(&format!("{page}-{i}"))).collect();
        assert!(builder.add(lines).await);
    }
    let mut file: Xlsx<_> = Xlsx::new(builder.finish().await.unwrap()).unwrap();
    assert_eq!(file.worksheet_range("s").unwrap().get_size(), (3001, 1));

    let Builder { parts, book } = Builder::begin("s", heads(), "…");
    drop(parts);
    assert!(matches!(book.await.unwrap(), Err(XlsxError::GivenUp)));
}

#[tokio::test]
async fn more_rows_than_a_sheet_has_are_refused() {
    let mut book = Book::new("s", &text("n"), "…").unwrap();
    // As if all but the last row stood there.
    book.row = u32::try_from(WORKBOOK_ROWS).unwrap();
    book.add(&[text("last")]).unwrap();
    assert!(matches!(
        book.add(&[text("one more")]),
        Err(XlsxError::TooMany)
    ));
}
