//! `denpyo user add`.

use crate::run::{Home, on_both};
use crate::site::header;

on_both!(a_password_loses_its_line_end_and_nothing_else);

async fn a_password_loses_its_line_end_and_nothing_else(home: Home) {
    // Kana as one character and as two are one password.
    let (composed, decomposed) = (
        "パスワードがぎぐ",
        "ハ\u{309a}スワート\u{3099}か\u{3099}き\u{3099}く\u{3099}",
    );
    assert_ne!(composed, decomposed);
    let cases: [(&str, &str, &str); 10] = [
        ("lf", "correct horse\n", "correct horse"),
        ("crlf", "correct horse\r\n", "correct horse"),
        ("none", "correct horse", "correct horse"),
        ("blanks", "  two  blanks  \n", "  two  blanks  "),
        ("only-blanks", "   \n", "   "),
        ("two-ends", "pass\n\n", "pass\n"),
        ("composed", composed, decomposed),
        ("decomposed", decomposed, composed),
        ("ﾊﾝｶｸ", "#%&=+\"'\\;\u{1f511}\n", "#%&=+\"'\\;\u{1f511}"),
        ("longest", "", ""),
    ];
    let longest = "x".repeat(1024);
    let site = home.web().await;
    for (name, given, typed) in cases {
        let (given, typed) = match name {
            "longest" => (longest.as_str(), longest.as_str()),
            _ => (given, typed),
        };
        let done = home.run(["user", "add", name, "--role", "support"], given.as_bytes());
        assert_eq!(done.code, 0, "{name}: {done:?}");
        assert!(!done.out.contains("correct horse") && !done.err.contains("correct horse"));
        let answer = site.try_sign_in(name, typed).await;
        assert_eq!(header(&answer, "location"), "/", "{name}");
        let answer = site.try_sign_in(name, &format!("{typed} ")).await;
        assert_eq!(header(&answer, "location"), "/login?again=1", "{name}");
    }
    for (given, typed) in [("lf", "correct horse\n"), ("blanks", "two  blanks")] {
        let answer = site.try_sign_in(given, typed).await;
        assert_eq!(header(&answer, "location"), "/login?again=1", "{given}");
    }
}

#[tokio::test]
async fn what_cannot_be_a_user_is_refused_with_a_sentence() {
    let home = Home::sqlite().await;
    home.add_user("sato", "support", "correct horse");
    let long_name = "x".repeat(65);
    let kana = "パ".repeat(700);
    for (name, password, words) in [
        ("sato", &b"another\n"[..], "already a user \"sato\""),
        ("suzuki", b"", "password is empty"),
        ("suzuki", b"\n", "password is empty"),
        ("suzuki", b"\r\n", "password is empty"),
        ("suzuki", b"\xff\xfe\n", "not UTF-8"),
        ("suzuki", kana.as_bytes(), "at most 1024 bytes"),
        ("suzuki", &[b'x'; 1025], "at most 1024 bytes"),
        ("suzuki", &[b'x'; 1_000_000], "at most 1024 bytes"),
        ("", b"x\n", "1 to 64 characters"),
        ("a b", b"x\n", "without blanks"),
        ("api", b"x\n", "stands for a program"),
        ("Denpyo", b"x\n", "stands for a program"),
        ("web-1:4711", b"x\n", "stands for a program"),
        ("ad\u{202e}min", b"x\n", "cannot be seen"),
        (&long_name, b"x\n", "1 to 64 characters"),
    ] {
        let done = home.run(["user", "add", name, "--role", "admin"], password);
        assert_eq!(done.code, 1, "{name} {words} {done:?}");
        assert!(done.err.contains(words), "{words}: {done:?}");
        assert!(!done.err.contains("panicked"), "{done:?}");
    }
    let wrong = home.run(["user", "add", "suzuki", "--role", "owner"], b"x\n");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert_eq!(home.db.number("SELECT COUNT(*) FROM users").await, 1);
}
