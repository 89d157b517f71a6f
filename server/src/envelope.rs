//! A mail that can be sent: what a row's content becomes once it has been looked through.
//!
//! Nothing is repaired here: what a shop wrote is sent as it stands, or refused with a reason.
//! Only blanks around addresses are dropped.

use app::model::address::{Address, AddressFault, Mailbox, breaks};
use std::borrow::Cow;
use std::fmt;
use uuid::Uuid;

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

/// A column of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `recipient`
    Recipient,
    /// `subject`
    Subject,
    /// `body_text`
    BodyText,
    /// `body_html`
    BodyHtml,
    /// `reply_to`
    ReplyTo,
    /// `sender`
    Sender,
}

impl Field {
    /// The column's name, which is also the JSON member's.
    pub fn as_str(self) -> &'static str {
        match self {
            Field::Recipient => "recipient",
            Field::Subject => "subject",
            Field::BodyText => "body_text",
            Field::BodyHtml => "body_html",
            Field::ReplyTo => "reply_to",
            Field::Sender => "sender",
        }
    }
}

/// Why a row's content cannot be sent. `Display` is one English line for the column `error`; it
/// never repeats the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsendable {
    /// No recipient.
    #[error("recipient: missing")]
    RecipientMissing,
    /// The recipient is not one address.
    #[error("recipient: {}", say(*.0))]
    RecipientBad(AddressFault),
    /// No subject. SendGrid requires one of at least one character.
    #[error("subject: missing")]
    SubjectMissing,
    /// A line break or another control character in the subject.
    #[error("subject: line break or control character at character {0}")]
    SubjectControl(usize),
    /// Neither body is there.
    #[error("body_text: both bodies are missing")]
    NoBody,
    /// A NUL in a body.
    #[error("{}: NUL character", .0.as_str())]
    BodyNul(Field),
    /// The bodies together are over [`LARGEST_BODY`].
    #[error("{}: the bodies together are larger than 10 MB", .0.as_str())]
    BodyTooLarge(Field),
    /// The sender is not one mailbox.
    #[error("sender: {}", say(*.0))]
    SenderBad(AddressFault),
    /// The row names no sender, and no default is set.
    #[error("sender: missing, and DENPYO_FROM is not set")]
    SenderMissing,
    /// The reply address is not one mailbox.
    #[error("reply_to: {}", say(*.0))]
    ReplyToBad(AddressFault),
    /// The value is not valid UTF-8 text.
    #[error("{}: not readable as UTF-8 text", .0.as_str())]
    Unreadable(Field),
}

impl Unsendable {
    /// The column it is about, for answers that name each bad field.
    pub fn field(&self) -> &'static str {
        self.column().as_str()
    }

    fn column(&self) -> Field {
        match self {
            Unsendable::RecipientMissing | Unsendable::RecipientBad(_) => Field::Recipient,
            Unsendable::SubjectMissing | Unsendable::SubjectControl(_) => Field::Subject,
            Unsendable::NoBody => Field::BodyText,
            Unsendable::SenderBad(_) | Unsendable::SenderMissing => Field::Sender,
            Unsendable::ReplyToBad(_) => Field::ReplyTo,
            Unsendable::BodyNul(field)
            | Unsendable::BodyTooLarge(field)
            | Unsendable::Unreadable(field) => *field,
        }
    }

    /// A word that stays the same whatever the sentence becomes.
    pub fn code(&self) -> &'static str {
        match self {
            Unsendable::RecipientMissing => "recipient_missing",
            Unsendable::RecipientBad(_) => "recipient_bad",
            Unsendable::SubjectMissing => "subject_missing",
            Unsendable::SubjectControl(_) => "subject_control",
            Unsendable::NoBody => "no_body",
            Unsendable::BodyNul(_) => "body_nul",
            Unsendable::BodyTooLarge(_) => "body_too_large",
            Unsendable::SenderBad(_) => "sender_bad",
            Unsendable::SenderMissing => "sender_missing",
            Unsendable::ReplyToBad(_) => "reply_to_bad",
            Unsendable::Unreadable(_) => "unreadable",
        }
    }
}

/// An address's fault as an English phrase, for `error`, settings and the command line.
pub fn say(fault: AddressFault) -> String {
    use AddressFault as F;
    match fault {
        F::Empty => "empty".to_owned(),
        F::NoAt => "no @".to_owned(),
        F::Several { at } => format!("more than one address (at character {at})"),
        F::NoLocal => "nothing before the @".to_owned(),
        F::NoDomain => "nothing after the @".to_owned(),
        F::Control { at } => format!("line break or control character at character {at}"),
        F::Blank { at } => format!("blank or invisible character at character {at}"),
        F::WideLocal { at } | F::WideDomain { at } => {
            format!("character outside ASCII at character {at}")
        }
        F::Quoted => "quoted part before the @".to_owned(),
        F::Sign { at } => format!("a sign that addresses do not have at character {at}"),
        F::DomainDot { at } => format!("empty part of the domain at character {at}"),
        F::DomainPart => {
            "a part of the domain begins or ends with a hyphen, or is too long".to_owned()
        }
        F::LocalTooLong => "more than 64 bytes before the @".to_owned(),
        F::TooLong => "more than 254 bytes".to_owned(),
        F::Brackets => "not of the form: name <address>".to_owned(),
        F::NameTooLong => "the name is longer than 320 characters".to_owned(),
    }
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
