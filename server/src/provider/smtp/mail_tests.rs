#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::samples;
use mail_parser::{MessageParser, MimeHeaders};

fn sent(envelope: &Envelope) -> Vec<u8> {
    let bytes = bytes(envelope).unwrap();
    let text = std::str::from_utf8(&bytes).unwrap();
    assert!(text.is_ascii());
    for line in text.split("\r\n") {
        assert!(!line.contains(['\r', '\n']), "a bare line end: {line:?}");
        assert!(line.len() <= 78, "{line}");
    }
    bytes
}

#[test]
fn a_reader_finds_everything_that_was_written() {
    let envelope = samples::envelope();
    let bytes = sent(&envelope);
    let mail = MessageParser::new().parse(&bytes).unwrap();
    let from = &mail.from().unwrap().as_list().unwrap()[0];
    assert_eq!(from.name(), Some("株式会社サンプル, 受注係"));
    assert_eq!(from.address(), Some("order@example.com"));
    let reply_to = &mail.reply_to().unwrap().as_list().unwrap()[0];
    assert_eq!(reply_to.name(), Some("Sample Co."));
    assert_eq!(
        mail.subject(),
        Some("ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます")
    );
    assert_eq!(mail.body_text(0).unwrap(), "本文\r\n二行目");
    assert_eq!(mail.body_html(0).unwrap(), "<p>本文</p>");
    assert!(mail.date().is_some());
    let reference = "00000000-0000-0000-0123-456789abcdef";
    assert_eq!(
        mail.message_id(),
        Some(format!("{reference}@example.com").as_str())
    );
    for (name, value) in [
        ("To", "a..b.@example.ne.jp"),
        ("X-Denpyo-Ref", reference),
        ("X-Denpyo-Order", "1001"),
        ("X-Denpyo-Attempt", "2"),
        ("X-Denpyo-Installation", "shop-1"),
    ] {
        let raw = mail.header_raw(name).map(str::trim);
        assert_eq!(raw, Some(value), "{name}");
    }
}

#[test]
fn the_message_id_is_the_same_for_every_attempt() {
    let mut envelope = samples::envelope();
    let first = message_id(&envelope);
    envelope.labels.attempt += 1;
    assert_eq!(message_id(&envelope), first);
}

#[test]
fn bodies_arrive_equal_but_for_their_line_ends() {
    let link = format!("<a href=\"https://example.com/{}\">x</a>", "y".repeat(200));
    let cases = [
        format!("{}{link}{}", "z".repeat(900), "z".repeat(20_000)),
        ".".to_owned(),
        "..\n.\n. a\n.b\n\n.\n".to_owned(),
        "bare\rcarriage\rreturns\r\rand\nfeeds\r\nand both\n\r.\r\nMAIL FROM:<x@example.com>"
            .to_owned(),
        "trailing  \t \nblanks \n \n".to_owned(),
        "From the start of a line\nFrom again".to_owned(),
        "=3D =\n== soft=\n".to_owned(),
        "①㈱髙﨑𠮷〜～－ｶﾞ 👨‍👩‍👧 邉󠄂 ".repeat(50),
        "a long line of ASCII with one 字 ".repeat(100),
        "\u{2028}\u{85}\u{b}\u{c}\t".to_owned(),
    ];
    for case in cases {
        for html in [false, true] {
            for alone in [false, true] {
                let mut envelope = samples::envelope();
                let other = (!alone).then(|| "other".to_owned());
                let body = Some(case.clone());
                let content = &mut envelope.content;
                (content.body_text, content.body_html) =
                    if html { (other, body) } else { (body, other) };
                let bytes = sent(&envelope);
                let mail = MessageParser::new().parse(&bytes).unwrap();
                let part = if html {
                    mail.html_part(0)
                } else {
                    mail.text_part(0)
                }
                .unwrap();
                let encoding = part.content_transfer_encoding().unwrap();
                assert!(
                    ["base64", "quoted-printable"].contains(&encoding),
                    "{encoding}"
                );
                let got = normalise_lines(part.text_contents().unwrap()).into_owned();
                assert_eq!(got, normalise_lines(&case), "html {html}, alone {alone}");
            }
        }
    }
}

#[test]
fn a_very_long_or_broken_order_number_harms_nothing() {
    for order in [
        "1".repeat(2600),
        "注".repeat(860),
        "1\r\nBcc: x@example.com\r\n\r\n".to_owned(),
    ] {
        let mut envelope = samples::envelope();
        envelope.labels.order_id = order;
        let bytes = sent(&envelope);
        let mail = MessageParser::new().parse(&bytes).unwrap();
        assert!(mail.bcc().is_none());
        assert_eq!(mail.body_html(0).unwrap(), "<p>本文</p>");
    }
}
