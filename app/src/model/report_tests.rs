use super::*;

fn month(text: &str) -> Month {
    Month::parse(text).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn months_as_linked_and_as_typed() {
    for text in [
        "2026-11",
        "2026/11",
        " 2026年11月 ",
        "202611",
        "２０２６－１１",
        "2026.11",
    ] {
        assert_eq!(month(text).to_string(), "2026-11", "{text}");
    }
    for text in [
        "",
        "11",
        "2026-13",
        "2026-00",
        "2026-1-1",
        "0000-01",
        "9999-12",
        "2026-",
        "-11",
        "2026-+1",
        "20261",
        "二〇二六",
        "2026-11-30",
        "\u{0}",
        "年月",
    ] {
        assert_eq!(Month::parse(text), None, "{text}");
    }
}

#[test]
fn months_before_and_after() {
    assert_eq!(month("2026-12").next(), month("2027-01"));
    assert_eq!(month("2026-01").previous(), month("2025-12"));
    assert_eq!(month("2026-02").year_before(), month("2025-02"));
    assert_eq!(month("2024-02").last_day().to_string(), "2024-02-29");
    assert_eq!(month("2026-12").last_day().to_string(), "2026-12-31");
    assert!(month("2026-02") < month("2026-11") && month("2025-12") < month("2026-01"));
}

#[test]
fn columns_stand_in_their_order() {
    for (i, column) in Column::ALL.into_iter().enumerate() {
        assert_eq!(column as usize, i, "{column:?}");
    }
}

#[test]
fn the_accepted_are_the_rest_and_states_add_up() {
    let unsettled = |status, open_question, assumed| Group::Unsettled {
        status,
        open_question,
        assumed,
    };
    let of = |group, n| ("invoice".to_owned(), group, n);
    let kinds = tally([
        of(Group::All { further: false }, 100),
        of(Group::All { further: true }, 7),
        of(unsettled(Status::Pending, false, false), 1),
        of(unsettled(Status::Requesting, false, false), 2),
        of(unsettled(Status::Requesting, true, false), 3),
        of(unsettled(Status::Failed, false, false), 4),
        of(unsettled(Status::Failed, false, true), 5),
        of(unsettled(Status::Rejected, false, false), 6),
        of(unsettled(Status::Canceled, false, false), 7),
        of(Group::Assumed, 8),
        of(Group::Bounced, 9),
        ("receipt".to_owned(), Group::All { further: false }, 1),
    ]);
    let figures = kinds["invoice"];
    let shown = Column::ALL.map(|c| figures.get(c));
    assert_eq!(shown, [79, 8, 9, 1, 2, 3, 9, 5, 6, 7, 107, 7]);
    let states: i64 = Column::ALL
        .into_iter()
        .filter(|c| !c.is_part() && *c != Column::Total)
        .map(|c| figures.get(c))
        .sum();
    assert_eq!(states, figures.get(Column::Total));
    let both = figures.plus(&kinds["receipt"]);
    assert_eq!(
        (both.get(Column::Total), both.get(Column::Accepted)),
        (108, 80)
    );
}

#[test]
fn every_figure_has_an_address_that_says_the_same() {
    let today = NaiveDate::from_ymd_opt(2026, 11, 29).unwrap_or_default();
    for basis in Basis::ALL {
        for column in Column::ALL {
            for kind in [None, Some("請求書 & co=1"), Some(" blank ")] {
                let filter = rows_of(month("2026-02"), basis, kind, column);
                let query = filter.to_query();
                let pairs: Vec<(String, String)> = query
                    .split('&')
                    .filter_map(|pair| pair.split_once('='))
                    .map(|(name, value)| (name.to_owned(), unescaped(value)))
                    .collect();
                let pairs = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str()));
                let (read, hints) = Filter::parse(pairs, today);
                assert_eq!((read, hints), (filter, vec![]), "{query}");
            }
        }
    }
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let code: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&code, 16).unwrap_or_default());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}
