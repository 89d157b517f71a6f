//! The mails that a person would look at: one and more of every state and age.

use super::rows::{At, DAY, HOUR, MINUTE, SECOND};
use super::story::local;
use super::text::day;
use chrono::{Datelike, TimeDelta};
use chrono_tz::Tz;

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fate {
    /// Accepted, like most.
    Accepted,
    /// Decided in the last seconds, not claimed yet.
    Waiting,
    /// Not to be sent before a later time.
    Later,
    /// Held by an administrator.
    Held,
    /// Held after a restore.
    HeldRestored,
    /// Held, because it is too old to be sent by itself.
    HeldOld,
    /// Held, let go by a person, and sent.
    LetGo,
    /// Being sent.
    Sending,
    /// No answer within the request timeout.
    NoAnswer,
    /// The connection broke off.
    Cut,
    /// The service answered with an error that proves nothing.
    ServerError,
    /// The sending process vanished, and the lease's end was noticed.
    Vanished,
    /// The same, not noticed yet.
    JustVanished,
    AssumedSynced,
    AssumedFailed,
    /// No answer; asked later, the service had it.
    LookedUp,
    /// No answer; asked later, the service did not have it, and it was sent again.
    LookedUpNot,
    /// Counted as accepted; asked later, the service did not have it.
    AssumedWrongly,
    /// No answer, through an account that is set no longer: a person has to find out.
    Elsewhere,
    /// Refused for now, so many times; the next attempt is far off.
    PutOff(u8),
    /// No connection, three times; the next attempt is near.
    SoonAgain,
    /// Five attempts, and no more by itself.
    UsedUp,
    /// Used up, then resent by a person.
    Resent,
    /// The service refused the mail.
    Refused,
    /// Refused, then resent to a corrected address.
    Corrected(&'static str),
    /// Found wanting before the claim.
    Screened,
    /// Called off before it was due.
    CalledOff,
    /// Called off after it could not be sent.
    CalledOffFailed,
    CalledOffRefused,
    /// No answer; a person found out that it did go out.
    FoundSent,
    /// No answer; a person found out that it did not, and resent it.
    FoundNotSent,
    /// Sent twice: the first attempt's answer came long after its lease.
    Twice,
    /// Given back by a process that stopped, and sent by another.
    GivenBack,
    /// A further copy for somebody who asked.
    Copy,
}

/// One such mail.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    pub fate: Fate,
    pub kind: &'static str,
    /// Milliseconds since it was decided.
    pub age: i64,
    /// Milliseconds between the order and it.
    pub lead: i64,
    pub recipient: Option<&'static str>,
    pub subject: Option<&'static str>,
    pub copy: i32,
    pub not_before: Option<At>,
}

const CONFIRMATION: &str = "order_confirmation";
const SHIPPING: &str = "shipping_notice";
const INVOICE: &str = "invoice";
const PAYMENT: &str = "payment_confirmation";
const REFUND: &str = "refund_notice";

