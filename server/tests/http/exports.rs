//! Downloads: who may, what is in them, and what is written down of them.

use crate::common::noon;
use crate::run::{Home, eventually, on_both};
use crate::site::{PASSWORD, Site, With, header, mail};
use calamine::{Data, Range, Reader, Xlsx};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Cursor;

on_both!(
    a_list_leaves_as_csv,
    a_list_and_a_report_leave_as_workbooks,
    every_export_is_written_down,
    nothing_of_a_filter_gets_into_the_header,
    a_long_list_leaves_whole,
    nobody_exports_without_a_session,
    a_month_is_closed_by_leads_alone,
    what_is_masked_at_the_desk_leaves_masked,
);

async fn post(site: &Site, order: &str, more: &[(&str, &str)]) {
    let mut new = mail(order);
    for (name, value) in more {
        new[*name] = json!(value);
    }
    let (status, row) = site.post("", &new).await;
    assert_eq!(status, StatusCode::CREATED, "{row}");
}

async fn download(site: &Site, session: &str, path: &str) -> (StatusCode, String, Vec<u8>) {
    let answer = site.get(path).with(session).send().await.unwrap();
    let (status, name) = (
        answer.status(),
        header(&answer, "content-disposition").to_owned(),
    );
    assert_eq!(header(&answer, "cache-control"), "no-store", "{path}");
    (status, name, answer.bytes().await.unwrap().to_vec())
}

async fn details(home: &Home, act: &str) -> Vec<Value> {
    let sql = if home.db.is_postgres() {
        format!(
            "SELECT json_agg(detail ORDER BY id) FROM audit_events WHERE act = '{act}' AND actor = 'sato'"
        )
    } else {
        format!(
            "SELECT json_group_array(detail) FROM (SELECT detail FROM audit_events \
             WHERE act = '{act}' AND actor = 'sato' ORDER BY id)"
        )
    };
    let all = home.db.text_of(&sql).await.unwrap_or("[]".to_owned());
    let all: Vec<String> = serde_json::from_str(&all).unwrap();
    all.iter()
        .map(|detail| serde_json::from_str(detail).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_sheet_holds_is_refused_before_it_starts() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("support").await;
    // What is there for single rows goes first: so many are there in seconds then.
    let beside = "SELECT json_group_array('DROP ' || type || ' ' || name) FROM sqlite_master \
        WHERE tbl_name = 'email_submissions' AND type IN ('trigger', 'index') AND sql IS NOT NULL \
        AND name <> 'email_submissions_time'";
    let drops = home.db.text_of(beside).await.unwrap();
    for drop in serde_json::from_str::<Vec<String>>(&drops).unwrap() {
        home.db.run(&drop).await;
    }
    home.db
        .run(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100000) \
             SELECT i, 'invoice', 'a@example.com', 's', 't' FROM n",
        )
        .await;
    for (lang, words) in [
        (
            "ja",
            "1,100,000行あり、XLSX で保存できる1,048,575行を超える",
        ),
        (
            "en",
            "There are 1,100,000 rows, and a workbook takes 1,048,575",
        ),
    ] {
        let ask = site.get("/exports/submissions.xlsx").with(&session);
        let answer = ask.header("accept-language", lang).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNPROCESSABLE_ENTITY);
        let said = answer.text().await.unwrap();
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(details(&home, "export").await, Vec::<Value>::new());
}

