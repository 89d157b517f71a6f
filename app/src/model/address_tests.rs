#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn addresses_that_exist() {
    for text in [
        "a@example.com",
        "a..b.@example.ne.jp",
        ".leading@example.ne.jp",
        "..@example.ne.jp",
        "-_-@example.ne.jp",
        "Front.Desk@Example.JP",
        "user+tag/x=y@mail.example.co.jp",
        "100%@example.jp",
        "o'hara@example.com",
        "a@localhost",
        "a@xn--eckwd4c7c.example",
        "a@a_b.example.jp",
    ] {
        assert_eq!(Address::parse(text).map(String::from), Ok(text.to_owned()));
    }
    let longest_local = format!("{}@example.com", "a".repeat(64));
    assert!(Address::parse(&longest_local).is_ok());
}

#[test]
fn texts_that_are_no_address() {
    use AddressFault as F;
    for (text, fault) in [
        ("", F::Empty),
        ("example.com", F::NoAt),
        ("@example.com", F::NoLocal),
        ("a@", F::NoDomain),
        ("a@b@example.com", F::Several { at: 4 }),
        ("あ@b@example.com", F::Several { at: 4 }),
        ("a@x, b@y", F::Several { at: 6 }),
        ("a@example.com, b@example.com", F::Several { at: 16 }),
        ("a@example.com b@example.com", F::Several { at: 15 }),
        ("あ@x、 b@y", F::Several { at: 6 }),
        ("<a@x>; <b@y>", F::Several { at: 8 }),
        ("a@example.com, b", F::Blank { at: 15 }),
        ("a @example.com", F::Blank { at: 2 }),
        ("a@ example.com", F::Blank { at: 3 }),
        ("a@example.com,b@example.com", F::Several { at: 16 }),
        ("a@example.com\nBcc: b@example.com", F::Control { at: 14 }),
        ("a@example.com\r\n", F::Control { at: 14 }),
        ("a\0@example.com", F::Control { at: 2 }),
        ("a\u{85}@example.com", F::Control { at: 2 }),
        ("a\u{2028}@example.com", F::Control { at: 2 }),
        (" a@example.com", F::Blank { at: 1 }),
        ("a b@example.com", F::Blank { at: 2 }),
        ("a\u{3000}b@example.com", F::Blank { at: 2 }),
        ("a\u{200b}b@example.com", F::Blank { at: 2 }),
        ("山田@example.com", F::WideLocal { at: 1 }),
        ("a＠example.com", F::NoAt),
        ("a@例え.jp", F::WideDomain { at: 3 }),
        ("\"a..b\"@example.ne.jp", F::Quoted),
        ("a\"b@example.ne.jp", F::Sign { at: 2 }),
        ("<a@example.com>", F::Sign { at: 1 }),
        ("花子 <a@example.jp>", F::Named),
        ("Hanako<a@example.jp>", F::Named),
        ("a(b)@example.com", F::Sign { at: 2 }),
        ("a@[192.0.2.1]", F::Sign { at: 3 }),
        ("a@b c.example", F::Blank { at: 4 }),
        ("a@b:25", F::Sign { at: 4 }),
        ("a@.jp", F::DomainDot { at: 3 }),
        ("a@b..jp", F::DomainDot { at: 5 }),
        ("a@b.jp.", F::DomainDot { at: 7 }),
        ("a@-b.jp", F::DomainPart),
        ("a@b-.jp", F::DomainPart),
    ] {
        assert_eq!(Address::parse(text), Err(fault), "{text:?}");
    }
    let local = format!("{}@example.com", "a".repeat(65));
    assert_eq!(Address::parse(&local), Err(F::LocalTooLong));
    let part = format!("a@{}.jp", "b".repeat(64));
    assert_eq!(Address::parse(&part), Err(F::DomainPart));
    let whole = format!("a@{}jp", "example.".repeat(40));
    assert_eq!(Address::parse(&whole), Err(F::TooLong));
}

