use super::*;
use crate::model::Intake;
use crate::model::views::{MailRow, Observation};
use chrono::DateTime;

pub(crate) fn at(text: &str) -> Moment {
    Moment(DateTime::parse_from_rfc3339(&format!("2026-11-29T{text}+09:00")).unwrap_or_default())
}

pub(crate) fn attempt(n: i32, claimed: &str, outcome: Option<Outcome>) -> Attempt {
    Attempt {
        attempt: n,
        worker: "worker-1".into(),
        actor: None,
        recipient: "a@example.jp".into(),
        provider: "sendgrid".into(),
        elsewhere: false,
        claimed_at: at(claimed),
        closed_at: outcome.map(|_| at(claimed)),
        outcome,
        cause: None,
        code: None,
        error: None,
        took_ms: None,
        next_attempt_at: None,
    }
}

pub(crate) fn act(time: &str, what: &str, after: Status) -> ActRecord {
    ActRecord {
        at: at(time),
        actor: "lead1".into(),
        act: what.into(),
        reason: None,
        before: Some(Status::Requesting),
        after: Some(after),
        attempt: None,
        to: None,
        copy: None,
    }
}

pub(crate) fn mail(status: Status, attempts: Vec<Attempt>) -> Mail {
    let face = Face::of(status, false, None);
    Mail {
        as_of: at("14:02:11"),
        row: MailRow {
            id: 1,
            order_id: "1001".into(),
            kind: "invoice".into(),
            copy: 0,
            occasion: String::new(),
            recipient: "a@example.jp".into(),
            face,
            assumed: false,
            held: false,
            attempts: i32::try_from(attempts.len()).unwrap_or(0),
            created_at: at("09:00:00"),
            sent_at: None,
        },
        status,
        settled_by: (status != Status::Pending && status != Status::Requesting)
            .then_some(SettledBy::Response),
        delivery: None,
        delivery_at: None,
        version: 1,
        reference: String::new(),
        subject: String::new(),
        sender: None,
        reply_to: None,
        has_body: true,
        error: None,
        held_reason: None,
        held_by: None,
        lookup: None,
        possible_duplicate: false,
        not_before: None,
        next_attempt_at: None,
        lease_until: None,
        unknown_at: None,
        shows_by: None,
        unsendable: None,
        intake: Intake::Insert,
        original: None,
        next_copy: 1,
        masked: false,
        message_id: None,
        provider_message_id: None,
        provider: None,
        max_attempts: 5,
        idle: false,
        service: ServiceState::Ready {
            name: "SendGrid".into(),
        },
        attempts,
        observations: vec![],
        acts: vec![],
        others: vec![],
    }
}

fn may_resend(v: &Verdict) -> bool {
    matches!(v.next, Next::Resend { .. })
}

#[test]
fn what_never_left_is_safe_to_resend() {
    let m = mail(
        Status::Failed,
        vec![
            attempt(1, "09:00:01", Some(Outcome::Temporary)),
            attempt(2, "09:00:02", Some(Outcome::NeverLeft)),
            attempt(3, "09:00:03", Some(Outcome::NeverLeft)),
        ],
    );
    let v = verdict(&m);
    assert_eq!(v.answer, Answer::SafeToResend);
    assert_eq!(v.doubt, None);
    assert_eq!(
        v.next,
        Next::Resend {
            attempt: 4,
            by_itself: None
        }
    );
    // Attempts that ended alike are one line.
    assert_eq!(v.proofs.len(), 2);
}

