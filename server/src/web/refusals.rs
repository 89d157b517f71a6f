//! What a refused resend is answered.

use super::State;
use super::problem::Problem;
use crate::db::DbError;
use crate::outbox::row::Row;
use app::model::unsendable::Unsendable;
use app::model::views::NoticeKind;
use axum::http::StatusCode;
use serde_json::{Value, json};

/// What is wrong with its content, and what helps.
pub(super) fn unsendable(fault: Unsendable, row: &Row) -> Problem {
    let (reason, help) = match fault {
        _ if fault.field() == "recipient" => ("bad_recipient", "send a corrected `recipient`"),
        Unsendable::SenderMissing => ("bad_content", "set DENPYO_FROM"),
        _ => (
            "bad_content",
            "it cannot be changed any more: call it off, and submit another one with an `occasion` of its own",
        ),
    };
    let detail = format!("it cannot be sent ({fault}): {help}");
    Problem::new(StatusCode::CONFLICT, detail)
        .with("reason", reason)
        .with("submission", json!(row))
}

/// Why it is not sent again, and who was first.
pub(super) async fn refusal(
    state: &State,
    id: i64,
    kind: NoticeKind,
    row: Row,
) -> Result<Problem, DbError> {
    let detail = match kind {
        NoticeKind::Held => "it is held: let go of it first",
        NoticeKind::NoService => "no mail service is set, so nothing is sent",
        NoticeKind::InFlight => "it is being sent, or nobody knows yet whether it was",
        NoticeKind::AlreadyAccepted if row.assumed() => {
            "nobody knows yet whether the service accepted it; by DENPYO_ON_UNKNOWN it counts as accepted"
        }
        NoticeKind::AlreadyAccepted => {
            "the service has accepted it; a deliberate further copy is a mail of its own"
        }
        NoticeKind::CalledOff => "it was called off",
        NoticeKind::StillWaiting => "it waits to be sent by itself",
        _ => "it has changed since it was read",
    };
    let word = serde_json::to_value(kind).unwrap_or(Value::Null);
    let detail = match (kind, &row.held_reason) {
        (NoticeKind::Held, Some(reason)) => format!("{detail} ({reason})"),
        _ => detail.to_owned(),
    };
    let mut problem = Problem::new(StatusCode::CONFLICT, detail)
        .with("reason", word)
        .with("submission", json!(row));
    if kind == NoticeKind::AlreadyAccepted {
        problem = problem.with("copies", format!("/api/v1/submissions/{id}/copies"));
    }
    if let Some(winner) = state.office.winner(id).await? {
        problem = problem
            .with("by", winner.by)
            .with("at", json!(winner.at))
            .with("attempt", winner.attempt);
    }
    Ok(problem)
}