async fn a_list_leaves_as_csv(home: Home) {
    let (site, session) = home.desk("support").await;
    post(&site, "0001001", &[("subject", "=1+1")]).await;
    post(
        &site,
        "①㈱髙﨑𠮷〜～－ｶﾞ",
        &[
            ("subject", "a,\"b\""),
            ("kind", "請求書"),
            ("recipient", "b@example.com"),
        ],
    )
    .await;
    let path = "/exports/submissions.csv";
    let (status, _, bytes) = download(&site, &session, path).await;
    assert_eq!(status, StatusCode::OK);
    let text = String::from_utf8(bytes).unwrap();
    let text = text.strip_prefix('\u{feff}').expect("a byte-order mark");
    assert!(text.starts_with("ID,ref,注文,種類,"), "{text}");
    assert!(text.contains("登録（日本時間）"), "{text}");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    // Newest first, as the list.
    assert_eq!((&rows[0][2], &rows[0][3]), ("①㈱髙﨑𠮷〜～－ｶﾞ", "請求書"));
    assert_eq!(&rows[0][7], "a,\"b\"");
    assert_eq!((&rows[1][2], &rows[1][7]), ("0001001", "'=1+1"));
    assert_eq!((&rows[1][8], &rows[1][9]), ("送信待ち", "pending"));
    let (_, _, bytes) = download(&site, &session, "/exports/submissions.csv?kind=請求書").await;
    assert_eq!(
        String::from_utf8(bytes)
            .unwrap()
            .matches("example.com")
            .count(),
        1
    );
    let (status, _, _) = download(&site, &session, "/exports/submissions.csv?status=sent").await;
    assert_eq!(
        status,
        StatusCode::BAD_REQUEST,
        "more than was asked for never leaves"
    );
}

/// The only sheet of a workbook, as another program reads it.
fn sheet(bytes: Vec<u8>) -> Range<Data> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).unwrap();
    let names = book.sheet_names();
    assert_eq!(names.len(), 1);
    book.worksheet_range(&names[0]).unwrap()
}

async fn a_list_and_a_report_leave_as_workbooks(mut home: Home) {
    let (zone, ahead) = noon();
    home.set("TIME_ZONE", zone);
    let (site, session) = home.desk("support").await;
    post(&site, "0001001", &[("subject", "=1+1")]).await;
    let long = "長".repeat(40_000);
    post(&site, "12345678901234567890", &[("kind", "請求書")]).await;
    // What a shop's own insert may hold.
    let id = home.db.id_of("12345678901234567890").await;
    home.db.change(id, "subject = 'a\u{1b}b'").await;
    let id = home.db.id_of("0001001").await;
    home.db.change(id, &format!("error = '{long}'")).await;
    let answer = site.get("/exports/submissions.xlsx").with(&session).send();
    let answer = answer.await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let kind = header(&answer, "content-type");
    assert!(kind.ends_with("spreadsheetml.sheet"), "{kind}");
    assert!(answer.content_length().is_some_and(|length| length > 0));
    let range = sheet(answer.bytes().await.unwrap().to_vec());
    let at = |row, column| range.get_value((row, column)).unwrap();
    let text = |text: &str| Data::String(text.to_owned());
    assert_eq!((range.height(), at(0, 2)), (3, &text("注文")));
    assert_eq!(at(1, 2), &text("12345678901234567890"));
    assert_eq!(at(2, 2), &text("0001001"));
    assert_eq!((at(1, 7), at(2, 7)), (&text("a␛b"), &text("=1+1")));
    assert_eq!(
        at(1, 0),
        &text(&home.db.id_of("12345678901234567890").await.to_string())
    );
    let Data::String(error) = at(2, 18) else {
        panic!("{:?}", at(2, 18))
    };
    assert!(error.encode_utf16().count() == 32_767 && error.ends_with("…（長いため省略）"));
    // The shop's time of the decision, as a date.
    let Data::DateTime(date) = at(1, 12) else {
        panic!("{:?}", at(1, 12))
    };
    let seconds = (date.as_f64() - 25_569.0) * 86_400.0 - f64::from(ahead) * 3600.0;
    let created =
        "SELECT created_at FROM email_submissions WHERE order_id = '12345678901234567890'";
    let of = if home.db.is_postgres() {
        format!("SELECT CAST(extract(epoch FROM ({created})) AS bigint)")
    } else {
        format!("SELECT unixepoch(({created}))")
    };
    let created = home.db.number(&of).await;
    #[allow(clippy::cast_precision_loss)]
    let apart = (seconds - created as f64).abs();
    assert!(apart < 2.0, "{apart}");

    let (_, name, bytes) = download(&site, &session, "/exports/report.xlsx").await;
    assert!(
        name.contains("denpyo-report-") && name.contains(".xlsx"),
        "{name}"
    );
    let range = sheet(bytes);
    let (all, mut rows) = (range.height(), range.rows());
    let last = rows.next_back().unwrap();
    assert_eq!((all, &last[2]), (4, &text("計")));
    let heads: Vec<String> = range
        .rows()
        .next()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let total = heads.iter().position(|head| head == "計").unwrap();
    assert_eq!(last[total], Data::Float(2.0));
    let bad = "/exports/submissions.xlsx?status=sent";
    assert_eq!(
        download(&site, &session, bad).await.0,
        StatusCode::BAD_REQUEST
    );
}

