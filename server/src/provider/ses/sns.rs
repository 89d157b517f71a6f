//! Amazon SES's events, which Amazon SNS posts.
//!
//! - A post is JSON, whatever its content type says: `Type`, `TopicArn`, `Message` and more, with a
//!   signature over some members, RSA with SHA-1 (`SignatureVersion` 1) or SHA-256 (2), of the key
//!   in the certificate at `SigningCertURL`. That must lie at Amazon SNS, and the topic must be
//!   the right one, or anybody with a topic could sign.
//!   <https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html>
//! - A new subscription is confirmed by asking for the `SubscribeURL` of a post.
//!   <https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html>
//! - A post that is answered with 5xx is repeated for an hour at most; one that is answered with
//!   4xx is not. <https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html>
//! - `Message` is an event of SES as JSON; tags are lists.
//!   <https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html>

use super::certificate::{Certificates, Fetch, Hash, NotGood, of_sns};
use crate::provider::ProviderError;
use crate::provider::events::{EventKind, Events, MailEvent, NotEvents, Post};
use crate::provider::http::words;
use crate::provider::signed;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use uuid::Uuid;

/// A post's time is that of its first try: an hour of retries, and what the tries take.
const WINDOW: Duration = Duration::from_secs(75 * 60);

/// The topic whose posts are believed.
pub struct Topic {
    arn: String,
    certificates: Certificates,
}

impl Topic {
    /// `arn:aws:sns:REGION:ACCOUNT:NAME`, as the console shows it.
    pub fn new(arn: &str, fetch: Arc<dyn Fetch>) -> Result<Topic, ProviderError> {
        let parts: Vec<&str> = arn.split(':').collect();
        let fine = matches!(parts[..], ["arn", partition, "sns", region, account, name]
            if partition.starts_with("aws") && !region.is_empty() && !account.is_empty() && !name.is_empty());
        if !fine {
            let why = "write the topic's ARN: arn:aws:sns:REGION:ACCOUNT:NAME";
            return Err(ProviderError::WebhookKey(why.to_owned()));
        }
        Ok(Topic {
            arn: arn.to_owned(),
            certificates: Certificates::new(fetch),
        })
    }

    /// Checks a post and reads its event; confirms a subscription of the topic.
    pub async fn read(&self, post: Post<'_>) -> Result<Events, NotEvents> {
        let Ok(Value::Object(members)) = serde_json::from_slice(post.body) else {
            return Err(NotEvents::Signature);
        };
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let kind = text("Type").ok_or(NotEvents::Signature)?;
        // Before anything is asked of anybody.
        if text("TopicArn") != Some(&self.arn) {
            return Err(NotEvents::Signature);
        }
        let hash = match text("SignatureVersion") {
            Some("1") => Hash::Sha1,
            Some("2") => Hash::Sha256,
            _ => return Err(NotEvents::Signature),
        };
        let certificate = text("SigningCertURL")
            .and_then(of_sns)
            .filter(|url| url.path().ends_with(".pem") && url.query().is_none())
            .ok_or(NotEvents::Signature)?;
        let signature = text("Signature").and_then(signed::base64);
        let signature = signature.ok_or(NotEvents::Signature)?;
        let message = to_sign(kind, &members).ok_or(NotEvents::Signature)?;
        self.certificates
            .verify(&certificate, hash, message.as_bytes(), &signature)
            .await
            .map_err(|why| match why {
                NotGood::Signature => NotEvents::Signature,
                NotGood::Unavailable(why) => NotEvents::NotNow(why),
            })?;
        let at = text("Timestamp").and_then(time).ok_or(NotEvents::Stale)?;
        signed::fresh(at.timestamp(), post.now, WINDOW)?;
        match kind {
            "Notification" => Ok(notification(text("Message").unwrap_or_default())),
            "SubscriptionConfirmation" => {
                let url = text("SubscribeURL").and_then(|url| self.confirmation(url));
                let url = url.ok_or_else(|| NotEvents::Unreadable("SubscribeURL".to_owned()))?;
                let confirmed = self.certificates.get(&url).await;
                confirmed.map_err(NotEvents::NotNow)?;
                tracing::info!("the subscription of the topic is confirmed");
                Ok(Events::default())
            }
            _ => {
                tracing::warn!("the subscription of the topic was ended");
                Ok(Events::default())
            }
        }
    }

