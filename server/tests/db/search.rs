//! The search box: whole numbers and addresses, parts of them, and ids.

use crate::common::{TestDb, accepted, both, claimant, config};
use app::desk::Desk;
use app::model::Role;
use app::model::views::{Count, MailList, Me, SearchNote};
use denpyo::db::Db;
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::search::index::{self, Prepared};
use denpyo::outbox::settle::{OnUnknown, settle};

async fn list_as(db: &TestDb, settings: &[(&str, &str)], query: &str) -> MailList {
    let me = Me {
        name: "sato".to_owned(),
        role: Role::Support,
    };
    let office = Office::new((*db).clone(), config(settings), None);
    let list = office.list(&me, query).await;
    list.unwrap_or_else(|error| panic!("{query}: {error:?}"))
}

async fn list(db: &TestDb, query: &str) -> MailList {
    list_as(db, &[], query).await
}

/// The order numbers that are found, newest first.
async fn orders(db: &TestDb, query: &str) -> Vec<String> {
    let list = list(db, query).await;
    let rows: Vec<String> = list.rows.iter().map(|row| row.order_id.clone()).collect();
    assert_eq!(list.count, Count::Exact(rows.len() as i64), "{query}");
    rows
}

async fn q(db: &TestDb, text: &str) -> Vec<String> {
    let mut query = "q=".to_owned();
    app::model::filter::percent(&mut query, text);
    orders(db, &query).await
}

async fn index_all(db: &TestDb) {
    while index::round(db).await.unwrap() {}
    assert_eq!(db.number("SELECT COUNT(*) FROM search_due").await, 0);
}

