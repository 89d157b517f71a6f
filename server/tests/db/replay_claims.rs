//! Replays, where a service knows idempotency keys: the same attempt, posted a second time.

use crate::common::{
    Keyed, TestDb, account_refused, both, keyed_claimant, never_left, refused, temporary,
};
use app::desk::Answer;
use app::model::Status;
use app::model::views::Cause;
use denpyo::outbox::claim::replay::{self, Replay, Replaying};
use denpyo::outbox::claim::{Claim, Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::hold::{By, hold_all};
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::operate::answer;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, Settled, release, settle};

/// A mail whose first post was never heard of again.
async fn in_doubt(db: &TestDb, order: &str, side: OnUnknown) -> (i64, Claim) {
    let id = db.insert(order).await;
    let claim = claim_due(db, &keyed_claimant(), 10)
        .await
        .unwrap()
        .remove(0);
    db.lapse(id).await;
    mark_lapsed(db, |_| side).await.unwrap();
    assert_eq!(db.outcome(id, 1).await.as_deref(), Some("unknown"));
    (id, claim)
}

async fn replayed(db: &TestDb, id: i64) -> Replay {
    match replay::claim(db, &keyed_claimant(), id, 1, Keyed::DIGEST)
        .await
        .unwrap()
    {
        Replaying::Ready(replay) => *replay,
        other => panic!("{other:?}"),
    }
}

async fn resent(db: &TestDb, id: i64) -> Resent {
    let click = Resend {
        actor: "sato",
        ..Resend::default()
    };
    claim_for_person(db, &keyed_claimant(), id, &click)
        .await
        .unwrap()
}

both! {
    /// The process that replayed it died; then the row was settled otherwise.
    async fn a_dead_replay_keeps_nobody_from_the_row(db: TestDb) {
        let (said, _claim) = in_doubt(&db, "said", OnUnknown::Hold).await;
        replayed(&db, said).await;
        db.lapse(said).await;
        let version = db.row(said).await.version;
        answer(&db, "sato", said, version, Answer::NotSent, "asked the service").await.unwrap();

        let (assumed, _claim) = in_doubt(&db, "assumed", OnUnknown::Hold).await;
        replayed(&db, assumed).await;
        db.lapse(assumed).await;
        assert_eq!(mark_lapsed(&db, |_| OnUnknown::Failed).await.unwrap(), 1);

        for id in [said, assumed] {
            assert_eq!(db.status(id).await, Status::Failed);
            let again = resent(&db, id).await;
            assert!(matches!(again, Resent::Claimed(_)), "{again:?}");
        }
    }

    /// What became of the second post nobody knows, so the first one's answer proves nothing.
    async fn after_a_replay_a_no_to_the_first_post_frees_nothing(db: TestDb) {
        for (i, no) in [never_left(), temporary(None), refused(), account_refused()].iter().enumerate() {
            for died in [false, true] {
                let (id, claim) = in_doubt(&db, &format!("{i}-{died}"), OnUnknown::Hold).await;
                let replay = replayed(&db, id).await;
                if died {
                    db.lapse(id).await;
                } else {
                    replay::end(&db, &replay).await.unwrap();
                }
                let settled = settle(&db, &claim, no, OnUnknown::Hold, Retries { most: 5 }).await;
                assert_eq!(settled.unwrap(), Settled::Late, "{no:?}");
                let row = db.row(id).await;
                assert!(row.status().unwrap() == Status::Requesting && row.open_question, "{no:?}");
                assert_eq!(db.observations(id, "late_refused").await, 1);
            }
        }
    }

    async fn after_a_replay_the_first_claim_gives_nothing_back(db: TestDb) {
        let (id, claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        let replay = replayed(&db, id).await;
        replay::end(&db, &replay).await.unwrap();
        assert_eq!(release(&db, &claim, Cause::Lease).await.unwrap(), Settled::Late);
        assert_eq!(db.status(id).await, Status::Requesting);
        assert!(claim_due(&db, &keyed_claimant(), 10).await.unwrap().is_empty());
    }

    async fn what_is_held_is_not_replayed(db: TestDb) {
        for side in [OnUnknown::Hold, OnUnknown::Failed] {
            let (id, _claim) = in_doubt(&db, &format!("{side:?}"), side).await;
            assert_eq!(hold_all(&db, By::Hold, "restored from Tuesday").await.unwrap(), 1);
            let answer = replay::claim(&db, &keyed_claimant(), id, 1, Keyed::DIGEST).await.unwrap();
            assert!(matches!(answer, Replaying::Taken), "{side:?}: {answer:?}");
        }
    }
}
