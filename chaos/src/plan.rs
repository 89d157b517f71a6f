//! What goes wrong and when: drawn from a seed, so that every design meets the same.

use denpyo::sandbox::Faults;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Duration;

/// How long a request may take: `DENPYO_REQUEST_TIMEOUT`, and the baselines' own.
pub const TIMEOUT: Duration = Duration::from_millis(500);
/// `DENPYO_LEASE`.
pub const LEASE: Duration = Duration::from_millis(2500);
/// `DENPYO_LOOKUP_HORIZON`. That no acceptance shows later than this after the lease's end is what
/// Denpyo relies on, so the plan keeps to it: see [`LONGEST_STOP`].
pub const HORIZON: Duration = Duration::from_secs(5);
/// Longest time for which look-ups do not see an accepted mail.
pub const LONGEST_INDEX_DELAY: Duration = Duration::from_millis(1500);
/// Longest time for which a process is stopped: past its lease, but a post that it still has to
/// make shows within the horizon. A post is permitted no later than the timeout and a second
/// before the lease's end, so the latest that one shows is
/// `LONGEST_STOP + LONGEST_INDEX_DELAY - TIMEOUT - 1 s` after it.
pub const LONGEST_STOP: Duration = Duration::from_millis(3500);

/// After the last order has come in, things go wrong for this long.
const TAIL: Duration = Duration::from_secs(10);

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Orders; each is one mail.
    pub orders: u32,
    /// Orders a second.
    pub rate: f64,
    /// Processes killed.
    pub kills: u32,
    /// Processes stopped past their lease and woken up again.
    pub stops: u32,
    /// Worker processes.
    pub processes: usize,
    /// Where the draws begin.
    pub seed: u64,
}

/// Something that happens to the processes or to the service.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The service misbehaves in this way from now on.
    Faults(Box<Faults>),
    /// SIGKILL; the process is started again at once.
    Kill(usize),
    /// SIGSTOP, and SIGCONT after this long.
    Stop(usize, Duration),
}

/// Everything that happens, first to last.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// When, counted from the beginning, and what.
    pub events: Vec<(Duration, Event)>,
    /// When the last order comes in.
    pub intake: Duration,
    /// When nothing goes wrong any more.
    pub end: Duration,
}

impl Plan {
    /// Draws a plan.
    pub fn draw(size: &Size) -> Plan {
        let intake = Duration::from_secs_f64(f64::from(size.orders) / size.rate);
        let end = intake + TAIL;
        let mut random = StdRng::seed_from_u64(size.seed);
        let mut events = Vec::new();
        let mut at = Duration::ZERO;
        while at < end {
            events.push((at, Event::Faults(Box::new(phase(&mut random)))));
            at += Duration::from_millis(random.random_range(2000..5000));
        }
        let moment = |random: &mut StdRng| end.mul_f64(random.random_range(0.01..1.0));
        for _ in 0..size.kills {
            let victim = random.random_range(0..size.processes);
            events.push((moment(&mut random), Event::Kill(victim)));
        }
        for _ in 0..size.stops {
            let victim = random.random_range(0..size.processes);
            let past = LONGEST_STOP.saturating_sub(LEASE);
            let time = LEASE + past.mul_f64(random.random_range(0.1..1.0));
            events.push((moment(&mut random), Event::Stop(victim, time)));
        }
        // Stable: what is drawn for one moment stays in its order.
        events.sort_by_key(|(at, _)| *at);
        Plan {
            events,
            intake,
            end,
        }
    }
}

/// A few seconds of misbehaviour. A mail refused for its content (400) is not among it: such a
/// mail waits for a person by design, in every table that tells the truth.
fn phase(random: &mut StdRng) -> Faults {
    let kind = random.random_range(0..8);
    let mut faults = Faults {
        seed: random.random(),
        // Long enough for a kill to find mails in flight.
        latency_ms: random.random_range(50..200),
        index_delay_ms: random.random_range(100..=1500),
        ..Faults::default()
    };
    let mut rate = |from: f64, to: f64| random.random_range(from..to);
    match kind {
        0 => {}
        1 => faults.latency_ms += rate(50.0, 200.0) as u64,
        2 => {
            faults.accept_then_hang = rate(0.05, 0.2);
            faults.accept_then_reset = rate(0.03, 0.1);
            faults.accept_then_close = rate(0.03, 0.1);
        }
        3 => {
            faults.accept_then_500 = rate(0.05, 0.2);
            faults.refuse_500 = rate(0.05, 0.2);
        }
        4 => faults.refuse_429 = rate(0.1, 0.3),
        5 => faults.hang_without_accept = rate(0.05, 0.2),
        6 => faults.redirect = rate(0.05, 0.2),
        _ => {
            for one in [
                &mut faults.accept_then_hang,
                &mut faults.accept_then_reset,
                &mut faults.accept_then_close,
                &mut faults.accept_then_500,
                &mut faults.refuse_500,
                &mut faults.refuse_429,
                &mut faults.hang_without_accept,
                &mut faults.redirect,
            ] {
                *one = rate(0.01, 0.04);
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(seed: u64) -> Size {
        Size {
            orders: 3000,
            rate: 25.0,
            kills: 60,
            stops: 6,
            processes: 4,
            seed,
        }
    }

    #[test]
    fn one_seed_is_one_plan() {
        assert_eq!(Plan::draw(&size(7)), Plan::draw(&size(7)));
        assert_ne!(Plan::draw(&size(7)), Plan::draw(&size(8)));
    }

    #[test]
    fn a_plan_holds_what_was_asked_for_and_keeps_to_the_assumptions() {
        for seed in 0..50 {
            let plan = Plan::draw(&size(seed));
            let (mut kills, mut stops) = (0, 0);
            let mut before = Duration::ZERO;
            for (at, event) in &plan.events {
                assert!(before <= *at && *at < plan.end);
                before = *at;
                match event {
                    Event::Faults(faults) => {
                        faults.check().unwrap();
                        assert_eq!(faults.refuse_400, 0.0);
                        let latency = Duration::from_millis(faults.latency_ms);
                        assert!(latency < TIMEOUT, "{latency:?}");
                        let delay = Duration::from_millis(faults.index_delay_ms);
                        assert!(delay <= LONGEST_INDEX_DELAY);
                    }
                    Event::Kill(victim) => {
                        assert!(*victim < 4);
                        kills += 1;
                    }
                    Event::Stop(victim, time) => {
                        assert!(*victim < 4 && *time > LEASE && *time <= LONGEST_STOP);
                        stops += 1;
                    }
                }
            }
            assert_eq!((kills, stops), (60, 6));
            assert!(matches!(plan.events[0], (Duration::ZERO, Event::Faults(_))));
        }
        let latest = LONGEST_STOP + LONGEST_INDEX_DELAY;
        assert!(latest < HORIZON + TIMEOUT + Duration::from_secs(1));
    }
}
