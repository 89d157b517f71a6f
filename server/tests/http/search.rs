//! The search box, asked as browsers do.

use crate::run::{Home, eventually, on_both};
use crate::site::{With, encoded, header, mail};
use reqwest::StatusCode;
use serde_json::json;

const PASSWORD: &str = "correct horse";

on_both!(
    an_id_leads_to_its_mail,
    parts_are_indexed_by_the_process_itself
);

async fn an_id_leads_to_its_mail(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let id = site.enqueue("1001").await;
    let session = site.sign_in("sato", PASSWORD).await;
    let reference = site.row(id).await["ref"].as_str().unwrap().to_owned();
    for text in [reference, format!("#{id}")] {
        let path = format!("/submissions?{}", encoded(&[("q", &text)]));
        let page = site.get(&path).header("accept", "text/html").with(&session);
        let answer = page.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::FOUND, "{text}");
        assert_eq!(header(&answer, "location"), format!("/submissions/{id}"));
    }
    // What names no mail is a list.
    for text in [
        "#4711",
        "no-such-order",
        "00000000-0000-0000-0000-000000000000",
    ] {
        let path = format!("/submissions?{}", encoded(&[("q", text)]));
        let page = site.get(&path).header("accept", "text/html").with(&session);
        assert_eq!(
            page.send().await.unwrap().status(),
            StatusCode::OK,
            "{text}"
        );
    }
}

async fn parts_are_indexed_by_the_process_itself(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let mut new = mail("1001");
    new["recipient"] = json!("m_2@example.jp");
    assert_eq!(site.post("", &new).await.0, StatusCode::CREATED);
    let session = site.sign_in("sato", PASSWORD).await;
    eventually("the row in the index", async || {
        let left = home.db.number("SELECT COUNT(*) FROM search_due").await;
        let there = home.db.number("SELECT COUNT(*) FROM search_texts").await;
        (left == 0 && there == 1).then_some(())
    })
    .await;
    let found = eventually("the part", async || {
        let fields = [("query", "q=M_2%40")];
        let answer = site
            .script("list", &fields)
            .with(&session)
            .send()
            .await
            .unwrap();
        let list: serde_json::Value = answer.json().await.unwrap();
        // On PostgreSQL the index itself comes a moment later.
        (list["search"].is_null()).then_some(list)
    })
    .await;
    assert_eq!(found["rows"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["rows"][0]["order_id"], "1001");
}
