//! Failures by what went wrong.

use crate::common::{TestDb, accepted, both, claimant, office, settled, unknown};
use app::desk::Desk;
use app::model::Role;
use app::model::views::{Errors, MailList, Me};
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::failures;
use denpyo::provider::SendOutcome;

fn refused(detail: &str) -> SendOutcome {
    SendOutcome::Refused {
        code: 550,
        detail: detail.to_owned(),
    }
}

async fn errors(db: &TestDb, query: &str) -> Errors {
    while failures::round(db).await.unwrap() {}
    office(db).errors(query).await.unwrap()
}

async fn list(db: &TestDb, query: &str) -> MailList {
    let me = Me {
        name: "sato".to_owned(),
        role: Role::Support,
    };
    office(db).list(&me, query).await.unwrap()
}

fn orders(list: &MailList) -> Vec<&str> {
    list.rows.iter().map(|row| row.order_id.as_str()).collect()
}

both! {
    async fn what_went_wrong_is_one_line_with_its_mails_behind_it(db: TestDb) {
        settled(&db, "1", &refused("550 5.1.1 <tanaka@example.jp>: no such user, id 4Xk2hB9zq1z")).await;
        settled(&db, "2", &refused("550 5.1.1 <sato@example.com>: no such user, id 9Qz1aa7bc2d")).await;
        settled(&db, "3", &refused("552 5.2.2 mailbox full")).await;
        settled(&db, "4", &accepted("m")).await;
        let doubt = settled(&db, "5", &unknown()).await;
        // What is screened never comes to a service.
        db.run("INSERT INTO email_submissions (order_id, kind, recipient, body_text) \
            VALUES ('6', 'invoice', 'nobody', 'b')").await;
        assert!(claim_due(&db, &claimant(), 1).await.unwrap().is_empty());
        let seen = errors(&db, "").await;
        let groups = seen.groups.unwrap();
        let lines: Vec<(i64, &str, &str)> = groups.iter()
            .map(|g| (g.mails, g.what.provider.as_str(), g.what.text.as_str())).collect();
        assert_eq!(lines[0], (2, "scripted", "550 5.1.1 <⟨address⟩>: no such user, id ⟨id⟩"));
        let mut rest = lines[1..].to_vec();
        rest.sort_unstable();
        assert_eq!(rest, [
            (1, "", "recipient: no @"),
            (1, "scripted", "552 5.2.2 mailbox full"),
            (1, "scripted", "no answer in time"),
        ]);
        assert!(groups.iter().all(|g| g.first <= g.last && g.failures == g.mails));
        let first = &groups[0].failed;
        let behind = list(&db, &format!("error={first}")).await;
        assert_eq!(orders(&behind), ["2", "1"]);
        assert_eq!(behind.failed.as_ref(), Some(&groups[0].what));
        assert_eq!(orders(&list(&db, &format!("error={}&q=2", first.hash)).await), ["2"]);
        let doubtful = groups.iter().find(|g| g.what.text == "no answer in time").unwrap();
        assert_eq!(list(&db, &format!("error={}&status=check", doubtful.failed)).await.rows[0].id, doubt);
        assert_eq!(list(&db, &format!("error={first}&status=synced")).await.rows.len(), 0);
        let nothing = list(&db, "error=0123456789abcdef").await;
        assert_eq!((nothing.rows.len(), nothing.failed), (0, None));
    }

    async fn a_mail_that_fails_again_is_one_mail(db: TestDb) {
        let id = settled(&db, "1", &refused("no such user")).await;
        for _ in 0..2 {
            db.run(&format!("UPDATE email_submissions SET status = 'requesting', attempts = attempts + 1, \
                claim_token = 'again' || attempts, claimed_at = {now}, lease_until = {now}, \
                version = version + 1 WHERE id = {id}", now = db.at(0))).await;
            db.run(&format!("INSERT INTO submission_attempts (submission_id, attempt, claim_token, worker, \
                provider, account, claimed_at, lease_until) SELECT id, attempts, claim_token, 'w', 'scripted', \
                'a', claimed_at, lease_until FROM email_submissions WHERE id = {id}")).await;
            db.run(&format!("UPDATE submission_attempts SET closed_at = {}, outcome = 'refused', cause = 'answer', \
                code = 550, error = 'no such user' WHERE submission_id = {id} AND closed_at IS NULL", db.at(0))).await;
            db.change(id, "status = 'rejected', claim_token = NULL, lease_until = NULL").await;
        }
        let groups = errors(&db, "").await.groups.unwrap();
        assert_eq!(groups.len(), 1);
        assert_eq!((groups[0].mails, groups[0].failures), (1, 3));
        assert_eq!(list(&db, &format!("error={}", groups[0].failed)).await.rows.len(), 1);
    }

    async fn the_span_of_days_is_chosen(db: TestDb) {
        settled(&db, "1", &refused("old")).await;
        settled(&db, "2", &refused("new")).await;
        errors(&db, "").await;
        let past = db.at(-20 * 86_400);
        let aged = format!("UPDATE failures SET at = {past} WHERE submission_id = \
            (SELECT id FROM email_submissions WHERE order_id = '1')");
        assert_eq!(db.run(&aged).await, 1);
        for (query, days, count) in [
            ("", 7, 1),
            ("days=7", 7, 1),
            ("days=30", 30, 2),
            ("days=1", 1, 1),
            ("days=8", 7, 1),
            ("days=-30", 7, 1),
            ("days=99999999999999999999", 7, 1),
            ("days=30'", 7, 1),
        ] {
            let seen = errors(&db, query).await;
            assert_eq!((seen.days, seen.groups.map(|g| g.len())), (days, Some(count)), "{query}");
        }
        let all = errors(&db, "days=30").await.groups.unwrap();
        let old = all.iter().find(|g| g.what.text == "old").unwrap();
        assert_eq!(list(&db, &format!("error={}", old.failed)).await.rows.len(), 1);
        assert_eq!(list(&db, &format!("error={}-7", old.failed.hash)).await.rows.len(), 0);
        assert_eq!(list(&db, &format!("error={}", old.failed.hash)).await.rows.len(), 1);
    }
}
