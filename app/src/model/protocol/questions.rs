//! Open questions: when they are asked, what their answers change, and replays.

use super::{Due, Lease, Question, Row, Rules, Taken};
use crate::model::transition::Event;
use crate::model::views::Outcome;
use crate::model::{SettledBy, Status};

impl Row {
    /// Puts the last attempt into the schedule; false where it stands there.
    pub(super) fn ask(&mut self) -> bool {
        let attempt = self.attempts();
        let stands = self.question.is_some_and(|q| q.attempt == attempt);
        if !stands {
            self.question = Some(Question {
                attempt,
                ended: false,
            });
        }
        !stands
    }

    pub(super) fn sweep(&mut self) -> bool {
        self.in_question(self.attempts()) && self.ask()
    }

    /// The question about an attempt is answered; where the lapse of its lease was not marked yet,
    /// nobody else closes it.
    pub(super) fn forget(&mut self, attempt: i32) {
        self.close(attempt, Outcome::Unknown);
        self.question = self.question.filter(|q| q.attempt != attempt);
    }

    pub(super) fn forget_settled(&mut self) -> bool {
        let Some(question) = self.question else {
            return false;
        };
        let settled = !question.ended && !self.in_question(question.attempt);
        if settled {
            // Its process may have died after proof came from elsewhere.
            if self.status != Status::Requesting {
                self.close(question.attempt, Outcome::Unknown);
            }
            self.question = None;
        }
        settled
    }

    pub(super) fn found(&mut self, asked: i32, mails: &[i32]) -> Taken {
        let mut changed = false;
        for mail in mails {
            if let Some(entry) = self.entry(*mail) {
                entry.found = true;
            }
            changed |= self.prove(SettledBy::Lookup);
            changed |= self.flag(*mail);
        }
        self.forget(asked);
        if changed {
            Taken::Changed
        } else {
            Taken::Noted
        }
    }

    pub(super) fn not_there(&mut self, attempt: i32, rules: &Rules) -> bool {
        let assumed_accepted = self.status == Status::Synced;
        if !self.in_question(attempt) || self.replaying() || !self.goes(Event::LookupSaysNo) {
            return false;
        }
        self.counted += 1;
        let by_itself = !assumed_accepted && self.counted < rules.max_attempts;
        let due = if by_itself { Due::Now } else { Due::Never };
        self.let_off(Some(SettledBy::Lookup), due);
        self.forget(attempt);
        true
    }

    pub(super) fn undecided(&mut self, attempt: i32, again: bool) -> Taken {
        let open = self.in_question(attempt);
        if let Some(question) = &mut self.question
            && open
            && question.attempt == attempt
        {
            question.ended = !again;
        }
        Taken::noted_if(open)
    }

    pub(super) fn begin_replay(&mut self, attempt: i32, by: u8) -> bool {
        let in_doubt = self.status == Status::Requesting || self.in_question(attempt);
        let free = self.attempts() == attempt && self.lease != Some(Lease::Lives);
        if self.held || !free || !in_doubt {
            return false;
        }
        self.replay = Some(by);
        self.lease = Some(Lease::Lives);
        self.unknown = false;
        true
    }

    /// The token stays while the question is open: from now on the first post's answer decides
    /// nothing.
    pub(super) fn end_replay(&mut self, by: u8) -> bool {
        if self.replay != Some(by) {
            return false;
        }
        if self.status == Status::Requesting {
            self.unknown = true;
            self.lease = Some(Lease::Passed);
        } else {
            self.replay = None;
            self.lease = None;
        }
        true
    }
}
