//! The body of `SendEmail`.

use crate::envelope::Envelope;
use crate::provider::answer;
use app::model::address::Mailbox;
use email_encoding::headers::rfc2047;
use email_encoding::headers::writer::EmailWriter;
use serde_json::{Value, json};

/// Longest value of a tag, in characters.
const LONGEST_TAG: usize = 256;

/// The request's body.
pub fn of(envelope: &Envelope) -> Vec<u8> {
    let (content, labels) = (&envelope.content, &envelope.labels);
    let utf8 = |text: &str| json!({"Data": text, "Charset": "UTF-8"});
    let mut body = json!({});
    if let Some(text) = &content.body_text {
        body["Text"] = utf8(text);
    }
    if let Some(html) = &content.body_html {
        body["Html"] = utf8(html);
    }
    let tags: Vec<Value> = [
        ("ref", labels.reference.to_string()),
        ("attempt", labels.attempt.to_string()),
        ("order_id", labels.order_id.clone()),
        ("installation", labels.installation.clone()),
    ]
    .into_iter()
    .filter(|(_, value)| answer::is_tag(value) && value.len() <= LONGEST_TAG)
    .map(|(name, value)| json!({"Name": name, "Value": value}))
    .collect();
    let mut message = json!({
        "FromEmailAddress": mailbox(&content.sender),
        "Destination": {"ToAddresses": [content.recipient.as_str()]},
        "Content": {"Simple": {
            "Subject": utf8(&content.subject),
            "Body": body,
            "Headers": [{"Name": "X-Denpyo-Ref", "Value": labels.reference}],
        }},
        "EmailTags": tags,
    });
    if let Some(reply_to) = &content.reply_to {
        message["ReplyToAddresses"] = json!([mailbox(reply_to)]);
    }
    message.to_string().into_bytes()
}

/// A mailbox whose name is ASCII, as encoded words where it was not.
fn mailbox(mailbox: &Mailbox) -> String {
    let Some(name) = mailbox.name.as_ref().filter(|name| !name.is_ascii()) else {
        return mailbox.to_string();
    };
    let mut words = String::new();
    // Writing into a text cannot fail.
    let _ = rfc2047::encode(name, &mut EmailWriter::new(&mut words, 0, 0, false));
    // One line: it is folded where the mail is made.
    format!("{} <{}>", words.replace("\r\n", ""), mailbox.address)
}
