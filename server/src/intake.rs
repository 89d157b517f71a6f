//! A mail as programs hand it over: one JSON object, the members named as the columns.

use crate::db::Stamp;
use crate::envelope::{self, RawContent, Text};
use crate::outbox::enqueue::NewSubmission;
use chrono::{DateTime, Datelike, Utc};
use serde_json::{Map, Value};

/// What is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not a JSON object.
    Json(String),
    /// Members, each with what is wrong.
    Fields(Vec<(String, String)>),
}

/// Longest key column in characters.
const LONGEST_KEY: usize = 255;
/// Longest key, its three columns together, in bytes: what PostgreSQL's index holds.
const LONGEST_KEYS: usize = 2600;

/// Reads and checks one mail. Everything that is wrong is named at once.
pub fn parse(bytes: &[u8]) -> Result<NewSubmission, Fault> {
    let members = match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return Err(Fault::Json("it is another kind of value".to_owned())),
        Err(error) => {
            return Err(Fault::Json(format!(
                "error at line {} column {}",
                error.line(),
                error.column()
            )));
        }
    };
    let mut reader = Reader {
        members: &members,
        faults: Vec::new(),
    };
    let new = NewSubmission {
        order_id: reader.key("order_id", true),
        kind: reader.key("kind", true),
        occasion: reader.key("occasion", false),
        recipient: reader.text("recipient"),
        subject: reader.text("subject"),
        body_text: reader.text("body_text"),
        body_html: reader.text("body_html"),
        reply_to: reader.text("reply_to"),
        sender: reader.text("sender"),
        not_before: reader.time("not_before"),
        decided_by: None,
    };
    let keys = [&new.order_id, &new.kind, &new.occasion];
    if reader.faults.is_empty() && keys.iter().map(|key| key.len()).sum::<usize>() > LONGEST_KEYS {
        let message = "has more than 2600 bytes together with kind and occasion";
        reader.fault("order_id", message);
    }
    for name in members
        .keys()
        .filter(|name| !MEMBERS.contains(&name.as_str()))
    {
        reader.faults.push((
            name.chars().take(64).collect(),
            "there is no such member".to_owned(),
        ));
    }
    let text = |t: &Option<String>| Text::from(t.clone());
    let content = RawContent {
        recipient: text(&new.recipient),
        subject: text(&new.subject),
        body_text: text(&new.body_text),
        body_html: text(&new.body_html),
        reply_to: text(&new.reply_to),
        sender: text(&new.sender),
    };
    for fault in envelope::faults(&content) {
        let field = fault.field().to_owned();
        if !reader.faults.iter().any(|(known, _)| *known == field) {
            let message = fault.to_string();
            let message = message
                .split_once(": ")
                .map_or(message.as_str(), |(_, rest)| rest)
                .to_owned();
            reader.faults.push((field, message));
        }
    }
    if reader.faults.is_empty() {
        Ok(new)
    } else {
        Err(Fault::Fields(reader.faults))
    }
}

const MEMBERS: [&str; 10] = [
    "order_id",
    "kind",
    "occasion",
    "recipient",
    "subject",
    "body_text",
    "body_html",
    "reply_to",
    "sender",
    "not_before",
];

struct Reader<'a> {
    members: &'a Map<String, Value>,
    faults: Vec<(String, String)>,
}

impl Reader<'_> {
    fn fault(&mut self, name: &str, message: &str) {
        self.faults.push((name.to_owned(), message.to_owned()));
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.members.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) if text.is_empty() => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                self.fault(name, "write a text");
                None
            }
        }
    }

    fn key(&mut self, name: &str, needed: bool) -> String {
        let text = self.text(name).unwrap_or_default();
        if self.faults.iter().any(|(known, _)| known == name) {
            return text;
        }
        if needed && text.chars().all(char::is_whitespace) {
            self.fault(name, "must not be blank");
        } else if text.chars().count() > LONGEST_KEY {
            self.fault(name, "has more than 255 characters");
        } else if text.chars().any(char::is_control) {
            self.fault(name, "holds control characters");
        }
        text
    }

    fn time(&mut self, name: &str) -> Option<Stamp> {
        let text = self.text(name)?;
        let at = DateTime::parse_from_rfc3339(&text)
            .ok()
            .map(|at| at.with_timezone(&Utc));
        match at.filter(|at| (1970..=9999).contains(&at.year())) {
            Some(at) => Some(Stamp::new(at)),
            None => {
                self.fault(name, "write a time as 2026-04-01T09:00:00+09:00");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fields(json: &str) -> Vec<String> {
        match parse(json.as_bytes()) {
            Err(Fault::Fields(faults)) => faults.into_iter().map(|(name, _)| name).collect(),
            other => panic!("{other:?}"),
        }
    }

    const GOOD: &str = r#"{"order_id":"1001","kind":"invoice","recipient":"a..b.@example.ne.jp",
        "subject":"ご請求","body_text":"…","not_before":"2026-04-01T09:00:00+09:00"}"#;

    #[test]
    fn a_good_mail() {
        let new = parse(GOOD.as_bytes()).unwrap();
        assert_eq!((new.order_id.as_str(), new.occasion.as_str()), ("1001", ""));
        assert_eq!(
            new.not_before.unwrap().utc().to_rfc3339(),
            "2026-04-01T00:00:00+00:00"
        );
    }

    #[test]
    fn every_bad_field_is_named_at_once() {
        let json = r#"{"order_id":"  ","kind":7,"recipient":"a@b@c","subject":"x\r\nBcc: y","occasion":"\u0000",
            "not_before":"tomorrow","attachments":[],"reply_to":"nobody"}"#;
        let mut names = fields(json);
        names.sort();
        let mut all = [
            "attachments",
            "body_text",
            "kind",
            "not_before",
            "occasion",
            "order_id",
            "recipient",
            "reply_to",
            "subject",
        ];
        all.sort_unstable();
        assert_eq!(names, all);
    }

    #[test]
    fn what_is_no_object_is_no_mail() {
        for json in [
            "",
            "[]",
            "\"x\"",
            "{",
            "{\"order_id\":",
            "\u{feff}{}",
            "nul",
        ] {
            assert!(
                matches!(parse(json.as_bytes()), Err(Fault::Json(_))),
                "{json}"
            );
        }
        assert!(matches!(parse(&[0xff, 0xfe]), Err(Fault::Json(_))));
    }
}
