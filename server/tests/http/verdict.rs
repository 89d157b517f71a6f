//! The verdict: one answer for the page, the API and the claim.

use crate::common::{
    RunningSandbox, TestDb, accepted, claimant, never_left, refused, temporary, unknown,
};
use crate::run::{Home, on_both};
use crate::site::With;
use denpyo::outbox::claim::claim_due;
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{OnUnknown, settle};
use denpyo::provider::SendOutcome;
use reqwest::StatusCode;
use serde_json::json;

on_both!(
    page_api_and_claim_agree_in_every_state,
    a_mail_in_doubt_says_until_when_to_wait
);

const PASSWORD: &str = "correct horse";

async fn settled(db: &TestDb, order: &str, outcome: &SendOutcome, side: OnUnknown) -> i64 {
    let id = db.insert(order).await;
    let claims = claim_due(db, &claimant(), 100).await.unwrap();
    let claim = claims.iter().find(|claim| claim.id() == id).unwrap();
    settle(db, claim, outcome, side, Retries { most: 5 })
        .await
        .unwrap();
    // What is due again would be claimed with a later case.
    db.put_off(id).await;
    id
}

/// Mails in every state, each with what is to be said of it: answer, what it is more closely, and
/// what may be done.
async fn cases(db: &TestDb) -> Vec<(i64, [&'static str; 3])> {
    let hold = OnUnknown::Hold;
    let mut cases = Vec::new();
    let mut case = |id: i64, says: [&'static str; 3]| cases.push((id, says));
    for (order, outcome) in [("left", never_left()), ("put off", temporary(Some(3000)))] {
        let id = settled(db, order, &outcome, hold).await;
        case(id, ["safe_to_resend", "never_accepted", "resend"]);
    }
    let id = settled(db, "refused", &refused(), hold).await;
    case(id, ["refused", "refused", "resend"]);
    let id = settled(db, "accepted", &accepted("m"), hold).await;
    case(id, ["accepted", "accepted_by_service", "nothing"]);
    for state in ["delivered", "bounced", "complained"] {
        let id = settled(db, state, &accepted("m"), hold).await;
        let set = format!("delivery_state = '{state}', delivery_at = {}", db.at(-1));
        db.change(id, &set).await;
        case(id, ["accepted", state, "nothing"]);
    }
    let id = settled(db, "unknown", &unknown(), hold).await;
    case(id, ["not_known", "not_known", "check"]);
    let id = settled(db, "assumed sent", &unknown(), OnUnknown::Synced).await;
    case(id, ["not_known", "accepted_assumed", "nothing"]);
    let id = settled(db, "assumed not", &unknown(), OnUnknown::Failed).await;
    case(id, ["not_known", "not_sent_assumed", "resend"]);
    let id = settled(db, "held", &never_left(), hold).await;
    db.change(id, "held_reason = 'asked for', held_by = 'hold'")
        .await;
    case(id, ["not_known", "held_after_backup", "release"]);
    let id = settled(db, "called off", &refused(), hold).await;
    db.change(id, "status = 'canceled'").await;
    case(id, ["called_off", "called_off", "nothing"]);
    // Refused by the service, and since then somebody broke its address.
    let id = settled(db, "broken", &refused(), hold).await;
    db.change(id, "recipient = 'a b@example.com'").await;
    case(id, ["refused", "refused", "change"]);
    let id = settled(db, "empty", &never_left(), hold).await;
    db.change(id, "body_text = NULL").await;
    case(id, ["safe_to_resend", "never_accepted", "change"]);
    let id = db.insert_to("screened", "nobody").await;
    assert!(claim_due(db, &claimant(), 100).await.unwrap().is_empty());
    case(id, ["refused", "refused", "change"]);
    let id = db.insert("sending").await;
    assert_eq!(claim_due(db, &claimant(), 100).await.unwrap().len(), 1);
    case(id, ["wait", "sending", "wait"]);
    let id = db.insert("vanished").await;
    assert_eq!(claim_due(db, &claimant(), 100).await.unwrap().len(), 1);
    db.lapse(id).await;
    case(id, ["not_known", "not_known", "check"]);
    let id = db.insert("waiting").await;
    case(id, ["wait", "waiting_to_send", "wait"]);
    let id = db.insert("held back").await;
    db.change(id, "held_reason = 'asked for', held_by = 'hold'")
        .await;
    case(id, ["not_known", "held_after_backup", "release"]);
    let id = db.insert("too old").await;
    db.change(id, "held_reason = 'too old', held_by = 'age'")
        .await;
    case(id, ["wait", "held", "release"]);
    cases
}

async fn page_api_and_claim_agree_in_every_state(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let session = site.sign_in("sato", PASSWORD).await;
    for (id, says) in cases(&home.db).await {
        let seen = site.row(id).await;
        let verdict = &seen["verdict"];
        let said = [&verdict["answer"], &verdict["detail"], &verdict["next"]];
        assert_eq!(said, says, "{seen:#}");
        assert!(verdict["established_at"].is_string(), "{verdict}");
        let may = says[2] == "resend";
        assert_eq!(
            verdict["attempt"].is_number(),
            may,
            "the attempt that it would be: {verdict}"
        );

        let page = site.get(&format!("/submissions/{id}")).with(&session);
        let page = page.send().await.unwrap().text().await.unwrap();
        assert_eq!(
            page.contains("action=\"/_desk/resend\""),
            may,
            "the page's button for {}",
            seen["order_id"]
        );

        let ticket = json!({"version": seen["version"], "attempt": seen["attempts"]});
        let (status, answer) = site.post(&format!("/{id}/resend"), &ticket).await;
        let taken = status == StatusCode::ACCEPTED;
        assert_eq!(taken, may, "{} answers {answer}", seen["order_id"]);
        if !taken {
            assert_eq!(status, StatusCode::CONFLICT);
            assert_ne!(answer["reason"], "changed", "{answer}");
            assert_eq!(site.row(id).await["attempts"], seen["attempts"]);
        }
    }
}

async fn a_mail_in_doubt_says_until_when_to_wait(mut home: Home) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    home.lease(500, 1600).set("LOOKUP_HORIZON", "1h");
    home.add_user("sato", "support", PASSWORD);
    let hang = denpyo::sandbox::Faults {
        accept_then_hang: 1.0,
        index_delay_ms: 3_600_000,
        ..denpyo::sandbox::Faults::default()
    };
    crate::run::faults(&service.sandbox, hang);
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    let row = site
        .row_when(id, "in question", |row| !row["unknown_at"].is_null())
        .await;
    // An hour from the lease's end, as the settings say.
    let seconds = |value: &serde_json::Value| {
        let text = value.as_str().unwrap_or_default().to_owned();
        chrono::DateTime::parse_from_rfc3339(&text).unwrap()
    };
    let last = row["attempt_log"].as_array().and_then(|log| log.last());
    let lease = seconds(&last.unwrap()["lease_until"]);
    let until = seconds(&row["verdict"]["until"]);
    assert_eq!((until - lease).num_milliseconds(), 3_600_000);
    // It stands beside the answer that would be said too early, and beside that one alone.
    let session = site.sign_in("sato", PASSWORD).await;
    let page = site
        .get("/stuck")
        .header("accept-language", "en")
        .with(&session);
    let page = page.send().await.unwrap().text().await.unwrap();
    let (_, case) = page.split_once("class=\"case\"").unwrap();
    let (_, forms) = case.split_once("It did go out").unwrap();
    let (sent, not_sent) = forms.split_once("It did not").unwrap();
    assert!(not_sent.contains("Wait until "), "{not_sent}");
    assert!(!sent.contains("Wait until "), "{sent}");
}