#[test]
fn an_unknown_attempt_before_a_known_one_leaves_a_doubt() {
    let mut m = mail(
        Status::Failed,
        vec![
            attempt(1, "09:00:01", Some(Outcome::Unknown)),
            attempt(2, "09:10:00", Some(Outcome::NeverLeft)),
        ],
    );
    let v = verdict(&m);
    assert_eq!(v.answer, Answer::NotSentAssumed);
    assert_eq!(v.doubt, Some(1));
    assert!(may_resend(&v));
    // A person's word, or a late refusal, ends the doubt.
    m.acts = vec![act("09:05:00", "confirm_not_sent", Status::Failed)];
    assert_eq!(verdict(&m).answer, Answer::SafeToResend);
    m.acts.clear();
    m.observations = vec![Observation {
        at: at("09:01:00"),
        kind: "late_refused".into(),
        attempt: Some(1),
        detail: None,
    }];
    assert_eq!(verdict(&m).answer, Answer::SafeToResend);
    // Given back before its first byte, as its process said later; of a service whose requests are
    // repeated that says nothing of the second.
    m.observations[0].kind = "late_released".into();
    assert_eq!(verdict(&m).answer, Answer::SafeToResend);
    m.attempts[0].provider = "resend".into();
    assert_eq!(verdict(&m).doubt, Some(1));
    // But not a word said before that attempt.
    m.observations.clear();
    m.acts = vec![act("09:00:00", "confirm_not_sent", Status::Failed)];
    assert_eq!(verdict(&m).doubt, Some(1));
}

#[test]
fn assumed_is_never_called_safe() {
    let mut m = mail(
        Status::Failed,
        vec![attempt(1, "09:00:01", Some(Outcome::Unknown))],
    );
    m.settled_by = Some(SettledBy::Assumed);
    assert_eq!(verdict(&m).answer, Answer::NotSentAssumed);
    m.status = Status::Synced;
    let v = verdict(&m);
    assert_eq!(v.answer, Answer::Accepted(Basis::Assumed));
    assert!(!may_resend(&v));
}

#[test]
fn while_the_lease_lives_wait_then_nobody_knows() {
    let mut m = mail(Status::Requesting, vec![attempt(1, "14:01:00", None)]);
    m.lease_until = Some(at("14:03:00"));
    assert_eq!(
        verdict(&m).answer,
        Answer::Sending {
            until: at("14:03:00")
        }
    );
    assert_eq!(verdict(&m).next, Next::Wait);
    // Known to be unknown before the lease ends.
    m.row.face = Face::NeedsChecking;
    assert_eq!(verdict(&m).answer, Answer::NotKnown);
    m.row.face = Face::Sending;
    m.lease_until = Some(at("14:02:11"));
    assert_eq!(verdict(&m).answer, Answer::NotKnown);
    assert_eq!(verdict(&m).next, Next::Check);
}

#[test]
fn what_the_service_has_is_not_sent_again() {
    let mut m = mail(
        Status::Synced,
        vec![attempt(1, "09:00:01", Some(Outcome::Accepted))],
    );
    for (by, basis) in [
        (SettledBy::Response, Basis::Service),
        (SettledBy::Lookup, Basis::Service),
        (SettledBy::Webhook, Basis::Service),
        (SettledBy::Person, Basis::Person),
        (SettledBy::Assumed, Basis::Assumed),
        (SettledBy::Imported, Basis::Imported),
    ] {
        m.settled_by = Some(by);
        assert_eq!(verdict(&m).answer, Answer::Accepted(basis));
        assert!(!may_resend(&verdict(&m)));
    }
    for (state, answer) in [
        (DeliveryState::Delivered, Answer::Delivered),
        (DeliveryState::Bounced, Answer::Bounced),
        (DeliveryState::Complained, Answer::Complained),
    ] {
        m.delivery = Some(state);
        assert_eq!(verdict(&m).answer, answer);
        assert!(!may_resend(&verdict(&m)));
    }
}

#[test]
fn a_button_only_where_a_resend_can_work() {
    let mut m = mail(
        Status::Rejected,
        vec![attempt(1, "09:00:01", Some(Outcome::Refused))],
    );
    assert_eq!(verdict(&m).answer, Answer::Refused);
    assert!(may_resend(&verdict(&m)));
    m.service = ServiceState::None;
    assert_eq!(verdict(&m).next, Next::NeedsService);
    m.row.held = true;
    assert_eq!(verdict(&m).next, Next::Release);
    for status in [Status::Pending, Status::Requesting, Status::Canceled] {
        assert!(!may_resend(&verdict(&mail(status, vec![]))));
    }
}

