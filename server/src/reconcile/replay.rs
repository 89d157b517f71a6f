//! Where the service knows idempotency keys, the same request under the same key is the question.

use super::Reconciler;
use crate::db::DbError;
use crate::outbox::claim::replay;
use crate::outbox::lookup::{self, Open, Written};
use crate::provider::asking::{FoundMail, Unclear};
use crate::provider::{Provider, SendOutcome};
use app::model::recorded;
use app::model::trouble::Trouble;
use std::time::Duration;

/// A replay must begin well before the service forgets the key.
const WINDOW_MARGIN: Duration = Duration::from_secs(3600);

impl Reconciler {
    /// The stored request again, under its own key: the service answers what it answered then,
    /// or takes the mail now.
    pub(super) async fn replay(
        &self,
        provider: &dyn Provider,
        open: &Open,
        window: Duration,
    ) -> Result<bool, DbError> {
        let (Some(who), Some(digest)) = (&self.who, &open.digest) else {
            let detail = "its request was not kept";
            return self.unclear(open, Unclear::NoLookup, detail, None).await;
        };
        if open.since_claim + WINDOW_MARGIN >= window {
            let detail = "the service forgets the key";
            return self.unclear(open, Unclear::TooOld, detail, None).await;
        }
        let replay = match replay::claim(&self.db, who, open.id, open.attempt, digest).await? {
            replay::Replaying::Ready(replay) => replay,
            // The schedule asks again.
            replay::Replaying::Taken => return Ok(false),
            replay::Replaying::Different => {
                let detail = Trouble::RequestDiffers.as_str();
                return self.unclear(open, Unclear::Incomplete, detail, None).await;
            }
        };
        let outcome = match replay.claim().permit() {
            Some(permit) => provider.send(permit).await,
            None => SendOutcome::Unknown {
                cause: app::model::views::Cause::Lease,
                code: None,
                detail: Trouble::LeaseOver.to_string(),
            },
        };
        let settled = match &outcome {
            SendOutcome::Accepted { message_id } => {
                let mail = FoundMail {
                    message_id: message_id.clone(),
                    ..FoundMail::default()
                };
                self.accepted(open, &[mail]).await? == Written::Recorded
            }
            other => {
                replay::end(&self.db, &replay).await?;
                match other {
                    // Had it been accepted then, the service would have said so again.
                    SendOutcome::Refused { .. } => {
                        let why = recorded::REFUSED_AGAIN;
                        let most = self.config.max_attempts;
                        lookup::not_there(&self.db, open, why, most).await? == Written::Recorded
                    }
                    _ => {
                        let again = self.config.lease + Duration::from_secs(1);
                        let why = Unclear::Unreachable;
                        self.unclear(open, why, &other.said(), Some(again)).await?
                    }
                }
            }
        };
        Ok(settled)
    }
}
