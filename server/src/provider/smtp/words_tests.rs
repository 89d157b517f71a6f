#![allow(clippy::unwrap_used)]

use super::*;
use mail_parser::MessageParser;
use proptest::prelude::*;

/// What a reader that nobody here wrote makes of the header, after the rules are checked on the
/// raw lines.
fn read_back(value: &str) -> String {
    let message = format!("Subject: {value}\r\n\r\n");
    assert!(message.is_ascii(), "{message}");
    for line in message.trim_end().split("\r\n") {
        assert!(!line.contains(['\r', '\n']), "{message:?}");
        assert!(line.len() <= LONGEST_LINE, "{} in {message}", line.len());
        for word in line.split(' ').filter(|w| w.starts_with("=?")) {
            assert!(word.len() <= 75, "{word}");
            // Whole characters: each word decodes by itself.
            let alone = format!("Subject: {word}\r\n\r\n");
            let alone = MessageParser::new().parse(alone.as_bytes()).unwrap();
            assert!(
                !alone.subject().unwrap_or_default().contains('\u{fffd}'),
                "{word}"
            );
        }
    }
    let parsed = MessageParser::new().parse(message.as_bytes()).unwrap();
    parsed.subject().unwrap_or_default().to_owned()
}

#[test]
fn japanese_subjects_of_every_length_come_back() {
    for piece in ["注", "𠮷", "ｶ", "é", "👨‍👩‍👧", "邉󠄂", "①㈱髙﨑𠮷〜～－ｶﾞ"]
    {
        for count in 1..=300 {
            let subject = piece.repeat(count);
            assert_eq!(read_back(&text("Subject", &subject)), subject);
        }
    }
}

#[test]
fn ascii_at_every_offset_among_japanese_comes_back() {
    let japanese: Vec<char> = "ご注文ありがとうございます①㈱髙𠮷株式会社サンプル受注係より"
        .chars()
        .collect();
    for ascii in ["A", "No.1 ", " order 1001 ", "=?utf-8?B?44GC?="] {
        for at in 0..=japanese.len() {
            let (before, after) = japanese.split_at(at);
            let subject: String = before
                .iter()
                .copied()
                .chain(ascii.chars())
                .chain(after.iter().copied())
                .collect();
            assert_eq!(read_back(&text("Subject", &subject)), subject);
        }
    }
}

#[test]
fn plain_texts_stand_as_they_are_and_those_that_would_not_survive_are_encoded() {
    assert_eq!(text("Subject", "Your order 1001"), "Your order 1001");
    let long = "word ".repeat(60);
    let value = text("Subject", long.trim());
    assert!(
        value.contains("\r\n word") && !value.contains("=?"),
        "{value}"
    );
    assert_eq!(read_back(&value), long.trim());
    for odd in [
        "=?utf-8?B?44GC?=",
        "a  b",
        " a",
        "a ",
        &"x".repeat(2000),
        "a\r\nBcc: b@example.com",
    ] {
        let value = text("Subject", odd);
        assert!(value.starts_with("=?utf-8?b?"), "{value}");
        assert!(!value.contains("Bcc"), "{value}");
    }
}

#[test]
fn names_stay_one_name() {
    for name in [
        "株式会社サンプル, 受注係",
        "Sample, Inc.",
        "Sample (Tokyo)",
        "Sample [1] <x>",
        "The \"Sample\" Co.",
        "back\\slash",
        "サンプル🎉",
        "a@b.example",
        "長い名前".repeat(20).as_str(),
        "=?utf-8?B?44GC?=",
    ] {
        let mailbox = Mailbox {
            name: Some(name.to_owned()),
            address: app::model::address::Address::parse("order@example.com").unwrap(),
        };
        let value = super::mailbox("From", &mailbox);
        let message = format!("From: {value}\r\n\r\n");
        assert!(
            message.lines().all(|l| l.len() <= LONGEST_LINE),
            "{message}"
        );
        let parsed = MessageParser::new().parse(message.as_bytes()).unwrap();
        let from = parsed.from().unwrap().as_list().unwrap();
        assert_eq!(from.len(), 1, "{message}");
        assert_eq!(from[0].name(), Some(name), "{message}");
        assert_eq!(from[0].address(), Some("order@example.com"), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_subject_comes_back(subject in "[^\\p{C}\\p{Z}\u{fffd}]([^\u{fffd}\\p{Cc}\\p{Zl}\\p{Zp}]{0,200}[^\u{fffd}\\p{C}\\p{Z}])?") {
        prop_assert_eq!(read_back(&text("Subject", &subject)), subject);
    }
}
