//! What happened to one mail, step by step, as the outbox would have written it: the methods
//! mirror its statements, and every step leaves a state with a version of its own.

mod asked;

use super::rows::{Act, At, Attempt, Lookup, MINUTE, Observation, SECOND, State};
use app::model::views::{Cause, Outcome};
use app::model::{HeldBy, Status};
use rand::Rng;
use rand::rngs::StdRng;

/// One mail's life.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Life {
    /// As it stands.
    pub now: State,
    /// Every state after the first, in their order.
    pub states: Vec<State>,
    pub attempts: Vec<Attempt>,
    pub observations: Vec<Observation>,
    /// The open question, where there is one.
    pub lookups: Vec<Lookup>,
    pub acts: Vec<Act>,
}

/// The lease and the request timeout that the processes of the story have: the defaults.
pub(super) const LEASE: i64 = 2 * MINUTE;
pub(super) const TIMEOUT: i64 = 30 * SECOND;
/// The look-up horizon of the demo: so long that what the story leaves open stays open while
/// somebody looks around. The stand-in service knows none of these mails.
pub(super) const HORIZON: i64 = 80 * MINUTE;
const SENDGRID: &str = "sendgrid";
const COPY: &str = "copy";

fn word(status: Status) -> &'static str {
    status.as_str()
}

/// A random UUID out of the story's own dice.
pub(super) fn uuid(rng: &mut StdRng) -> String {
    uuid::Builder::from_random_bytes(rng.random())
        .into_uuid()
        .to_string()
}

fn message_id(rng: &mut StdRng) -> String {
    // As long as SendGrid's, and the sandbox's.
    uuid(rng).replace('-', "")[..22].to_owned()
}

impl Life {
    /// A mail that somebody has just decided to send.
    pub(super) fn new(created_at: At, recipient: Option<&str>) -> Life {
        Life {
            now: State {
                recipient: recipient.map(str::to_owned),
                first_recipient: None,
                status: word(Status::Pending),
                settled_by: None,
                attempts: 0,
                attempts_counted: 0,
                error: None,
                held_reason: None,
                held_by: None,
                released_at: None,
                version: 1,
                provider: None,
                provider_message_id: None,
                delivery_state: None,
                delivery_at: None,
                possible_duplicate: false,
                claim_token: None,
                claimed_from: None,
                claimed_at: None,
                unknown_at: None,
                updated_at: created_at,
                next_attempt_at: None,
                lease_until: None,
                sent_at: None,
            },
            states: Vec::new(),
            attempts: Vec::new(),
            observations: Vec::new(),
            lookups: Vec::new(),
            acts: Vec::new(),
        }
    }

    fn write(&mut self, at: At) {
        self.now.version += 1;
        self.now.updated_at = at;
        self.states.push(self.now.clone());
    }

    fn end_claim(&mut self) {
        self.now.claim_token = None;
        self.now.lease_until = None;
        self.now.unknown_at = None;
    }

    /// A worker or, with `actor`, a person's resend claims it.
    pub(super) fn claim(
        &mut self,
        rng: &mut StdRng,
        at: At,
        worker: &'static str,
        actor: Option<&'static str>,
    ) {
        let token = uuid(rng);
        let lease_until = at.plus(LEASE);
        let s = &mut self.now;
        s.claimed_from = Some(s.status);
        s.status = word(Status::Requesting);
        s.attempts += 1;
        s.claim_token = Some(token.clone());
        s.claimed_at = Some(at);
        s.lease_until = Some(lease_until);
        (s.unknown_at, s.next_attempt_at) = (None, None);
        (s.settled_by, s.error) = (None, None);
        s.provider = Some(SENDGRID);
        self.attempts.push(Attempt {
            attempt: self.now.attempts,
            claim_token: token,
            worker,
            actor,
            recipient: self.now.recipient.clone(),
            provider: SENDGRID,
            account: None,
            claimed_at: at,
            lease_until,
            closed_at: None,
            outcome: None,
            cause: None,
            code: None,
            error: None,
            provider_message_id: None,
            took_ms: None,
            next_attempt_at: None,
        });
        self.write(at);
    }

