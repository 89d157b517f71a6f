//! Masked addresses: whoever asked for those of one mail has asked for no other's.

use crate::common::{Scripted, TestDb, accepted, both, config, refused, sender, settled};
use app::desk::{Agent, Desk, Many, Note, Reports, Written};
use app::model::Role;
use app::model::views::{Me, MonthAnswer, NoticeKind};
use denpyo::desk::Office;
use std::fmt::Debug;

fn me(name: &str, role: Role) -> Me {
    Me {
        name: name.to_owned(),
        role,
    }
}

/// A desk that masks for this role and those below.
fn masking(db: &TestDb, most: &str) -> Office {
    let config = config(&[("DENPYO_MASK_ADDRESSES", most)]);
    Office::new((*db).clone(), config, None)
}

/// Whether anything of it holds this part of an address.
fn tells(part: &str, of: &impl Debug) -> bool {
    format!("{of:?}").contains(part)
}

both! {
    async fn one_mails_addresses_are_not_anothers(db: TestDb) {
        let first = settled(&db, "1001", &accepted("m-1")).await;
        db.change(first, "recipient = 'tanaka.hanako@example.com'").await;
        db.run(
            "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
             VALUES ('1001', 'invoice', 'suzuki.ichiro@example.com', 's', 'b')"
        ).await;
        let second = db.number("SELECT id FROM email_submissions WHERE kind = 'invoice'").await;
        let desk = masking(&db, "support");
        let (sato, admin) = (me("sato", Role::Support), me("admin", Role::Admin));
        let to = Written { text: "yamada.taro@example.com", shown: "yamada.taro@example.com" };
        let why = "yamada.taro@example.com へ控えをご希望";
        let told = desk.further_copy(&admin, first, 1, to, why).await.unwrap();
        assert_eq!(told.what, NoticeKind::Copied);
        let copy = db.number("SELECT id FROM email_submissions WHERE copy = 1").await;

        // Of the three only what was asked for is shown: neither the mails beside it, nor where the
        // time-line says a copy went.
        assert_eq!(desk.reveal(&sato, first, "お電話").await.unwrap(), NoticeKind::Revealed);
        let seen = desk.mail_for(&sato, first).await.unwrap();
        assert_eq!((seen.row.recipient.as_str(), seen.masked), ("tanaka.hanako@example.com", false));
        assert_eq!(seen.others.len(), 2);
        assert!(!tells("suzuki.ichiro", &seen) && !tells("yamada.taro", &seen), "{seen:?}");
        for other in [second, copy] {
            let seen = desk.mail_for(&sato, other).await.unwrap();
            assert!(seen.masked && !tells("tanaka.hanako", &seen.row), "{seen:?}");
            assert!(!tells("suzuki.ichiro", &seen) && !tells("yamada.taro", &seen), "{seen:?}");
        }
        // Each is shown once it was asked for itself, and then beside the others too.
        desk.reveal(&sato, copy, "お電話").await.unwrap();
        let seen = desk.mail_for(&sato, first).await.unwrap();
        let act = seen.acts.iter().find(|act| act.act == "copy").unwrap();
        assert_eq!((act.to.as_deref(), act.reason.as_deref()), (Some("yamada.taro@example.com"), Some(why)));
        assert!(seen.others.iter().any(|row| row.recipient == "yamada.taro@example.com"));
        assert!(!tells("suzuki.ichiro", &seen), "{seen:?}");
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events WHERE act = 'reveal'").await, 2);
        // Whom nothing is masked for sees all of them.
        let seen = desk.mail_for(&admin, second).await.unwrap();
        assert!(tells("tanaka.hanako", &seen) && tells("yamada.taro", &seen));
    }

    async fn why_a_month_was_closed_is_masked_as_other_reasons_are(db: TestDb) {
        let desk = masking(&db, "lead");
        let why = "tanaka.hanako@example.com の件を除く";
        let (month, answer) = desk.close_month(&me("admin", Role::Admin), "2020-01", why).await.unwrap();
        assert_eq!(answer, MonthAnswer::Closed);
        let read = async |role| desk.month_report(&me("x", role), "month=2020-01").await.unwrap().closed;
        for role in [Role::Support, Role::Lead] {
            let closed = read(role).await.unwrap();
            assert_eq!(closed.reason.as_deref(), Some("ta•••@example.com の件を除く"), "{role:?}");
        }
        assert_eq!(read(Role::Admin).await.unwrap().reason.as_deref(), Some(why));
        // What tells the next who tries says who it was, and no reason.
        let told = desk.news(Note::Month(month, MonthAnswer::ClosedBefore)).await.unwrap();
        assert!(tells("admin", &told) && !tells("tanaka", &told), "{told:?}");
    }

    async fn what_many_were_resent_for_is_masked_as_other_reasons_are(db: TestDb) {
        let id = settled(&db, "1001", &refused()).await;
        db.change(id, "recipient = 'tanaka.hanako@example.com'").await;
        let sender = sender(&db, &Scripted::accepting());
        let config = config(&[("DENPYO_MASK_ADDRESSES", "lead")]);
        let desk = Office::new((*db).clone(), config, Some(sender));
        let (lead, admin) = (me("suzuki", Role::Lead), me("admin", Role::Admin));
        let query = "q=tanaka.hanako%40example.com&status=rejected";
        let job = desk.bulk_prepare(&admin, query).await.unwrap().unwrap();
        let why = "tanaka.hanako@example.com からのお電話";
        desk.bulk_start(&admin, job, why).await.unwrap();
        let page = desk.bulk(&lead, job, 0).await.unwrap();
        let all = desk.bulks(&lead).await.unwrap();
        assert!(!tells("tanaka", &page) && !tells("tanaka", &all), "{page:?}");
        // What was sought is masked, and so leads to no list.
        assert_eq!(page.bulk.filter.q.as_deref(), Some("ta•••@example.com"));
        assert!(page.bulk.filter_masked && all[0].filter_masked);
        let page = desk.bulk(&admin, job, 0).await.unwrap();
        assert_eq!((page.bulk.reason.as_deref(), page.bulk.filter_masked), (Some(why), false));
        assert_eq!(page.bulk.filter.q.as_deref(), Some("tanaka.hanako@example.com"));
    }
}
