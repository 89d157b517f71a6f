use super::super::story::tell;
use super::*;
use crate::db::{Stamp, open, schema};
use crate::envelope::screen;
use crate::outbox::claim::{Claimant, Requests, claim_due};
use crate::outbox::{lapse, read, settle::OnUnknown};
use app::model::Mailbox;
use chrono::{TimeZone, Utc};
use std::collections::BTreeMap;
use std::time::Duration;

const ZONE: chrono_tz::Tz = chrono_tz::Asia::Tokyo;

async fn seeded() -> (tempfile::TempDir, Db, Vec<Mail>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.db");
    let db = open::open(&format!("sqlite:{}", path.display()), 4)
        .await
        .unwrap();
    schema::migrate(&db).await.unwrap();
    let mails = tell(db.now().await.unwrap(), ZONE);
    let started = std::time::Instant::now();
    write(&db, &mails, "127.0.0.1:9#0").await.unwrap();
    println!("{} mails in {:?}", mails.len(), started.elapsed());
    (folder, db, mails)
}

async fn count(db: &Db, sql: &str) -> i64 {
    let Db::Sqlite(sqlite) = db else {
        unreachable!()
    };
    sqlx::query_scalar(sql)
        .fetch_one(&sqlite.read)
        .await
        .unwrap()
}

#[test]
fn the_same_moment_tells_the_same_story() {
    let stamp = |s| Stamp::new(Utc.with_ymd_and_hms(2026, 11, 29, 5, 2, s).unwrap());
    let mails = tell(stamp(11), ZONE);
    assert!(mails == tell(stamp(11), ZONE));
    assert!((2_500..4_000).contains(&mails.len()), "{}", mails.len());
    // At any hour, nothing lies in the future and everything can be sent that was.
    let from = Mailbox::parse(super::super::FROM).ok();
    for hour in [0, 6, 14, 15, 22] {
        let now = Utc.with_ymd_and_hms(2026, 3, 1, hour, 1, 0).unwrap();
        for mail in tell(Stamp::new(now), ZONE) {
            let mut at = mail.created_at;
            for state in &mail.life.states {
                assert!(state.updated_at >= at, "{mail:?}");
                at = state.updated_at;
            }
            assert!(at.0 <= now.timestamp_micros(), "{mail:?}");
            let raw = crate::envelope::RawContent {
                recipient: mail.recipient.as_str().into(),
                subject: mail.subject.as_str().into(),
                body_text: mail.body_text.as_str().into(),
                reply_to: mail.reply_to.map(str::to_owned).into(),
                ..Default::default()
            };
            let screened = mail
                .life
                .observations
                .iter()
                .any(|o| o.kind == "screened" && o.detail.as_deref() != Some(""));
            assert_eq!(screen(&raw, from.as_ref()).is_err(), screened, "{mail:?}");
        }
    }
}

#[tokio::test]
async fn every_state_and_age_is_there() {
    let (_folder, db, mails) = seeded().await;
    for (sql, least) in [
        ("status = 'pending'", 8),
        ("status = 'pending' AND not_before > created_at", 5),
        ("status = 'requesting'", 8),
        ("status = 'synced' AND settled_by = 'response'", 2_000),
        ("status = 'synced' AND settled_by = 'assumed'", 1),
        ("status = 'synced' AND settled_by = 'person'", 2),
        ("status = 'failed' AND settled_by = 'assumed'", 1),
        ("status = 'failed' AND next_attempt_at IS NULL", 4),
        ("status = 'failed' AND next_attempt_at IS NOT NULL", 4),
        ("status = 'rejected' AND attempts = 0", 3),
        ("status = 'rejected' AND attempts = 1", 4),
        ("status = 'canceled'", 4),
        ("delivery_state = 'delivered'", 1_500),
        ("delivery_state = 'bounced'", 10),
        ("delivery_state = 'complained'", 1),
        ("possible_duplicate", 1),
        ("held_reason IS NOT NULL", 1),
        ("copy > 0 AND original_id IS NOT NULL", 2),
        ("first_recipient IS NOT NULL", 2),
        ("attempts = 3 AND status = 'synced'", 3),
        ("body_html IS NULL", 50),
        ("subject LIKE 'Thank you%'", 5),
    ] {
        let found = count(
            &db,
            &format!("SELECT COUNT(*) FROM email_submissions WHERE {sql}"),
        )
        .await;
        assert!(found >= least, "{sql}: {found}");
    }
    let (sending, ages) = read::open(&db).await.unwrap();
    assert_eq!(sending, 1);
    assert!(ages.iter().all(|n| *n >= 1), "{ages:?}");
    assert_eq!(read::total(&db).await.unwrap(), (mails.len() as i64, true));
}

