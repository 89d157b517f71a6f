//! English: stored causes, as sentences.

use crate::model::AddressFault;
use crate::model::recorded::Recorded;
use crate::model::trouble::{Step, Told, Trouble};
use crate::model::unsendable::{Field, Unsendable};

pub(super) fn cause(stored: &str) -> String {
    match Recorded::parse(stored) {
        None => stored.to_owned(),
        Some(Recorded::Unsendable(fault)) => unsendable(fault),
        Some(Recorded::Trouble(told)) => trouble(&told),
        Some(Recorded::Vanished) => {
            "The process that had claimed it left no outcome in time.".into()
        }
        Some(Recorded::NotFoundTwice) => {
            "Asked twice, some time apart, the mail service did not have it.".into()
        }
        Some(Recorded::LaterMailShown) => {
            "The mail service shows a mail that was sent later, and does not have this one.".into()
        }
        Some(Recorded::RefusedAgain) => {
            "The same request was made again to find out, and the mail service refused it.".into()
        }
        Some(Recorded::TooOld) => {
            "It was recorded too long ago to be sent by itself (the setting is DENPYO_MAX_AGE)."
                .into()
        }
        Some(Recorded::OtherInstallation { set, kept }) => {
            format!("The database of “{kept}” was restored or copied, and runs as “{set}” now.")
        }
    }
}

fn trouble(told: &Told) -> String {
    let sentence = match told.trouble {
        Trouble::HostUnknown => "The host name was not found",
        Trouble::Refused => "The connection was refused",
        Trouble::Unreachable => "The network does not reach the host",
        Trouble::NoConnection => "No connection could be made",
        Trouble::ConnectTimeout => "No connection could be made in time",
        Trouble::Tls => "The TLS connection failed",
        Trouble::NoTls => "The mail server offers no TLS",
        Trouble::NoSignIn => "The mail server offers no sign-in by password",
        Trouble::NoAnswer => "No answer came in time",
        Trouble::Cut => "The connection was cut",
        Trouble::Unreadable => "The answer could not be read",
        Trouble::Incomplete => "The answer was not complete",
        Trouble::Build => "The request could not be put together",
        Trouble::Fault => "A fault of the program stopped it; the log says where",
        Trouble::LeaseOver => "There was not enough time left",
        Trouble::RequestDiffers => "The same request cannot be made again",
        Trouble::Suppressed => {
            "The mail service sends nothing to this recipient any more, after a bounce or a spam report, say"
        }
        Trouble::InvalidMail => {
            "The mail service found the recipient or another part of the mail not valid"
        }
    };
    let at = told.step.map(|step| match step {
        Step::Message => "while the message was sent".to_owned(),
        step => format!("at {}", step.as_str()),
    });
    let waited = told.waited.as_ref().map(|s| format!("after {s} s"));
    match told.aside(at, waited).join(", ") {
        aside if aside.is_empty() => format!("{sentence}."),
        aside => format!("{sentence} ({aside})."),
    }
}

fn unsendable(fault: Unsendable) -> String {
    match fault {
        Unsendable::RecipientMissing => "There is no recipient.".into(),
        Unsendable::RecipientBad(fault) => address("recipient", fault),
        Unsendable::SubjectMissing => "There is no subject.".into(),
        Unsendable::SubjectControl(at) => {
            format!("The subject has a line break or control character at character {at}.")
        }
        Unsendable::NoBody => "There is no text.".into(),
        Unsendable::BodyNul(field) => {
            format!(
                "The {} holds a character that cannot be sent (NUL).",
                name(field)
            )
        }
        Unsendable::BodyTooLarge(_) => "The text is too large (at most 10 MB in all).".into(),
        Unsendable::SenderBad(fault) => address("sender", fault),
        Unsendable::SenderMissing => {
            "There is no sender, and the setting DENPYO_FROM names none.".into()
        }
        Unsendable::ReplyToBad(fault) => address("reply address", fault),
        Unsendable::Unreadable(field) => {
            format!(
                "The {} cannot be read as text (it is not UTF-8).",
                name(field)
            )
        }
    }
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Recipient => "recipient",
        Field::Subject => "subject",
        Field::BodyText => "text",
        Field::BodyHtml => "HTML text",
        Field::ReplyTo => "reply address",
        Field::Sender => "sender",
    }
}

fn address(of: &str, fault: AddressFault) -> String {
    use AddressFault as F;
    match fault {
        F::Empty => format!("The {of} is empty."),
        F::NoAt => format!("The {of} has no @."),
        F::Several { at } => {
            format!("The {of} holds more than one address (the second begins at character {at}).")
        }
        F::NoLocal => format!("The {of} has nothing before the @."),
        F::NoDomain => format!("The {of} has nothing after the @."),
        F::Control { at } => {
            format!("The {of} has a line break or control character at character {at}.")
        }
        F::Blank { at } => {
            format!("The {of} has a blank or invisible character at character {at}.")
        }
        F::WideLocal { at } | F::WideDomain { at } => {
            format!("The {of} has a character that addresses cannot have at character {at}.")
        }
        F::Quoted => format!("The {of} is quoted before the @, and cannot be sent to like that."),
        F::Sign { at } => {
            format!("The {of} has a sign that addresses do not have at character {at}.")
        }
        F::DomainDot { at } => {
            format!("The {of} has nothing before or after the full stop at character {at}.")
        }
        F::DomainPart => format!(
            "The {of} has a part after the @ that is too long, or begins or ends with a hyphen."
        ),
        F::LocalTooLong => format!("The {of} has more than 64 characters before the @."),
        F::TooLong => format!("The {of} has more than 254 characters."),
        F::Named => format!("The {of} has a name beside it: write the address alone."),
        F::Brackets => format!("The {of} is not of the form: name <address>."),
        F::NameTooLong => format!("The {of} has a name of more than 320 characters."),
    }
}
