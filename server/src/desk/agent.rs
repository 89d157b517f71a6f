//! A support agent's acts on one mail.

use super::rows::shown;
use super::{Office, ResendAnswer, hide, reason_of, unsendable};
use crate::db::DbError;
use crate::outbox::audit;
use crate::outbox::call_off::{self, CalledOff};
use crate::outbox::claim::Resend;
use crate::outbox::copies::{self, Copied, Wanted};
use crate::outbox::read;
use crate::outbox::row::Row;
use app::desk::{Agent, Ticket, Written};
use app::error::AppError;
use app::model::Address;
use app::model::address::tidy;
use app::model::mask::mask;
use app::model::views::{Cases, Draft, Form, Mail, Me, NoticeKind, Told, written};
use async_trait::async_trait;

/// Longest address that is read: no address is longer, blanks around it included.
const LONGEST: usize = 1000;

/// A filled-in form: the address and the reason, or what is to be mended.
struct Filled {
    to: Option<Address>,
    reason: String,
}

/// Reads what a person wrote. Nothing is done with an address that they have not seen as it will
/// be used.
fn fill(form: Form, to: Written<'_>, reason: &str) -> Result<Filled, Told> {
    let address: String = to.text.chars().take(LONGEST).collect();
    let tidied = tidy(&address);
    let again = |what, fault| {
        let draft = Draft {
            form,
            recipient: tidied.clone(),
            fault,
            reason: written(reason),
            theirs: None,
        };
        Told {
            what,
            draft: Some(draft),
        }
    };
    let address = if tidied.is_empty() && form != Form::Correct {
        None
    } else {
        match Address::parse(&tidied) {
            Ok(address) => Some(address),
            Err(fault) => return Err(again(NoticeKind::BadRecipient, Some(fault))),
        }
    };
    let Some(kept) = reason_of(reason) else {
        return Err(again(NoticeKind::ReasonMissing, None));
    };
    if tidied != to.text && tidied != to.shown {
        return Err(again(NoticeKind::Tidied, None));
    }
    Ok(Filled {
        to: address,
        reason: kept,
    })
}

fn told(what: NoticeKind) -> Told {
    Told::from(what)
}

/// Refused, with the address and the reason that were written.
fn refused(what: NoticeKind, form: Form, to: Option<&Address>, reason: &str) -> Told {
    let draft = Draft {
        recipient: to.map(ToString::to_string).unwrap_or_default(),
        ..Draft::of_reason(form, reason)
    };
    Told {
        what,
        draft: Some(draft),
    }
}

#[async_trait]
impl Agent for Office {
    async fn correct(
        &self,
        me: &Me,
        id: i64,
        ticket: Ticket,
        to: Written<'_>,
        reason: &str,
    ) -> Result<Told, AppError> {
        let filled = match fill(Form::Correct, to, reason) {
            Ok(filled) => filled,
            Err(again) => return Ok(again),
        };
        let resend = Resend {
            actor: &me.name,
            version: Some(ticket.version),
            attempt: Some(ticket.attempt),
            recipient: filled.to.as_ref(),
            reason: Some(&filled.reason),
            ..Resend::default()
        };
        let what = match self.resend_as(id, &resend).await.map_err(hide)? {
            ResendAnswer::Begun { .. } => return Ok(told(NoticeKind::Resent)),
            ResendAnswer::Refused(kind) => kind,
            ResendAnswer::Unsendable(fault) => unsendable(fault),
            ResendAnswer::NotFound => return Err(AppError::NotFound),
        };
        Ok(refused(
            what,
            Form::Correct,
            filled.to.as_ref(),
            &filled.reason,
        ))
    }

    async fn further_copy(
        &self,
        me: &Me,
        id: i64,
        copy: i32,
        to: Written<'_>,
        reason: &str,
    ) -> Result<Told, AppError> {
        let filled = match fill(Form::Copy, to, reason) {
            Ok(filled) => filled,
            Err(again) => return Ok(again),
        };
        let wanted = Wanted {
            actor: &me.name,
            copy,
            recipient: filled.to.as_ref(),
            reason: Some(&filled.reason),
            request_id: None,
        };
        let copied = copies::further_copy(&self.db, id, &wanted)
            .await
            .map_err(hide)?;
        let what = match copied {
            Copied::Created(_) => return Ok(told(NoticeKind::Copied)),
            // A double click, or somebody who thought the same: told apart by who it was.
            Copied::Exists { by, .. } if by.as_deref() == Some(&*me.name) => {
                return Ok(told(NoticeKind::Copied));
            }
            Copied::Exists { .. } | Copied::Taken { .. } => NoticeKind::CopyTaken,
            Copied::Refused(kind, _) => kind,
            Copied::NotFound => return Err(AppError::NotFound),
        };
        let mut answer = refused(what, Form::Copy, filled.to.as_ref(), &filled.reason);
        if what == NoticeKind::CopyTaken
            && let Some(draft) = &mut answer.draft
        {
            draft.theirs = self.theirs(me, id, draft).await.map_err(hide)?;
        }
        Ok(answer)
    }

    async fn call_off(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        reason: &str,
    ) -> Result<Told, AppError> {
        let Some(kept) = reason_of(reason) else {
            return Ok(Told::refused(NoticeKind::ReasonMissing, Form::CallOff, ""));
        };
        let done = call_off::call_off(&self.db, &me.name, id, version, &kept)
            .await
            .map_err(hide)?;
        match done {
            CalledOff::Done => Ok(told(NoticeKind::Canceled)),
            CalledOff::Refused(_) => Ok(Told::refused(NoticeKind::TooLate, Form::CallOff, &kept)),
            CalledOff::NotFound => Err(AppError::NotFound),
        }
    }

    async fn mail_for(&self, me: &Me, id: i64) -> Result<Mail, AppError> {
        let read = async {
            let Some(mut mail) = self.read_mail(id).await? else {
                return Ok(None);
            };
            self.mask_mail(me, &mut mail).await?;
            Ok::<_, DbError>(Some(mail))
        };
        read.await.map_err(hide)?.ok_or(AppError::NotFound)
    }

    async fn cases_for(&self, me: &Me, query: &str, shown: &[i64]) -> Result<Cases, AppError> {
        let mut cases = self.read_cases(query, shown).await.map_err(hide)?;
        self.mask_cases(me, &mut cases);
        Ok(cases)
    }

    async fn reveal(&self, me: &Me, id: i64, reason: &str) -> Result<NoticeKind, AppError> {
        self.reveal_to(me, id, reason).await
    }
}

impl Office {
    /// Where the last copy goes, where that is not where this person wanted theirs to go.
    async fn theirs(&self, me: &Me, id: i64, wanted: &Draft) -> Result<Option<String>, DbError> {
        let Some((_, _, copy, _)) = audit::last_copy_of(&self.db, id).await? else {
            return Ok(None);
        };
        let went = |row: Option<Row>| row.map(|row| shown(&row.recipient)).unwrap_or_default();
        let there = went(read::summary(&self.db, copy).await?);
        let here = if wanted.recipient.is_empty() {
            went(read::summary(&self.db, id).await?)
        } else {
            wanted.recipient.clone()
        };
        let other = (there != here && !there.is_empty()).then_some(there);
        Ok(other.map(|address| {
            if self.masks(me) {
                mask(&address)
            } else {
                address
            }
        }))
    }
}
