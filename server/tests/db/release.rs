//! Held mails: who may let them go, and what is shown of open questions.

use crate::common::{TestDb, both, claimant, config, office, unknown};
use app::desk::{Desk, Note};
use app::error::AppError;
use app::model::plan::Step;
use app::model::views::{Form, LotAnswer, Me, News, NoticeKind, Seen, Told};
use app::model::{HeldBy, Role};
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::hold::{By, hold_all};
use denpyo::outbox::lookup::{self, Undecided};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use std::time::Duration;

fn person(name: &str, role: Role) -> Me {
    Me {
        name: name.to_owned(),
        role,
    }
}

fn sato() -> Me {
    person("sato", Role::Support)
}

fn lead() -> Me {
    person("suzuki", Role::Lead)
}

async fn acts(db: &TestDb, id: i64) -> Option<String> {
    db.text_of(&format!(
        "SELECT actor || '|' || act || '|' || reason || '|' || COALESCE(CAST(version_seen AS text), '-') \
         FROM audit_events WHERE submission_id = {id} ORDER BY id DESC LIMIT 1"
    ))
    .await
}

async fn seen(db: &TestDb, query: &str) -> Seen {
    let list = office(db).list(&lead(), query).await.unwrap();
    list.lot.map(|lot| lot.seen).unwrap_or_default()
}

