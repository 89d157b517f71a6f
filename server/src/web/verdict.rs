//! The verdict of the desk as the API's member `verdict`.

use crate::db::Stamp;
use app::model::Moment;
use app::model::judgement;
use app::model::verdict::{Known, Next, verdict};
use app::model::views::Mail;
use chrono::Utc;
use serde_json::{Value, json};

/// Did it go out, may it be sent again, and what that rests on; judged as of the mail's reading.
pub fn of(mail: &Mail) -> Value {
    let verdict = verdict(mail);
    let evidence: Vec<Value> = verdict
        .proofs
        .iter()
        .map(|proof| {
            let attempts = judgement::attempts(&proof.what);
            let by = match &proof.what {
                Known::Person { name, .. } | Known::CalledOff(name) => Some(name),
                _ => None,
            };
            json!({
                "at": stamp(&proof.at),
                "what": judgement::known(&proof.what),
                "first_attempt": attempts.map(|(first, _)| first),
                "attempt": attempts.map(|(_, last)| last),
                "by": by,
            })
        })
        .collect();
    let attempt = match verdict.next {
        Next::Resend { attempt, .. } => Some(attempt),
        _ => None,
    };
    json!({
        "answer": judgement::answer(&verdict),
        "detail": judgement::detail(&verdict),
        "next": judgement::next(&verdict),
        "attempt": attempt,
        "until": verdict.until.as_ref().map(stamp),
        "doubt": verdict.doubt,
        "established_at": stamp(&mail.as_of),
        "evidence": evidence,
    })
}

fn stamp(at: &Moment) -> Value {
    json!(Stamp::new(at.0.with_timezone(&Utc)))
}
