//! What the databases refuse, whoever asks.

use crate::common::{TestDb, accepted, both, claimant, refused};
use denpyo::outbox::claim::{self, Claim, Resend, Resent};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};

async fn claimed(db: &TestDb, order: &str) -> (i64, Claim) {
    let id = db.insert(order).await;
    let mut claims = claim::claim_due(db, &claimant(), 10).await.unwrap();
    assert_eq!(claims.len(), 1);
    (id, claims.remove(0))
}

both! {
    async fn rows_are_inserted_pending_and_unsent(db: TestDb) {
        let now = db.at(0);
        for (column, value) in [
            ("status", "'synced'"),
            ("status", "'requesting'"),
            ("status", "'failed'"),
            ("status", "'nonsense'"),
            ("attempts", "1"),
            ("claim_token", "'mine'"),
            ("settled_by", "'response'"),
            ("sent_at", now.as_str()),
        ] {
            db.refusal(&format!(
                "INSERT INTO email_submissions (order_id, kind, {column}) VALUES ('1', 'k', {value})"
            ))
            .await;
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 0);
    }

    async fn rows_are_never_deleted(db: TestDb) {
        db.insert("1001").await;
        let said = db.refusal("DELETE FROM email_submissions").await;
        assert!(said.contains("never deleted"), "{said}");
        if db.is_postgres() {
            // The tables that refer to it make a bare TRUNCATE fail by itself.
            let said = db.refusal("TRUNCATE email_submissions CASCADE").await;
            assert!(said.contains("never deleted"), "{said}");
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 1);
    }

    async fn the_version_goes_up_at_every_change(db: TestDb) {
        let id = db.insert("1001").await;
        for rest in ["error = 'x'", "error = 'x', version = version", "error = 'x', version = 0"] {
            let said = db.refusal(&format!("UPDATE email_submissions SET {rest} WHERE id = {id}")).await;
            assert!(said.contains("version goes up"), "{rest}: {said}");
        }
        db.change(id, "error = 'x'").await;
        assert_eq!(db.row(id).await.version, 2);
    }

    async fn identity_never_changes(db: TestDb) {
        let id = db.insert("1001").await;
        let past = db.at(-10);
        let mut changes = vec![
            "order_id = '1002'".to_owned(),
            "kind = 'invoice'".to_owned(),
            "occasion = 'second parcel'".to_owned(),
            "copy = 1".to_owned(),
            "ref = '00000000-0000-4000-8000-000000000000'".to_owned(),
            format!("created_at = {past}"),
        ];
        if !db.is_postgres() {
            // PostgreSQL's identity column refuses that in words of its own.
            changes.push("id = id + 1".to_owned());
        }
        for change in changes {
            let said = db
                .refusal(&format!(
                    "UPDATE email_submissions SET {change}, version = version + 1 WHERE id = {id}"
                ))
                .await;
            assert!(said.contains("identity never changes"), "{change}: {said}");
        }
    }

    async fn an_attempt_is_closed_once(db: TestDb) {
        let (id, claim) = claimed(&db, "1001").await;
        let now = db.at(0);
        let of = format!("WHERE submission_id = {id}");
        // Open: only a closing is a change.
        let said = db.refusal(&format!("UPDATE submission_attempts SET worker = 'x' {of}")).await;
        assert!(said.contains("closed once"), "{said}");
        settle(&db, &claim, &accepted("m-1"), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        for change in ["outcome = 'refused'", "error = 'x'"] {
            let said = db
                .refusal(&format!("UPDATE submission_attempts SET {change}, closed_at = {now} {of}"))
                .await;
            assert!(said.contains("closed once"), "{change}: {said}");
        }
        let said = db.refusal(&format!("DELETE FROM submission_attempts {of}")).await;
        assert!(said.contains("never"), "{said}");
        assert_eq!(db.outcome(id, 1).await.as_deref(), Some("accepted"));
    }

    async fn observations_and_acts_are_never_changed(db: TestDb) {
        let (id, claim) = claimed(&db, "1001").await;
        settle(&db, &claim, &refused(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let resend = Resend { actor: "sato", ..Resend::default() };
        let again = claim::claim_for_person(&db, &claimant(), id, &resend).await.unwrap();
        let Resent::Claimed(again) = again else { panic!("{again:?}") };
        settle(&db, &again, &accepted("m-2"), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        settle(&db, &claim, &accepted("m-1"), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        for table in ["submission_observations", "audit_events"] {
            let count = format!("SELECT COUNT(*) FROM {table}");
            assert_eq!(db.number(&count).await, 1, "{table}");
            for change in [
                format!("UPDATE {table} SET submission_id = NULL"),
                format!("UPDATE {table} SET at = at"),
                format!("DELETE FROM {table}"),
            ] {
                let said = db.refusal(&change).await;
                assert!(said.contains("rows are never"), "{change}: {said}");
            }
            if db.is_postgres() {
                let said = db.refusal(&format!("TRUNCATE {table}")).await;
                assert!(said.contains("never changed"), "{said}");
            }
            assert_eq!(db.number(&count).await, 1, "{table}");
        }
    }
}

/// `INSERT OR REPLACE` deletes what is in its way, and asks no trigger on deletion.
#[tokio::test]
async fn sqlite_rows_are_not_replaced_either() {
    let db = TestDb::sqlite().await;
    let (id, claim) = claimed(&db, "1001").await;
    settle(
        &db,
        &claim,
        &accepted("m-1"),
        OnUnknown::Hold,
        Retries { most: 5 },
    )
    .await
    .unwrap();
    let reference = db.column(id, "ref").await.unwrap();
    for (columns, values) in [
        ("order_id, kind", "'1001', 'order_confirmation'".to_owned()),
        ("order_id, kind, id", format!("'1002', 'k', {id}")),
        ("order_id, kind, ref", format!("'1002', 'k', '{reference}'")),
    ] {
        let said = db
            .refusal(&format!(
                "INSERT OR REPLACE INTO email_submissions ({columns}) VALUES ({values})"
            ))
            .await;
        assert!(said.contains("nor replaced"), "{said}");
    }
    assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 1);
    assert_eq!(db.column(id, "status").await.as_deref(), Some("synced"));
    // What is in nobody's way is an insert like any other; so is one that gives way.
    db.run("INSERT OR REPLACE INTO email_submissions (order_id, kind) VALUES ('1003', 'k')")
        .await;
    let line = "INSERT INTO email_submissions (order_id, kind) VALUES ('1003', 'k') ON CONFLICT DO NOTHING";
    assert_eq!(db.run(line).await, 0);
    assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 2);
}
