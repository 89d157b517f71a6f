//! Sessions of which several requests are under way.

use crate::common::both;
use app::desk::Note;
use app::model::views::{NoticeKind, TokenAnswer};
use denpyo::web::session::store::Store;
use serde_json::json;
use std::sync::Arc;
use time::Duration;
use tower_sessions::session::Id;
use tower_sessions::{Expiry, Session, SessionStore};

const LIVES: Duration = Duration::hours(1);
const KEPT: &str = "SELECT COUNT(*) FROM tower_sessions";

/// A request of a session, as it sees it once it has read it.
async fn request(store: &Store, id: Option<Id>) -> Session {
    let session = Session::new(
        id,
        Arc::new(store.clone()),
        Some(Expiry::OnInactivity(LIVES)),
    );
    session.get_value("user").await.unwrap();
    session
}

async fn begun(store: &Store) -> Id {
    let session = request(store, None).await;
    session.insert("user", 1).await.unwrap();
    session.save().await.unwrap();
    session.id().unwrap()
}

fn token(id: i64) -> Note {
    Note::Token(Some(id), TokenAnswer::Made)
}

fn mail(id: i64) -> Note {
    Note::Mail(id, NoticeKind::Resent)
}

both! {
    async fn nothing_brings_an_ended_session_back(db: TestDb) {
        let store = Store::new(&db);
        let id = begun(&store).await;
        let late = request(&store, Some(id)).await;
        late.insert("user", 2).await.unwrap();
        request(&store, Some(id)).await.flush().await.unwrap();
        // Not an error, which would be a 500 of whatever was asked for.
        late.save().await.unwrap();
        assert!(!store.put(&id, &mail(1), LIVES).await.unwrap());
        assert_eq!(store.take(&id, LIVES).await.unwrap(), None);
        let to = Id::default();
        assert!(!store.renew([&id, &to], ("user", json!(1)), 1, LIVES).await.unwrap());
        assert_eq!(db.number(KEPT).await, 0);
    }

    async fn a_session_that_goes_on_under_another_id_ends_by_the_old_one(db: TestDb) {
        let store = Store::new(&db);
        let first = begun(&store).await;
        let (late, leaving) = (request(&store, Some(first)).await, request(&store, Some(first)).await);
        let (second, third) = (Id::default(), Id::default());
        assert!(store.renew([&first, &second], ("user", json!(2)), 1, LIVES).await.unwrap());
        assert!(store.renew([&second, &third], ("user", json!(3)), 2, LIVES).await.unwrap());
        for (id, user) in [(first, None), (second, None), (third, Some(json!(3)))] {
            let session = request(&store, Some(id)).await;
            assert_eq!(session.get_value("user").await.unwrap(), user);
        }
        // What a request of the old id still writes does not hide where the session went.
        late.insert("other", 1).await.unwrap();
        late.save().await.unwrap();
        leaving.flush().await.unwrap();
        assert_eq!(db.number(KEPT).await, 0);
    }

    async fn requests_of_one_session_lose_no_notice_that_is_shown_once(db: TestDb) {
        let store = Store::new(&db);
        let id = begun(&store).await;
        let slow = request(&store, Some(id)).await;
        slow.insert("other", 1).await.unwrap();
        for note in [token(1), mail(1), token(2), mail(2)] {
            assert!(store.put(&id, &note, LIVES).await.unwrap());
        }
        // It read the session before all of them.
        slow.save().await.unwrap();
        let told = async || store.take(&id, LIVES).await.unwrap();
        assert_eq!(told().await, Some(token(1)));
        assert_eq!(told().await, Some(token(2)));
        // Of the others the last is told.
        assert_eq!(told().await, Some(mail(2)));
        assert_eq!(told().await, None);
        let session = request(&store, Some(id)).await;
        assert_eq!(session.get_value("other").await.unwrap(), Some(json!(1)));

        let put = async |n| store.put(&id, &token(n), LIVES).await.unwrap();
        assert_eq!(tokio::join!(put(3), put(4), put(5)), (true, true, true));
        let (a, b, c) = tokio::join!(told(), told(), told());
        let mut all: Vec<_> = [a, b, c].into_iter().flatten().map(|note| format!("{note:?}")).collect();
        all.sort();
        assert_eq!(all, [3, 4, 5].map(|n| format!("{:?}", token(n))));
    }

    async fn who_signs_in_next_is_told_nothing_of_the_one_before(db: TestDb) {
        let store = Store::new(&db);
        let id = begun(&store).await;
        store.put(&id, &token(1), LIVES).await.unwrap();
        let next = request(&store, Some(id)).await;
        next.cycle_id().await.unwrap();
        next.save().await.unwrap();
        assert_eq!(store.take(&next.id().unwrap(), LIVES).await.unwrap(), None);
        assert_eq!(store.load(&id).await.unwrap(), None);
    }

    async fn what_has_expired_is_over(db: TestDb) {
        use tower_sessions::ExpiredDeletion;
        let store = Store::new(&db);
        let id = begun(&store).await;
        store.delete_expired().await.unwrap();
        assert!(store.put(&id, &mail(1), Duration::seconds(-1)).await.unwrap());
        assert!(!store.put(&id, &mail(1), LIVES).await.unwrap());
        assert_eq!(store.load(&id).await.unwrap(), None);
        store.delete_expired().await.unwrap();
        assert_eq!(db.number(KEPT).await, 0);
    }
}
