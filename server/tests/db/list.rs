//! The list: pages, filters, days of the shop's zone, and the search.

use crate::common::{TestDb, both, claimant, config, never_left, refused, unknown};
use app::desk::Desk;
use app::model::filter::{Cursor, Hint};
use app::model::views::{Count, MailList, Me};
use app::model::{Face, Role};
use denpyo::db::{Db, Stamp, open};
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::list::{self as rows, Where};
use denpyo::outbox::read;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use std::time::Duration;

async fn list(db: &TestDb, query: &str) -> MailList {
    let me = Me {
        name: "sato".to_owned(),
        role: Role::Support,
    };
    let office = Office::new((*db).clone(), config(&[]), None);
    office
        .list(&me, query)
        .await
        .unwrap_or_else(|error| panic!("{query}: {error:?}"))
}

/// The order numbers that a query shows, newest first.
async fn orders(db: &TestDb, query: &str) -> Vec<String> {
    let list = list(db, query).await;
    let rows: Vec<String> = list.rows.iter().map(|row| row.order_id.clone()).collect();
    assert_eq!(list.count, Count::Exact(rows.len() as i64), "{query}");
    rows
}

/// Inserts a mail decided at a time given in UTC.
async fn decided(db: &TestDb, order: &str, at: &str) -> i64 {
    let zone = if db.is_postgres() { "+00" } else { "" };
    db.run(&format!(
        "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
         VALUES ('{order}', 'order_confirmation', 'a@example.com', 's', 'b', '{at}{zone}')"
    ))
    .await;
    db.id_of(order).await
}

