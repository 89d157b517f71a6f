//! The world around one row: what processes hold, what the service has, what people know.

use app::model::protocol::{OnUnknown, Row, Rules, Step, Taken};
use app::model::views::Outcome;
use app::model::{Status, lookup::Said};

/// Ticks from a lease's end to the horizon. A lease lasts one tick.
pub const HORIZON: u8 = 2;
/// An attempt's age, in ticks since its claim, when the horizon is reached. It grows no more.
pub const OLD: u8 = HORIZON + 1;

/// How the service can be asked afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// It cannot.
    Silent,
    /// It has a look-up that shows mails late.
    Lookup,
    /// It knows idempotency keys.
    Keys,
}

/// What people say of a mail in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum People {
    /// What is true, and stays true: "not sent" is said of what was not accepted and cannot be
    /// any more.
    True,
    /// "Not sent" is also said of what was not accepted so far.
    Hasty,
    /// "Not sent" is also said of what was accepted.
    Wrong,
}

/// A protection that is taken away, to see that the checker notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is.
    None,
    /// A negative answer settles whatever attempt the row is at.
    AnyToken,
    /// A single "not found" is believed, whenever it comes.
    FirstNo,
    /// A person's word counts although the row has changed since they saw it.
    AnyVersion,
    /// What is assumed not accepted is retried by itself.
    RetriesAssumed,
    /// A replay that decided nothing leaves no trace.
    ForgetsReplays,
}

/// What is checked.
#[derive(Clone, Debug)]
pub struct Setting {
    pub rules: Rules,
    pub service: Service,
    pub people: People,
    /// People resend what was only assumed not accepted.
    pub resend_assumed: bool,
    /// Assumption broken: a post begins later than the horizon.
    pub late_posts: bool,
    /// Assumption broken: an acceptance shows later than the horizon.
    pub late_shows: bool,
    /// Rows are held, and let go.
    pub holds: bool,
    /// Claims made at most.
    pub attempts: usize,
    /// Processes that send, that replay, and people: two of each at most.
    pub senders: usize,
    pub replayers: usize,
    pub persons: usize,
    pub fault: Fault,
}

impl Setting {
    pub fn new(on_unknown: OnUnknown, service: Service) -> Setting {
        Setting {
            rules: Rules {
                on_unknown,
                // Never reached: what stops by itself is a part of what goes on.
                max_attempts: i32::MAX,
            },
            service,
            people: People::True,
            resend_assumed: true,
            late_posts: false,
            late_shows: false,
            holds: false,
            attempts: 3,
            senders: 2,
            replayers: 2,
            persons: 2,
            fault: Fault::None,
        }
    }
}

/// What a process has in hand: one attempt from its claim to what is written of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hand {
    Empty,
    /// Claimed; the lease not yet looked at.
    Claimed(usize),
    /// The lease leaves time: to be posted, as soon as the process runs on.
    Permitted(usize),
    /// On its way.
    Posted(usize),
    /// The answer is there, to be written.
    Answered(usize, Answer),
}

/// What a post came to: of each kind that the protocol tells apart, one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    Accepted,
    NeverLeft,
    Refused,
    Unknown,
}

impl Answer {
    pub fn outcome(self) -> Outcome {
        match self {
            Answer::Accepted => Outcome::Accepted,
            Answer::NeverLeft => Outcome::NeverLeft,
            Answer::Refused => Outcome::Refused,
            Answer::Unknown => Outcome::Unknown,
        }
    }
}

impl Hand {
    pub fn attempt(self) -> Option<usize> {
        match self {
            Hand::Empty => None,
            Hand::Claimed(a) | Hand::Permitted(a) | Hand::Posted(a) | Hand::Answered(a, _) => {
                Some(a)
            }
        }
    }

    /// The service may yet take the mail through this hand.
    fn may_yet(self, attempt: usize, age: u8) -> bool {
        match self {
            Hand::Claimed(a) => a == attempt && age == 0,
            Hand::Permitted(a) | Hand::Posted(a) => a == attempt,
            Hand::Empty | Hand::Answered(..) => false,
        }
    }
}

/// What became of an attempt in truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Post {
    /// Ticks since the claim, [`OLD`] at most.
    pub age: u8,
    /// Its post is on its way, and nobody waits for the answer.
    pub stray: bool,
    /// It began later than the horizon.
    pub late: bool,
    /// The service has it.
    pub accepted: bool,
    /// The service refused it; where it knows keys, it will not take it any more.
    pub refused: bool,
    /// The service's look-up shows it.
    pub shown: bool,
}

/// A person who looked at the row, and into the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Person {
    Away,
    /// Means to say whether it was sent. `fresh`: the row is as they saw it.
    Means {
        sent: bool,
        fresh: bool,
    },
}

/// The reconciler's look-up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Asker {
    /// The attempt that it watches, and ticks since it first heard "not found".
    pub watch: Option<(usize, Option<u8>)>,
    /// What it asked, and was told.
    pub told: Option<Told>,
}

/// A look-up's answer on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Told {
    pub attempt: usize,
    /// The attempts that the service showed.
    pub mails: Vec<usize>,
    /// Ticks from the lease's end to the question.
    pub since_lease_end: u8,
    /// Ticks from the first "not found" to the question.
    pub since_first_no: u8,
    /// Ticks since the question.
    pub ago: u8,
}

impl Asker {
    fn tidy(&mut self, question: Option<usize>) {
        if self.watch.map(|(attempt, _)| attempt) != question {
            self.watch = None;
        }
        let settled = |told: &Told| told.mails.is_empty() && Some(told.attempt) != question;
        self.told = self.told.take().filter(|told| !settled(told));
        if let Some(told) = &mut self.told {
            if !told.mails.is_empty() {
                told.since_lease_end = 0;
                told.since_first_no = 0;
            }
            if !told.mails.is_empty() || matches!(self.watch, Some((_, Some(_)))) {
                told.ago = 0;
            }
        }
    }
}

