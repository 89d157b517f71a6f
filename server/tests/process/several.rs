//! Many processes on one PostgreSQL.

use crate::common::RunningSandbox;
use crate::run::{Home, Program, copies, eventually, faults};
use crate::site::{Site, mail};
use denpyo::sandbox::Faults;

/// The public case says 20; each is like the others.
const ROUNDS: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn six_start_at_once_on_an_empty_database() {
    for round in 0..ROUNDS {
        let home = Home::postgres().await;
        let kinds = [["serve"], ["worker"]];
        let mut programs: Vec<(&str, Program)> = kinds
            .iter()
            .cycle()
            .take(6)
            .map(|args| (args[0], home.start(*args)))
            .collect();
        for (kind, program) in &mut programs {
            match *kind {
                "serve" => drop(program.says("Denpyo is at http://").await),
                _ => program.logs("working").await,
            }
        }
        for (_, program) in &programs {
            program.signal("TERM");
        }
        for (kind, mut program) in programs {
            assert_eq!(
                program.exit().await,
                0,
                "round {round}, {kind}: {program:?}"
            );
        }
        let twice = "SELECT COUNT(*) - COUNT(DISTINCT version) FROM denpyo._sqlx_migrations";
        assert_eq!(home.db.number(twice).await, 0);
        let failed = "SELECT COUNT(*) FROM denpyo._sqlx_migrations WHERE NOT success";
        assert_eq!(home.db.number(failed).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn four_share_the_work_and_one_is_killed() {
    const MAILS: usize = 200;
    const AT_ONCE: usize = 8;
    let mut home = Home::postgres().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url)
        .lease(5000, 8000)
        .set("CONCURRENCY", AT_ONCE.to_string());
    let slow = Faults {
        latency_ms: 200,
        ..Faults::default()
    };
    faults(&service.sandbox, slow);
    home.migrate();
    let mut workers = Vec::new();
    for _ in 0..4 {
        workers.push(home.worker().await);
    }
    let lines: Vec<String> = (0..MAILS)
        .map(|n| mail(&format!("order-{n}")).to_string())
        .collect();
    let done = home.run(["enqueue"], lines.join("\n").as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    eventually("some are sent", async || {
        (service.sandbox.messages().len() >= MAILS / 4).then_some(())
    })
    .await;
    workers.pop().unwrap().kill().await;

    let open = "SELECT COUNT(*) FROM email_submissions \
                WHERE status <> 'synced' AND unknown_at IS NULL";
    eventually("every row is settled or needs checking", async || {
        (home.db.number(open).await == 0).then_some(())
    })
    .await;
    let checking = "SELECT COUNT(*) FROM email_submissions WHERE status = 'requesting'";
    let checking = usize::try_from(home.db.number(checking).await).unwrap();
    assert!(checking <= AT_ONCE, "{checking} were in flight");
    let held = service.sandbox.messages();
    assert!(held.len() >= MAILS - checking, "{}", held.len());
    for message in &held {
        assert_eq!(copies(&service.sandbox, message.reference().unwrap()), 1);
    }
    let shared = "SELECT COUNT(DISTINCT worker) FROM submission_attempts";
    assert!(home.db.number(shared).await > 1, "one worker did it all");
    // A claim may be given back before its first byte; whatever left, left once.
    let again = "SELECT COUNT(*) FROM (SELECT submission_id FROM submission_attempts \
                 WHERE outcome <> 'released' GROUP BY submission_id HAVING COUNT(*) > 1) AS twice";
    assert_eq!(home.db.number(again).await, 0);
    let odd = "SELECT COUNT(*) FROM submission_attempts \
               WHERE outcome NOT IN ('accepted', 'unknown', 'released')";
    assert_eq!(home.db.number(odd).await, 0);
    for worker in &mut workers {
        worker.signal("TERM");
        assert_eq!(worker.exit().await, 0, "{worker:?}");
    }
}

/// 50 requests with one key over several processes, 8 workers: one row, one mail.
#[tokio::test(flavor = "multi_thread")]
async fn one_key_through_many_processes_is_one_mail() {
    let mut home = Home::postgres().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    let sites: Vec<Site> = vec![home.web().await, home.web().await];
    let mut workers = Vec::new();
    for _ in 0..8 {
        workers.push(home.start(["worker"]));
    }
    let body = mail("1001");
    let mut requests = tokio::task::JoinSet::new();
    for n in 0..50 {
        let request = sites[n % 2].api(reqwest::Method::POST, "").json(&body);
        requests.spawn(async move { request.send().await.unwrap().status().as_u16() });
    }
    let mut codes = requests.join_all().await;
    codes.sort_unstable();
    assert_eq!(codes[..49], [200; 49]);
    assert_eq!(codes[49], 201);
    for worker in &mut workers {
        worker.logs("working").await;
    }
    let (_, list) = sites[0].list("?order_id=1001").await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let id = list["items"][0]["id"].as_i64().unwrap();
    sites[0].row_in(id, "synced").await;
    // The next mail goes out behind it, so nothing of the first is still to come.
    let next = sites[0].enqueue("1002").await;
    sites[0].row_in(next, "synced").await;
    assert_eq!(service.sandbox.messages().len(), 2);
}
