//! Whatever a program inserts, into whatever column: the queue goes on, and the desk shows the row.

use crate::common::{TestDb, both, claimant, config};
use app::desk::Desk;
use app::model::Role;
use app::model::views::Me;
use denpyo::desk::Office;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::hold::{By, hold_all, hold_old, release_all};
use std::time::Duration;

const AGE: Duration = Duration::from_secs(3 * 86_400);

async fn columns(db: &TestDb) -> Vec<String> {
    let list = if db.is_postgres() {
        "SELECT string_agg(CAST(column_name AS text), ',') FROM information_schema.columns \
         WHERE table_schema = 'public' AND table_name = 'email_submissions'"
    } else {
        "SELECT group_concat(name) FROM pragma_table_info('email_submissions')"
    };
    let list = db.text_of(list).await.unwrap();
    list.split(',').map(str::to_owned).collect()
}

fn odd_values(db: &TestDb) -> Vec<String> {
    let mut values: Vec<String> = [
        "NULL",
        "''",
        "'x'",
        "'age'",
        "'bounced'",
        "0",
        "1",
        "-1",
        "2147483647",
        "4611686018427387904",
        "'2000-01-01 00:00:00.000000'",
        "'9999-12-31 23:59:59.999999'",
        "'0001-01-02 00:00:00.000000'",
        "'01234567-89ab-4def-8123-456789abcdef'",
    ]
    .map(str::to_owned)
    .into();
    if db.is_postgres() {
        values.push("true".to_owned());
    } else {
        for value in [
            "x'ff'",
            "x''",
            "CAST(x'93fa967b' AS TEXT)",
            "CAST(x'00' AS TEXT)",
            "0.5",
        ] {
            values.push(value.to_owned());
        }
    }
    values
}

/// Inserts every odd value that the database takes; returns how many.
async fn insert_odd(db: &TestDb) -> usize {
    let mut taken = 0;
    for column in columns(db).await {
        for value in odd_values(db) {
            let mut row = vec![
                ("order_id", format!("'odd-{column}-{taken}'")),
                ("kind", "'k'".to_owned()),
                ("recipient", "'a@example.com'".to_owned()),
                ("subject", "'s'".to_owned()),
                ("body_text", "'b'".to_owned()),
            ];
            row.retain(|(name, _)| *name != column);
            row.push((&column, value));
            let names: Vec<&str> = row.iter().map(|(name, _)| *name).collect();
            let values: Vec<&str> = row.iter().map(|(_, value)| value.as_str()).collect();
            let line = format!(
                "INSERT INTO email_submissions ({}) VALUES ({}) ON CONFLICT DO NOTHING",
                names.join(", "),
                values.join(", ")
            );
            taken += usize::from(matches!(db.try_run(&line).await, Ok(1)));
        }
    }
    taken
}

both! {
    async fn no_value_of_any_column_stops_the_queue_or_the_desk(db: TestDb) {
        let taken = insert_odd(&db).await;
        assert!(taken > 60, "{taken}");
        let last = db.insert("last").await;

        let office = Office::new((*db).clone(), config(&[]), None);
        let me = Me { name: "sato".to_owned(), role: Role::Admin };
        let ids = "SELECT MIN(id) FROM email_submissions WHERE id > ";
        let mut id = i64::MIN;
        let mut shown = 0;
        while let Some(next) = db.text_of(&format!("{ids}{id}")).await {
            id = next.parse().unwrap();
            office.mail(id).await.unwrap_or_else(|error| panic!("{id}: {error:?}"));
            shown += 1;
        }
        assert_eq!(shown, taken + 1);
        for query in ["", "needs=held", "needs=person"] {
            office.list(&me, query).await.unwrap_or_else(|error| panic!("{query}: {error:?}"));
        }
        office.overview().await.unwrap();

        // A claim of few rows at a time: none that cannot be claimed stands in the way of others.
        let mut claimed = Vec::new();
        hold_old(&db, AGE).await.unwrap();
        for _ in 0..=taken {
            claimed.extend(claim_due(&db, &claimant(), 2).await.unwrap().iter().map(|c| c.id()));
        }
        assert!(claimed.contains(&last));
        let now = db.at(0);
        let left = format!(
            "SELECT COUNT(*) FROM email_submissions WHERE status = 'pending' AND held_reason IS NULL \
             AND (not_before IS NULL OR not_before <= {now})"
        );
        assert_eq!(db.number(&left).await, 0);
        hold_all(&db, By::Hold, "a restore").await.unwrap();
        let free = "SELECT COUNT(*) FROM email_submissions WHERE status IN ('pending', 'requesting') \
                    AND held_reason IS NULL";
        assert_eq!(db.number(free).await, 0);
        release_all(&db, "sato", "checked").await.unwrap();
    }
}
