//! What each step needs, and what it changes.

use super::{Attempt, Due, Lease, OnUnknown, Row, Rules, Step, Taken, Wait};
use crate::model::transition::{self, Act, Event};
use crate::model::views::Outcome;
use crate::model::{SettledBy, Status};

impl Taken {
    pub(super) fn changed_if(changed: bool) -> Taken {
        if changed {
            Taken::Changed
        } else {
            Taken::Refused
        }
    }

    pub(super) fn noted_if(noted: bool) -> Taken {
        if noted { Taken::Noted } else { Taken::Refused }
    }
}

impl Row {
    /// Takes a step, or refuses it and leaves the row as it is.
    pub fn apply(&mut self, step: &Step, rules: &Rules) -> Taken {
        match step {
            Step::ClaimByWorker => {
                Taken::changed_if(self.due == Due::Now && self.claim(Event::ClaimByWorker))
            }
            Step::ClaimByPerson { as_seen } => {
                Taken::changed_if(*as_seen && self.claim(Event::ClaimByPerson))
            }
            Step::Settle { attempt, outcome } => self.settle(*attempt, *outcome, rules),
            Step::Release { attempt } => self.release(*attempt),
            Step::Lapse => Taken::changed_if(self.lapse(rules)),
            Step::Sweep => Taken::noted_if(self.sweep()),
            Step::Forget => Taken::noted_if(self.forget_settled()),
            Step::Found { asked, mails } => self.found(*asked, mails),
            Step::NotThere { attempt } => Taken::changed_if(self.not_there(*attempt, rules)),
            Step::Undecided { attempt, again } => self.undecided(*attempt, *again),
            Step::Replay { attempt, by } => Taken::changed_if(self.begin_replay(*attempt, *by)),
            Step::EndReplay { by } => Taken::changed_if(self.end_replay(*by)),
            Step::PersonSays { sent, as_seen } => {
                Taken::changed_if(*as_seen && self.person_says(*sent))
            }
            Step::Hold => Taken::changed_if(self.hold()),
            Step::LetGo => Taken::changed_if(std::mem::take(&mut self.held)),
            Step::LeasePasses => Taken::noted_if(
                self.lease == Some(Lease::Lives) && {
                    self.lease = Some(Lease::Passed);
                    true
                },
            ),
            Step::ComesDue => Taken::noted_if(
                self.due == Due::Later && {
                    self.due = Due::Now;
                    true
                },
            ),
        }
    }

    /// Claims made so far: column `attempts`.
    pub fn attempts(&self) -> i32 {
        i32::try_from(self.log.len()).unwrap_or(i32::MAX)
    }

    /// The status was only assumed.
    pub fn assumed(&self) -> bool {
        self.settled_by == Some(SettledBy::Assumed)
    }

    /// `requesting`, and its lease has passed or its outcome is known to be unknown.
    pub fn open_question(&self) -> bool {
        self.status == Status::Requesting && (self.unknown || self.lease == Some(Lease::Passed))
    }

    /// The attempt that a reconciler may ask the service about.
    pub fn asks(&self) -> Option<i32> {
        let question = self.question?;
        (!question.ended && self.in_question(question.attempt)).then_some(question.attempt)
    }

    /// What the row waits for; `None` where nothing would ever move it again, which must not be.
    pub fn waits_for(&self, rules: &Rules) -> Option<Wait> {
        let takes = |row: &Row, step| row.clone().apply(&step, rules) != Taken::Refused;
        let resend = Step::ClaimByPerson { as_seen: true };
        let word = Step::PersonSays {
            sent: true,
            as_seen: true,
        };
        if matches!(self.status, Status::Canceled | Status::Synced) && !self.assumed() {
            return Some(Wait::Nothing);
        }
        if self.lease == Some(Lease::Lives) {
            let mut later = self.clone();
            later.apply(&Step::LeasePasses, rules);
            return later.waits_for(rules).map(|_| Wait::Lease);
        }
        if self.held {
            return takes(self, Step::LetGo).then_some(Wait::Person);
        }
        if self.asks().is_some() {
            return Some(Wait::Lookup);
        }
        let mut due = self.clone();
        due.apply(&Step::ComesDue, rules);
        if takes(&due, Step::ClaimByWorker) {
            return Some(Wait::Worker);
        }
        if takes(self, resend) || takes(self, word) {
            return Some(Wait::Person);
        }
        // Assumed accepted, and no look-up to say otherwise: shown as assumed, and over.
        (self.status == Status::Synced).then_some(Wait::Nothing)
    }

