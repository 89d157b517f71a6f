//! Letting go of held mails, one and many.

use super::{Office, hide, lead, reason_of};
use crate::db::DbError;
use crate::outbox::hold::{self, Released};
use crate::outbox::list;
use app::error::AppError;
use app::model::views::{
    Draft, Form, LARGEST_LOT, Lot, LotAnswer, LotNotice, Me, NoticeKind, Seen, Told,
};
use app::model::{Filter, Role, filter::Needs};

impl Office {
    pub(super) async fn let_go(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        reason: &str,
    ) -> Result<Told, AppError> {
        let refused = |what, reason: &str| Ok(Told::refused(what, Form::Release, reason));
        let Some(reason) = reason_of(reason) else {
            return refused(NoticeKind::ReasonMissing, "");
        };
        let done = hold::release_one(&self.db, &me.name, id, version, &reason)
            .await
            .map_err(hide)?;
        match done {
            Released::Done => Ok(NoticeKind::Released.into()),
            Released::Refused(row) if row.held_reason.is_none() => {
                refused(NoticeKind::NotHeld, &reason)
            }
            Released::Refused(_) => refused(NoticeKind::Changed, &reason),
            Released::NotFound => Err(AppError::NotFound),
        }
    }

    pub(super) async fn let_many_go(
        &self,
        me: &Me,
        query: &str,
        seen: Seen,
        reason: &str,
    ) -> Result<LotAnswer, AppError> {
        lead(me)?;
        let Some(reason) = reason_of(reason) else {
            return Ok(LotAnswer::ReasonMissing);
        };
        let read = async {
            let (filter, hints) = self.read_filter(query).await?;
            // Only what asks for held mails was ever shown with the form.
            if filter.needs != Some(Needs::Held) || !hints.is_empty() {
                return Ok(None);
            }
            let (condition, search) = self.filter_where(me, &filter).await?;
            if search.incomplete() {
                return Ok(None);
            }
            let answer = hold::release_lot(&self.db, &condition, seen, &me.name, &reason).await?;
            Ok::<_, DbError>(Some(answer))
        };
        read.await.map_err(hide)?.ok_or(AppError::BadInput)
    }

    /// The held mails of a filter that asks for them.
    pub(super) async fn lot(
        &self,
        me: &Me,
        filter: &Filter,
        condition: &list::Where,
    ) -> Result<Option<Lot>, DbError> {
        if filter.needs != Some(Needs::Held) {
            return Ok(None);
        }
        let seen = list::seen(&self.db, condition).await?;
        Ok((seen.count > 0).then_some(Lot {
            seen,
            allowed: me.role >= Role::Lead,
            too_many: seen.count > LARGEST_LOT,
        }))
    }

    /// Names who let mails go last, where that may be why there are fewer now.
    pub(super) async fn lot_notice(
        &self,
        what: LotAnswer,
        draft: Option<Draft>,
    ) -> Result<LotNotice, AppError> {
        let fewer = matches!(what, LotAnswer::Changed { shown, now } if now < shown);
        let last = if fewer {
            crate::outbox::audit::last_release(&self.db)
                .await
                .map_err(hide)?
        } else {
            None
        };
        let (by, at) = last.map(|(by, at)| (by, self.moment(at))).unzip();
        Ok(LotNotice {
            what,
            by,
            at,
            draft,
        })
    }
}