const TABLE: &[(Fate, &str, i64, Option<&str>)] = &[
    (
        Fate::Waiting,
        CONFIRMATION,
        SECOND,
        Some("kiku-24@example.jp"),
    ),
    (Fate::Waiting, SHIPPING, SECOND / 2, None),
    (Fate::Waiting, PAYMENT, SECOND / 4, None),
    (
        Fate::Sending,
        CONFIRMATION,
        20 * SECOND,
        Some("aozora-9@example.com"),
    ),
    (
        Fate::Accepted,
        CONFIRMATION,
        41 * SECOND,
        Some("tanpopo88@example.com"),
    ),
    (
        Fate::Accepted,
        CONFIRMATION,
        76 * SECOND,
        Some("umi.no.iro@example.jp"),
    ),
    (Fate::Accepted, SHIPPING, 2 * MINUTE, None),
    (Fate::Accepted, CONFIRMATION, 3 * MINUTE, None),
    (Fate::Accepted, PAYMENT, 4 * MINUTE, None),
    (
        Fate::NoAnswer,
        CONFIRMATION,
        3 * MINUTE + 8 * SECOND,
        Some("c-floor@example.com"),
    ),
    (Fate::JustVanished, SHIPPING, 6 * MINUTE, None),
    (Fate::Cut, PAYMENT, 11 * MINUTE, None),
    (
        Fate::NoAnswer,
        INVOICE,
        42 * MINUTE,
        Some("keiri@example.jp"),
    ),
    (
        Fate::Vanished,
        SHIPPING,
        3 * HOUR + 12 * MINUTE,
        Some("minamo@example.jp"),
    ),
    (Fate::ServerError, CONFIRMATION, 5 * HOUR, None),
    (
        Fate::Elsewhere,
        REFUND,
        2 * DAY + 3 * HOUR,
        Some("shirokuma@example.com"),
    ),
    (Fate::AssumedSynced, SHIPPING, 70 * MINUTE, None),
    (
        Fate::AssumedFailed,
        INVOICE,
        75 * MINUTE,
        Some("soumu@example.jp"),
    ),
    (Fate::LookedUp, CONFIRMATION, 65 * MINUTE, None),
    (Fate::LookedUp, SHIPPING, 3 * DAY + 4 * HOUR, None),
    (
        Fate::LookedUpNot,
        CONFIRMATION,
        4 * HOUR + 10 * MINUTE,
        Some("hoshizora@example.com"),
    ),
    (
        Fate::AssumedWrongly,
        INVOICE,
        8 * HOUR,
        Some("kaikei@example.jp"),
    ),
    (Fate::PutOff(1), CONFIRMATION, 7 * MINUTE, None),
    (
        Fate::PutOff(2),
        SHIPPING,
        14 * MINUTE,
        Some("nijiiro7@example.com"),
    ),
    (Fate::PutOff(3), PAYMENT, 18 * MINUTE, None),
    (Fate::PutOff(4), SHIPPING, 22 * MINUTE, None),
    (Fate::SoonAgain, CONFIRMATION, 75 * SECOND, None),
    (Fate::SoonAgain, SHIPPING, 50 * SECOND, None),
    (Fate::UsedUp, REFUND, 35 * MINUTE, Some("4ban@example.com")),
    (Fate::UsedUp, SHIPPING, 2 * HOUR, None),
    (Fate::UsedUp, CONFIRMATION, 5 * HOUR + 40 * MINUTE, None),
    (Fate::UsedUp, INVOICE, 26 * HOUR, Some("koubai@example.jp")),
    (Fate::Resent, SHIPPING, 7 * HOUR, None),
    (Fate::Resent, CONFIRMATION, 3 * DAY, None),
    (Fate::Resent, INVOICE, 17 * DAY, None),
    (
        Fate::Refused,
        SHIPPING,
        21 * MINUTE,
        Some("kaze..no.@example.jp"),
    ),
    (
        Fate::Refused,
        CONFIRMATION,
        3 * HOUR,
        Some("mail.@example.jp"),
    ),
    (Fate::Refused, PAYMENT, 28 * HOUR, None),
    (
        Fate::Refused,
        SHIPPING,
        3 * DAY,
        Some(".yozora@example.com"),
    ),
    (
        Fate::Corrected("sora-iro@example.com"),
        SHIPPING,
        4 * HOUR,
        Some("sora-iro.@example.com"),
    ),
    (
        Fate::Corrected("kaze-no@example.jp"),
        CONFIRMATION,
        12 * DAY,
        Some("kaze..no@example.jp"),
    ),
    (
        Fate::Screened,
        CONFIRMATION,
        95 * MINUTE,
        Some("hinata.example.jp"),
    ),
    (
        Fate::Screened,
        SHIPPING,
        20 * HOUR,
        Some("hanako@example.jp, taro@example.jp"),
    ),
    (Fate::Screened, REFUND, 2 * DAY, None),
    (Fate::Later, SHIPPING, 20 * MINUTE, None),
    (Fate::Later, SHIPPING, 80 * MINUTE, None),
    (Fate::Later, INVOICE, 3 * HOUR, Some("jimu@example.jp")),
    (
        Fate::Later,
        INVOICE,
        6 * HOUR,
        Some("keiri+denpyo@example.jp"),
    ),
    (Fate::Later, REFUND, 8 * HOUR, None),
    (
        Fate::Held,
        INVOICE,
        2 * HOUR + 25 * MINUTE,
        Some("shiire@example.com"),
    ),
    (Fate::HeldRestored, SHIPPING, 27 * HOUR, None),
    (Fate::HeldRestored, PAYMENT, 27 * HOUR + 3 * MINUTE, None),
    (Fate::HeldRestored, INVOICE, 27 * HOUR + 8 * MINUTE, None),
    (Fate::HeldOld, SHIPPING, 3 * DAY + 2 * HOUR, None),
    (
        Fate::HeldOld,
        REFUND,
        3 * DAY + 6 * HOUR,
        Some("asagao@example.jp"),
    ),
    (Fate::LetGo, INVOICE, 25 * HOUR, Some("jimu@example.jp")),
    (Fate::CalledOff, SHIPPING, 4 * HOUR + 30 * MINUTE, None),
    (Fate::CalledOffFailed, REFUND, 6 * DAY, None),
    (Fate::CalledOffRefused, INVOICE, 9 * DAY, None),
    (
        Fate::CalledOff,
        CONFIRMATION,
        21 * DAY,
        Some("order@example.jp"),
    ),
    (Fate::FoundSent, SHIPPING, 10 * HOUR, None),
    (Fate::FoundSent, CONFIRMATION, 8 * DAY, None),
    (Fate::FoundNotSent, INVOICE, 13 * HOUR, None),
    (Fate::FoundNotSent, PAYMENT, 15 * DAY, None),
    (Fate::Twice, SHIPPING, 4 * DAY, Some("tsukimi@example.jp")),
    (Fate::GivenBack, CONFIRMATION, 2 * DAY + 9 * HOUR, None),
    (Fate::GivenBack, SHIPPING, 11 * DAY, None),
    (Fate::Copy, INVOICE, 55 * MINUTE, Some("soumu+2@example.jp")),
    (Fate::Copy, INVOICE, 5 * DAY, Some("keiri7@example.com")),
];

