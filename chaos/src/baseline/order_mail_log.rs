//! (c) `order_mail_log`: claimed by inserting a row. An error makes it `failed`, which is tried
//! again; a timeout is taken for `sent`. A row left `sending` by a crash waits for a person.

use super::{Answer, Design};

pub const DESIGN: Design = Design {
    name: "c",
    title: "(c) `order_mail_log`, timeout → sent",
    schema: "CREATE TABLE orders (order_no INTEGER PRIMARY KEY); \
             CREATE TABLE order_mail_log (order_no INTEGER PRIMARY KEY, status TEXT NOT NULL, \
             at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 1); \
             CREATE INDEX order_mail_log_failed ON order_mail_log (at) WHERE status = 'failed'",
    book: "INSERT INTO orders (order_no) VALUES ($1)",
    due: "SELECT o.order_no FROM orders o LEFT JOIN order_mail_log l USING (order_no) \
          WHERE (l.order_no IS NULL OR (l.status = 'failed' AND l.at + 5 <= unixepoch())) \
          AND o.order_no % $3 = $2 ORDER BY o.order_no LIMIT $1",
    claim: Some(
        "INSERT INTO order_mail_log (order_no, status, at) VALUES ($1, 'sending', unixepoch()) \
         ON CONFLICT (order_no) DO UPDATE SET status = 'sending', at = unixepoch(), tries = tries + 1 \
         WHERE status = 'failed'",
    ),
    record,
    // An order without a row says that nothing was sent.
    rows: "SELECT o.order_no, CASE l.status WHEN 'sent' THEN 'accepted' WHEN 'sending' THEN 'unknown' \
           ELSE 'not' END, COALESCE(l.status = 'sending' AND l.at + 3 <= unixepoch(), 0), \
           COALESCE(l.at + l.tries, 0) FROM orders o LEFT JOIN order_mail_log l USING (order_no)",
    open: "SELECT COUNT(*) FROM orders o LEFT JOIN order_mail_log l USING (order_no) \
           WHERE l.order_no IS NULL OR l.status = 'failed'",
};

fn record(answer: Answer) -> Option<&'static str> {
    Some(match answer {
        Answer::Accepted | Answer::Timeout => {
            "UPDATE order_mail_log SET status = 'sent', at = unixepoch() WHERE order_no = $1"
        }
        Answer::Refused | Answer::Error => {
            "UPDATE order_mail_log SET status = 'failed', at = unixepoch() WHERE order_no = $1"
        }
    })
}
