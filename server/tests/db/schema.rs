//! The schema: how it comes to be, and when it is refused.

use crate::common::{TestDb, both};
use denpyo::db::open;
use denpyo::db::schema::{self, SchemaError};
use denpyo::db::{Db, DbError};
use denpyo::{oidc, outbox, tokens, users, web};

fn fault(result: Result<(), DbError>) -> SchemaError {
    match result {
        Err(DbError::Schema(error)) => error,
        other => panic!("not a word about the schema: {other:?}"),
    }
}

both! {
    async fn every_statement_prepares(db: TestDb) {
        let statements = outbox::statements()
            .into_iter()
            .chain(users::statements())
            .chain(tokens::STATEMENTS.iter().copied())
            .chain(oidc::people::STATEMENTS.iter().copied())
            .chain(web::session::store::STATEMENTS.iter().copied());
        let mut wrong = Vec::new();
        let mut seen = 0;
        for (name, sql) in statements {
            seen += 1;
            if let Err(error) = db.prepare(sql).await {
                wrong.push(format!("{name}: {error}"));
            }
        }
        assert!(seen > 40, "{seen}");
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    async fn a_second_migration_changes_nothing(db: TestDb) {
        let id = db.insert("1001").await;
        let count = "SELECT COUNT(*) FROM _sqlx_migrations";
        let before = db.number(count).await;
        schema::migrate(&db).await.unwrap();
        schema::check(&db).await.unwrap();
        assert_eq!(db.number(count).await, before);
        let newest = db.number("SELECT MAX(version) FROM _sqlx_migrations").await;
        assert_eq!(newest, schema::ours(&db));
        assert_eq!(db.row(id).await.version, 1);
    }

    async fn a_newer_schema_is_refused(db: TestDb) {
        db.run("UPDATE _sqlx_migrations SET version = 9999 \
            WHERE version = (SELECT MAX(version) FROM _sqlx_migrations)").await;
        for result in [schema::check(&db).await, schema::migrate(&db).await] {
            let error = fault(result);
            assert!(matches!(error, SchemaError::Newer { found: 9999, .. }), "{error}");
            assert!(error.to_string().contains("start the newer denpyo"), "{error}");
        }
    }

    async fn an_older_schema_is_refused_by_a_check(db: TestDb) {
        db.run("DELETE FROM _sqlx_migrations WHERE version > 1").await;
        let error = fault(schema::check(&db).await);
        assert!(matches!(error, SchemaError::Older { found: 1, .. }), "{error}");
        assert!(error.to_string().contains("denpyo migrate"), "{error}");
    }
}

#[tokio::test]
async fn a_database_without_a_schema_says_so() {
    for db in [TestDb::empty_sqlite().await, TestDb::empty_postgres().await] {
        let error = fault(schema::check(&db).await);
        assert!(matches!(error, SchemaError::Missing), "{error}");
    }
}

/// Both may start several processes at once on an empty database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_start_together_migrate_once() {
    for db in [TestDb::empty_sqlite().await, TestDb::empty_postgres().await] {
        let start = async || {
            let other = open::open(db.url(), 4).await.unwrap();
            schema::migrate(&other).await.unwrap();
        };
        tokio::join!(start(), start(), start(), start(), start(), start());
        schema::check(&db).await.unwrap();
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 0);
    }
}

#[tokio::test]
async fn all_but_the_one_table_lives_in_the_schema_denpyo() {
    let db = TestDb::postgres().await;
    let outside = db
        .text_of(
            "SELECT string_agg(n.nspname || '.' || c.relname, ' ' ORDER BY c.relname) FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') \
             AND n.nspname NOT IN ('denpyo', 'pg_catalog', 'information_schema')",
        )
        .await;
    assert_eq!(outside.as_deref(), Some("public.email_submissions"));
    let functions = db
        .number(
            "SELECT COUNT(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
             WHERE n.nspname = 'public'",
        )
        .await;
    assert_eq!(functions, 0);
}

/// A role of this cluster that owns nothing; other tests use it for databases of their own.
async fn role(db: &TestDb, name: &str) -> String {
    let made = db.try_run(&format!("CREATE ROLE {name} LOGIN")).await;
    if let Err(error) = made {
        assert!(error.to_string().contains("already exists"), "{error}");
    }
    db.url_as(name)
}

#[tokio::test]
async fn a_role_that_may_create_nothing_is_told_the_grants() {
    let db = TestDb::empty_postgres().await;
    db.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC").await;
    let url = role(&db, "owns_nothing").await;
    let as_role = open::open(&url, 4).await.unwrap();
    // As the operator would: do what the message says, until it says nothing more.
    let mut said = Vec::new();
    let migrated = loop {
        // A check names what stands in the way as well.
        let (checked, migrated) = (
            fault(schema::check_or_obstacle(&as_role).await),
            schema::migrate(&as_role).await,
        );
        if let Err(DbError::Schema(migrated)) = &migrated {
            assert_eq!(checked.to_string(), migrated.to_string());
        }
        match migrated {
            Ok(()) => break true,
            Err(DbError::Schema(SchemaError::NotAllowed { role, what, grant })) => {
                assert_eq!(role, "owns_nothing");
                assert!(
                    db.number(
                        "SELECT COUNT(*) FROM pg_tables WHERE schemaname IN ('public', 'denpyo')"
                    )
                    .await
                        == 0,
                    "something was half made"
                );
                db.run(&grant).await;
                said.push(what);
            }
            Err(other) => panic!("{other}"),
        }
        assert!(said.len() < 5, "{said:?}");
    };
    assert!(migrated);
    assert_eq!(said, ["tables in schema public", "the schema denpyo"]);
    schema::check(&as_role).await.unwrap();
    outbox::installation(&as_role, None).await.unwrap();
    as_role.close().await;
}

