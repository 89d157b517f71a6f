use super::*;
use crate::words::Lang;

fn said(stored: &str) -> [String; 2] {
    [Lang::Ja, Lang::En].map(|l| (l.words().mail.cause)(stored))
}

#[test]
fn every_trouble_is_read_back_and_said_in_both_languages() {
    for trouble in Trouble::ALL {
        for (stored, aside) in [
            (trouble.to_string(), ""),
            (trouble.with("certificate expired"), "certificate expired"),
            (format!("504 {trouble}"), "504"),
        ] {
            let told = Told::parse(&stored).unwrap();
            assert_eq!((told.trouble, told.step), (trouble, None));
            let [ja, en] = said(&stored);
            assert!(ja.ends_with('。') && ja.contains(aside), "{ja}");
            assert!(en.ends_with('.') && en.contains(aside), "{en}");
            assert!(!ja.contains(trouble.as_str()), "{ja}");
        }
    }
    for others in [
        "the connection was refused by policy",
        "550 no such user",
        "504",
        "",
    ] {
        assert_eq!(Told::parse(others), None, "{others}");
    }
}

#[test]
fn where_it_was_and_how_long_was_waited_are_said_and_not_quoted() {
    let no_answer = Trouble::NoAnswer;
    for (stored, ja, en) in [
        (
            no_answer.with("message 30s"),
            "時間内に応答がありませんでした（本文の送信中、待ち時間 30秒）。",
            "No answer came in time (while the message was sent, after 30 s).",
        ),
        (
            no_answer.with("RCPT 1.5s"),
            "時間内に応答がありませんでした（RCPT の段階、待ち時間 1.5秒）。",
            "No answer came in time (at RCPT, after 1.5 s).",
        ),
        (
            no_answer.with("700ms"),
            "時間内に応答がありませんでした（待ち時間 0.7秒）。",
            "No answer came in time (after 0.7 s).",
        ),
        (
            Trouble::Cut.with("message unexpected end of file"),
            "途中で接続が切れました（本文の送信中、unexpected end of file）。",
            "The connection was cut (while the message was sent, unexpected end of file).",
        ),
        (
            Trouble::Fault.with("EHLO"),
            "プログラムの不具合で止まりました。詳しい内容はログにあります（EHLO の段階）。",
            "A fault of the program stopped it; the log says where (at EHLO).",
        ),
        (
            Trouble::Tls.with("messages"),
            "TLS での接続に失敗しました（messages）。",
            "The TLS connection failed (messages).",
        ),
    ] {
        assert_eq!(said(&stored), [ja, en]);
    }
    for step in Step::ALL {
        let [ja, _] = said(&no_answer.with(step.as_str()));
        assert!(ja.contains("段階") || ja.contains("本文"), "{ja}");
    }
}
