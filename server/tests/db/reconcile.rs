//! What the reconciler makes of a service's answers.

use crate::common::{Scripted, TestDb, accepted, both, claimant, config, eventually, unknown};
use app::desk::Answer;
use app::model::{SettledBy, Status};
use denpyo::config::Config;
use denpyo::outbox::claim::{Claim, Claimant, claim_due};
use denpyo::outbox::operate;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::outbox::{lapse, lookup};
use denpyo::provider::Provider;
use denpyo::provider::asking::{Finding, FoundMail, Unclear};
use denpyo::reconcile::{Reconciler, Round};
use std::sync::Arc;
use std::time::Duration;

/// Leases end at once: what is asked about may be asked about.
fn who() -> Claimant {
    Claimant {
        lease: Duration::from_millis(1),
        ..claimant()
    }
}

/// A mail whose only attempt ended as nobody knows.
pub(crate) async fn in_doubt(db: &TestDb, order: &str, side: OnUnknown) -> (i64, Claim) {
    let id = db.insert(order).await;
    let claim = claim_due(db, &who(), 10).await.unwrap().remove(0);
    settle(db, &claim, &unknown(), side, Retries { most: 5 })
        .await
        .unwrap();
    (id, claim)
}

pub(crate) fn reconciler(db: &TestDb, service: &Arc<Scripted>, config: Arc<Config>) -> Reconciler {
    let service: Arc<dyn Provider> = Arc::clone(service) as Arc<dyn Provider>;
    Reconciler::new((**db).clone(), config, Some(service), Some(who()))
}

/// Rounds until something is asked; rows that are asked about are asked about at once.
pub(crate) async fn ask(reconciler: &mut Reconciler) -> Round {
    let mut round = Round::default();
    eventually("a question is due", async || {
        round = reconciler.run_once().await.unwrap();
        round.asked > 0
    })
    .await;
    round
}

pub(crate) async fn ask_now(db: &TestDb, reconciler: &mut Reconciler) -> Round {
    let past = db.at(-1);
    db.run(&format!("UPDATE lookups SET next_at = {past}"))
        .await;
    ask(reconciler).await
}

/// As if the horizon had passed by the database's clock.
pub(crate) async fn age_question(db: &TestDb, id: i64) {
    let past = db.at(-7200);
    db.run(&format!(
        "UPDATE lookups SET lease_until = {past} WHERE submission_id = {id}"
    ))
    .await;
}

fn found(id: &str) -> Finding {
    Finding::Found(vec![FoundMail {
        message_id: Some(id.to_owned()),
        accepted_at: None,
        attempt: Some(1),
    }])
}

pub(crate) fn hour() -> Arc<Config> {
    config(&[
        ("DENPYO_LOOKUP_HORIZON", "1h"),
        ("DENPYO_LEASE", "1200ms"),
        ("DENPYO_REQUEST_TIMEOUT", "100ms"),
    ])
}

/// Another mail, which the service takes.
async fn accept(db: &TestDb, order: &str) {
    db.insert(order).await;
    let claim = claim_due(db, &who(), 10).await.unwrap().remove(0);
    settle(
        db,
        &claim,
        &accepted(order),
        OnUnknown::Hold,
        Retries { most: 5 },
    )
    .await
    .unwrap();
}

pub(crate) async fn scheduled(db: &TestDb, id: i64) -> i64 {
    db.number(&format!(
        "SELECT COUNT(*) FROM lookups WHERE submission_id = {id} AND NOT ended"
    ))
    .await
}

