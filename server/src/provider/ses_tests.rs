#![allow(clippy::unwrap_used)]

use super::*;
use crate::provider::stand_in::StandIn;
use crate::provider::{self, samples};
use serde_json::json;

const KEY: &str = "AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn settings(url: &str, key: &str) -> Settings {
    Settings {
        url: Some(url.to_owned()),
        key: Some(key.to_owned()),
        timeout: Duration::from_secs(2),
        ..Settings::default()
    }
}

async fn send(service: &StandIn, key: &str) -> SendOutcome {
    let envelope = samples::envelope();
    let url = format!("{}#ap-northeast-1", service.url);
    let ses = provider::build("ses", &settings(&url, key)).unwrap();
    ses.send(Permit::for_test(&envelope)).await
}

#[tokio::test]
async fn the_request_has_amazons_shape() {
    let service = StandIn::answering(200, &[], r#"{"MessageId":"0106019-1"}"#).await;
    let accepted = SendOutcome::Accepted {
        message_id: Some("0106019-1".to_owned()),
    };
    assert_eq!(send(&service, &format!("{KEY}:token/1")).await, accepted);
    let [request] = &service.requests()[..] else {
        panic!("one request");
    };
    assert_eq!((request.method.as_str(), request.path()), ("POST", PATH));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("x-amz-security-token"), Some("token/1"));
    let signed = request.header("authorization").unwrap();
    let begins = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/";
    assert!(signed.starts_with(begins), "{signed}");
    assert!(
        signed.contains("/ap-northeast-1/ses/aws4_request"),
        "{signed}"
    );
    assert!(signed.contains("content-type;host;"), "{signed}");
    let reference = "00000000-0000-0000-0123-456789abcdef";
    let utf8 = |text: &str| json!({"Data": text, "Charset": "UTF-8"});
    assert_eq!(
        request.json(),
        json!({
            "FromEmailAddress": "=?utf-8?b?5qCq5byP5Lya56S+44K144Oz44OX44OrLCDlj5fms6jkv4I=?= <order@example.com>",
            "Destination": {"ToAddresses": ["a..b.@example.ne.jp"]},
            "ReplyToAddresses": ["\"Sample Co.\" <info@example.com>"],
            "Content": {"Simple": {
                "Subject": utf8("ご注文①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧ありがとうございます"),
                "Body": {"Text": utf8("本文\r\n二行目"), "Html": utf8("<p>本文</p>")},
                "Headers": [{"Name": "X-Denpyo-Ref", "Value": reference}],
            }},
            "EmailTags": [
                {"Name": "ref", "Value": reference},
                {"Name": "attempt", "Value": "2"},
                {"Name": "order_id", "Value": "1001"},
                {"Name": "installation", "Value": "shop-1"},
            ],
        })
    );
}

/// A long name is several encoded words, each of at most 75 characters and whole characters.
#[test]
fn a_long_name_is_several_encoded_words() {
    let mut envelope = samples::envelope();
    let name = "株式会社サンプル𠮷".repeat(12);
    envelope.content.sender.name = Some(name.clone());
    let body: serde_json::Value = serde_json::from_slice(&message::of(&envelope)).unwrap();
    let from = body["FromEmailAddress"].as_str().unwrap().to_owned();
    let (words, address) = from.rsplit_once(' ').unwrap();
    assert_eq!(address, "<order@example.com>");
    let mut read = String::new();
    for word in words.split(' ') {
        assert!(word.len() <= 75, "{word}");
        let inner = word
            .strip_prefix("=?utf-8?b?")
            .unwrap()
            .strip_suffix("?=")
            .unwrap();
        let bytes = provider::signed::base64(inner).unwrap();
        read += std::str::from_utf8(&bytes).unwrap();
    }
    assert_eq!(read, name);
}

#[test]
fn tags_that_amazon_does_not_take_are_left_out() {
    let mut envelope = samples::envelope();
    envelope.labels.order_id = "注文 1001".to_owned();
    envelope.labels.installation = "a".repeat(257);
    let body: serde_json::Value = serde_json::from_slice(&message::of(&envelope)).unwrap();
    let names = body["EmailTags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| &t["Name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["ref", "attempt"]);
}

