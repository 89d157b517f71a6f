//! Addresses masked for roles that need not see them, before anything leaves the server; shown for
//! a while to who asks, which is written down.

use super::{Office, hide, reason_of};
use crate::db::DbError;
use crate::outbox::audit;
use app::error::AppError;
use app::model::mask::{mask, mask_in};
use app::model::views::{Attempt, Cases, Mail, MailRow, Me, NoticeKind, Observation};
use std::time::Duration;

/// So long a person sees the addresses of a mail that they asked for.
const SHOWN_FOR: Duration = Duration::from_secs(600);

fn hidden(text: &mut Option<String>) {
    if let Some(text) = text {
        *text = mask_in(text);
    }
}

fn row(row: &mut MailRow) {
    row.recipient = mask(&row.recipient);
}

fn attempt(attempt: &mut Attempt) {
    attempt.recipient = mask(&attempt.recipient);
    hidden(&mut attempt.error);
}

fn observation(seen: &mut Observation) {
    hidden(&mut seen.detail);
}

fn mail(mail: &mut Mail) {
    row(&mut mail.row);
    mail.others.iter_mut().for_each(row);
    mail.attempts.iter_mut().for_each(attempt);
    mail.observations.iter_mut().for_each(observation);
    for act in &mut mail.acts {
        act.to = act.to.as_deref().map(mask);
        hidden(&mut act.reason);
    }
    mail.subject = mask_in(&mail.subject);
    hidden(&mut mail.sender);
    hidden(&mut mail.reply_to);
    hidden(&mut mail.error);
    hidden(&mut mail.held_reason);
    mail.masked = true;
}

impl Office {
    /// Whether this person sees addresses masked.
    pub fn masks(&self, me: &Me) -> bool {
        self.config
            .mask_addresses
            .is_some_and(|most| me.role <= most)
    }

    pub(super) fn mask_rows(&self, me: &Me, rows: &mut [MailRow]) {
        if self.masks(me) {
            rows.iter_mut().for_each(row);
        }
    }

    pub(super) fn mask_cases(&self, me: &Me, cases: &mut Cases) {
        if !self.masks(me) {
            return;
        }
        for case in &mut cases.cases {
            row(&mut case.row);
            case.attempt.iter_mut().for_each(attempt);
            case.last_answer.iter_mut().for_each(observation);
        }
    }

    /// Unless this person asked for its addresses a while ago.
    pub(super) async fn mask_mail(&self, me: &Me, seen: &mut Mail) -> Result<(), DbError> {
        if self.masks(me) && !audit::revealed(&self.db, seen.row.id, &me.name, SHOWN_FOR).await? {
            mail(seen);
        }
        Ok(())
    }

    pub(super) async fn reveal_to(
        &self,
        me: &Me,
        id: i64,
        reason: &str,
    ) -> Result<NoticeKind, AppError> {
        let Some(reason) = reason_of(reason) else {
            return Ok(NoticeKind::ReasonMissing);
        };
        if audit::reveal(&self.db, id, &me.name, &reason)
            .await
            .map_err(hide)?
        {
            Ok(NoticeKind::Revealed)
        } else {
            Err(AppError::NotFound)
        }
    }
}
