//! A walk of the whole state machine: each database accepts exactly the changes that
//! `transition::allowed` lists.

use crate::common::{TestDb, both};
use app::model::{Status, transition};

/// The columns that a change of status brings with it, as raw SQL.
fn set(db: &TestDb, to: Status, assumed: bool, token: &str) -> String {
    let lease = db.at(60);
    let now = db.at(0);
    match to {
        Status::Requesting => format!(
            "status = 'requesting', attempts = attempts + 1, claim_token = '{token}', \
             claimed_at = {now}, lease_until = {lease}, settled_by = NULL"
        ),
        other => format!(
            "status = '{}', claim_token = NULL, settled_by = {}",
            other.as_str(),
            if assumed { "'assumed'" } else { "NULL" }
        ),
    }
}

/// Brings a new row to a status by changes that are allowed.
async fn bring(db: &TestDb, order: &str, to: Status, assumed: bool) -> i64 {
    let id = db.insert(order).await;
    let steps: &[Status] = match to {
        Status::Pending => &[],
        Status::Requesting => &[Status::Requesting],
        Status::Rejected => &[Status::Rejected],
        Status::Canceled => &[Status::Canceled],
        Status::Synced => &[Status::Requesting, Status::Synced],
        Status::Failed => &[Status::Requesting, Status::Failed],
    };
    for step in steps {
        let last = *step == to;
        db.change(id, &set(db, *step, last && assumed, "first"))
            .await;
    }
    if steps.is_empty() && assumed {
        db.change(id, "settled_by = 'assumed'").await;
    }
    assert_eq!(db.status(id).await, to);
    id
}

both! {
    async fn the_database_accepts_exactly_what_the_machine_allows(db: TestDb) {
        let mut wrong = Vec::new();
        let mut tried = 0;
        for from in Status::ALL {
            for assumed in [false, true] {
                for to in Status::ALL.into_iter().filter(|to| *to != from) {
                    tried += 1;
                    let order = format!("{}-{assumed}-{}", from.as_str(), to.as_str());
                    let id = bring(&db, &order, from, assumed).await;
                    let change = set(&db, to, false, "second");
                    let sql = format!(
                        "UPDATE email_submissions SET {change}, version = version + 1 WHERE id = {id}"
                    );
                    let let_through = match db.try_run(&sql).await {
                        Ok(rows) => rows == 1,
                        Err(error) => {
                            let said = error.to_string();
                            assert!(said.contains("not one of the state machine"), "{order}: {said}");
                            false
                        }
                    };
                    if let_through != transition::allowed(from, assumed, to) {
                        wrong.push(order);
                    }
                }
            }
        }
        assert_eq!(tried, 6 * 2 * 5);
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// An attempt is counted, and has a token of its own, or there is no claim.
    async fn a_claim_counts_and_has_its_own_token(db: TestDb) {
        let id = bring(&db, "1001", Status::Failed, false).await;
        let (now, lease) = (db.at(0), db.at(60));
        let claim = |rest: &str| format!(
            "UPDATE email_submissions SET status = 'requesting', claimed_at = {now}, \
             lease_until = {lease}, version = version + 1, {rest} WHERE id = {id}"
        );
        for rest in [
            "claim_token = 'second'",
            "attempts = attempts + 2, claim_token = 'second'",
            "attempts = attempts + 1, claim_token = NULL",
        ] {
            let said = db.refusal(&claim(rest)).await;
            assert!(said.contains("a claim counts the attempt"), "{rest}: {said}");
        }
        db.run(&claim("attempts = attempts + 1, claim_token = 'second'")).await;
        // Nobody takes a claim over, and attempts move with claims alone.
        for rest in ["claim_token = 'third'", "attempts = attempts + 1"] {
            let said = db
                .refusal(&format!(
                    "UPDATE email_submissions SET {rest}, version = version + 1 WHERE id = {id}"
                ))
                .await;
            assert!(said.contains("a claim counts the attempt"), "{rest}: {said}");
        }
    }
}
