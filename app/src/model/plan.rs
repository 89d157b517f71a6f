//! What Denpyo will do by itself about a mail whose outcome nobody knows, and when; or why only a
//! person can find out.

use super::service::can_be_asked;
use super::views::{Attempt, Case, Cases, Lookup, Mail, Observation, ServiceState};
use super::{Face, Moment, SettledBy, Status};

/// What comes next, with what it takes to say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What comes next.
    pub next: Step,
    /// The service that the attempt went to, as stored.
    pub service: Option<String>,
    /// When this was read.
    pub as_of: Moment,
    /// From when on "not found" may count.
    pub deadline: Option<Moment>,
    /// Told that the service does not have it, Denpyo sends it again by itself.
    pub resends: bool,
    /// What it counts as meanwhile, where the settings assume so.
    pub assumed: Option<Status>,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The service is asked what became of it.
    Ask {
        /// When; `None`: in a moment.
        at: Option<Moment>,
        /// It was asked before.
        again: bool,
        /// So many answers were "not found".
        not_found: i32,
        /// So many answers were not clear.
        unclear: i32,
        /// Why the last answer said neither yes nor no; `None` where it was "not found yet".
        last: Option<Why>,
    },
    /// Nothing by itself, and why: only a person can find out.
    Person(Why),
}

/// Why a service cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// No service is set.
    NoService,
    /// The service has no look-up.
    NoLookup,
    /// The service refuses to answer.
    Refused,
    /// The service does not answer.
    Unreachable,
    /// The answer is not complete.
    Incomplete,
    /// The attempt went to another service or account.
    Elsewhere,
    /// The service keeps it no longer.
    TooOld,
    /// Not said.
    Unsaid,
}

impl Why {
    /// Reads the word before the colon of a `lookup_unclear` observation.
    pub fn parse(detail: Option<&str>) -> Why {
        let word = detail.unwrap_or_default().split(':').next();
        match word.unwrap_or_default() {
            "no_lookup" => Why::NoLookup,
            "refused" => Why::Refused,
            "unreachable" => Why::Unreachable,
            "incomplete" => Why::Incomplete,
            "elsewhere" => Why::Elsewhere,
            "too_old" => Why::TooOld,
            _ => Why::Unsaid,
        }
    }

    /// Whether the service was asked at all.
    pub fn was_asked(self) -> bool {
        !matches!(self, Why::NoService | Why::NoLookup | Why::Elsewhere)
    }

    /// Whether the words after the colon are the service's, or of its connection.
    pub fn quotes_service(self) -> bool {
        matches!(self, Why::Refused | Why::Unreachable | Why::Incomplete)
    }
}

/// An answer that decided nothing.
pub fn undecided(seen: &Observation) -> bool {
    matches!(seen.kind.as_str(), "lookup_not_yet" | "lookup_unclear")
}

fn step(
    service: &ServiceState,
    attempt: Option<&Attempt>,
    lookup: Option<&Lookup>,
    last: Option<&Observation>,
    as_of: Moment,
) -> Step {
    let unclear = last
        .filter(|o| o.kind == "lookup_unclear")
        .map(|o| Why::parse(o.detail.as_deref()));
    match lookup {
        _ if attempt.is_some_and(|a| !can_be_asked(&a.provider)) => Step::Person(Why::NoLookup),
        Some(lookup) if lookup.ended => Step::Person(unclear.unwrap_or(Why::Unsaid)),
        _ if *service == ServiceState::None => Step::Person(Why::NoService),
        _ if attempt.is_some_and(|a| a.elsewhere) => Step::Person(Why::Elsewhere),
        Some(lookup) => Step::Ask {
            at: Some(lookup.next_at).filter(|at| *at > as_of),
            again: lookup.asked > 0,
            not_found: lookup.not_found,
            unclear: lookup.unclear,
            last: unclear,
        },
        None => Step::Ask {
            at: None,
            again: false,
            not_found: 0,
            unclear: 0,
            last: None,
        },
    }
}

impl Mail {
    /// What comes next where nobody knows the outcome, or where it is only assumed.
    pub fn plan(&self) -> Option<Plan> {
        let open = self.status == Status::Requesting && self.row.face == Face::NeedsChecking;
        let assumed = self.settled_by == Some(SettledBy::Assumed);
        if !open && !assumed {
            return None;
        }
        let last = self
            .observations
            .iter()
            .rev()
            .find(|o| o.attempt == Some(self.row.attempts) && undecided(o));
        let attempt = self.attempts.last();
        let lookup = self.lookup.as_ref();
        Some(Plan {
            next: step(&self.service, attempt, lookup, last, self.as_of),
            service: attempt.map(|a| a.provider.clone()),
            as_of: self.as_of,
            deadline: self.shows_by,
            resends: self.status != Status::Synced
                && !self.row.held
                && self.row.attempts < self.max_attempts,
            assumed: assumed.then_some(self.status),
        })
    }
}

