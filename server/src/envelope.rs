//! A mail that can be sent: what a row's content becomes once it has been looked through.

use uuid::Uuid;

/// One mail, ready for a service. Nothing in it can break a header or a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The row's `ref`: what the mail carries and look-ups match.
    pub reference: Uuid,
    /// What the mail is about.
    pub order_id: String,
    /// The attempt's number, from 1.
    pub attempt: i32,
    /// Names this installation.
    pub installation: String,
    /// From.
    pub sender: Mailbox,
    /// To: one recipient.
    pub recipient: String,
    /// Reply-To.
    pub reply_to: Option<Mailbox>,
    /// Subject.
    pub subject: String,
    /// Plain text; at least one of the bodies is there.
    pub body_text: Option<String>,
    /// HTML.
    pub body_html: Option<String>,
}

/// A display name and an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// The name, without quotes.
    pub name: Option<String>,
    /// The bare address.
    pub address: String,
}