    pub(super) fn entry(&mut self, attempt: i32) -> Option<&mut Attempt> {
        let index = usize::try_from(attempt.checked_sub(1)?).ok()?;
        self.log.get_mut(index)
    }

    /// The open question is about this attempt.
    pub(super) fn in_question(&self, attempt: i32) -> bool {
        let assumed = self.assumed() && matches!(self.status, Status::Failed | Status::Synced);
        self.attempts() == attempt && (self.open_question() || assumed)
    }

    /// A replay is at it, and nobody else settles or claims it.
    pub(super) fn replaying(&self) -> bool {
        self.replay.is_some() && self.lease == Some(Lease::Lives)
    }

    /// Moves the status as the state machine has it; false where it does not have it.
    pub(super) fn goes(&mut self, event: Event) -> bool {
        match transition::next(self.status, self.assumed(), event) {
            Some(to) => {
                self.status = to;
                true
            }
            None => false,
        }
    }

    /// Nobody is at it any more.
    pub(super) fn let_off(&mut self, by: Option<SettledBy>, due: Due) {
        self.settled_by = by;
        self.due = due;
        self.token = false;
        self.lease = None;
        self.replay = None;
        self.unknown = false;
        self.from_pending = false;
    }

    fn claim(&mut self, event: Event) -> bool {
        let from_pending = self.status == Status::Pending;
        if self.held || self.replaying() || !self.goes(event) {
            return false;
        }
        self.let_off(None, Due::Never);
        self.log.push(Attempt::default());
        self.token = true;
        self.lease = Some(Lease::Lives);
        self.from_pending = from_pending;
        true
    }

    /// Whether the row holds this attempt's token.
    fn own(&self, attempt: i32) -> bool {
        self.status == Status::Requesting && self.token && self.attempts() == attempt
    }

    /// Closes an attempt once; false where it was closed before.
    pub(super) fn close(&mut self, attempt: i32, outcome: Outcome) -> bool {
        match self.entry(attempt) {
            Some(entry) if entry.outcome.is_none() => {
                entry.outcome = Some(outcome);
                true
            }
            _ => false,
        }
    }

    fn settle(&mut self, attempt: i32, outcome: Outcome, rules: &Rules) -> Taken {
        let Some(entry) = self.entry(attempt) else {
            return Taken::Refused;
        };
        if entry.outcome == Some(outcome) || *entry.late(outcome) {
            return Taken::Refused;
        }
        let own = self.own(attempt);
        let fresh = self.close(attempt, outcome);
        let mut flagged = false;
        let recorded = match outcome {
            Outcome::Accepted => {
                let recorded = self.prove(SettledBy::Response);
                flagged = self.flag(attempt);
                recorded
            }
            Outcome::Unknown => own && !self.replaying() && self.doubt(rules),
            no => own && self.replay.is_none() && self.refuse(no, rules),
        };
        if (!fresh || !recorded)
            && let Some(entry) = self.entry(attempt)
        {
            *entry.late(outcome) = true;
        }
        if recorded || flagged {
            Taken::Changed
        } else {
            Taken::Noted
        }
    }

