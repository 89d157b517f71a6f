//! A mail that can be sent: what a row's content becomes once it has been looked through.
//!
//! Nothing is repaired here: what a shop wrote is sent as it stands, or refused with a reason.
//! Only blanks around addresses are dropped.

use app::model::address::{Address, Mailbox, breaks};
use std::borrow::Cow;
use std::fmt;
use uuid::Uuid;

pub use app::model::unsendable::{Field, Unsendable, say};

/// Most bytes that the bodies of one mail may have together: what the HTTP intake takes in one
/// request, and well below the 30 MB that SendGrid allows a message.
pub const LARGEST_BODY: usize = 10 * 1024 * 1024;

/// A member of a row's content as it was found.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Text {
    /// NULL, or not there.
    #[default]
    Missing,
    /// Bytes that are no UTF-8 (SQLite stores such), or a value that is no text.
    Unreadable,
    /// Text, perhaps blank.
    Is(String),
}

impl Text {
    /// What is there; blank counts as nothing.
    fn read(&self, field: Field) -> Result<Option<&str>, Unsendable> {
        match self {
            Text::Missing => Ok(None),
            Text::Unreadable => Err(Unsendable::Unreadable(field)),
            Text::Is(text) if text.trim().is_empty() => Ok(None),
            Text::Is(text) => Ok(Some(text)),
        }
    }
}

impl From<Option<String>> for Text {
    fn from(text: Option<String>) -> Text {
        text.map_or(Text::Missing, Text::Is)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::Is(text.to_owned())
    }
}

/// A row's content before anybody has looked at it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RawContent {
    /// `recipient`
    pub recipient: Text,
    /// `subject`
    pub subject: Text,
    /// `body_text`
    pub body_text: Text,
    /// `body_html`
    pub body_html: Text,
    /// `reply_to`
    pub reply_to: Text,
    /// `sender`; missing means the default.
    pub sender: Text,
}

/// Content that can be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// From.
    pub sender: Mailbox,
    /// To: one recipient.
    pub recipient: Address,
    /// Reply-To.
    pub reply_to: Option<Mailbox>,
    /// Subject.
    pub subject: String,
    /// Plain text; at least one of the bodies is there.
    pub body_text: Option<String>,
    /// HTML.
    pub body_html: Option<String>,
}

/// Looks a row's content through, the recipient first. `default_sender` is `DENPYO_FROM`.
pub fn screen(raw: &RawContent, default_sender: Option<&Mailbox>) -> Result<Content, Unsendable> {
    let recipient = recipient(raw)?;
    let subject = subject(raw)?;
    let (body_text, body_html) = bodies(raw)?;
    let reply_to = reply_to(raw)?;
    let sender = match sender(raw)? {
        Some(sender) => sender,
        None => default_sender.cloned().ok_or(Unsendable::SenderMissing)?,
    };
    Ok(Content {
        sender,
        recipient,
        reply_to,
        subject: subject.to_owned(),
        body_text: body_text.map(str::to_owned),
        body_html: body_html.map(str::to_owned),
    })
}

/// Everything that is wrong with a row's content, at most one fault a field, for an answer that
/// names them all. A missing sender is none: the default stands in for it.
pub fn faults(raw: &RawContent) -> Vec<Unsendable> {
    [
        recipient(raw).err(),
        subject(raw).err(),
        bodies(raw).err(),
        reply_to(raw).err(),
        sender(raw).err(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn recipient(raw: &RawContent) -> Result<Address, Unsendable> {
    let text = raw.recipient.read(Field::Recipient)?;
    let text = text.ok_or(Unsendable::RecipientMissing)?;
    let around = |c: char| c.is_whitespace() && !c.is_control();
    Address::parse(text.trim_matches(around)).map_err(Unsendable::RecipientBad)
}

fn subject(raw: &RawContent) -> Result<&str, Unsendable> {
    let text = raw.subject.read(Field::Subject)?;
    let text = text.ok_or(Unsendable::SubjectMissing)?;
    match text.chars().position(breaks) {
        Some(i) => Err(Unsendable::SubjectControl(i + 1)),
        None => Ok(text),
    }
}

fn bodies(raw: &RawContent) -> Result<(Option<&str>, Option<&str>), Unsendable> {
    let text = raw.body_text.read(Field::BodyText)?;
    let html = raw.body_html.read(Field::BodyHtml)?;
    if text.is_none() && html.is_none() {
        return Err(Unsendable::NoBody);
    }
    for (body, field) in [(text, Field::BodyText), (html, Field::BodyHtml)] {
        if body.is_some_and(|b| b.contains('\0')) {
            return Err(Unsendable::BodyNul(field));
        }
    }
    let (of_text, of_html) = (text.map_or(0, str::len), html.map_or(0, str::len));
    if of_text + of_html > LARGEST_BODY {
        let larger = if of_html > of_text {
            Field::BodyHtml
        } else {
            Field::BodyText
        };
        return Err(Unsendable::BodyTooLarge(larger));
    }
    Ok((text, html))
}

fn reply_to(raw: &RawContent) -> Result<Option<Mailbox>, Unsendable> {
    let text = raw.reply_to.read(Field::ReplyTo)?;
    text.map(Mailbox::parse)
        .transpose()
        .map_err(Unsendable::ReplyToBad)
}

fn sender(raw: &RawContent) -> Result<Option<Mailbox>, Unsendable> {
    let text = raw.sender.read(Field::Sender)?;
    text.map(Mailbox::parse)
        .transpose()
        .map_err(Unsendable::SenderBad)
}

/// The value of a mail's `Message-ID` without its brackets, for mail servers: the same for every
/// attempt.
pub fn message_id(reference: &str, sender: &Address) -> String {
    format!("{reference}@{}", sender.domain())
}

/// Line ends as `\n`, for telling whether two texts are the same.
pub fn normalise_lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// What a mail carries so that it can be found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The row's `ref`: what the mail carries and look-ups match.
    pub reference: Uuid,
    /// What the mail is about.
    pub order_id: String,
    /// The attempt's number, from 1.
    pub attempt: i32,
    /// Names this installation.
    pub installation: String,
}

/// One mail, ready for a service. Nothing in it can break a header or a request.
#[derive(Clone, PartialEq, Eq)]
pub struct Envelope {
    /// What it carries to be found again.
    pub labels: Labels,
    /// What people read.
    pub content: Content,
}

/// Names the row, not the people: what is printed for debugging may land in a log.
impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Envelope")
            .field("reference", &self.labels.reference)
            .field("attempt", &self.labels.attempt)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