both! {
    async fn one_held_mail_is_let_go_once(db: TestDb) {
        let id = db.insert("1001").await;
        hold_all(&db, By::Hold, "until checked").await.unwrap();
        let desk = office(&db);
        let mail = desk.mail(id).await.unwrap();
        assert_eq!((mail.held_by, mail.held_reason.as_deref()), (Some(HeldBy::Hold), Some("until checked")));
        let blank = desk.release(&sato(), id, mail.version, " 　\n").await.unwrap();
        assert_eq!(blank, Told::refused(NoticeKind::ReasonMissing, Form::Release, ""));
        // Another version was seen: nothing happens.
        let stale = desk.release(&sato(), id, mail.version - 1, "checked").await.unwrap();
        assert_eq!(stale, Told::refused(NoticeKind::Changed, Form::Release, "checked"));
        assert!(db.row(id).await.held_reason.is_some());
        let done = desk.release(&sato(), id, mail.version, "checked").await.unwrap();
        assert_eq!(done, Told::from(NoticeKind::Released));
        let row = db.row(id).await;
        assert_eq!((row.held_reason, row.version), (None, mail.version + 1));
        assert_eq!(acts(&db, id).await, Some(format!("sato|release|checked|{}", mail.version)));
        // The second person is told who was first, even after a worker has taken it.
        assert_eq!(claim_due(&db, &claimant(), 1).await.unwrap().len(), 1);
        let late = desk.release(&lead(), id, mail.version, "me too").await.unwrap();
        assert_eq!(late, Told::refused(NoticeKind::NotHeld, Form::Release, "me too"));
        let News::Mail(told) = desk.news(Note::of(id, late)).await.unwrap() else { panic!() };
        assert_eq!((told.by.as_deref(), told.draft.unwrap().reason.as_str()), (Some("sato"), "me too"));
        let nobody = desk.release(&sato(), 999_999, 1, "r").await;
        assert_eq!(nobody, Err(AppError::NotFound));
    }

    async fn of_two_who_let_go_one_counts(db: TestDb) {
        for round in 0..10 {
            let id = db.insert(&round.to_string()).await;
            hold_all(&db, By::Hold, "why").await.unwrap();
            let version = db.row(id).await.version;
            let (one, two) = (office(&db), Office::new(db.as_other_process().await, config(&[]), None));
            let (sato, suzuki) = (sato(), lead());
            let (a, b) = tokio::join!(
                one.release(&sato, id, version, "a"),
                two.release(&suzuki, id, version, "b"),
            );
            let said = [a.unwrap().what, b.unwrap().what];
            assert!(said.contains(&NoticeKind::Released) && said.contains(&NoticeKind::NotHeld), "{said:?}");
            let acts = format!("SELECT COUNT(*) FROM audit_events WHERE submission_id = {id}");
            assert_eq!(db.number(&acts).await, 1);
        }
    }

    async fn a_lot_is_let_go_as_it_was_seen(db: TestDb) {
        let ids = [db.insert("1").await, db.insert("2").await, db.insert("3").await];
        hold_all(&db, By::Installation, "restored").await.unwrap();
        let desk = office(&db);
        let query = "needs=held";
        let before = seen(&db, query).await;
        assert_eq!((before.count, before.newest), (3, ids[2]));
        // Who may: leads. Support is shown the list without the form.
        let theirs = desk.list(&sato(), query).await.unwrap().lot;
        assert_eq!(theirs.map(|lot| lot.allowed), Some(false));
        let refused = desk.release_many(&sato(), query, before, "r").await;
        assert_eq!(refused, Err(AppError::Forbidden));
        let blank = desk.release_many(&lead(), query, before, " ").await;
        assert_eq!(blank, Ok(LotAnswer::ReasonMissing));
        // Nothing but what asks for held mails was ever shown with the form.
        for other in ["", "needs=person", "needs=held&status=nonsense"] {
            let refused = desk.release_many(&lead(), other, before, "r").await;
            assert_eq!(refused, Err(AppError::BadInput), "{other}");
        }
        // One more, one less, one changed: another list, and nothing is let go.
        let fourth = db.insert("4").await;
        hold_all(&db, By::Hold, "later").await.unwrap();
        let grown = desk.release_many(&lead(), query, before, "r").await.unwrap();
        assert_eq!(grown, LotAnswer::Changed { shown: 3, now: 4 });
        let four = seen(&db, query).await;
        db.change(ids[1], "held_reason = 'another'").await;
        let changed = desk.release_many(&lead(), query, four, "r").await.unwrap();
        assert_eq!(changed, LotAnswer::Changed { shown: 4, now: 4 });
        let four = seen(&db, query).await;
        let version = db.row(fourth).await.version;
        desk.release(&sato(), fourth, version, "this one").await.unwrap();
        let fewer = desk.release_many(&lead(), query, four, "r").await.unwrap();
        assert_eq!(fewer, LotAnswer::Changed { shown: 4, now: 3 });
        let News::Lot(told) = desk.news(Note::Lot(fewer)).await.unwrap() else { panic!() };
        assert_eq!(told.by.as_deref(), Some("sato"));
        let News::Lot(told) = desk.news(Note::of_lot(grown, " r ")).await.unwrap() else { panic!() };
        assert_eq!((told.by, told.draft.unwrap().reason.as_str()), (None, "r"));
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events WHERE act = 'release'").await, 1);
        // As it stands now.
        let three = seen(&db, query).await;
        let done = desk.release_many(&lead(), query, three, "all checked").await.unwrap();
        assert_eq!(done, LotAnswer::Released(3));
        assert_eq!(Note::of_lot(done, "all checked"), Note::Lot(done));
        for id in ids {
            assert_eq!(acts(&db, id).await.as_deref(), Some("suzuki|release|all checked|-"));
        }
        assert_eq!(seen(&db, query).await, Seen::default());
        let again = desk.release_many(&lead(), query, three, "r").await.unwrap();
        assert_eq!(again, LotAnswer::Changed { shown: 3, now: 0 });
    }

    async fn a_lot_is_what_the_filter_shows(db: TestDb) {
        let mine = db.insert("1").await;
        db.run("UPDATE email_submissions SET subject = subject, version = version + 1").await;
        let other = db.insert_to("2", "other@example.jp").await;
        hold_all(&db, By::Hold, "r").await.unwrap();
        let query = "needs=held&q=other%40example.jp";
        let before = seen(&db, query).await;
        assert_eq!((before.count, before.newest), (1, other));
        let done = office(&db).release_many(&lead(), query, before, "r").await.unwrap();
        assert_eq!(done, LotAnswer::Released(1));
        assert!(db.row(mine).await.held_reason.is_some());
    }

    async fn an_open_question_shows_when_it_is_asked_next(db: TestDb) {
        let id = db.insert("1001").await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        settle(&db, &claims[0], &unknown(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        db.run(&format!("UPDATE lookups SET next_at = {}", db.at(-5))).await;
        let open = lookup::take(&db, "me", Duration::from_secs(60), 1).await.unwrap();
        let hour = Some(Duration::from_secs(3600));
        let unclear = Undecided::Unclear { why: "refused", detail: "403 forbidden" };
        lookup::undecided(&db, &open[0], unclear, hour).await.unwrap();
        let mail = office(&db).mail(id).await.unwrap();
        let lookup = mail.lookup.unwrap();
        assert_eq!((lookup.asked, lookup.ended), (1, false));
        let minutes = lookup.next_at.seconds_since(&mail.as_of) / 60;
        assert!((58..=60).contains(&minutes), "{minutes}");
        let cases = office(&db).cases().await.unwrap();
        let case = &cases.cases[0];
        assert_eq!(case.lookup, Some(lookup));
        let last = case.last_answer.as_ref().unwrap();
        assert_eq!((last.kind.as_str(), last.detail.as_deref()), ("lookup_unclear", Some("refused: 403 forbidden")));
        // No service is set here, so nobody asks.
        assert!(matches!(cases.plan(case).next, Step::Person(_)));
        // What was answered of an earlier attempt is not shown of a later one.
        let open = lookup::take(&db, "me", Duration::from_secs(60), 1).await.unwrap();
        assert!(open.is_empty());
        db.run(&format!("UPDATE lookups SET next_at = {}", db.at(-5))).await;
        let open = lookup::take(&db, "me", Duration::from_secs(60), 1).await.unwrap();
        lookup::not_there(&db, &open[0], "not found twice, a horizon apart", 5).await.unwrap();
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        settle(&db, &claims[0], &unknown(), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let cases = office(&db).cases().await.unwrap();
        assert_eq!(cases.cases[0].last_answer, None);
        assert_eq!(cases.cases[0].lookup.map(|l| l.asked), Some(0));
    }
}
