//! Who may do what, and what comes of it.

use crate::asking::number;
use crate::world::{
    Answer, Fault, Hand, OLD, People, Person, Post, REPLAYERS, Service, Setting, World,
};
use app::model::protocol::{Due, Step, Taken};
use app::model::transition::{Act, acts};

/// Something that happens. Hands and people by their place, attempts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Tick,
    /// A worker claims.
    Claim(usize),
    /// A person's resend claims, through this process. It names no version, which lets more
    /// happen than one that does.
    Resend(usize),
    /// The process looks at its clock: the lease leaves time.
    Permit(usize),
    /// It leaves none, or the process is to stop.
    GiveBack(usize),
    Post(usize),
    /// Nothing reached the service.
    NeverLeaves(usize),
    /// The service takes it; the answer is heard, or lost.
    Accept {
        hand: usize,
        heard: bool,
    },
    Refuse(usize),
    /// No answer in time; what was posted may be taken later.
    TimesOut(usize),
    /// What it came to is written; `cut`: and nobody heard that it was.
    Write {
        hand: usize,
        cut: bool,
    },
    /// The process dies.
    Dies(usize),
    /// The service takes what nobody waits for.
    TakesStray(usize),
    /// The service's look-up shows it from now on.
    Shows(usize),
    Lapse,
    Sweep,
    Forget,
    /// The reconciler asks.
    Ask,
    /// And weighs the answer.
    Weigh,
    /// Or gets none, and asks no more.
    NoAnswer,
    /// And dies, with its memory.
    AskerDies,
    /// A replay claims.
    Replay(usize),
    /// A person finds something out.
    Look {
        person: usize,
        sent: bool,
    },
    /// And says so.
    Say(usize),
    Hold,
    LetGo,
}

impl Setting {
    fn claim(&self, world: &mut World, hand: usize, step: &Step) -> bool {
        let free = world.hands[hand] == Hand::Empty && world.busy(0..REPLAYERS) < self.senders;
        if !free || world.posts.len() >= self.attempts || world.step(step, self) == Taken::Refused {
            return false;
        }
        world.hands[hand] = Hand::Claimed(world.posts.len());
        world.posts.push(Post::default());
        true
    }

    fn claim_by_worker(&self, world: &mut World, hand: usize) -> bool {
        if self.fault == Fault::RetriesAssumed && world.row.assumed() {
            world.row.settled_by = None;
            world.row.due = Due::Now;
        }
        self.claim(world, hand, &Step::ClaimByWorker)
    }

    fn resend(&self, world: &mut World, hand: usize) -> bool {
        (self.resend_assumed || !world.row.assumed())
            && self.claim(world, hand, &Step::ClaimByPerson { as_seen: true })
    }

    fn give_back(&self, world: &mut World, hand: usize) -> bool {
        let Hand::Claimed(attempt) = world.hands[hand] else {
            return false;
        };
        world.hands[hand] = Hand::Empty;
        let attempt = number(attempt);
        world.step(&Step::Release { attempt }, self);
        true
    }

    fn post(&self, world: &mut World, hand: usize) -> bool {
        let Hand::Permitted(attempt) = world.hands[hand] else {
            return false;
        };
        let post = &mut world.posts[attempt];
        let late = post.age == OLD;
        if late && !self.late_posts {
            return false;
        }
        post.late |= late;
        world.hands[hand] = Hand::Posted(attempt);
        true
    }

    fn answers(&self, world: &mut World, hand: usize, answer: Answer) -> bool {
        let Hand::Posted(attempt) = world.hands[hand] else {
            return false;
        };
        let may = world.may_accept(attempt, self);
        let post = &mut world.posts[attempt];
        let keys = self.service == Service::Keys;
        match answer {
            // A key that was taken before is answered as it was then.
            Answer::Accepted if may || (keys && post.accepted) => post.accepted = true,
            Answer::Refused if !(keys && post.accepted) => post.refused = keys,
            Answer::Unknown => post.stray = may,
            _ => return false,
        }
        world.hands[hand] = Hand::Answered(attempt, answer);
        true
    }

    fn write(&self, world: &mut World, hand: usize, cut: bool) -> bool {
        let Hand::Answered(attempt, answer) = world.hands[hand] else {
            return false;
        };
        if hand >= REPLAYERS {
            // `cut`: it dies between the two steps that a refusal takes.
            world.hands[hand] = Hand::Empty;
            self.write_replay(world, hand, attempt, answer, cut);
            return !cut || answer == Answer::Refused;
        }
        if !cut {
            world.hands[hand] = Hand::Empty;
        }
        let negative = matches!(answer, Answer::NeverLeft | Answer::Refused);
        let attempt = match self.fault {
            Fault::AnyToken if negative => world.row.attempts(),
            _ => number(attempt),
        };
        let outcome = answer.outcome();
        world.step(&Step::Settle { attempt, outcome }, self);
        true
    }

