//! What came of an act, with who was first.

use super::{Office, hide};
use crate::db::{DbError, Stamp};
use crate::outbox::{audit, read};
use app::error::AppError;
use app::model::views::{Draft, Notice, NoticeKind};

/// Who changed a row last.
#[derive(Debug)]
pub struct Winner {
    /// A sign-in name, `api`, or a process.
    pub by: String,
    /// When.
    pub at: Stamp,
    /// The row's last attempt.
    pub attempt: i32,
    /// The change was a person's resend.
    pub resend: bool,
}

impl Office {
    /// Who was first, for a refusal: the last person or process that changed the row.
    pub async fn winner(&self, id: i64) -> Result<Option<Winner>, DbError> {
        let claim = read::attempts(&self.db, id)
            .await?
            .pop()
            .map(|last| Winner {
                resend: last.actor.is_some(),
                by: last.actor.unwrap_or(last.worker),
                at: last.claimed_at,
                attempt: last.attempt,
            });
        let act = audit::last_act(&self.db, id).await?;
        Ok(match (claim, act) {
            (Some(claim), Some((by, at, act))) if at > claim.at && act != "resend" => {
                Some(Winner {
                    resend: false,
                    by,
                    at,
                    ..claim
                })
            }
            (Some(claim), _) => Some(claim),
            (None, Some((by, at, _))) => Some(Winner {
                by,
                at,
                attempt: 0,
                resend: false,
            }),
            (None, None) => None,
        })
    }

    pub(super) async fn notice(
        &self,
        id: i64,
        what: NoticeKind,
        draft: Option<Draft>,
    ) -> Result<Notice, AppError> {
        let row = read::summary(&self.db, id)
            .await
            .map_err(hide)?
            .ok_or(AppError::NotFound)?;
        let of_copy = matches!(what, NoticeKind::Copied | NoticeKind::CopyTaken);
        let copied = if of_copy {
            audit::last_copy_of(&self.db, id).await.map_err(hide)?
        } else {
            None
        };
        let copy = copied.as_ref().map(|(_, _, id, number)| (*id, *number));
        let winner = if let Some((by, at, ..)) = copied {
            Some(Winner {
                by,
                at,
                attempt: 0,
                resend: false,
            })
        } else if what == NoticeKind::NotHeld {
            let last = audit::last_release_of(&self.db, id).await.map_err(hide)?;
            last.map(|(by, at)| Winner {
                by,
                at,
                attempt: 0,
                resend: false,
            })
        } else {
            self.winner(id).await.map_err(hide)?
        };
        // Which attempt it was is told of resends alone.
        let attempt = winner
            .as_ref()
            .filter(|w| w.resend || what == NoticeKind::Resent)
            .map(|w| w.attempt);
        let (by, at) = winner.map(|w| (w.by, self.moment(w.at))).unzip();
        Ok(Notice {
            id,
            order_id: row.order_id.shown().to_owned(),
            what,
            by,
            at,
            attempt,
            copy,
            draft,
        })
    }
}
