//! Resending many: what a job's page says of how it ended, or never began.

use crate::common::RunningSandbox;
use crate::run::{Home, faults, on_both, refusing};
use crate::site::{PASSWORD, Site, With};
use app::words::Lang;
use reqwest::StatusCode;

on_both!(
    a_jobs_page_says_why_it_goes_no_further,
    a_masked_search_leads_to_no_rest,
);

/// The page, in this language.
async fn page(site: &Site, path: &str, session: &str, lang: &str) -> String {
    let asked = site.get(path).with(session).header("accept-language", lang);
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    answer.text().await.unwrap()
}

/// A site whose service refused a mail, and a lead's session.
async fn with_a_refused_mail(home: &mut Home) -> (RunningSandbox, Site, String) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    home.add_user("suzuki", "lead", PASSWORD);
    faults(&service.sandbox, refusing());
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    site.row_in(id, "rejected").await;
    let lead = site.sign_in("suzuki", PASSWORD).await;
    (service, site, lead)
}

/// As a process leaves the jobs that found that the lead may not any more.
async fn revoke(home: &Home) {
    let now = home.db.at(0);
    home.db
        .run(&format!(
            "UPDATE bulk_jobs SET state = 'stopped', reason = 'r', started_by = 'suzuki', \
             started_at = {now}, ended_at = {now}"
        ))
        .await;
}

async fn a_jobs_page_says_why_it_goes_no_further(mut home: Home) {
    let (_service, site, lead) = with_a_refused_mail(&mut home).await;
    let job = site.bulk_prepared(&lead, "status=rejected").await;
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

    revoke(&home).await;
    for (name, lang) in langs {
        let stopped = page(&site, &job, &lead, name).await;
        assert!(stopped.contains(lang.words().bulk.revoked), "{stopped}");
    }
}

/// Its address is hidden, so that it would find nothing.
async fn a_masked_search_leads_to_no_rest(mut home: Home) {
    home.set("MASK_ADDRESSES", "lead");
    let (_service, site, lead) = with_a_refused_mail(&mut home).await;
    let jobs = [
        ("status=rejected", true),
        ("status=rejected&q=1001@example.com", false),
    ];
    let mut prepared_jobs = Vec::new();
    for (query, leads_on) in jobs {
        prepared_jobs.push((site.bulk_prepared(&lead, query).await, leads_on));
    }
    revoke(&home).await;
    for (job, leads_on) in prepared_jobs {
        let stopped = page(&site, &job, &lead, "en").await;
        assert!(stopped.contains("1 mail not resent"), "{stopped}");
        let rest = r#"href="/bulk/new?status=rejected"#;
        assert_eq!(stopped.contains(rest), leads_on, "{job}: {stopped}");
    }
}
