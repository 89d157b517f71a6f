//! What services with a JSON API share.

use http::StatusCode;
use serde_json::Value;

/// A member of an answer, where it is a text of reasonable length.
pub fn text_of(body: &[u8], member: &str) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let text = value.get(member)?.as_str()?.trim();
    (!text.is_empty() && text.len() <= 255 && !text.contains('\0')).then(|| text.to_owned())
}

/// What an answer says: the sentence in a member, else its text, else its status.
pub fn explain(body: &[u8], member: &str, status: StatusCode) -> String {
    let sentence = serde_json::from_slice::<Value>(body)
        .ok()
        .and_then(|v| Some(v.get(member)?.as_str()?.to_owned()));
    let text = sentence.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    if !text.trim().is_empty() {
        return text;
    }
    status
        .canonical_reason()
        .map_or_else(|| format!("HTTP {}", status.as_u16()), str::to_owned)
}

/// Characters that Resend and Amazon SES allow in the value of a tag.
pub fn is_tag(value: &str) -> bool {
    let fine = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    !value.is_empty() && value.bytes().all(fine)
}
