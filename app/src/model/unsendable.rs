//! Why a mail's content cannot be sent: found before the claim, stored as one English line, and
//! read back from it, so that the desk says it in the reader's language.

use super::AddressFault;

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
    /// Every column.
    pub const ALL: [Field; 6] = [
        Field::Recipient,
        Field::Subject,
        Field::BodyText,
        Field::BodyHtml,
        Field::ReplyTo,
        Field::Sender,
    ];

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
    /// The bodies together are over 10 MB.
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

    /// Reads the stored line; `None` for any other text.
    pub fn parse(text: &str) -> Option<Unsendable> {
        let (_, after) = text.rsplit_once("character ").unwrap_or_default();
        let at = after.trim_end_matches(')').parse().unwrap_or(0);
        // Compared with what would be stored, so that the two cannot drift apart.
        all(at).find(|fault| fault.to_string() == text)
    }

    /// The same fault with 0 for its place, wherever it lies.
    pub fn unplaced(self) -> Unsendable {
        use Unsendable as U;
        match self {
            U::RecipientBad(fault) => U::RecipientBad(fault.placed(|_| 0)),
            U::SenderBad(fault) => U::SenderBad(fault.placed(|_| 0)),
            U::ReplyToBad(fault) => U::ReplyToBad(fault.placed(|_| 0)),
            U::SubjectControl(_) => U::SubjectControl(0),
            other => other,
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
        F::Named => "a name beside the address: write the address alone".to_owned(),
        F::Brackets => "not of the form: name <address>".to_owned(),
        F::NameTooLong => "the name is longer than 320 characters".to_owned(),
    }
}

/// Every fault, with its place at `at`.
fn all(at: usize) -> impl Iterator<Item = Unsendable> {
    use AddressFault as F;
    use Unsendable as U;
    let addresses = [
        F::Empty,
        F::NoAt,
        F::Several { at },
        F::NoLocal,
        F::NoDomain,
        F::Control { at },
        F::Blank { at },
        F::WideLocal { at },
        F::WideDomain { at },
        F::Quoted,
        F::Sign { at },
        F::DomainDot { at },
        F::DomainPart,
        F::LocalTooLong,
        F::TooLong,
        F::Named,
        F::Brackets,
        F::NameTooLong,
    ];
    let of_addresses = addresses
        .into_iter()
        .flat_map(|f| [U::RecipientBad(f), U::SenderBad(f), U::ReplyToBad(f)]);
    let of_fields = Field::ALL
        .into_iter()
        .flat_map(|f| [U::BodyNul(f), U::BodyTooLarge(f), U::Unreadable(f)]);
    [
        U::RecipientMissing,
        U::SubjectMissing,
        U::SubjectControl(at),
        U::NoBody,
        U::SenderMissing,
    ]
    .into_iter()
    .chain(of_addresses)
    .chain(of_fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Lang;

    #[test]
    fn what_is_stored_is_read_back_and_said_in_both_languages() {
        let mut said = 0;
        for at in [1, 9, 254] {
            for fault in all(at) {
                let stored = fault.to_string();
                let read = Unsendable::parse(&stored).map(|f| f.to_string());
                assert_eq!(read.as_deref(), Some(stored.as_str()));
                let [ja, en] = [Lang::Ja, Lang::En].map(|l| (l.words().mail.cause)(&stored));
                assert!(
                    !ja.contains(&stored) && ja.ends_with('。'),
                    "{stored}: {ja}"
                );
                assert!(en != stored && en.ends_with('.'), "{stored}: {en}");
                if stored.contains("at character") {
                    let place = at.to_string();
                    assert!(ja.contains(&place) && en.contains(&place), "{ja} {en}");
                }
                said += 1;
            }
        }
        assert!(said > 200, "{said}");
    }

    #[test]
    fn other_texts_are_nobodys() {
        for text in [
            "",
            "recipient",
            "recipient: ",
            "recipient: no @ ",
            "Recipient: no @",
            "subject: line break or control character at character x",
            "Does not contain a valid address.",
            "400 recipient: no @",
        ] {
            assert_eq!(Unsendable::parse(text), None, "{text}");
            assert_eq!((Lang::Ja.words().mail.cause)(text), text);
        }
    }
}
