//! What a program sends with an act on one mail.

use super::problem::Problem;
use crate::outbox::audit::OWN_REQUESTS;
use app::model::address::Address;
use axum::http::StatusCode;
use serde_json::{Map, Value};

/// The members, each of them optional.
#[derive(Debug, Default)]
pub struct ActBody {
    /// The row's `version` as it was read.
    pub version: Option<i64>,
    /// The row's `attempts` as it was read.
    pub attempt: Option<i32>,
    /// The number that a further copy is to have.
    pub copy: Option<i32>,
    /// Another recipient.
    pub recipient: Option<Address>,
    /// Why.
    pub reason: Option<String>,
    /// The same again is the same act.
    pub request_id: Option<String>,
}

impl ActBody {
    /// Reads a body; `own` are the members that this act has beside those that all have.
    pub fn parse(bytes: &[u8], own: &[&str]) -> Result<ActBody, Problem> {
        let members = if bytes.iter().all(u8::is_ascii_whitespace) {
            Map::new()
        } else {
            match serde_json::from_slice(bytes) {
                Ok(Value::Object(members)) => members,
                _ => {
                    return Err(Problem::new(
                        StatusCode::BAD_REQUEST,
                        "the body is not a JSON object",
                    ));
                }
            }
        };
        let mut parsed = ActBody::default();
        let mut faults = Vec::new();
        for (name, value) in &members {
            let known = own.contains(&name.as_str())
                || matches!(name.as_str(), "recipient" | "reason" | "request_id");
            let read = match value {
                _ if !known => Err("there is no such member".to_owned()),
                Value::Null => Ok(()),
                value => parsed.read(name, value),
            };
            if let Err(fault) = read {
                faults.push((name.clone(), fault));
            }
        }
        if faults.is_empty() {
            Ok(parsed)
        } else {
            Err(Problem::fields(&faults))
        }
    }

    fn read(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let number = || {
            let number = value.as_i64().and_then(|n| i32::try_from(n).ok());
            number.ok_or_else(|| "write a number".to_owned())
        };
        let text = || value.as_str().ok_or_else(|| "write a text".to_owned());
        match name {
            "version" => {
                self.version = Some(value.as_i64().ok_or_else(|| "write a number".to_owned())?);
            }
            "attempt" => self.attempt = Some(number()?),
            "copy" => match number()? {
                copy if copy >= 1 => self.copy = Some(copy),
                _ => return Err("write a number from 1".to_owned()),
            },
            "recipient" => {
                let address = Address::parse(text()?.trim());
                self.recipient = Some(address.map_err(crate::envelope::say)?);
            }
            "reason" => {
                let text = text()?;
                if text.contains('\0') || text.chars().count() > 1000 {
                    return Err("write at most 1,000 characters, without NUL".to_owned());
                }
                self.reason = Some(text.to_owned()).filter(|t| !t.is_empty());
            }
            _ => {
                let text = text()?;
                if text.contains('\0') || text.is_empty() || text.len() > 200 {
                    return Err("write 1 to 200 bytes, without NUL".to_owned());
                }
                if text.starts_with(OWN_REQUESTS) {
                    return Err(format!(
                        "names that begin with {OWN_REQUESTS} are Denpyo's own"
                    ));
                }
                self.request_id = Some(text.to_owned());
            }
        }
        Ok(())
    }
}
