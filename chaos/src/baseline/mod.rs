//! The designs that Denpyo is compared with, from the notes it grew from. Each is its statements
//! on a small SQLite table and nothing else; [`work`] carries them out.
//!
//! They are given what does them good and is not the point: numbered workers that never take one
//! another's orders, redirects that are not followed, a pause of five seconds before a retry.

mod email_submissions;
mod order_mail_log;
mod record_then_send;
mod send_then_record;
pub mod table;
pub mod work;

/// What became of a post, as far as a program can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// 2xx.
    Accepted,
    /// 4xx.
    Refused,
    /// No answer in time.
    Timeout,
    /// Anything else: 5xx, a redirect, a connection that broke.
    Error,
}

/// A way of keeping track of mails. Statements take the order's number as `$1`.
pub struct Design {
    /// What `--only` calls it.
    pub name: &'static str,
    /// What the report calls it.
    pub title: &'static str,
    /// Makes the tables.
    pub schema: &'static str,
    /// Books an order.
    pub book: &'static str,
    /// Orders that want sending, at most `$1`, of worker `$2` among `$3`.
    pub due: &'static str,
    /// Before the post; only where it changes a row is there a post.
    pub claim: Option<&'static str>,
    /// After the post, if anything.
    pub record: fn(Answer) -> Option<&'static str>,
    /// Every order: its number; what its row says (`accepted`, `not`, `unknown`); whether it waits
    /// for a person; something that differs once it changed.
    pub rows: &'static str,
    /// How many are still to be sent by themselves.
    pub open: &'static str,
}

/// All of them.
pub const DESIGNS: [&Design; 4] = [
    &send_then_record::DESIGN,
    &record_then_send::DESIGN,
    &order_mail_log::DESIGN,
    &email_submissions::DESIGN,
];

#[cfg(test)]
mod tests {
    use super::*;

    type Line = (u32, String, bool, i64);

    /// What a design's table says of one order after each answer, and whether it is sent again.
    async fn afterwards(design: &Design, answer: Answer) -> (String, bool) {
        let folder = std::env::temp_dir().join(format!(
            "chaos-{}-{}-{answer:?}",
            std::process::id(),
            design.name
        ));
        std::fs::create_dir_all(&folder).unwrap();
        let db = table::open(&folder.join("test.db")).await.unwrap();
        sqlx::raw_sql(design.schema).execute(&db).await.unwrap();
        let run = async |sql: &'static str| {
            let done = sqlx::query(sql).bind(7).execute(&db).await.unwrap();
            assert_eq!(done.rows_affected(), 1, "{sql}");
        };
        run(design.book).await;
        let due: Vec<i64> = sqlx::query_scalar(design.due)
            .bind(5)
            .bind(1)
            .bind(2)
            .fetch_all(&db)
            .await
            .unwrap();
        assert_eq!(due, [7], "{}", design.name);
        if let Some(claim) = design.claim {
            run(claim).await;
        }
        if let Some(record) = (design.record)(answer) {
            run(record).await;
        }
        let rows: Vec<Line> = sqlx::query_as(design.rows).fetch_all(&db).await.unwrap();
        let open: i64 = sqlx::query_scalar(design.open)
            .fetch_one(&db)
            .await
            .unwrap();
        db.close().await;
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((rows.len(), rows[0].0), (1, 7));
        (rows[0].1.clone(), open == 1)
    }

    #[tokio::test]
    async fn each_design_says_what_its_notes_say() {
        use Answer as A;
        let answers = [A::Accepted, A::Refused, A::Timeout, A::Error];
        for (design, expected) in DESIGNS.iter().zip([
            [true, false, false, false],
            [true, false, true, true],
            [true, false, true, false],
            [true, false, false, false],
        ]) {
            for (answer, accepted) in answers.into_iter().zip(expected) {
                let says = if accepted { "accepted" } else { "not" };
                assert_eq!(
                    afterwards(design, answer).await,
                    (says.to_owned(), !accepted),
                    "{} after {answer:?}",
                    design.name
                );
            }
        }
    }
}
