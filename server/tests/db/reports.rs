//! Months: bounds, bases, cells and their rows, closing and what changes afterwards.

use crate::common::{TestDb, both, config, noon};
use app::desk::{Desk, Note, Reports};
use app::error::AppError;
use app::model::Role;
use app::model::filter::Basis;
use app::model::report::{self, Column, Month};
use app::model::views::{Count, Me, MonthAnswer, MonthReport, News, Unsettled};
use app::words::Lang;
use denpyo::db::limited::PATIENCE;
use denpyo::db::{DbError, Stamp};
use denpyo::desk::Office;
use denpyo::desk::reports::ReportFile;
use denpyo::export::Cell;
use denpyo::outbox::report::figures;
use std::time::Duration;

fn me(role: Role) -> Me {
    Me {
        name: "suzuki".to_owned(),
        role,
    }
}

fn office_in(db: &TestDb, zone: &str) -> Office {
    Office::new((*db).clone(), config(&[("DENPYO_TIME_ZONE", zone)]), None)
}

fn office(db: &TestDb) -> Office {
    office_in(db, "Asia/Tokyo")
}

fn time(db: &TestDb, utc: &str) -> String {
    if db.is_postgres() {
        format!("timestamptz '{utc}+00'")
    } else {
        format!("'{utc}'")
    }
}

/// A mail decided at that time, as an outsider brings it in.
async fn decided(db: &TestDb, order: &str, kind: &str, utc: &str) -> i64 {
    let at = time(db, utc);
    db.run(&format!(
        "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
         VALUES ('{order}', '{kind}', 'a@example.com', 's', 'b', {at})"
    ))
    .await;
    db.id_of(order).await
}

/// The same, and accepted at that time.
async fn accepted(db: &TestDb, order: &str, kind: &str, utc: &str, sent: &str) -> i64 {
    let id = decided(db, order, kind, utc).await;
    let at = time(db, sent);
    db.change(
        id,
        &format!("status = 'synced', settled_by = 'response', sent_at = {at}"),
    )
    .await;
    id
}

async fn claimed(db: &TestDb, id: i64, lease: &str) {
    let now = db.at(0);
    db.change(
        id,
        &format!(
            "status = 'requesting', attempts = attempts + 1, claim_token = 't{id}', \
             claimed_at = {now}, lease_until = {lease}"
        ),
    )
    .await;
}

/// Counts to a number, for at most so long.
async fn counting(db: &TestDb, to: i64, limit: Duration) -> Result<Option<i64>, DbError> {
    let sql = "WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < $1) \
               SELECT COUNT(*) FROM n";
    denpyo::on_limited!(&**db, limit, c => sqlx::query_scalar(sql).bind(to).fetch_one(c).await)
}

async fn month(office: &Office, query: &str) -> MonthReport {
    office
        .month_report(&me(Role::Support), query)
        .await
        .unwrap()
}

fn total(report: &MonthReport) -> i64 {
    report.table.as_ref().unwrap().sum.now.get(Column::Total)
}

