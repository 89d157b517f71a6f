//! A support agent's acts on one mail.

use crate::common::{
    Scripted, TestDb, accepted, both, claimant, config, never_left, office, refused, sender,
    settled, unknown,
};
use app::desk::{Agent, Desk, Note, Ticket, Written};
use app::model::address::Address;
use app::model::timeline::{What, timeline};
use app::model::views::{Form, Me, News, NoticeKind};
use app::model::{AddressFault, DeliveryState, Role, SettledBy, Status};
use denpyo::desk::Office;
use denpyo::outbox::call_off::{CalledOff, call_off};
use denpyo::outbox::claim::{Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::copies::{Copied, Wanted, further_copy};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::provider::SendOutcome;

fn me(name: &str) -> Me {
    Me {
        name: name.to_owned(),
        role: Role::Support,
    }
}

fn copy_by(actor: &str, copy: i32) -> Wanted<'_> {
    Wanted {
        actor,
        copy,
        reason: Some("お客様のご依頼"),
        ..Wanted::default()
    }
}

fn to(text: &str) -> Written<'_> {
    Written { text, shown: "" }
}

async fn acts(db: &TestDb, id: i64, act: &str) -> i64 {
    db.number(&format!(
        "SELECT COUNT(*) FROM audit_events WHERE submission_id = {id} AND act = '{act}'"
    ))
    .await
}

