//! A row of `email_submissions` as read.

use crate::db::{DbError, LooseText, Shown, Stamp};
use crate::envelope::{RawContent, Text, screen};
use app::model::{Address, DeliveryState, Face, HeldBy, Mailbox, SettledBy, Standing, Status};
use serde::Serialize;
use uuid::Uuid;

/// Nobody knows the outcome: that is written down, or the lease ran out without one.
macro_rules! needs_checking {
    () => {
        "status = 'requesting' AND (unknown_at IS NOT NULL OR lease_until <= {now})"
    };
}
/// The columns of [`Row`], for a SELECT or RETURNING. `ref` is read as text on both databases.
macro_rules! columns {
    () => {
        crate::outbox::row::columns_with!("body_text, body_html")
    };
}
/// The same without the bodies, which may have 10 MB each: for whatever does not show or send
/// them. In the [`Row`] they are `None`.
macro_rules! columns_without_bodies {
    () => {
        crate::outbox::row::columns_with!(
            "CAST(NULL AS text) AS body_text, CAST(NULL AS text) AS body_html"
        )
    };
}
macro_rules! columns_with {
    ($bodies:literal) => {
        concat!(
            "id, CAST(ref AS text) AS ref, order_id, kind, occasion, copy, original_id, decided_by, recipient, subject, ",
            $bodies,
            ", reply_to, sender, first_recipient, status, settled_by, attempts, \
             attempts_counted, error, held_reason, held_by, version, provider, provider_message_id, delivery_state, \
             delivery_at, possible_duplicate, claimed_at, unknown_at, created_at, updated_at, not_before, \
             next_attempt_at, lease_until, sent_at, (",
            crate::outbox::row::needs_checking!(),
            ") AS open_question"
        )
    };
}
pub(crate) use {columns, columns_with, columns_without_bodies, needs_checking};

/// A row. Serialised, it is the row's JSON: members named as the columns.
#[derive(Clone, Debug, sqlx::FromRow, Serialize)]
pub struct Row {
    /// `id`
    pub id: i64,
    /// `ref`
    #[sqlx(rename = "ref")]
    #[serde(rename = "ref")]
    pub reference: String,
    /// `order_id`
    pub order_id: LooseText,
    /// `kind`
    pub kind: LooseText,
    /// `occasion`
    pub occasion: LooseText,
    /// `copy`
    pub copy: i32,
    /// `original_id`
    pub original_id: Option<i64>,
    /// `decided_by`
    pub decided_by: Option<Shown>,
    /// `recipient`
    pub recipient: Option<LooseText>,
    /// `subject`
    pub subject: Option<LooseText>,
    /// `body_text`; `None` too where the statement leaves bodies out.
    pub body_text: Option<LooseText>,
    /// `body_html`, likewise.
    pub body_html: Option<LooseText>,
    /// `reply_to`
    pub reply_to: Option<LooseText>,
    /// `sender`
    pub sender: Option<LooseText>,
    /// The recipient as first inserted, once corrected.
    #[serde(skip)]
    pub first_recipient: Option<LooseText>,
    /// `status`
    status: String,
    /// `settled_by`
    settled_by: Option<String>,
    /// `attempts`
    pub attempts: i32,
    /// Attempts that count against `DENPYO_MAX_ATTEMPTS`.
    #[serde(skip)]
    pub attempts_counted: i32,
    /// `error`
    pub error: Option<String>,
    /// `held_reason`
    pub held_reason: Option<Shown>,
    /// `held_by`
    held_by: Option<Shown>,
    /// `version`
    pub version: i64,
    /// `provider`
    pub provider: Option<String>,
    /// `provider_message_id`
    pub provider_message_id: Option<String>,
    /// `delivery_state`
    delivery_state: Option<String>,
    /// `delivery_at`
    pub delivery_at: Option<Stamp>,
    /// A newer attempt was under way when an older one turned out accepted.
    pub possible_duplicate: bool,
    /// When the last attempt was claimed.
    #[serde(skip)]
    pub claimed_at: Option<Stamp>,
    /// Since when the outcome is known to be unknown.
    pub unknown_at: Option<Stamp>,
    /// `created_at`
    pub created_at: Stamp,
    /// `updated_at`
    pub updated_at: Stamp,
    /// `not_before`
    pub not_before: Option<Stamp>,
    /// `next_attempt_at`
    pub next_attempt_at: Option<Stamp>,
    /// `lease_until`
    pub lease_until: Option<Stamp>,
    /// `sent_at`
    pub sent_at: Option<Stamp>,
    /// `requesting`, and its lease has passed or its outcome is known to be unknown.
    #[serde(skip)]
    pub open_question: bool,
}

impl Row {
    /// The status.
    pub fn status(&self) -> Result<Status, DbError> {
        Status::parse(&self.status).ok_or(DbError::Corrupt {
            column: "status",
            id: self.id,
        })
    }

    /// What the status rests on.
    pub fn settled_by(&self) -> Option<SettledBy> {
        self.settled_by.as_deref().and_then(SettledBy::parse)
    }

    /// The status was only assumed.
    pub fn assumed(&self) -> bool {
        self.settled_by() == Some(SettledBy::Assumed)
    }

    /// Who holds it.
    pub fn held_by(&self) -> Option<HeldBy> {
        self.held_by.as_deref().and_then(HeldBy::parse)
    }

    /// What became of it after acceptance.
    pub fn delivery(&self) -> Option<DeliveryState> {
        self.delivery_state
            .as_deref()
            .and_then(DeliveryState::parse)
    }

    /// The state as people see it.
    pub fn face(&self) -> Result<Face, DbError> {
        Ok(Face::of(
            self.status()?,
            self.open_question,
            self.delivery(),
        ))
    }

    /// Whether there is a body that is not empty. Of a row that was read with its bodies.
    pub fn has_body(&self) -> bool {
        [&self.body_text, &self.body_html]
            .into_iter()
            .flatten()
            .any(|body| *body != LooseText::Text(String::new()))
    }

    /// The content, not yet looked through. Of a row that was read with its bodies.
    pub fn content(&self) -> RawContent {
        let text = |t: &Option<LooseText>| match t {
            None => Text::Missing,
            Some(LooseText::Text(text)) => Text::Is(text.clone()),
            Some(LooseText::Unreadable) => Text::Unreadable,
        };
        RawContent {
            recipient: text(&self.recipient),
            subject: text(&self.subject),
            body_text: text(&self.body_text),
            body_html: text(&self.body_html),
            reply_to: text(&self.reply_to),
            sender: text(&self.sender),
        }
    }

    /// What a person's acts are judged by, with a corrected recipient where there is one. `from` is
    /// `DENPYO_FROM`.
    pub fn standing(
        &self,
        recipient: Option<&Address>,
        from: Option<&Mailbox>,
        service: bool,
    ) -> Result<Standing, DbError> {
        let mut content = self.content();
        if let Some(recipient) = recipient {
            content.recipient = recipient.as_str().into();
        }
        Ok(Standing {
            status: self.status()?,
            delivery: self.delivery(),
            held: self.held_reason.is_some(),
            fault: screen(&content, from).err(),
            service,
        })
    }

    /// What look-ups match.
    pub fn uuid(&self) -> Result<Uuid, DbError> {
        Uuid::parse_str(&self.reference).map_err(|_| DbError::Corrupt {
            column: "ref",
            id: self.id,
        })
    }
}

/// The first `most` characters.
pub fn shorten(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