/// A mail of every column in March 2026, one kind with blanks and signs in its name.
async fn every_state(db: &TestDb) {
    let at = "2026-03-15 03:00:00.000000";
    let kinds = ["invoice", " 請求書 & co=1 "];
    for (k, kind) in kinds.into_iter().enumerate() {
        let order = |name: &str| format!("{name}-{k}");
        accepted(
            db,
            &order("accepted"),
            kind,
            at,
            "2026-03-15 03:00:05.000000",
        )
        .await;
        let id = accepted(
            db,
            &order("bounced"),
            kind,
            at,
            "2026-03-15 03:00:05.000000",
        )
        .await;
        db.change(id, "delivery_state = 'bounced'").await;
        let id = accepted(
            db,
            &order("complained"),
            kind,
            at,
            "2026-04-01 03:00:05.000000",
        )
        .await;
        db.change(id, "delivery_state = 'complained'").await;
        let id = decided(db, &order("assumed"), kind, at).await;
        db.change(id, "status = 'synced', settled_by = 'assumed'")
            .await;
        decided(db, &order("pending"), kind, at).await;
        let id = decided(db, &order("sending"), kind, at).await;
        claimed(db, id, &db.at(600)).await;
        let id = decided(db, &order("check"), kind, at).await;
        claimed(db, id, &db.at(-600)).await;
        let id = decided(db, &order("failed"), kind, at).await;
        claimed(db, id, &db.at(600)).await;
        db.change(id, "status = 'failed'").await;
        let id = decided(db, &order("failed-assumed"), kind, at).await;
        claimed(db, id, &db.at(600)).await;
        db.change(id, "status = 'failed', settled_by = 'assumed'")
            .await;
        let id = decided(db, &order("rejected"), kind, at).await;
        db.change(id, "status = 'rejected'").await;
        let id = decided(db, &order("canceled"), kind, at).await;
        db.change(id, "status = 'canceled'").await;
        let when = time(db, at);
        db.run(&format!(
            "INSERT INTO email_submissions (order_id, kind, copy, recipient, subject, body_text, created_at) \
             VALUES ('copy-{k}', '{kind}', 1, 'a@example.com', 's', 'b', {when})"
        ))
        .await;
    }
    accepted(
        db,
        "before",
        "receipt",
        "2026-02-10 00:00:00.000000",
        "2026-02-10 00:00:01.000000",
    )
    .await;
    accepted(
        db,
        "year",
        "receipt",
        "2025-03-10 00:00:00.000000",
        "2025-03-10 00:00:01.000000",
    )
    .await;
}

