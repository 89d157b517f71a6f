//! What is due, in three parts, each in the words of the index that finds it. Claims choose by these, and
//! whoever counts what is due counts by them.

/// Never put off: due since it was inserted, whatever the clock says.
macro_rules! waiting {
    () => {
        "status = 'pending' AND held_reason IS NULL AND not_before IS NULL"
    };
}
/// Put off by whoever inserted it, until now.
macro_rules! postponed {
    () => {
        "status = 'pending' AND held_reason IS NULL AND not_before <= {now}"
    };
}
/// To be tried again.
macro_rules! again {
    () => {
        "status = 'failed' AND held_reason IS NULL AND next_attempt_at IS NOT NULL \
         AND next_attempt_at <= {now}"
    };
}
pub(super) use {again, postponed, waiting};
