//! `POST /api/v1/submissions/{id}/resend`.

use crate::common::RunningSandbox;
use crate::run::{Home, faults, on_both, refusing};
use crate::site::Site;
use denpyo::sandbox::Faults;
use reqwest::StatusCode;
use serde_json::{Value, json};

on_both!(
    one_of_many_resends_wins,
    a_request_is_carried_out_once,
    a_corrected_recipient_is_where_it_goes,
    every_refusal_has_its_reason,
    content_that_cannot_be_sent_is_told_with_what_helps,
    nothing_is_resent_without_a_service,
);

/// A site whose mail was refused by the service, which behaves from now on.
async fn refused(home: &mut Home) -> (RunningSandbox, Site, i64) {
    let service = RunningSandbox::start().await;
    home.send_through(&service.url);
    faults(&service.sandbox, refusing());
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    site.row_in(id, "rejected").await;
    faults(&service.sandbox, Faults::default());
    (service, site, id)
}

async fn resend(site: &Site, id: i64, body: Value) -> (StatusCode, Value) {
    site.post(&format!("/{id}/resend"), &body).await
}

async fn one_of_many_resends_wins(mut home: Home) {
    let (service, site, id) = refused(&mut home).await;
    let seen = site.row(id).await;
    let ticket = json!({"version": seen["version"], "attempt": seen["attempts"]});
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let request = site
            .api(reqwest::Method::POST, &format!("/{id}/resend"))
            .json(&ticket);
        requests.spawn(async move { crate::site::read(request.send().await.unwrap()).await });
    }
    let answers = requests.join_all().await;
    let won: Vec<&Value> = answers
        .iter()
        .filter(|(status, _)| *status == StatusCode::ACCEPTED)
        .map(|(_, answer)| answer)
        .collect();
    assert_eq!(won.len(), 1);
    assert_eq!(won[0]["id"], id);
    assert_eq!(won[0]["attempt"], 2);
    assert_eq!(won[0]["submission"]["id"], id);
    for (status, problem) in answers.iter().filter(|(s, _)| *s != StatusCode::ACCEPTED) {
        assert_eq!(*status, StatusCode::CONFLICT, "{problem}");
        assert_eq!(problem["by"], "api", "{problem}");
        assert_eq!(problem["attempt"], 2, "{problem}");
        assert!(problem["at"].is_string(), "{problem}");
        assert_eq!(problem["submission"]["id"], id);
    }
    site.row_in(id, "synced").await;
    assert_eq!(service.holds("1001"), 1);
}

async fn a_request_is_carried_out_once(mut home: Home) {
    let (service, site, id) = refused(&mut home).await;
    let body = json!({"request_id": "shop-7", "reason": "お客様のご依頼"});
    let (status, first) = resend(&site, id, body.clone()).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{first}");
    site.row_in(id, "synced").await;
    for _ in 0..3 {
        let (status, again) = resend(&site, id, body.clone()).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{again}");
        assert_eq!(again["attempt"], first["attempt"]);
    }
    let (status, _) = resend(&site, id, json!({"request_id": "shop-8"})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(service.holds("1001"), 1);
    // What Denpyo calls its own requests is no program's to use: a job would take it for its own resend.
    for act in ["resend", "copies"] {
        let body = json!({"request_id": "denpyo:bulk/1"});
        let (status, problem) = site.post(&format!("/{id}/{act}"), &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert_eq!(problem["errors"][0]["field"], "request_id");
    }
    let acts = "SELECT COUNT(*) FROM audit_events WHERE act = 'resend' AND actor = 'api' \
                AND reason = 'お客様のご依頼'";
    assert_eq!(home.db.number(acts).await, 1);
}

async fn a_corrected_recipient_is_where_it_goes(mut home: Home) {
    let (service, site, id) = refused(&mut home).await;
    for bad in ["nobody", "a@b@c", "a@example.com\nBcc: b@example.com", ""] {
        let (status, problem) = resend(&site, id, json!({"recipient": bad})).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{bad:?}");
        assert_eq!(problem["errors"][0]["field"], "recipient");
    }
    let (status, answer) = resend(&site, id, json!({"recipient": " right@example.com "})).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    let row = site.row_in(id, "synced").await;
    assert_eq!(row["recipient"], "right@example.com");
    assert_eq!(row["attempt_log"][0]["recipient"], "1001@example.com");
    assert_eq!(row["attempt_log"][1]["recipient"], "right@example.com");
    let sent = service.sandbox.messages();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].to.email, "right@example.com");
    // The key still names the mail as it was first handed over.
    let (status, _) = site.post("", &crate::site::mail("1001")).await;
    assert_eq!(status, StatusCode::OK);
}