both! {
    async fn a_month_is_the_shops_to_the_microsecond(db: TestDb) {
        for (order, utc) in [
            ("before", "2026-10-31 14:59:59.999999"),
            ("first", "2026-10-31 15:00:00.000000"),
            ("last", "2026-11-30 14:59:59.999999"),
            ("after", "2026-11-30 15:00:00.000000"),
        ] {
            accepted(&db, order, "invoice", utc, utc).await;
        }
        let office = office(&db);
        for basis in ["decided", "accepted"] {
            for (name, count) in [("2026-10", 1), ("2026-11", 2), ("2026-12", 1), ("2026-09", 0)] {
                let report = month(&office, &format!("month={name}&basis={basis}")).await;
                assert_eq!(total(&report), count, "{name} {basis}");
            }
            let report = month(&office, &format!("month=2026-11&basis={basis}")).await;
            let sum = &report.table.as_ref().unwrap().sum;
            assert_eq!((sum.last_month.now, sum.last_year.now), (Some(1), Some(0)));
        }
    }

    async fn summer_time_moves_a_months_ends(db: TestDb) {
        // Berlin: March begins in winter time and ends in summer time.
        for (order, utc) in [
            ("february", "2026-02-28 22:59:59.999999"),
            ("first", "2026-02-28 23:00:00.000000"),
            ("last", "2026-03-31 21:59:59.999999"),
            ("april", "2026-03-31 22:00:00.000000"),
        ] {
            decided(&db, order, "invoice", utc).await;
        }
        let office = office_in(&db, "Europe/Berlin");
        let report = month(&office, "month=2026-03").await;
        assert_eq!((total(&report), report.zone.as_str()), (2, "Europe/Berlin"));
        assert_eq!(total(&month(&office, "month=2026-02").await), 1);
        assert_eq!(total(&month(&office, "month=2026-04").await), 1);
    }

    async fn every_cell_opens_as_many_rows_as_it_says(db: TestDb) {
        every_state(&db).await;
        let office = office(&db);
        for basis in Basis::ALL {
            let report = month(&office, &format!("month=2026-03&basis={}", basis.as_str())).await;
            let table = report.table.clone().unwrap();
            let lines = table.lines.iter().map(|l| (Some(l.kind.as_str()), l));
            for (kind, line) in lines.chain([(None, &table.sum)]) {
                let mut states = 0;
                for column in Column::ALL {
                    let filter = report::rows_of(report.month, basis, kind, column);
                    let list = office.list(&me(Role::Support), &filter.to_query()).await.unwrap();
                    let shown = i64::try_from(list.rows.len()).unwrap();
                    let what = format!("{basis:?} {kind:?} {column:?}");
                    assert_eq!(list.count, Count::Exact(line.now.get(column)), "{what}");
                    assert_eq!(shown, line.now.get(column), "{what}");
                    assert!(list.hints.is_empty(), "{what}");
                    if !column.is_part() && column != Column::Total {
                        states += line.now.get(column);
                    }
                }
                assert_eq!(states, line.now.get(Column::Total), "{basis:?} {kind:?}");
            }
            let rows = async |filter: app::model::Filter| {
                office.list(&me(Role::Support), &filter.to_query()).await.unwrap().count
            };
            let still = report.still_checking.unwrap();
            assert_eq!(rows(report::still_checking(report.month, basis)).await, Count::Exact(still));
            assert_eq!(still, 2);
            let untimed = (basis == Basis::Accepted).then_some(2);
            assert_eq!(report.untimed, untimed);
            assert_eq!(rows(report::untimed(report.month)).await, Count::Exact(2));
        }
        // All columns of the first basis hold something, so that nothing above is true of 0 alone.
        let report = month(&office, "month=2026-03").await;
        let table = report.table.unwrap();
        let figures = Column::ALL.map(|c| table.sum.now.get(c));
        assert_eq!(figures, [8, 2, 4, 4, 2, 2, 4, 2, 2, 2, 24, 2]);
        assert_eq!((table.sum.last_month.now, table.sum.last_year.now), (Some(1), Some(1)));
        assert_eq!(table.lines.len(), 3, "a kind of the months before has a line");
        let accepted = month(&office, "month=2026-03&basis=accepted").await;
        assert_eq!(total(&accepted), 4, "assumed ones have no day of acceptance");
        assert_eq!(total(&month(&office, "month=2026-04&basis=accepted").await), 2);
    }

    async fn a_closed_month_keeps_its_figures_and_shows_what_changed(db: TestDb) {
        every_state(&db).await;
        let office = office(&db);
        let refused = office.close_month(&me(Role::Support), "2026-03", "").await;
        assert_eq!(refused, Err(AppError::Forbidden));
        let lead = me(Role::Lead);
        let march = Month::parse("2026-03").unwrap();
        let before = month(&office, "month=2026-03").await;
        assert_eq!(before.may_close, None, "nothing to ask a support agent");
        // Whoever closes it is told what may still change, each mail once.
        db.change(db.id_of("pending-0").await, "held_reason = 'why', held_by = 'hold'").await;
        let soon = db.at(600);
        db.change(db.id_of("failed-0").await, &format!("next_attempt_at = {soon}")).await;
        let offered = office.month_report(&lead, "month=2026-03").await.unwrap().may_close;
        let open = Unsettled { waiting: 3, retrying: 1, held: 1, open: 4 };
        assert_eq!(offered, Some(open));
        let said = office.close_month(&lead, "2026-03", " 月次報告 ").await.unwrap();
        assert_eq!(said, (march, MonthAnswer::Closed));
        let written = "SELECT actor || '|' || act || '|' || reason || '|' || detail FROM audit_events";
        assert_eq!(db.text_of(written).await.as_deref(), Some("suzuki|close_month|月次報告|2026-03"));
        // Once, whoever asks.
        let again = office.close_month(&me(Role::Admin), "2026-03", "").await.unwrap();
        assert_eq!(again.1, MonthAnswer::ClosedBefore);
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events").await, 1);
        let News::Month(notice) = office.news(Note::Month(march, again.1)).await.unwrap() else { panic!() };
        assert_eq!(notice.closed.unwrap().by, "suzuki");

        let id = db.id_of("check-0").await;
        let at = time(&db, "2026-04-02 00:00:00.000000");
        db.change(id, &format!("status = 'synced', settled_by = 'lookup', sent_at = {at}")).await;
        let after = month(&office, "month=2026-03").await;
        // In its files too the kept figures are the ones without a mark.
        let file = ReportFile::of(&after, Lang::Ja.words()).unwrap();
        let figure = |head: &str| {
            let column = file.heads.iter().position(|h| h == head).unwrap();
            file.rows.last().unwrap()[column].clone()
        };
        assert_eq!((figure("要確認"), figure("いま：要確認")), (Cell::Number(2), Cell::Number(1)));
        assert!(!before.table.as_ref().unwrap().changed() && after.table.as_ref().unwrap().changed());
        let (then, now) = (before.table.unwrap(), after.table.unwrap());
        assert_eq!(now.sum.kept, Some(then.sum.now), "kept as it was");
        let moved = |c| now.sum.now.get(c) - then.sum.now.get(c);
        assert_eq!((moved(Column::Accepted), moved(Column::Check), moved(Column::Total)), (1, -1, 0));
        let kept: Vec<_> = then.lines.iter().map(|l| (l.kind.clone(), Some(l.now))).collect();
        let shown: Vec<_> = now.lines.iter().map(|l| (l.kind.clone(), l.kept)).collect();
        assert_eq!(shown, kept);
        assert_eq!(after.closed.unwrap().reason.as_deref(), Some("月次報告"));
        let accepted = month(&office, "month=2026-03&basis=accepted").await;
        let sum = accepted.table.unwrap().sum;
        assert_eq!(sum.kept.unwrap().get(Column::Total), 4);
        for change in ["UPDATE closed_figures SET total = 0", "DELETE FROM closed_months"] {
            assert!(db.refusal(change).await.contains("never changed or deleted"));
        }
    }

    async fn a_closed_month_is_compared_with_as_it_was_kept(db: TestDb) {
        every_state(&db).await;
        let office = office(&db);
        let lead = me(Role::Lead);
        let query = "month=2026-04&basis=accepted";
        let past = |report: &MonthReport| report.table.as_ref().unwrap().sum.last_month;
        let before = month(&office, query).await;
        assert_eq!((past(&before).now, past(&before).kept), (Some(4), None));
        assert_eq!(before.kept_pasts, vec![]);
        office.close_month(&lead, "2026-03", "").await.unwrap();
        // Proof that came later, of an acceptance in the closed month.
        let id = db.id_of("check-0").await;
        let at = time(&db, "2026-03-20 00:00:00.000000");
        db.change(id, &format!("status = 'synced', settled_by = 'webhook', sent_at = {at}")).await;
        let after = month(&office, query).await;
        assert_eq!((past(&after).now, past(&after).kept), (Some(5), Some(4)));
        assert_eq!(past(&after).figure(), Some(4));
        assert_eq!(after.kept_pasts, vec![Month::parse("2026-03").unwrap()]);
        let next_year = month(&office, "month=2027-03&basis=accepted").await;
        let sum = next_year.table.unwrap().sum;
        assert_eq!((sum.last_year.kept, sum.last_month.kept), (Some(4), None));
    }

    async fn of_two_who_close_a_month_one_does(db: TestDb) {
        decided(&db, "1", "invoice", "2026-03-15 03:00:00.000000").await;
        for name in ["2026-01", "2026-02", "2026-03"] {
            let first = office(&db);
            let second = Office::new(db.as_other_process().await, config(&[]), None);
            let (lead, admin) = (me(Role::Lead), me(Role::Admin));
            let (a, b) = tokio::join!(
                first.close_month(&lead, name, ""),
                second.close_month(&admin, name, ""),
            );
            let mut said = [a.unwrap().1, b.unwrap().1];
            said.sort_by_key(|answer| *answer != MonthAnswer::Closed);
            assert_eq!(said, [MonthAnswer::Closed, MonthAnswer::ClosedBefore], "{name}");
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events").await, 3);
        assert_eq!(db.number("SELECT COUNT(*) FROM closed_months").await, 3);
    }

    async fn a_month_that_is_not_over_stays_open(db: TestDb) {
        let office = office_in(&db, &noon().0);
        let this = month(&office, "").await;
        assert!(!this.over && !this.bad_month);
        for name in [this.month, this.month.next()] {
            let said = office.close_month(&me(Role::Admin), &name.to_string(), "").await.unwrap();
            assert_eq!(said.1, MonthAnswer::NotOver, "{name}");
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM closed_months").await, 0);
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events").await, 0);
        let none = office.close_month(&me(Role::Admin), "March", "").await;
        assert_eq!(none, Err(AppError::BadInput));
        let bad = month(&office, "month=March").await;
        assert_eq!((bad.bad_month, bad.month), (true, this.month));
    }

    async fn what_takes_too_long_is_no_zero(db: TestDb) {
        decided(&db, "1", "invoice", "2026-03-15 03:00:00.000000").await;
        assert_eq!(counting(&db, 1_000_000_000_000, Duration::from_millis(200)).await.unwrap(), None);
        // The connections take their time again.
        for _ in 0..20 {
            assert_eq!(counting(&db, 50_000, Duration::from_secs(60)).await.unwrap(), Some(50_000));
        }
        let stamp = |text: &str| Stamp::new(text.parse().unwrap());
        let (from, until) = (stamp("2026-03-01T00:00:00Z"), stamp("2026-04-01T00:00:00Z"));
        let counted = figures(&db, Basis::Decided, from, until, PATIENCE).await.unwrap().unwrap();
        assert_eq!(counted["invoice"].get(Column::Total), 1);
    }

    async fn accepted_a_day_are_the_zones_days(db: TestDb) {
        let (zone, ahead) = noon();
        let office = office_in(&db, &zone);
        let today = office.overview().await.unwrap().as_of.0.date_naive();
        let midnight = |back: u64| {
            let day = today.checked_sub_days(chrono::Days::new(back)).unwrap();
            let utc = day.and_hms_opt(0, 0, 0).unwrap() - chrono::Duration::hours(ahead.into());
            utc.format("%Y-%m-%d %H:%M:%S").to_string()
        };
        for (order, sent) in [
            ("today", format!("{}.000000", midnight(0))),
            ("oldest", format!("{}.000000", midnight(29))),
            ("too old", "2020-01-01 00:00:00.000000".to_owned()),
        ] {
            accepted(&db, order, "invoice", "2020-01-01 00:00:00.000000", &sent).await;
        }
        let overview = office.overview().await.unwrap();
        let days = overview.days.days.unwrap();
        let counts: Vec<i64> = days.iter().map(|d| d.count).collect();
        assert_eq!((counts.len(), counts[0], counts[29]), (30, 1, 1));
        assert_eq!(counts.iter().sum::<i64>(), 2);
        assert_eq!(days[29].day, today);
    }
}

#[tokio::test]
async fn a_months_rows_are_counted_from_the_index_alone() {
    let db = TestDb::sqlite().await;
    let denpyo::db::Db::Sqlite(sqlite) = &*db else {
        panic!("SQLite")
    };
    for (name, sql) in denpyo::outbox::statements() {
        if !name.starts_with("report::TOTALS") {
            continue;
        }
        let plan: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(&format!("EXPLAIN QUERY PLAN {}", db.text(sql)))
                .bind("2026-01-01 00:00:00.000000")
                .bind("2026-02-01 00:00:00.000000")
                .fetch_all(&sqlite.read)
                .await
                .unwrap();
        let scan = &plan[0].3;
        assert!(
            scan.contains("SEARCH") && scan.contains("COVERING INDEX"),
            "{name}: {scan}"
        );
    }
}