fn seen(time: &str, kind: &str, attempt: i32) -> Observation {
    Observation {
        at: at(time),
        kind: kind.into(),
        attempt: Some(attempt),
        detail: None,
    }
}

#[test]
fn a_look_up_that_says_no_clears_the_doubt_of_its_own_attempt() {
    let unknown = |n, time| attempt(n, time, Some(Outcome::Unknown));
    let mut m = mail(Status::Failed, vec![unknown(1, "09:00:01")]);
    m.settled_by = Some(SettledBy::Lookup);
    assert_eq!(verdict(&m).answer, Answer::NotSentAssumed);
    m.observations = vec![
        seen("09:02:00", "lookup_not_yet", 1),
        seen("09:40:00", "lookup_no", 1),
    ];
    let v = verdict(&m);
    assert_eq!(v.answer, Answer::SafeToResend);
    assert!(matches!(v.next, Next::Resend { attempt: 2, .. }));
    // What is settled needs no word of what was not known before.
    let known: Vec<_> = v.proofs.iter().map(|p| &p.what).collect();
    assert!(matches!(
        known[..],
        [Known::Attempts { .. }, Known::LookupNo(Some(1))]
    ));
    // Not the doubt of another attempt.
    m.attempts.push(unknown(2, "10:00:00"));
    assert_eq!(verdict(&m).answer, Answer::NotSentAssumed);
}

#[test]
fn look_ups_and_events_are_proof_of_acceptance() {
    for kind in ["lookup_found", "event_accepted"] {
        let mut m = mail(
            Status::Synced,
            vec![attempt(1, "09:00:01", Some(Outcome::Unknown))],
        );
        m.settled_by = Some(SettledBy::Lookup);
        m.observations = vec![
            seen("09:02:00", "lookup_not_yet", 1),
            seen("09:40:00", kind, 1),
        ];
        let v = verdict(&m);
        assert_eq!(v.answer, Answer::Accepted(Basis::Service));
        assert_eq!(v.proofs.len(), 1, "{:?}", v.proofs);
        assert_eq!(v.proofs[0].at, at("09:40:00"));
    }
}

#[test]
fn while_it_is_asked_the_last_answer_stands_in_the_box() {
    let mut m = mail(
        Status::Requesting,
        vec![attempt(1, "09:00:01", Some(Outcome::Unknown))],
    );
    m.row.face = Face::NeedsChecking;
    m.observations = vec![
        seen("09:02:00", "lookup_not_yet", 1),
        seen("09:04:00", "lookup_not_yet", 1),
    ];
    let proofs = verdict(&m).proofs;
    assert_eq!(proofs.len(), 2);
    assert_eq!(proofs[1].at, at("09:04:00"));
    assert_eq!(proofs[1].what, Known::LookupNotYet(Some(1)));
}

#[test]
fn what_is_held_after_a_backup_may_have_gone_out_since() {
    for status in [Status::Pending, Status::Failed, Status::Rejected] {
        for (by, expected) in [
            (Some(HeldBy::Hold), true),
            (Some(HeldBy::Installation), true),
            (None, true),
            (Some(HeldBy::Age), false),
        ] {
            let mut m = mail(
                status,
                vec![attempt(1, "09:00:01", Some(Outcome::Temporary))],
            );
            m.row.held = true;
            m.held_by = by;
            let v = verdict(&m);
            assert_eq!(
                v.answer == Answer::HeldAfterBackup,
                expected,
                "{status:?} {by:?}"
            );
            assert_eq!(in_doubt(&m), expected, "{status:?} {by:?}");
            assert_eq!(v.next, Next::Release, "{status:?} {by:?}");
        }
    }
}