async fn every_refusal_has_its_reason(mut home: Home) {
    let (service, site, id) = refused(&mut home).await;
    let row = site.stored(id).await;
    let version = row["version"].as_i64().unwrap();

    let (status, problem) = resend(&site, id, json!({"version": version - 1})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(problem["submission"]["version"], version);
    let worker = format!(":{}", site.program.child.id());
    let by = problem["by"].as_str().unwrap();
    assert!(by.ends_with(&worker), "who was first: {problem}");
    let (status, problem) = resend(&site, id, json!({"version": version, "attempt": 0})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(problem["attempt"], 1);

    for (body, field) in [
        (json!({"version": "x"}), "version"),
        (json!({"attempt": 1.5}), "attempt"),
        (json!({"attempt": 9_999_999_999_i64}), "attempt"),
        (json!({"reason": 7}), "reason"),
        (json!({"reason": "a\u{0}"}), "reason"),
        (json!({"reason": "x".repeat(1001)}), "reason"),
        (json!({"request_id": ""}), "request_id"),
        (json!({"request_id": "x".repeat(201)}), "request_id"),
        (json!({"force": true}), "force"),
    ] {
        let (status, problem) = resend(&site, id, body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{field}");
        assert_eq!(problem["errors"][0]["field"], field);
    }
    for body in ["[]", "{", "null"] {
        let request = site.api(reqwest::Method::POST, &format!("/{id}/resend"));
        let answer = request.body(body).send().await.unwrap();
        let (status, _) = crate::site::read(answer).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
    }
    assert_eq!(site.stored(id).await, row, "none of that changed anything");

    home.db
        .change(id, "held_reason = 'restored', held_by = 'hold'")
        .await;
    let (status, problem) = resend(&site, id, json!({})).await;
    assert_eq!(
        (status, &problem["reason"]),
        (StatusCode::CONFLICT, &json!("held"))
    );
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("(restored)"), "{detail}");
    assert_eq!(problem["submission"]["held_by"], "hold");
    home.db
        .change(id, "held_reason = NULL, held_by = NULL")
        .await;

    // Without a body: any version.
    let hang = Faults {
        hang_without_accept: 1.0,
        ..Faults::default()
    };
    faults(&service.sandbox, hang);
    let request = site.api(reqwest::Method::POST, &format!("/{id}/resend"));
    assert_eq!(request.send().await.unwrap().status(), StatusCode::ACCEPTED);
    let (status, problem) = resend(&site, id, json!({})).await;
    assert_eq!(
        (status, &problem["reason"]),
        (StatusCode::CONFLICT, &json!("in_flight"))
    );
    assert_eq!(
        (&problem["by"], &problem["attempt"]),
        (&json!("api"), &json!(2))
    );

    faults(&service.sandbox, Faults::default());
    let sent = site.enqueue("1002").await;
    site.row_in(sent, "synced").await;
    let (status, problem) = resend(&site, sent, json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(
        problem["copies"],
        format!("/api/v1/submissions/{sent}/copies")
    );

    let mut later = crate::site::mail("1003");
    later["not_before"] = json!("2090-01-01T00:00:00Z");
    let (_, waiting) = site.post("", &later).await;
    let waiting = waiting["id"].as_i64().unwrap();
    let (status, problem) = resend(&site, waiting, json!({})).await;
    assert_eq!(
        (status, &problem["reason"]),
        (StatusCode::CONFLICT, &json!("still_waiting"))
    );
    home.db.change(waiting, "status = 'canceled'").await;
    let (status, problem) = resend(&site, waiting, json!({})).await;
    assert_eq!(
        (status, &problem["reason"]),
        (StatusCode::CONFLICT, &json!("called_off"))
    );
    let (status, _) = resend(&site, 4711, json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

/// Each is told what is wrong, and what helps against just that.
async fn content_that_cannot_be_sent_is_told_with_what_helps(mut home: Home) {
    let (_service, site, _) = refused(&mut home).await;
    for (order, values, reason, says, helps) in [
        (
            "2",
            "'nobody', 's', ''",
            "bad_recipient",
            "recipient: ",
            "`recipient`",
        ),
        (
            "3",
            "'a@example.com', '', ''",
            "bad_content",
            "subject: missing",
            "`occasion`",
        ),
        (
            "4",
            "'a@example.com', 's', 'nobody'",
            "bad_content",
            "sender: ",
            "`occasion`",
        ),
    ] {
        home.db
            .run(&format!(
                "INSERT INTO email_submissions (order_id, kind, recipient, subject, sender, body_text) \
                 VALUES ('{order}', 'k', {values}, 'b')"
            ))
            .await;
        let id = home.db.id_of(order).await;
        site.row_in(id, "rejected").await;
        let (status, problem) = resend(&site, id, json!({})).await;
        assert_eq!(
            (status, &problem["reason"]),
            (StatusCode::CONFLICT, &json!(reason)),
            "{problem}"
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(says) && detail.contains(helps), "{detail}");
        assert_eq!(
            detail.contains("corrected"),
            reason == "bad_recipient",
            "{detail}"
        );
    }
}

async fn nothing_is_resent_without_a_service(mut home: Home) {
    let (_service, site, id) = refused(&mut home).await;
    drop(site);
    for key in ["PROVIDER", "PROVIDER_URL", "PROVIDER_KEY"] {
        home.unset(key);
    }
    let site = home.web().await;
    let (status, problem) = resend(&site, id, json!({})).await;
    assert_eq!(
        (status, &problem["reason"]),
        (StatusCode::CONFLICT, &json!("no_service"))
    );
    assert_eq!(site.row(id).await["attempts"], 1);
    let (status, _) = resend(&site, 4711, json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}
