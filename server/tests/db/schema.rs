//! The schema: how it comes to be, and when it is refused.

use crate::common::both;
use denpyo::outbox;
use denpyo::users;

both! {
    async fn every_statement_prepares(db: TestDb) {
        let statements = outbox::statements().into_iter().chain(users::STATEMENTS.iter().copied());
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
}
