//! Tokens of the API: made, found by their hash, ended.

use crate::common::both;
use app::model::views::TokenScope;
use denpyo::db::Db;
use denpyo::tokens::{self, Program};

async fn make(db: &Db, name: &str, scope: TokenScope) -> (i64, String) {
    let made = tokens::make(db, "sato", name, scope).await.unwrap();
    made.expect("the name is new")
}

both! {
    async fn a_token_is_kept_as_a_hash_alone(db: TestDb) {
        let (id, token) = make(&db, "受注システム", TokenScope::Write).await;
        assert!(token.starts_with("denpyo_") && token.len() == 50, "{token}");
        let (_, other) = make(&db, "other", TokenScope::Write).await;
        assert_ne!(token, other);
        let kept = db
            .text_of(&format!("SELECT hash FROM api_tokens WHERE id = {id}"))
            .await
            .unwrap();
        assert_eq!(kept.len(), 64);
        assert!(!token.contains(&kept) && !kept.contains(&token[7..]));
        let program = tokens::program(&db, &token).await.unwrap();
        assert_eq!(program, Some(Program { name: "受注システム".into(), scope: TokenScope::Write }));
        for wrong in ["", "denpyo_", &token[..49], &format!("{token}x"), &token.to_uppercase(), &kept] {
            assert_eq!(tokens::program(&db, wrong).await.unwrap(), None, "{wrong}");
        }
        assert_eq!(
            db.text_of("SELECT actor || ' ' || act || ' ' || detail || ' ' || after_value FROM audit_events WHERE id = 1").await,
            Some("sato token_made 受注システム write".into())
        );
    }

    async fn an_ended_token_is_none_at_once_and_says_who(db: TestDb) {
        let (id, token) = make(&db, "shop", TokenScope::Read).await;
        assert!(tokens::end(&db, "suzuki", id, "入れ替え").await.unwrap());
        assert_eq!(tokens::program(&db, &token).await.unwrap(), None);
        // Ended once: the first reason stays.
        assert!(!tokens::end(&db, "tanaka", id, "again").await.unwrap());
        assert!(!tokens::end(&db, "tanaka", 4711, "none").await.unwrap());
        let row = tokens::by_id(&db, id).await.unwrap().unwrap();
        assert_eq!(row.ended_by.as_deref(), Some("suzuki"));
        assert_eq!(row.end_reason.as_deref(), Some("入れ替え"));
        let acts = db.number("SELECT COUNT(*) FROM audit_events WHERE act = 'token_ended'").await;
        assert_eq!(acts, 1);
    }

    async fn a_name_is_never_used_twice(db: TestDb) {
        let (id, _) = make(&db, "shop", TokenScope::Read).await;
        assert!(tokens::make(&db, "sato", "shop", TokenScope::Write).await.unwrap().is_none());
        tokens::end(&db, "sato", id, "x").await.unwrap();
        assert!(tokens::make(&db, "sato", "shop", TokenScope::Write).await.unwrap().is_none());
        // Nothing that was not done is written down.
        assert_eq!(db.number("SELECT COUNT(*) FROM audit_events").await, 2);
        let (newer, _) = make(&db, "shop 2", TokenScope::Read).await;
        let order: Vec<i64> = tokens::all(&db).await.unwrap().iter().map(|t| t.id).collect();
        assert_eq!(order, [newer, id], "those in use come first");
    }

    async fn the_last_use_is_written_once_an_hour(db: TestDb) {
        let (id, token) = make(&db, "shop", TokenScope::Read).await;
        let used = async || db.text_of(&format!("SELECT used_at FROM api_tokens WHERE id = {id}")).await;
        assert_eq!(used().await, None);
        tokens::program(&db, &token).await.unwrap().unwrap();
        let first = used().await.expect("used");
        tokens::program(&db, &token).await.unwrap().unwrap();
        assert_eq!(used().await.as_ref(), Some(&first), "not a hot row");
        let long_ago = db.at(-3700);
        db.run(&format!("UPDATE api_tokens SET used_at = {long_ago} WHERE id = {id}")).await;
        let before = used().await;
        tokens::program(&db, &token).await.unwrap().unwrap();
        assert_ne!(used().await, before);
    }
}

#[test]
fn a_name_can_be_read_back() {
    assert_eq!(
        tokens::name("  受注 システム ").as_deref(),
        Some("受注 システム")
    );
    assert!(tokens::name(&"字".repeat(64)).is_some());
    for bad in ["", "  ", "a\nb", "a\u{0}", &"x".repeat(65)] {
        assert_eq!(tokens::name(bad), None, "{bad:?}");
    }
}
