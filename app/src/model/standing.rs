//! What a person may do with a mail as it stands: one rule for the page that offers the button, for
//! the API, and for the claim, which asks it once more inside its transaction.

use super::unsendable::{Field, Unsendable};
use super::views::NoticeKind;
use super::{DeliveryState, Status, transition};

/// As much of a mail as the rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The stored status.
    pub status: Status,
    /// What became of it after acceptance.
    pub delivery: Option<DeliveryState>,
    /// Held.
    pub held: bool,
    /// Why its content cannot be sent, with a corrected recipient where there is one.
    pub fault: Option<Unsendable>,
    /// A service is set.
    pub service: bool,
}

impl Standing {
    /// Whether a person may send it again, or why not. A refusal is always the most telling one:
    /// what has become of the mail comes before what stands in the way of sending it.
    pub fn resend(&self) -> Result<(), NoticeKind> {
        match self.status {
            Status::Requesting => Err(NoticeKind::InFlight),
            Status::Synced => Err(NoticeKind::AlreadyAccepted),
            Status::Canceled => Err(NoticeKind::CalledOff),
            _ if self.held => Err(NoticeKind::Held),
            Status::Pending => Err(NoticeKind::StillWaiting),
            Status::Failed | Status::Rejected => match self.fault {
                Some(fault) if fault.field() == Field::Recipient.as_str() => {
                    Err(NoticeKind::BadRecipient)
                }
                Some(_) => Err(NoticeKind::BadContent),
                None if !self.service => Err(NoticeKind::NoService),
                None => Ok(()),
            },
        }
    }

    /// Whether a person may decide on a further copy, or why not.
    pub fn copy(&self) -> Result<(), NoticeKind> {
        match (self.status, self.delivery) {
            (Status::Synced, Some(DeliveryState::Complained)) => Err(NoticeKind::Complained),
            (Status::Synced, _) => Ok(()),
            _ => Err(NoticeKind::NotAccepted),
        }
    }

    /// Whether a person may call it off.
    pub fn call_off(&self) -> bool {
        transition::next(self.status, false, transition::Event::CallOff).is_some()
    }

    /// Whether a person may send it again to another recipient: what is wrong with the present one
    /// does not matter then.
    pub fn correct(&self) -> Result<(), NoticeKind> {
        match self.resend() {
            Err(NoticeKind::BadRecipient) if !self.service => Err(NoticeKind::NoService),
            Err(NoticeKind::BadRecipient) => Ok(()),
            answer => answer,
        }
    }
}
