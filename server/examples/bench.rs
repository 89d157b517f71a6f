//! `make bench`: how long the desk's reads take over many mails, beside a read by primary key in the
//! same run. A report, not a test: the ratios are what to look at, not the milliseconds.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use app::desk::Desk;
use app::desk::Reports;
use app::model::Role;
use app::model::views::Me;
use denpyo::config::Config;
use denpyo::db::{Db, open, schema};
use denpyo::desk::Office;
use denpyo::on_write;
use denpyo::outbox::search::index;
use denpyo::outbox::{failures, read};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs of each read.
const RUNS: usize = 15;
/// Rows inserted by one statement.
const CHUNK: i64 = 50_000;

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let (Some(url), Some(rows)) = (args.next(), args.next()) else {
        return Err("usage: bench DATABASE_URL ROWS (an empty database, which it fills)".into());
    };
    let rows: i64 = rows.parse()?;
    let db = open::open(&url, 8).await?;
    schema::migrate(&db).await?;
    let name = if db.is_postgres() {
        "PostgreSQL"
    } else {
        "SQLite"
    };
    println!("\n{name}, {rows} mails");
    let begun = Instant::now();
    fill(&db, rows).await?;
    say("  inserted and sent", begun.elapsed());
    let begun = Instant::now();
    index::prepare(&db).await?;
    while index::round(&db).await? {}
    while failures::round(&db).await? {}
    run(&db, "ANALYZE").await?;
    say("  indexed for the search", begun.elapsed());
    measure(&db, rows).await?;
    db.close().await;
    Ok(())
}

fn say(what: &str, took: Duration) {
    println!("{what:<44}{:>9.1} s", took.as_secs_f64());
}

async fn run(db: &Db, sql: &str) -> Outcome<()> {
    on_write!(db, c => sqlx::raw_sql(sql).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Orders of a year, five mails in a thousand refused, one in a thousand waiting.
async fn fill(db: &Db, rows: i64) -> Outcome<()> {
    let postgres = db.is_postgres();
    let mut from = 1;
    while from <= rows {
        let to = (from + CHUNK - 1).min(rows);
        let numbers = if postgres {
            format!("generate_series({from}::bigint, {to}) AS c (n)")
        } else {
            format!(
                "(WITH RECURSIVE c (n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM c WHERE n < {to}) \
                 SELECT n FROM c) AS c"
            )
        };
        let at = if postgres {
            format!("now() - ({rows} - n) * interval '1 year' / {rows}")
        } else {
            format!(
                "strftime('%Y-%m-%d %H:%M:%f000', 'now', '-' || (({rows} - n) * 31536000 / {rows}) || ' seconds')"
            )
        };
        run(
            db,
            &format!(
                "INSERT INTO email_submissions (order_id, kind, recipient, subject, body_text, created_at) \
                 SELECT 'S' || (100000000 + n), CASE n % 3 WHEN 0 THEN 'invoice' WHEN 1 THEN 'order_confirmation' \
                 ELSE 'shipping_notice' END, 'user' || (n * 7919 % 999983) || '@' || \
                 CASE n % 5 WHEN 0 THEN 'docomo.example.ne.jp' ELSE 'mail.example.jp' END, \
                 'ご注文ありがとうございます', 'またのご利用をお待ちしております。', {at} FROM {numbers}"
            ),
        )
        .await?;
        run(
            db,
            &format!(
                "UPDATE email_submissions SET status = 'synced', settled_by = 'imported', sent_at = created_at, \
                 version = version + 1 WHERE id BETWEEN {from} AND {to} AND id % 1000 NOT IN (1, 2, 3, 4, 5, 6)"
            ),
        )
        .await?;
        run(
            db,
            &format!(
                "UPDATE email_submissions SET status = 'rejected', error = '550 no such user', \
                 version = version + 1 WHERE id BETWEEN {from} AND {to} AND id % 1000 IN (1, 2, 3, 4, 5)"
            ),
        )
        .await?;
        run(
            db,
            &format!(
                "INSERT INTO submission_attempts (submission_id, attempt, claim_token, worker, provider, account, \
                 claimed_at, lease_until, closed_at, outcome, cause, code, error) SELECT id, 1, 'bench', 'bench', \
                 'smtp', 'bench', created_at, created_at, created_at, 'refused', 'answer', 550, \
                 '550 5.1.' || (id % 5) || ' <' || recipient || '>: no such user' FROM email_submissions \
                 WHERE id BETWEEN {from} AND {to} AND status = 'rejected'"
            ),
        )
        .await?;
        from = to + 1;
    }
    Ok(())
}

/// The middle of several runs.
async fn middle(mut read: impl AsyncFnMut(usize) -> Outcome<()>) -> Outcome<Duration> {
    // Once beforehand, as pages are read all day.
    read(0).await?;
    let mut took = Vec::new();
    for i in 0..RUNS {
        let begun = Instant::now();
        read(i + 1).await?;
        took.push(begun.elapsed());
    }
    took.sort_unstable();
    Ok(took[RUNS / 2])
}

async fn measure(db: &Db, rows: i64) -> Outcome<()> {
    let config = Config::load(
        None,
        [("DENPYO_FROM".to_owned(), "shop@example.jp".to_owned())],
    )?;
    let office = Office::new(db.clone(), Arc::new(config), None);
    let me = Me {
        name: "bench".to_owned(),
        role: Role::Admin,
    };
    let base = middle(async |i| {
        let id = 1 + (i as i64 * 7_368_787) % rows;
        read::summary(db, id).await?;
        Ok(())
    })
    .await?;
    println!("  {:<42}{:>9} {:>10}", "read", "ms", "ratio");
    let line = |what: &str, took: Duration| {
        let ratio = took.as_secs_f64() / base.as_secs_f64();
        println!(
            "  {what:<42}{:>9.2} {ratio:>9.1}×",
            took.as_secs_f64() * 1000.0
        );
    };
    line("one row by its primary key", base);
    let middle_order = 100_000_000 + rows / 2;
    let lists = [
        ("list, first page", String::new()),
        ("list, refused", "status=rejected".to_owned()),
        ("search, whole order number", format!("q=S{middle_order}")),
        (
            "search, whole address",
            "q=user7919@mail.example.jp".to_owned(),
        ),
        (
            "search, part of an order number",
            format!("q={middle_order}"),
        ),
        ("search, part of an address", "q=user12345".to_owned()),
        ("search, part of one mail in five", "q=docomo".to_owned()),
        ("search, part of every mail", "q=example".to_owned()),
        ("search, part of none", "q=nobody-at-all".to_owned()),
        (
            "search, common part, refused",
            "q=example&status=rejected".to_owned(),
        ),
        ("search, three characters", "q=123".to_owned()),
    ];
    for (what, query) in lists {
        let took = middle(async |_| {
            office.list(&me, &query).await?;
            Ok(())
        })
        .await?;
        line(what, took);
    }
    let took = middle(async |_| {
        office.overview().await?;
        Ok(())
    })
    .await?;
    line("overview", took);
    let took = middle(async |_| {
        office.month_report(&me, "").await?;
        Ok(())
    })
    .await?;
    line("report of this month", took);
    let groups = office.errors("days=90").await?.groups.unwrap_or_default();
    let took = middle(async |_| {
        office.errors("days=90").await?;
        Ok(())
    })
    .await?;
    line("errors by cause, 90 days", took);
    if let Some(group) = groups.first() {
        let query = format!("error={}", group.failed);
        let took = middle(async |_| {
            office.list(&me, &query).await?;
            Ok(())
        })
        .await?;
        line("list, by one of these errors", took);
    }
    Ok(())
}
