//! Users: who may change what of them, and that no change is lost, doubled or unrecorded.

use crate::common::{TestDb, both, config, office};
use app::desk::{Desk, NewUser, Note, People, UserChange, UserTold};
use app::error::AppError;
use app::model::Role;
use app::model::password::Fault;
use app::model::views::{AccountAnswer, Me, News, UserAnswer, UserForm, UserRow};
use denpyo::desk::Office;
use denpyo::users;

const PASSWORD: &str = "correct horse";

fn me(name: &str, role: Role) -> Me {
    Me {
        name: name.to_owned(),
        role,
    }
}

fn admin() -> Me {
    me("admin", Role::Admin)
}

async fn add(db: &TestDb, name: &str, role: Role) -> i64 {
    users::add(db, "setup", name, role, PASSWORD).await.unwrap()
}

async fn user(db: &TestDb, id: i64) -> UserRow {
    office(db).user(&admin(), id).await.unwrap().user
}

async fn change(db: &TestDb, id: i64, wanted: UserChange<'_>) -> UserAnswer {
    let version = user(db, id).await.version;
    let told = office(db)
        .change_user(&admin(), id, version, wanted, "because")
        .await;
    told.unwrap().what
}

/// The acts on users since they were set up, oldest first.
async fn acts(db: &TestDb) -> Vec<String> {
    let fields = "actor || ' ' || act || ' ' || detail || ' ' || COALESCE(reason, '-') || ' ' \
                  || COALESCE(before_value, '-') || ' ' || COALESCE(after_value, '-')";
    let sql = if db.is_postgres() {
        format!(
            "SELECT string_agg({fields}, chr(10) ORDER BY id) FROM audit_events WHERE actor <> 'setup'"
        )
    } else {
        format!(
            "SELECT group_concat(line, char(10)) FROM (SELECT {fields} AS line FROM audit_events \
             WHERE actor <> 'setup' ORDER BY id)"
        )
    };
    let all = db.text_of(&sql).await.unwrap_or_default();
    all.lines().map(str::to_owned).collect()
}

async fn may_sign_in(db: &TestDb, name: &str, password: &str) -> bool {
    users::sign_in(db, name, password).await.unwrap().is_some()
}