both! {
    /// Ties in time, and times a microsecond apart.
    async fn pages_lose_and_repeat_nothing_in_both_directions(db: TestDb) {
        let mut all = Vec::new();
        for i in 0..61 {
            // Five rows a microsecond, in an order that ids do not follow.
            let micros = 999_990 - (i * 7 % 13);
            let at = format!("2026-04-01 00:00:00.{micros:06}");
            all.push((Stamp::from_micros(micros).unwrap(), decided(&db, &i.to_string(), &at).await));
        }
        all.sort_unstable();
        all.reverse();
        let expected: Vec<i64> = all.iter().map(|(_, id)| *id).collect();
        let anything = Where::new(&app::model::Filter::default(), None, None, None);
        for size in [1, 7, 30, 60, 61, 100] {
            let page = async |cursor: Option<Cursor>| rows::list(&db, &anything, cursor, size).await.unwrap();
            let mut older = page(None).await;
            assert_eq!(older.newer, None, "the first page has nothing newer");
            let mut seen: Vec<i64> = older.rows.iter().map(|r| r.id).collect();
            let mut last = older.rows.last().unwrap().clone();
            while let Some(cursor) = older.older {
                // As the URL carries it.
                let cursor = Cursor::parse(&cursor.to_string()).unwrap();
                older = page(Some(cursor)).await;
                seen.extend(older.rows.iter().map(|r| r.id));
                last = older.rows.last().unwrap().clone();
            }
            assert_eq!(seen, expected, "older by {size}");
            // And all the way back.
            let mut back = vec![last.id];
            let micros = last.created_at.micros();
            let mut place = Some(Cursor { older: false, micros, id: last.id });
            while let Some(cursor) = place {
                let newer = page(Some(cursor)).await;
                back.splice(0..0, newer.rows.iter().map(|r| r.id));
                place = newer.newer;
            }
            assert_eq!(back, expected, "newer by {size}");
        }
    }

    async fn the_page_itself_leads_on(db: TestDb) {
        for i in 0..120 {
            db.insert(&i.to_string()).await;
        }
        let first = list(&db, "").await;
        assert_eq!((first.rows.len(), first.count, first.newer.is_none()), (50, Count::Exact(120), true));
        let second = list(&db, &first.older.unwrap().to_query()).await;
        let third = list(&db, &second.older.unwrap().to_query()).await;
        assert_eq!((third.rows.len(), third.older.is_none()), (20, true));
        let again = list(&db, &third.newer.unwrap().to_query()).await;
        let ids = |list: &MailList| list.rows.iter().map(|r| r.id).collect::<Vec<_>>();
        assert_eq!(again.rows.len(), 50);
        let back = list(&db, &again.newer.clone().unwrap().to_query()).await;
        assert_eq!(ids(&back).len(), 50);
        assert!(ids(&back).iter().all(|id| !ids(&again).contains(id)));
    }

    async fn bounces_and_complaints_are_apart(db: TestDb) {
        for order in ["plain", "bounced", "complained"] {
            let id = db.insert(order).await;
            db.change(id, "status = 'synced', settled_by = 'imported'").await;
            if order != "plain" {
                db.change(id, &format!("delivery_state = '{order}'")).await;
            }
        }
        assert_eq!(orders(&db, "only=bounced").await, ["bounced"]);
        assert_eq!(orders(&db, "only=complained").await, ["complained"]);
        assert_eq!(orders(&db, "only=bounced_or_complained").await, ["complained", "bounced"]);
        let faces: Vec<Face> = list(&db, "").await.rows.iter().map(|row| row.face).collect();
        assert_eq!(faces, [Face::Complained, Face::Bounced, Face::Accepted]);
    }

    async fn days_are_those_of_the_shops_zone(db: TestDb) {
        // 30 November in Japan: its first and last microsecond, and its UTC midnight's neighbour.
        decided(&db, "before", "2026-11-29 14:59:59.999999").await;
        decided(&db, "first", "2026-11-29 15:00:00.000000").await;
        decided(&db, "morning", "2026-11-29 23:59:59.999999").await;
        decided(&db, "last", "2026-11-30 14:59:59.999999").await;
        decided(&db, "after", "2026-11-30 15:00:00.000000").await;
        let day = ["last", "morning", "first"];
        assert_eq!(orders(&db, "from=2026-11-30&to=2026-11-30").await, day);
        assert_eq!(orders(&db, "from=２０２６/11/30&to=2026-11-30").await, day);
        assert_eq!(orders(&db, "from=2026-11-30").await, ["after", "last", "morning", "first"]);
        assert_eq!(orders(&db, "to=2026-11-30").await, ["last", "morning", "first", "before"]);
        let none = list(&db, "from=2026-12-01&to=2026-11-30").await;
        assert_eq!((none.rows.len(), &none.hints[..]), (0, &[Hint::FromAfterTo][..]));
        let hint = list(&db, "to=2026-11-31").await;
        assert_eq!((hint.rows.len(), &hint.hints[..]), (5, &[Hint::To][..]));
    }

    async fn filters_show_what_they_say(db: TestDb) {
        let mut outcomes = vec![never_left(), refused(), unknown()].into_iter();
        for order in ["failed", "rejected", "check"] {
            db.insert(order).await;
            let claims = claim_due(&db, &claimant(), 1).await.unwrap();
            let outcome = outcomes.next().unwrap();
            settle(&db, &claims[0], &outcome, OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
            db.put_off(claims[0].id()).await;
        }
        let last = db.insert("final").await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        settle(&db, &claims[0], &never_left(), OnUnknown::Hold, Retries { most: 1 }).await.unwrap();
        let sending = db.insert("sending").await;
        claim_due(&db, &claimant(), 1).await.unwrap();
        db.insert("lapsed").await;
        claim_due(&db, &claimant(), 1).await.unwrap();
        db.lapse(db.id_of("lapsed").await).await;
        db.run("INSERT INTO email_submissions (order_id, kind, held_reason) VALUES ('held', '請求書', 'asked for')")
            .await;
        let canceled = db.insert("canceled").await;
        db.change(canceled, "status = 'canceled'").await;
        for (query, expected) in [
            ("status=pending", vec!["held"]),
            ("status=requesting", vec!["lapsed", "sending", "check"]),
            ("status=check", vec!["lapsed", "check"]),
            ("status=failed", vec!["final", "failed"]),
            ("status=rejected&status=canceled", vec!["canceled", "rejected"]),
            ("status=check,rejected", vec!["lapsed", "check", "rejected"]),
            ("status=synced", vec![]),
            // Of the others somebody is still to be asked.
            ("needs=person", vec!["held", "final", "rejected"]),
            ("needs=final", vec!["final"]),
            ("needs=held", vec!["held"]),
            ("kind=請求書", vec!["held"]),
            ("kind=none", vec![]),
            ("kind=order_confirmation&status=failed&needs=final", vec!["final"]),
        ] {
            assert_eq!(orders(&db, query).await, expected, "{query}");
        }
        let everything = list(&db, "status=&kind=&cursor=&q=&from=&to=&needs=&other=x").await;
        assert_eq!((everything.rows.len(), everything.hints.len()), (8, 0));
        assert_eq!(everything.kinds, {
            let mut kinds = vec!["order_confirmation".to_owned(), "請求書".to_owned()];
            kinds.sort();
            kinds
        });
        assert!(last < sending);
    }

    /// Bodies may have 10 MB each, and no list shows one.
    async fn lists_leave_bodies_where_they_are(db: TestDb) {
        let id = db.insert("1").await;
        let anything = Where::new(&app::model::Filter::default(), None, None, None);
        claim_due(&db, &claimant(), 1).await.unwrap();
        db.lapse(id).await;
        let listed = rows::list(&db, &anything, None, 10).await.unwrap().rows;
        let case = read::cases(&db, 10).await.unwrap();
        let of_order = read::by_order(&db, "1", 10).await.unwrap();
        let summary = read::summary(&db, id).await.unwrap().unwrap();
        for row in listed.iter().chain(&case).chain(&of_order).chain([&summary]) {
            assert_eq!((row.id, row.version), (id, db.row(id).await.version));
            assert_eq!((&row.body_text, &row.body_html), (&None, &None));
        }
        assert_eq!((listed.len(), case.len(), of_order.len()), (1, 1, 1));
        assert!(db.row(id).await.body_text.is_some(), "it has one");
        assert!(db.row(id).await.has_body());
        db.run("INSERT INTO email_submissions (order_id, kind, body_html) VALUES ('2', 'invoice', '')").await;
        assert!(!db.row(db.id_of("2").await).await.has_body());
    }

    async fn a_part_with_bodies_ends_where_they_reach_the_limit(db: TestDb) {
        for (order, length) in [("1", 30), ("2", 4), ("3", 4), ("4", 3), ("5", 4)] {
            // Three bytes a character.
            db.run(&format!(
                "INSERT INTO email_submissions (order_id, kind, body_text, body_html) \
                 VALUES ('{order}', 'invoice', '{}', 'ab')", "注".repeat(length))).await;
        }
        let anything = Where::new(&app::model::Filter::default(), None, None, None);
        for (limit, bytes, expected) in [
            (200, 1000, vec![vec!["5", "4", "3", "2", "1"]]),
            (3, 1000, vec![vec!["5", "4", "3"], vec!["2", "1"]]),
            // 14 + 11, then 14 + 14, then one that is larger than the limit itself.
            (200, 28, vec![vec!["5", "4"], vec!["3", "2"], vec!["1"]]),
            (200, 27, vec![vec!["5", "4"], vec!["3"], vec!["2"], vec!["1"]]),
            (1, 0, vec![vec!["5"], vec!["4"], vec!["3"], vec!["2"], vec!["1"]]),
        ] {
            let mut parts: Vec<Vec<String>> = Vec::new();
            let mut place = None;
            loop {
                let part = rows::list_with_bodies(&db, &anything, place, limit, bytes).await.unwrap();
                assert!(part.rows.iter().all(|row| row.body_text.is_some() && row.body_html.is_some()));
                parts.push(part.rows.iter().map(|row| row.order_id.shown().to_owned()).collect());
                place = part.next;
                if place.is_none() {
                    break;
                }
            }
            assert_eq!(parts, expected, "{limit} rows, {bytes} bytes");
        }
    }

    async fn a_search_finds_orders_ids_and_recipients(db: TestDb) {
        let id = db.insert_to("A-1001", "Front.Desk@Example.JP").await;
        db.insert_to("A-1002", "m_2@example.jp").await;
        db.insert_to("A-1003", "me2@example.jp").await;
        db.insert_to("A-1004", "100%@example.jp").await;
        for query in [
            "q=front.desk@example.jp",
            "q=FRONT.DESK@EXAMPLE.JP",
            "q=%20%20front.desk@example.jp%20",
            "q=受付 <front.desk@example.jp>",
            "q=mailto:front.desk@example.jp",
            "q=A-1001",
            &format!("q={id}"),
            &format!("q=%23{id}"),
        ] {
            assert_eq!(orders(&db, query).await, ["A-1001"], "{query}");
        }
        let shown = list(&db, "q=front.desk@example.jp").await;
        assert_eq!(shown.rows[0].recipient, "Front.Desk@Example.JP", "as stored");
        assert_eq!(orders(&db, "q=m_2@example.jp").await, ["A-1002"]);
        assert_eq!(orders(&db, "q=100%25@example.jp").await, ["A-1004"]);
        for nothing in ["q=_", "q=%25", "q='", "q=\\", "q=%00", "kind=%00", "q=9999999999999999999"] {
            assert_eq!(orders(&db, nothing).await, Vec::<String>::new(), "{nothing}");
        }
        // An order number made of digits is found as such, and beside a mail of that id.
        db.insert(&id.to_string()).await;
        assert_eq!(orders(&db, &format!("q={id}")).await, [id.to_string(), "A-1001".to_owned()]);
    }

    /// Not what another process has not committed yet, or takes back.
    async fn what_stands_is_counted(db: TestDb) {
        let other = open::open(db.url(), 4).await.unwrap();
        let total = async |db: &Db| read::total(db).await.unwrap();
        assert_eq!((total(&db).await, total(&other).await), (Count::Exact(0), Count::Exact(0)));
        let insert = "INSERT INTO email_submissions (order_id, kind) VALUES ('taken back', 'k')";
        let mut tx = other.begin().await.unwrap();
        denpyo::in_tx!(&mut tx, c => sqlx::query(insert).execute(c).await.map(|_| ())).unwrap();
        assert_eq!(total(&db).await, Count::Exact(0));
        drop(tx);
        for n in 1..=3 {
            db.insert(&n.to_string()).await;
            assert_eq!((total(&db).await, total(&other).await), (Count::Exact(n), Count::Exact(n)));
        }
        other.close().await;
    }

    /// On SQLite another program may give its rows ids below those that were counted.
    async fn rows_with_ids_of_their_own_are_counted(db: TestDb) {
        db.insert("1").await;
        assert_eq!(read::total(&db).await.unwrap(), Count::Exact(1));
        let own = "INSERT INTO email_submissions (id, order_id, kind) VALUES (-7, 'own', 'k')";
        let Db::Sqlite(sqlite) = &*db else {
            db.refusal(own).await;
            return;
        };
        db.run(own).await;
        db.insert("2").await;
        // A minute later.
        sqlite.counted.lock().unwrap().as_mut().unwrap().at -= Duration::from_secs(60);
        assert_eq!(read::total(&db).await.unwrap(), Count::Exact(3));
        db.insert("3").await;
        assert_eq!(read::total(&db).await.unwrap(), Count::Exact(4));
    }

    /// An insert that finds its key taken uses up an id all the same.
    async fn ids_are_no_count(db: TestDb) {
        assert_eq!(read::total(&db).await.unwrap(), Count::Exact(0));
        db.insert("1").await;
        assert_eq!(read::total(&db).await.unwrap(), Count::Exact(1));
        db.run(if db.is_postgres() {
            "SELECT setval(pg_get_serial_sequence('email_submissions', 'id'), 400000)"
        } else {
            "UPDATE sqlite_sequence SET seq = 400000 WHERE name = 'email_submissions'"
        })
        .await;
        db.insert("2").await;
        db.insert("3").await;
        if !db.is_postgres() {
            assert_eq!(read::total(&db).await.unwrap(), Count::Exact(3));
            assert_eq!(read::synced(&db, 3).await.unwrap(), Count::Exact(0));
            assert_eq!(list(&db, "").await.count, Count::Exact(3));
            return;
        }
        // Nobody has looked yet at how many there are.
        db.run("UPDATE pg_class SET reltuples = -1 WHERE relname = 'email_submissions'").await;
        assert_eq!(read::total(&db).await.unwrap(), Count::Unknown);
        assert_eq!(read::synced(&db, 3).await.unwrap(), Count::Unknown);
        db.run("ANALYZE email_submissions").await;
        assert_eq!(read::total(&db).await.unwrap(), Count::About(3));
        assert_eq!(read::synced(&db, 1).await.unwrap(), Count::About(2));
        // A small rest of a large estimate may be its error.
        assert_eq!(read::synced(&db, 3).await.unwrap(), Count::Unknown);
    }
}
