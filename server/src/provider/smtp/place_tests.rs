#![allow(clippy::unwrap_used)]

use super::*;

fn read(text: &str) -> Place {
    Place::read(text, None).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refusal(text: &str, key: Option<&str>) -> String {
    match Place::read(text, key) {
        Ok(_) => panic!("{text} was taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_scheme_and_port_has_its_kind_of_tls() {
    for (text, host, port, tls) in [
        (
            "smtp://mail.example.com",
            "mail.example.com",
            587,
            Tls::Upgraded,
        ),
        (
            "smtp://mail.example.com:587",
            "mail.example.com",
            587,
            Tls::Upgraded,
        ),
        (
            "SMTP://mail.example.com:2525/",
            "mail.example.com",
            2525,
            Tls::Upgraded,
        ),
        (
            "smtp://mail.example.com:25?tls=required",
            "mail.example.com",
            25,
            Tls::Upgraded,
        ),
        (
            "smtps://mail.example.com",
            "mail.example.com",
            465,
            Tls::Wrapped,
        ),
        (
            "smtps://mail.example.com:465",
            "mail.example.com",
            465,
            Tls::Wrapped,
        ),
        (
            "smtp://127.0.0.1:1025?tls=none",
            "127.0.0.1",
            1025,
            Tls::None,
        ),
        ("smtp://relay?tls=none", "relay", 25, Tls::None),
        ("smtp://[::1]:1025/?tls=none", "::1", 1025, Tls::None),
    ] {
        let place = read(text);
        assert_eq!(
            (place.host.as_str(), place.port, place.tls, place.login),
            (host, port, tls, None),
            "{text}"
        );
    }
    assert_eq!(read("smtp://[::1]:1025?tls=none").shown(), "[::1]:1025");
    assert!(refusal("smtp://mail.example.com:465", None).contains("smtps://"));
    assert!(refusal("smtps://mail.example.com:587", None).contains("smtp://"));
}

#[test]
fn user_and_password_are_decoded() {
    let login = |user: &str, password: &str| Some((user.to_owned(), password.to_owned()));
    let place = read("smtp://shop%40example.com:p%23a%2Fs%25@mail.example.com:587");
    assert_eq!(place.login, login("shop@example.com", "p#a/s%"));
    // The first colon divides; those in the password may stay.
    assert_eq!(
        read("smtp://shop:a:b@mail.example.com").login,
        login("shop", "a:b")
    );
    let place = Place::read(
        "smtp://shop%40example.com@mail.example.com",
        Some(" p#a/s% "),
    );
    assert_eq!(place.unwrap().login, login("shop@example.com", "p#a/s%"));
}

#[test]
fn unescaped_signs_stop_the_start_with_a_hint_that_repeats_nothing() {
    for text in [
        "smtp://shop@example.com:secret@mail.example.com:587",
        "smtp://shop:sec#ret@mail.example.com:587",
        "smtp://shop:sec/ret@mail.example.com:587",
        "smtp://shop:sec?ret@mail.example.com:587",
        "smtp://shop:sec@ret@mail.example.com:587",
        "smtp://shop:secret%@mail.example.com:587",
        "smtp://shop:secret%2@mail.example.com:587",
        "smtp://shop:secret%zz@mail.example.com:587",
        "smtp://shop:secret#mail.example.com:587",
        "smtp://mail.example.com:secret",
    ] {
        let said = refusal(text, None);
        assert!(said.contains("%40"), "{text}: {said}");
        assert!(
            !said.contains("ret") || !said.contains("sec"),
            "{text}: {said}"
        );
    }
}

#[test]
fn what_is_left_open_is_refused() {
    for text in [
        "",
        "mail.example.com:587",
        "http://mail.example.com",
        "smtp://",
        "smtp://mail.example.com:0",
        "smtp://mail.example.com/x",
        "smtp://mail.example.com?tls=opportunistic",
        "smtp://mail.example.com?timeout=3",
        "smtps://mail.example.com?tls=none",
        "smtp://:password@mail.example.com",
        "smtp://user:@mail.example.com",
        "smtp://user:%00@mail.example.com",
        "smtp://user:%ff@mail.example.com",
    ] {
        refusal(text, None);
    }
    assert_eq!(
        refusal("smtp://user@h", None),
        ProviderError::KeyMissing.to_string()
    );
    assert!(refusal("smtp://user:a@h", Some("b")).contains("both"));
    assert!(refusal("smtp://h", Some("b")).contains("smtp://user@"));
}
