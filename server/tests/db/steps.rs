//! nextcloud/mail#13421: a NULL time matched no sweeper. Every state that is not an end, with every
//! time missing, stale or ahead, has a next step: something will move it, or a person sees it.

use crate::common::{TestDb, both, claimant, refused, temporary, unknown};
use app::model::Filter;
use app::model::filter::Needs;
use denpyo::outbox::claim::{Claim, Claimant, claim_due};
use denpyo::outbox::list::{self, Where};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::outbox::{hold, lapse, lookup};
use denpyo::provider::SendOutcome;
use std::collections::BTreeSet;
use std::time::Duration;

const MOMENT: Duration = Duration::from_millis(1);
const AGE: Duration = Duration::from_secs(3 * 86_400);

/// Inserts a mail and claims it; nothing else is due.
async fn claimed(db: &TestDb, order: &str, lease: Duration) -> Claim {
    let id = db.insert(order).await;
    let who = Claimant {
        lease,
        ..claimant()
    };
    let claim = claim_due(db, &who, 1).await.unwrap().remove(0);
    assert_eq!(claim.id(), id);
    claim
}

async fn settled(db: &TestDb, order: &str, outcome: &SendOutcome, side: OnUnknown) -> i64 {
    let claim = claimed(db, order, MOMENT).await;
    settle(db, &claim, outcome, side, Retries { most: 5 })
        .await
        .unwrap();
    claim.id()
}

/// Orders of the rows for which the condition holds.
async fn orders(db: &TestDb, condition: &str) -> BTreeSet<String> {
    let gather = if db.is_postgres() {
        "string_agg"
    } else {
        "group_concat"
    };
    let sql = format!("SELECT {gather}(order_id, ',') FROM email_submissions s WHERE {condition}");
    let all = db.text_of(&sql).await.unwrap_or_default();
    let all = all.split(',').filter(|order| !order.is_empty());
    all.map(str::to_owned).collect()
}

/// What every process does by the clock.
async fn time_passes(db: &TestDb) {
    while lapse::mark_lapsed(db, |_| OnUnknown::Hold).await.unwrap() > 0 {}
    while hold::hold_old(db, AGE).await.unwrap() > 0 {}
    lookup::sweep(db).await.unwrap();
}

/// What is open goes on by itself (a claim now or at a set time, a lease that will end, a question
/// on its way) or is before a person; and what is due is taken.
async fn nothing_is_left_alone(db: &TestDb) {
    let now = db.at(0);
    let left = orders(
        db,
        &format!(
            "NOT (status = 'canceled' OR (status = 'synced' AND settled_by <> 'assumed')) \
             AND NOT (status = 'pending' AND held_reason IS NULL) \
             AND NOT (status = 'failed' AND held_reason IS NULL AND next_attempt_at IS NOT NULL) \
             AND NOT (status = 'requesting' AND unknown_at IS NULL AND lease_until > {now}) \
             AND NOT EXISTS (SELECT 1 FROM lookups l WHERE l.submission_id = s.id \
             AND l.attempt = s.attempts AND NOT l.ended)"
        ),
    )
    .await;
    let person = Filter {
        needs: Some(Needs::Person),
        ..Filter::default()
    };
    let person = Where::new(&person, None, None, None);
    let shown = list::list(db, &person, None, 10_000).await.unwrap().rows;
    let shown: BTreeSet<String> = shown
        .iter()
        .map(|row| row.order_id.shown().to_owned())
        .collect();
    let unseen: Vec<_> = left.difference(&shown).collect();
    assert_eq!(unseen, [""; 0], "nobody ever comes to these");

    while !claim_due(db, &claimant(), 100).await.unwrap().is_empty() {}
    let due = format!(
        "held_reason IS NULL AND ((status = 'pending' AND (not_before IS NULL OR not_before <= {now})) \
         OR (status = 'failed' AND next_attempt_at <= {now}))"
    );
    assert_eq!(orders(db, &due).await, BTreeSet::new(), "due, and left");
    let patience = Duration::from_secs(60);
    while !lookup::take(db, "me", patience, 100)
        .await
        .unwrap()
        .is_empty()
    {}
    let due = format!("SELECT COUNT(*) FROM lookups WHERE NOT ended AND next_at <= {now}");
    assert_eq!(db.number(&due).await, 0, "questions due, and left");
}

