use super::super::verdict::tests::{act, at, attempt, mail};
use super::*;

fn lines(mail: &Mail) -> Vec<Line> {
    timeline(mail).into_iter().map(|s| s.line).collect()
}

#[test]
fn dashed_from_the_unknown_to_the_late_answer() {
    let mut m = mail(
        Status::Synced,
        vec![
            attempt(1, "09:00:01", Some(Outcome::NeverLeft)),
            attempt(2, "09:00:10", Some(Outcome::Unknown)),
        ],
    );
    m.observations = vec![Observation {
        at: at("09:03:00"),
        kind: "late_accepted".into(),
        attempt: Some(2),
        detail: None,
    }];
    assert_eq!(
        lines(&m),
        [Line::Known, Line::Known, Line::BlindFrom, Line::FoundOut]
    );
    assert_eq!(
        timeline(&m).last().and_then(|s| s.face),
        Some(Face::Accepted)
    );
}

#[test]
fn a_later_failure_finds_out_nothing() {
    let m = mail(
        Status::Failed,
        vec![
            attempt(1, "09:00:01", Some(Outcome::Unknown)),
            attempt(2, "09:10:00", Some(Outcome::NeverLeft)),
        ],
    );
    assert_eq!(lines(&m), [Line::Known, Line::BlindFrom, Line::Blind]);
}

#[test]
fn a_lease_that_passed_is_a_stop() {
    let mut m = mail(Status::Requesting, vec![attempt(1, "14:00:00", None)]);
    m.lease_until = Some(at("14:03:00"));
    assert_eq!(timeline(&m).len(), 2);
    m.lease_until = Some(at("14:02:00"));
    let stops = timeline(&m);
    assert_eq!(stops.last().map(|s| &s.what), Some(&What::LeasePassed));
    assert_eq!(stops.last().and_then(|s| s.face), Some(Face::NeedsChecking));
}

#[test]
fn a_resend_stands_before_its_attempt_and_an_answer_after_what_it_answers() {
    let mut m = mail(
        Status::Synced,
        vec![
            attempt(1, "09:00:01", Some(Outcome::Unknown)),
            attempt(2, "09:10:00", Some(Outcome::Accepted)),
        ],
    );
    let mut resend = act("09:10:00", "resend", Status::Requesting);
    resend.attempt = Some(2);
    m.acts = vec![act("09:05:00", "confirm_not_sent", Status::Failed), resend];
    let stops = timeline(&m);
    assert!(matches!(stops[3].what, What::Act(_)));
    assert_eq!(stops[3].face, None);
    assert!(matches!(&stops[4].what, What::Attempt(a) if a.attempt == 2));
    assert_eq!(
        lines(&m),
        [
            Line::Known,
            Line::BlindFrom,
            Line::FoundOut,
            Line::Known,
            Line::Known
        ]
    );
}