#[tokio::test]
async fn rows_and_what_belongs_to_them_agree() {
    let (_folder, db, _) = seeded().await;
    for wrong in [
        // Attempts.
        "attempts <> (SELECT COUNT(*) FROM submission_attempts a WHERE a.submission_id = s.id)",
        "attempts <> (SELECT COALESCE(MAX(attempt), 0) FROM submission_attempts a WHERE a.submission_id = s.id)",
        "status <> 'requesting' AND EXISTS (SELECT 1 FROM submission_attempts a \
         WHERE a.submission_id = s.id AND a.closed_at IS NULL)",
        "EXISTS (SELECT 1 FROM submission_attempts a WHERE a.submission_id = s.id AND a.closed_at < a.claimed_at)",
        "EXISTS (SELECT 1 FROM submission_attempts a JOIN submission_attempts b ON b.submission_id = a.submission_id \
         AND b.attempt = a.attempt + 1 WHERE a.submission_id = s.id AND b.claimed_at < a.closed_at)",
        "status = 'requesting' AND claim_token <> (SELECT claim_token FROM submission_attempts a \
         WHERE a.submission_id = s.id AND a.attempt = s.attempts)",
        "next_attempt_at IS NOT (SELECT next_attempt_at FROM submission_attempts a \
         WHERE a.submission_id = s.id AND a.attempt = s.attempts) AND status = 'failed'",
        // The row itself.
        "status = 'synced' AND settled_by = 'response' AND (sent_at IS NULL OR provider_message_id IS NULL)",
        "status <> 'requesting' AND (claim_token IS NOT NULL OR lease_until IS NOT NULL)",
        "attempts = 0 AND provider IS NOT NULL",
        "error = '' OR updated_at < created_at OR sent_at < created_at OR delivery_at < sent_at",
        "copy > 0 AND original_id IS NULL",
        // People.
        "settled_by = 'person' AND NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.submission_id = s.id)",
        "status = 'canceled' AND NOT EXISTS (SELECT 1 FROM audit_events e \
         WHERE e.submission_id = s.id AND e.after_status = 'canceled' AND e.reason <> '')",
        "(SELECT COUNT(*) FROM submission_attempts a WHERE a.submission_id = s.id AND a.actor IS NOT NULL) \
         <> (SELECT COUNT(*) FROM audit_events e WHERE e.submission_id = s.id AND e.act = 'resend')",
    ] {
        let sql = format!("SELECT COUNT(*) FROM email_submissions s WHERE {wrong}");
        assert_eq!(count(&db, &sql).await, 0, "{wrong}");
    }
}

#[tokio::test]
async fn workers_take_only_what_waits() {
    let (_folder, db, mails) = seeded().await;
    let who = Claimant {
        worker: "test".to_owned(),
        provider: "sendgrid".to_owned(),
        account: "127.0.0.1:9#0".to_owned(),
        installation: "test".to_owned(),
        from: Mailbox::parse(super::super::FROM).ok(),
        lease: Duration::from_secs(15),
        timeout: Duration::from_secs(5),
        max_age: Duration::from_secs(3 * 86_400),
        requests: Requests::default(),
    };
    let of: BTreeMap<i64, &Mail> = mails.iter().map(|m| (m.id, m)).collect();
    let claims = claim_due(&db, &who, 1_000).await.unwrap();
    assert_eq!(claims.len(), 3);
    for claim in claims {
        let mail = of[&claim.id()];
        assert_eq!((mail.life.now.status, mail.not_before), ("pending", None));
        assert_eq!(mail.life.now.held_reason, None);
    }
    // The one lease that ran out unseen.
    let marked = lapse::mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap();
    assert_eq!(marked, 1);
}
