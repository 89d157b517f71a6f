//! What a service's answer to "do you have this mail?" proves, and when to ask again.
//!
//! "Not found" is proof only after the horizon: services show mails some time after they took
//! them. And since clocks go wrong, the database's clock alone does not decide: a process must
//! have seen "not found" twice, a horizon apart on its own monotonic clock, or once together
//! with a later mail that the service shows already, if it has known of the question for a horizon
//! by that clock.

use std::time::Duration;

/// What the service said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Said {
    /// It has the mail.
    Found,
    /// It does not show it, and what it showed was complete.
    NotFound,
    /// Neither.
    Unclear,
}

/// What the answer is weighed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// `DENPYO_LOOKUP_HORIZON`: no post begins, and no acceptance shows, later than this after
    /// the lease's end.
    pub horizon: Duration,
    /// Time since the lease's end, by the database's clock.
    pub since_lease_end: Duration,
    /// Time since the claim, by the database's clock.
    pub since_claim: Duration,
    /// How long the service keeps what it is asked for.
    pub retention: Duration,
    /// How long ago this process first heard "not found", by its monotonic clock; zero where this
    /// is the first time.
    pub since_first_no: Duration,
    /// How long this process has known of the question, by its monotonic clock.
    pub known_for: Duration,
    /// The service shows a mail that was claimed when this attempt could not begin any more.
    pub later_mail_shown: bool,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// The service accepted it.
    Accepted,
    /// Not found, which proves nothing yet.
    NotYet,
    /// The service never accepted it: sending again cannot double it.
    Not,
    /// Nobody can tell from this.
    NoClearAnswer,
}

/// Weighs an answer.
pub fn judge(said: Said, e: &Evidence) -> Judgement {
    match said {
        Said::Found => Judgement::Accepted,
        Said::Unclear => Judgement::NoClearAnswer,
        Said::NotFound if e.since_claim >= e.retention => Judgement::NoClearAnswer,
        Said::NotFound if e.since_lease_end < e.horizon => Judgement::NotYet,
        Said::NotFound if e.since_first_no >= e.horizon => Judgement::Not,
        Said::NotFound if e.later_mail_shown && later_mail_decides(e) => Judgement::Not,
        Said::NotFound => Judgement::NotYet,
    }
}

/// Whether a later mail that is shown would make this "not found" proof. That the service has come
/// further than the attempt says nothing of a post that may still begin: both clocks must have
/// passed the horizon, for the database's alone may have been set forward.
pub fn later_mail_decides(e: &Evidence) -> bool {
    e.since_lease_end >= e.horizon && e.known_for >= e.horizon && e.since_claim < e.retention
}

/// Longest time between two questions.
const LONGEST: Duration = Duration::from_secs(6 * 3600);
/// Shortest time between two questions.
const SHORTEST: Duration = Duration::from_millis(100);

/// How long to wait before asking again, after `asked` questions (1 or more), the last `unclear` of
/// which had no clear answer: growing apart, and where "not yet" was said, no later than when the
/// next answer may prove it. One service that cannot be reached for a moment does not put off for
/// hours what was asked often before: answers of that kind count from the last clear one.
pub fn ask_again_after(judgement: Judgement, asked: i32, unclear: i32, e: &Evidence) -> Duration {
    let alike = match judgement {
        Judgement::NoClearAnswer => unclear,
        _ => asked,
    };
    let doublings = u32::try_from(alike.saturating_sub(1)).unwrap_or(0).min(20);
    let step = (e.horizon / 16).saturating_mul(1 << doublings);
    let step = step.clamp(SHORTEST, LONGEST.max(e.horizon));
    if judgement != Judgement::NotYet {
        return step.min(LONGEST);
    }
    let decisive = e
        .horizon
        .saturating_sub(e.since_first_no)
        .max(e.horizon.saturating_sub(e.since_lease_end))
        .max(SHORTEST);
    // A question shortly before the decisive one would tell nothing more.
    if step + step / 2 >= decisive {
        decisive
    } else {
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn evidence() -> Evidence {
        Evidence {
            horizon: 30 * MINUTE,
            since_lease_end: 31 * MINUTE,
            since_claim: 33 * MINUTE,
            retention: 1440 * MINUTE,
            since_first_no: 30 * MINUTE,
            known_for: 30 * MINUTE,
            later_mail_shown: false,
        }
    }

    #[test]
    fn not_found_is_proof_only_after_the_horizon_on_both_clocks() {
        let e = evidence();
        assert_eq!(judge(Said::NotFound, &e), Judgement::Not);
        let early = Evidence {
            since_lease_end: 29 * MINUTE,
            ..e
        };
        assert_eq!(judge(Said::NotFound, &early), Judgement::NotYet);
        // The database's clock was set forward by an hour.
        let jumped = Evidence {
            since_lease_end: 61 * MINUTE,
            since_first_no: MINUTE,
            ..e
        };
        assert_eq!(judge(Said::NotFound, &jumped), Judgement::NotYet);
    }

    #[test]
    fn a_later_mail_spares_the_second_look_up_but_not_the_horizon() {
        let e = Evidence {
            since_first_no: Duration::ZERO,
            later_mail_shown: true,
            ..evidence()
        };
        assert_eq!(judge(Said::NotFound, &e), Judgement::Not);
        let early = Evidence {
            since_lease_end: MINUTE,
            ..e
        };
        assert_eq!(judge(Said::NotFound, &early), Judgement::NotYet);
        // Nor this process's own clock: the database's was set forward.
        let jumped = Evidence {
            known_for: MINUTE,
            ..e
        };
        assert_eq!(judge(Said::NotFound, &jumped), Judgement::NotYet);
    }

    #[test]
    fn what_the_service_keeps_no_longer_is_no_answer() {
        let old = Evidence {
            since_claim: 1440 * MINUTE,
            ..evidence()
        };
        assert_eq!(judge(Said::NotFound, &old), Judgement::NoClearAnswer);
        assert_eq!(judge(Said::Found, &old), Judgement::Accepted);
    }

    #[test]
    fn an_unclear_answer_is_never_a_no() {
        assert_eq!(judge(Said::Unclear, &evidence()), Judgement::NoClearAnswer);
    }

    #[test]
    fn questions_grow_apart_and_the_last_one_can_decide() {
        let mut since = Duration::ZERO;
        let mut waits = Vec::new();
        for asked in 1..=20 {
            let e = Evidence {
                since_lease_end: since,
                since_first_no: since,
                ..evidence()
            };
            let judgement = judge(Said::NotFound, &e);
            if judgement == Judgement::Not {
                break;
            }
            waits.push(ask_again_after(judgement, asked, 0, &e));
            since += waits[waits.len() - 1];
        }
        assert_eq!(since, 30 * MINUTE);
        assert!(waits.len() <= 6, "{waits:?}");
        assert!(waits.windows(2).take(3).all(|w| w[1] > w[0]), "{waits:?}");
    }

    #[test]
    fn a_moment_without_an_answer_does_not_put_the_question_off_for_hours() {
        let wait =
            |asked, unclear| ask_again_after(Judgement::NoClearAnswer, asked, unclear, &evidence());
        assert!(wait(15, 1) < 2 * MINUTE);
        assert_eq!(wait(15, 1), wait(1, 1));
        // A service that stays away is asked ever more seldom.
        assert_eq!(wait(15, 2), 2 * wait(15, 1));
        assert_eq!(wait(15, 15), LONGEST);
    }
}