both! {
    async fn a_further_copy_is_a_row_of_its_own(db: TestDb) {
        let id = settled(&db, "1001", &accepted("m-1")).await;
        let before = db.row(id).await;
        let there = Address::parse("other@example.com").unwrap();
        let wanted = Wanted { recipient: Some(&there), ..copy_by("sato", 1) };
        let Copied::Created(copy) = further_copy(&db, id, &wanted).await.unwrap() else {
            panic!("not made");
        };
        assert_eq!((copy.copy, copy.original_id, copy.attempts), (1, Some(id), 0));
        assert_eq!(copy.status().unwrap(), Status::Pending);
        assert_eq!(copy.recipient.as_ref().unwrap().shown(), "other@example.com");
        assert_eq!((copy.subject.clone(), copy.body_text.clone()), (before.subject, before.body_text));
        assert_ne!(copy.reference, before.reference);
        assert_eq!(db.row(id).await.version, before.version, "the original stays as it is");
        let written = db.text_of(&format!(
            "SELECT actor || '|' || reason || '|' || before_recipient || '>' || after_recipient \
             FROM audit_events WHERE submission_id = {id} AND act = 'copy' AND copy_id = {}", copy.id
        )).await;
        assert_eq!(written.as_deref(), Some("sato|お客様のご依頼|a@example.com>other@example.com"));
        // It stands on both time-lines, and each leads to the other.
        let seen = office(&db).mail(id).await.unwrap();
        assert_eq!((seen.next_copy, seen.others.len(), seen.others[0].id), (2, 1, copy.id));
        assert!(timeline(&seen).iter().any(|s| matches!(&s.what, What::Act(a) if a.copy == Some((copy.id, 1)))));
        let seen = office(&db).mail(copy.id).await.unwrap();
        assert_eq!((seen.original, seen.next_copy), (Some(id), 2));
        assert!(timeline(&seen).iter().any(|s| matches!(&s.what, What::Act(a) if a.act == "copy")));
        // The same claim sends it, and then a copy of the copy is the original's second.
        let claims = claim_due(&db, &claimant(), 10).await.unwrap();
        assert_eq!((claims.len(), claims[0].id()), (1, copy.id));
        settle(&db, &claims[0], &accepted("m-2"), OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let Copied::Created(second) = further_copy(&db, copy.id, &copy_by("sato", 2)).await.unwrap() else {
            panic!("not made");
        };
        assert_eq!((second.copy, second.original_id), (2, Some(id)));
        assert_eq!(second.recipient.as_ref().unwrap().shown(), "other@example.com");
    }

    async fn twenty_clicks_are_one_copy(db: TestDb) {
        let id = settled(&db, "1001", &accepted("m-1")).await;
        let mut clicks = tokio::task::JoinSet::new();
        let others = [db.as_other_process().await, db.as_other_process().await];
        for i in 0..20 {
            let own = others[i % 2].clone();
            clicks.spawn(async move {
                match further_copy(&own, id, &copy_by("sato", 1)).await.unwrap() {
                    Copied::Created(row) => (1, row.id),
                    Copied::Exists { row, by } => {
                        assert_eq!(by.as_deref(), Some("sato"));
                        (0, row.id)
                    }
                    other => panic!("{other:?}"),
                }
            });
        }
        let answers = clicks.join_all().await;
        assert_eq!(answers.iter().map(|(made, _)| made).sum::<i32>(), 1);
        assert!(answers.iter().all(|(_, copy)| *copy == answers[0].1), "all name the one copy");
        assert_eq!(acts(&db, id, "copy").await, 1);
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 2);
    }

    async fn a_copy_of_another_number_or_to_another_is_not_taken_for_it(db: TestDb) {
        let id = settled(&db, "1001", &accepted("m-1")).await;
        for wrong in [0, 2, -1] {
            let answer = further_copy(&db, id, &copy_by("sato", wrong)).await.unwrap();
            assert!(matches!(answer, Copied::Taken { next: 1 }), "{wrong}: {answer:?}");
        }
        further_copy(&db, id, &copy_by("sato", 1)).await.unwrap();
        let there = Address::parse("other@example.com").unwrap();
        let other = Wanted { recipient: Some(&there), ..copy_by("suzuki", 1) };
        let answer = further_copy(&db, id, &other).await.unwrap();
        assert!(matches!(answer, Copied::Taken { next: 2 }), "{answer:?}");
        // Another occasion of the same order is another mail.
        assert_eq!(acts(&db, id, "copy").await, 1);
    }

    async fn the_same_request_is_the_same_copy(db: TestDb) {
        let id = settled(&db, "1001", &accepted("m-1")).await;
        let asked = Wanted { request_id: Some("r-1"), ..copy_by("api", 1) };
        let Copied::Created(copy) = further_copy(&db, id, &asked).await.unwrap() else { panic!() };
        for _ in 0..2 {
            let again = further_copy(&db, id, &asked).await.unwrap();
            assert!(matches!(&again, Copied::Exists { row, .. } if row.id == copy.id), "{again:?}");
        }
        // Even once its mail is not accepted any more as far as anybody knows.
        db.change(id, "delivery_state = 'complained'").await;
        let again = further_copy(&db, id, &asked).await.unwrap();
        assert!(matches!(again, Copied::Exists { .. }), "{again:?}");
    }

    async fn only_what_the_service_has_is_copied(db: TestDb) {
        let refused = settled(&db, "refused", &refused()).await;
        let open = settled(&db, "open", &unknown()).await;
        let spam = settled(&db, "spam", &accepted("m")).await;
        db.change(spam, "delivery_state = 'complained'").await;
        let waiting = db.insert("waiting").await;
        for (id, why) in [
            (refused, NoticeKind::NotAccepted),
            (open, NoticeKind::NotAccepted),
            (waiting, NoticeKind::NotAccepted),
            (spam, NoticeKind::Complained),
        ] {
            let answer = further_copy(&db, id, &copy_by("sato", 1)).await.unwrap();
            assert!(matches!(&answer, Copied::Refused(kind, _) if *kind == why), "{answer:?}");
            let seen = office(&db).mail(id).await.unwrap();
            assert_eq!(seen.standing().copy(), Err(why), "the page's form");
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events").await, 0);
        let bounced = settled_after(&db, "bounced", waiting).await;
        db.change(bounced, "delivery_state = 'bounced'").await;
        assert_eq!(office(&db).mail(bounced).await.unwrap().delivery, Some(DeliveryState::Bounced));
        let answer = further_copy(&db, bounced, &copy_by("sato", 1)).await.unwrap();
        assert!(matches!(answer, Copied::Created(_)), "{answer:?}");
        let nobody = further_copy(&db, 999_999, &copy_by("sato", 1)).await.unwrap();
        assert!(matches!(nobody, Copied::NotFound), "{nobody:?}");
    }

    async fn what_is_not_sent_is_called_off(db: TestDb) {
        let failed = settled(&db, "failed", &never_left()).await;
        let refused = settled(&db, "refused", &refused()).await;
        let waiting = db.insert("waiting").await;
        let held = db.insert("held").await;
        db.change(held, "held_reason = 'asked for', held_by = 'hold'").await;
        for (id, before) in [(failed, "failed"), (refused, "rejected"), (waiting, "pending"), (held, "pending")] {
            let version = db.row(id).await.version;
            let done = call_off(&db, "sato", id, version, "不要").await.unwrap();
            assert!(matches!(done, CalledOff::Done), "{done:?}");
            let row = db.row(id).await;
            assert_eq!((row.status().unwrap(), row.settled_by()), (Status::Canceled, Some(SettledBy::Person)));
            assert_eq!((row.held_reason.clone(), row.next_attempt_at), (None, None));
            let written = db.text_of(&format!(
                "SELECT actor || '|' || act || '|' || reason || '|' || before_status || '>' || after_status \
                 FROM audit_events WHERE submission_id = {id}"
            )).await;
            assert_eq!(written, Some(format!("sato|cancel|不要|{before}>canceled")));
            // Nobody sends it any more.
            let resent = claim_for_person(&db, &claimant(), id, &Resend { actor: "sato", ..Resend::default() }).await.unwrap();
            assert!(matches!(resent, Resent::Refused(_)), "{resent:?}");
        }
        assert!(claim_due(&db, &claimant(), 10).await.unwrap().is_empty());
        assert!(matches!(call_off(&db, "sato", 999_999, 1, "x").await.unwrap(), CalledOff::NotFound));
    }

    async fn whoever_was_faster_is_named_and_nothing_is_called_off(db: TestDb) {
        let id = settled(&db, "1001", &refused()).await;
        let version = db.row(id).await.version;
        let resend = Resend { actor: "lead1", ..Resend::default() };
        claim_for_person(&db, &claimant(), id, &resend).await.unwrap();
        let desk = office(&db);
        let told = desk.call_off(&me("sato"), id, version, "不要").await.unwrap();
        assert_eq!(told.what, NoticeKind::TooLate);
        assert_eq!((db.status(id).await, acts(&db, id, "cancel").await), (Status::Requesting, 0));
        let News::Mail(news) = desk.news(Note::of(id, told)).await.unwrap() else { panic!() };
        assert_eq!((news.by.as_deref(), news.attempt), (Some("lead1"), Some(2)));
        assert!(news.at.is_some());
        // A worker that was faster is named as well.
        let id = db.insert("1002").await;
        let version = db.row(id).await.version;
        claim_due(&db, &claimant(), 10).await.unwrap();
        let told = desk.call_off(&me("sato"), id, version, "不要").await.unwrap();
        let News::Mail(news) = desk.news(Note::of(id, told)).await.unwrap() else { panic!() };
        assert_eq!((news.what, news.by.as_deref()), (NoticeKind::TooLate, Some("worker-1")));
    }

    /// Both want the same due row: it is sent or called off, never both.
    async fn a_person_who_calls_off_and_a_worker_agree(db: TestDb) {
        for round in 0..10 {
            let id = db.insert(&round.to_string()).await;
            let version = db.row(id).await.version;
            let other = db.as_other_process().await;
            let worker = tokio::spawn(async move { claim_due(&other, &claimant(), 10).await.unwrap().len() });
            let person = call_off(&db, "sato", id, version, "不要").await.unwrap();
            let claimed = worker.await.unwrap() == 1;
            assert_ne!(claimed, matches!(person, CalledOff::Done), "round {round}: {person:?}");
            let expected = if claimed { Status::Requesting } else { Status::Canceled };
            assert_eq!(db.status(id).await, expected);
        }
    }

    async fn a_form_that_is_not_taken_comes_back_as_it_was_filled_in(db: TestDb) {
        let id = settled(&db, "1001", &accepted("m-1")).await;
        let desk = office(&db);
        // No reason: nothing is done, and the address is not lost.
        let told = desk.further_copy(&me("sato"), id, 1, to("b@example.com"), " \n").await.unwrap();
        let draft = told.draft.unwrap();
        assert_eq!((told.what, draft.form, draft.recipient.as_str()), (NoticeKind::ReasonMissing, Form::Copy, "b@example.com"));
        // What was trimmed is shown before anything is sent, once.
        let told = desk.further_copy(&me("sato"), id, 1, to("　mailto:ｂ＠example.com、"), "ご依頼").await.unwrap();
        let draft = told.draft.unwrap();
        assert_eq!((told.what, draft.recipient.as_str(), draft.reason.as_str()), (NoticeKind::Tidied, "b@example.com", "ご依頼"));
        assert_eq!(acts(&db, id, "copy").await, 0);
        // What is wrong inside is pointed at.
        let told = desk.further_copy(&me("sato"), id, 1, to("b\u{200b}b@example.com"), "ご依頼").await.unwrap();
        assert_eq!((told.what, told.draft.unwrap().fault), (NoticeKind::BadRecipient, Some(AddressFault::Blank { at: 2 })));
        // As the page showed it, it is taken.
        let shown = Written { text: " b@example.com ", shown: "b@example.com" };
        let told = desk.further_copy(&me("sato"), id, 1, shown, "ご依頼").await.unwrap();
        assert_eq!((told.what, told.draft), (NoticeKind::Copied, None));
        // The second click of the same person is the same copy; another person is told who it was.
        for (name, what) in [("sato", NoticeKind::Copied), ("suzuki", NoticeKind::CopyTaken)] {
            let told = desk.further_copy(&me(name), id, 1, to("b@example.com"), "ご依頼").await.unwrap();
            assert_eq!(told.what, what, "{name}");
            let News::Mail(news) = desk.news(Note::of(id, told)).await.unwrap() else { panic!() };
            assert_eq!((news.by.as_deref(), news.copy.map(|(_, n)| n)), (Some("sato"), Some(1)));
        }
        // Who comes second is told where the copy goes, and has lost nothing.
        let told = desk.further_copy(&me("suzuki"), id, 1, to("c@example.com"), "お電話").await.unwrap();
        let draft = told.draft.unwrap();
        assert_eq!((told.what, draft.recipient.as_str(), draft.reason.as_str()), (NoticeKind::CopyTaken, "c@example.com", "お電話"));
        assert_eq!(draft.theirs.as_deref(), Some("b@example.com"));
        let masking = Office::new((*db).clone(), config(&[("DENPYO_MASK_ADDRESSES", "support")]), None);
        let told = masking.further_copy(&me("suzuki"), id, 1, to(""), "お電話").await.unwrap();
        assert_eq!(told.draft.unwrap().theirs.as_deref(), Some("•••@example.com"));
    }

    async fn addresses_are_masked_until_somebody_asks(db: TestDb) {
        let config = config(&[("DENPYO_MASK_ADDRESSES", "support")]);
        let desk = Office::new((*db).clone(), config, None);
        let secret = "tanaka.hanako@example.com";
        let id = db.insert_to("1001", secret).await;
        let claims = claim_due(&db, &claimant(), 1).await.unwrap();
        let answer = SendOutcome::Refused { code: 550, detail: format!("<{secret}>: no such mailbox") };
        settle(&db, &claims[0], &answer, OnUnknown::Hold, Retries { most: 5 }).await.unwrap();
        let support = me("sato");
        let lead = Me { name: "suzuki".to_owned(), role: Role::Lead };
        let whole = |seen: &dyn std::fmt::Debug| format!("{seen:?}").contains("tanaka.hanako");
        assert!(whole(&desk.mail_for(&lead, id).await.unwrap()));
        let seen = desk.mail_for(&support, id).await.unwrap();
        assert!(seen.masked && !whole(&seen), "{seen:?}");
        assert_eq!(seen.row.recipient, "ta•••@example.com");
        // Found by what somebody knows of it already, and still masked.
        for q in [secret, "1001"] {
            let list = desk.list(&support, &format!("q={q}")).await.unwrap();
            assert_eq!(list.rows.len(), 1, "{q}");
            assert!(!whole(&list.rows), "{list:?}");
        }
        // Shown on request, to that person alone, on that mail alone, and written down.
        assert_eq!(desk.reveal(&support, id, " ").await.unwrap(), NoticeKind::ReasonMissing);
        assert!(desk.mail_for(&support, id).await.unwrap().masked);
        assert_eq!(desk.reveal(&support, id, "お電話").await.unwrap(), NoticeKind::Revealed);
        let seen = desk.mail_for(&support, id).await.unwrap();
        assert!(!seen.masked && seen.row.recipient == secret);
        assert!(timeline(&seen).iter().any(|s| matches!(&s.what, What::Act(a) if a.act == "reveal" && a.reason.as_deref() == Some("お電話"))));
        assert!(desk.mail_for(&me("kato"), id).await.unwrap().masked);
        let other = db.insert_to("1002", secret).await;
        assert!(desk.mail_for(&support, other).await.unwrap().masked);
        assert!(desk.list(&support, "").await.unwrap().rows.iter().all(|row| !row.recipient.contains("tanaka")));
        assert!(desk.reveal(&support, 999_999, "x").await.is_err());
        // Nobody is named as having changed the mail by looking at it.
        let told = desk.call_off(&lead, id, 1, "不要").await.unwrap();
        let News::Mail(news) = desk.news(Note::of(id, told)).await.unwrap() else { panic!() };
        assert_ne!(news.by.as_deref(), Some("sato"));
    }

    async fn a_corrected_address_is_used_and_recorded(db: TestDb) {
        let id = settled(&db, "1001", &refused()).await;
        let desk = sending(&db);
        let row = db.row(id).await;
        let ticket = Ticket { version: row.version, attempt: row.attempts };
        for (bad, place) in [("b b@example.com", Some(2)), ("nobody", None), ("b\u{200b}@example.com", Some(2)), ("", None)] {
            let told = desk.correct(&me("sato"), id, ticket, to(bad), "お電話").await.unwrap();
            assert_eq!(told.what, NoticeKind::BadRecipient, "{bad}");
            assert_eq!(told.draft.unwrap().fault.and_then(AddressFault::place), place, "{bad}");
        }
        // Where something else keeps the mail from being sent, nothing typed is lost either.
        db.change(id, "sender = 'nobody'").await;
        let seen = Ticket { version: db.row(id).await.version, ..ticket };
        let told = desk.correct(&me("sato"), id, seen, to("b@example.com"), "お電話").await.unwrap();
        let draft = told.draft.unwrap();
        assert_eq!((told.what, draft.recipient.as_str(), draft.reason.as_str()), (NoticeKind::BadContent, "b@example.com", "お電話"));
        db.change(id, "sender = NULL").await;
        let ticket = Ticket { version: db.row(id).await.version, ..ticket };
        let pasted = " ｂ＠example.com、";
        let told = desk.correct(&me("sato"), id, ticket, to(pasted), "お電話").await.unwrap();
        assert_eq!((told.what, told.draft.unwrap().recipient.as_str()), (NoticeKind::Tidied, "b@example.com"));
        assert_eq!(db.row(id).await.attempts, 1, "shown first");
        let shown = Written { text: pasted, shown: "b@example.com" };
        assert_eq!(desk.correct(&me("sato"), id, ticket, shown, "お電話").await.unwrap().what, NoticeKind::Resent);
        let used = format!("SELECT recipient FROM submission_attempts WHERE submission_id = {id} AND attempt = 2");
        assert_eq!(db.text_of(&used).await.as_deref(), Some("b@example.com"));
        // Seen before it was sent, by another who comes too late.
        let told = desk.correct(&me("suzuki"), id, ticket, to("c@example.com"), "お電話").await.unwrap();
        assert!(matches!(told.what, NoticeKind::InFlight | NoticeKind::AlreadyAccepted), "{told:?}");
        let draft = told.draft.unwrap();
        assert_eq!((draft.recipient.as_str(), draft.reason.as_str()), ("c@example.com", "お電話"));
        assert_eq!(db.row(id).await.recipient.unwrap().shown(), "b@example.com");
        let seen = desk.mail(id).await.unwrap();
        let act = seen.acts.iter().find(|a| a.act == "resend").unwrap();
        assert_eq!((act.to.as_deref(), act.reason.as_deref()), (Some("b@example.com"), Some("お電話")));
    }
}

/// An office that sends.
fn sending(db: &TestDb) -> Office {
    let sender = sender(db, &Scripted::accepting());
    Office::new((*db).clone(), config(&[]), Some(sender))
}

async fn settled_after(db: &TestDb, order: &str, waiting: i64) -> i64 {
    db.change(waiting, "held_reason = 'test'").await;
    settled(db, order, &accepted("m")).await
}
