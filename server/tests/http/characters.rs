//! Characters outside the old standards, and ones that belong together: the same code points at the
//! service, at the desk, in what leaves it, and in what is searched for.

use crate::common::RunningSandbox;
use crate::run::{Home, on_both};
use crate::site::{Site, With, mail};
use reqwest::StatusCode;
use serde_json::json;

on_both!(every_code_point_stays_what_it_is, a_search_folds_nothing);

const PASSWORD: &str = "correct horse";
const ODD: &str = "①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧邉󠄂";

async fn page(site: &Site, session: &str, path: &str, lang: &str) -> String {
    let page = site.get(path).with(session).header("accept-language", lang);
    let page = page.send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK, "{path}");
    page.text().await.unwrap()
}

async fn every_code_point_stays_what_it_is(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url)
        .set("FROM", format!("{ODD} <order@example.com>"));
    home.add_user("sato", "support", PASSWORD);
    let site = home.serve().await;
    let order = format!("1-{ODD}");
    let mut new = mail(&order);
    new["recipient"] = json!("a@example.com");
    new["subject"] = json!(ODD);
    new["body_text"] = json!(ODD);
    new["body_html"] = json!(format!("<p>{ODD}</p>"));
    new["reply_to"] = json!(format!("{ODD} <reply@example.com>"));
    let (status, row) = site.post("", &new).await;
    assert_eq!(status, StatusCode::CREATED, "{row}");
    let id = row["id"].as_i64().unwrap();
    let row = site.row_in(id, "synced").await;
    for name in ["order_id", "subject", "body_text", "body_html", "reply_to"] {
        assert_eq!(row[name], new[name], "{name}");
    }

    let sent = service.sandbox.messages();
    let [sent] = sent.as_slice() else {
        panic!("{} mails", sent.len())
    };
    assert_eq!(sent.from.name.as_deref(), Some(ODD));
    let reply_to = sent.reply_to.as_ref().unwrap();
    assert_eq!(reply_to.name.as_deref(), Some(ODD));
    assert_eq!(sent.subject, ODD);
    let bodies: Vec<&str> = sent
        .content
        .iter()
        .map(|part| part.value.as_str())
        .collect();
    assert_eq!(bodies, [ODD, new["body_html"].as_str().unwrap()]);
    assert_eq!(sent.custom_args["order_id"], order);

    let session = site.sign_in("sato", PASSWORD).await;
    for (lang, reply) in [
        ("ja", format!("ご注文 {order} の")),
        ("en", format!("for your order {order} was accepted")),
    ] {
        let page = page(&site, &session, &format!("/submissions/{id}"), lang).await;
        // Both replies stand on either page.
        assert!(page.contains(&reply), "{page}");
        assert!(page.matches(ODD).count() > 2, "{page}");
    }
    let file = page(&site, &session, "/exports/submissions.csv", "ja").await;
    let mut reader = csv::Reader::from_reader(file.trim_start_matches('\u{feff}').as_bytes());
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), 1);
    assert_eq!(
        (&lines[0][2], &lines[0][6], &lines[0][7]),
        (order.as_str(), "a@example.com", ODD)
    );
}

/// Two orders that differ by nothing but how a letter is written are two orders.
async fn a_search_folds_nothing(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let session = site.sign_in("sato", PASSWORD).await;
    let orders = [
        "A-ｶﾞ",
        "A-ガ",
        "A-カ\u{3099}",
        "A-髙",
        "A-高",
        "A-﨑",
        "A-崎",
        "A-①",
        "A-1",
        "A-㈱",
        "A-(株)",
        "A-👨\u{200d}👩\u{200d}👧",
        "A-👨👩👧",
        "A-邉\u{e0102}",
        "A-邉",
        "A-〜",
    ];
    let mut ids = Vec::new();
    for order in orders {
        let mut new = mail(order);
        new["recipient"] = json!("a@example.com");
        let (status, row) = site.post("", &new).await;
        assert_eq!(status, StatusCode::CREATED, "{row}");
        ids.push(row["id"].as_i64().unwrap());
    }
    for (&order, id) in orders.iter().zip(&ids) {
        let word = crate::site::encoded(&[("q", order)]);
        let page = page(&site, &session, &format!("/submissions?{word}"), "ja").await;
        let shown = |id: &i64| page.contains(&format!("href=\"/submissions/{id}\""));
        assert!(shown(id), "{order}: {page}");
        for (other, id) in orders.iter().zip(&ids) {
            assert!(other.contains(order) || !shown(id), "{order} found {other}");
        }
        let word = crate::site::encoded(&[("order_id", order)]);
        let (status, list) = site.list(&format!("?{word}")).await;
        assert_eq!(status, StatusCode::OK, "{list}");
        let items = list["items"].as_array().unwrap();
        assert_eq!((items.len(), &items[0]["id"]), (1, &json!(id)), "{order}");
    }
}