both! {
    async fn what_the_service_has_is_accepted_whatever_was_assumed(db: TestDb) {
        for side in [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed] {
            let order = format!("{side:?}");
            let (id, _claim) = in_doubt(&db, &order, side).await;
            let service = Scripted::asked(|_| found("m-1"));
            let round = ask(&mut reconciler(&db, &service, hour())).await;
            assert_eq!((round.asked, round.settled), (1, 1), "{side:?}");
            let row = db.row(id).await;
            assert_eq!(row.status().unwrap(), Status::Synced);
            assert_eq!(row.settled_by(), Some(SettledBy::Lookup));
            assert_eq!(row.provider_message_id.as_deref(), Some("m-1"));
            assert!(row.sent_at.is_some() && !row.possible_duplicate);
            assert_eq!(db.observations(id, "lookup_found").await, 1);
            assert_eq!(scheduled(&db, id).await, 0);
            assert_eq!(service.questions()[0].reference, row.uuid().unwrap());
        }
    }

    async fn not_found_before_the_horizon_frees_nothing(db: TestDb) {
        for side in [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed] {
            let (id, _claim) = in_doubt(&db, &format!("{side:?}"), side).await;
            let before = db.row(id).await;
            let service = Scripted::asked(|_| Finding::NotFound);
            let mut reconciler = reconciler(&db, &service, hour());
            ask(&mut reconciler).await;
            for _ in 0..3 {
                ask_now(&db, &mut reconciler).await;
            }
            let row = db.row(id).await;
            assert_eq!(row.version, before.version, "{side:?}");
            assert_eq!(db.observations(id, "lookup_not_yet").await, 4);
            assert_eq!(db.observations(id, "lookup_no").await, 0);
            assert!(claim_due(&db, &who(), 10).await.unwrap().is_empty());
            db.run(&format!("DELETE FROM lookups WHERE submission_id = {id}")).await;
        }
    }

    /// "Not found" twice, a horizon apart.
    async fn what_the_service_never_had_may_be_sent_again(db: TestDb) {
        for (side, due) in [(OnUnknown::Hold, true), (OnUnknown::Failed, true), (OnUnknown::Synced, false)] {
            let (id, _claim) = in_doubt(&db, &format!("{side:?}"), side).await;
            let service = Scripted::asked(|_| Finding::NotFound);
            let mut reconciler = reconciler(&db, &service, config(&[("DENPYO_LOOKUP_HORIZON", "1s")]));
            eventually("the service's no is believed", async || {
                reconciler.run_once().await.unwrap();
                db.row(id).await.settled_by() == Some(SettledBy::Lookup)
            })
            .await;
            let row = db.row(id).await;
            assert_eq!(row.status().unwrap(), Status::Failed, "{side:?}");
            assert_eq!((row.attempts, row.attempts_counted), (1, 1));
            assert_eq!(row.next_attempt_at.is_some(), due, "{side:?}");
            assert_eq!(db.observations(id, "lookup_no").await, 1);
            assert!(db.observations(id, "lookup_not_yet").await >= 1);
            let claims = claim_due(&db, &claimant(), 10).await.unwrap();
            let again: Vec<i64> = claims.iter().map(Claim::id).collect();
            assert_eq!(again, if due { vec![id] } else { vec![] });
        }
    }

    /// A look-up's no counts against `DENPYO_MAX_ATTEMPTS` like any other.
    async fn what_was_tried_often_enough_is_not_tried_again_by_itself(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        let service = Scripted::asked(|_| Finding::NotFound);
        let config = config(&[("DENPYO_LOOKUP_HORIZON", "1s"), ("DENPYO_MAX_ATTEMPTS", "1")]);
        let mut reconciler = reconciler(&db, &service, config);
        eventually("the service's no is believed", async || {
            reconciler.run_once().await.unwrap();
            db.status(id).await == Status::Failed
        })
        .await;
        assert!(db.row(id).await.next_attempt_at.is_none());
    }

    /// The database's clock was set forward: by it the horizon has passed, by the process's own
    /// clock it has not.
    async fn the_databases_clock_alone_proves_nothing(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        age_question(&db, id).await;
        let service = Scripted::asked(|_| Finding::NotFound);
        let mut reconciler = reconciler(&db, &service, hour());
        ask(&mut reconciler).await;
        ask_now(&db, &mut reconciler).await;
        assert_eq!(db.status(id).await, Status::Requesting);
        assert_eq!(db.observations(id, "lookup_not_yet").await, 2);
    }

    /// Another process's clock does not count either.
    async fn two_answers_in_two_processes_prove_nothing(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        age_question(&db, id).await;
        let service = Scripted::asked(|_| Finding::NotFound);
        for _ in 0..3 {
            db.run("UPDATE lookups SET asker = NULL").await;
            ask_now(&db, &mut reconciler(&db, &service, hour())).await;
        }
        assert_eq!(db.status(id).await, Status::Requesting);
    }

    async fn a_later_mail_that_is_shown_spares_the_second_look_up(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        age_question(&db, id).await;
        let doubted = db.row(id).await.uuid().unwrap();
        // Asked for a horizon, and never answered.
        let service = Scripted::asked(|_| Finding::Unclear {
            why: Unclear::Unreachable,
            detail: String::new(),
        });
        let horizon = Duration::from_secs(3);
        let settings = [
            ("DENPYO_LOOKUP_HORIZON", "3s"),
            ("DENPYO_LEASE", "1200ms"),
            ("DENPYO_REQUEST_TIMEOUT", "100ms"),
        ];
        let mut reconciler = reconciler(&db, &service, config(&settings));
        ask(&mut reconciler).await;
        let begun = std::time::Instant::now();
        // Accepted before the doubted attempt had to be over: no witness.
        accept(&db, "early").await;
        while begun.elapsed() < horizon {
            ask_now(&db, &mut reconciler).await;
        }
        service.answer_with(move |q| if q.reference == doubted { Finding::NotFound } else { found("shown") });
        ask_now(&db, &mut reconciler).await;
        assert_eq!(db.status(id).await, Status::Requesting);
        // A newer mail counts, as soon as it is shown.
        accept(&db, "late").await;
        service.answer_with(|_| Finding::NotFound);
        ask_now(&db, &mut reconciler).await;
        assert_eq!(db.status(id).await, Status::Requesting, "the later mail is not shown yet");
        service.answer_with(move |q| if q.reference == doubted { Finding::NotFound } else { found("shown") });
        ask_now(&db, &mut reconciler).await;
        assert_eq!(db.status(id).await, Status::Failed);
        assert_eq!(db.observations(id, "lookup_no").await, 1);
    }

    /// A database's clock set forward, and a later mail that is shown, are no proof either: the
    /// service may still be at work on the first.
    async fn a_later_mail_does_not_stand_in_for_the_horizon(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        age_question(&db, id).await;
        let doubted = db.row(id).await.uuid().unwrap();
        let service = Scripted::asked(|_| Finding::NotFound);
        let mut reconciler = reconciler(&db, &service, hour());
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_millis(1300) {
            ask_now(&db, &mut reconciler).await;
        }
        ask_now(&db, &mut reconciler).await;
        accept(&db, "late").await;
        service.answer_with(move |q| if q.reference == doubted { Finding::NotFound } else { found("shown") });
        ask_now(&db, &mut reconciler).await;
        assert_eq!(db.status(id).await, Status::Requesting);
        assert_eq!(db.observations(id, "lookup_no").await, 0);
    }

    /// The settings name another account now.
    async fn only_the_account_that_the_attempt_went_to_is_asked(db: TestDb) {
        let id = db.insert("1001").await;
        let other = Claimant { account: "account-0".to_owned(), ..who() };
        let claim = claim_due(&db, &other, 10).await.unwrap().remove(0);
        settle(&db, &claim, &unknown(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let service = Scripted::asked(|_| Finding::NotFound);
        ask(&mut reconciler(&db, &service, hour())).await;
        assert!(service.questions().is_empty());
        let why = db.text_of(&format!(
            "SELECT detail FROM submission_observations WHERE submission_id = {id} AND kind = 'lookup_unclear'"
        )).await.unwrap();
        assert!(why.starts_with("elsewhere") && why.contains("account-0"), "{why}");
    }

    async fn several_processes_put_a_question_once(db: TestDb) {
        for order in 0..20 {
            in_doubt(&db, &format!("o-{order}"), OnUnknown::Hold).await;
        }
        let service = Scripted::asked(|_| Finding::NotFound);
        let other = db.as_other_process().await;
        let rounds = async |db: denpyo::db::Db| {
            let service: Arc<dyn Provider> = Arc::clone(&service) as Arc<dyn Provider>;
            let mut reconciler = Reconciler::new(db, hour(), Some(service), Some(who()));
            for _ in 0..4 {
                reconciler.run_once().await.unwrap();
            }
        };
        tokio::join!(rounds((*db).clone()), rounds(other));
        assert_eq!(service.questions().len(), 20);
    }

    /// While the service was asked, a person decided.
    async fn an_answer_that_comes_too_late_changes_nothing_unless_it_is_proof(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        let open = lookup::take(&db, "p", Duration::from_secs(60), 10).await.unwrap().remove(0);
        let version = db.row(id).await.version;
        operate::answer(&db, "sato", id, version, Answer::NotSent, "asked").await.unwrap();
        let before = db.row(id).await;
        assert_eq!(lookup::not_there(&db, &open, "no", 5).await.unwrap(), lookup::Written::Late);
        assert_eq!(db.row(id).await.version, before.version);
        assert_eq!(lookup::found(&db, &open, &[FoundMail::default()]).await.unwrap(), lookup::Written::Recorded);
        assert_eq!(db.status(id).await, Status::Synced);
    }

    /// An attempt before the present one turns out accepted: the present one may double it.
    async fn an_earlier_attempt_found_is_flagged_while_a_newer_is_in_doubt(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Failed).await;
        let version = db.row(id).await.version;
        let resend = denpyo::outbox::claim::Resend { actor: "sato", version: Some(version), ..Default::default() };
        let resent = denpyo::outbox::claim::claim_for_person(&db, &who(), id, &resend).await.unwrap();
        let denpyo::outbox::claim::Resent::Claimed(second) = resent else { panic!("{resent:?}") };
        settle(&db, &second, &unknown(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let service = Scripted::asked(|_| found("m-1"));
        ask(&mut reconciler(&db, &service, hour())).await;
        let row = db.row(id).await;
        assert_eq!(row.status().unwrap(), Status::Synced);
        assert!(row.possible_duplicate);
    }

    async fn both_attempts_found_are_a_duplicate(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        let mail = |attempt| FoundMail { attempt: Some(attempt), ..FoundMail::default() };
        let service = Scripted::asked(move |_| Finding::Found(vec![mail(1), mail(2)]));
        ask(&mut reconciler(&db, &service, hour())).await;
        assert!(db.row(id).await.possible_duplicate);
    }

    /// Rows of an earlier version, or restored ones, stand in no schedule.
    async fn open_questions_without_a_schedule_are_found(db: TestDb) {
        for side in [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed] {
            in_doubt(&db, &format!("{side:?}"), side).await;
        }
        db.run("DELETE FROM lookups").await;
        let service = Scripted::asked(|_| Finding::NotFound);
        assert_eq!(ask(&mut reconciler(&db, &service, hour())).await.asked, 3);
        assert_eq!(lookup::sweep(&db).await.unwrap(), 0);
    }

    /// A service that takes its time must not make a crash's many questions wait for one another.
    async fn questions_do_not_wait_for_one_another(db: TestDb) {
        for n in 0..4 {
            in_doubt(&db, &format!("{n}"), OnUnknown::Hold).await;
        }
        let service = Scripted::asked(|question| found(&question.reference.to_string()));
        service.answer_together(4);
        let past = db.at(-1);
        db.run(&format!("UPDATE lookups SET next_at = {past}")).await;
        let mut reconciler = reconciler(&db, &service, hour());
        let round = tokio::time::timeout(Duration::from_secs(30), reconciler.run_once());
        let round = round.await.expect("one waits for another").unwrap();
        assert_eq!((round.asked, round.settled), (4, 4));
        let sql = "SELECT COUNT(*) FROM email_submissions \
                   WHERE provider_message_id = CAST(ref AS text)";
        assert_eq!(db.number(sql).await, 4, "each has its own answer");
    }

    async fn a_vanished_process_leaves_a_question(db: TestDb) {
        let id = db.insert("1001").await;
        let _claim = claim_due(&db, &who(), 10).await.unwrap().remove(0);
        eventually("its lease has run out", async || {
            lapse::mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap() == 1
        })
        .await;
        assert_eq!(scheduled(&db, id).await, 1);
        let service = Scripted::asked(|_| found("m-1"));
        ask(&mut reconciler(&db, &service, hour())).await;
        assert_eq!(db.status(id).await, Status::Synced);
    }

    /// A process that starts after a crash may ask before anybody has written down that the lease
    /// ran out: the attempt must not stay open for ever.
    async fn an_answer_before_the_lapse_is_noticed_closes_the_attempt(db: TestDb) {
        for there in [true, false] {
            let id = db.insert(&format!("{there}")).await;
            let _claim = claim_due(&db, &who(), 10).await.unwrap().remove(0);
            let mut questions = Vec::new();
            eventually("the question is found", async || {
                lookup::sweep(&db).await.unwrap();
                let minute = Duration::from_secs(60);
                questions = lookup::take(&db, "a process", minute, 10).await.unwrap();
                questions.len() == 1
            })
            .await;
            let (open, mail) = (&questions[0], FoundMail::default());
            let (written, expected) = if there {
                (lookup::found(&db, open, &[mail]).await, Status::Synced)
            } else {
                (lookup::not_there(&db, open, "no", 5).await, Status::Failed)
            };
            assert_eq!(written.unwrap(), lookup::Written::Recorded);
            assert_eq!(db.status(id).await, expected);
            let closed = format!(
                "SELECT outcome || ' ' || cause FROM submission_attempts \
                 WHERE submission_id = {id} AND closed_at IS NOT NULL"
            );
            assert_eq!(db.text_of(&closed).await.as_deref(), Some("unknown vanished"));
        }
    }
}
