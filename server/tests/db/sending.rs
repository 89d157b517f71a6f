//! What became of a month's sends, counted from rows, attempts and observations.

use crate::common::{TestDb, accepted, both, claimant, config, noon};
use crate::reconcile::in_doubt;
use app::desk::{Answer, Reports};
use app::model::Role;
use app::model::protocol::OnUnknown;
use app::model::report::Column;
use app::model::sending::{narrowed, total};
use app::model::views::{Me, Sending};
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::lookup;
use denpyo::outbox::operate::answer;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::settle;
use denpyo::provider::asking::FoundMail;
use std::time::Duration;

fn office(db: &TestDb, zone: &str) -> Office {
    Office::new((*db).clone(), config(&[("DENPYO_TIME_ZONE", zone)]), None)
}

async fn sending(office: &Office, query: &str) -> Sending {
    office.month_sending(query).await.unwrap()
}

fn time(db: &TestDb, utc: &str) -> String {
    if db.is_postgres() {
        format!("timestamptz '{utc}+00'")
    } else {
        format!("'{utc}.000000'")
    }
}

/// A mail decided at that time, and its tries: how each ended, and when.
async fn tried(db: &TestDb, order: &str, kind: &str, decided: &str, tries: &[(&str, &str)]) -> i64 {
    let at = time(db, decided);
    db.run(&format!(
        "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
         VALUES ('{order}', '{kind}', 'a@example.com', 's', 'b', {at})"
    ))
    .await;
    let id = db.id_of(order).await;
    for (n, (outcome, ended)) in (1..).zip(tries) {
        let ended = time(db, ended);
        db.change(
            id,
            &format!(
                "status = 'requesting', attempts = attempts + 1, claim_token = 't{id}-{n}', \
                 provider = 'sendgrid', claimed_at = {at}, lease_until = {at}"
            ),
        )
        .await;
        db.run(&format!(
            "INSERT INTO submission_attempts (submission_id, attempt, claim_token, worker, provider, \
             account, claimed_at, lease_until, closed_at, outcome) \
             VALUES ({id}, {n}, 't{id}-{n}', 'w', 'sendgrid', 'a', {at}, {at}, {ended}, '{outcome}')"
        ))
        .await;
        let set = match *outcome {
            "accepted" => format!("status = 'synced', settled_by = 'response', sent_at = {ended}"),
            "refused" => "status = 'rejected', settled_by = 'response'".to_owned(),
            "unknown" => format!("unknown_at = {ended}"),
            _ => "status = 'failed', settled_by = 'response'".to_owned(),
        };
        db.change(id, &set).await;
    }
    id
}

/// Hours with something in them: accepted, not accepted, unclear.
fn busy(sending: &Sending) -> Vec<(usize, [i64; 3])> {
    let hours = sending.hours.unwrap();
    (0..)
        .zip(hours)
        .filter(|(_, hour)| hour.sum() > 0)
        .map(|(i, hour)| (i, [hour.accepted, hour.not_accepted, hour.unclear]))
        .collect()
}

