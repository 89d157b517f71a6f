//! The contract's intake line, and everything that outsiders may put into it.

use crate::common::{TestDb, both};
use app::model::Status;
use denpyo::outbox::enqueue::{NewSubmission, enqueue};

const LINE: &str = "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
     VALUES ('1001', 'order_confirmation', 'a@example.com', 'ご注文ありがとうございます', '…') \
     ON CONFLICT DO NOTHING";

both! {
    async fn the_line_of_the_contract_works_and_repeats(db: TestDb) {
        assert_eq!(db.run(LINE).await, 1);
        assert_eq!(db.run(LINE).await, 0);
        let row = db.row(db.id_of("1001").await).await;
        assert_eq!(row.status().unwrap(), Status::Pending);
        assert_eq!((row.attempts, row.version, row.copy), (0, 1, 0));
        assert_eq!(row.occasion.shown(), "");
        row.uuid().unwrap();
    }

    async fn blank_or_missing_keys_fail(db: TestDb) {
        for blank in ["''", "'  '", "'　'", "'\u{a0}'", "' \u{3000}\u{a0}\t'", "'\n'", "'\u{b}'", "NULL"] {
            for values in [format!("{blank}, 'k'"), format!("'1001', {blank}")] {
                db.refusal(&format!(
                    "INSERT INTO email_submissions (order_id, kind) VALUES ({values}) ON CONFLICT DO NOTHING"
                ))
                .await;
            }
        }
        db.refusal("INSERT INTO email_submissions (order_id) VALUES ('1001')").await;
        db.refusal("INSERT INTO email_submissions (kind) VALUES ('k')").await;
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 0);
        // No letter or digit is a blank, and a blank beside something is none of that either.
        for sign in ('!'..='~').filter(|c| *c != '\'') {
            let sql = format!("INSERT INTO email_submissions (order_id, kind) VALUES ('{sign}', '{sign}{sign}')");
            assert_eq!(db.run(&sql).await, 1, "{sign}");
        }
        db.run("INSERT INTO email_submissions (order_id, kind) VALUES (' 1001　', '確認 メール')").await;
    }

    async fn values_that_are_refused_are_told_from_a_database_that_is_gone(db: TestDb) {
        let blank = NewSubmission { kind: "k".into(), ..NewSubmission::default() };
        assert!(enqueue(&db, &blank).await.unwrap_err().refuses_values());
        db.run("ALTER TABLE email_submissions RENAME TO gone").await;
        let good = NewSubmission { order_id: "1001".into(), ..blank };
        assert!(!enqueue(&db, &good).await.unwrap_err().refuses_values());
    }

    async fn no_fault_in_the_content_fails_the_insert(db: TestDb) {
        let long = "a".repeat(100_000);
        let mut contents = vec![
            "NULL, NULL, NULL".to_owned(),
            "'', '', ''".to_owned(),
            "'no at sign', 's', 'b'".to_owned(),
            format!("'{long}@example.com', '{long}', '{long}'"),
            "'a@example.com', 's', NULL".to_owned(),
            "'a@example.com\nBcc: b@example.com', 'x\r\ny', 'b'".to_owned(),
            "'a@example.com', 'bell \u{7} esc \u{1b}', 'b'".to_owned(),
            "'ａ＠example.com', '𠮷髙①', 'b'".to_owned(),
        ];
        if !db.is_postgres() {
            contents.push("x'ff00fe', x'93fa967b', x'00'".to_owned());
            contents.push("CAST(x'93fa967b' AS TEXT), CAST(x'ff' AS TEXT), 7".to_owned());
        }
        for (i, content) in contents.iter().enumerate() {
            let rows = db
                .run(&format!(
                    "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
                     VALUES ('{i}', 'k', {content}) ON CONFLICT DO NOTHING"
                ))
                .await;
            assert_eq!(rows, 1);
        }
        // And each can be read.
        for i in 0..contents.len() {
            let id = db.id_of(&i.to_string()).await;
            assert_eq!(db.status(id).await, Status::Pending);
        }
    }

    async fn what_nobody_could_read_again_is_refused(db: TestDb) {
        let mut values = vec![("copy", "'abc'"), ("ref", "'abc'"), ("copy", "-1")];
        if db.is_postgres() {
            values.extend([
                ("not_before", "'infinity'"),
                ("created_at", "'-infinity'"),
                ("not_before", "'200000-01-01'"),
                ("created_at", "'0044-03-15 BC'"),
            ]);
        } else {
            values.extend([
                ("not_before", "'2026-02-30 00:00:00.000000'"),
                ("not_before", "'2026-19-01 00:00:00.000000'"),
                ("created_at", "'2026-02-28 24:00:00.000000'"),
                ("copy", "4294967296"),
                ("copy", "0.5"),
                ("version", "'x'"),
                ("attempts_counted", "'x'"),
                ("held_reason", "x'ff'"),
                ("ref", "'0123456789abcdef0123456789abcdef'"),
                ("ref", "'g1234567-89ab-4def-8123-456789abcdef'"),
                ("ref", "'--------------------------------0000'"),
            ]);
        }
        for (column, value) in values {
            db.refusal(&format!(
                "INSERT INTO email_submissions (order_id, kind, {column}) VALUES ('1', 'k', {value})"
            ))
            .await;
        }
        db.run(
            "INSERT INTO email_submissions (order_id, kind, copy, ref) \
             VALUES ('1', 'k', 2147483647, '01234567-89ab-4def-8123-456789abcdef')"
        )
        .await;
        let row = db.row(db.id_of("1").await).await;
        assert_eq!(row.uuid().unwrap().to_string(), "01234567-89ab-4def-8123-456789abcdef");
    }

    async fn the_questions_of_the_contract_run_as_written(db: TestDb) {
        let id = db.insert("1001").await;
        db.insert("1002").await;
        let lease = db.at(60);
        db.change(id, &format!(
            "status = 'requesting', attempts = 1, claim_token = 't', claimed_at = {lease}, lease_until = {lease}"
        ))
        .await;
        let failed = "SELECT COUNT(*) FROM email_submissions WHERE status='failed' AND created_at > '2026-04-01'";
        let both = "SELECT COUNT(*) FROM email_submissions WHERE status IN ('failed','requesting')";
        assert_eq!((db.number(failed).await, db.number(both).await), (0, 1));
        db.change(id, "status = 'failed', claim_token = NULL").await;
        assert_eq!((db.number(failed).await, db.number(both).await), (1, 1));
    }

    async fn refs_are_random_uuids_of_version_four(db: TestDb) {
        let mut seen = std::collections::HashSet::new();
        for order in 0..50 {
            let id = db.insert(&order.to_string()).await;
            let reference = db.row(id).await.uuid().unwrap();
            assert_eq!(reference.get_version_num(), 4);
            assert_eq!(reference.get_variant(), uuid::Variant::RFC4122);
            assert!(seen.insert(reference));
        }
    }
}