both! {
    async fn parts_are_taken_literally(db: TestDb) {
        assert_eq!(index::prepare(&db).await.unwrap(), Prepared::Ready);
        for (order, recipient) in [
            ("A-1", "m_2@example.jp"),
            ("A-2", "me2@example.jp"),
            ("A-3", "100%@example.jp"),
            ("A-4", "a\\b@example.jp"),
            ("A-5", "Front.Desk@Example.JP"),
            ("A-6", "o''neill\"x@example.com"),
            ("ｶﾞ-2001", "x@example.net"),
            ("ガ-2002", "y@example.net"),
            ("①㈱髙﨑𠮷〜～－", "z@example.net"),
        ] {
            db.insert_to(order, recipient).await;
        }
        // Rows that wait for the index are found as well, and alike.
        for indexed in [false, true] {
            if indexed {
                index_all(&db).await;
            }
            for (text, expected) in [
                ("m_2", vec!["A-1"]),
                ("m_2@", vec!["A-1"]),
                ("100%", vec!["A-3"]),
                ("%@e", vec!["A-3"]),
                ("a\\b", vec!["A-4"]),
                ("\\b@", vec!["A-4"]),
                ("o'neill", vec!["A-6"]),
                ("ll\"x", vec!["A-6"]),
                ("front.desk", vec!["A-5"]),
                ("ＦＲＯＮＴ", vec!["A-5"]),
                ("受付 <desk@example>", vec!["A-5"]),
                ("@example.jp", vec!["A-5", "A-4", "A-3", "A-2", "A-1"]),
                ("ｶﾞ-", vec!["ｶﾞ-2001"]),
                ("ガ-2", vec!["ガ-2002"]),
                ("-200", vec!["ガ-2002", "ｶﾞ-2001"]),
                ("㈱髙﨑", vec!["①㈱髙﨑𠮷〜～－"]),
                ("㈱高﨑", vec![]),
                ("𠮷〜～", vec!["①㈱髙﨑𠮷〜～－"]),
                ("___", vec![]),
                ("%%%", vec![]),
                ("'''", vec![]),
                ("\"\"\"", vec![]),
                ("* OR *", vec![]),
                ("order_id:A", vec![]),
                ("a-1", vec![]),
            ] {
                assert_eq!(q(&db, text).await, expected, "{text}, indexed: {indexed}");
            }
        }
        // Too short for a part: said, and nothing but the whole is looked for.
        for text in ["_", "%25", "%5C", "%27", "ab", "A-", "注文"] {
            let found = list(&db, &format!("q={text}")).await;
            assert_eq!((found.rows.len(), found.search), (0, Some(SearchNote::Short)), "{text}");
        }
        assert_eq!(q(&db, "A-1").await, ["A-1"]);
    }

    async fn what_is_found_whole_comes_alone_and_leads_to_the_parts(db: TestDb) {
        index::prepare(&db).await.unwrap();
        db.insert_to("1001", "a@example.jp").await;
        db.run("INSERT INTO email_submissions (order_id, kind, recipient, copy, original_id) \
            VALUES ('1001', 'order_confirmation', 'other@example.jp', 1, \
            (SELECT id FROM email_submissions WHERE order_id = '1001'))").await;
        db.insert_to("21001", "1001@example.jp").await;
        index_all(&db).await;
        let whole = list(&db, "q=1001").await;
        let recipients: Vec<&str> = whole.rows.iter().map(|r| r.recipient.as_str()).collect();
        assert_eq!(recipients, ["other@example.jp", "a@example.jp"], "further copies, other recipients");
        let parts = whole.parts.unwrap().to_query();
        assert_eq!(parts, "q=1001&match=part");
        assert_eq!(orders(&db, &parts).await, ["21001", "1001", "1001"]);
        assert_eq!(orders(&db, "q=a@example.jp").await, ["1001"]);
        assert_eq!(list(&db, "q=100").await.parts, None, "no link where it is parts already");
        assert_eq!(orders(&db, "q=100&status=rejected").await, Vec::<String>::new());
        let rejected = db.id_of("21001").await;
        db.change(rejected, "status = 'rejected'").await;
        assert_eq!(orders(&db, "q=100&status=rejected").await, ["21001"]);
        assert_eq!(orders(&db, "match=part").await.len(), 3, "of nothing it is no condition");
    }

    async fn ids_lead_straight_to_the_mail(db: TestDb) {
        index::prepare(&db).await.unwrap();
        let first = db.insert("first").await;
        for i in 0..20 {
            db.insert(&format!("other-{i}")).await;
        }
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        assert_eq!(claims[0].id(), first);
        settle(&db, &claims[0], &accepted("14c5d75ce93.dfd.64b469"), OnUnknown::Hold, Retries { most: 5 })
            .await.unwrap();
        index_all(&db).await;
        let reference = db.column(first, "ref").await.unwrap();
        for text in [
            reference.clone(),
            reference.to_uppercase(),
            format!("%3C{reference}@example.com%3E"),
            "14c5d75ce93.dfd.64b469".to_owned(),
            format!("%23{first}"),
        ] {
            let found = list(&db, &format!("q={text}")).await;
            assert_eq!((found.straight, found.rows.len()), (Some(first), 1), "{text}");
            // With other conditions it is a list like any other.
            assert_eq!(list(&db, &format!("q={text}&status=failed")).await.straight, None, "{text}");
        }
        // A bare number leads there only where it is nothing else.
        let twelfth = db.id_of("other-10").await;
        assert_eq!(twelfth, 12);
        assert_eq!(list(&db, "q=12").await.straight, Some(12));
        let eleventh = list(&db, "q=11").await;
        assert_eq!((eleventh.straight, eleventh.rows.len()), (Some(11), 1));
        db.insert("11").await;
        assert_eq!(list(&db, "q=11").await.straight, None);
        assert_eq!(list(&db, "q=%2399").await.straight, None);
        assert_eq!(list(&db, "q=first").await.straight, None, "an order has more than one mail");
    }

    async fn an_order_number_is_found_as_people_write_it(db: TestDb) {
        index::prepare(&db).await.unwrap();
        db.insert_to("104292", "tanaka@example.jp").await;
        db.insert_to("No.7", "sato@example.jp").await;
        index_all(&db).await;
        for text in ["注文104292", "No.104292", "#104292", "ご注文番号：１０４２９２", "注文 1042"] {
            assert_eq!(q(&db, text).await, ["104292"], "{text}");
        }
        assert_eq!(q(&db, "No.7").await, ["No.7"]);
    }

    async fn a_corrected_address_is_found_and_the_former_is_not(db: TestDb) {
        index::prepare(&db).await.unwrap();
        let id = db.insert_to("1001", "tanaka@exmaple.jp").await;
        index_all(&db).await;
        assert_eq!(q(&db, "exmaple").await, ["1001"]);
        db.change(id, "recipient = 'tanaka@example.jp'").await;
        for indexed in [false, true] {
            assert_eq!(q(&db, "@example").await, ["1001"], "indexed: {indexed}");
            assert_eq!(q(&db, "exmaple").await, Vec::<String>::new());
            index_all(&db).await;
        }
        db.change(id, "recipient = NULL").await;
        index_all(&db).await;
        assert_eq!(q(&db, "@example").await, Vec::<String>::new());
    }

    async fn parts_of_addresses_are_kept_from_who_sees_them_masked(db: TestDb) {
        index::prepare(&db).await.unwrap();
        db.insert_to("tan-1001", "tanaka@example.jp").await;
        index_all(&db).await;
        let masked = &[("DENPYO_MASK_ADDRESSES", "support")];
        let found = list_as(&db, masked, "q=tanaka").await;
        assert_eq!((found.rows.len(), found.search), (0, Some(SearchNote::Masked)));
        assert_eq!(list_as(&db, masked, "q=tan-").await.rows.len(), 1);
        // Nobody took a number for an address.
        for number in ["%23999999", "99999999"] {
            let found = list_as(&db, masked, &format!("q={number}")).await;
            assert_eq!((found.rows.len(), found.search), (0, None), "{number}");
        }
        let whole = list_as(&db, masked, "q=tanaka@example.jp").await;
        assert_eq!(whole.rows[0].recipient, "ta•••@example.jp");
    }

    async fn what_was_there_before_is_indexed_in_the_background(db: TestDb) {
        index::prepare(&db).await.unwrap();
        let rows = if db.is_postgres() {
            "FROM generate_series(1, 1200) AS n (n)"
        } else {
            "FROM (WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1200) SELECT n FROM c)"
        };
        db.run(&format!("INSERT INTO email_submissions (order_id, kind, recipient) \
            SELECT 'old-' || n, 'invoice', 'r' || n || '@example.jp' {rows}")).await;
        // As the migration finds a table that has rows already.
        db.run("DELETE FROM search_due").await;
        db.run("INSERT INTO settings (key, value) SELECT 'search_backfill', CAST(MAX(id) AS text) FROM email_submissions").await;
        let before = list(&db, "q=ld-7").await;
        assert_eq!((before.rows.len(), before.search), (0, Some(SearchNote::Behind)));
        db.insert_to("new-7", "n@example.jp").await;
        assert!(index::round(&db).await.unwrap(), "more than one round");
        // The newest of them come first.
        assert_eq!(list(&db, "q=old-119").await.rows.len(), 1);
        assert_eq!(list(&db, "q=ld-119").await.rows.len(), 10);
        index_all(&db).await;
        let after = list(&db, "q=ld-7").await;
        assert_eq!((after.count, after.search), (Count::Exact(111), None));
        assert_eq!(list(&db, "q=new-").await.rows.len(), 1);
    }

    /// More than can be sorted: the list is walked, in the same order and as whole.
    async fn a_common_part_is_read_page_by_page(db: TestDb) {
        index::prepare(&db).await.unwrap();
        let rows = if db.is_postgres() {
            "FROM generate_series(1, 20100) AS n (n)"
        } else {
            "FROM (WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20100) SELECT n FROM c)"
        };
        db.run(&format!("INSERT INTO email_submissions (order_id, kind, recipient) \
            SELECT 'o' || n, 'invoice', CASE n % 400 WHEN 7 THEN 'rare' ELSE 'many' END || '@example.jp' {rows}")).await;
        index_all(&db).await;
        let first = list(&db, "q=@example").await;
        assert_eq!((first.rows.len(), first.count, first.search), (50, Count::AtLeast(10_000), None));
        assert_eq!(first.rows[0].order_id, "o20100");
        let second = list(&db, &first.older.unwrap().to_query()).await;
        assert_eq!(second.rows[0].order_id, "o20050");
        let rare = list(&db, "q=rare@ex").await;
        assert_eq!((rare.rows.len(), rare.count), (50, Count::Exact(51)));
        assert_eq!(rare.rows[0].order_id, "o20007");
        // Common, and none of the newest; one that still waits for the index comes first.
        db.run(&format!("INSERT INTO email_submissions (order_id, kind, recipient) \
            SELECT 'p' || n, 'invoice', 'p@other.example.net' {rows}")).await;
        index_all(&db).await;
        assert_eq!(list(&db, "q=@example.jp").await.rows[0].order_id, "o20100");
        db.insert_to("last", "last@example.jp").await;
        assert_eq!(list(&db, "q=@example.jp").await.rows[0].order_id, "last");
        let rest = list(&db, &rare.older.unwrap().to_query()).await;
        assert_eq!((rest.rows.len(), &rest.rows[0].order_id[..]), (1, "o7"));
    }
}

