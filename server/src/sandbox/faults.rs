//! How the sandbox misbehaves, and the dice that decide when.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What goes wrong, and how often. Each request to `POST /v3/mail/send` draws once, so that the
/// same requests after the same `PUT` meet the same faults in the same order. The rates lie
/// between 0 and 1 and add up to 1 at most; what remains is answered well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// Where the draws begin.
    pub seed: u64,
    /// Keeps the mail, and never answers.
    pub accept_then_hang: f64,
    /// Keeps the mail, and resets the connection.
    pub accept_then_reset: f64,
    /// Keeps the mail, and closes the connection without an answer.
    pub accept_then_close: f64,
    /// Keeps the mail, and answers 500.
    pub accept_then_500: f64,
    /// Answers 500, and keeps nothing.
    pub refuse_500: f64,
    /// Answers 429, and keeps nothing.
    pub refuse_429: f64,
    /// Answers 400, and keeps nothing.
    pub refuse_400: f64,
    /// Never answers, and keeps nothing.
    pub hang_without_accept: f64,
    /// Answers 302, and keeps nothing; whoever follows gets a 200.
    pub redirect: f64,
    /// Keeps the mail, and breaks off in the middle of its answer's body.
    pub accept_then_truncate: f64,
    /// How long each answer of `POST /v3/mail/send` takes; an accepted mail is kept at its
    /// beginning.
    pub latency_ms: u64,
    /// How old a mail must be before look-ups see it.
    pub index_delay_ms: u64,
}

/// One thing that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as the members of `Faults`")]
pub enum Fault {
    AcceptThenHang,
    AcceptThenReset,
    AcceptThenClose,
    AcceptThen500,
    Refuse500,
    Refuse429,
    Refuse400,
    HangWithoutAccept,
    Redirect,
    AcceptThenTruncate,
}

/// Why faults cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFaults {
    /// A rate below 0 or above 1.
    #[error("{0} must lie between 0 and 1")]
    Rate(&'static str),
    /// More than certainty.
    #[error("the rates add up to more than 1")]
    Sum,
}

impl Faults {
    fn rates(&self) -> [(Fault, &'static str, f64); 10] {
        use Fault as F;
        [
            (F::AcceptThenHang, "accept_then_hang", self.accept_then_hang),
            (
                F::AcceptThenReset,
                "accept_then_reset",
                self.accept_then_reset,
            ),
            (
                F::AcceptThenClose,
                "accept_then_close",
                self.accept_then_close,
            ),
            (F::AcceptThen500, "accept_then_500", self.accept_then_500),
            (F::Refuse500, "refuse_500", self.refuse_500),
            (F::Refuse429, "refuse_429", self.refuse_429),
            (F::Refuse400, "refuse_400", self.refuse_400),
            (
                F::HangWithoutAccept,
                "hang_without_accept",
                self.hang_without_accept,
            ),
            (F::Redirect, "redirect", self.redirect),
            // Behind the older ones, so that one seed stays one sequence.
            (
                F::AcceptThenTruncate,
                "accept_then_truncate",
                self.accept_then_truncate,
            ),
        ]
    }

    /// Whether the rates make sense.
    pub fn check(&self) -> Result<(), BadFaults> {
        let rates = self.rates();
        for (_, name, rate) in rates {
            if !(0.0..=1.0).contains(&rate) {
                return Err(BadFaults::Rate(name));
            }
        }
        // Ten times 0.1 is a little more than 1.
        let sum: f64 = rates.iter().map(|(_, _, rate)| rate).sum();
        if sum > 1.0 + 1e-9 {
            return Err(BadFaults::Sum);
        }
        Ok(())
    }

    pub(super) fn latency(&self) -> Duration {
        Duration::from_millis(self.latency_ms)
    }
}

/// Faults and the place in their sequence of draws.
pub(super) struct Dice {
    faults: Faults,
    random: StdRng,
}

impl Default for Dice {
    fn default() -> Dice {
        Dice::new(Faults::default())
    }
}

impl Dice {
    pub(super) fn new(faults: Faults) -> Dice {
        let random = StdRng::seed_from_u64(faults.seed);
        Dice { faults, random }
    }

    pub(super) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The next draw: what goes wrong, if anything.
    pub(super) fn draw(&mut self) -> Option<Fault> {
        let mut left: f64 = self.random.random();
        for (fault, _, rate) in self.faults.rates() {
            if left < rate {
                return Some(fault);
            }
            left -= rate;
        }
        None
    }
}
