//! Answers of a service that say neither yes nor no.

use crate::common::{Scripted, both};
use crate::reconcile::{age_question, ask, ask_now, hour, in_doubt, reconciler, scheduled};
use app::model::Status;
use denpyo::outbox::settle::OnUnknown;
use denpyo::provider::asking::{Finding, Unclear};

both! {
    async fn an_answer_that_is_unclear_settles_nothing(db: TestDb) {
        for (why, again) in [
            (Unclear::Refused, 1),
            (Unclear::Unreachable, 1),
            (Unclear::Incomplete, 1),
            (Unclear::NoLookup, 0),
        ] {
            let (id, _claim) = in_doubt(&db, &format!("{why:?}"), OnUnknown::Hold).await;
            age_question(&db, id).await;
            let service = Scripted::asked(move |_| Finding::Unclear { why, detail: "words".to_owned() });
            ask(&mut reconciler(&db, &service, hour())).await;
            assert_eq!(db.status(id).await, Status::Requesting);
            assert_eq!(db.observations(id, "lookup_unclear").await, 1);
            assert_eq!(scheduled(&db, id).await, again, "{why:?}");
            db.run("DELETE FROM lookups").await;
        }
    }

    /// Workers that were killed asked it often; then the service was away for a moment.
    async fn what_was_asked_often_is_asked_again_soon_after_an_unclear_answer(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        age_question(&db, id).await;
        let service = Scripted::asked(|_| Finding::Unclear { why: Unclear::Unreachable, detail: "words".to_owned() });
        let mut reconciler = reconciler(&db, &service, hour());
        ask(&mut reconciler).await;
        db.run("UPDATE lookups SET asked = 15, unclear = 0").await;
        ask_now(&db, &mut reconciler).await;
        let within = |seconds| format!("SELECT COUNT(*) FROM lookups WHERE next_at > {} AND next_at <= {}", db.at(0), db.at(seconds));
        assert_eq!(db.number(&within(300)).await, 1);
        // Where it stays away, the questions grow apart.
        db.run("UPDATE lookups SET unclear = 4").await;
        ask_now(&db, &mut reconciler).await;
        assert_eq!(db.number(&within(1800)).await, 0);
    }

    async fn a_service_without_look_up_leaves_it_to_a_person(db: TestDb) {
        let (id, _claim) = in_doubt(&db, "1001", OnUnknown::Hold).await;
        let service = Scripted::accepting();
        let mut reconciler = reconciler(&db, &service, hour());
        ask(&mut reconciler).await;
        assert_eq!(scheduled(&db, id).await, 0);
        assert_eq!(db.observations(id, "lookup_unclear").await, 1);
        assert_eq!(reconciler.run_once().await.unwrap().asked, 0);
        assert_eq!(db.status(id).await, Status::Requesting);
    }
}