#[tokio::test]
async fn each_answer_has_its_meaning() {
    use app::model::views::Outcome::{Accepted, Account, Refused, Temporary, Unknown};
    for (status, name, message, outcome) in [
        (200, "", "", Accepted),
        (400, "MessageRejected", "Email contains a virus", Refused),
        (
            400,
            "BadRequestException",
            "Local address contains control or whitespace",
            Refused,
        ),
        (
            400,
            "MessageRejected",
            "Email address is not verified. The following",
            Account,
        ),
        (400, "AccountSuspendedException", "", Account),
        (400, "SendingPausedException", "", Account),
        (400, "MailFromDomainNotVerifiedException", "", Account),
        (400, "UnrecognizedClientException", "", Account),
        (
            400,
            "LimitExceededException",
            "There are too many instances",
            Temporary,
        ),
        (
            400,
            "Throttling",
            "Maximum sending rate exceeded.",
            Temporary,
        ),
        (
            400,
            "LimitExceededException",
            "Daily message quota exceeded.",
            Account,
        ),
        (403, "SignatureDoesNotMatch", "", Account),
        (
            403,
            "AccessDeniedException",
            "not authorized to perform",
            Account,
        ),
        (
            404,
            "NotFoundException",
            "Configuration set <x> does not exist",
            Account,
        ),
        (413, "", "", Refused),
        (
            429,
            "TooManyRequestsException",
            "Too many requests",
            Temporary,
        ),
        (
            429,
            "TooManyRequestsException",
            "Daily message quota exceeded",
            Account,
        ),
        (409, "ConflictException", "", Unknown),
        (302, "", "", Unknown),
        (500, "InternalFailure", "", Unknown),
        (503, "ServiceUnavailable", "", Unknown),
    ] {
        let long = format!("com.amazonaws.ses.v2#{name}:http://internal.amazon.com/coral/");
        for in_header in [true, false] {
            let (headers, body): (&[_], _) = if in_header {
                (&[("x-amzn-errortype", name)], json!({"message": message}))
            } else {
                (&[], json!({"__type": long, "Message": message}))
            };
            let service = StandIn::answering(status, headers, &body.to_string()).await;
            let got = send(&service, KEY).await;
            assert_eq!(got.word(), outcome, "{status} {name}: {got:?}");
            assert_eq!(service.requests().len(), 1, "{status} is not repeated");
        }
    }
}

#[test]
fn address_and_region_go_together() {
    for (url, base, region) in [
        (
            "https://email.ap-northeast-1.amazonaws.com",
            "https://email.ap-northeast-1.amazonaws.com",
            "ap-northeast-1",
        ),
        (
            "https://email.eu-west-1.amazonaws.com/",
            "https://email.eu-west-1.amazonaws.com",
            "eu-west-1",
        ),
        (
            "https://email-fips.us-east-1.amazonaws.com",
            "https://email-fips.us-east-1.amazonaws.com",
            "us-east-1",
        ),
        (
            "https://email.cn-north-1.amazonaws.com.cn",
            "https://email.cn-north-1.amazonaws.com.cn",
            "cn-north-1",
        ),
        (
            "https://email.us-east-1.api.aws",
            "https://email.us-east-1.api.aws",
            "us-east-1",
        ),
        (
            "http://127.0.0.1:8005/#ap-northeast-3",
            "http://127.0.0.1:8005",
            "ap-northeast-3",
        ),
    ] {
        let got = place(Some(url)).unwrap();
        assert_eq!(got, (base.to_owned(), region.to_owned()), "{url}");
    }
    for bad in [
        None,
        Some("https://ses.example.com"),
        Some("https://email.ap-northeast-1.example.com"),
        Some("http://127.0.0.1:8005#"),
        Some("http://127.0.0.1:8005#a b"),
        Some("ftp://email.ap-northeast-1.amazonaws.com"),
    ] {
        assert!(matches!(place(bad), Err(ProviderError::Url(_))), "{bad:?}");
    }
}

#[test]
fn the_key_is_checked_and_not_printed() {
    let url = "https://email.ap-northeast-1.amazonaws.com";
    for bad in ["AKIDEXAMPLE", "AKIDEXAMPLE:", ":secret"] {
        let refused = provider::build("ses", &settings(url, bad)).map(|_| ());
        assert!(matches!(refused, Err(ProviderError::KeyShape(_))), "{bad}");
    }
    let ses = provider::build("ses", &settings(url, KEY)).unwrap();
    let renewed = provider::build("ses", &settings(url, &format!("{KEY}:token"))).unwrap();
    assert_eq!(ses.account(), renewed.account());
    assert!(!ses.account().contains("AKID"), "{}", ses.account());
    assert_eq!(ses.asking(), super::super::asking::Asking::Never);
}