/// A row in each state that is not an end, none of them due.
async fn in_each_state(db: &TestDb, part: &str) -> Vec<i64> {
    let order = |name: &str| format!("{name} {part}");
    let mut ids = Vec::new();
    for (name, lease) in [("at it", Duration::from_secs(120)), ("vanished", MOMENT)] {
        ids.push(claimed(db, &order(name), lease).await.id());
    }
    for (name, outcome, side) in [
        ("in doubt", unknown(), OnUnknown::Hold),
        ("assumed synced", unknown(), OnUnknown::Synced),
        ("assumed failed", unknown(), OnUnknown::Failed),
        ("put off", temporary(Some(3600)), OnUnknown::Hold),
        ("refused", refused(), OnUnknown::Hold),
    ] {
        ids.push(settled(db, &order(name), &outcome, side).await);
    }
    let ahead = db.at(3600);
    for (name, held) in [("waiting", ""), ("held", ", held_reason = 'x'")] {
        let id = db.insert(&order(name)).await;
        db.change(id, &format!("not_before = {ahead}{held}")).await;
        ids.push(id);
    }
    ids
}

both! {
    async fn no_row_is_without_a_next_step(db: TestDb) {
        let (past, ahead) = (db.at(-60), db.at(3600));
        // Claimed by a process that vanished, or is at it.
        for (order, lease) in [("vanished", MOMENT), ("at it", Duration::from_secs(120))] {
            claimed(&db, order, lease).await;
        }
        for (i, side) in [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed].into_iter().enumerate() {
            settled(&db, &format!("unknown-{i}"), &unknown(), side).await;
            // As a version before look-ups, or a restored backup, has left it.
            let id = settled(&db, &format!("unscheduled-{i}"), &unknown(), side).await;
            db.run(&format!("DELETE FROM lookups WHERE submission_id = {id}")).await;
        }
        settled(&db, "refused", &refused(), OnUnknown::Hold).await;
        let mut retries = Vec::new();
        for order in ["retry-past", "retry-ahead", "retry-none"] {
            retries.push(settled(&db, order, &temporary(Some(3600)), OnUnknown::Hold).await);
        }
        for (id, next) in retries.into_iter().zip([past.as_str(), &ahead, "NULL"]) {
            db.change(id, &format!("next_attempt_at = {next}")).await;
        }
        for (order, set) in [
            ("plain", "not_before = NULL".to_owned()),
            ("postponed-past", format!("not_before = {past}")),
            ("postponed-ahead", format!("not_before = {ahead}")),
            ("held", "held_reason = 'x', held_by = NULL".to_owned()),
        ] {
            let id = db.insert(order).await;
            db.change(id, &set).await;
        }
        let old = db.at(-10 * 86_400);
        db.run(&format!(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
             VALUES ('old', 'k', 'a@example.com', 's', 'b', {old}), ('ahead', 'k', 'a@example.com', 's', 'b', {ahead})"
        ))
        .await;
        time_passes(&db).await;
        nothing_is_left_alone(&db).await;
    }

    /// Whatever somebody writes into a time of a row, or takes away, past Denpyo: the database
    /// refuses it, or the row still has a next step.
    async fn no_time_that_is_missing_or_stale_loses_a_row(db: TestDb) {
        const OF_ROWS: [&str; 8] = [
            "created_at", "updated_at", "not_before", "next_attempt_at", "lease_until", "claimed_at",
            "unknown_at", "sent_at",
        ];
        const OF_QUESTIONS: [&str; 2] = ["lease_until", "next_at"];
        let values = ["NULL".to_owned(), db.at(-60), db.at(-400 * 86_400), db.at(3600)];
        let mut changes = Vec::new();
        for (i, value) in values.iter().enumerate() {
            for column in OF_ROWS {
                let ids = in_each_state(&db, &format!("{column} {i}")).await;
                for (state, id) in ids.into_iter().enumerate() {
                    let change = format!(
                        "UPDATE email_submissions SET {column} = {value}, version = version + 1 WHERE id = {id}"
                    );
                    // What a sweeper goes by: of every row, and of the three that are claimed.
                    let needed = match column {
                        "created_at" | "updated_at" => true,
                        "lease_until" | "claimed_at" => state < 3,
                        _ => false,
                    };
                    changes.push((change, needed && i == 0));
                }
            }
            for column in OF_QUESTIONS {
                for id in in_each_state(&db, &format!("question {column} {i}")).await {
                    let change = format!("UPDATE lookups SET {column} = {value} WHERE submission_id = {id}");
                    changes.push((change, i == 0));
                }
            }
        }
        for (change, refused) in changes {
            let done = db.try_run(&change).await;
            // A row without a question has none to change.
            assert!(!refused || done.is_err() || done.is_ok_and(|rows| rows == 0), "{change}");
        }
        time_passes(&db).await;
        nothing_is_left_alone(&db).await;
    }
}