    /// A person's resend, perhaps to a corrected recipient.
    pub(super) fn resend(
        &mut self,
        rng: &mut StdRng,
        at: At,
        actor: &'static str,
        reason: &'static str,
        recipient: Option<&str>,
    ) {
        let (before, seen) = (self.now.status, self.now.version);
        let old = self.now.recipient.clone();
        if let Some(new) = recipient {
            self.now.first_recipient = self.now.first_recipient.take().or_else(|| old.clone());
            self.now.recipient = Some(new.to_owned());
        }
        self.claim(rng, at, "worker-1", Some(actor));
        let attempt = self.now.attempts;
        let act = self.act(at, (actor, reason), "resend", (before, seen));
        act.attempt = Some(attempt);
        act.before_recipient = recipient.and(old);
        act.after_recipient = recipient.map(str::to_owned);
    }

    /// Closes the last attempt. What vanished is closed by another process, which does not know
    /// how long it took.
    fn close_last(&mut self, at: At, outcome: Outcome, cause: Cause) -> &mut Attempt {
        let last = self.attempts.len() - 1;
        let attempt = &mut self.attempts[last];
        attempt.closed_at = Some(at);
        attempt.outcome = Some(outcome.as_str());
        attempt.cause = Some(cause.as_str());
        attempt.took_ms = (cause != Cause::Vanished).then(|| at.since(attempt.claimed_at));
        attempt
    }

    /// The service took it.
    pub(super) fn accept(&mut self, rng: &mut StdRng, at: At) {
        let id = message_id(rng);
        self.close_last(at, Outcome::Accepted, Cause::Answer)
            .provider_message_id = Some(id.clone());
        let s = &mut self.now;
        s.status = word(Status::Synced);
        s.settled_by = Some("response");
        s.provider_message_id = Some(id);
        s.sent_at = Some(at);
        (s.error, s.next_attempt_at) = (None, None);
        self.end_claim();
        self.write(at);
    }

    /// It was not accepted, for sure. `code` 0: nothing left. `wait` in milliseconds.
    pub(super) fn refuse(&mut self, at: At, code: u16, detail: &str, wait: Option<i64>) {
        let outcome = match code {
            0 => Outcome::NeverLeft,
            400 => Outcome::Refused,
            _ => Outcome::Temporary,
        };
        let cause = if code == 0 {
            Cause::Connect
        } else {
            Cause::Answer
        };
        let next = wait.map(|ms| at.plus(ms));
        let closed = self.close_last(at, outcome, cause);
        closed.code = (code != 0).then_some(code);
        closed.error = Some(detail.to_owned());
        closed.next_attempt_at = next;
        let s = &mut self.now;
        s.status = word(if outcome == Outcome::Refused {
            Status::Rejected
        } else {
            Status::Failed
        });
        s.settled_by = Some("response");
        s.error = Some(if code == 0 {
            detail.to_owned()
        } else {
            format!("{code} {detail}")
        });
        s.attempts_counted += 1;
        s.next_attempt_at = next;
        self.end_claim();
        self.write(at);
    }

    /// Nobody knows, and it stays so.
    pub(super) fn unknown(&mut self, at: At, cause: Cause, code: Option<u16>, detail: &str) {
        let closed = self.close_last(at, Outcome::Unknown, cause);
        closed.code = code;
        closed.error = (cause != Cause::Vanished).then(|| detail.to_owned());
        self.now.unknown_at = Some(at);
        self.now.error = Some(detail.to_owned());
        self.write(at);
    }

    /// Nobody knows, and the settings decide.
    pub(super) fn assume(&mut self, at: At, cause: Cause, detail: &str, side: Status) {
        self.close_last(at, Outcome::Unknown, cause).error = Some(detail.to_owned());
        self.now.status = word(side);
        self.now.settled_by = Some("assumed");
        self.now.error = Some(detail.to_owned());
        self.end_claim();
        self.write(at);
    }

    /// Given back before the first byte, by a process that was asked to stop.
    pub(super) fn release(&mut self, at: At) {
        self.close_last(at, Outcome::Released, Cause::Stopping);
        self.now.status = word(Status::Pending);
        self.end_claim();
        self.write(at);
    }

    /// A person says what became of it.
    pub(super) fn answer(&mut self, at: At, actor: &'static str, sent: bool, reason: &'static str) {
        let (before, seen) = (self.now.status, self.now.version);
        let s = &mut self.now;
        s.status = word(if sent { Status::Synced } else { Status::Failed });
        s.settled_by = Some("person");
        if sent {
            s.error = None;
        }
        self.end_claim();
        self.write(at);
        let word = if sent {
            "confirm_sent"
        } else {
            "confirm_not_sent"
        };
        let attempt = self.now.attempts;
        self.act(at, (actor, reason), word, (before, seen)).attempt = Some(attempt);
    }

