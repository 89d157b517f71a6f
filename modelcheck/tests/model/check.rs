//! What the checker walks, and what it looks at in every state.

use crate::actions::Action;
use crate::world::{Answer, Hand, REPLAYERS, Service, Setting, World};
use app::model::{SettledBy, Status};
use stateright::{Model, Property};

/// The service has at most one copy.
pub const ONE_COPY: &str = "never two accepted copies";
/// Somebody, or time, can always move it on.
pub const NEXT_STEP: &str = "no row without a next step";
/// What the service has is not `pending`, `failed` or `rejected`, unless that is only assumed.
pub const NOT_FREED: &str = "nothing accepted is set free";
/// Where proof of two acceptances came in, the row says so.
pub const FLAGGED: &str = "two copies that are known are flagged";
/// Where there are two copies, the row says so once nothing more is to be written to it.
pub const NEVER_SILENT: &str = "two copies are never silent";
/// What is recorded as accepted, and not only assumed, the service has.
pub const NO_LIE: &str = "what is recorded as accepted was accepted";

/// Names of what must be reached: the first ones whatever the setting, the last with three
/// attempts.
pub const REACHED: [&str; 4] = [
    "an answer is written",
    "a mail is accepted",
    "the second attempt is accepted",
    "the third attempt is accepted",
];

impl Model for Setting {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(self)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        actions.extend([Action::Tick, Action::Lapse, Action::Sweep, Action::Forget]);
        if self.holds {
            actions.extend([Action::Hold, Action::LetGo]);
        }
        if self.service == Service::Lookup {
            actions.extend([
                Action::Ask,
                Action::Weigh,
                Action::NoAnswer,
                Action::AskerDies,
            ]);
        }
        for hand in 0..world.hands.len() {
            if hand < REPLAYERS {
                actions.extend([Action::Claim(hand), Action::Resend(hand)]);
                actions.extend([Action::Permit(hand), Action::GiveBack(hand)]);
            } else {
                actions.push(Action::Replay(hand));
            }
            actions.extend([
                Action::Post(hand),
                Action::NeverLeaves(hand),
                Action::Refuse(hand),
                Action::TimesOut(hand),
                Action::Dies(hand),
            ]);
            for yes in [true, false] {
                actions.push(Action::Accept { hand, heard: yes });
                actions.push(Action::Write { hand, cut: yes });
            }
        }
        for attempt in 0..world.posts.len() {
            actions.push(Action::TakesStray(attempt));
            if self.service == Service::Lookup {
                actions.push(Action::Shows(attempt));
            }
        }
        for person in 0..world.people.len() {
            actions.push(Action::Say(person));
            actions.extend([true, false].map(|sent| Action::Look { person, sent }));
        }
    }

    fn next_state(&self, last: &World, action: Action) -> Option<World> {
        let mut world = last.clone();
        if !self.happens(&mut world, action) {
            return None;
        }
        let world = world.tidy(self);
        (world != *last).then_some(world)
    }

    fn properties(&self) -> Vec<Property<Setting>> {
        vec![
            Property::always(ONE_COPY, |_, world: &World| world.copies() < 2),
            Property::always(NEXT_STEP, |setting: &Setting, world: &World| {
                world.row.waits_for(&setting.rules).is_some()
            }),
            Property::always(NOT_FREED, |_, world: &World| {
                let free = matches!(
                    world.row.status,
                    Status::Pending | Status::Failed | Status::Rejected
                );
                !(free && !world.row.assumed() && world.copies() > 0)
            }),
            Property::always(FLAGGED, |_, world: &World| {
                let known = world.row.log.iter().filter(|a| a.proved()).count();
                known < 2 || world.row.possible_duplicate
            }),
            Property::always(NEVER_SILENT, |_, world: &World| {
                world.copies() < 2 || world.row.possible_duplicate || !world.rests()
            }),
            Property::always(NO_LIE, |_, world: &World| {
                let recorded = world.row.status == Status::Synced && !world.row.assumed();
                !recorded || world.copies() > 0
            }),
            Property::sometimes(REACHED[0], |_, world: &World| {
                world.row.settled_by == Some(SettledBy::Response)
            }),
            Property::sometimes(REACHED[1], |_, world: &World| world.copies() > 0),
            Property::sometimes(REACHED[2], |_, world: &World| {
                world.posts.len() == 2 && world.posts[1].accepted && !world.posts[0].accepted
            }),
            Property::sometimes(REACHED[3], |_, world: &World| {
                world.posts.len() == 3 && world.posts[2].accepted && world.copies() == 1
            }),
        ]
    }
}

impl World {
    /// It is recorded as accepted, and nothing more is on its way to it.
    fn rests(&self) -> bool {
        let written = self.row.status == Status::Synced && !self.row.assumed();
        let coming = self
            .hands
            .iter()
            .any(|hand| matches!(hand, Hand::Answered(_, Answer::Accepted)));
        written && !coming
    }
}
