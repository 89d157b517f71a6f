//! A person's resend.

use super::Office;
use crate::db::DbError;
use crate::outbox::claim::Resend;
use crate::outbox::read;
use crate::sender::Resending;
use app::model::Standing;
use app::model::unsendable::Unsendable;
use app::model::views::NoticeKind;

/// How a resend was answered.
#[derive(Debug)]
pub enum ResendAnswer {
    /// Being sent, or was already under the same request.
    Begun {
        /// The attempt's number.
        attempt: Option<i32>,
    },
    /// Not now, and why.
    Refused(NoticeKind),
    /// Its content cannot be sent.
    Unsendable(Unsendable),
    /// No such mail.
    NotFound,
}

impl Office {
    /// Resends a mail for a person; used by pages and by the API.
    pub async fn resend_as(&self, id: i64, resend: &Resend<'_>) -> Result<ResendAnswer, DbError> {
        let Some(sender) = &self.sender else {
            return Ok(match read::by_id(&self.db, id).await? {
                Some(row) => {
                    let from = self.config.from.as_ref();
                    why_not(&row.standing(resend.recipient, from, false)?)
                }
                None => ResendAnswer::NotFound,
            });
        };
        let from = self.config.from.as_ref();
        Ok(match sender.resend(id, resend).await? {
            Resending::Begun { attempt } => ResendAnswer::Begun { attempt },
            Resending::Refused(row) => why_not(&row.standing(resend.recipient, from, true)?),
            Resending::Unsendable(fault) => ResendAnswer::Unsendable(fault),
            Resending::NotFound => ResendAnswer::NotFound,
        })
    }
}

/// Why a row as it stands is not resent; where nothing speaks against it, it is not as it was seen.
fn why_not(standing: &Standing) -> ResendAnswer {
    match (standing.resend(), standing.fault) {
        (Err(NoticeKind::BadRecipient | NoticeKind::BadContent), Some(fault)) => {
            ResendAnswer::Unsendable(fault)
        }
        (refused, _) => ResendAnswer::Refused(refused.err().unwrap_or(NoticeKind::Changed)),
    }
}

/// What content that cannot be sent is called.
pub(crate) fn unsendable(fault: Unsendable) -> NoticeKind {
    if fault.field() == "recipient" {
        NoticeKind::BadRecipient
    } else {
        NoticeKind::BadContent
    }
}