impl Cases {
    /// What comes next for one of them.
    pub fn plan(&self, case: &Case) -> Plan {
        let last = case.last_answer.as_ref();
        let attempt = case.attempt.as_ref();
        let lookup = case.lookup.as_ref();
        Plan {
            next: step(&self.service, attempt, lookup, last, self.as_of),
            service: attempt.map(|a| a.provider.clone()),
            as_of: self.as_of,
            deadline: case.shows_by,
            resends: !case.row.held && case.row.attempts < self.max_attempts,
            assumed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::verdict::tests::{at, attempt, mail};
    use super::super::views::Outcome;
    use super::*;

    fn open() -> Mail {
        let mut m = mail(
            Status::Requesting,
            vec![attempt(1, "09:00:01", Some(Outcome::Unknown))],
        );
        m.row.face = Face::NeedsChecking;
        m.service = ServiceState::Ready {
            name: "SendGrid".into(),
        };
        m
    }

    fn seen(kind: &str, detail: Option<&str>) -> Observation {
        Observation {
            at: at("09:02:00"),
            kind: kind.into(),
            attempt: Some(1),
            detail: detail.map(str::to_owned),
        }
    }

    fn next(m: &Mail) -> Option<Step> {
        m.plan().map(|p| p.next)
    }

    #[test]
    fn the_next_question_has_its_time() {
        let mut m = open();
        let soon = Step::Ask {
            at: None,
            again: false,
            not_found: 0,
            unclear: 0,
            last: None,
        };
        assert_eq!(next(&m), Some(soon));
        let later = at("14:20:00");
        m.lookup = Some(Lookup {
            next_at: later,
            asked: 2,
            not_found: 1,
            unclear: 1,
            ended: false,
        });
        m.observations = vec![seen("lookup_unclear", Some("refused: 403 forbidden"))];
        let ask = |last| {
            Some(Step::Ask {
                at: Some(later),
                again: true,
                not_found: 1,
                unclear: 1,
                last,
            })
        };
        assert_eq!(next(&m), ask(Some(Why::Refused)));
        m.observations.push(seen("lookup_not_yet", None));
        assert_eq!(next(&m), ask(None));
        // What was answered of an earlier attempt says nothing of this one.
        m.row.attempts = 2;
        m.observations = vec![seen("lookup_unclear", Some("refused: 403"))];
        assert_eq!(next(&m), ask(None));
    }

    #[test]
    fn where_nobody_is_asked_a_person_finds_out() {
        let mut m = open();
        m.lookup = Some(Lookup {
            next_at: at("09:03:00"),
            asked: 1,
            not_found: 0,
            unclear: 1,
            ended: true,
        });
        m.observations = vec![seen("lookup_unclear", Some("elsewhere: it went to x"))];
        assert_eq!(next(&m), Some(Step::Person(Why::Elsewhere)));
        m.lookup = None;
        m.service = ServiceState::None;
        assert_eq!(next(&m), Some(Step::Person(Why::NoService)));
    }

    #[test]
    fn another_account_is_not_asked() {
        let mut m = open();
        m.attempts[0].elsewhere = true;
        assert_eq!(next(&m), Some(Step::Person(Why::Elsewhere)));
    }

    #[test]
    fn a_mail_server_is_never_asked() {
        let mut m = open();
        m.attempts[0].provider = "smtp".into();
        // Neither before its question came up, nor afterwards.
        assert_eq!(next(&m), Some(Step::Person(Why::NoLookup)));
        m.lookup = Some(Lookup {
            next_at: at("14:20:00"),
            asked: 0,
            not_found: 0,
            unclear: 0,
            ended: false,
        });
        assert_eq!(next(&m), Some(Step::Person(Why::NoLookup)));
    }

    #[test]
    fn only_what_is_open_or_assumed_is_asked_about() {
        let mut m = open();
        m.row.face = Face::Sending;
        assert_eq!(next(&m), None);
        for status in [Status::Synced, Status::Failed] {
            let mut m = mail(status, vec![attempt(1, "09:00:01", Some(Outcome::Unknown))]);
            assert_eq!(next(&m), None);
            m.settled_by = Some(SettledBy::Assumed);
            m.service = ServiceState::Ready { name: "S".into() };
            // What was assumed accepted is not sent again by itself.
            let resends = m.plan().map(|p| p.resends);
            assert_eq!(resends, Some(status == Status::Failed));
            m.row.held = true;
            assert_eq!(m.plan().map(|p| p.resends), Some(false));
        }
    }
}