/// Every case, seen from `now`.
pub(super) fn cases(now: At, zone: Tz) -> Vec<Case> {
    let today = day(now, zone);
    let tomorrow = local(today + TimeDelta::days(1), 9 * 3_600, zone);
    let mut cases: Vec<Case> = TABLE
        .iter()
        .zip(1..)
        .map(|((fate, kind, age, recipient), i)| (fate, kind, uneven(*age, i), recipient))
        .map(|(fate, kind, age, recipient)| Case {
            fate: *fate,
            kind,
            age,
            lead: match *kind {
                CONFIRMATION => 0,
                PAYMENT => 5 * HOUR,
                INVOICE => 3 * HOUR,
                SHIPPING => 26 * HOUR,
                _ => 7 * DAY,
            },
            recipient: *recipient,
            subject: (*fate == Fate::Screened && *kind == REFUND)
                .then_some("ご返金の手続きが\n完了しました"),
            copy: i32::from(*fate == Fate::Copy),
            not_before: match fate {
                Fate::Later => tomorrow,
                Fate::CalledOff => Some(now.plus(15 * HOUR - age)),
                _ => None,
            },
        })
        .collect();
    // Decided on one day, accepted on the next; and so from one month to the next.
    let month_end = today.with_day(1).map(|first| first - TimeDelta::days(1));
    let late = [Some(today - TimeDelta::days(1)), month_end];
    for (date, recipient) in late
        .into_iter()
        .zip(["keiri+denpyo@example.jp", "yozora@example.com"])
    {
        let at = date.and_then(|date| local(date, 86_398, zone));
        let age = at.map_or(DAY, |at| now.since(at));
        // Right after midnight, the one of the night before.
        let age = if age < 10 * MINUTE { age + DAY } else { age };
        cases.push(Case {
            fate: Fate::GivenBack,
            kind: CONFIRMATION,
            age,
            lead: 0,
            recipient: Some(recipient),
            subject: None,
            copy: 0,
            not_before: None,
        });
    }
    cases
}

/// No two of them fall on the same part of a second, nor the older ones of a minute.
fn uneven(age: i64, i: i64) -> i64 {
    let seconds = if age >= 10 * MINUTE { 53 * SECOND } else { 0 };
    age + (i * 7_919_333) % (seconds + 697)
}
