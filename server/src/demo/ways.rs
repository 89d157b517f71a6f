//! By which way the shop's mails come in: each of its systems has its own.

use super::rows::{At, DAY};
use super::story::Mail;
use app::model::ActKind;
use app::model::views::TokenScope;
use serde::Serialize;

/// The systems that have a token of the API, and the mails that they hand over.
const TOKENS: [(&str, &str); 2] = [
    ("payment_confirmation", "api 決済連携"),
    ("shipping_notice", "api 出荷システム"),
];

/// What is stored of a mail of this kind.
pub(super) fn of(kind: &str) -> Option<&'static str> {
    match kind {
        // The accounts department's list, read in by the command.
        "invoice" => Some("denpyo enqueue"),
        // An older program, which has the one token of the settings.
        "refund_notice" => Some("api"),
        // The rest the shop inserts together with the order.
        kind => TOKENS
            .into_iter()
            .find(|(of, _)| *of == kind)
            .map(|(_, way)| way),
    }
}

/// A row of `api_tokens`.
#[derive(Serialize)]
pub(super) struct Token {
    name: &'static str,
    hash: String,
    scope: &'static str,
    created_by: &'static str,
    created_at: At,
    used_at: Option<At>,
}

/// A row of `audit_events` that tells who made one.
#[derive(Serialize)]
pub(super) struct Made {
    at: At,
    actor: &'static str,
    act: &'static str,
    detail: &'static str,
    after_value: &'static str,
}

/// The tokens that the mails name, made some days before the first of them.
pub(super) fn tokens(mails: &[Mail]) -> Vec<Token> {
    let Some(first) = mails.first() else {
        return Vec::new();
    };
    let token = |(i, (_, way)): (i64, (&str, &'static str))| Token {
        name: way.strip_prefix("api ").unwrap_or(way),
        // Of no token that anybody has.
        hash: rand::random::<[u8; 32]>()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        scope: TokenScope::Write.as_str(),
        created_by: "admin1",
        created_at: first.created_at.plus(i * 90_000 - 3 * DAY),
        used_at: mails
            .iter()
            .rev()
            .find(|mail| mail.decided_by == Some(way))
            .map(|mail| mail.created_at),
    };
    (0..).zip(TOKENS).map(token).collect()
}

/// Who made them.
pub(super) fn made(tokens: &[Token]) -> Vec<Made> {
    let made = |token: &Token| Made {
        at: token.created_at,
        actor: token.created_by,
        act: ActKind::TokenMade.as_str(),
        detail: token.name,
        after_value: token.scope,
    };
    tokens.iter().map(made).collect()
}