/// A shop's SQLite may lack what the index is made with.
#[tokio::test]
async fn an_insert_touches_no_virtual_table() {
    let db = TestDb::sqlite().await;
    let Db::Sqlite(file) = &*db else {
        unreachable!()
    };
    for sql in [
        "INSERT INTO email_submissions (order_id, kind, recipient) VALUES ('1', 'k', 'a@example.com') \
         ON CONFLICT DO NOTHING",
        "UPDATE email_submissions SET recipient = 'b@example.com', version = version + 1",
    ] {
        let steps: Vec<(i64, String)> = sqlx::query_as(&format!("EXPLAIN {sql}"))
            .fetch_all(&file.write)
            .await
            .unwrap();
        let ops: Vec<&str> = steps.iter().map(|(_, op)| op.as_str()).collect();
        assert!(ops.contains(&"Program"), "its triggers: {ops:?}");
        let virtual_table = |op: &&&str| matches!(**op, "VOpen" | "VUpdate" | "VBegin" | "VFilter");
        assert_eq!(ops.iter().find(virtual_table), None, "{ops:?}");
    }
}

#[tokio::test]
async fn without_the_extension_whole_numbers_and_addresses_are_found() {
    let db = TestDb::postgres().await;
    let id = db.insert_to("1001", "a@example.jp").await;
    assert_eq!(q(&db, "1001").await, ["1001"]);
    assert_eq!(q(&db, "A@example.jp").await, ["1001"]);
    let part = list(&db, "q=@example").await;
    assert_eq!(
        (part.rows.len(), part.search),
        (0, Some(SearchNote::NoParts))
    );
    assert_eq!(list(&db, "q=1001").await.parts, None);
    // A role that may not create it is told so, and everything else is made.
    db.run(&format!("CREATE ROLE {}_r LOGIN", name(&db))).await;
    let role = format!("{}_r", name(&db));
    for grant in [
        format!("GRANT CREATE, USAGE ON SCHEMA public, denpyo TO {role}"),
        format!("ALTER TABLE email_submissions OWNER TO {role}"),
        format!("ALTER TABLE denpyo.search_texts OWNER TO {role}"),
        format!("REVOKE CREATE ON DATABASE {} FROM {role}", name(&db)),
    ] {
        db.run(&grant).await;
    }
    let as_role = denpyo::db::open::open(&db.url_as(&role), 4).await.unwrap();
    let prepared = index::prepare(&as_role).await.unwrap();
    assert!(matches!(prepared, Prepared::NoExtension(_)), "{prepared:?}");
    as_role.close().await;
    assert_eq!(
        list(&db, "q=@example").await.search,
        Some(SearchNote::NoParts)
    );
    db.run("CREATE SCHEMA \"shared things\"; ").await;
    db.run("CREATE EXTENSION pg_trgm SCHEMA \"shared things\"")
        .await;
    assert_eq!(index::prepare(&db).await.unwrap(), Prepared::Ready);
    index_all(&db).await;
    assert_eq!(list(&db, "q=@example").await.rows[0].id, id);
    for statement in [
        "ALTER TABLE email_submissions OWNER TO CURRENT_USER".to_owned(),
        "ALTER TABLE denpyo.search_texts OWNER TO CURRENT_USER".to_owned(),
        format!("DROP OWNED BY {role}"),
        format!("DROP ROLE {role}"),
    ] {
        db.run(&statement).await;
    }
}

fn name(db: &TestDb) -> String {
    let url = url::Url::parse(db.url()).unwrap();
    url.path().trim_start_matches('/').to_owned()
}
