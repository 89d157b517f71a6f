//! The audit trail: everything that people did, found again.

use crate::common::{TestDb, both, office};
use app::desk::{Agent, Desk, People, Reports, UserChange};
use app::model::filter::Hint;
use app::model::views::{Me, Subject, TokenScope, Trail, Value};
use app::model::{ActKind, Role, Status};
use denpyo::outbox::{export, hold};
use denpyo::users;

fn admin() -> Me {
    Me {
        name: "admin".to_owned(),
        role: Role::Admin,
    }
}

async fn trail(db: &TestDb, query: &str) -> Trail {
    office(db).trail(&admin(), query).await.unwrap()
}

fn acts(trail: &Trail) -> Vec<&str> {
    trail.lines.iter().map(|line| line.act.as_str()).collect()
}

/// An act as somebody did it at some time: `at` is the SQL of it.
async fn act_at(db: &TestDb, actor: &str, at: &str) {
    db.run(&format!(
        "INSERT INTO audit_events (at, actor, act) VALUES ('{at}', '{actor}', 'reveal')"
    ))
    .await;
}

both! {
    async fn every_kind_of_act_stands_in_it(db: TestDb) {
        let id = users::add(&db, "denpyo user add", "sato", Role::Support, "correct horse").await.unwrap();
        users::add(&db, "denpyo user add", "admin", Role::Admin, "correct horse").await.unwrap();
        let mail = db.insert("1001").await;
        let desk = office(&db);
        hold::hold_all(&db, hold::By::Hold, "why").await.unwrap();
        let version = desk.mail(mail).await.unwrap().version;
        desk.release(&admin(), mail, version, "checked").await.unwrap();
        let version = desk.mail(mail).await.unwrap().version;
        desk.call_off(&admin(), mail, version, "not needed").await.unwrap();
        desk.change_user(&admin(), id, 1, UserChange::Role(Role::Lead), "promoted").await.unwrap();
        desk.change_user(&admin(), id, 2, UserChange::Disable, "left").await.unwrap();
        desk.close_month(&admin(), "2020-01", "closed").await.unwrap();
        let list = r#"{"what":"submissions","format":"csv","filter":"status=failed","rows":3,"whole":false}"#;
        export::record(&db, "sato", ActKind::ExportEnd, list).await.unwrap();
        let all = trail(&db, "").await;
        assert_eq!(acts(&all), [
            "export_end", "close_month", "user_disable", "user_role", "cancel", "release", "user_add", "user_add",
        ]);
        let line = |act: &str| all.lines.iter().find(|line| line.act == act).unwrap();
        let status = |s| Some(Value::Status(s));
        let cancel = line("cancel");
        assert_eq!(cancel.subject, Some(Subject::Mail { id: mail, order_id: "1001".into(), copy: 0, made: None }));
        assert_eq!(cancel.changes, [(status(Status::Pending), status(Status::Canceled))]);
        assert_eq!((cancel.actor.as_str(), cancel.reason.as_deref()), ("admin", Some("not needed")));
        let role = line("user_role");
        assert_eq!(role.subject, Some(Subject::User { id: Some(id), name: "sato".into() }));
        assert_eq!(role.changes, [(Some(Value::Role(Role::Support)), Some(Value::Role(Role::Lead)))]);
        assert_eq!(line("user_disable").changes, [(Some(Value::MaySignIn(true)), Some(Value::MaySignIn(false)))]);
        assert_eq!(line("user_add").changes[0].0, None);
        assert!(matches!(line("close_month").subject, Some(Subject::Month(_))));
        let file = Subject::List { query: "status=failed".into(), rows: Some(3), whole: Some(false) };
        assert_eq!(line("export_end").subject, Some(file));
        let unnamed = all.lines.iter().find(|line| ActKind::parse(&line.act).is_none());
        assert_eq!(unnamed, None, "an act without a name");
    }

    async fn what_an_act_was_about_is_no_stored_word(db: TestDb) {
        db.run("INSERT INTO audit_events (actor, act, detail) VALUES ('suzuki', 'bulk_start', '/bulk/7')").await;
        db.run("INSERT INTO audit_events (actor, act, detail, after_value) \
                VALUES ('admin', 'token_made', 'orders', 'read')").await;
        let trail = trail(&db, "").await;
        assert_eq!(trail.lines[1].subject, Some(Subject::Bulk(7)));
        assert_eq!(trail.lines[0].changes, [(None, Some(Value::Scope(TokenScope::Read)))]);
    }

    async fn it_is_filtered_by_who_what_and_on_what(db: TestDb) {
        users::add(&db, "setup", "sato", Role::Support, "correct horse").await.unwrap();
        let desk = office(&db);
        let (one, two) = (db.insert("1001").await, db.insert("1002").await);
        let sato = Me { name: "sato".into(), role: Role::Support };
        desk.call_off(&sato, one, 1, "a").await.unwrap();
        desk.call_off(&admin(), two, 1, "b").await.unwrap();
        desk.reveal(&admin(), one, "c").await.unwrap();
        for (query, expected) in [
            ("who=sato", &["cancel"][..]),
            ("who=admin", &["reveal", "cancel"]),
            ("act=cancel", &["cancel", "cancel"]),
            ("act=cancel&who=admin", &["cancel"]),
            ("q=1001", &["reveal", "cancel"]),
            ("q=%EF%BC%91%EF%BC%90%EF%BC%90%EF%BC%91", &["reveal", "cancel"]),
            ("q=sato", &["user_add"]),
            ("q=100", &[]),
            ("q=%25", &[]),
            ("who=%00", &[]),
            ("q=%00", &[]),
            ("who=&act=&q=&from=&to=", &["reveal", "cancel", "cancel", "user_add"]),
        ] {
            assert_eq!(acts(&trail(&db, query).await), expected, "{query}");
        }
        let by_id = trail(&db, &format!("q=%23{two}")).await;
        assert_eq!(acts(&by_id), ["cancel"]);
        assert_eq!(by_id.lines[0].reason.as_deref(), Some("b"));
        let odd = trail(&db, "act=nonsense&from=31+November").await;
        assert_eq!((odd.lines.len(), odd.hints), (4, vec![Hint::Act, Hint::From]));
    }

    async fn days_are_the_shops_whole_days(db: TestDb) {
        for (actor, at) in [
            ("before", "2026-11-29 14:59:59.999999"),
            ("first", "2026-11-29 15:00:00.000000"),
            ("last", "2026-11-30 14:59:59.999999"),
            ("after", "2026-11-30 15:00:00.000000"),
        ] {
            let at = if db.is_postgres() { format!("{at}+00") } else { at.to_owned() };
            act_at(&db, actor, &at).await;
        }
        let who = async |query: &str| -> Vec<String> {
            trail(&db, query).await.lines.into_iter().map(|line| line.actor).collect()
        };
        assert_eq!(who("from=2026-11-30&to=2026-11-30").await, ["last", "first"]);
        assert_eq!(who("from=2026-11-30").await, ["after", "last", "first"]);
        assert_eq!(who("to=2026-11-29").await, ["before"]);
        assert_eq!(who("from=2026-12-02&to=2026-11-01").await, Vec::<String>::new());
    }

    async fn pages_miss_nothing_and_repeat_nothing(db: TestDb) {
        // Many of one moment: their order is that of their ids.
        for n in 0..120 {
            let at = format!("2026-11-30 00:00:{:02}.000000", n / 40);
            let at = if db.is_postgres() { format!("{at}+00") } else { at };
            act_at(&db, &format!("p{n}"), &at).await;
        }
        let mut seen = Vec::new();
        let mut page = trail(&db, "act=reveal").await;
        assert!(page.newer.is_none());
        loop {
            seen.extend(page.lines.iter().map(|line| line.actor.clone()));
            let Some(older) = page.older else { break };
            page = trail(&db, &older.to_query()).await;
        }
        let expected: Vec<String> = (0..120).rev().map(|n| format!("p{n}")).collect();
        assert_eq!(seen, expected);
        // And back.
        let newer = trail(&db, &page.newer.unwrap().to_query()).await;
        assert_eq!(newer.lines.len(), 50);
        assert_eq!(newer.lines.last().unwrap().actor, "p20");
    }
}
