//! What the service was asked afterwards, and what it answered.

use super::{HORIZON, Life, message_id, word};
use crate::demo::rows::{At, Lookup};
use app::model::Status;
use app::model::recorded::NOT_FOUND_TWICE;
use rand::rngs::StdRng;

impl Life {
    /// The service is asked at the lease's end and then ever more rarely, up to `now`; every time
    /// it shows nothing, or says `unclear`.
    pub(in crate::demo) fn ask(&mut self, now: At, unclear: Option<&str>) {
        let last = &self.attempts[self.attempts.len() - 1];
        let (attempt, lease_until) = (last.attempt, last.lease_until);
        let kind = if unclear.is_some() {
            "lookup_unclear"
        } else {
            "lookup_not_yet"
        };
        let mut next_at = lease_until.plus(640);
        let mut step = HORIZON / 16;
        let mut asked = 0;
        while next_at <= now {
            self.observe(next_at, Some(attempt), kind, unclear.map(str::to_owned));
            asked += 1;
            next_at = next_at.plus(step);
            step *= 2;
        }
        self.lookups = vec![Lookup {
            attempt,
            lease_until,
            next_at,
            asked,
            ended: false,
            unclear: if unclear.is_some() { asked } else { 0 },
        }];
    }

    /// It went through an account that the demo does not have: nobody can be asked.
    pub(in crate::demo) fn ask_in_vain(&mut self) {
        let last = self.attempts.len() - 1;
        let attempt = &mut self.attempts[last];
        attempt.account = Some("api.sendgrid.com#2f9c41d7");
        let (number, lease_until) = (attempt.attempt, attempt.lease_until);
        let asked_at = lease_until.plus(710);
        let detail = "elsewhere: it went to sendgrid api.sendgrid.com#2f9c41d7".to_owned();
        self.observe(asked_at, Some(number), "lookup_unclear", Some(detail));
        self.lookups = vec![Lookup {
            attempt: number,
            lease_until,
            next_at: asked_at,
            asked: 1,
            ended: true,
            unclear: 1,
        }];
    }

    /// Asked again, the service has it.
    pub(in crate::demo) fn found(&mut self, rng: &mut StdRng, at: At) {
        let id = message_id(rng);
        let last = &self.attempts[self.attempts.len() - 1];
        let (attempt, accepted_at) = (last.attempt, last.claimed_at.plus(380));
        let s = &mut self.now;
        s.status = word(Status::Synced);
        s.settled_by = Some("lookup");
        s.provider_message_id = Some(id.clone());
        s.sent_at = Some(accepted_at);
        (s.error, s.next_attempt_at) = (None, None);
        self.end_claim();
        self.write(at);
        self.lookups.clear();
        self.observe(at, Some(attempt), "lookup_found", Some(id));
    }

    /// Asked again after the horizon, the service does not have it. What was only assumed
    /// accepted is not sent again by itself.
    pub(in crate::demo) fn not_found(&mut self, at: At) {
        let attempt = self.now.attempts;
        let s = &mut self.now;
        s.next_attempt_at = (s.status != word(Status::Synced)).then_some(at);
        s.status = word(Status::Failed);
        s.settled_by = Some("lookup");
        s.error = Some(NOT_FOUND_TWICE.to_owned());
        s.attempts_counted += 1;
        s.sent_at = None;
        self.end_claim();
        self.write(at);
        self.lookups.clear();
        let why = Some(NOT_FOUND_TWICE.to_owned());
        self.observe(at, Some(attempt), "lookup_no", why);
    }
}
