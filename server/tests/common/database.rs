//! Databases of a test's own.

use app::model::Status;
use denpyo::db::{Db, open, schema};
use denpyo::outbox::read;
use denpyo::outbox::row::Row;
use sqlx::{Connection, PgConnection};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use tempfile::TempDir;

/// A database that belongs to one test and goes with it.
pub struct TestDb {
    db: Db,
    url: String,
    _home: Home,
}

enum Home {
    Folder(#[allow(dead_code)] TempDir),
    Server { admin: String, name: String },
}

impl Deref for TestDb {
    type Target = Db;
    fn deref(&self) -> &Db {
        &self.db
    }
}

/// The server that tests may use.
pub fn postgres_url() -> String {
    std::env::var("DENPYO_TEST_POSTGRES_URL").expect(
        "DENPYO_TEST_POSTGRES_URL is not set, and this test needs PostgreSQL: \
         run it as `scripts/with-postgres.sh cargo test …`",
    )
}

/// The URL of another database of the same server.
fn url_of(admin: &str, name: &str) -> String {
    let mut url = url::Url::parse(admin).expect("DENPYO_TEST_POSTGRES_URL");
    url.set_path(name);
    url.to_string()
}

async fn connect(admin: &str) -> PgConnection {
    PgConnection::connect(admin)
        .await
        .expect("DENPYO_TEST_POSTGRES_URL leads to PostgreSQL")
}

/// A migrated database to copy, which is quicker than migrating each. It is made once a server, by
/// the first test that asks; its name tells the migrations apart.
async fn template(admin: &str) -> &'static str {
    static NAME: tokio::sync::OnceCell<String> = tokio::sync::OnceCell::const_new();
    static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../migrations/postgres");
    let make = async || {
        let mut hasher = std::hash::DefaultHasher::new();
        for migration in MIGRATIONS.iter() {
            migration.checksum.hash(&mut hasher);
        }
        let name = format!("denpyo_tests_{:016x}", hasher.finish());
        let mut conn = connect(admin).await;
        // Closing the connection gives the lock back.
        let there: i64 = async {
            sqlx::query("SELECT pg_advisory_lock(20260401)")
                .execute(&mut conn)
                .await?;
            sqlx::query_scalar("SELECT COUNT(*) FROM pg_database WHERE datname = $1")
                .bind(&name)
                .fetch_one(&mut conn)
                .await
        }
        .await
        .expect("the server's list of databases");
        if there == 0 {
            let making = format!("{name}_making");
            for sql in [
                format!("DROP DATABASE IF EXISTS {making}"),
                format!("CREATE DATABASE {making}"),
            ] {
                sqlx::query(&sql)
                    .execute(&mut conn)
                    .await
                    .expect("a template");
            }
            let db = open::open(&url_of(admin, &making), 4)
                .await
                .expect("the template opens");
            schema::migrate(&db).await.expect("migrates");
            db.close().await;
            let rename = format!("ALTER DATABASE {making} RENAME TO {name}");
            sqlx::query(&rename)
                .execute(&mut conn)
                .await
                .expect("the template is ready");
        }
        conn.close().await.expect("closes");
        name
    };
    NAME.get_or_init(make).await
}

impl TestDb {
    /// SQLite, migrated.
    pub async fn sqlite() -> TestDb {
        TestDb::empty_sqlite().await.migrated().await
    }

    /// PostgreSQL, migrated.
    pub async fn postgres() -> TestDb {
        let template = template(&postgres_url()).await;
        TestDb::postgres_from(template).await
    }

