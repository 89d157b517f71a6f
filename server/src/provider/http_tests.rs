#![allow(clippy::unwrap_used)]

use super::*;
use app::model::address::Address;
use app::model::mask::mask_in;
use http::HeaderValue;
use proptest::prelude::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        let name = http::HeaderName::from_static(name);
        (name, HeaderValue::from_str(value).unwrap())
    };
    pairs.iter().map(pair).collect()
}

#[test]
fn waits_are_read_with_care() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    let date = |offset: i64| {
        let at = 1_790_000_000_i64.checked_add(offset).unwrap();
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(at).unwrap());
        httpdate::fmt_http_date(at)
    };
    let seconds = |headers: HeaderMap| retry_after(&headers, now).map(|d| d.as_secs());

    assert_eq!(seconds(headers(&[("retry-after", "7")])), Some(7));
    assert_eq!(seconds(headers(&[("retry-after", &date(7))])), Some(7));
    for (name, value) in [
        ("retry-after", date(-60).as_str()),
        ("retry-after", date(0).as_str()),
        ("retry-after", "1790000007"),
        ("retry-after", "1790000007000"),
        ("retry-after", "99999999999999999999999"),
        ("retry-after", "abc"),
        ("retry-after", "-5"),
        ("retry-after", "0"),
        ("retry-after", ""),
        ("x-ratelimit-reset", "1789999999"),
        ("x-ratelimit-reset", "1790090000"),
        ("x-ratelimit-reset", "7"),
        ("x-ratelimit-reset", "18446744073709551615"),
        ("x-other", "7"),
    ] {
        assert_eq!(seconds(headers(&[(name, value)])), None, "{name}: {value}");
    }
    assert_eq!(
        seconds(headers(&[("x-ratelimit-reset", "1790000009")])),
        Some(9)
    );
    assert_eq!(
        seconds(headers(&[
            ("retry-after", "0"),
            ("x-ratelimit-reset", "1790000009")
        ])),
        Some(9)
    );
    // Never later than an hour.
    assert_eq!(seconds(headers(&[("retry-after", "86400")])), Some(3600));
    assert_eq!(
        seconds(headers(&[("retry-after", &date(86_400))])),
        Some(3600)
    );
    // A clock that goes wrong here does not move the service's date.
    let skewed = headers(&[("date", &date(-500)), ("retry-after", &date(-493))]);
    assert_eq!(seconds(skewed), Some(7));
}

#[test]
fn words_hold_no_addresses_and_no_key() {
    let said = "The from\r\naddress <order@example.com> and\u{1b}[31m 'a..b.@example.ne.jp', \
                key SG.secret, @ alone";
    assert_eq!(
        words(said, "SG.secret"),
        "The from address <…@example.com> and [31m '…@example.ne.jp', key …, @ alone"
    );
    assert_eq!(words("山田@example.jp", "k"), "…@example.jp");
    assert_eq!(words("tanaka.taro'@example.jp", "no key"), "…@example.jp");
    assert_eq!(words("a@tanaka@example.jp", "no key"), "…@example.jp");
    assert_eq!(
        words("\"tanaka taro\"@example.jp", "no key"),
        "…@example.jp"
    );
    let long = words(&"長".repeat(1000), "k");
    assert_eq!(long.chars().count(), 300);
    assert!(long.ends_with('…'));
}

#[test]
fn the_account_tells_keys_apart_without_giving_them_away() {
    let one = account("https://api.sendgrid.com", "SG.one");
    let two = account("https://api.sendgrid.com", "SG.two");
    assert_ne!(one, two);
    let (host, digest) = one.split_once('#').unwrap();
    assert_eq!((host, digest.len()), ("api.sendgrid.com", 8));
    assert!(account("http://127.0.0.1:4010/x", "k").starts_with("127.0.0.1:4010#"));
}

#[test]
fn service_addresses_are_checked() {
    assert_eq!(base(" https://a.example/ ").unwrap(), "https://a.example");
    assert_eq!(
        base("http://[::1]:4010/sg/").unwrap(),
        "http://[::1]:4010/sg"
    );
    for bad in [
        "",
        "a.example",
        "ftp://a.example",
        "https://",
        "https://user:pass@a.example",
        "https://a.example/?x=1",
        "https://a.example/#x",
    ] {
        assert!(base(bad).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn a_request_that_cannot_be_built_never_left() {
    let client = client(Duration::from_secs(2)).unwrap();
    let error = client.get("http://[").send().await.unwrap_err();
    let outcome = transport(&error);
    assert!(
        matches!(
            outcome,
            SendOutcome::NeverLeft {
                cause: Cause::Build,
                ..
            }
        ),
        "{outcome:?}"
    );
}

/// What a library says in English is said by the desk in the reader's language.
#[tokio::test]
async fn what_keeps_a_request_from_leaving_is_told_apart() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let plain = crate::provider::stand_in::StandIn::start().await;
    let client = client(Duration::from_secs(5)).unwrap();
    for (url, expected) in [
        (format!("http://{closed}"), Trouble::Refused),
        (
            "http://no-such-host.invalid".to_owned(),
            Trouble::HostUnknown,
        ),
        (plain.url.replace("http:", "https:"), Trouble::Tls),
    ] {
        let error = client.get(&url).send().await.unwrap_err();
        let SendOutcome::NeverLeft { cause, detail } = transport(&error) else {
            panic!("{url}: {error:?}")
        };
        assert_eq!(cause, Cause::Connect);
        let told = app::model::trouble::Told::parse(&detail);
        assert_eq!(told.map(|t| t.trouble), Some(expected), "{url}: {detail}");
    }
}

proptest! {
    #[test]
    fn no_address_stays_whole_among_other_words(
        local in "[-A-Za-z0-9!#$%&'*+/=?^_`{|}~.]{1,20}",
        domain in "[a-z0-9]{1,8}(\\.[a-z0-9]{1,8}){0,2}",
        before in prop::sample::select(vec![
            "", " ", "<", "'", "\"", "`", "{", "(", "[", "to=", "to='", "宛先", "宛先：", "「", "（", "a@b.jp,", "a@b.jp; ", "''",
        ]),
        after in prop::sample::select(vec![
            "", " ", ">", "'", "\"", "`", "}", ")", "]", ", ", "; ", ":25", ".", "。", "」", "）", "です", ",a@b.jp", " (a@b.jp)", "'}",
        ]),
    ) {
        let address = format!("{local}@{domain}");
        prop_assert!(Address::parse(&address).is_ok(), "{}", address);
        let text = format!("{before}{address}{after}");
        for masked in [mask_in(&text), words(&text, "no key")] {
            prop_assert!(!masked.contains(&address), "{} in {}", address, masked);
            prop_assert!(masked.contains(&format!("@{domain}")), "{}", masked);
        }
    }
}
