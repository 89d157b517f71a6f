//! Replays, at a service that knows idempotency keys: whenever a process dies, there is one mail
//! in the end, or a person is asked.

use crate::common::{TestDb, both, claimant, config, eventually, listening};
use app::desk::Answer;
use app::model::{SettledBy, Status};
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use denpyo::outbox::claim::replay::{self, Replaying};
use denpyo::outbox::claim::{Claimant, Requests, Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::operate::{Answered, answer};
use denpyo::outbox::settle::OnUnknown;
use denpyo::provider::{self, Provider, Settings};
use denpyo::reconcile::Reconciler;
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Shorter than any test, and long enough to post in it.
const LEASE: Duration = Duration::from_secs(3);
const TIMEOUT: Duration = Duration::from_millis(300);

#[derive(Default)]
struct Inside {
    /// By key: the body, and the answer's id.
    keys: HashMap<String, (Bytes, String)>,
    posts: usize,
    /// What is answered instead, while it is set.
    refusing: Option<StatusCode>,
}

/// Resend as far as it matters here.
#[derive(Clone)]
struct StandIn {
    inside: Arc<Mutex<Inside>>,
    provider: Arc<dyn Provider>,
}

impl StandIn {
    async fn start() -> StandIn {
        let inside: Arc<Mutex<Inside>> = Arc::default();
        let handler = {
            let inside = Arc::clone(&inside);
            async move |headers: HeaderMap, body: Bytes| take(&inside, &headers, body)
        };
        let service = Router::new().route("/emails", post(handler));
        let url = listening(service).await;
        let settings = Settings {
            url: Some(url),
            key: Some("re_key".to_owned()),
            timeout: TIMEOUT,
            ..Settings::default()
        };
        let provider = provider::build("resend", &settings).unwrap();
        StandIn { inside, provider }
    }

    fn who(&self) -> Claimant {
        Claimant {
            provider: "resend".to_owned(),
            account: self.provider.account().to_owned(),
            lease: LEASE,
            timeout: TIMEOUT,
            requests: Requests::of(&self.provider),
            ..claimant()
        }
    }

    fn reconciler(&self, db: &TestDb, who: Claimant) -> Reconciler {
        let settings = [("DENPYO_LEASE", "3s"), ("DENPYO_REQUEST_TIMEOUT", "300ms")];
        let provider = Some(Arc::clone(&self.provider));
        Reconciler::new((**db).clone(), config(&settings), provider, Some(who))
    }

    fn mails(&self) -> usize {
        self.inside.lock().unwrap().keys.len()
    }

    fn posts(&self) -> usize {
        self.inside.lock().unwrap().posts
    }

    fn refuse(&self, status: Option<StatusCode>) {
        self.inside.lock().unwrap().refusing = status;
    }
}

fn take(inside: &Mutex<Inside>, headers: &HeaderMap, body: Bytes) -> Response {
    let mut inside = inside.lock().unwrap();
    inside.posts += 1;
    if let Some(status) = inside.refusing {
        return (status, Json(json!({"name": "scripted", "message": "no"}))).into_response();
    }
    let key = headers["idempotency-key"].to_str().unwrap().to_owned();
    let next = format!("mail-{}", inside.keys.len() + 1);
    let known = inside.keys.entry(key).or_insert((body.clone(), next));
    if known.0 != body {
        return StatusCode::CONFLICT.into_response();
    }
    Json(json!({"id": known.1})).into_response()
}

/// One mail, claimed by a process that dies; `posted`: after the service took it.
async fn left_behind(db: &TestDb, service: &StandIn, order: &str, posted: bool) -> i64 {
    let id = db.insert(order).await;
    let claims = claim_due(db, &service.who(), 10).await.unwrap();
    assert_eq!(claims.len(), 1);
    if posted {
        let permit = claims[0].permit().expect("time is left");
        service.provider.send(permit).await;
    }
    id
}

/// Rounds of the reconciler until the row is as it should be.
async fn rounds(what: &str, reconciler: &mut Reconciler, mut done: impl AsyncFnMut() -> bool) {
    eventually(what, async || {
        reconciler.run_once().await.unwrap();
        done().await
    })
    .await;
}

/// A person has to find out: nothing is asked any more, and the reason is kept.
async fn asked_no_more(db: &TestDb, id: i64, why: &str) -> bool {
    let ended = format!("SELECT COUNT(*) FROM lookups WHERE submission_id = {id} AND ended");
    if db.number(&ended).await == 0 {
        return false;
    }
    let seen = format!(
        "SELECT detail FROM submission_observations WHERE submission_id = {id} AND kind = 'lookup_unclear'"
    );
    assert!(db.text_of(&seen).await.unwrap().starts_with(why));
    let row = db.row(id).await;
    assert!(row.open_question, "{row:?}");
    assert_eq!(row.status().unwrap(), Status::Requesting);
    true
}

both! {
    async fn a_process_dies_around_its_post_and_there_is_one_mail(db: TestDb) {
        for (i, posted) in [true, false].into_iter().enumerate() {
            let service = StandIn::start().await;
            let id = left_behind(&db, &service, &i.to_string(), posted).await;
            assert_eq!(service.mails(), usize::from(posted));
            let mut reconciler = service.reconciler(&db, service.who());
            rounds("synced", &mut reconciler, async || db.status(id).await == Status::Synced).await;
            let row = db.row(id).await;
            assert_eq!(row.settled_by(), Some(SettledBy::Lookup));
            assert_eq!(row.provider_message_id.as_deref(), Some("mail-1"));
            assert!(!row.possible_duplicate && row.lease_until.is_none());
            assert_eq!((row.attempts, service.mails()), (1, 1));
            assert_eq!(service.posts(), 1 + usize::from(posted));
            assert_eq!(db.column(id, "replay_token").await, None);
            assert_eq!(db.observations(id, "lookup_found").await, 1);
            // Nothing is left to be done.
            reconciler.run_once().await.unwrap();
            assert_eq!(service.posts(), 1 + usize::from(posted));
            assert!(claim_due(&db, &service.who(), 10).await.unwrap().is_empty());
        }
    }

    async fn what_was_only_assumed_is_found_out(db: TestDb) {
        for (order, side) in [("1", OnUnknown::Failed), ("2", OnUnknown::Synced)] {
            let service = StandIn::start().await;
            let id = left_behind(&db, &service, order, true).await;
            db.lapse(id).await;
            mark_lapsed(&db, |_| side).await.unwrap();
            assert!(db.row(id).await.assumed());
            let mut reconciler = service.reconciler(&db, service.who());
            rounds("no assumption", &mut reconciler, async || !db.row(id).await.assumed()).await;
            let row = db.row(id).await;
            assert_eq!((row.status().unwrap(), row.settled_by()), (Status::Synced, Some(SettledBy::Lookup)));
            assert_eq!(service.mails(), 1);
        }
    }

    /// Posted again after the service forgot the key, it would be a second mail.
    async fn a_key_that_the_service_forgets_is_not_used(db: TestDb) {
        let service = StandIn::start().await;
        let id = left_behind(&db, &service, "1", true).await;
        db.lapse(id).await;
        mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap();
        // An attempt is changed by its closing alone.
        let id2 = left_behind(&db, &service, "2", true).await;
        let long_ago = db.at(-(23 * 3600 + 1));
        db.run(&format!(
            "UPDATE submission_attempts SET claimed_at = {long_ago}, lease_until = {long_ago}, \
             closed_at = {long_ago}, outcome = 'unknown', cause = 'vanished' WHERE submission_id = {id2}"
        )).await;
        db.lapse(id2).await;
        let mut reconciler = service.reconciler(&db, service.who());
        rounds("too old", &mut reconciler, async || asked_no_more(&db, id2, "too_old").await).await;
        rounds("the other", &mut reconciler, async || db.status(id).await == Status::Synced).await;
        assert_eq!((service.mails(), service.posts()), (2, 3));
    }

    /// Under the same key another request would be refused at best.
    async fn a_request_that_would_differ_is_not_posted(db: TestDb) {
        let service = StandIn::start().await;
        let from = app::model::address::Mailbox::parse("Other <other@example.com>").ok();
        let others = [
            Claimant { installation: "another".to_owned(), ..service.who() },
            Claimant { from, ..service.who() },
        ];
        for (i, other) in others.into_iter().enumerate() {
            let id = left_behind(&db, &service, &i.to_string(), true).await;
            let mut reconciler = service.reconciler(&db, other);
            rounds("differs", &mut reconciler, async || asked_no_more(&db, id, "incomplete").await).await;
            assert_eq!((service.mails(), service.posts()), (i + 1, i + 1));
            assert_eq!(db.column(id, "replay_token").await, None);
        }
    }

    async fn two_reconcilers_make_one_replay(db: TestDb) {
        let service = StandIn::start().await;
        let id = left_behind(&db, &service, "1", false).await;
        let other = db.as_other_process().await;
        let settings = [("DENPYO_LEASE", "3s"), ("DENPYO_REQUEST_TIMEOUT", "300ms")];
        let provider = Some(Arc::clone(&service.provider));
        let mut second = Reconciler::new(other.clone(), config(&settings), provider, Some(service.who()));
        let mut first = service.reconciler(&db, service.who());
        eventually("synced", async || {
            let (a, b) = tokio::join!(first.run_once(), second.run_once());
            a.unwrap();
            b.unwrap();
            db.status(id).await == Status::Synced
        }).await;
        assert_eq!((service.mails(), service.posts()), (1, 1));

        // The claim itself lets one through.
        let id = left_behind(&db, &service, "2", false).await;
        let digest = format!("SELECT digest FROM attempt_requests WHERE submission_id = {id}");
        let digest = db.text_of(&digest).await.unwrap();
        db.lapse(id).await;
        let who = service.who();
        let (a, b) = tokio::join!(
            replay::claim(&db, &who, id, 1, &digest),
            replay::claim(&other, &who, id, 1, &digest)
        );
        let ready = [a.unwrap(), b.unwrap()].iter().filter(|r| matches!(r, Replaying::Ready(_))).count();
        assert_eq!(ready, 1);
    }

    async fn nobody_resends_or_decides_while_a_replay_is_under_way(db: TestDb) {
        for (order, side) in [("1", OnUnknown::Hold), ("2", OnUnknown::Failed)] {
            let service = StandIn::start().await;
            let id = left_behind(&db, &service, order, true).await;
            db.lapse(id).await;
            mark_lapsed(&db, |_| side).await.unwrap();
            let digest = format!("SELECT digest FROM attempt_requests WHERE submission_id = {id}");
            let digest = db.text_of(&digest).await.unwrap();
            let who = Claimant { lease: Duration::from_secs(120), ..service.who() };
            let Replaying::Ready(under_way) = replay::claim(&db, &who, id, 1, &digest).await.unwrap() else {
                panic!("not claimed");
            };
            let resend = Resend { actor: "sato", ..Resend::default() };
            let refused = claim_for_person(&db, &who, id, &resend).await.unwrap();
            assert!(matches!(refused, Resent::Refused(_)), "{refused:?}");
            let version = db.row(id).await.version;
            let said = answer(&db, "sato", id, version, Answer::NotSent, "asked them").await.unwrap();
            assert!(matches!(said, Answered::Refused(_)), "{said:?}");
            assert_eq!(mark_lapsed(&db, |_| OnUnknown::Failed).await.unwrap(), 0);
            assert!(claim_due(&db, &who, 10).await.unwrap().is_empty());
            // It ends without an answer, and people may decide again.
            replay::end(&db, &under_way).await.unwrap();
            if side == OnUnknown::Hold {
                let version = db.row(id).await.version;
                let said = answer(&db, "sato", id, version, Answer::NotSent, "asked them").await.unwrap();
                assert!(matches!(said, Answered::Recorded), "{said:?}");
            }
            let claimed = claim_for_person(&db, &who, id, &resend).await.unwrap();
            assert!(matches!(claimed, Resent::Claimed(_)), "{claimed:?}");
        }
    }

    /// The replaying process dies too: its lease ends, and nobody is locked out for ever.
    async fn a_replay_that_dies_is_taken_up_again(db: TestDb) {
        for (order, then) in [("1", "again"), ("2", "person"), ("3", "assumed")] {
            let service = StandIn::start().await;
            let id = left_behind(&db, &service, order, true).await;
            db.lapse(id).await;
            mark_lapsed(&db, |_| OnUnknown::Hold).await.unwrap();
            let digest = format!("SELECT digest FROM attempt_requests WHERE submission_id = {id}");
            let digest = db.text_of(&digest).await.unwrap();
            let who = service.who();
            let dead = replay::claim(&db, &who, id, 1, &digest).await.unwrap();
            assert!(matches!(dead, Replaying::Ready(_)), "{dead:?}");
            db.lapse(id).await;
            if then == "again" {
                let mut reconciler = service.reconciler(&db, service.who());
                rounds("synced", &mut reconciler, async || db.status(id).await == Status::Synced).await;
                assert_eq!(service.mails(), 1);
                continue;
            }
            if then == "person" {
                let version = db.row(id).await.version;
                let said = answer(&db, "sato", id, version, Answer::NotSent, "asked them").await.unwrap();
                assert!(matches!(said, Answered::Recorded), "{said:?}");
            } else {
                assert_eq!(mark_lapsed(&db, |_| OnUnknown::Failed).await.unwrap(), 1);
            }
            let resend = Resend { actor: "sato", ..Resend::default() };
            let claimed = claim_for_person(&db, &who, id, &resend).await.unwrap();
            assert!(matches!(claimed, Resent::Claimed(_)), "{then}: {claimed:?}");
        }
    }

    /// What the service answers to the replay decides, as far as it says anything.
    async fn a_replay_that_is_not_accepted(db: TestDb) {
        for (status, settled) in [
            (StatusCode::CONFLICT, None),
            (StatusCode::INTERNAL_SERVER_ERROR, None),
            (StatusCode::TOO_MANY_REQUESTS, None),
            (StatusCode::UNAUTHORIZED, None),
            (StatusCode::UNPROCESSABLE_ENTITY, Some(Status::Failed)),
        ] {
            let service = StandIn::start().await;
            let id = left_behind(&db, &service, status.as_str(), false).await;
            service.refuse(Some(status));
            let mut reconciler = service.reconciler(&db, service.who());
            rounds("asked", &mut reconciler, async || service.posts() == 1).await;
            let row = db.row(id).await;
            if let Some(settled) = settled {
                assert_eq!((row.status().unwrap(), row.settled_by()), (settled, Some(SettledBy::Lookup)));
                assert!(row.next_attempt_at.is_some());
                db.change(id, "next_attempt_at = NULL").await;
                continue;
            }
            assert!(row.open_question, "{status}: {row:?}");
            assert_eq!(db.observations(id, "lookup_unclear").await, 1, "{status}");
            // Asked again later, it is sent: once.
            service.refuse(None);
            let past = db.at(-1);
            db.run(&format!("UPDATE lookups SET next_at = {past} WHERE submission_id = {id}")).await;
            rounds("synced", &mut reconciler, async || db.status(id).await == Status::Synced).await;
            assert_eq!(service.mails(), 1, "{status}");
        }
    }
}
