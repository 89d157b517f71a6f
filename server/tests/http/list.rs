//! `GET /api/v1/submissions`: filters and paging.

use crate::run::{Home, on_both};
use crate::site::{Site, mail};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;

on_both!(
    filters_restrict_and_empty_ones_do_not,
    paging_loses_no_row_of_one_moment,
    nothing_matches_what_cannot_be_stored,
    places_at_the_ends_of_time,
    large_bodies_make_short_pages,
);

async fn items(site: &Site, query: &str) -> Vec<Value> {
    let (status, list) = site.list(query).await;
    assert_eq!(status, StatusCode::OK, "{query} {list}");
    list["items"].as_array().unwrap().clone()
}

async fn filters_restrict_and_empty_ones_do_not(home: Home) {
    let site = home.web().await;
    for (order, kind) in [("1001", "invoice"), ("1001", "請求書"), ("1002", "invoice")] {
        let mut new = mail(order);
        new["kind"] = json!(kind);
        assert_eq!(site.post("", &new).await.0, StatusCode::CREATED);
    }
    let all = items(&site, "").await;
    assert_eq!(all.len(), 3);
    for empty in [
        "?",
        "?status=&kind=&cursor=&limit=&order_id=",
        "?status=&kind=&cursor=&limit=&order_id=&from=&to=&q=",
    ] {
        assert_eq!(items(&site, empty).await, all, "{empty}");
    }
    for (query, count) in [
        ("?order_id=1001", 2),
        ("?order_id=100", 0),
        ("?order_id=%25", 0),
        ("?kind=invoice", 2),
        ("?kind=%E8%AB%8B%E6%B1%82%E6%9B%B8", 1),
        ("?order_id=1001&kind=invoice", 1),
        ("?order_id=1001&kind=invoice&status=", 1),
        ("?status=pending", 3),
        ("?status=synced", 0),
        ("?status=failed,pending", 3),
        (&format!("?status=synced{}", ",pending".repeat(3000)), 3),
        (&"&status=pending".repeat(3000).replacen('&', "?", 1), 3),
        ("?limit=2", 2),
        ("?limit=200", 3),
        ("?order_id=1%27%20OR%201=1", 0),
    ] {
        assert_eq!(items(&site, query).await.len(), count, "{query}");
    }
}

async fn nothing_matches_what_cannot_be_stored(home: Home) {
    let site = home.web().await;
    site.enqueue("1001").await;
    for query in ["?order_id=%00", "?kind=a%00b", "?order_id=%ff"] {
        assert!(items(&site, query).await.is_empty(), "{query}");
    }
    let long = format!("?order_id={}", "9".repeat(50_000));
    assert!(items(&site, &long).await.is_empty());
}

async fn paging_loses_no_row_of_one_moment(home: Home) {
    const ROWS: i64 = 500;
    let site = home.web().await;
    let moment = if home.db.is_postgres() {
        "timestamptz '2026-04-01 00:00:00.123456Z'"
    } else {
        "'2026-04-01 00:00:00.123456'"
    };
    // As an outsider loads them: 500 of one microsecond, and some around it.
    home.db
        .run(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) \
             INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
             SELECT CAST(i AS text), 'invoice', 'a@example.com', 's', 'b', {moment} FROM n"
        ))
        .await;
    for order in ["newer-1", "newer-2"] {
        site.enqueue(order).await;
    }
    for limit in [7, 200] {
        let mut seen = BTreeSet::new();
        let mut places = Vec::new();
        let mut cursor = String::new();
        loop {
            let (status, page) = site.list(&format!("?limit={limit}&cursor={cursor}")).await;
            assert_eq!(status, StatusCode::OK, "{page}");
            for row in page["items"].as_array().unwrap() {
                let id = row["id"].as_i64().unwrap();
                assert!(seen.insert(id), "{id} comes twice");
                places.push((row["created_at"].as_str().unwrap().to_owned(), id));
            }
            assert!(page["items"].as_array().unwrap().len() <= limit);
            match page["next"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(i64::try_from(seen.len()).unwrap(), ROWS + 2);
        let mut sorted = places.clone();
        sorted.sort_by(|a, b| b.cmp(a));
        assert_eq!(places, sorted, "newest first");
    }
    // A row that comes meanwhile moves nothing.
    let (_, first) = site.list("?limit=7").await;
    let next = format!("?limit=7&cursor={}", first["next"].as_str().unwrap());
    let before = items(&site, &next).await;
    site.enqueue("newer-3").await;
    assert_eq!(items(&site, &next).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_cannot_be_read_is_named() {
    let site = Home::sqlite().await.web_kept().await;
    site.enqueue("1001").await;
    for (query, name) in [
        ("?limit=abc", "limit"),
        ("?limit=0", "limit"),
        ("?limit=201", "limit"),
        ("?limit=-1", "limit"),
        ("?limit=99999999999999999999", "limit"),
        ("?limit=1.5", "limit"),
        ("?status=sent", "status"),
        ("?status=pending,sent", "status"),
        ("?status=Pending", "status"),
        ("?cursor=x", "cursor"),
        ("?cursor=o", "cursor"),
        ("?cursor=o1_", "cursor"),
        ("?cursor=o_1", "cursor"),
        ("?cursor=o99999999999999999999_1", "cursor"),
        ("?cursor=o9223372036854775807_1", "cursor"),
        ("?cursor=o-9223372036854775808_1", "cursor"),
        ("?cursor=o1_9223372036854775808", "cursor"),
        ("?cursor=o%2B1_1", "cursor"),
        ("?cursor=x1_1", "cursor"),
        ("?cursor=%E6%B3%A8", "cursor"),
        ("?cursor=o1_1%00", "cursor"),
        ("?cursor=o1_1%27", "cursor"),
    ] {
        let (status, problem) = site.list(query).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(problem["parameter"], name, "{query}");
        assert!(problem["detail"].as_str().unwrap().starts_with(name));
    }
}

async fn places_at_the_ends_of_time(home: Home) {
    let site = home.web().await;
    site.enqueue("1001").await;
    for (cursor, count) in [
        ("o253402300799999999_9223372036854775807", 1),
        ("o-62135596800000000_-9223372036854775808", 0),
        ("n-62135596800000000_0", 1),
        ("n253402300799999999_0", 0),
    ] {
        let found = items(&site, &format!("?cursor={cursor}")).await;
        assert_eq!(found.len(), count, "{cursor}");
    }
}

async fn large_bodies_make_short_pages(home: Home) {
    let site = home.web().await;
    let body = if home.db.is_postgres() {
        "repeat('x', 6000000)"
    } else {
        "replace(hex(zeroblob(3000000)), '0', 'x')"
    };
    for order in 1..=5 {
        home.db
            .run(&format!(
                "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
                 VALUES ('{order}', 'invoice', 'a@example.com', 's', {body})"
            ))
            .await;
    }
    let mut pages = Vec::new();
    let mut cursor = String::new();
    loop {
        let (status, page) = site.list(&format!("?limit=200&cursor={cursor}")).await;
        assert_eq!(status, StatusCode::OK);
        let items = page["items"].as_array().unwrap();
        let whole = |item: &Value| item["body_text"].as_str().unwrap().len() == 6_000_000;
        assert!(items.iter().all(whole));
        let orders = items.iter().map(|i| i["order_id"].as_str().unwrap());
        pages.push(orders.collect::<Vec<_>>().join(" "));
        match page["next"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(pages, ["5 4", "3 2", "1"]);
}