#[tokio::test]
async fn a_schema_that_belongs_to_another_is_named_with_its_grant() {
    let db = TestDb::empty_postgres().await;
    let url = role(&db, "owns_nothing_here").await;
    db.run("GRANT CREATE, USAGE ON SCHEMA public TO owns_nothing_here")
        .await;
    db.run("CREATE SCHEMA denpyo").await;
    db.run("GRANT USAGE ON SCHEMA denpyo TO owns_nothing_here")
        .await;
    let as_role = open::open(&url, 4).await.unwrap();
    let error = fault(schema::migrate(&as_role).await);
    assert_eq!(
        error.to_string(),
        "role \"owns_nothing_here\" may not create tables in schema denpyo: as the database's owner run \
         GRANT CREATE, USAGE ON SCHEMA denpyo TO \"owns_nothing_here\", then start again"
    );
    db.run("GRANT CREATE, USAGE ON SCHEMA denpyo TO owns_nothing_here")
        .await;
    schema::migrate(&as_role).await.unwrap();
    as_role.close().await;
}

#[tokio::test]
async fn a_role_that_may_not_look_into_the_schema_is_told_the_grant() {
    let db = TestDb::empty_postgres().await;
    let url = role(&db, "looks_at_nothing").await;
    db.run("GRANT CREATE, USAGE ON SCHEMA public TO looks_at_nothing")
        .await;
    db.run("CREATE SCHEMA denpyo").await;
    let as_role = open::open(&url, 4).await.unwrap();
    let grant = "GRANT CREATE, USAGE ON SCHEMA denpyo TO \"looks_at_nothing\"";
    for result in [
        schema::check(&as_role).await,
        schema::migrate(&as_role).await,
    ] {
        assert_eq!(
            fault(result).to_string(),
            format!(
                "role \"looks_at_nothing\" may not use the schema denpyo: as the database's owner run \
                 {grant}, then start again"
            )
        );
    }
    db.run(grant).await;
    schema::migrate(&as_role).await.unwrap();
    as_role.close().await;
}

/// The schema is another role's: membership in that role is what helps.
#[tokio::test]
async fn a_second_role_is_told_to_be_granted_the_first() {
    let db = TestDb::postgres().await;
    let url = role(&db, "comes_second").await;
    let as_role = open::open(&url, 4).await.unwrap();
    let owner = db
        .text_of("SELECT CAST(current_user AS text)")
        .await
        .unwrap();
    let expected = |what: &str| {
        format!(
            "role \"comes_second\" may not use {what}: as the database's owner run \
             GRANT \"{owner}\" TO \"comes_second\", then start again"
        )
    };
    let said = fault(schema::check(&as_role).await).to_string();
    assert_eq!(said, expected("the schema denpyo"));
    db.run("GRANT USAGE ON SCHEMA denpyo TO comes_second").await;
    let said = fault(schema::migrate(&as_role).await).to_string();
    assert_eq!(said, expected("the tables in schema denpyo"));
    as_role.close().await;
}

#[tokio::test]
async fn a_foreign_table_of_the_name_is_left_alone() {
    let postgres = TestDb::empty_postgres().await;
    let sqlite = TestDb::empty_sqlite().await;
    for db in [&postgres, &sqlite] {
        db.run("CREATE TABLE email_submissions (what text)").await;
        db.run("INSERT INTO email_submissions VALUES ('mine')")
            .await;
        let error = fault(schema::migrate(db).await);
        assert!(matches!(&error, SchemaError::InTheWay(_)), "{error}");
        assert!(error.to_string().contains("email_submissions"), "{error}");
        assert_eq!(db.number("SELECT COUNT(*) FROM email_submissions").await, 1);
    }
    let left = "SELECT COUNT(*) FROM pg_namespace WHERE nspname = 'denpyo'";
    assert_eq!(postgres.number(left).await, 0);
    let left = "SELECT COUNT(*) FROM sqlite_master WHERE name <> 'email_submissions'";
    assert_eq!(sqlite.number(left).await, 0);
}

/// The roles above must not keep a database from being dropped; and what is durable is told so.
#[tokio::test]
async fn claims_are_durable_by_the_connection_itself() {
    let postgres = TestDb::postgres().await;
    assert_eq!(
        postgres
            .text_of("SELECT current_setting('synchronous_commit')")
            .await
            .as_deref(),
        Some("on")
    );
    let sqlite = TestDb::sqlite().await;
    let Db::Sqlite(file) = &*sqlite else {
        unreachable!()
    };
    let full: i64 = sqlx::query_scalar("PRAGMA synchronous")
        .fetch_one(&file.write)
        .await
        .unwrap();
    let wal: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&file.write)
        .await
        .unwrap();
    assert_eq!((full, wal.as_str()), (2, "wal"));
    // Readers cannot write by mistake.
    let error = sqlx::query("DELETE FROM settings")
        .execute(&file.read)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("readonly"), "{error}");
}