    /// An address that confirms a subscription of this very topic, and does nothing else.
    fn confirmation(&self, text: &str) -> Option<Url> {
        let url = of_sns(text)?;
        let is = |name: &str, value: &str| {
            let mut pairs = url.query_pairs().filter(|(n, _)| n == name);
            pairs.next().is_some_and(|(_, v)| v == value) && pairs.next().is_none()
        };
        let fine = is("Action", "ConfirmSubscription") && is("TopicArn", &self.arn);
        fine.then_some(url)
    }
}

/// The signed members, each on two lines; `None` where one is missing.
fn to_sign(kind: &str, members: &Map<String, Value>) -> Option<String> {
    let names: &[&str] = match kind {
        "Notification" => &[
            "Message",
            "MessageId",
            "Subject",
            "Timestamp",
            "TopicArn",
            "Type",
        ],
        "SubscriptionConfirmation" | "UnsubscribeConfirmation" => &[
            "Message",
            "MessageId",
            "SubscribeURL",
            "Timestamp",
            "Token",
            "TopicArn",
            "Type",
        ],
        _ => return None,
    };
    let mut message = String::new();
    for name in names {
        match members.get(*name) {
            Some(Value::String(value)) => message += &format!("{name}\n{value}\n"),
            None | Some(Value::Null) if *name == "Subject" => {}
            _ => return None,
        }
    }
    Some(message)
}

/// What SES wrote into the message: one event, or something odd (its greeting to a new topic).
fn notification(message: &str) -> Events {
    let told: Value = serde_json::from_str(message).unwrap_or_default();
    let mut read = Events::default();
    match event(&told) {
        Some(event) => read.events.push(event),
        None => read.odd += 1,
    }
    read
}

/// By the word: what happened, and the member that tells of it.
fn kind(word: &str) -> Option<(EventKind, &'static str)> {
    Some(match word {
        "Send" => (EventKind::Accepted, "send"),
        "DeliveryDelay" => (EventKind::Accepted, "deliveryDelay"),
        "Open" => (EventKind::Accepted, "open"),
        "Click" => (EventKind::Accepted, "click"),
        "Subscription" => (EventKind::Accepted, "subscription"),
        "Delivery" => (EventKind::Delivered, "delivery"),
        "Bounce" => (EventKind::Bounced, "bounce"),
        "Reject" => (EventKind::Bounced, "reject"),
        "Rendering Failure" => (EventKind::Bounced, "failure"),
        "Complaint" => (EventKind::Complained, "complaint"),
        _ => return None,
    })
}

/// `None` where anything that is needed is missing or of another type than documented.
fn event(told: &Value) -> Option<MailEvent> {
    // Without event publishing the member has another name.
    let word = told
        .get("eventType")
        .or_else(|| told.get("notificationType"));
    let (kind, member) = kind(word?.as_str()?)?;
    let mail = told.get("mail")?.as_object()?;
    let about = told.get(member);
    let at = about
        .and_then(|a| a.get("timestamp"))
        .or_else(|| mail.get("timestamp"))?
        .as_str()?;
    let tag = |name: &str| mail.get("tags")?.get(name)?.get(0)?.as_str();
    let header = || {
        let headers = mail.get("headers")?.as_array()?;
        let ours = |h: &&Value| {
            let name = h.get("name").and_then(Value::as_str);
            name.is_some_and(|name| name.eq_ignore_ascii_case("X-Denpyo-Ref"))
        };
        headers.iter().find(ours)?.get("value")?.as_str()
    };
    let reason = about.and_then(|about| {
        let of_recipient = |list: &str| about.get(list)?.get(0)?.get("diagnosticCode")?.as_str();
        of_recipient("bouncedRecipients")
            .or_else(|| of_recipient("delayedRecipients"))
            .or_else(|| about.get("reason")?.as_str())
            .or_else(|| about.get("errorMessage")?.as_str())
            .or_else(|| about.get("smtpResponse")?.as_str())
    });
    Some(MailEvent {
        kind,
        reference: tag("ref")
            .or_else(header)
            .and_then(|r| Uuid::parse_str(r.trim()).ok()),
        attempt: tag("attempt").and_then(|a| a.parse().ok()),
        at: Some(time(at)?),
        message_id: mail
            .get("messageId")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty() && id.len() <= 255 && !id.contains('\0'))
            .map(str::to_owned),
        // No key is in it; words of mail servers hold no NUL.
        detail: reason.map(|r| words(r, "\0")),
    })
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    let at = DateTime::parse_from_rfc3339(text).ok()?;
    Some(at.to_utc())
}

#[cfg(test)]
#[path = "sns_tests.rs"]
mod tests;
