//! The protocol of `app::model::protocol` and the outbox, step for step. Random walks are carried
//! out by both: by the pure code, and by the real functions on a real database. After each step
//! the row must say the same. So what the model checker shows of the one holds for the other.

mod real;

use crate::common::{TestDb, both};
use app::model::Status;
use app::model::protocol::{Due, OnUnknown, Row, Rules, Step, Taken};
use app::model::views::Outcome;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use real::Real;
use std::collections::BTreeMap;

/// Walks a database, and steps a walk: enough that each step is taken many times.
const WALKS: u64 = 120;
const STEPS: usize = 22;

const OUTCOMES: [Outcome; 6] = [
    Outcome::Accepted,
    Outcome::NeverLeft,
    Outcome::Temporary,
    Outcome::Refused,
    Outcome::Account,
    Outcome::Unknown,
];

/// The steps' names, for the count of what was taken.
fn name(step: &Step) -> &'static str {
    match step {
        Step::ClaimByWorker => "claim by a worker",
        Step::ClaimByPerson { .. } => "claim by a person",
        Step::Settle { .. } => "settle",
        Step::Release { .. } => "release",
        Step::Lapse => "lapse",
        Step::Sweep => "sweep",
        Step::Forget => "forget",
        Step::Found { .. } => "found",
        Step::NotThere { .. } => "not there",
        Step::Undecided { .. } => "undecided",
        Step::Replay { .. } => "replay",
        Step::EndReplay { .. } => "end of a replay",
        Step::PersonSays { .. } => "a person's word",
        Step::Hold => "hold",
        Step::LetGo => "let go",
        Step::LeasePasses => "the lease's end",
        Step::ComesDue => "due",
    }
}
const NAMES: usize = 17;

/// Every step that somebody might try now. Answers come only to questions that were taken.
fn steps(row: &Row, asked: &[i32], replays: u8) -> Vec<Step> {
    let mut steps = vec![
        Step::ClaimByWorker,
        Step::ClaimByPerson { as_seen: true },
        Step::ClaimByPerson { as_seen: false },
        Step::Lapse,
        Step::Sweep,
        Step::Forget,
        Step::Hold,
        Step::LetGo,
        Step::LeasePasses,
        Step::ComesDue,
    ];
    for attempt in 1..=row.attempts() {
        steps.extend(OUTCOMES.map(|outcome| Step::Settle { attempt, outcome }));
        steps.push(Step::Release { attempt });
        steps.push(Step::Replay {
            attempt,
            by: replays + 1,
        });
    }
    for attempt in asked.iter().copied() {
        steps.push(Step::NotThere { attempt });
        for mails in [vec![attempt], vec![1], vec![1, attempt]] {
            steps.push(Step::Found {
                asked: attempt,
                mails,
            });
        }
        for again in [false, true] {
            steps.push(Step::Undecided { attempt, again });
        }
    }
    for by in 1..=replays {
        steps.push(Step::EndReplay { by });
    }
    for sent in [false, true] {
        for as_seen in [false, true] {
            steps.push(Step::PersonSays { sent, as_seen });
        }
    }
    steps
}

/// Mostly a step that changes something, each kind as likely as the others, since a walk of
/// refusals shows little; now and then any.
fn choose(rng: &mut StdRng, row: &Row, rules: &Rules, all: &[Step]) -> Step {
    let mut kinds: BTreeMap<&str, Vec<&Step>> = BTreeMap::new();
    let any = rng.random_ratio(1, 4);
    for step in all {
        let mut next = row.clone();
        let taken = next.apply(step, rules);
        // A mail that was accepted ends the walk early, and what is taken nearly always crowds
        // out the rest: less often.
        let seldom = next.status == Status::Synced
            || matches!(step, Step::Hold | Step::LetGo | Step::Release { .. });
        if any || (taken != Taken::Refused && !(seldom && rng.random_ratio(3, 4))) {
            kinds.entry(name(step)).or_default().push(step);
        }
    }
    let kinds: Vec<_> = kinds.into_values().collect();
    match kinds.choose(rng).and_then(|kind| kind.choose(rng)) {
        Some(step) => (*step).clone(),
        None => Step::ClaimByWorker,
    }
}

async fn walk(db: &TestDb, seed: u64, taken: &mut BTreeMap<&'static str, [usize; 2]>) {
    let mut rng = StdRng::seed_from_u64(seed);
    let sides = [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed];
    let rules = Rules {
        on_unknown: sides[rng.random_range(0..sides.len())],
        max_attempts: rng.random_range(1..5),
    };
    let mut row = Row::default();
    let mut real = Real::insert(db, seed, rules).await;
    let mut trace = Vec::new();
    for _ in 0..STEPS {
        // A reconciler takes the question whenever it may.
        if let Some(attempt) = row.asks()
            && real.take().await
        {
            assert_eq!(
                real.asked().last(),
                Some(&attempt),
                "seed {seed}: {trace:?}"
            );
        }
        let all = steps(&row, &real.asked(), real.replays());
        let step = choose(&mut rng, &row, &rules, &all);
        trace.push(step.clone());
        let said = row.apply(&step, &rules);
        let before = real.version;
        let done = real.carry_out(&step, said, &mut rng).await;
        if row.due == Due::Later {
            real.put_off().await;
        }
        let found = real.read().await;
        let by_the_clock = matches!(step, Step::LeasePasses | Step::ComesDue);
        if !by_the_clock {
            assert_eq!(
                real.version > before,
                done == Taken::Changed,
                "seed {seed}: {trace:?}"
            );
        }
        assert_eq!(
            done, said,
            "seed {seed}, {rules:?}: {trace:?}\nrow: {found:?}"
        );
        assert_eq!(found, row, "seed {seed}, {rules:?}: {trace:?}");
        assert!(
            row.waits_for(&rules).is_some(),
            "seed {seed}: {trace:?}\n{row:?}"
        );
        taken.entry(name(&step)).or_default()[usize::from(said == Taken::Refused)] += 1;
    }
    real.retire().await;
}

both! {
    async fn the_outbox_does_what_the_protocol_says(db: TestDb) {
        let mut taken = BTreeMap::new();
        for seed in 0..WALKS {
            walk(&db, seed, &mut taken).await;
        }
        assert_eq!(taken.len(), NAMES);
        for (name, [done, refused]) in &taken {
            assert!(*done >= 8, "{name}: taken {done} times: {taken:?}");
            // What a look-up found is always kept.
            assert!(*refused >= 2 || *name == "found", "{name}: refused {refused} times: {taken:?}");
        }
    }
}
