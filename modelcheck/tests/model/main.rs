//! The protocol in every order of its steps: what holds while the assumptions hold, and how each
//! assumption and each protection is missed once it is taken away.
//!
//! Bounds and assumptions are told in `docs/guarantees.md`. With `--nocapture` each test says how
//! many states it walked, and the shortest way to each expected counterexample.

#![allow(clippy::print_stdout)] // what --nocapture shows

mod actions;
mod asking;
mod check;
mod world;

use app::model::protocol::OnUnknown::{self, Failed, Hold, Synced};
use check::{FLAGGED, NEVER_SILENT, NEXT_STEP, NO_LIE, NOT_FREED, ONE_COPY, REACHED};
use stateright::{Checker, HasDiscoveries, Model};
use std::time::Instant;
use world::{Fault, People, Service, Setting};

/// What holds under `hold` while the assumptions do.
const UNDER_HOLD: [&str; 6] = [
    ONE_COPY,
    NEXT_STEP,
    NOT_FREED,
    FLAGGED,
    NEVER_SILENT,
    NO_LIE,
];
/// What holds whatever is assumed, said or broken.
const ALWAYS: [&str; 2] = [NEXT_STEP, FLAGGED];

fn setting(on_unknown: OnUnknown, service: Service) -> Setting {
    Setting::new(on_unknown, service)
}

/// Two attempts at a service with a look-up, under `hold`.
fn small() -> Setting {
    Setting {
        attempts: 2,
        ..setting(Hold, Service::Lookup)
    }
}

/// Walks every state, and fails where a property does not hold.
#[track_caller]
fn holds(name: &str, setting: &Setting, properties: &[&'static str]) {
    let begun = Instant::now();
    let checker = setting.clone().checker().threads(2).spawn_bfs().join();
    let (states, seconds) = (checker.unique_state_count(), begun.elapsed().as_secs_f64());
    println!("{name}: {states} states in {seconds:.1} s");
    for property in properties {
        checker.assert_no_discovery(property);
    }
    // A walk that never gets anywhere would find nothing wrong either.
    for reached in REACHED.iter().take(setting.attempts + 1) {
        checker.assert_any_discovery(reached);
    }
}

/// There is a way to a state in which the property does not hold.
#[track_caller]
fn breaks(name: &str, setting: &Setting, property: &'static str) {
    let only = HasDiscoveries::AnyOf([property].into());
    let checker = setting.clone().checker().finish_when(only).spawn_bfs();
    let path = checker.join().assert_any_discovery(property);
    println!("{name}, against \"{property}\": {:?}", path.into_actions());
}

#[test]
fn under_hold_no_mail_is_accepted_twice() {
    holds("look-up", &setting(Hold, Service::Lookup), &UNDER_HOLD);
    holds("people alone", &setting(Hold, Service::Silent), &UNDER_HOLD);
}

#[test]
fn under_hold_rows_that_are_held_and_let_go_are_no_exception() {
    let held = Setting {
        holds: true,
        ..small()
    };
    holds("look-up, held rows", &held, &UNDER_HOLD);
}

#[test]
fn under_hold_replays_make_no_second_copy() {
    let keys = Setting {
        attempts: 2,
        persons: 1,
        ..setting(Hold, Service::Keys)
    };
    let one_sends = Setting {
        senders: 1,
        persons: 0,
        ..keys.clone()
    };
    holds("keys, one sends and two replay", &one_sends, &UNDER_HOLD);
    let one_replays = Setting {
        replayers: 1,
        ..keys
    };
    holds("keys, two send and one replays", &one_replays, &UNDER_HOLD);
}

/// Nor under the other sides, as long as no person resends what was only assumed.
#[test]
fn what_is_only_assumed_makes_no_second_copy_by_itself() {
    let two_copies = [&ALWAYS[..], &[ONE_COPY, NOT_FREED]].concat();
    holds("synced", &setting(Synced, Service::Lookup), &two_copies);
    let left_alone = Setting {
        resend_assumed: false,
        ..setting(Failed, Service::Lookup)
    };
    holds("failed", &left_alone, &two_copies);
}

/// Each assumption, broken: two copies. The row keeps a next step all the same, and two copies
/// that are known are flagged.
#[test]
fn each_assumption_is_needed() {
    let broken = [
        (
            "a post begins after the horizon",
            Setting {
                late_posts: true,
                ..small()
            },
        ),
        (
            "an acceptance shows after the horizon",
            Setting {
                late_shows: true,
                ..small()
            },
        ),
        (
            "a person says \"not sent\" of what was",
            Setting {
                people: People::Wrong,
                ..small()
            },
        ),
        (
            "a person says \"not sent\" of what is still under way",
            Setting {
                people: People::Hasty,
                ..small()
            },
        ),
        (
            "a person resends what was assumed not accepted",
            Setting {
                attempts: 2,
                ..setting(Failed, Service::Lookup)
            },
        ),
    ];
    for (name, setting) in broken {
        breaks(name, &setting, ONE_COPY);
        breaks(name, &setting, NEVER_SILENT);
        holds(name, &setting, &ALWAYS);
    }
}

/// Each protection, taken away: the checker sees it, so it would see it gone from the product.
#[test]
fn each_protection_is_needed() {
    let keys = Setting {
        attempts: 2,
        ..setting(Hold, Service::Keys)
    };
    let without = |fault, setting: &Setting| Setting {
        fault,
        ..setting.clone()
    };
    let three = setting(Hold, Service::Lookup);
    let left_alone = Setting {
        resend_assumed: false,
        ..setting(Failed, Service::Lookup)
    };
    for (name, setting) in [
        (
            "a single \"not found\" is believed",
            without(Fault::FirstNo, &small()),
        ),
        (
            "a negative answer counts under any token",
            without(Fault::AnyToken, &three),
        ),
        (
            "a person's word counts for any version",
            without(Fault::AnyVersion, &three),
        ),
        (
            "what is assumed not accepted is retried",
            without(Fault::RetriesAssumed, &left_alone),
        ),
        (
            "a replay without a clear answer leaves no trace",
            without(Fault::ForgetsReplays, &keys),
        ),
    ] {
        breaks(name, &setting, ONE_COPY);
    }
}