impl Told {
    pub fn said(&self) -> Said {
        if self.mails.is_empty() {
            Said::NotFound
        } else {
            Said::Found
        }
    }
}

/// Everything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    pub row: Row,
    /// By attempt, from 0.
    pub posts: Vec<Post>,
    /// Two that send; and, where the service knows keys, two that replay.
    pub hands: Vec<Hand>,
    pub people: [Person; 2],
    pub asker: Asker,
}

/// From here on hands replay. Their places are their tokens.
pub const REPLAYERS: usize = 2;
const FIRST_REPLAYER: u8 = 2;
const NOBODY: u8 = u8::MAX;

impl World {
    pub fn new(setting: &Setting) -> World {
        let hands = match setting.service {
            Service::Keys => REPLAYERS + 2,
            _ => REPLAYERS,
        };
        World {
            row: Row::default(),
            posts: Vec::new(),
            hands: vec![Hand::Empty; hands],
            people: [Person::Away; 2],
            asker: Asker::default(),
        }
    }

    /// A step of the protocol; people who looked before it have seen another row.
    pub fn step(&mut self, step: &Step, setting: &Setting) -> Taken {
        let taken = self.row.apply(step, &setting.rules);
        if taken == Taken::Changed {
            for person in &mut self.people {
                if let Person::Means { fresh, .. } = person {
                    *fresh = false;
                }
            }
        }
        taken
    }

    /// Hands of these that are not empty.
    pub fn busy(&self, hands: std::ops::Range<usize>) -> usize {
        let hands = self.hands.get(hands).unwrap_or_default().iter();
        hands.filter(|hand| **hand != Hand::Empty).count()
    }

    /// Copies that the service took.
    pub fn copies(&self) -> usize {
        self.posts.iter().filter(|post| post.accepted).count()
    }

    /// The service may yet take an attempt, or its process may yet post it.
    pub fn may_yet(&self, attempt: usize, setting: &Setting) -> bool {
        let post = &self.posts[attempt];
        let under_way = post.stray
            || self
                .hands
                .iter()
                .any(|hand| hand.may_yet(attempt, post.age));
        let in_time = post.age < OLD || post.late || setting.late_posts || setting.late_shows;
        under_way && in_time
    }

    /// The service may take this attempt's post now.
    pub fn may_accept(&self, attempt: usize, setting: &Setting) -> bool {
        let post = &self.posts[attempt];
        let in_time = post.age < OLD || post.late || setting.late_shows;
        let willing = setting.service != Service::Keys || !post.refused;
        in_time && willing
    }

    pub fn tick(&mut self, setting: &Setting) {
        for post in &mut self.posts {
            post.age = (post.age + 1).min(OLD);
            if post.age == OLD && !setting.late_shows {
                post.shown |= post.accepted && !post.late;
                post.stray &= post.late;
            }
        }
        if let Some((_, Some(ago))) = &mut self.asker.watch {
            *ago = (*ago + 1).min(HORIZON);
        }
        if let Some(told) = &mut self.asker.told {
            told.ago = (told.ago + 1).min(HORIZON);
        }
        self.step(&Step::LeasePasses, setting);
    }

    /// Makes one state of states that differ in nothing that anybody reads any more.
    pub fn tidy(mut self, setting: &Setting) -> World {
        // With no limit to attempts their count decides nothing; and waiting only lets less
        // happen.
        self.row.counted = 0;
        self.row.apply(&Step::ComesDue, &setting.rules);
        // A question that is open again stands there again, by a sweep.
        self.row.apply(&Step::Forget, &setting.rules);
        for entry in &mut self.row.log {
            // Kept so that what is written twice is kept once.
            entry.late_refused = false;
            entry.late_unknown = false;
            if !matches!(
                entry.outcome,
                None | Some(Outcome::Accepted | Outcome::Unknown)
            ) {
                entry.outcome = Some(Outcome::Released);
            }
        }
        let last = self.posts.len().checked_sub(1);
        let in_doubt = self.row.status == Status::Requesting || self.row.assumed();
        let question = last.filter(|_| in_doubt);
        self.asker.tidy(question);
        let asked = self.asker.told.as_ref().map(|told| told.attempt);
        for attempt in 0..self.posts.len() {
            let held = self.hands.iter().any(|h| h.attempt() == Some(attempt));
            let post = &mut self.posts[attempt];
            let over = !held && !post.stray && post.shown == post.accepted;
            if over && question != Some(attempt) && asked != Some(attempt) {
                post.age = OLD;
            }
        }
        for person in &mut self.people {
            // A word about a row that has changed since is refused.
            let stale = matches!(person, Person::Means { fresh: false, .. });
            if stale && setting.fault != Fault::AnyVersion {
                *person = Person::Away;
            }
        }
        // Two processes, two people: who is who does not matter.
        self.hands[..REPLAYERS].sort_unstable();
        if let [a, b] = self.hands[REPLAYERS..]
            && a > b
        {
            self.hands.swap(REPLAYERS, REPLAYERS + 1);
            self.row.replay = self.row.replay.map(|by| match by {
                FIRST_REPLAYER => FIRST_REPLAYER + 1,
                by if by == FIRST_REPLAYER + 1 => FIRST_REPLAYER,
                by => by,
            });
        }
        // The token of one that is dead is nobody's.
        if let Some(by) = self.row.replay
            && self.hands.get(usize::from(by)) == Some(&Hand::Empty)
        {
            self.row.replay = Some(NOBODY);
        }
        self.people.sort_unstable();
        self
    }
}