    /// A SQLite file that holds nothing.
    pub async fn empty_sqlite() -> TestDb {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("denpyo.db").display());
        TestDb {
            db: open::open(&url, 1).await.expect("SQLite opens"),
            url,
            _home: Home::Folder(folder),
        }
    }

    /// A PostgreSQL database that holds nothing.
    pub async fn empty_postgres() -> TestDb {
        TestDb::postgres_from("template1").await
    }

    async fn postgres_from(template: &str) -> TestDb {
        let admin = postgres_url();
        let name = format!("t{}", uuid::Uuid::new_v4().simple());
        let mut conn = connect(&admin).await;
        sqlx::query(&format!("CREATE DATABASE {name} TEMPLATE {template}"))
            .execute(&mut conn)
            .await
            .expect("a database of the test's own");
        conn.close().await.expect("closes");
        let url = url_of(&admin, &name);
        TestDb {
            db: open::open(&url, 8).await.expect("PostgreSQL opens"),
            url,
            _home: Home::Server { admin, name },
        }
    }

    async fn migrated(self) -> TestDb {
        schema::migrate(&self.db).await.expect("migrates");
        self
    }

    /// What `DENPYO_DATABASE_URL` would be.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same URL for another role, which signs in without a password.
    pub fn url_as(&self, role: &str) -> String {
        let mut url = url::Url::parse(&self.url).expect("a URL");
        let others: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(key, _)| key != "user")
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect();
        url.query_pairs_mut()
            .clear()
            .extend_pairs(others)
            .append_pair("user", role);
        url.to_string()
    }

    /// The same database through connections of its own, as another process has it. On SQLite
    /// there is one sending process, so there it is the same pool.
    pub async fn as_other_process(&self) -> Db {
        match &self.db {
            Db::Sqlite(_) => self.db.clone(),
            Db::Postgres(_) => open::open(&self.url, 4).await.expect("opens again"),
        }
    }

    /// Runs a statement as an outsider would write it.
    pub async fn try_run(&self, sql: &str) -> sqlx::Result<u64> {
        denpyo::on_write!(&self.db, c => sqlx::query(sql).execute(c).await.map(|r| r.rows_affected()))
    }

    /// Runs a statement that must succeed; returns the rows it changed.
    pub async fn run(&self, sql: &str) -> u64 {
        match self.try_run(sql).await {
            Ok(rows) => rows,
            Err(error) => panic!("{sql}: {error}"),
        }
    }

    /// The database's refusal of a statement that must not succeed.
    pub async fn refusal(&self, sql: &str) -> String {
        match self.try_run(sql).await {
            Ok(rows) => panic!("was not refused ({rows} rows): {sql}"),
            Err(error) => error.to_string(),
        }
    }

    /// A whole number, from a query that gives one.
    pub async fn number(&self, sql: &str) -> i64 {
        let sql = format!("SELECT CAST(({sql}) AS bigint)");
        let read: sqlx::Result<i64> =
            denpyo::on_write!(&self.db, c => sqlx::query_scalar(&sql).fetch_one(c).await);
        read.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// A text or NULL, from a query that gives one value.
    pub async fn text_of(&self, sql: &str) -> Option<String> {
        let sql = format!("SELECT CAST(({sql}) AS text)");
        let read: sqlx::Result<Option<String>> =
            denpyo::on_write!(&self.db, c => sqlx::query_scalar(&sql).fetch_one(c).await);
        read.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// A column of a row.
    pub async fn column(&self, id: i64, column: &str) -> Option<String> {
        self.text_of(&format!(
            "SELECT {column} FROM email_submissions WHERE id = {id}"
        ))
        .await
    }

    /// The SQL of a point in time, seconds from the database's now.
    pub fn at(&self, seconds: i64) -> String {
        if self.db.is_postgres() {
            format!("(now() + interval '{seconds} seconds')")
        } else {
            format!("strftime('%Y-%m-%d %H:%M:%f000', 'now', '{seconds} seconds')")
        }
    }

    /// Inserts a mail by the line that shops use; returns its id.
    pub async fn insert(&self, order_id: &str) -> i64 {
        self.insert_to(order_id, "a@example.com").await
    }

    /// The same, to this recipient.
    pub async fn insert_to(&self, order_id: &str, recipient: &str) -> i64 {
        let rows = self
            .run(&format!(
                "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text) \
                 VALUES ('{order_id}', 'order_confirmation', '{recipient}', \
                 'ご注文ありがとうございます', '本文') ON CONFLICT DO NOTHING"
            ))
            .await;
        assert_eq!(rows, 1, "order {order_id} is new");
        self.id_of(order_id).await
    }

    /// The id of an order's only mail.
    pub async fn id_of(&self, order_id: &str) -> i64 {
        self.number(&format!(
            "SELECT id FROM email_submissions WHERE order_id = '{order_id}'"
        ))
        .await
    }

    /// A row as Denpyo reads it.
    pub async fn row(&self, id: i64) -> Row {
        read::by_id(&self.db, id)
            .await
            .expect("reads")
            .expect("is there")
    }

    /// A row's status.
    pub async fn status(&self, id: i64) -> Status {
        self.row(id).await.status().expect("a known status")
    }

    /// Changes a row by raw SQL, past Denpyo but not past the database's guards.
    pub async fn change(&self, id: i64, set: &str) {
        let rows = self
            .run(&format!(
                "UPDATE email_submissions SET {set}, version = version + 1 WHERE id = {id}"
            ))
            .await;
        assert_eq!(rows, 1, "row {id}");
    }

    /// Lets a row's lease run out.
    pub async fn lapse(&self, id: i64) {
        let past = self.at(-1);
        self.change(id, &format!("lease_until = {past}")).await;
    }

    /// Makes a `failed` row due now.
    pub async fn make_due(&self, id: i64) {
        let past = self.at(-1);
        self.change(id, &format!("next_attempt_at = {past}")).await;
    }

    /// Keeps a row that waits for its next attempt from coming due by itself: on a slow machine the
    /// wait may be over before the test is.
    pub async fn put_off(&self, id: i64) {
        let (soon, later) = (self.at(1800), self.at(3600));
        self.run(&format!(
            "UPDATE email_submissions SET next_attempt_at = {later}, version = version + 1 \
             WHERE id = {id} AND status = 'failed' AND next_attempt_at > updated_at \
             AND next_attempt_at < {soon}"
        ))
        .await;
    }

    /// Observations of a row, by kind.
    pub async fn observations(&self, id: i64, kind: &str) -> i64 {
        self.number(&format!(
            "SELECT COUNT(*) FROM submission_observations WHERE submission_id = {id} AND kind = '{kind}'"
        ))
        .await
    }

    /// How an attempt was closed; `None` while it is open.
    pub async fn outcome(&self, id: i64, attempt: i32) -> Option<String> {
        self.text_of(&format!(
            "SELECT outcome FROM submission_attempts WHERE submission_id = {id} AND attempt = {attempt}"
        ))
        .await
    }
}

impl Drop for TestDb {
    /// Best effort: the server itself is thrown away.
    fn drop(&mut self) {
        let Home::Server { admin, name } = &self._home else {
            return;
        };
        let (admin, name) = (admin.clone(), name.clone());
        // A runtime of its own, since the test's may be ending.
        let dropper = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                let drop = async {
                    let mut conn = PgConnection::connect(&admin).await?;
                    sqlx::query(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
                        .execute(&mut conn)
                        .await?;
                    conn.close().await
                };
                if let Err(error) = drop.await {
                    eprintln!("database {name} stays behind: {error}");
                }
            });
        });
        dropper.join().ok();
    }
}
