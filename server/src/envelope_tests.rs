#![allow(clippy::unwrap_used)]

use super::*;

fn raw() -> RawContent {
    RawContent {
        recipient: "a..b.@example.ne.jp".into(),
        subject: "ご注文①㈱髙𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます".into(),
        body_text: "一行目\r\n二行目\t\u{1b}".into(),
        ..RawContent::default()
    }
}

fn shop() -> Mailbox {
    Mailbox::parse("株式会社サンプル, 受注係 <order@example.com>").unwrap()
}

#[test]
fn content_is_taken_as_written() {
    let mut raw = raw();
    raw.recipient = " a..b.@example.ne.jp\u{3000}".into();
    raw.reply_to = "Sample Co. [東京] <info@example.com>".into();
    let content = screen(&raw, Some(&shop())).unwrap();
    assert_eq!(content.recipient.as_str(), "a..b.@example.ne.jp");
    assert!(raw.subject == Text::Is(content.subject));
    assert!(raw.body_text == content.body_text.into());
    assert_eq!(content.body_html, None);
    assert_eq!(content.sender, shop());
    let reply_to = content.reply_to.unwrap();
    assert_eq!(reply_to.name.as_deref(), Some("Sample Co. [東京]"));
    assert_eq!(reply_to.address.as_str(), "info@example.com");
}

#[test]
fn a_row_names_its_own_sender() {
    let mut raw = raw();
    raw.sender = "別店, 担当 <other@example.com>".into();
    let content = screen(&raw, Some(&shop())).unwrap();
    assert_eq!(content.sender.name.as_deref(), Some("別店, 担当"));
    assert_eq!(content.sender.address.as_str(), "other@example.com");
}

#[test]
fn missing_empty_and_blank_are_one() {
    for nothing in [Text::Missing, "".into(), " \u{3000}\r\n".into()] {
        let mut raw = raw();
        raw.sender = nothing.clone();
        raw.reply_to = nothing.clone();
        raw.body_html = nothing.clone();
        let content = screen(&raw, Some(&shop())).unwrap();
        assert_eq!((content.reply_to, content.body_html), (None, None));
        assert!(faults(&raw).is_empty());
        assert_eq!(screen(&raw, None), Err(Unsendable::SenderMissing));
        raw.body_text = nothing;
        assert_eq!(screen(&raw, Some(&shop())), Err(Unsendable::NoBody));
    }
}

#[test]
fn what_cannot_be_sent_is_said_in_one_line() {
    type Change = fn(&mut RawContent);
    let cases: [(Change, &str, &str); 16] = [
        (
            |r| r.recipient = Text::Missing,
            "recipient",
            "recipient: missing",
        ),
        (
            |r| r.recipient = "example.com".into(),
            "recipient",
            "recipient: no @",
        ),
        (
            |r| r.recipient = "a@example.com\nBcc: b@example.com".into(),
            "recipient",
            "recipient: line break or control character at character 14",
        ),
        (
            |r| r.recipient = "a@example.com\n".into(),
            "recipient",
            "recipient: line break or control character at character 14",
        ),
        (
            |r| r.recipient = Text::Unreadable,
            "recipient",
            "recipient: not readable as UTF-8 text",
        ),
        (|r| r.subject = "".into(), "subject", "subject: missing"),
        (
            |r| r.subject = "件名\r\nBcc: b@example.com".into(),
            "subject",
            "subject: line break or control character at character 3",
        ),
        (
            |r| r.subject = "a\tb".into(),
            "subject",
            "subject: line break or control character at character 2",
        ),
        (
            |r| r.subject = "a\u{2028}b".into(),
            "subject",
            "subject: line break or control character at character 2",
        ),
        (
            |r| r.body_text = "".into(),
            "body_text",
            "body_text: both bodies are missing",
        ),
        (
            |r| r.body_text = "a\0b".into(),
            "body_text",
            "body_text: NUL character",
        ),
        (
            |r| r.body_html = "<p>\0</p>".into(),
            "body_html",
            "body_html: NUL character",
        ),
        (
            |r| r.body_html = Text::Is("x".repeat(LARGEST_BODY)),
            "body_html",
            "body_html: the bodies together are larger than 10 MB",
        ),
        (
            |r| r.body_html = Text::Unreadable,
            "body_html",
            "body_html: not readable as UTF-8 text",
        ),
        (
            |r| r.sender = "A <a@example.com>, B <b@example.com>".into(),
            "sender",
            "sender: more than one address (at character 4)",
        ),
        (|r| r.reply_to = "Shop".into(), "reply_to", "reply_to: no @"),
    ];
    for (change, field, line) in cases {
        let mut raw = raw();
        change(&mut raw);
        let fault = screen(&raw, Some(&shop())).unwrap_err();
        assert_eq!((fault.field(), fault.to_string().as_str()), (field, line));
        assert_eq!(faults(&raw), [fault], "{line}");
    }
}

#[test]
fn every_bad_field_is_named() {
    let raw = RawContent {
        recipient: "x".into(),
        reply_to: "y".into(),
        sender: "z".into(),
        ..RawContent::default()
    };
    let fields: Vec<_> = faults(&raw).iter().map(Unsendable::field).collect();
    assert_eq!(
        fields,
        ["recipient", "subject", "body_text", "reply_to", "sender"]
    );
}

#[test]
fn lines_are_compared_alike() {
    assert_eq!(normalise_lines("a\r\nb\rc\nd\r\r\n"), "a\nb\nc\nd\n\n");
    assert!(matches!(normalise_lines("a\nb"), Cow::Borrowed(_)));
}

#[test]
fn debugging_shows_no_content() {
    let envelope = Envelope {
        labels: Labels {
            reference: Uuid::nil(),
            order_id: "1001".to_owned(),
            attempt: 1,
            installation: "shop".to_owned(),
        },
        content: screen(&raw(), Some(&shop())).unwrap(),
    };
    let printed = format!("{envelope:?}");
    assert!(printed.contains("00000000-0000"), "{printed}");
    assert!(
        !printed.contains("example") && !printed.contains("ご注文"),
        "{printed}"
    );
}
