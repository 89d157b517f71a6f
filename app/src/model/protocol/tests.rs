use super::*;

const RULES: Rules = Rules {
    on_unknown: OnUnknown::Hold,
    max_attempts: 5,
};

/// A row after these steps, each of which must be taken.
fn after(rules: &Rules, steps: &[Step]) -> Row {
    let mut row = Row::default();
    for step in steps {
        assert_ne!(
            row.apply(step, rules),
            Taken::Refused,
            "{step:?} at {row:?}"
        );
    }
    row
}

fn settle(attempt: i32, outcome: Outcome) -> Step {
    Step::Settle { attempt, outcome }
}

const VANISHED: [Step; 3] = [Step::ClaimByWorker, Step::LeasePasses, Step::Lapse];
const RESEND: Step = Step::ClaimByPerson { as_seen: true };

#[test]
fn a_negative_answer_counts_under_its_own_token_only() {
    let mut row = after(&RULES, &[Step::ClaimByWorker]);
    let mut other = row.clone();
    assert_eq!(
        other.apply(&settle(2, Outcome::Refused), &RULES),
        Taken::Refused
    );
    assert_eq!(
        row.apply(&settle(1, Outcome::NeverLeft), &RULES),
        Taken::Changed
    );
    row.apply(&Step::ComesDue, &RULES);
    row.apply(&Step::ClaimByWorker, &RULES);
    let before = row.clone();
    assert_eq!(
        row.apply(&settle(1, Outcome::Refused), &RULES),
        Taken::Noted
    );
    assert_eq!((row.status, row.lease), (before.status, before.lease));
}

#[test]
fn an_assumed_failure_is_claimed_by_no_worker() {
    let rules = Rules {
        on_unknown: OnUnknown::Failed,
        ..RULES
    };
    let mut row = after(&rules, &VANISHED);
    row.due = Due::Now;
    assert_eq!(row.apply(&Step::ClaimByWorker, &rules), Taken::Refused);
    assert_eq!(row.waits_for(&rules), Some(Wait::Lookup));
    assert_eq!(
        row.apply(&Step::NotThere { attempt: 1 }, &rules),
        Taken::Changed
    );
    assert_eq!(row.waits_for(&rules), Some(Wait::Worker));
}

#[test]
fn after_a_replay_the_first_posts_answer_decides_nothing() {
    let replay = [
        Step::Replay { attempt: 1, by: 1 },
        Step::EndReplay { by: 1 },
    ];
    for no in [Outcome::NeverLeft, Outcome::Refused] {
        let mut row = after(&RULES, &[&VANISHED[..], &replay].concat());
        row.apply(&settle(1, no), &RULES);
        assert_eq!(row.status, Status::Requesting);
        assert!(row.open_question());
    }
    let mut row = after(&RULES, &[&VANISHED[..], &replay].concat());
    row.apply(&Step::Release { attempt: 1 }, &RULES);
    assert_eq!(row.status, Status::Requesting);
}

#[test]
fn a_dead_replay_keeps_nobody_from_the_row() {
    let steps = [
        &VANISHED[..],
        &[
            Step::Replay { attempt: 1, by: 1 },
            Step::LeasePasses,
            Step::PersonSays {
                sent: false,
                as_seen: true,
            },
        ],
    ]
    .concat();
    let mut row = after(&RULES, &steps);
    assert_eq!(row.waits_for(&RULES), Some(Wait::Person));
    assert_eq!(row.apply(&RESEND, &RULES), Taken::Changed);
}

#[test]
fn what_is_held_waits_for_a_person_and_nobody_claims_or_replays_it() {
    let rules = Rules {
        on_unknown: OnUnknown::Failed,
        ..RULES
    };
    let mut row = after(&rules, &[&VANISHED[..], &[Step::Hold]].concat());
    for step in [
        Step::ClaimByWorker,
        RESEND,
        Step::Replay { attempt: 1, by: 1 },
    ] {
        assert_eq!(row.apply(&step, &rules), Taken::Refused, "{step:?}");
    }
    assert_eq!(row.waits_for(&rules), Some(Wait::Person));
}

#[test]
fn what_is_held_while_under_way_waits_for_a_person_however_it_ends() {
    let ends: [&[Step]; 5] = [
        &[settle(1, Outcome::Temporary), Step::ComesDue],
        &[settle(1, Outcome::Refused)],
        &[Step::Release { attempt: 1 }],
        &[Step::LeasePasses, Step::Lapse],
        &[Step::LeasePasses, Step::NotThere { attempt: 1 }],
    ];
    for end in ends {
        let held = [&[Step::ClaimByWorker, Step::Hold], end].concat();
        let mut row = after(&RULES, &held);
        for step in [
            Step::ClaimByWorker,
            RESEND,
            Step::Replay { attempt: 1, by: 1 },
        ] {
            assert_eq!(row.apply(&step, &RULES), Taken::Refused, "{step:?} {end:?}");
        }
        assert_eq!(row.waits_for(&RULES), Some(Wait::Person), "{end:?}");
    }
    // Proof counts always, and then there is nothing left to hold.
    let mut row = after(&RULES, &[Step::ClaimByWorker, Step::Hold]);
    row.apply(&settle(1, Outcome::Accepted), &RULES);
    assert_eq!((row.status, row.held), (Status::Synced, false));
}

#[test]
fn a_refused_step_leaves_the_row_as_it_is() {
    let row = after(&RULES, &VANISHED);
    for step in [
        Step::ClaimByWorker,
        RESEND,
        Step::Lapse,
        Step::Sweep,
        Step::Forget,
        Step::LetGo,
        Step::NotThere { attempt: 2 },
        Step::EndReplay { by: 1 },
        Step::PersonSays {
            sent: true,
            as_seen: false,
        },
    ] {
        let mut same = row.clone();
        assert_eq!(same.apply(&step, &RULES), Taken::Refused, "{step:?}");
        assert_eq!(same, row, "{step:?}");
    }
}
