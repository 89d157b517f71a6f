//! `denpyo enqueue`: JSON lines in, JSON lines out.

use crate::run::{Finished, Home, PATIENCE, on_both};
use crate::site::mail;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Instant;

on_both!(
    every_line_is_answered_by_its_number,
    what_shells_add_is_passed_over,
    a_line_that_the_database_refuses_keeps_back_no_other,
);

fn results(done: &Finished) -> Vec<Value> {
    let lines = done.out.lines();
    lines.map(|l| serde_json::from_str(l).expect(l)).collect()
}

/// Line and result, as printed.
fn told(done: &Finished) -> Vec<(u64, String)> {
    results(done)
        .iter()
        .map(|r| {
            (
                r["line"].as_u64().unwrap(),
                r["result"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

async fn every_line_is_answered_by_its_number(home: Home) {
    home.migrate();
    let mut other = mail("1001");
    other["subject"] = json!("別の件名");
    let mut bad = mail("1004");
    bad["recipient"] = json!("nobody");
    bad["cc"] = json!("x");
    let mut separator = mail("1005");
    separator["body_text"] = json!("一行目\u{2028}二行目\u{0085}三行目");
    let mut big = mail("1006");
    big["body_text"] = json!("x".repeat(12 * 1024 * 1024));
    let lines = [
        mail("1001").to_string(),
        mail("1001").to_string(),
        other.to_string(),
        "{\"order_id\": \"1002\", broken".to_owned(),
        bad.to_string(),
        big.to_string(),
        separator.to_string(),
        "[]".to_owned(),
        mail("1007").to_string(),
    ];
    let done = home.run(["enqueue"], (lines.join("\n") + "\n").as_bytes());
    assert_eq!(done.code, 1, "some could not be taken");
    let right = [
        "created", "exists", "conflict", "invalid", "invalid", "invalid", "created", "invalid",
        "created",
    ];
    let right: Vec<(u64, String)> = (1..).zip(right.map(str::to_owned)).collect();
    assert_eq!(told(&done), right);
    let all = results(&done);
    let text = |n: usize| all[n]["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(all[0]["id"], all[1]["id"]);
    assert_eq!(all[0]["id"], all[2]["id"]);
    assert!(all[0].get("error").is_none());
    assert!(text(2).contains("other content"), "{}", text(2));
    assert!(text(3).contains("column"), "{}", text(3));
    assert!(
        text(4).contains("recipient: ") && text(4).contains("cc: "),
        "{}",
        text(4)
    );
    assert!(text(5).contains("10 MB"), "{}", text(5));
    assert!(all[3..6].iter().all(|r| r["id"].is_null()));

    let count = "SELECT COUNT(*) FROM email_submissions";
    assert_eq!(home.db.number(count).await, 3);
    let id = all[6]["id"].as_i64().unwrap();
    let body = home.db.column(id, "body_text").await.unwrap();
    assert_eq!(body, "一行目\u{2028}二行目\u{0085}三行目");

    // The same again: everything that was taken is there.
    let taken = [&lines[0], &lines[6], &lines[8]]
        .map(String::as_str)
        .join("\n");
    let done = home.run(["enqueue"], taken.as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    assert!(told(&done).iter().all(|(_, result)| result == "exists"));
}

async fn what_shells_add_is_passed_over(home: Home) {
    home.migrate();
    // A mark, Windows' line ends, blank lines, and no line feed at the end.
    let input = format!(
        "\u{feff}{}\r\n\r\n   \n\t\r\n{}\r\n{}",
        mail("1001"),
        mail("1002"),
        mail("1003")
    );
    let done = home.run(["enqueue"], input.as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    let created = |line| (line, "created".to_owned());
    assert_eq!(told(&done), [1, 5, 6].map(created));
    for nothing in ["", "\n", "\r\n\r\n", "\u{feff}", "\u{feff}\r\n"] {
        let done = home.run(["enqueue"], nothing.as_bytes());
        assert_eq!(
            (done.code, done.out.as_str()),
            (0, ""),
            "{nothing:?} {done:?}"
        );
    }
    // A mark in the middle belongs to no line's beginning.
    let input = format!("{}\n\u{feff}{}\n", mail("1004"), mail("1005"));
    let done = home.run(["enqueue"], input.as_bytes());
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(told(&done)[1], (2, "invalid".to_owned()));
    let done = home.run(["enqueue"], b"\xff\xfe{\x00}\x00\n\x00{}\n");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(told(&done).iter().all(|(_, result)| result == "invalid"));
}

async fn a_line_that_the_database_refuses_keeps_back_no_other(home: Home) {
    home.migrate();
    // A rule that a shop's own administrator added.
    home.db
        .run(if home.db.is_postgres() {
            "ALTER TABLE email_submissions ADD CHECK (order_id <> 'unwanted')"
        } else {
            "CREATE TRIGGER unwanted BEFORE INSERT ON email_submissions WHEN NEW.order_id = 'unwanted' \
             BEGIN SELECT RAISE(ABORT, 'no'); END"
        })
        .await;
    let lines = ["1001", "unwanted", "1002"].map(|order| mail(order).to_string());
    let done = home.run(["enqueue"], lines.join("\n").as_bytes());
    assert_eq!(done.code, 1);
    let expected = [(1, "created"), (2, "invalid"), (3, "created")];
    assert_eq!(told(&done), expected.map(|(n, word)| (n, word.to_owned())));
    assert_eq!(results(&done)[1]["error"], "the database refuses it");
}

#[tokio::test]
async fn without_a_schema_nothing_is_read() {
    let home = Home::sqlite().await;
    let done = home.run(["enqueue"], mail("1001").to_string().as_bytes());
    assert_eq!(done.code, 1);
    assert_eq!(done.out, "");
    assert!(done.err.contains("denpyo migrate"), "{done:?}");
}

#[tokio::test]
async fn each_result_comes_at_once() {
    let home = Home::sqlite().await;
    home.migrate();
    let mut command = home.command(["enqueue"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for order in ["1001", "1002", "1003"] {
        writeln!(stdin, "{}", mail(order)).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains("\"created\""), "{line}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn a_closed_pipe_ends_it_cleanly() {
    let home = Home::sqlite().await;
    home.migrate();
    let mut command = home.command(["enqueue"]);
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    writeln!(stdin, "{}", mail("0")).unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    let begun = Instant::now();
    let mut written = 0;
    // It goes away, and then nothing more can be written.
    while writeln!(stdin, "{}", mail(&format!("later-{written}"))).is_ok() {
        written += 1;
        assert!(begun.elapsed() < PATIENCE && written < 1_000_000);
    }
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(!said.contains("panicked"), "{said}");
    let taken = home
        .db
        .number("SELECT COUNT(*) FROM email_submissions")
        .await;
    assert!(taken <= 2, "{taken} were taken after the pipe was closed");
}
