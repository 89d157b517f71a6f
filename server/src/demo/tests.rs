use super::super::story::tell;
use super::*;
use crate::db::{Stamp, open, schema};
use crate::envelope::screen;
use crate::outbox::claim::{Claimant, Requests, claim_due};
use crate::outbox::{lapse, read, settle::OnUnknown};
use app::model::Mailbox;
use app::model::views::Count;
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
        ("held_by = 'hold'", 1),
        ("held_by = 'installation'", 3),
        ("held_by = 'age'", 2),
        ("released_at IS NOT NULL AND status = 'synced'", 1),
        ("status = 'synced' AND settled_by = 'lookup'", 2),
        ("status = 'failed' AND settled_by = 'lookup'", 1),
        (
            "status = 'synced' AND EXISTS (SELECT 1 FROM submission_observations o \
             WHERE o.submission_id = email_submissions.id AND o.kind = 'lookup_no')",
            1,
        ),
        (
            "id IN (SELECT submission_id FROM lookups WHERE NOT ended AND asked > 1)",
            4,
        ),
        ("id IN (SELECT submission_id FROM lookups WHERE ended)", 1),
        ("copy > 0 AND original_id IS NOT NULL", 2),
        // Every way that a mail can come in.
        ("decided_by IS NULL AND copy = 0", 500),
        ("decided_by = 'denpyo enqueue'", 100),
        ("decided_by = 'api'", 10),
        ("decided_by = 'api 決済連携'", 100),
        ("decided_by = 'api 出荷システム'", 500),
        ("decided_by = 'lead1' AND copy > 0", 2),
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
    let (sending, ages) = read::open(&db, db.now().await.unwrap()).await.unwrap();
    assert_eq!(sending, 1);
    assert!(ages.iter().all(|n| *n >= 1), "{ages:?}");
    assert_eq!(
        read::total(&db).await.unwrap(),
        Count::Exact(mails.len() as i64)
    );
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
        // Open questions, and only those, have their next look-up.
        "(status = 'requesting' AND unknown_at IS NOT NULL OR settled_by = 'assumed') \
         <> EXISTS (SELECT 1 FROM lookups l WHERE l.submission_id = s.id AND l.attempt = s.attempts)",
        "EXISTS (SELECT 1 FROM lookups l WHERE l.submission_id = s.id AND l.asked <> \
         (SELECT COUNT(*) FROM submission_observations o WHERE o.submission_id = s.id \
         AND o.attempt = l.attempt AND o.kind IN ('lookup_not_yet', 'lookup_unclear')))",
        "settled_by = 'lookup' AND NOT EXISTS (SELECT 1 FROM submission_observations o \
         WHERE o.submission_id = s.id AND o.kind IN ('lookup_found', 'lookup_no'))",
        "(held_reason IS NULL) <> (held_by IS NULL)",
        // By which way they came.
        "decided_by LIKE 'api %' AND NOT EXISTS (SELECT 1 FROM api_tokens t \
         WHERE 'api ' || t.name = decided_by AND t.created_at < s.created_at AND t.used_at >= s.created_at)",
        "copy > 0 AND NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.copy_id = s.id \
         AND e.submission_id = s.original_id AND e.act = 'copy' AND e.actor = s.decided_by)",
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

/// Whatever the stand-in service answers in the first hour, what the story leaves open stays so.
#[tokio::test]
async fn what_is_left_open_stays_open_for_an_hour() {
    use crate::demo::{life, rows};
    use app::model::lookup::{Evidence, Judgement, Said, ask_again_after, judge};
    let (_folder, db, mails) = seeded().await;
    let begun = db.now().await.unwrap().micros() / 1000;
    let horizon = Duration::from_millis(life::HORIZON.unsigned_abs());
    let mut asked = 0;
    for mail in &mails {
        for lookup in mail.life.lookups.iter().filter(|l| !l.ended) {
            let lease_end = lookup.lease_until.0 / 1000;
            let mut at = lookup.next_at.0 / 1000;
            let first = at;
            assert!(at > begun, "{mail:?}");
            for n in 1.. {
                if at > begun + rows::HOUR {
                    break;
                }
                let since = |then: i64| Duration::from_millis((at - then).unsigned_abs());
                let evidence = Evidence {
                    horizon,
                    since_lease_end: since(lease_end),
                    since_claim: since(lease_end) + Duration::from_secs(120),
                    retention: Duration::from_secs(30 * 86_400),
                    since_first_no: since(first),
                    known_for: since(first),
                    // A visitor's own mail, as soon as the process may look for one.
                    later_mail_shown: n > 1,
                };
                let said = judge(Said::NotFound, &evidence);
                assert_eq!(said, Judgement::NotYet, "{mail:?}");
                let wait = ask_again_after(said, lookup.asked + n, 0, &evidence);
                at += i64::try_from(wait.as_millis()).unwrap();
                asked += 1;
            }
        }
    }
    assert!(asked > 3, "{asked}");
}
