//! The query languages of SendGrid's two look-ups, as far as they are documented: conditions
//! joined by `AND`, each perhaps in brackets; values in single or double quotes. Fields and
//! operators are told apart strictly, so that a query that SendGrid refuses is refused here.

use super::store::Message;
use chrono::{DateTime, Utc};

/// Every mail stays so.
pub(super) const STATUS: &str = "processed";

/// Which look-up a query is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// `POST /v3/logs`
    Logs,
    /// `GET /v3/messages`
    Activity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Id,
    Subject,
    To,
    From,
    Status,
    Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Less,
    LessOrSame,
    More,
    MoreOrSame,
}

#[derive(Debug, PartialEq, Eq)]
enum Condition {
    Is(Text, String),
    Begins(Text, String),
    In(Text, Vec<String>),
    Created(Order, DateTime<Utc>),
    Arg(String, String),
}

/// A query that was understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query(Vec<Condition>);

impl Query {
    /// Reads a query; a blank one asks for everything. The error says what was not understood.
    pub(super) fn parse(text: &str, language: Language) -> Result<Query, String> {
        let mut reader = Reader { rest: text.trim() };
        let mut conditions = Vec::new();
        while !reader.rest.is_empty() {
            if !conditions.is_empty() {
                if !reader.word("AND") {
                    return Err(reader.expected("AND"));
                }
                if reader.rest.is_empty() {
                    return Err(reader.expected("a condition"));
                }
            }
            let bracket = reader.sign("(");
            conditions.push(reader.condition(language)?);
            if bracket && !reader.sign(")") {
                return Err(reader.expected(")"));
            }
        }
        Ok(Query(conditions))
    }

    pub(super) fn matches(&self, message: &Message) -> bool {
        self.0.iter().all(|condition| match condition {
            Condition::Is(field, value) => field.of(message) == value,
            Condition::Begins(field, value) => field.of(message).starts_with(value),
            Condition::In(field, values) => values.iter().any(|v| field.of(message) == v),
            Condition::Arg(name, value) => message.custom_args.get(name) == Some(value),
            Condition::Created(order, time) => match order {
                Order::Less => message.received_at < *time,
                Order::LessOrSame => message.received_at <= *time,
                Order::More => message.received_at > *time,
                Order::MoreOrSame => message.received_at >= *time,
            },
        })
    }
}

impl Text {
    fn of(self, message: &Message) -> &str {
        match self {
            Text::Id => &message.sg_message_id,
            Text::Subject => &message.subject,
            Text::To => &message.to.email,
            Text::From => &message.from.email,
            Text::Status => STATUS,
            Text::Reason => "",
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn expected(&self, what: &str) -> String {
        let near: String = self.rest.chars().take(20).collect();
        format!("query: expected {what} at {near:?}")
    }

    fn sign(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let length = self.name_length();
        self.rest[..length].eq_ignore_ascii_case(word) && self.sign(&self.rest[..length])
    }

    fn name_length(&self) -> usize {
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len())
    }

    fn name(&mut self) -> &'a str {
        let (name, rest) = self.rest.split_at(self.name_length());
        self.rest = rest.trim_start();
        name
    }

    /// A quoted value; a backslash takes the next character as it is.
    fn value(&mut self) -> Result<String, String> {
        let quote = match self.rest.chars().next() {
            Some(c @ ('"' | '\'')) => c,
            _ => return Err(self.expected("a quoted value")),
        };
        let mut value = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            if c == quote {
                self.rest = self.rest[i + 1..].trim_start();
                return Ok(value);
            }
            match c {
                '\\' => value.extend(chars.next().map(|(_, c)| c)),
                c => value.push(c),
            }
        }
        Err(self.expected("a closing quote"))
    }

    fn equals(&mut self) -> Result<String, String> {
        if self.sign("=") {
            self.value()
        } else {
            Err(self.expected("="))
        }
    }

    fn list(&mut self) -> Result<Vec<String>, String> {
        if !self.word("IN") || !self.sign("(") {
            return Err(self.expected("IN ("));
        }
        let mut values = vec![self.value()?];
        while self.sign(",") {
            values.push(self.value()?);
        }
        if self.sign(")") {
            Ok(values)
        } else {
            Err(self.expected(")"))
        }
    }

    fn condition(&mut self, language: Language) -> Result<Condition, String> {
        use Language::{Activity, Logs};
        let before = Reader { rest: self.rest };
        match (language, self.name()) {
            (Logs, "sg_message_id") => Ok(Condition::Is(Text::Id, self.equals()?)),
            (Logs, "reason") => Ok(Condition::Is(Text::Reason, self.equals()?)),
            (Logs, "status") => Ok(Condition::In(Text::Status, self.list()?)),
            (Logs, "sg_message_id_created_at") => self.time(),
            (_, "subject") => Ok(Condition::Is(Text::Subject, self.equals()?)),
            (_, "to_email") => Ok(Condition::Is(Text::To, self.equals()?)),
            (Activity, "from_email") => Ok(Condition::Is(Text::From, self.equals()?)),
            (Activity, "status") => Ok(Condition::Is(Text::Status, self.equals()?)),
            (Activity, "msg_id") => self.like(),
            (Activity, "unique_args") => {
                if !self.sign("[") {
                    return Err(self.expected("["));
                }
                let name = self.value()?;
                if !self.sign("]") {
                    return Err(self.expected("]"));
                }
                Ok(Condition::Arg(name, self.equals()?))
            }
            _ => Err(before.expected("a field that can be asked for")),
        }
    }

    /// `msg_id="…"`, or `msg_id LIKE 'X%'` with the one `%` at the end.
    fn like(&mut self) -> Result<Condition, String> {
        if !self.word("LIKE") {
            return Ok(Condition::Is(Text::Id, self.equals()?));
        }
        let pattern = self.value()?;
        match pattern.strip_suffix('%') {
            Some(start) if !start.contains('%') => {
                Ok(Condition::Begins(Text::Id, start.to_owned()))
            }
            None if !pattern.contains('%') => Ok(Condition::Is(Text::Id, pattern)),
            _ => Err("query: only one % at the end is understood".to_owned()),
        }
    }

    fn time(&mut self) -> Result<Condition, String> {
        let order = if self.sign(">=") {
            Order::MoreOrSame
        } else if self.sign("<=") {
            Order::LessOrSame
        } else if self.sign(">") {
            Order::More
        } else if self.sign("<") {
            Order::Less
        } else {
            return Err(self.expected("a comparison"));
        };
        if !self.word("TIMESTAMP") {
            return Err(self.expected("TIMESTAMP"));
        }
        let text = self.value()?;
        match DateTime::parse_from_rfc3339(&text) {
            Ok(time) => Ok(Condition::Created(order, time.to_utc())),
            Err(_) => Err(format!("query: {text:?} is no RFC 3339 time")),
        }
    }
}
