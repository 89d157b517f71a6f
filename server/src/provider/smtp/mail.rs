//! A mail's bytes, as they go over the wire: ASCII alone, no line above 78 bytes but for an
//! address that is longer by itself.

use super::words;
use crate::envelope::{Content, Envelope, normalise_lines};
use app::model::address::Address;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, Message, MultiPart, MultiPartKind, SinglePart};

/// The address for lettre, which would refuse those that Japanese carriers gave out
/// (`a..b.@example.ne.jp`). Ours was looked through: it holds nothing that could end a command or
/// a header. It goes out without quotes before the `@`: what stands there is known to be read by
/// the carriers' servers, and by others too (smtp-server refuses the quoted form).
pub(super) fn address(address: &Address) -> lettre::Address {
    let text = address.as_str();
    let (local, domain) = text.split_once('@').unwrap_or((text, ""));
    lettre::Address::new_dangerous(local, domain)
}

/// The value of `Message-ID`, without its brackets: the same for every attempt.
pub(super) fn message_id(envelope: &Envelope) -> String {
    let reference = envelope.labels.reference.to_string();
    crate::envelope::message_id(&reference, &envelope.content.sender.address)
}

/// The whole mail. An error is a fault of lettre's builder.
pub(super) fn bytes(envelope: &Envelope) -> Result<Vec<u8>, lettre::error::Error> {
    let Envelope { labels, content } = envelope;
    let recipient = address(&content.recipient);
    // The builder reads its own From again and refuses what its parser does not know, so it gets a
    // plain one; the real one is put in its place below.
    let plain = Mailbox::new(None, lettre::Address::new_dangerous("denpyo", "localhost"));
    let builder = Message::builder()
        .envelope(lettre::address::Envelope::new(None, vec![recipient])?)
        .message_id(Some(format!("<{}>", message_id(envelope))))
        .from(plain);
    let mut message = match (&content.body_text, &content.body_html) {
        (Some(text), Some(html)) => builder.multipart(
            MultiPart::builder()
                .kind(MultiPartKind::Alternative)
                // Neither base64 nor quoted-printable can hold "=_".
                .boundary(format!("=_denpyo_{}", labels.reference))
                .singlepart(part(ContentType::TEXT_PLAIN, text))
                .singlepart(part(ContentType::TEXT_HTML, html)),
        ),
        (Some(text), None) => builder.singlepart(part(ContentType::TEXT_PLAIN, text)),
        (None, html) => {
            let html = html.as_deref().unwrap_or_default();
            builder.singlepart(part(ContentType::TEXT_HTML, html))
        }
    }?;
    for header in headers(envelope, content) {
        message.headers_mut().insert_raw(header);
    }
    let mut bytes = message.formatted();
    // The line end before the final dot is added while sending.
    if bytes.ends_with(b"\r\n") {
        bytes.truncate(bytes.len() - 2);
    }
    Ok(bytes)
}

fn headers(envelope: &Envelope, content: &Content) -> Vec<HeaderValue> {
    let labels = &envelope.labels;
    let mut headers = vec![
        raw("From", words::mailbox("From", &content.sender)),
        raw("To", content.recipient.to_string()),
        raw("Subject", words::text("Subject", &content.subject)),
    ];
    if let Some(reply_to) = &content.reply_to {
        headers.push(raw("Reply-To", words::mailbox("Reply-To", reply_to)));
    }
    for (name, value) in [
        ("X-Denpyo-Ref", labels.reference.to_string().as_str()),
        ("X-Denpyo-Order", &labels.order_id),
        ("X-Denpyo-Attempt", &labels.attempt.to_string()),
        ("X-Denpyo-Installation", &labels.installation),
    ] {
        headers.push(raw(name, words::text(name, value)));
    }
    headers
}

/// A header whose value is encoded and folded already.
fn raw(name: &'static str, value: String) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str(name);
    HeaderValue::dangerous_new_pre_encoded(name, String::new(), value)
}

/// A body, encoded always: bare line ends, dots at a line's start, blanks at its end and lines of
/// any length pass no relay unharmed as they are.
fn part(content_type: ContentType, text: &str) -> SinglePart {
    let text = normalise_lines(text).into_owned();
    // Quoted-printable stays readable where most is ASCII, and there it is shorter, too.
    let wide = text.bytes().filter(|b| !b.is_ascii()).count();
    let encoding = if wide * 6 > text.len() {
        ContentTransferEncoding::Base64
    } else {
        ContentTransferEncoding::QuotedPrintable
    };
    // These two encodings take any text; the bytes come back only where an encoding cannot.
    let body = Body::new_with_encoding(text, encoding)
        .unwrap_or_else(|bytes| Body::dangerous_pre_encoded(bytes, encoding));
    SinglePart::builder().header(content_type).body(body)
}

#[cfg(test)]
#[path = "mail_tests.rs"]
mod tests;
