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

fn seen(time: &str, kind: &str, attempt: i32, detail: Option<&str>) -> Observation {
    Observation {
        at: at(time),
        kind: kind.into(),
        attempt: Some(attempt),
        detail: detail.map(str::to_owned),
    }
}

#[test]
fn what_a_look_up_settles_ends_the_blind_line_and_not_yet_does_not() {
    let unknown = || vec![attempt(1, "09:00:01", Some(Outcome::Unknown))];
    for (kind, status, face) in [
        ("lookup_found", Status::Synced, Face::Accepted),
        ("lookup_no", Status::Failed, Face::NotSent),
        ("event_accepted", Status::Synced, Face::Accepted),
        ("event_delivered", Status::Synced, Face::Delivered),
        ("event_bounced", Status::Synced, Face::Bounced),
    ] {
        let mut m = mail(status, unknown());
        m.observations = vec![
            seen("09:02:00", "lookup_not_yet", 1, None),
            seen("09:40:00", kind, 1, None),
        ];
        let blind = [Line::Known, Line::BlindFrom, Line::Blind, Line::FoundOut];
        assert_eq!(lines(&m), blind, "{kind}");
        assert_eq!(timeline(&m).last().and_then(|s| s.face), Some(face));
    }
    let mut m = mail(Status::Requesting, unknown());
    m.observations = vec![seen("09:02:00", "lookup_unclear", 1, Some("refused: x"))];
    assert_eq!(lines(&m), [Line::Known, Line::BlindFrom, Line::Blind]);
}

#[test]
fn answers_alike_stand_as_one_until_something_else_happens() {
    let mut m = mail(
        Status::Requesting,
        vec![attempt(1, "09:00:01", Some(Outcome::Unknown))],
    );
    m.observations = vec![
        seen("09:02:00", "lookup_not_yet", 1, None),
        seen("09:04:00", "lookup_not_yet", 1, None),
        seen("09:08:00", "lookup_unclear", 1, Some("refused: 403")),
        seen("09:16:00", "lookup_unclear", 1, Some("refused: 401")),
        seen("09:32:00", "lookup_unclear", 1, Some("unreachable: reset")),
        seen("10:04:00", "lookup_not_yet", 1, None),
    ];
    let asked: Vec<_> = timeline(&m)
        .into_iter()
        .filter_map(|s| match s.what {
            What::Asked { seen, times, last } => Some((s.at, times, last, seen.detail)),
            _ => None,
        })
        .collect();
    let refused = Some("refused: 401".to_owned());
    assert_eq!(
        asked,
        [
            (at("09:02:00"), 2, at("09:04:00"), None),
            (at("09:08:00"), 2, at("09:16:00"), refused),
            (
                at("09:32:00"),
                1,
                at("09:32:00"),
                Some("unreachable: reset".to_owned())
            ),
            (at("10:04:00"), 1, at("10:04:00"), None),
        ]
    );
}

#[test]
fn the_event_that_the_row_tells_of_is_one_stop() {
    let mut m = mail(
        Status::Synced,
        vec![attempt(1, "09:00:01", Some(Outcome::Accepted))],
    );
    m.delivery = Some(DeliveryState::Bounced);
    m.delivery_at = Some(at("09:00:09"));
    m.observations = vec![
        seen("09:00:20", "event_delivered", 1, None),
        seen("09:00:40", "event_bounced", 1, Some("mailbox full")),
    ];
    let stops = timeline(&m);
    assert_eq!(stops.len(), 4);
    let bounced = What::Delivery {
        state: DeliveryState::Bounced,
        detail: Some("mailbox full".to_owned()),
    };
    assert!(stops.iter().any(|s| s.what == bounced), "{stops:?}");
}

#[test]
fn that_it_was_accepted_is_told_once() {
    let mut m = mail(
        Status::Synced,
        vec![attempt(1, "09:00:01", Some(Outcome::Unknown))],
    );
    m.observations = vec![
        seen("09:00:20", "event_accepted", 1, None),
        seen("09:00:40", "event_accepted", 1, None),
        seen("09:00:50", "event_accepted", 1, None),
    ];
    assert_eq!(timeline(&m).len(), 3);
    // Where the answer itself said so, not even once.
    m.attempts = vec![attempt(1, "09:00:01", Some(Outcome::Accepted))];
    assert_eq!(timeline(&m).len(), 2);
}
