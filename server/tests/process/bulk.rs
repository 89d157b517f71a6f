//! Resending many, over the death of the process that does it.

use crate::common::RunningSandbox;
use crate::run::{Home, eventually, faults, on_both, refusing};
use crate::site::PASSWORD;
use denpyo::sandbox::Faults;
use reqwest::StatusCode;

const MAILS: usize = 20;
/// In flight at once, and so before any is answered.
const AT_ONCE: usize = 3;

on_both!(killed_in_the_middle_it_goes_on_and_sends_none_twice);

async fn killed_in_the_middle_it_goes_on_and_sends_none_twice(mut home: Home) {
    let service = RunningSandbox::patient().await;
    home.send_through(&service.url)
        .lease(2000, 4000)
        .set("CONCURRENCY", AT_ONCE.to_string());
    home.add_user("suzuki", "lead", PASSWORD);
    home.add_user("sato", "support", PASSWORD);
    faults(&service.sandbox, refusing());
    let site = home.serve().await;
    for n in 0..MAILS {
        let id = site.enqueue(&format!("order-{n}")).await;
        site.row_in(id, "rejected").await;
    }
    faults(&service.sandbox, Faults::default());

    let lead = site.sign_in("suzuki", PASSWORD).await;
    let page = site.bulk_prepared(&lead, "status=rejected").await;
    let id = page
        .strip_prefix("/bulk/")
        .expect("the job's page")
        .to_owned();
    let fields = [("id", id.as_str()), ("reason", "restored")];
    let support = site.sign_in("sato", PASSWORD).await;
    for act in ["bulk_start", "bulk_stop", "bulk"] {
        let refused = site.act(&support, act, &fields).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{act}");
        let stranger = site.script(act, &fields).send().await;
        assert_eq!(
            stranger.unwrap().status(),
            StatusCode::UNAUTHORIZED,
            "{act}"
        );
    }
    service.keep_answers();
    let started = site.act(&lead, "bulk_start", &fields).await;
    assert_eq!(started.status(), StatusCode::OK);

    eventually("some of them", async || {
        (service.sandbox.messages().len() >= AT_ONCE).then_some(())
    })
    .await;
    site.program.kill().await;
    let before = service.sandbox.messages().len();
    assert!(before < MAILS, "it was killed in the middle");
    service.send_answers();

    let site = home.serve().await;
    let state = format!("SELECT state FROM bulk_jobs WHERE id = {id}");
    eventually("the end of the job", async || {
        (home.db.text_of(&state).await.as_deref() == Some("done")).then_some(())
    })
    .await;
    for n in 0..MAILS {
        let order = format!("order-{n}");
        let id = home.db.id_of(&order).await;
        // One whose answer nobody wrote down is looked up.
        let row = site.row_in(id, "synced").await;
        assert_eq!(row["attempts"], 2, "{row}");
        assert_eq!(service.holds(&order), 1, "{order}");
    }
    let resent =
        format!("SELECT COUNT(*) FROM bulk_items WHERE job_id = {id} AND result = 'resent'");
    assert_eq!(home.db.number(&resent).await, 20);
}
