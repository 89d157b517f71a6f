//! Dates as people type them: as in Japan, with western or era years, full-width digits, with or
//! without the year; and with an English month's name.

use chrono::{Datelike, NaiveDate};

/// Eras with the first day of each. Years are counted from the era's first calendar year.
const ERAS: [(&str, &str, (i32, u32, u32)); 5] = [
    ("令和", "R", (2019, 5, 1)),
    ("平成", "H", (1989, 1, 8)),
    ("昭和", "S", (1926, 12, 25)),
    ("大正", "T", (1912, 7, 30)),
    ("明治", "M", (1868, 1, 25)),
];

/// English months; their first three letters stand for them too.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The English name of a month, 1 to 12; nothing for any other number.
pub fn month_name(number: u32) -> &'static str {
    let place = (number as usize).wrapping_sub(1);
    MONTHS.get(place).copied().unwrap_or_default()
}

/// The first three letters of it.
pub fn month_short(number: u32) -> &'static str {
    let name = month_name(number);
    name.get(..3).unwrap_or(name)
}

/// Reads `2026-11-30`, `2026/11/30`, `2026年11月30日`, `令和8年11月30日`, `R8.11.30`, `11/30`,
/// `30 Nov 2026`, `30 November 2026` and the same in full-width characters. Without a year it is
/// the latest such day up to `today`. `None` where it is no date, or a day that does not exist (31
/// November, or a day before the era began).
pub fn parse(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let text: String = text
        .trim()
        .chars()
        .map(narrow)
        .filter(|c| !c.is_whitespace())
        .collect();
    let named = with_month_named(&text);
    let text = named.unwrap_or(text);
    let (era, rest) = split_era(&text);
    let mut parts = Vec::new();
    for part in rest
        .split(['-', '/', '.', '年', '月', '日'])
        .filter(|p| !p.is_empty())
    {
        let number = if part == "元" { 1 } else { digits(part)? };
        parts.push(number);
    }
    match (era, parts.as_slice()) {
        (Some(i), &[year, month, day]) => {
            let (first_year, first_month, first_day) = ERAS[i].2;
            if year == 0 {
                return None;
            }
            let date = ymd(
                first_year.checked_add(i32::try_from(year).ok()? - 1)?,
                month,
                day,
            )?;
            let begins = NaiveDate::from_ymd_opt(first_year, first_month, first_day)?;
            // A day after an era's end is refused too: it is more likely a slip than a wish.
            let ends = i.checked_sub(1).and_then(|j| {
                let (y, m, d) = ERAS[j].2;
                NaiveDate::from_ymd_opt(y, m, d)
            });
            (date >= begins && ends.is_none_or(|e| date < e)).then_some(date)
        }
        (None, &[year, month, day]) if (1900..=9998).contains(&year) => {
            ymd(i32::try_from(year).ok()?, month, day)
        }
        (None, &[packed]) if rest.len() == 8 => ymd(
            i32::try_from(packed / 10_000).ok()?,
            packed / 100 % 100,
            packed % 100,
        ),
        (None, &[month, day]) => {
            let this_year = ymd(today.year(), month, day);
            match this_year {
                Some(date) if date <= today => Some(date),
                _ => ymd(today.year() - 1, month, day),
            }
        }
        _ => None,
    }
}

/// `30Nov2026` as `2026-11-30`, `30Nov` as `11-30`.
fn with_month_named(text: &str) -> Option<String> {
    let letters = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (day, rest) = text.split_at(letters);
    let end = rest.find(|c: char| !c.is_ascii_alphabetic());
    let (name, year) = rest.split_at(end.unwrap_or(rest.len()));
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    let month = (1..=12).find(|month| is(month_name(*month)) || is(month_short(*month)))?;
    let day = digits(day)?;
    Some(match year {
        "" => format!("{month}-{day}"),
        year => format!("{}-{month}-{day}", digits(year)?),
    })
}

fn ymd(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day)
}

fn digits(text: &str) -> Option<u32> {
    (text.len() <= 8 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn split_era(text: &str) -> (Option<usize>, &str) {
    for (i, (name, letter, _)) in ERAS.iter().enumerate() {
        if let Some(rest) = text.strip_prefix(name) {
            return (Some(i), rest);
        }
        if let Some(first) = text.get(..1)
            && first.eq_ignore_ascii_case(letter)
        {
            return (Some(i), text[1..].trim_start_matches('.'));
        }
    }
    (None, text)
}

/// Full-width digits, letters and signs to their ASCII forms, and the dashes people type to `-`.
pub fn narrow(c: char) -> char {
    match c {
        // The block U+FF01..U+FF5E mirrors U+0021..U+007E at a fixed distance.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or(c),
        '\u{3000}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{30fc}' => '-',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(y: i32, m: u32, d: u32) -> Option<NaiveDate> {
        NaiveDate::from_ymd_opt(y, m, d)
    }

    #[test]
    fn dates_as_typed() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 29).unwrap_or_default();
        for text in [
            "2026-11-28",
            "2026/11/28",
            "20261128",
            "2026年11月28日",
            "令和8年11月28日",
            "R8.11.28",
            "r8/11/28",
            "11/28",
            "11月28日",
            "２０２６－１１－２８",
            "　2026.11.28 ",
            "28 Nov 2026",
            "28 November 2026",
            "28 nov",
            "２８ Ｎｏｖ ２０２６",
        ] {
            assert_eq!(parse(text, today), day(2026, 11, 28), "{text}");
        }
        // Without a year never a day to come.
        assert_eq!(parse("12/24", today), day(2025, 12, 24));
        assert_eq!(parse("令和元年5月1日", today), day(2019, 5, 1));
        assert_eq!(parse("平成31年4月30日", today), day(2019, 4, 30));
        for text in [
            "",
            "31",
            "2026-11-31",
            "11/31",
            "令和元年4月30日",
            "平成31年5月1日",
            "R0.1.1",
            "tomorrow",
            "31 Nov 2026",
            "28 Novem 2026",
            "Nov 2026",
            "28 Nov 20 26 x",
            "28 Nov 0",
            "2026-11-30T00:00",
            "99999999999",
            "-1",
            "\u{0}",
            "令和",
            "R",
            "1.2.3.4",
            "0000-01-01",
        ] {
            assert_eq!(parse(text, today), None, "{text}");
        }
    }
}
