//! Resending many: what a job's page says of how it ended, or never began.

use crate::common::RunningSandbox;
use crate::run::{Home, faults, on_both};
use crate::site::{Site, With, header};
use app::words::Lang;
use denpyo::sandbox::Faults;
use reqwest::StatusCode;

on_both!(a_jobs_page_says_why_it_goes_no_further);

const PASSWORD: &str = "correct horse";

/// The page, in this language.
async fn page(site: &Site, path: &str, session: &str, lang: &str) -> String {
    let asked = site.get(path).with(session).header("accept-language", lang);
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    answer.text().await.unwrap()
}

async fn a_jobs_page_says_why_it_goes_no_further(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    home.add_user("suzuki", "lead", PASSWORD);
    let refuse = Faults {
        refuse_400: 1.0,
        ..Faults::default()
    };
    faults(&service.sandbox, refuse);
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    site.row_in(id, "rejected").await;
    let lead = site.sign_in("suzuki", PASSWORD).await;
    let prepared = site
        .form("/_desk/bulk_prepare", &[("query", "status=rejected")])
        .with(&lead)
        .send()
        .await
        .unwrap();
    let job = header(&prepared, "location").to_owned();
    let langs = [("ja", Lang::Ja), ("en", Lang::En)];
    for (name, lang) in langs {
        let fresh = page(&site, &job, &lead, name).await;
        assert!(!fresh.contains(lang.words().bulk.outdated), "{fresh}");
        assert!(fresh.contains("/_desk/bulk_start"));
    }

    // Nobody starts it for a day: the form is gone, and the way leads back to the same list.
    let then = home.db.at(-86_400);
    home.db
        .run(&format!("UPDATE bulk_jobs SET created_at = {then}"))
        .await;
    for (name, lang) in langs {
        let old = page(&site, &job, &lead, name).await;
        assert!(old.contains(lang.words().bulk.outdated), "{old}");
        assert!(!old.contains("/_desk/bulk_start"), "{old}");
        assert!(
            old.contains(r#"href="/submissions?status=rejected""#),
            "{old}"
        );
    }

    // As a process leaves it that found that the lead may not any more.
    let now = home.db.at(0);
    home.db
        .run(&format!(
            "UPDATE bulk_jobs SET state = 'stopped', reason = 'r', started_by = 'suzuki', \
             started_at = {now}, ended_at = {now}"
        ))
        .await;
    for (name, lang) in langs {
        let stopped = page(&site, &job, &lead, name).await;
        assert!(stopped.contains(lang.words().bulk.revoked), "{stopped}");
    }
}
