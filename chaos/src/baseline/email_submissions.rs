//! (d) `email_submissions` without leases and look-ups: whatever is not a 2xx, a timeout included,
//! makes a row `failed`, which is tried again. A row left `requesting` by a crash waits for a
//! person.

use super::{Answer, Design};

pub const DESIGN: Design = Design {
    name: "d",
    title: "(d) `email_submissions`, timeout → failed",
    schema: "CREATE TABLE email_submissions (order_no INTEGER PRIMARY KEY, \
             status TEXT NOT NULL DEFAULT 'pending', at INTEGER NOT NULL DEFAULT 0, \
             attempts INTEGER NOT NULL DEFAULT 0); \
             CREATE INDEX email_submissions_due ON email_submissions (order_no) \
             WHERE status IN ('pending', 'failed')",
    book: "INSERT INTO email_submissions (order_no) VALUES ($1)",
    due: "SELECT order_no FROM email_submissions WHERE status IN ('pending', 'failed') \
          AND at <= unixepoch() AND order_no % $3 = $2 ORDER BY order_no LIMIT $1",
    claim: Some(
        "UPDATE email_submissions SET status = 'requesting', attempts = attempts + 1, at = unixepoch() \
         WHERE order_no = $1 AND status IN ('pending', 'failed')",
    ),
    record,
    rows: "SELECT order_no, CASE status WHEN 'synced' THEN 'accepted' WHEN 'requesting' THEN 'unknown' \
           ELSE 'not' END, status = 'requesting' AND at + 3 <= unixepoch(), at + attempts \
           FROM email_submissions",
    open: "SELECT COUNT(*) FROM email_submissions WHERE status IN ('pending', 'failed')",
};

fn record(answer: Answer) -> Option<&'static str> {
    Some(match answer {
        Answer::Accepted => {
            "UPDATE email_submissions SET status = 'synced', at = unixepoch() WHERE order_no = $1"
        }
        Answer::Refused | Answer::Timeout | Answer::Error => {
            "UPDATE email_submissions SET status = 'failed', at = unixepoch() + 5 WHERE order_no = $1"
        }
    })
}
