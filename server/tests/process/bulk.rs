//! Resending many, over the death of the process that does it.

use crate::common::RunningSandbox;
use crate::run::{Home, eventually, faults, on_both};
use crate::site::{With, header};
use denpyo::sandbox::Faults;
use reqwest::StatusCode;

const PASSWORD: &str = "correct horse";
const MAILS: usize = 20;

on_both!(killed_in_the_middle_it_goes_on_and_sends_none_twice);

async fn killed_in_the_middle_it_goes_on_and_sends_none_twice(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url).lease(2000, 4000);
    home.add_user("suzuki", "lead", PASSWORD);
    home.add_user("sato", "support", PASSWORD);
    let refuse = Faults {
        refuse_400: 1.0,
        ..Faults::default()
    };
    faults(&service.sandbox, refuse);
    let site = home.serve().await;
    for n in 0..MAILS {
        let id = site.enqueue(&format!("order-{n}")).await;
        site.row_in(id, "rejected").await;
    }
    faults(&service.sandbox, Faults::default());

    let lead = site.sign_in("suzuki", PASSWORD).await;
    let prepared = site
        .form("/_desk/bulk_prepare", &[("query", "status=rejected")])
        .with(&lead)
        .send()
        .await
        .unwrap();
    assert!(prepared.status().is_redirection());
    let page = header(&prepared, "location").to_owned();
    let id = page
        .strip_prefix("/bulk/")
        .expect("the job's page")
        .to_owned();
    let fields = [("id", id.as_str()), ("reason", "restored")];
    let support = site.sign_in("sato", PASSWORD).await;
    for act in ["bulk_start", "bulk_stop", "bulk"] {
        let refused = site.script(act, &fields).with(&support).send().await;
        assert_eq!(refused.unwrap().status(), StatusCode::FORBIDDEN, "{act}");
        let stranger = site.script(act, &fields).send().await;
        assert_eq!(
            stranger.unwrap().status(),
            StatusCode::UNAUTHORIZED,
            "{act}"
        );
    }
    let started = site.script("bulk_start", &fields).with(&lead).send().await;
    assert_eq!(started.unwrap().status(), StatusCode::OK);

    eventually("some of them", async || {
        (service.sandbox.messages().len() >= 3).then_some(())
    })
    .await;
    site.program.kill().await;
    let before = service.sandbox.messages().len();
    assert!(before < MAILS, "it was killed in the middle");

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
