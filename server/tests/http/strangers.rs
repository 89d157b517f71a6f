//! Whatever strangers send: no panic, no 5xx, nothing internal in an answer, and the site goes on.
//! Drawn from one seed, so that a failure can be run again.

mod api;
mod desk;
mod draws;
mod hooks;

use crate::run::{Home, PATIENCE, eventually, on_both};
use crate::site::{Site, With};
use futures_util::{StreamExt, stream};
use reqwest::{RequestBuilder, StatusCode};

use api::no_stranger_breaks_the_api;
use desk::no_stranger_breaks_the_desk;
use hooks::no_signed_post_breaks_the_events;

on_both!(
    no_stranger_breaks_the_api,
    no_stranger_breaks_the_desk,
    no_signed_post_breaks_the_events,
);

/// What libraries and the program's own text would say.
const INTERNAL: [&str; 17] = [
    "SELECT ",
    "INSERT INTO",
    "sqlx",
    "syntax error",
    "constraint",
    "email_submissions",
    "tower_sessions",
    "serde",
    "deserialize",
    "missing field",
    "duplicate field",
    "invalid type",
    "Extension",
    ".rs:",
    "src/",
    "denpyo::",
    "panicked",
];

/// A request, and how a failure names it.
type Drawn = (String, RequestBuilder);

/// Sends it; the answer may refuse, and must be an answer.
async fn survives(site: &Site, (what, request): Drawn) -> StatusCode {
    let asking = async {
        let answer = request.send().await?;
        Ok::<_, reqwest::Error>((answer.status(), answer.bytes().await?))
    };
    let answer = tokio::time::timeout(PATIENCE, asking).await;
    let answer = answer.unwrap_or_else(|_| panic!("no answer to {what:.500}"));
    let (status, body) = answer.unwrap_or_else(|e| panic!("{what:.500}: {e}"));
    if status.is_server_error() {
        panic!("{status} to {what:.500}: {:?}", wrong(site));
    }
    let body = String::from_utf8_lossy(&body);
    for internal in INTERNAL {
        let told = body.split_once(internal);
        let told = told.map(|(before, _)| {
            &body[before.floor_char_boundary(before.len().saturating_sub(100))..]
        });
        assert_eq!(
            told, None,
            "{internal} in the answer {status} to {what:.500}"
        );
    }
    status
}

/// Several at once, as strangers come.
async fn all_survive(site: &Site, drawn: Vec<Drawn>) {
    stream::iter(drawn)
        .for_each_concurrent(4, |drawn| async {
            survives(site, drawn).await;
        })
        .await;
}

/// The site works as before, and nothing went wrong inside meanwhile: a stranger's nonsense is
/// nothing that an administrator should be told as an error.
async fn goes_on(home: &Home, site: &Site) {
    home.add_user("afterwards", "support", "correct horse");
    let session = site.sign_in("afterwards", "correct horse").await;
    let page = site
        .get("/submissions")
        .with(&session)
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    assert!(page.text().await.unwrap().contains("order-of-before"));
    if home.db.is_postgres() {
        eventually("nobody holds a transaction open", async || {
            let open = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
                        AND state LIKE 'idle in transaction%'";
            (home.db.number(open).await == 0).then_some(())
        })
        .await;
    }
    assert_eq!(wrong(site), None);
}

/// The last line of the log that tells of an error.
fn wrong(site: &Site) -> Option<String> {
    let log = site.program.log();
    let told = |line: &&str| line.contains("panicked") || line.contains(" ERROR ");
    log.lines().rfind(told).map(str::to_owned)
}
