//! Addresses masked for roles that need not see them, before anything leaves the server; shown for
//! a while to who asks, which is written down.

use super::{Office, hide, reason_of};
use crate::db::{DbError, id_list};
use crate::outbox::audit;
use app::error::AppError;
use app::model::mask::{mask, mask_in};
use app::model::views::{ActRecord, Attempt, Cases, Mail, MailRow, Me, NoticeKind, Observation};
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

fn act(act: &mut ActRecord) {
    act.to = act.to.as_deref().map(mask);
    hidden(&mut act.reason);
}

fn mail(mail: &mut Mail) {
    row(&mut mail.row);
    mail.attempts.iter_mut().for_each(attempt);
    mail.observations.iter_mut().for_each(observation);
    mail.acts.iter_mut().for_each(act);
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

    /// Unless this person asked for its addresses a while ago. What the page tells of other mails
    /// is theirs: each of them is asked for by itself.
    pub(super) async fn mask_mail(&self, me: &Me, seen: &mut Mail) -> Result<(), DbError> {
        if !self.masks(me) {
            return Ok(());
        }
        let own = seen.row.id;
        let copies = seen.acts.iter().filter_map(|act| act.copy);
        let ids = std::iter::once(own)
            .chain(seen.others.iter().map(|other| other.id))
            .chain(copies.map(|(id, _)| id));
        let shown = audit::revealed(&self.db, &id_list(ids), &me.name, SHOWN_FOR).await?;
        let hides = |id| !shown.contains(&id);
        if hides(own) {
            mail(seen);
        } else {
            let of_others =
                |act: &&mut ActRecord| act.copy.is_some_and(|(copy, _)| copy != own && hides(copy));
            seen.acts.iter_mut().filter(of_others).for_each(act);
        }
        let others = seen.others.iter_mut();
        others.filter(|other| hides(other.id)).for_each(row);
        Ok(())
    }

    /// What somebody wrote freely, as this person is shown it.
    pub(super) fn text_for(&self, me: &Me, text: String) -> String {
        if self.masks(me) { mask_in(&text) } else { text }
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