    fn refuse(&mut self, outcome: Outcome, rules: &Rules) -> bool {
        let event = match outcome {
            Outcome::Refused => Event::SettleRefused,
            _ => Event::SettleNotAccepted,
        };
        if !self.goes(event) {
            return false;
        }
        let last = self.counted + 1 >= rules.max_attempts;
        // What is wrong with the account is not the mail's fault.
        let due = match outcome {
            Outcome::Refused => Due::Never,
            Outcome::Account => Due::Later,
            _ if last => Due::Never,
            _ => Due::Later,
        };
        self.counted += i32::from(outcome != Outcome::Account);
        self.let_off(Some(SettledBy::Response), due);
        true
    }

    fn release(&mut self, attempt: i32) -> Taken {
        let own = self.own(attempt) && self.replay.is_none();
        let closed = self.close(attempt, Outcome::Released);
        let noted = !closed
            && self.entry(attempt).is_some_and(|entry| {
                entry.outcome != Some(Outcome::Released)
                    && !std::mem::replace(&mut entry.late_released, true)
            });
        let event = if self.from_pending {
            Event::ReleaseToPending
        } else {
            Event::ReleaseToFailed
        };
        if own && self.goes(event) {
            self.let_off(None, Due::Now);
            Taken::Changed
        } else {
            Taken::noted_if(closed || noted)
        }
    }

    fn lapse(&mut self, rules: &Rules) -> bool {
        let attempt = self.attempts();
        let lapsed = self.own(attempt) && !self.unknown && self.lease == Some(Lease::Passed);
        if !lapsed || !self.doubt(rules) {
            return false;
        }
        self.close(attempt, Outcome::Unknown);
        true
    }

    /// Lets `DENPYO_ON_UNKNOWN` decide, and opens the question; false where it is open already.
    fn doubt(&mut self, rules: &Rules) -> bool {
        let doubted = match rules.on_unknown {
            OnUnknown::Hold => !std::mem::replace(&mut self.unknown, true),
            side => {
                let event = match side {
                    OnUnknown::Synced => Event::AssumeSynced,
                    _ => Event::AssumeFailed,
                };
                let goes = self.goes(event);
                if goes {
                    self.let_off(Some(SettledBy::Assumed), Due::Never);
                }
                goes
            }
        };
        if doubted {
            self.ask();
        }
        doubted
    }

    /// Proof of acceptance: whatever the row says, unless it rests on as good a ground already.
    pub(super) fn prove(&mut self, by: SettledBy) -> bool {
        let better = match self.settled_by {
            _ if self.status != Status::Synced => true,
            None | Some(SettledBy::Assumed | SettledBy::Person | SettledBy::Imported) => true,
            Some(ground) => by == SettledBy::Response && ground != SettledBy::Response,
        };
        if better && (self.status == Status::Synced || self.goes(Event::Proof)) {
            self.let_off(Some(by), Due::Never);
            self.held = false;
            true
        } else {
            false
        }
    }

    /// An attempt was accepted. Where another one was too, or may yet be, two mails may be on
    /// their way, and the row says so.
    pub(super) fn flag(&mut self, attempt: i32) -> bool {
        let another = (1..).zip(&self.log).any(|(number, other)| {
            let in_doubt = matches!(other.outcome, None | Some(Outcome::Unknown));
            number != attempt && (other.proved() || (number > attempt && in_doubt))
        });
        another && !std::mem::replace(&mut self.possible_duplicate, true)
    }

    fn person_says(&mut self, sent: bool) -> bool {
        let (act, event) = if sent {
            (Act::ConfirmSent, Event::PersonSaysSent)
        } else {
            (Act::ConfirmNotSent, Event::PersonSaysNotSent)
        };
        let may = transition::acts(self.status, self.open_question()).contains(&act);
        if !may || !self.goes(event) {
            return false;
        }
        self.let_off(Some(SettledBy::Person), Due::Never);
        self.held &= !sent;
        self.close(self.attempts(), Outcome::Unknown);
        true
    }

    fn hold(&mut self) -> bool {
        // What is under way is settled as ever, and then waits for a person.
        let sendable = matches!(
            self.status,
            Status::Pending | Status::Requesting | Status::Failed | Status::Rejected
        );
        sendable && !std::mem::replace(&mut self.held, true)
    }
}
