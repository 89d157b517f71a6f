//! Asking Email Logs for a mail.

use super::SendGrid;
use crate::provider::asking::{FoundMail, Question, Unclear};
use crate::provider::http as shared;
use chrono::{DateTime, DurationRound, SecondsFormat, TimeDelta, Utc};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Value, json};

/// Most messages that Email Logs show at once. There are no pages.
const MOST_LOGS: usize = 1000;
/// Most windows of time that one look-up asks for.
const MOST_WINDOWS: usize = 100;
/// Most messages that one look-up looks at: each takes a request.
const MOST_MESSAGES: usize = 5000;
/// Most of them that may give no answer before the look-up is given up.
const MOST_FAULTS: usize = 3;

type Lookup<T> = Result<T, (Unclear, String)>;

impl SendGrid {
    /// Adds the mails to the recipient at the time in question whose `custom_args` hold the very
    /// reference; an error where not everything could be looked at. The address is asked for in lower
    /// case too, since nothing is said of whether the service keeps its case. Those of the mail's own
    /// subject are looked at first, and where one is found, no others.
    pub(super) async fn search(
        &self,
        question: &Question,
        found: &mut Vec<FoundMail>,
    ) -> Lookup<()> {
        let to = &question.recipient;
        let mut messages = Vec::new();
        let mut listed = self.logs(question, to, &mut messages).await;
        let lower = to.to_lowercase();
        if listed.is_ok() && lower != *to {
            listed = self.logs(question, &lower, &mut messages).await;
        }
        let other_subject = |message: &Value| {
            let subject = message.get("subject").and_then(Value::as_str);
            subject != Some(question.subject.as_str())
        };
        messages.sort_by_key(other_subject);
        let mut faults = Vec::new();
        for message in messages {
            // Of a list that is not whole only what is likely is looked at.
            let unlikely = other_subject(&message) && (!found.is_empty() || listed.is_err());
            if unlikely || faults.len() >= MOST_FAULTS {
                break;
            }
            if let Err(fault) = self.look_at(&message, question, found).await {
                faults.push(fault);
            }
        }
        match faults.into_iter().next() {
            Some(fault) => listed.and(Err(fault)),
            None => listed,
        }
    }

    /// Adds one message, if it is a mail of the very reference.
    async fn look_at(
        &self,
        message: &Value,
        question: &Question,
        found: &mut Vec<FoundMail>,
    ) -> Lookup<()> {
        let id = message.get("sg_message_id").and_then(Value::as_str);
        let id = id.ok_or_else(shared::unreadable)?;
        let shown = shared::words(id, &self.key);
        if found.iter().any(|f| f.message_id.as_ref() == Some(&shown)) {
            return Ok(());
        }
        let path: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
        let request = self.client.get(format!("{}/v3/logs/{path}", self.base));
        let one = self.ask(request).await?;
        let args = one.get("custom_args");
        let arg = |name: &str| args.and_then(|a| a.get(name)).and_then(Value::as_str);
        if arg("ref") == Some(&question.reference.to_string()) {
            let at = message.get("sg_message_id_created_at");
            let at = at.and_then(Value::as_str);
            found.push(FoundMail {
                message_id: Some(shown),
                accepted_at: at
                    .and_then(|t| DateTime::parse_from_rfc3339(t).ok())
                    .map(|t| t.to_utc()),
                attempt: arg("attempt").and_then(|a| a.parse().ok()),
            });
        }
        Ok(())
    }

    /// Adds what Email Logs show to one address at the time in question, all of it: a window that
    /// holds more than is shown at once is asked for in halves.
    async fn logs(&self, question: &Question, to: &str, messages: &mut Vec<Value>) -> Lookup<()> {
        let second = TimeDelta::seconds(1);
        let whole = |t: DateTime<Utc>| t.duration_trunc(second).unwrap_or(t);
        let until = whole(question.until.unwrap_or_else(|| Utc::now() + LATE)) + second;
        let mut windows = vec![(whole(question.since), until)];
        let before = messages.len();
        let mut asked = 0;
        while let Some((since, until)) = windows.pop() {
            asked += 1;
            let mut part = self.window(to, since, until).await?;
            if part.len() < MOST_LOGS {
                messages.append(&mut part);
                if messages.len() - before > MOST_MESSAGES {
                    return Err(too_many(MOST_MESSAGES));
                }
                continue;
            }
            let middle = whole(since + (until - since) / 2);
            if middle <= since || asked >= MOST_WINDOWS {
                messages.append(&mut part);
                return Err(too_many(MOST_LOGS));
            }
            windows.push((middle, until));
            windows.push((since, middle));
        }
        Ok(())
    }

    /// What Email Logs show to one address from `since` on, before `until`: at most [`MOST_LOGS`].
    async fn window(
        &self,
        to: &str,
        since: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Lookup<Vec<Value>> {
        let request = self
            .client
            .post(format!("{}/v3/logs", self.base))
            .header(CONTENT_TYPE, "application/json")
            .body(json!({"query": query(to, since, until), "limit": MOST_LOGS}).to_string());
        let mut answer = self.ask(request).await?;
        match answer.get_mut("messages").map(Value::take) {
            Some(Value::Array(messages)) => Ok(messages),
            _ => Err(shared::unreadable()),
        }
    }

    /// Asks once. Anything but a readable 200 answers nothing.
    async fn ask(&self, request: reqwest::RequestBuilder) -> Lookup<Value> {
        let request = request
            .header(AUTHORIZATION, self.bearer.clone())
            .header(ACCEPT, "application/json");
        shared::ask_json(request, self.timeout, &self.key).await
    }
}

/// How far ahead of this clock the service's may be.
const LATE: TimeDelta = TimeDelta::hours(25);

fn too_many(number: usize) -> (Unclear, String) {
    shared::incomplete(&format!("{number}+"))
}

/// A query of Email Logs; it knows no lists of addresses.
fn query(to: &str, since: DateTime<Utc>, until: DateTime<Utc>) -> String {
    let to = to.replace('\\', "\\\\").replace('"', "\\\"");
    let [since, until] = [since, until].map(|t| t.to_rfc3339_opts(SecondsFormat::Secs, true));
    format!(
        "to_email=\"{to}\" AND sg_message_id_created_at >= TIMESTAMP \"{since}\" \
         AND sg_message_id_created_at < TIMESTAMP \"{until}\""
    )
}

#[cfg(test)]
#[path = "lookup_tests.rs"]
mod tests;
