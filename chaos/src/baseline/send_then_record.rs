//! (a) Send, then record that it was sent. Whatever goes wrong, it is sent again.

use super::{Answer, Design};

pub const DESIGN: Design = Design {
    name: "a",
    title: "(a) send, then record",
    schema: "CREATE TABLE orders (order_no INTEGER PRIMARY KEY, mail_sent_at INTEGER, \
             retry_at INTEGER NOT NULL DEFAULT 0)",
    book: "INSERT INTO orders (order_no) VALUES ($1)",
    due: "SELECT order_no FROM orders WHERE mail_sent_at IS NULL AND retry_at <= unixepoch() \
          AND order_no % $3 = $2 ORDER BY order_no LIMIT $1",
    claim: None,
    record,
    rows: "SELECT order_no, CASE WHEN mail_sent_at IS NULL THEN 'not' ELSE 'accepted' END, \
           0, retry_at + COALESCE(mail_sent_at, 0) FROM orders",
    open: "SELECT COUNT(*) FROM orders WHERE mail_sent_at IS NULL",
};

fn record(answer: Answer) -> Option<&'static str> {
    Some(match answer {
        Answer::Accepted => "UPDATE orders SET mail_sent_at = unixepoch() WHERE order_no = $1",
        _ => "UPDATE orders SET retry_at = unixepoch() + 5 WHERE order_no = $1",
    })
}
