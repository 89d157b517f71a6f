//! The clock that leases are measured by in this process.

use std::time::Duration;

/// A moment by a clock that is never set, and that goes on while the machine is suspended: as the
/// database's does meanwhile, whose lease it is. (`Instant` stands still then. For look-ups that is
/// right: a process that wakes up must not take the time it slept for time in which a mail would have
/// shown itself.)
#[derive(Clone, Copy, Debug)]
pub struct Ticks(Duration);

impl Ticks {
    /// Now.
    pub fn now() -> Ticks {
        Ticks(since_boot())
    }

    /// Time since then, suspended or not.
    pub fn elapsed(self) -> Duration {
        since_boot().saturating_sub(self.0)
    }
}

#[cfg(target_os = "linux")]
fn since_boot() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::Boottime);
    // Neither is ever negative.
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
}

#[cfg(not(target_os = "linux"))]
fn since_boot() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed()
}