#[test]
fn a_name_stays_one_name() {
    for (text, name) in [
        (
            "株式会社サンプル, 受注係 <order@example.com>",
            Some("株式会社サンプル, 受注係"),
        ),
        (
            "\"株式会社サンプル, 受注係\" <order@example.com>",
            Some("株式会社サンプル, 受注係"),
        ),
        ("Sample Co. <order@example.com>", Some("Sample Co.")),
        (
            "サンプル（本店） [東京] <order@example.com>",
            Some("サンプル（本店） [東京]"),
        ),
        ("A <B> shop <order@example.com>", Some("A <B> shop")),
        (
            "The \"Sample\" shop <order@example.com>",
            Some("The \"Sample\" shop"),
        ),
        (
            "\"The \\\"Sample\\\" shop\" <order@example.com>",
            Some("The \"Sample\" shop"),
        ),
        (
            "\"a\" and \"b\" <order@example.com>",
            Some("\"a\" and \"b\""),
        ),
        ("🍣👨‍👩‍👧 寿司 <order@example.com>", Some("🍣👨‍👩‍👧 寿司")),
        (
            "order@example.com <order@example.com>",
            Some("order@example.com"),
        ),
        (
            "\"a@example.com, b\" <order@example.com>",
            Some("a@example.com, b"),
        ),
        ("  Shop  < order@example.com > ", Some("Shop")),
        ("\"\" <order@example.com>", None),
        ("<order@example.com>", None),
        ("order@example.com", None),
        ("\u{3000}order@example.com ", None),
    ] {
        let mailbox = Mailbox::parse(text).unwrap();
        assert_eq!(mailbox.name.as_deref(), name, "{text}");
        assert_eq!(mailbox.address.as_str(), "order@example.com");
        // What is written again is read again as the same.
        assert!(
            Mailbox::parse(&mailbox.to_string()) == Ok(mailbox),
            "{text}"
        );
    }
}

#[test]
fn texts_that_are_no_mailbox() {
    use AddressFault as F;
    for (text, fault) in [
        ("", F::Empty),
        ("   ", F::Empty),
        ("Shop", F::NoAt),
        ("Shop <>", F::Empty),
        ("Shop <order@example.com", F::Brackets),
        ("order@example.com>", F::Brackets),
        (
            "Shop\r\nBcc: x@example.com <order@example.com>",
            F::Control { at: 5 },
        ),
        ("Sh\top <order@example.com>", F::Control { at: 3 }),
        ("店 <or der@example.com>", F::Blank { at: 6 }),
        ("a@example.com, b@example.com", F::Several { at: 16 }),
        (" a@example.com, b@example.com", F::Several { at: 17 }),
        ("A <a@example.com>, B <b@example.com>", F::Several { at: 4 }),
        ("a@example.com, B <b@example.com>", F::Several { at: 1 }),
    ] {
        assert_eq!(Mailbox::parse(text), Err(fault), "{text:?}");
    }
}

#[test]
fn pasted_addresses_are_cleaned_around_not_inside() {
    for text in [
        " front.desk@example.jp ",
        "\u{3000}front.desk@example.jp\u{3000}",
        "front.desk@example.jp\r\n",
        "mailto:front.desk@example.jp",
        "受付 <front.desk@example.jp>",
        "front.desk＠example.jp",
        "ｆｒｏｎｔ．ｄｅｓｋ＠ｅｘａｍｐｌｅ．ｊｐ",
        "front.desk@example.jp、",
        "front.desk@example.jp,\u{200b}",
    ] {
        assert_eq!(tidy(text), "front.desk@example.jp", "{text:?}");
    }
    assert_eq!(
        Address::parse(&tidy(" front\u{200b}desk@example.jp")),
        Err(AddressFault::Blank { at: 6 })
    );
}

#[test]
fn debugging_does_not_name_people() {
    let mailbox = Mailbox::parse("山田 <yamada@example.jp>").unwrap();
    let printed = format!("{mailbox:?}");
    assert!(
        !printed.contains("yamada") && !printed.contains("山田"),
        "{printed}"
    );
}

#[test]
fn stored_addresses_are_checked_when_read() {
    let read = |json: &str| serde_json::from_str::<Address>(json).is_ok();
    assert!(read("\"a@example.com\""));
    assert!(!read("\"a@example.com\\nBcc: b@example.com\""));
}