async fn every_export_is_written_down(home: Home) {
    let (site, session) = home.desk("support").await;
    for order in ["1", "2", "3"] {
        post(&site, order, &[]).await;
    }
    for (n, path) in [
        "/exports/submissions.csv?q=2",
        "/exports/submissions.csv?status=pending",
        "/exports/report.csv?month=2026-11",
        "/exports/report.csv?basis=accepted",
        "/exports/submissions.xlsx?q=3",
        "/exports/report.xlsx?month=2026-11",
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(
            download(&site, &session, path).await.0,
            StatusCode::OK,
            "{path}"
        );
        // Written down once the last byte is on its way; the next one's end is not to overtake it.
        eventually("its end", async || {
            (details(&home, "export_end").await.len() > n).then_some(())
        })
        .await;
    }
    let begun = details(&home, "export").await;
    let said: Vec<_> = begun
        .iter()
        .map(|d| {
            (
                d["what"].as_str().unwrap(),
                d["format"].as_str().unwrap(),
                d["rows"].as_i64(),
            )
        })
        .collect();
    assert_eq!(
        said[..2],
        [
            ("submissions", "csv", Some(1)),
            ("submissions", "csv", Some(3))
        ]
    );
    assert_eq!((said[2].0, said[2].1, said[3].1), ("report", "csv", "csv"));
    assert_eq!(said[4], ("submissions", "xlsx", Some(1)));
    assert_eq!((said[5].0, said[5].1), ("report", "xlsx"));
    assert_eq!(
        (&begun[0]["filter"], &begun[1]["filter"]),
        (&json!("q=2"), &json!("status=pending"))
    );
    let ended = details(&home, "export_end").await;
    assert_eq!(ended.len(), 6);
    assert!(ended.iter().all(|d| d["whole"] == true), "{ended:?}");
    assert_eq!(
        (&ended[0]["rows"], &ended[1]["rows"]),
        (&json!(1), &json!(3))
    );
}

/// Each in both formats.
fn endings<'a>(cases: [(&'a str, &'a str); 3]) -> Vec<(&'a str, &'a str, &'static str)> {
    let of = |ending| cases.map(|(kind, name)| (kind, name, ending));
    [of("csv"), of("xlsx")].concat()
}

async fn nothing_of_a_filter_gets_into_the_header(home: Home) {
    let (site, session) = home.desk("support").await;
    for (kind, name, ending) in endings([
        ("請求書", "%E8%AB%8B%E6%B1%82%E6%9B%B8"),
        ("a%22%3B%0D%0AX-Evil%3A%201%2F..%2F%5C", "a_%3B__X-Evil__1"),
        ("%E2%80%AEfdp.exe", "fdp_exe"),
    ]) {
        let path = format!("/exports/submissions.{ending}?kind={kind}");
        let answer = site.get(&path).with(&session).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{kind}");
        assert!(answer.headers().get("x-evil").is_none());
        let said = header(&answer, "content-disposition");
        let (plain, whole) = said.split_once("; filename*=UTF-8''").expect("both names");
        let plain = plain.strip_prefix("attachment; filename=\"").unwrap();
        let plain = plain.strip_suffix(&format!(".{ending}\"")).unwrap();
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '-';
        assert!(
            plain.starts_with("denpyo-mails-") && plain.chars().all(fine),
            "{said}"
        );
        let whole = whole.strip_suffix(&format!(".{ending}")).unwrap();
        let fine = |c: char| c.is_ascii_alphanumeric() || "%-_~".contains(c);
        assert!(whole.chars().all(fine) && whole.contains(name), "{said}");
        assert!(
            !whole.contains("%2F") && !whole.contains("%0D") && !whole.contains("%22"),
            "{said}"
        );
    }
}

