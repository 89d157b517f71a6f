//! PostgreSQL's wake-up of idle workers, and the shop's own role and transactions.

use crate::common::{TestDb, claimant, eventually};
use denpyo::db::{Db, open};
use denpyo::outbox::{claim::claim_due, set_notify};
use sqlx::postgres::PgListener;
use sqlx::{Connection, PgConnection};
use std::time::Duration;

const LINE: &str = "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
     VALUES ('1001', 'order_confirmation', 'a@example.com', 'ご注文ありがとうございます', '…') \
     ON CONFLICT DO NOTHING";

async fn listener(db: &TestDb) -> PgListener {
    let mut listener = PgListener::connect(db.url()).await.unwrap();
    listener.listen("denpyo").await.unwrap();
    listener.listen("marker").await.unwrap();
    listener
}

/// The channels that were told of, up to the marker that the test itself sends.
async fn heard(db: &TestDb, listener: &mut PgListener) -> Vec<String> {
    db.run("NOTIFY marker").await;
    let mut heard = Vec::new();
    loop {
        let word = tokio::time::timeout(Duration::from_secs(10), listener.recv())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(word.payload(), "");
        if word.channel() == "marker" {
            return heard;
        }
        heard.push(word.channel().to_owned());
    }
}

#[tokio::test]
async fn an_insert_wakes_at_commit_and_not_before() {
    let db = TestDb::postgres().await;
    let mut listener = listener(&db).await;
    let Db::Postgres(pool) = &*db else {
        unreachable!()
    };
    let mut shop = pool.begin().await.unwrap();
    sqlx::query(LINE).execute(&mut *shop).await.unwrap();
    assert!(
        heard(&db, &mut listener).await.is_empty(),
        "before the commit"
    );
    shop.commit().await.unwrap();
    assert_eq!(heard(&db, &mut listener).await, ["denpyo"]);
}

#[tokio::test]
async fn switched_off_nobody_is_woken() {
    let db = TestDb::postgres().await;
    let mut listener = listener(&db).await;
    set_notify(&db, false).await.unwrap();
    db.run(LINE).await;
    assert!(heard(&db, &mut listener).await.is_empty());
    set_notify(&db, true).await.unwrap();
    db.insert("1002").await;
    assert_eq!(heard(&db, &mut listener).await, ["denpyo"]);
}

#[tokio::test]
async fn two_phase_transactions_need_the_wake_up_off() {
    let db = TestDb::postgres().await;
    let Db::Postgres(pool) = &*db else {
        unreachable!()
    };
    let mut shop = pool.acquire().await.unwrap();
    let prepare = |name: &str| format!("PREPARE TRANSACTION '{name}'");
    let name = format!("on-{}", uuid::Uuid::new_v4());
    sqlx::raw_sql(&format!("BEGIN; {LINE}"))
        .execute(&mut *shop)
        .await
        .unwrap();
    let said = sqlx::raw_sql(&prepare(&name))
        .execute(&mut *shop)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY"),
        "{said}"
    );
    sqlx::raw_sql("ROLLBACK").execute(&mut *shop).await.unwrap();
    assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 0);

    set_notify(&db, false).await.unwrap();
    let name = format!("off-{}", uuid::Uuid::new_v4());
    sqlx::raw_sql(&format!("BEGIN; {LINE}"))
        .execute(&mut *shop)
        .await
        .unwrap();
    sqlx::raw_sql(&prepare(&name))
        .execute(&mut *shop)
        .await
        .unwrap();
    assert!(
        claim_due(&db, &claimant(), 1).await.unwrap().is_empty(),
        "prepared is not committed"
    );
    sqlx::raw_sql(&format!("COMMIT PREPARED '{name}'"))
        .execute(&mut *shop)
        .await
        .unwrap();
    assert_eq!(claim_due(&db, &claimant(), 1).await.unwrap().len(), 1);
}

/// The shop signs in with a role that may insert and read, and knows nothing of Denpyo's schema.
#[tokio::test]
async fn a_shops_role_needs_no_right_but_on_the_table() {
    let db = TestDb::postgres().await;
    let role = format!("shop_{}", uuid::Uuid::new_v4().simple());
    db.run(&format!("CREATE ROLE {role} LOGIN")).await;
    db.run(&format!(
        "GRANT INSERT, SELECT ON public.email_submissions TO {role}"
    ))
    .await;
    let mut listener = listener(&db).await;
    let mut shop = PgConnection::connect(&db.url_as(&role)).await.unwrap();
    assert_eq!(
        sqlx::query(LINE)
            .execute(&mut shop)
            .await
            .unwrap()
            .rows_affected(),
        1
    );
    assert_eq!(
        sqlx::query(LINE)
            .execute(&mut shop)
            .await
            .unwrap()
            .rows_affected(),
        0
    );
    assert!(
        heard(&db, &mut listener)
            .await
            .contains(&"denpyo".to_owned())
    );
    for closed in [
        "SELECT * FROM denpyo.settings",
        "UPDATE email_submissions SET error = 'x', version = version + 1",
        "DELETE FROM email_submissions",
    ] {
        let said = sqlx::query(closed)
            .execute(&mut shop)
            .await
            .unwrap_err()
            .to_string();
        assert!(said.contains("permission denied"), "{closed}: {said}");
    }
    shop.close().await.unwrap();
    // A role belongs to the whole server: it goes when nothing refers to it any more.
    db.run(&format!("DROP OWNED BY {role}")).await;
    db.run(&format!("DROP ROLE {role}")).await;
}

/// A worker that polls once an hour is quick all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_worker_is_woken_by_an_insert() {
    let db = TestDb::postgres().await;
    let service = crate::common::Scripted::accepting();
    let own = open::open(db.url(), 4).await.unwrap();
    let stopping = tokio_util::sync::CancellationToken::new();
    let sender = denpyo::sender::Sender::new(
        own,
        crate::common::config(&[]),
        service.clone(),
        "test".to_owned(),
        stopping.clone(),
    );
    let hour = Duration::from_secs(3600);
    let worker = tokio::spawn(denpyo::worker::run(sender, 4, hour, true, stopping.clone()));
    eventually("the worker listens", async || {
        let listening = "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' \
             AND datname = current_database() AND state = 'idle'";
        db.number(listening).await > 0
    })
    .await;
    db.insert("1001").await;
    eventually("the mail is sent", async || service.posts_of("1001") == 1).await;
    stopping.cancel();
    worker.await.unwrap();
}
