//! How attempts that did not succeed are spaced.

use std::time::Duration;

/// How retries are spaced.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    /// `DENPYO_MAX_ATTEMPTS`: attempts that count.
    pub most: i32,
}

/// No wait is longer, whatever the service asks for.
pub use crate::provider::http::LONGEST_WAIT;

impl Retries {
    /// The wait after the `counted`th attempt that counts: 5 s, 20 s, 80 s, … give or take half,
    /// so that the first comes within 10 s and no two processes march in step.
    pub fn wait(counted: i32, jitter: f64) -> Duration {
        let exponent = counted.clamp(1, 10) - 1;
        let base = 5.0 * 4f64.powi(exponent);
        Duration::from_secs_f64(base * (0.5 + jitter.clamp(0.0, 1.0))).min(LONGEST_WAIT)
    }

    /// A wait that the service asked for, with up to a tenth on top.
    pub fn asked(wait: Duration, jitter: f64) -> Duration {
        wait.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 10.0)
            .min(LONGEST_WAIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_the_first_comes_within_ten_seconds() {
        for jitter in [0.0, 0.5, 1.0] {
            assert!(Retries::wait(1, jitter) <= Duration::from_secs(10));
            assert!(Retries::wait(1, jitter) >= Duration::from_secs(2));
            for counted in 1..4 {
                assert!(Retries::wait(counted + 1, 0.0) > Retries::wait(counted, 0.5));
            }
            assert!(Retries::wait(i32::MAX, jitter) <= LONGEST_WAIT);
            let seven = Retries::asked(Duration::from_secs(7), jitter);
            assert!(seven >= Duration::from_secs(7) && seven < Duration::from_secs(8));
            assert_eq!(
                Retries::asked(Duration::from_secs(1_764_000_000), jitter),
                LONGEST_WAIT
            );
        }
    }
}