    /// A person calls it off.
    pub(super) fn cancel(&mut self, at: At, actor: &'static str, reason: &'static str) {
        let (before, seen) = (self.now.status, self.now.version);
        self.now.status = word(Status::Canceled);
        self.now.next_attempt_at = None;
        self.write(at);
        self.act(at, (actor, reason), "cancel", (before, seen));
    }

    /// A person asked for it as a further copy: once the story is told, an act on the original.
    pub(super) fn copied(&mut self, at: At, actor: &'static str, reason: &'static str) {
        self.act(at, (actor, reason), COPY, ("", 1));
    }

    /// Takes out who asked for it as a further copy, and how.
    pub(super) fn take_copied(&mut self) -> Option<Act> {
        let place = self.acts.iter().position(|act| act.act == COPY)?;
        Some(self.acts.remove(place))
    }

    /// That act, on the mail that was copied.
    pub(super) fn made_copy(&mut self, copy_id: i64, act: Act) {
        let synced = Some(word(Status::Synced));
        let seen = self.states.iter().rfind(|s| s.updated_at <= act.at);
        self.acts.push(Act {
            before_status: synced,
            after_status: synced,
            version_seen: seen.map(|s| s.version),
            copy_id: Some(copy_id),
            ..act
        });
    }

    /// Content that cannot be sent, found before the claim.
    pub(super) fn screen_out(&mut self, at: At, fault: &str) {
        self.now.status = word(Status::Rejected);
        self.now.error = Some(fault.to_owned());
        self.write(at);
        self.observe(at, None, "screened", Some(fault.to_owned()));
    }

    /// No claim takes it.
    pub(super) fn hold(&mut self, at: At, by: HeldBy, reason: &'static str) {
        self.now.held_reason = Some(reason);
        self.now.held_by = Some(by.as_str());
        self.write(at);
        self.observe(at, None, "held", Some(reason.to_owned()));
    }

    /// A person lets it go.
    pub(super) fn let_go(&mut self, at: At, actor: &'static str, reason: &'static str) {
        let seen = self.now.version;
        let s = &mut self.now;
        (s.held_reason, s.held_by) = (None, None);
        s.released_at = Some(at);
        self.write(at);
        let act = self.act(at, (actor, reason), "release", ("", seen));
        (act.before_status, act.after_status) = (None, None);
    }

    /// What the receiving side said of it later.
    pub(super) fn deliver(&mut self, at: At, state: &'static str) {
        self.now.delivery_state = Some(state);
        self.now.delivery_at = Some(at);
        self.write(at);
    }

    /// A first attempt, given up long ago, turns out accepted while a second one is under way,
    /// and then the second is accepted too.
    pub(super) fn accept_twice(&mut self, rng: &mut StdRng, late: At, at: At) {
        let (first, second) = (message_id(rng), message_id(rng));
        let number = self.now.attempts;
        let s = &mut self.now;
        s.status = word(Status::Synced);
        s.settled_by = Some("response");
        s.provider_message_id = Some(first.clone());
        s.sent_at = Some(late);
        s.possible_duplicate = true;
        (s.error, s.next_attempt_at) = (None, None);
        self.end_claim();
        self.write(late);
        self.observe(late, Some(number - 1), "late_accepted", Some(first));
        self.close_last(at, Outcome::Accepted, Cause::Answer)
            .provider_message_id = Some(second.clone());
        self.write(at);
        self.observe(at, Some(number), "late_accepted", Some(second));
    }

    fn act(
        &mut self,
        at: At,
        by: (&'static str, &'static str),
        act: &'static str,
        seen: (&'static str, i64),
    ) -> &mut Act {
        self.acts.push(Act {
            at,
            actor: by.0,
            act,
            reason: Some(by.1),
            before_status: Some(seen.0),
            after_status: Some(self.now.status),
            before_recipient: None,
            after_recipient: None,
            attempt: None,
            version_seen: Some(seen.1),
            copy_id: None,
        });
        let last = self.acts.len() - 1;
        &mut self.acts[last]
    }

    fn observe(
        &mut self,
        at: At,
        attempt: Option<i32>,
        kind: &'static str,
        detail: Option<String>,
    ) {
        self.observations.push(Observation {
            attempt,
            at,
            kind,
            detail,
        });
    }
}
