//! Answers that come after somebody decided, and leases that ran out without one.

use crate::common::{
    TestDb, accepted, account_refused, both, claimant, never_left, refused, unknown,
};
use app::desk::Answer;
use app::model::{SettledBy, Status};
use denpyo::outbox::claim::{Claim, Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::operate::{Answered, answer};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, Settled, settle};
use denpyo::provider::SendOutcome;

const SIDES: [OnUnknown; 3] = [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed];

async fn claimed(db: &TestDb, order: &str) -> (i64, Claim) {
    let id = db.insert(order).await;
    let mut claims = claim_due(db, &claimant(), 10).await.unwrap();
    assert_eq!(claims.len(), 1);
    (id, claims.remove(0))
}

async fn write(db: &TestDb, claim: &Claim, outcome: &SendOutcome, side: OnUnknown) -> Settled {
    settle(db, claim, outcome, side, Retries { most: 5 })
        .await
        .unwrap()
}

async fn again(db: &TestDb, id: i64) -> Claim {
    let resend = Resend {
        actor: "sato",
        ..Resend::default()
    };
    match claim_for_person(db, &claimant(), id, &resend)
        .await
        .unwrap()
    {
        Resent::Claimed(claim) => *claim,
        other => panic!("{other:?}"),
    }
}

async fn say(db: &TestDb, id: i64, said: Answer) {
    let version = db.row(id).await.version;
    let done = answer(db, "sato", id, version, said, "asked the service")
        .await
        .unwrap();
    assert!(matches!(done, Answered::Recorded), "{done:?}");
}

