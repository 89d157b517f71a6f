//! What a reconciler does, in the steps of `server/src/reconcile.rs`.

use crate::world::{Answer, Fault, HORIZON, Hand, REPLAYERS, Setting, Told, World};
use app::model::lookup::{Evidence, Judgement, Said, judge};
use app::model::protocol::{Lease, Step, Taken};
use std::time::Duration;

pub fn number(attempt: usize) -> i32 {
    i32::try_from(attempt).unwrap_or(i32::MAX) + 1
}

fn index(number: i32) -> usize {
    usize::try_from(number - 1).unwrap_or(usize::MAX)
}

fn replayer(hand: usize) -> u8 {
    u8::try_from(hand).unwrap_or(u8::MAX)
}

impl Setting {
    pub fn replay(&self, world: &mut World, hand: usize) -> bool {
        let Some(attempt) = world.row.asks() else {
            return false;
        };
        let by = replayer(hand);
        let busy = world.busy(REPLAYERS..world.hands.len());
        if world.hands[hand] != Hand::Empty
            || busy >= self.replayers
            || world.step(&Step::Replay { attempt, by }, self) == Taken::Refused
        {
            return false;
        }
        let attempt = index(attempt);
        // A replay that finds no time left ends like one that never left.
        world.hands[hand] = Hand::Permitted(attempt);
        // A lease of its own, from whose end the horizon counts anew.
        world.posts[attempt].age = 0;
        true
    }

    pub fn ask(&self, world: &mut World) -> bool {
        let Some(attempt) = world.row.asks() else {
            return false;
        };
        let attempt = index(attempt);
        // Asked at the lease's end at the earliest.
        let Some(since_lease_end) = world.posts[attempt].age.checked_sub(1) else {
            return false;
        };
        let first_no = match world.asker.watch {
            Some((watched, first_no)) if watched == attempt => first_no,
            _ => None,
        };
        world.asker.watch = Some((attempt, first_no));
        let mails = world.posts.iter().enumerate();
        world.asker.told = Some(Told {
            attempt,
            mails: mails.filter(|(_, p)| p.shown).map(|(a, _)| a).collect(),
            since_lease_end,
            since_first_no: first_no.unwrap_or(0),
            ago: 0,
        });
        true
    }

    pub fn weigh(&self, world: &mut World) -> bool {
        let Some(told) = world.asker.told.take() else {
            return false;
        };
        let ticks = |n: u8| Duration::from_secs(n.into());
        let believed = self.fault == Fault::FirstNo;
        let evidence = Evidence {
            horizon: ticks(if believed { 0 } else { HORIZON }),
            since_lease_end: ticks(told.since_lease_end),
            since_claim: ticks(told.since_lease_end + 1),
            retention: Duration::MAX,
            since_first_no: ticks(told.since_first_no),
            known_for: Duration::ZERO,
            later_mail_shown: false,
        };
        let said = told.said();
        let attempt = number(told.attempt);
        if said == Said::NotFound
            && let Some((watched, first_no)) = &mut world.asker.watch
            && *watched == told.attempt
        {
            first_no.get_or_insert(told.ago);
        }
        let step = match judge(said, &evidence) {
            Judgement::Accepted => Step::Found {
                asked: attempt,
                mails: told.mails.iter().map(|a| number(*a)).collect(),
            },
            Judgement::Not => Step::NotThere { attempt },
            Judgement::NotYet | Judgement::NoClearAnswer => Step::Undecided {
                attempt,
                again: true,
            },
        };
        if matches!(step, Step::Found { .. } | Step::NotThere { .. }) {
            world.asker.watch = None;
        }
        world.step(&step, self);
        true
    }

    pub fn no_answer(&self, world: &mut World) -> bool {
        let Some(told) = world.asker.told.take() else {
            return false;
        };
        world.asker.watch = None;
        let attempt = number(told.attempt);
        let again = false;
        world.step(&Step::Undecided { attempt, again }, self);
        true
    }

    /// As `reconcile.rs` does it.
    pub fn write_replay(
        &self,
        world: &mut World,
        hand: usize,
        attempt: usize,
        answer: Answer,
        cut: bool,
    ) {
        let asked = number(attempt);
        if answer == Answer::Accepted {
            let mails = vec![asked];
            world.step(&Step::Found { asked, mails }, self);
            return;
        }
        self.end_replay(world, hand);
        if cut {
            return;
        }
        let step = match answer {
            Answer::Refused => Step::NotThere { attempt: asked },
            _ => Step::Undecided {
                attempt: asked,
                again: true,
            },
        };
        world.step(&step, self);
    }

    fn end_replay(&self, world: &mut World, hand: usize) {
        world.step(&Step::EndReplay { by: replayer(hand) }, self);
        if self.fault == Fault::ForgetsReplays && world.row.lease == Some(Lease::Passed) {
            world.row.replay = None;
        }
    }
}
