use super::{Where, count_sql, page_sql};
use crate::db::{Db, open, schema};
use app::model::filter::{ListStatus, Needs};
use app::model::{Filter, Status};

/// A shop has a million accepted mails and five refused ones.
#[tokio::test]
async fn what_is_not_accepted_is_listed_from_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("denpyo.db");
    let db = open::open(&format!("sqlite:{}", path.display()), 1)
        .await
        .unwrap();
    schema::migrate(&db).await.unwrap();
    let Db::Sqlite(sqlite) = &db else {
        panic!("SQLite")
    };
    let statuses = ListStatus::ALL
        .into_iter()
        .filter(|status| *status != ListStatus::Stored(Status::Synced));
    let mut filters: Vec<Filter> = statuses
        .map(|status| Filter {
            statuses: vec![status],
            ..Filter::default()
        })
        .collect();
    filters.push(Filter {
        statuses: vec![
            ListStatus::Stored(Status::Rejected),
            ListStatus::Stored(Status::Failed),
            ListStatus::Check,
        ],
        kind: Some("invoice".to_owned()),
        ..Filter::default()
    });
    for needs in [Needs::Final, Needs::Held, Needs::Person] {
        filters.push(Filter {
            needs: Some(needs),
            ..Filter::default()
        });
    }
    for filter in filters {
        let rows = Where::new(&filter, None, None, None);
        for sql in [
            page_sql(&db, &rows, None, 50).0,
            count_sql(&db, &rows, 10_000),
        ] {
            let steps: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(&format!("EXPLAIN QUERY PLAN {sql}"))
                    .fetch_all(&sqlite.read)
                    .await
                    .unwrap();
            let reads: Vec<&str> = steps
                .iter()
                .map(|step| step.3.as_str())
                .filter(|step| step.contains(" email_submissions"))
                .collect();
            let narrow = |step: &&str| {
                ["_unsettled", "_open", "_held", "_pending", "_postponed"]
                    .iter()
                    .any(|index| step.contains(&format!("INDEX email_submissions{index}")))
            };
            assert!(!reads.is_empty(), "{filter:?}: {steps:#?}");
            assert!(reads.iter().all(narrow), "{filter:?}: {reads:#?}");
        }
    }
}
