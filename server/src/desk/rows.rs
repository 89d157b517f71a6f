//! Rows, as pages show them.

use super::Office;
use crate::db::{DbError, LooseText, Stamp};
use crate::envelope;
use crate::outbox::asked::LookupRow;
use crate::outbox::read::{ActRow, AttemptRow, ObservationRow};
use crate::outbox::row::Row;
use crate::provider::asking::Asking;
use app::model::address::Mailbox;
use app::model::service::is_mail_server;
use app::model::views::{ActRecord, Attempt, Cause, Lookup, MailRow, Observation, Outcome};
use app::model::{Moment, Status};

pub(super) fn shown(text: &Option<LooseText>) -> String {
    text.as_ref()
        .map(|t| t.shown().to_owned())
        .unwrap_or_default()
}

impl Office {
    pub(super) fn line(&self, row: &Row) -> Result<MailRow, DbError> {
        Ok(MailRow {
            id: row.id,
            order_id: row.order_id.shown().to_owned(),
            kind: row.kind.shown().to_owned(),
            copy: row.copy,
            occasion: row.occasion.shown().to_owned(),
            recipient: shown(&row.recipient),
            face: row.face()?,
            assumed: row.assumed(),
            held: row.held_reason.is_some(),
            attempts: row.attempts,
            created_at: self.moment(row.created_at),
            sent_at: self.maybe(row.sent_at),
        })
    }

    pub(super) fn attempt(&self, row: AttemptRow) -> Attempt {
        let who = self.sender.as_ref().map(|sender| sender.claimant());
        Attempt {
            elsewhere: who
                .is_some_and(|who| (&row.provider, &row.account) != (&who.provider, &who.account)),
            attempt: row.attempt,
            recipient: shown(&row.recipient),
            claimed_at: self.moment(row.claimed_at),
            closed_at: self.maybe(row.closed_at),
            outcome: row.outcome.as_deref().and_then(Outcome::parse),
            cause: row.cause.as_deref().and_then(Cause::parse),
            code: row.code,
            error: row.error,
            took_ms: row.took_ms,
            next_attempt_at: self.maybe(row.next_attempt_at),
            worker: row.worker,
            actor: row.actor,
            provider: row.provider,
        }
    }

    pub(super) fn observation(&self, row: ObservationRow) -> Observation {
        Observation {
            at: self.moment(row.at),
            kind: row.kind,
            attempt: row.attempt,
            detail: row.detail,
        }
    }

    pub(super) fn lookup(&self, row: &LookupRow) -> Lookup {
        Lookup {
            next_at: self.moment(row.next_at),
            asked: row.asked,
            not_found: i32::try_from(row.not_found).unwrap_or(i32::MAX),
            unclear: i32::try_from(row.unclear).unwrap_or(i32::MAX),
            ended: row.ended,
        }
    }

    pub(super) fn act(&self, row: ActRow) -> ActRecord {
        ActRecord {
            at: self.moment(row.at),
            actor: row.actor,
            act: row.act,
            reason: row.reason,
            before: row.before_status.as_deref().and_then(Status::parse),
            after: row.after_status.as_deref().and_then(Status::parse),
            attempt: row.attempt,
            to: row.after_recipient.map(|to| to.shown().to_owned()),
            copy: row.copy_id.zip(row.copy),
        }
    }

    /// What a mail that went to a mail server has as its `Message-ID`, as far as the sender is known.
    pub(super) fn message_id(&self, row: &Row) -> Option<String> {
        if !row.provider.as_deref().is_some_and(is_mail_server) {
            return None;
        }
        let own = row
            .sender
            .as_ref()
            .map(LooseText::shown)
            .unwrap_or_default();
        let sender = if own.trim().is_empty() {
            self.config.from.clone()
        } else {
            Mailbox::parse(own).ok()
        };
        Some(envelope::message_id(&row.reference, &sender?.address))
    }

    /// Until when the service may still come to show the attempt, where nobody knows its outcome
    /// and the service can be asked.
    pub(super) fn shows_by(&self, attempt: &AttemptRow) -> Option<Moment> {
        let outcome = attempt.outcome.as_deref().and_then(Outcome::parse);
        if !matches!(outcome, None | Some(Outcome::Unknown)) {
            return None;
        }
        let sender = self.sender.as_ref()?;
        let who = sender.claimant();
        if (&attempt.provider, &attempt.account) != (&who.provider, &who.account) {
            return None;
        }
        let Asking::Lookup { horizon, .. } = sender.provider().asking() else {
            return None;
        };
        let horizon = self.config.lookup_horizon.unwrap_or(horizon);
        let span = chrono::TimeDelta::from_std(horizon).ok()?;
        let shown = attempt.lease_until.utc().checked_add_signed(span)?;
        Some(self.moment(Stamp::new(shown)))
    }
}