#[tokio::test]
async fn sqlite_times_have_one_width() {
    let db = TestDb::sqlite().await;
    let id = db.insert("1001").await;
    for column in ["created_at", "updated_at"] {
        let time = db.column(id, column).await.unwrap();
        assert_eq!(time.len(), "2026-04-01 00:00:00.000000".len(), "{time}");
    }
    for bad in [
        "2026-04-01",
        "2026-04-01 00:00:00",
        "2026-04-01 00:00:00.000",
        "2026-04-01T00:00:00.000000",
        "2026-04-01 00:00:00.000000Z",
        "2026-04-01 00:00:00.0000000",
        " 2026-04-01 00:00:00.000000",
    ] {
        for column in ["created_at", "updated_at", "not_before"] {
            db.refusal(&format!(
                "INSERT INTO email_submissions (order_id, kind, {column}) VALUES ('x', 'k', '{bad}')"
            ))
            .await;
        }
    }
    // The last microsecond of a leap day is a time like any other.
    db.run(
        "INSERT INTO email_submissions (order_id, kind, not_before, created_at) \
         VALUES ('x', 'k', '2028-02-29 23:59:59.999999', '2026-12-31 23:59:59.999999')",
    )
    .await;
}

/// Shops open the file with whatever SQLite they have: here, the one of the system's Python.
#[tokio::test]
async fn the_file_takes_the_insert_from_another_sqlite() {
    let db = TestDb::sqlite().await;
    let path = db.url().strip_prefix("sqlite:").unwrap();
    let script = format!(
        "import sqlite3, sys\n\
         d = sqlite3.connect(sys.argv[1])\n\
         line = \"\"\"{LINE}\"\"\"\n\
         assert d.execute(line).rowcount == 1\n\
         assert d.execute(line).rowcount == 0\n\
         d.commit()\n\
         q = \"SELECT COUNT(*) FROM email_submissions WHERE status='failed' AND created_at > '2026-04-01'\"\n\
         assert d.execute(q).fetchone() == (0,)\n\
         q = \"SELECT COUNT(*) FROM email_submissions WHERE status IN ('failed','requesting')\"\n\
         assert d.execute(q).fetchone() == (0,)\n"
    );
    let python = std::process::Command::new("python3")
        .args(["-c", &script, path])
        .output()
        .expect("this test needs python3 with its sqlite3 module");
    assert!(
        python.status.success(),
        "{}",
        String::from_utf8_lossy(&python.stderr)
    );
    assert_eq!(db.status(db.id_of("1001").await).await, Status::Pending);
}