async fn a_long_list_leaves_whole(home: Home) {
    let (site, session) = home.desk("support").await;
    home.db
        .run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3500) \
             INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
             SELECT CAST(i AS text), 'invoice', 'a@example.com', 's', 'b' FROM n",
        )
        .await;
    for path in [
        "/exports/submissions.csv?kind=invoice",
        "/exports/submissions.csv?basis=decided",
    ] {
        let (_, _, bytes) = download(&site, &session, path).await;
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let orders: BTreeSet<String> = reader.records().map(|r| r.unwrap()[2].to_owned()).collect();
        assert_eq!(orders.len(), 3500, "each once, none left out");
    }
    let path = "/exports/submissions.xlsx?kind=invoice";
    let (_, _, bytes) = download(&site, &session, path).await;
    let orders: BTreeSet<String> = sheet(bytes)
        .rows()
        .skip(1)
        .map(|r| r[2].to_string())
        .collect();
    assert_eq!(orders.len(), 3500);
}

async fn nobody_exports_without_a_session(home: Home) {
    let (site, session) = home.desk("support").await;
    post(&site, "1001", &[]).await;
    for path in [
        "/exports/submissions.csv",
        "/exports/report.csv",
        "/exports/submissions.xlsx",
        "/exports/report.xlsx",
    ] {
        let answer = site.get(path).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{path}");
        assert!(header(&answer, "location").starts_with("/login?next="));
        // A link on somebody else's page has a signed-in person's browser fetch nothing.
        let foreign = site
            .get(path)
            .with(&session)
            .header("sec-fetch-site", "cross-site");
        let answer = foreign.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path}");
        assert!(!answer.text().await.unwrap().contains("1001"));
    }
    let exports = "SELECT COUNT(*) FROM audit_events WHERE act <> 'user_add'";
    assert_eq!(home.db.number(exports).await, 0);
}

async fn a_month_is_closed_by_leads_alone(home: Home) {
    let (site, support) = home.desk("support").await;
    home.add_user("suzuki", "lead", PASSWORD);
    let lead = site.sign_in("suzuki", PASSWORD).await;
    let fields = [("month", "2026-03"), ("reason", "")];
    for (session, status) in [
        ("", StatusCode::UNAUTHORIZED),
        (support.as_str(), StatusCode::FORBIDDEN),
        (lead.as_str(), StatusCode::OK),
    ] {
        let answer = site
            .script("close_month", &fields)
            .with(session)
            .send()
            .await;
        assert_eq!(answer.unwrap().status(), status);
    }
    let written = "SELECT actor || ' ' || detail FROM audit_events WHERE act = 'close_month'";
    assert_eq!(
        home.db.text_of(written).await.as_deref(),
        Some("suzuki 2026-03")
    );
    // Everybody reads, and by a page without scripts.
    let page = site
        .get("/reports?month=2026-03")
        .with(&support)
        .send()
        .await
        .unwrap();
    let text = page.text().await.unwrap();
    assert!(
        text.contains("2026年3月の集計") && text.contains("suzuki"),
        "{text}"
    );
    let fields = [("query", "month=2026-03")];
    let answer = site.script("month_report", &fields).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
}

async fn what_is_masked_at_the_desk_leaves_masked(mut home: Home) {
    home.set("MASK_ADDRESSES", "support");
    home.add_user("suzuki", "lead", PASSWORD);
    let (site, session) = home.desk("support").await;
    post(&site, "1001", &[("recipient", "hanako.yamada@example.jp")]).await;
    let lead = site.sign_in("suzuki", PASSWORD).await;
    for (session, whole) in [(session, false), (lead, true)] {
        let (status, _, bytes) = download(&site, &session, "/exports/submissions.csv").await;
        assert_eq!(status, StatusCode::OK);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("1001"), "{text}");
        assert_eq!(text.contains("hanako.yamada@example.jp"), whole, "{text}");
        let (_, _, bytes) = download(&site, &session, "/exports/submissions.xlsx").await;
        let recipient = sheet(bytes).get_value((1, 6)).unwrap().to_string();
        assert_eq!(
            recipient == "hanako.yamada@example.jp",
            whole,
            "{recipient}"
        );
    }
}
