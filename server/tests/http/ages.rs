//! What needs checking, by age: the overview's numbers, the pages that they open, and the bar's number.

use crate::common::{settled, unknown};
use crate::run::{Home, on_both};
use crate::site::{Site, With, header};

const PASSWORD: &str = "correct horse";
/// Each age's word in the URL, and seconds since the claims of that age: just begun, and just not over. The
/// minute between is the test's own time.
const AGES: [(&str, &[i64]); 4] = [
    ("15m", &[0, 14 * 60]),
    ("1h", &[15 * 60, 59 * 60]),
    ("1d", &[60 * 60, 23 * 3600, 23 * 3600 + 59 * 60]),
    ("older", &[86_400]),
];

on_both!(
    each_number_opens_its_mails,
    what_is_shown_stays_while_it_grows_older,
    an_age_that_is_none_shows_all_and_says_so,
);

/// A mail in doubt whose attempt was claimed so long ago.
async fn in_doubt(home: &Home, order: &str, seconds: i64) -> i64 {
    let id = settled(&home.db, order, &unknown()).await;
    let claimed = home.db.at(-seconds);
    let set = format!("claimed_at = {claimed}");
    home.db.change(id, &set).await;
    id
}

async fn read(site: &Site, session: &str, path: &str, lang: &str) -> String {
    let page = site.get(path).with(session).header("accept-language", lang);
    let page = page.send().await.unwrap().text().await.unwrap();
    page.replace("<!>", "")
}

/// The number in the link to this address that has this class.
fn number(page: &str, link: &str) -> i64 {
    let (_, rest) = page.split_once(link).expect(link);
    let (link, _) = rest.split_once("</a>").unwrap();
    let (_, number) = link.split_once("<b>").unwrap();
    number.split_once("</b>").unwrap().0.parse().unwrap()
}

fn cases(page: &str) -> usize {
    page.matches("class=\"case\"").count()
}

async fn each_number_opens_its_mails(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let session = &site.sign_in("sato", PASSWORD).await;
    for (word, ages) in AGES {
        for seconds in ages {
            in_doubt(&home, &format!("{word} {seconds}"), *seconds).await;
        }
    }
    for lang in ["ja", "en"] {
        let overview = read(&site, session, "/", lang).await;
        for (word, ages) in AGES {
            let href = format!("href=\"/stuck?age={word}\"");
            let n = i64::try_from(ages.len()).unwrap();
            let cell = format!("<a {href} class=\"cell");
            assert_eq!(number(&overview, &cell), n, "{word}");
            let page = read(&site, session, &format!("/stuck?age={word}"), lang).await;
            assert_eq!(cases(&page), ages.len(), "{word}");
            for seconds in ages {
                assert!(page.contains(&format!("{word} {seconds}")), "{word}");
            }
            // The way to the others and back, with the same numbers; and the bar's, which is of all.
            assert_eq!(
                number(&page, &format!("<a {href} aria-current=\"true\"")),
                n
            );
            assert_eq!(number(&page, "<a href=\"/stuck\">"), 8);
            assert!(page.contains("<span class=\"count\">8</span>"));
        }
        let all = read(&site, session, "/stuck", lang).await;
        assert_eq!(cases(&all), 8);
        assert_eq!(number(&all, "<a href=\"/stuck\" aria-current=\"true\""), 8);
    }
}

async fn what_is_shown_stays_while_it_grows_older(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let session = &site.sign_in("sato", PASSWORD).await;
    let young = in_doubt(&home, "young", 60).await;
    let old = in_doubt(&home, "old", 1000).await;
    let done = in_doubt(&home, "done", 60).await;
    let fields = [
        ("id", &*done.to_string()),
        ("version", &home.db.row(done).await.version.to_string()),
        ("answer", "sent"),
        ("reason", "checked"),
    ];
    let answer = site.script("resolve", &fields).with(session);
    assert!(answer.send().await.unwrap().status().is_success());
    let ids = async |fields: &[(&str, &str)]| {
        let answer = site.script("cases", fields).with(session);
        let cases: serde_json::Value = answer.send().await.unwrap().json().await.unwrap();
        assert_eq!(cases["by_age"], serde_json::json!([1, 1, 0, 0]));
        let cases = cases["cases"].as_array().unwrap().iter();
        cases
            .map(|case| case["row"]["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    let shown = format!("{old},{done}");
    assert_eq!(ids(&[("query", "age=15m")]).await, [young]);
    // What is settled is not among them any more.
    let fields = [("query", "age=15m"), ("shown", &*shown)];
    assert_eq!(ids(&fields).await, [old, young]);
    assert_eq!(ids(&[("shown", &*shown)]).await, [old, young]);
    let many = vec!["1"; 201].join(",");
    for odd in ["x", "1,", "9223372036854775808", &many] {
        let answer = site.script("cases", &[("shown", odd)]).with(session);
        let fine = answer.send().await.unwrap().status().is_success();
        assert_eq!(fine, odd == "1,", "{odd}");
    }
}

async fn an_age_that_is_none_shows_all_and_says_so(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let session = &site.sign_in("sato", PASSWORD).await;
    // Nothing at all is nothing of any age.
    let page = read(&site, session, "/stuck?age=1h", "en").await;
    assert!(page.contains("No mail needs checking."));
    let id = in_doubt(&home, "1001", 60).await;
    for (lang, none, all, hint) in [
        (
            "ja",
            "この経過時間の要確認はありません。",
            "要確認をすべて見る（1件）",
            "この経過時間の区分はないため、すべて表示しています。",
        ),
        (
            "en",
            "No mail of this age needs checking.",
            "Show all: 1 mail",
            "There is no such age, so mails of every age are shown.",
        ),
    ] {
        let page = read(&site, session, "/stuck?age=1h", lang).await;
        assert_eq!(cases(&page), 0);
        assert!(page.contains(none), "{lang}");
        assert!(page.contains(&format!("<a href=\"/stuck\">{all}</a>")));
        for odd in ["2h", "15m,1h", "%00"] {
            let page = read(&site, session, &format!("/stuck?age={odd}"), lang).await;
            assert!(page.contains(hint) && cases(&page) == 1, "{lang} {odd}");
        }
        for plain in ["/stuck?age=", "/stuck?other=1"] {
            let page = read(&site, session, plain, lang).await;
            assert!(!page.contains(hint) && cases(&page) == 1, "{lang} {plain}");
        }
    }
    // An act leads back to the age that was looked at.
    let path = "/stuck?age=15m";
    let fields = [
        ("id", &*id.to_string()),
        ("version", "1"),
        ("answer", "sent"),
        ("reason", "r"),
    ];
    let form = site.form("/_desk/resolve", &fields);
    let form = form.header("referer", format!("{}{path}", site.address));
    let answer = form.with(session).send().await.unwrap();
    let to = header(&answer, "location");
    assert_eq!(to.strip_prefix(&site.address).unwrap_or(to), path);
}
