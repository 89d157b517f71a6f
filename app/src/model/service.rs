//! What the desk has to know of mail services by their stored names.

/// A mail server (SMTP). It has no console and tells nothing by itself: what became of a mail stands
/// in its log, under the mail's `Message-ID`.
pub fn is_mail_server(stored: &str) -> bool {
    stored == "smtp"
}

/// Whether it is asked by posting the same request again, under its idempotency key.
pub fn is_replayed(stored: &str) -> bool {
    stored == "resend"
}

/// Whether it can be asked what became of a mail.
pub fn can_be_asked(stored: &str) -> bool {
    !matches!(stored, "smtp" | "ses")
}