both! {
    async fn only_administrators_see_and_change_users(db: TestDb) {
        let id = add(&db, "sato", Role::Support).await;
        add(&db, "admin", Role::Admin).await;
        let desk = office(&db);
        for role in [Role::Support, Role::Lead] {
            let me = me("sato", role);
            assert_eq!(desk.users(&me).await, Err(AppError::Forbidden));
            assert_eq!(desk.user(&me, id).await, Err(AppError::Forbidden));
            assert_eq!(desk.trail(&me, "").await, Err(AppError::Forbidden));
            let new = NewUser { name: "x", role: Role::Admin, password: "k7hm-wq3e-xt5n" };
            assert_eq!(desk.add_user(&me, new).await, Err(AppError::Forbidden));
            for wanted in [
                UserChange::Role(Role::Admin),
                UserChange::Disable,
                UserChange::Enable,
                UserChange::Password("k7hm-wq3e-xt5n"),
                UserChange::SignOut,
            ] {
                let done = desk.change_user(&me, id, 1, wanted, "because").await;
                assert_eq!(done, Err(AppError::Forbidden));
            }
        }
        assert_eq!(db.number("SELECT COUNT(*) FROM users").await, 2);
        assert_eq!(acts(&db).await, Vec::<String>::new());
        assert_eq!(desk.users(&admin()).await.unwrap().users.len(), 2);
    }

    async fn somebody_is_added_once_and_by_the_rules(db: TestDb) {
        add(&db, "admin", Role::Admin).await;
        let desk = office(&db);
        let new = async |name: &str, password: &str| {
            let new = NewUser { name, role: Role::Lead, password };
            desk.add_user(&admin(), new).await.unwrap()
        };
        for (name, password, what) in [
            ("hanako", "short", UserAnswer::BadPassword(Fault::Short)),
            ("hanako", "hanako1234", UserAnswer::BadPassword(Fault::Name)),
            ("ha nako", PASSWORD, UserAnswer::BadName),
            ("", PASSWORD, UserAnswer::BadName),
            ("ａｐｉ", PASSWORD, UserAnswer::BadName),
            ("web-1:4711", PASSWORD, UserAnswer::BadName),
            ("admin\u{200b}", PASSWORD, UserAnswer::BadName),
            ("admin", PASSWORD, UserAnswer::NameTaken),
        ] {
            let told = new(name, password).await;
            assert_eq!((told.what, told.id), (what, None), "{name}");
            let draft = told.draft.unwrap();
            assert_eq!((draft.form, draft.name.as_str(), draft.role), (UserForm::Add, name, Some(Role::Lead)));
        }
        let told = new(" hanako ", PASSWORD).await;
        let id = told.id.unwrap();
        assert_eq!(told, UserTold { id: Some(id), what: UserAnswer::Added, draft: None });
        assert!(may_sign_in(&db, "hanako", PASSWORD).await);
        let row = user(&db, id).await;
        assert_eq!((row.role, row.disabled, row.signed_in_at), (Role::Lead, false, None));
        let News::User(notice) = desk.news(Note::User(told)).await.unwrap() else { panic!() };
        assert_eq!((notice.name.as_str(), notice.what), ("hanako", UserAnswer::Added));
        assert_eq!(acts(&db).await, ["admin user_add hanako - - lead"]);
    }

    async fn each_change_holds_and_is_recorded(db: TestDb) {
        add(&db, "admin", Role::Admin).await;
        let id = add(&db, "sato", Role::Support).await;
        let epoch = async || db.number("SELECT epoch FROM users WHERE name = 'sato'").await;
        assert_eq!(change(&db, id, UserChange::Role(Role::Lead)).await, UserAnswer::RoleChanged);
        assert_eq!(user(&db, id).await.role, Role::Lead);
        assert_eq!(epoch().await, 0, "another role ends no sign-in");
        assert_eq!(change(&db, id, UserChange::Role(Role::Lead)).await, UserAnswer::Same);

        assert_eq!(change(&db, id, UserChange::Disable).await, UserAnswer::Disabled);
        let row = user(&db, id).await;
        assert_eq!((row.disabled, row.disabled_reason.as_deref()), (true, Some("because")));
        assert_eq!(epoch().await, 1);
        assert!(!may_sign_in(&db, "sato", PASSWORD).await);
        assert_eq!(change(&db, id, UserChange::Disable).await, UserAnswer::Same);

        assert_eq!(change(&db, id, UserChange::Enable).await, UserAnswer::Enabled);
        assert_eq!(user(&db, id).await.disabled_reason, None);
        assert!(may_sign_in(&db, "sato", PASSWORD).await);
        assert_eq!(change(&db, id, UserChange::Enable).await, UserAnswer::Same);

        let new = "k7hm-wq3e-xt5n";
        assert_eq!(change(&db, id, UserChange::Password("short")).await, UserAnswer::BadPassword(Fault::Short));
        assert_eq!(change(&db, id, UserChange::Password(new)).await, UserAnswer::PasswordSet);
        assert!(may_sign_in(&db, "sato", new).await);
        assert!(!may_sign_in(&db, "sato", PASSWORD).await);
        assert_eq!(epoch().await, 2);

        assert_eq!(change(&db, id, UserChange::SignOut).await, UserAnswer::SignedOut);
        assert_eq!(epoch().await, 3);
        assert_eq!(acts(&db).await, [
            "admin user_role sato because support lead",
            "admin user_disable sato because enabled disabled",
            "admin user_enable sato because disabled enabled",
            "admin user_password sato because - -",
            "admin user_sign_out sato because - -",
        ]);
        let kept = "SELECT COUNT(*) FROM audit_events WHERE detail LIKE '%k7hm%' OR reason LIKE '%k7hm%'";
        assert_eq!(db.number(kept).await, 0, "no password is written down");
    }

    async fn a_reason_is_needed_and_nobody_is_changed_without(db: TestDb) {
        add(&db, "admin", Role::Admin).await;
        let id = add(&db, "sato", Role::Support).await;
        let desk = office(&db);
        let told = desk.change_user(&admin(), id, 1, UserChange::Role(Role::Lead), " 　\n").await.unwrap();
        assert_eq!(told.what, UserAnswer::ReasonMissing);
        let draft = told.draft.unwrap();
        assert_eq!((draft.form, draft.role), (UserForm::Role, Some(Role::Lead)));
        assert_eq!(user(&db, id).await.version, 1);
        let nobody = desk.change_user(&admin(), 4711, 1, UserChange::Disable, "because").await;
        assert_eq!(nobody, Err(AppError::NotFound));
        assert_eq!(acts(&db).await, Vec::<String>::new());
    }

    async fn whoever_was_slower_is_told_who_was_first(db: TestDb) {
        add(&db, "admin", Role::Admin).await;
        add(&db, "suzuki", Role::Admin).await;
        let id = add(&db, "sato", Role::Support).await;
        let desk = office(&db);
        let suzuki = me("suzuki", Role::Admin);
        let first = desk.change_user(&suzuki, id, 1, UserChange::Role(Role::Lead), "first").await.unwrap();
        assert_eq!(first.what, UserAnswer::RoleChanged);
        for wanted in [UserChange::Role(Role::Admin), UserChange::Disable, UserChange::SignOut, UserChange::Password("k7hm-wq3e-xt5n")] {
            let told = desk.change_user(&admin(), id, 1, wanted, "second").await.unwrap();
            assert_eq!(told.what, UserAnswer::Stale);
            let News::User(notice) = desk.news(Note::User(told)).await.unwrap() else { panic!() };
            assert_eq!((notice.by.as_deref(), notice.at.is_some()), (Some("suzuki"), true));
        }
        let row = user(&db, id).await;
        assert_eq!((row.role, row.disabled, row.version), (Role::Lead, false, 2));
        assert!(may_sign_in(&db, "sato", PASSWORD).await);
        assert_eq!(acts(&db).await, ["suzuki user_role sato first support lead"]);
    }

    async fn the_last_administrator_stays_one(db: TestDb) {
        let id = add(&db, "admin", Role::Admin).await;
        add(&db, "lead", Role::Lead).await;
        let gone = add(&db, "gone", Role::Admin).await;
        assert_eq!(change(&db, gone, UserChange::Disable).await, UserAnswer::Disabled);
        // A disabled administrator is none.
        for wanted in [UserChange::Disable, UserChange::Role(Role::Lead)] {
            assert_eq!(change(&db, id, wanted).await, UserAnswer::LastAdmin);
        }
        assert!(office(&db).user(&admin(), id).await.unwrap().last_admin);
        // A disabled one may lose the role.
        assert_eq!(change(&db, gone, UserChange::Role(Role::Support)).await, UserAnswer::RoleChanged);
        let other = add(&db, "other", Role::Admin).await;
        assert_eq!(change(&db, id, UserChange::Role(Role::Lead)).await, UserAnswer::RoleChanged);
        assert_eq!(change(&db, other, UserChange::Disable).await, UserAnswer::LastAdmin);
    }

    async fn of_administrators_who_disable_each_other_one_stays(db: TestDb) {
        for round in 0..10 {
            let names = [format!("a{round}"), format!("b{round}"), format!("c{round}")];
            let mut ids = Vec::new();
            for name in &names {
                ids.push(add(&db, name, Role::Admin).await);
            }
            db.run(&format!("UPDATE users SET role = 'support' WHERE name NOT LIKE '_{round}'")).await;
            let mut desks = Vec::new();
            for _ in 0..3 {
                desks.push(Office::new(db.as_other_process().await, config(&[]), None));
            }
            let people: Vec<Me> = names.iter().map(|name| me(name, Role::Admin)).collect();
            // Each the next, and one by demotion.
            let (a, b, c) = tokio::join!(
                desks[0].change_user(&people[0], ids[1], 1, UserChange::Disable, "r"),
                desks[1].change_user(&people[1], ids[2], 1, UserChange::Role(Role::Lead), "r"),
                desks[2].change_user(&people[2], ids[0], 1, UserChange::Disable, "r"),
            );
            let said: Vec<UserAnswer> = [a, b, c].into_iter().map(|told| told.unwrap().what).collect();
            let refused = said.iter().filter(|what| **what == UserAnswer::LastAdmin).count();
            assert_eq!(refused, 1, "{said:?}");
            let left = "SELECT COUNT(*) FROM users WHERE role = 'admin' AND NOT disabled";
            assert_eq!(db.number(left).await, 1);
        }
    }

    async fn ones_own_password_wants_the_old_one(db: TestDb) {
        add(&db, "sato", Role::Support).await;
        let desk = office(&db);
        let sato = me("sato", Role::Support);
        let new = "k7hm-wq3e-xt5n";
        for (old, twice, what) in [
            (PASSWORD, [new, "k7hm-wq3e-xt5m"], AccountAnswer::Differ),
            (PASSWORD, ["short", "short"], AccountAnswer::BadPassword(Fault::Short)),
            (PASSWORD, [PASSWORD, PASSWORD], AccountAnswer::SamePassword),
            ("wrong horse", [new, new], AccountAnswer::WrongPassword),
            ("", [new, new], AccountAnswer::WrongPassword),
        ] {
            let (said, epoch) = desk.change_password(&sato, old, twice).await.unwrap();
            assert_eq!((said, epoch), (what, None));
        }
        assert!(may_sign_in(&db, "sato", PASSWORD).await);
        assert_eq!(acts(&db).await, Vec::<String>::new());
        let done = desk.change_password(&sato, PASSWORD, [new, new]).await.unwrap();
        assert_eq!(done, (AccountAnswer::PasswordChanged, Some(1)));
        assert!(may_sign_in(&db, "sato", new).await);
        assert!(!may_sign_in(&db, "sato", PASSWORD).await);
        assert_eq!(acts(&db).await, ["sato own_password sato - - -"]);
        assert_eq!(desk.end_others(&sato).await, Ok(2));
        assert_eq!(acts(&db).await.last().unwrap(), "sato own_sign_out sato - - -");
    }

    async fn guesses_of_the_old_password_become_slow(db: TestDb) {
        add(&db, "sato", Role::Support).await;
        let desk = office(&db);
        let sato = me("sato", Role::Support);
        let new = "k7hm-wq3e-xt5n";
        let guess = async || desk.change_password(&sato, "wrong horse", [new, new]).await.unwrap().0;
        for _ in 0..5 {
            assert_eq!(guess().await, AccountAnswer::WrongPassword);
        }
        // The first wait is a second, which a slow machine may have spent before the next guess; each
        // is twice as long as the one before.
        let mut said = guess().await;
        for _ in 0..4 {
            if said == AccountAnswer::WrongPassword {
                said = guess().await;
            }
        }
        assert_eq!(said, AccountAnswer::Wait);
    }

    async fn an_administrators_own_password_wants_the_old_one_too(db: TestDb) {
        let id = add(&db, "admin", Role::Admin).await;
        let what = change(&db, id, UserChange::Password("k7hm-wq3e-xt5n")).await;
        assert_eq!(what, UserAnswer::OwnPassword);
        assert!(may_sign_in(&db, "admin", PASSWORD).await);
    }
}