both! {
    async fn tries_hours_and_delays_are_those_of_the_months_mails(db: TestDb) {
        let at = "2026-03-15 03:00:00";
        tried(&db, "once", "invoice", at, &[("accepted", "2026-03-15 03:00:05")]).await;
        tried(&db, "twice", "invoice", at, &[
            ("temporary", "2026-03-15 03:10:00"),
            ("accepted", "2026-03-15 03:20:00"),
        ]).await;
        tried(&db, "refused", "receipt", at, &[("refused", "2026-03-15 04:00:00")]).await;
        tried(&db, "unclear", "receipt", at, &[("unknown", "2026-03-15 05:00:00")]).await;
        tried(&db, "released", "receipt", at, &[("released", "2026-03-15 06:00:00")]).await;
        tried(&db, "waiting", "receipt", at, &[]).await;
        // Put off until an hour before it was accepted.
        let later = time(&db, "2026-03-31 02:00:00");
        let id = tried(&db, "postponed", "reminder", at, &[("accepted", "2026-03-31 03:00:00")]).await;
        db.change(id, &format!("not_before = {later}")).await;
        tried(&db, "april", "invoice", "2026-03-31 15:00:00", &[("accepted", "2026-03-31 15:00:01")]).await;

        let office = office(&db, "Asia/Tokyo");
        let march = sending(&office, "month=2026-03&kind=invoice").await;
        let lines = march.tries.clone().unwrap();
        let me = Me { name: "suzuki".to_owned(), role: Role::Support };
        let table = office.month_report(&me, "month=2026-03").await.unwrap().table.unwrap();
        assert_eq!(total(&lines).sum(), table.sum.now.get(Column::Total));
        let all = narrowed(&lines, None, None);
        let [once, twice, ..] = all.bars;
        assert_eq!((once.accepted, once.rejected, once.open, once.failed), (2, 1, 1, 1));
        assert_eq!((twice.accepted, twice.sum()), (1, 1));
        assert_eq!(total(&lines).never, 1);
        assert_eq!(narrowed(&lines, march.kind.as_deref(), None).sum(), 2);
        assert_eq!(narrowed(&lines, None, Some("sendgrid")).sum(), 6);
        assert_eq!(narrowed(&lines, None, Some("ses")).sum(), 0);
        // Tokyo is nine hours ahead; what was given back was no try.
        assert_eq!(busy(&march), [(12, [3, 1, 0]), (13, [0, 1, 0]), (14, [0, 0, 1])]);
        let delays = march.delays.unwrap();
        let of: Vec<_> = delays.kinds.iter().map(|d| (d.kind.as_str(), d.count, d.p50, d.p95)).collect();
        assert_eq!(of, [("invoice", 2, 5, 1200), ("reminder", 1, 3600, 3600)]);
        assert_eq!(delays.all.count, 3);
        let empty = sending(&office, "month=2026-01").await;
        assert_eq!((empty.tries.unwrap().len(), empty.delays.unwrap().all.count), (0, 0));
    }

    async fn hours_follow_the_clock_through_its_changes(db: TestDb) {
        // Berlin: one hour ahead until 29 March 2026, 01:00 UTC, then two.
        tried(&db, "winter", "invoice", "2026-03-10 11:00:00", &[("accepted", "2026-03-10 11:00:01")]).await;
        tried(&db, "before", "invoice", "2026-03-29 00:59:58", &[("accepted", "2026-03-29 00:59:59")]).await;
        tried(&db, "after", "invoice", "2026-03-29 01:00:00", &[("refused", "2026-03-29 01:00:00")]).await;
        tried(&db, "summer", "invoice", "2026-03-30 11:00:00", &[("accepted", "2026-04-02 11:00:01")]).await;
        let march = sending(&office(&db, "Europe/Berlin"), "month=2026-03").await;
        let hours = [(1, [1, 0, 0]), (3, [0, 1, 0]), (12, [1, 0, 0]), (13, [1, 0, 0])];
        assert_eq!(busy(&march), hours);
        // Kathmandu: five hours and three quarters ahead.
        let march = sending(&office(&db, "Asia/Kathmandu"), "month=2026-03").await;
        assert_eq!(busy(&march), [(6, [1, 1, 0]), (16, [2, 0, 0])]);
    }

    async fn what_nobody_knew_is_counted_as_it_turned_out(db: TestDb) {
        let retries = Retries { most: 5 };
        db.insert("clear").await;
        let claim = claim_due(&db, &claimant(), 10).await.unwrap().remove(0);
        settle(&db, &claim, &accepted("m-0"), OnUnknown::Hold, retries).await.unwrap();

        for (order, said) in [("sent", Answer::Sent), ("not sent", Answer::NotSent)] {
            let (id, _) = in_doubt(&db, order, OnUnknown::Hold).await;
            let version = db.row(id).await.version;
            answer(&db, "sato", id, version, said, "asked the service").await.unwrap();
        }
        // The answer came after the lease; the row does not show that anybody ever doubted.
        let id = db.insert("late").await;
        let claim = claim_due(&db, &claimant(), 10).await.unwrap().remove(0);
        db.lapse(id).await;
        mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap();
        settle(&db, &claim, &accepted("m-2"), OnUnknown::Hold, retries).await.unwrap();

        let mut ids = Vec::new();
        for side in [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed] {
            for order in ["found", "no", "open"] {
                ids.push((order, in_doubt(&db, &format!("{order}-{side:?}"), side).await.0));
            }
        }
        let of = |id: i64| ids.iter().find(|(_, own)| *own == id).map(|(order, _)| *order);
        let taken = lookup::take(&db, "process", Duration::from_secs(60), 50).await.unwrap();
        assert_eq!(taken.len(), 9);
        for open in taken {
            match of(open.id) {
                Some("found") => {
                    let mail = FoundMail {
                        message_id: Some("m-1".to_owned()),
                        accepted_at: None,
                        attempt: None,
                    };
                    lookup::found(&db, &open, &[mail]).await.unwrap();
                }
                Some("no") => {
                    lookup::not_there(&db, &open, "not there", 5).await.unwrap();
                }
                _ => {}
            }
        }

        let sum = sending(&office(&db, &noon().0), "").await.unknowns.unwrap();
        assert_eq!((sum.accepted, sum.not_accepted, sum.open), (5, 4, 3));
        assert!(sum.all_waited < 600, "{sum:?}");
    }
}

#[tokio::test]
async fn the_accepted_are_counted_from_the_index_alone() {
    let db = TestDb::sqlite().await;
    let denpyo::db::Db::Sqlite(sqlite) = &*db else {
        panic!("SQLite")
    };
    for (name, sql) in denpyo::outbox::statements() {
        if !name.starts_with("sending::") {
            continue;
        }
        let text = format!("EXPLAIN QUERY PLAN {}", db.text(sql));
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(&text)
            .bind("2026-01-01 00:00:00.000000")
            .bind("2026-02-01 00:00:00.000000")
            .fetch_all(&sqlite.read)
            .await
            .unwrap();
        let steps: Vec<&str> = plan.iter().map(|step| step.3.as_str()).collect();
        let index = "SEARCH email_submissions USING COVERING INDEX email_submissions_accepted";
        assert!(
            steps.iter().any(|step| step.starts_with(index)),
            "{name}: {steps:#?}"
        );
        let whole = |step: &&&str| step.starts_with("SCAN") && !step.contains("INDEX");
        let tables = [
            "email_submissions",
            "submission_attempts",
            "submission_observations",
        ];
        let whole: Vec<_> = steps
            .iter()
            .filter(whole)
            .filter(|step| tables.iter().any(|table| step.contains(table)))
            .collect();
        assert!(whole.is_empty(), "{name}: {whole:?}");
    }
}
