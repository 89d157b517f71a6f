use super::*;

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 29).unwrap_or_default()
}

#[test]
fn empty_parameters_restrict_nothing() {
    let names = ["status", "kind", "cursor", "q", "from", "to", "needs"];
    let (filter, hints) = Filter::parse(names.map(|n| (n, "")), today());
    assert_eq!((filter, hints), (Filter::default(), vec![]));
}

#[test]
fn what_is_not_understood_is_named_and_restricts_nothing() {
    let params = [
        ("status", "sent"),
        ("from", "31 November"),
        ("cursor", "o1_-"),
        ("needs", "x"),
    ];
    let (filter, hints) = Filter::parse(params, today());
    assert_eq!(filter, Filter::default());
    assert_eq!(hints, [Hint::Status, Hint::From, Hint::Cursor, Hint::Needs]);
}

#[test]
fn a_filter_survives_the_url() {
    let params = [
        ("status", "failed"),
        ("status", "check"),
        ("kind", "請求書 & co=1"),
        ("needs", "final"),
        ("from", "2026/11/01"),
        ("to", "11/28"),
        ("q", "a+b@example.jp"),
        ("match", "part"),
        ("error", "0123456789abcdef-7"),
        ("cursor", "o1764388800123456_7"),
    ];
    let (filter, hints) = Filter::parse(params, today());
    assert!(hints.is_empty());
    let query = filter.to_query();
    assert!(query.is_ascii());
    assert!(
        query.contains("from=2026-11-01&to=2026-11-28&q=a%2Bb%40example.jp"),
        "{query}"
    );
    assert!(query.ends_with("&match=part&error=0123456789abcdef-7&cursor=o1764388800123456_7"));
}

#[test]
fn names_of_failures_are_read_in_one_way() {
    for text in [
        "0123456789abcdef",
        "0123456789abcdef-1",
        "0123456789abcdef-65535",
    ] {
        assert_eq!(
            Failed::parse(text).map(|f| f.to_string()).as_deref(),
            Some(text)
        );
    }
    for text in [
        "",
        "-7",
        "0123456789abcde",
        "0123456789ABCDEF",
        "0123456789abcdef-",
        "0123456789abcdef-0",
        "0123456789abcdef-07",
        "0123456789abcdef--7",
        "0123456789abcdef-65536",
        "0123456789abcde'",
    ] {
        assert_eq!(Failed::parse(text), None, "{text}");
    }
}

#[test]
fn crafted_cursors_are_refused() {
    for text in [
        "",
        "o",
        "o1",
        "o1_",
        "o_1",
        "x1_2",
        "o1_2_3",
        "o+1_2",
        "o01_2",
        "é1_2",
        "o9223372036854775807_1",
        "o99999999999999999999_1",
        "n1_99999999999999999999",
    ] {
        assert_eq!(Cursor::parse(text), None, "{text}");
    }
    let cursor = Cursor {
        older: false,
        micros: -1,
        id: i64::MAX,
    };
    assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
}

#[test]
fn addresses_as_pasted() {
    for text in [
        "Front.Desk@Example.JP",
        " front.desk@example.jp ",
        "受付 <front.desk@example.jp>",
        "mailto:front.desk@example.jp",
        "MAILTO:front.desk＠example.jp",
        "ｆｒｏｎｔ．ｄｅｓｋ＠ｅｘａｍｐｌｅ．ｊｐ",
    ] {
        assert_eq!(
            pasted_address(text).as_deref(),
            Some("front.desk@example.jp"),
            "{text}"
        );
    }
    assert_eq!(pasted_address("104312"), None);
}
