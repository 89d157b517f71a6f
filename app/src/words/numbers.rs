//! Figures, which both languages write alike.

use crate::model::Moment;

/// `12,345`.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `0.03` for 30 milliseconds: a plain number of seconds, finer where it is short.
pub fn seconds(ms: i64) -> String {
    let ms = ms.max(0);
    if ms < 100_000 {
        format!("{}.{:02}", ms / 1000, ms % 1000 / 10)
    } else {
        grouped(ms / 1000)
    }
}

/// `12.3 MB`: a size in bytes, in powers of 1,000 as file managers have it.
pub fn size(bytes: i64) -> String {
    let bytes = bytes.max(0);
    let (unit, name) = match bytes {
        ..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    format!(
        "{}.{} {name}",
        grouped(bytes / unit),
        bytes % unit * 10 / unit
    )
}

/// Days, hours and minutes of a span; under a minute the seconds.
pub fn parts(seconds: i64) -> [i64; 4] {
    let seconds = seconds.max(0);
    [
        seconds / 86_400,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    ]
}

/// `JST` for the offset of Japan, `UTC` for none, else the offset itself.
pub fn zone_label(moment: &Moment) -> String {
    match moment.0.offset().local_minus_utc() {
        32_400 => "JST".to_owned(),
        0 => "UTC".to_owned(),
        _ => format!("UTC{}", moment.0.format("%:z")),
    }
}

/// The name of a mail service as people know it; unknown ones as stored. A mail server has none, and is
/// called `mail_server`.
pub fn service<'a>(stored: &'a str, mail_server: &'a str) -> &'a str {
    match stored {
        "sendgrid" => "SendGrid",
        "postmark" => "Postmark",
        "mailgun" => "Mailgun",
        "ses" => "Amazon SES",
        "resend" => "Resend",
        "smtp" | "SMTP" => mail_server,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(9_614_403), "9,614,403");
        assert_eq!(grouped(-12_345), "-12,345");
    }

    #[test]
    fn sizes() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(4_096), "4.0 kB");
        assert_eq!(size(12_390_000), "12.3 MB");
        assert_eq!(size(1_234_500_000_000), "1,234.5 GB");
    }

    #[test]
    fn seconds_of_an_attempt() {
        assert_eq!(seconds(30), "0.03");
        assert_eq!(seconds(30_000), "30.00");
        assert_eq!(seconds(1_234_567), "1,234");
    }
}
