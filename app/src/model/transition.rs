//! The state machine, once. The databases' guards, the pages and the outbox all follow it; a test
//! walks it against both databases.
//!
//! ```text
//!             claim                 settle, proof, person, assumed
//!  pending ───────────▶ requesting ────────────────────────────────▶ synced
//!     ▲  ▲                │  │  │                                      │
//!     │  └────release─────┘  │  └──settle──▶ rejected ──claim─┐        │ assumed, and
//!     │                      │                (person)        ▼        │ looked up: no
//!   insert                   └──settle, release──▶ failed ──claim──▶ … │
//!                                                    ▲─────────────────┘
//!  pending, failed, rejected ──a person calls off──▶ canceled
//!  any but synced ──proof of acceptance──▶ synced
//! ```

use super::Status;
use serde::{Deserialize, Serialize};

/// Something that happens to a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Event {
    /// A worker takes it.
    ClaimByWorker,
    /// A person's resend takes it.
    ClaimByPerson,
    /// Given back before the first byte left, to be sent as if never claimed.
    ReleaseToPending,
    /// Given back before the first byte left; it had been tried before.
    ReleaseToFailed,
    /// Its own attempt was answered: accepted.
    SettleAccepted,
    /// Its own attempt was answered: not accepted, may be tried again.
    SettleNotAccepted,
    /// Its own attempt was answered: refused for what it is.
    SettleRefused,
    /// Unknown, and `DENPYO_ON_UNKNOWN` is `synced`.
    AssumeSynced,
    /// Unknown, and `DENPYO_ON_UNKNOWN` is `failed`.
    AssumeFailed,
    /// Proof that the service accepted it, for any attempt, however late.
    Proof,
    /// The service, asked after the horizon, does not have it.
    LookupSaysNo,
    /// A person checked: it did go out.
    PersonSaysSent,
    /// A person checked: it did not.
    PersonSaysNotSent,
    /// Its content cannot be sent; found before any claim.
    Unsendable,
    /// A person calls it off.
    CallOff,
}

impl Event {
    /// Every event.
    pub const ALL: [Event; 15] = [
        Event::ClaimByWorker,
        Event::ClaimByPerson,
        Event::ReleaseToPending,
        Event::ReleaseToFailed,
        Event::SettleAccepted,
        Event::SettleNotAccepted,
        Event::SettleRefused,
        Event::AssumeSynced,
        Event::AssumeFailed,
        Event::Proof,
        Event::LookupSaysNo,
        Event::PersonSaysSent,
        Event::PersonSaysNotSent,
        Event::Unsendable,
        Event::CallOff,
    ];
}

/// Where `event` leads from `from`, or `None` where it may not happen. `assumed` says that the
/// present status was only assumed.
///
/// A `failed` row that is merely assumed is refused to workers: only a person, or a look-up that
/// frees it, sends it again.
pub fn next(from: Status, assumed: bool, event: Event) -> Option<Status> {
    use Event as E;
    use Status as S;
    match (from, event) {
        (S::Pending, E::ClaimByWorker) => Some(S::Requesting),
        (S::Failed, E::ClaimByWorker) if !assumed => Some(S::Requesting),
        (S::Failed | S::Rejected, E::ClaimByPerson) => Some(S::Requesting),
        (S::Requesting, E::ReleaseToPending) => Some(S::Pending),
        (S::Requesting, E::ReleaseToFailed) => Some(S::Failed),
        (S::Requesting, E::SettleAccepted) => Some(S::Synced),
        (S::Requesting, E::SettleNotAccepted) => Some(S::Failed),
        (S::Requesting, E::SettleRefused) => Some(S::Rejected),
        (S::Requesting, E::AssumeSynced) => Some(S::Synced),
        (S::Requesting, E::AssumeFailed) => Some(S::Failed),
        (S::Requesting, E::PersonSaysSent) => Some(S::Synced),
        (S::Requesting, E::PersonSaysNotSent) => Some(S::Failed),
        (S::Requesting, E::LookupSaysNo) => Some(S::Failed),
        (S::Failed | S::Synced, E::LookupSaysNo) if assumed => Some(S::Failed),
        (S::Synced, E::Proof) => None,
        (_, E::Proof) => Some(S::Synced),
        (S::Pending, E::Unsendable) => Some(S::Rejected),
        (S::Pending | S::Failed | S::Rejected, E::CallOff) => Some(S::Canceled),
        _ => None,
    }
}

/// Whether any event leads from `from` to `to`: what the databases' guards let through.
pub fn allowed(from: Status, assumed: bool, to: Status) -> bool {
    Event::ALL
        .into_iter()
        .any(|e| next(from, assumed, e) == Some(to))
}

/// What a person may do with a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Act {
    /// Send it again, through the claim that workers use.
    Resend,
    /// Say that it did go out.
    ConfirmSent,
    /// Say that it did not.
    ConfirmNotSent,
}

/// What a person may do in a state. `open_question`: `requesting`, and its lease has passed or its
/// outcome is known to be unknown. While a lease lives nobody may answer for the service.
pub fn acts(status: Status, open_question: bool) -> &'static [Act] {
    match status {
        Status::Failed | Status::Rejected => &[Act::Resend],
        Status::Requesting if open_question => &[Act::ConfirmSent, Act::ConfirmNotSent],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_claim_leads_to_requesting() {
        for from in Status::ALL {
            for event in Event::ALL {
                if next(from, false, event) == Some(Status::Requesting) {
                    assert!(matches!(event, Event::ClaimByWorker | Event::ClaimByPerson));
                }
            }
        }
    }

    #[test]
    fn proof_is_never_thrown_away() {
        for from in Status::ALL.into_iter().filter(|s| *s != Status::Synced) {
            assert_eq!(next(from, false, Event::Proof), Some(Status::Synced));
        }
    }

    #[test]
    fn what_is_accepted_stays_accepted_unless_it_was_only_assumed() {
        for event in Event::ALL {
            assert_eq!(next(Status::Synced, false, event), None, "{event:?}");
        }
        assert_eq!(
            next(Status::Synced, true, Event::LookupSaysNo),
            Some(Status::Failed)
        );
    }

    #[test]
    fn an_assumed_failure_waits_for_a_person() {
        assert_eq!(next(Status::Failed, true, Event::ClaimByWorker), None);
        assert_eq!(
            next(Status::Failed, true, Event::ClaimByPerson),
            Some(Status::Requesting)
        );
        // Or for a look-up, after which it is assumed no more.
        assert_eq!(
            next(Status::Failed, true, Event::LookupSaysNo),
            Some(Status::Failed)
        );
    }

    #[test]
    fn acts_agree_with_the_table() {
        for status in Status::ALL {
            let resend = acts(status, true).contains(&Act::Resend);
            assert_eq!(resend, next(status, false, Event::ClaimByPerson).is_some());
            let confirm = acts(status, true).contains(&Act::ConfirmSent);
            assert_eq!(
                confirm,
                next(status, false, Event::PersonSaysSent).is_some()
            );
        }
        assert!(acts(Status::Requesting, false).is_empty());
    }
}