both! {
    async fn a_late_refusal_changes_nothing_and_is_kept(db: TestDb) {
        for said in [Answer::Sent, Answer::NotSent] {
            for (i, outcome) in [refused(), never_left(), account_refused()].iter().enumerate() {
                let (id, claim) = claimed(&db, &format!("{said:?}-{i}")).await;
                db.lapse(id).await;
                say(&db, id, said).await;
                let before = db.row(id).await;
                assert_eq!(write(&db, &claim, outcome, OnUnknown::Hold).await, Settled::Late);
                let after = db.row(id).await;
                assert_eq!((after.version, after.status().unwrap()), (before.version, before.status().unwrap()));
                assert_eq!(db.observations(id, "late_refused").await, 1);
                assert_eq!(db.outcome(id, 1).await.as_deref(), Some("unknown"));
                // Written again after a cut connection, it is kept once.
                assert_eq!(write(&db, &claim, outcome, OnUnknown::Hold).await, Settled::Before);
                assert_eq!(db.observations(id, "late_refused").await, 1);
            }
        }
    }

    async fn a_late_acceptance_is_proof_whatever_was_decided(db: TestDb) {
        for decided in ["said not sent", "said sent", "canceled", "assumed failed", "assumed sent"] {
            let (id, claim) = claimed(&db, decided).await;
            match decided {
                "said not sent" | "said sent" | "canceled" => {
                    db.lapse(id).await;
                    say(&db, id, if decided == "said sent" { Answer::Sent } else { Answer::NotSent }).await;
                }
                "assumed failed" => {
                    db.lapse(id).await;
                    mark_lapsed(&db, |_| OnUnknown::Failed).await.unwrap();
                }
                _ => {
                    db.lapse(id).await;
                    mark_lapsed(&db, |_| OnUnknown::Synced).await.unwrap();
                }
            }
            if decided == "canceled" {
                db.change(id, "status = 'canceled'").await;
            }
            assert_eq!(write(&db, &claim, &accepted("m-1"), OnUnknown::Hold).await, Settled::Recorded, "{decided}");
            let row = db.row(id).await;
            assert_eq!((row.status().unwrap(), row.settled_by()), (Status::Synced, Some(SettledBy::Response)));
            assert_eq!(row.provider_message_id.as_deref(), Some("m-1"), "{decided}");
            assert!(row.sent_at.is_some() && row.error.is_none() && row.next_attempt_at.is_none());
            assert!(!row.possible_duplicate, "{decided}: one attempt is one mail");
            assert_eq!(db.observations(id, "late_accepted").await, 1, "{decided}");
            // Written again after a cut connection, it is no second mail.
            assert_eq!(write(&db, &claim, &accepted("m-1"), OnUnknown::Hold).await, Settled::Before);
            let after = db.row(id).await;
            assert!(!after.possible_duplicate, "{decided}");
            assert_eq!((after.version, db.observations(id, "late_accepted").await), (row.version, 1));
        }
    }

    async fn an_acceptance_while_a_newer_attempt_is_under_way_is_flagged(db: TestDb) {
        let (id, first) = claimed(&db, "1001").await;
        db.lapse(id).await;
        say(&db, id, Answer::NotSent).await;
        let second = again(&db, id).await;
        assert_eq!(write(&db, &first, &accepted("m-1"), OnUnknown::Hold).await, Settled::Recorded);
        let row = db.row(id).await;
        assert_eq!((row.status().unwrap(), row.possible_duplicate), (Status::Synced, true));
        // The newer one's refusal takes nothing back.
        assert_eq!(write(&db, &second, &refused(), OnUnknown::Hold).await, Settled::Late);
        assert_eq!(db.row(id).await.version, row.version);
        assert_eq!(db.outcome(id, 2).await.as_deref(), Some("refused"));
        assert_eq!(db.observations(id, "late_refused").await, 1);
    }

    async fn two_acceptances_are_flagged(db: TestDb) {
        // The older one last …
        let (id, first) = claimed(&db, "1001").await;
        db.lapse(id).await;
        say(&db, id, Answer::NotSent).await;
        let second = again(&db, id).await;
        assert_eq!(write(&db, &second, &accepted("m-2"), OnUnknown::Hold).await, Settled::Recorded);
        assert!(!db.row(id).await.possible_duplicate);
        assert_eq!(write(&db, &first, &accepted("m-1"), OnUnknown::Hold).await, Settled::Late);
        let row = db.row(id).await;
        assert_eq!((row.possible_duplicate, row.provider_message_id.as_deref()), (true, Some("m-2")));
        assert_eq!(db.observations(id, "late_accepted").await, 1);
        // … or the newer one last.
        let (id, first) = claimed(&db, "1002").await;
        db.lapse(id).await;
        say(&db, id, Answer::NotSent).await;
        let second = again(&db, id).await;
        write(&db, &first, &accepted("m-1"), OnUnknown::Hold).await;
        assert_eq!(write(&db, &second, &accepted("m-2"), OnUnknown::Hold).await, Settled::Late);
        assert!(db.row(id).await.possible_duplicate);
        assert_eq!(db.outcome(id, 2).await.as_deref(), Some("accepted"));
    }

    /// The newer attempt's outcome is not known: both may have gone out.
    async fn an_acceptance_beside_an_unknown_newer_attempt_is_flagged(db: TestDb) {
        for side in SIDES {
            let (id, first) = claimed(&db, &format!("{side:?}")).await;
            db.lapse(id).await;
            say(&db, id, Answer::NotSent).await;
            let second = again(&db, id).await;
            write(&db, &second, &unknown(), side).await;
            assert_eq!(write(&db, &first, &accepted("m-1"), side).await, Settled::Recorded);
            let row = db.row(id).await;
            assert_eq!((row.status().unwrap(), row.possible_duplicate), (Status::Synced, true), "{side:?}");
        }
    }

    /// The newer attempt was refused for certain: one mail.
    async fn an_acceptance_after_a_refused_newer_attempt_is_not_flagged(db: TestDb) {
        let (id, first) = claimed(&db, "1001").await;
        db.lapse(id).await;
        say(&db, id, Answer::NotSent).await;
        let second = again(&db, id).await;
        write(&db, &second, &refused(), OnUnknown::Hold).await;
        write(&db, &first, &accepted("m-1"), OnUnknown::Hold).await;
        let row = db.row(id).await;
        assert_eq!((row.status().unwrap(), row.possible_duplicate), (Status::Synced, false));
    }

    async fn a_lapsed_lease_is_marked_once_by_many_processes(db: TestDb) {
        for side in SIDES {
            let (mut ids, count) = (Vec::new(), 30);
            for i in 0..count {
                ids.push(db.insert(&format!("{side:?}-{i}")).await);
            }
            assert_eq!(claim_due(&db, &claimant(), 100).await.unwrap().len(), count);
            let alive = ids.pop().unwrap();
            for id in &ids {
                db.lapse(*id).await;
            }
            let mut looking = tokio::task::JoinSet::new();
            for _ in 0..8 {
                let own = db.as_other_process().await;
                looking.spawn(async move { mark_lapsed(&own, |_| side).await.unwrap() });
            }
            assert_eq!(looking.join_all().await.iter().sum::<usize>(), ids.len(), "{side:?}");
            for id in &ids {
                let row = db.row(*id).await;
                assert_eq!(row.version, 4, "insert, claim, the test's own change, and one mark");
                let expected = match side {
                    OnUnknown::Hold => Status::Requesting,
                    OnUnknown::Synced => Status::Synced,
                    OnUnknown::Failed => Status::Failed,
                };
                assert_eq!(row.status().unwrap(), expected);
                assert_eq!(row.assumed(), side != OnUnknown::Hold);
                assert_eq!(row.unknown_at.is_some(), side == OnUnknown::Hold);
                assert_eq!((row.next_attempt_at, row.attempts_counted), (None, 0));
                assert_eq!(db.outcome(*id, 1).await.as_deref(), Some("unknown"));
            }
            let row = db.row(alive).await;
            assert_eq!((row.status().unwrap(), row.unknown_at), (Status::Requesting, None));
            assert_eq!(mark_lapsed(&db, |_| side).await.unwrap(), 0);
        }
    }

    async fn a_kind_may_have_a_side_of_its_own(db: TestDb) {
        let (plain, invoice) = (db.insert("1001").await, db.insert("1002").await);
        db.run("INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
                VALUES ('1003', 'invoice', 'a@example.com', 's', 'b')").await;
        let invoiced = db.id_of("1003").await;
        claim_due(&db, &claimant(), 10).await.unwrap();
        for id in [plain, invoice, invoiced] {
            db.lapse(id).await;
        }
        let side = |kind: &str| if kind == "invoice" { OnUnknown::Synced } else { OnUnknown::Hold };
        assert_eq!(mark_lapsed(&db, side).await.unwrap(), 3);
        assert_eq!(db.status(plain).await, Status::Requesting);
        assert_eq!(db.status(invoiced).await, Status::Synced);
    }

    /// Held as unknown, and then the process that was stopped for a while goes on: the row is
    /// still under its own claim, so that even a refusal is news.
    async fn an_answer_after_the_lease_ran_out_still_settles_what_is_held(db: TestDb) {
        let (id, claim) = claimed(&db, "1").await;
        db.lapse(id).await;
        mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap();
        assert_eq!(write(&db, &claim, &unknown(), OnUnknown::Hold).await, Settled::Before);
        assert_eq!(write(&db, &claim, &refused(), OnUnknown::Hold).await, Settled::Recorded);
        assert_eq!(db.status(id).await, Status::Rejected);
        assert_eq!(db.observations(id, "late_refused").await, 1, "the closed attempt does not tell it");
        assert_eq!(write(&db, &claim, &refused(), OnUnknown::Hold).await, Settled::Before);
    }

    async fn a_refusal_after_an_assumption_changes_nothing(db: TestDb) {
        for side in [OnUnknown::Synced, OnUnknown::Failed] {
            let (id, claim) = claimed(&db, &format!("{side:?}")).await;
            db.lapse(id).await;
            mark_lapsed(&db, |_| side).await.unwrap();
            let before = db.row(id).await;
            assert_eq!(write(&db, &claim, &refused(), side).await, Settled::Late);
            let after = db.row(id).await;
            assert_eq!((after.version, after.assumed()), (before.version, true));
            assert_eq!(db.observations(id, "late_refused").await, 1);
        }
    }
}

/// Bytes that are no text, in a key column: what a careless SQLite client can store.
#[tokio::test]
async fn an_unreadable_kind_stops_no_lapse() {
    let db = TestDb::sqlite().await;
    db.run(
        "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
         VALUES (x'ff', CAST(x'93fa' AS TEXT), 'a@example.com', 's', 'b')",
    )
    .await;
    let id = db.number("SELECT MAX(id) FROM email_submissions").await;
    let (other, _) = {
        let other = db.insert("1002").await;
        (other, claim_due(&db, &claimant(), 10).await.unwrap())
    };
    db.lapse(id).await;
    db.lapse(other).await;
    assert_eq!(mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap(), 2);
    assert!(db.row(id).await.unknown_at.is_some());
}