    fn dies(&self, world: &mut World, hand: usize) -> bool {
        match world.hands[hand] {
            Hand::Empty => return false,
            Hand::Posted(attempt) => {
                world.posts[attempt].stray |= world.may_accept(attempt, self);
            }
            _ => {}
        }
        world.hands[hand] = Hand::Empty;
        true
    }

    fn look(&self, world: &mut World, person: usize, sent: bool) -> bool {
        let act = if sent {
            Act::ConfirmSent
        } else {
            Act::ConfirmNotSent
        };
        if !acts(world.row.status, world.row.open_question()).contains(&act) {
            return false;
        }
        let away = world.people.iter().filter(|p| **p == Person::Away).count();
        if world.people[person] == Person::Away && away + self.persons <= world.people.len() {
            return false;
        }
        let attempt = world.posts.len() - 1;
        let accepted = world.posts[attempt].accepted;
        let finds = match (sent, self.people) {
            (true, _) => accepted,
            (false, People::True) => !accepted && !world.may_yet(attempt, self),
            (false, People::Hasty) => !accepted,
            (false, People::Wrong) => true,
        };
        let means = Person::Means { sent, fresh: true };
        let news = world.people[person] != means;
        world.people[person] = means;
        finds && news
    }

    fn say(&self, world: &mut World, person: usize) -> bool {
        let Person::Means { sent, fresh } = world.people[person] else {
            return false;
        };
        world.people[person] = Person::Away;
        let as_seen = fresh || self.fault == Fault::AnyVersion;
        world.step(&Step::PersonSays { sent, as_seen }, self);
        true
    }

    /// Lets it happen; false where it cannot.
    pub fn happens(&self, world: &mut World, action: Action) -> bool {
        let step = |world: &mut World, step| world.step(&step, self) != Taken::Refused;
        match action {
            Action::Tick => {
                world.tick(self);
                true
            }
            Action::Claim(hand) => self.claim_by_worker(world, hand),
            Action::Resend(hand) => self.resend(world, hand),
            Action::Permit(hand) => match world.hands[hand] {
                Hand::Claimed(attempt) if world.posts[attempt].age == 0 => {
                    world.hands[hand] = Hand::Permitted(attempt);
                    true
                }
                _ => false,
            },
            Action::GiveBack(hand) => self.give_back(world, hand),
            Action::Post(hand) => self.post(world, hand),
            Action::NeverLeaves(hand) => match world.hands[hand] {
                Hand::Permitted(attempt) => {
                    world.hands[hand] = Hand::Answered(attempt, Answer::NeverLeft);
                    true
                }
                _ => false,
            },
            Action::Accept { hand, heard } => {
                let taken = self.answers(world, hand, Answer::Accepted);
                if let (true, false, Some(attempt)) = (taken, heard, world.hands[hand].attempt()) {
                    world.hands[hand] = Hand::Answered(attempt, Answer::Unknown);
                }
                taken
            }
            Action::Refuse(hand) => self.answers(world, hand, Answer::Refused),
            Action::TimesOut(hand) => self.answers(world, hand, Answer::Unknown),
            Action::Write { hand, cut } => self.write(world, hand, cut),
            Action::Dies(hand) => self.dies(world, hand),
            Action::TakesStray(attempt) => {
                let takes = world.posts[attempt].stray && world.may_accept(attempt, self);
                world.posts[attempt].accepted |= takes;
                world.posts[attempt].stray &= !takes;
                takes
            }
            Action::Shows(attempt) => {
                let post = &mut world.posts[attempt];
                let shows = post.accepted && !post.shown;
                post.shown |= shows;
                shows
            }
            Action::Lapse => step(world, Step::Lapse),
            Action::Sweep => step(world, Step::Sweep),
            Action::Forget => step(world, Step::Forget),
            Action::Ask => world.asker.told.is_none() && self.ask(world),
            Action::Weigh => self.weigh(world),
            Action::NoAnswer => self.no_answer(world),
            Action::AskerDies => std::mem::take(&mut world.asker) != Default::default(),
            Action::Replay(hand) => self.replay(world, hand),
            Action::Look { person, sent } => self.look(world, person, sent),
            Action::Say(person) => self.say(world, person),
            Action::Hold => step(world, Step::Hold),
            Action::LetGo => step(world, Step::LetGo),
        }
    }
}
