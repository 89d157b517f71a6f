//! English.

use super::en_line::service;
use super::isolate;
use super::numbers::{grouped, parts, seconds, zone_label};
use super::*;
use crate::model::date::month_short;
use crate::model::views::{Count, ServiceState};
use crate::model::{Face, Moment, Role, Status, Theme};
use chrono::{Datelike, NaiveDate, Timelike};

/// The catalogue.
pub static WORDS: Words = Words {
    lang: Lang::En,
    other_lang: "日本語",
    theme: |theme| match theme {
        Theme::Auto => "Theme: automatic",
        Theme::Light => "Theme: light",
        Theme::Dark => "Theme: dark",
    },
    theme_next: |next| match next {
        Theme::Auto => " – switch to automatic",
        Theme::Light => " – switch to light",
        Theme::Dark => " – switch to dark",
    },
    product: "伝票 Denpyo",
    face,
    face_short: |f| {
        if f == Face::NotSent {
            "Not sent"
        } else {
            face(f)
        }
    },
    role: |role| match role {
        Role::Support => "Support",
        Role::Lead => "Lead",
        Role::Admin => "Administrator",
    },
    kind: |kind| {
        Some(match kind {
            "order_confirmation" => "Order confirmation",
            "invoice" => "Invoice",
            "shipping_notice" => "Shipping notice",
            "payment_confirmation" => "Payment received",
            "refund_notice" => "Refund notice",
            _ => return None,
        })
    },
    copy: |n| {
        if n == 0 {
            "Original".into()
        } else {
            format!("Copy {n}")
        }
    },
    day: |m| {
        let (y, mo, d, w) = m.day();
        let w = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][w];
        format!("{w} {d} {} {y}", month_short(mo))
    },
    date,
    date_time: |m| {
        let (y, mo, d, _) = m.day();
        let (h, min) = (m.0.hour(), m.0.minute());
        format!(
            "{d} {} {y}, {h:02}:{min:02} {}",
            month_short(mo),
            zone_label(m)
        )
    },
    date_time_short: |m| {
        let (_, mo, d, _) = m.day();
        format!(
            "{d} {} {:02}:{:02}",
            month_short(mo),
            m.0.hour(),
            m.0.minute()
        )
    },
    span: |s| match parts(s) {
        [0, 0, 0, s] => format!("{s} s"),
        [0, 0, m, _] => format!("{m} min"),
        [0, h, 0, _] => format!("{h} h"),
        [0, h, m, _] => format!("{h} h {m} min"),
        [1, 0, _, _] => "1 day".into(),
        [d, 0, _, _] => format!("{d} days"),
        [1, h, _, _] => format!("1 day {h} h"),
        [d, h, _, _] => format!("{d} days {h} h"),
    },
    took: |ms| format!("{} s", seconds(ms)),
    count,
    assumed: "assumed",
    held: "on hold",
    frame: FrameWords {
        skip: "Skip to content",
        pages: "Pages",
        search: "Find a mail",
        search_hint: "Order, address or id",
        find: "Find",
        as_of: |m| format!("as of {}", m.clock()),
        sign_out: "Sign out",
        service: |state| match state {
            ServiceState::Ready { .. } => None,
            ServiceState::None => {
                Some("No mail service is set. Mails are recorded, but nothing is sent.".into())
            }
            ServiceState::Paused {
                name, code, until, ..
            } => {
                let name = service(name);
                let why = match code {
                    Some(code) => format!("{name} refuses this account ({code})"),
                    None => format!("{name} does not offer what the settings ask for"),
                };
                Some(format!(
                    "Sending is paused because {why}. No mail is lost. One mail is tried at {}; if it is accepted, sending goes on.",
                    until.clock()
                ))
            }
        },
        since: |m| format!("since {}", (WORDS.date_time)(m)),
    },
    live: en_live::LIVE,
    sign_in: SignInWords {
        title: "Sign in",
        name: "Sign-in name",
        password: "Password",
        submit: "Sign in",
        wrong: "The sign-in name or the password is wrong.",
        later: "It cannot be checked right now. Wait a moment, then try again.",
        wait: "Too many tries in a row. Wait a moment, then try again.",
        oidc: |name| format!("Sign in with {}", isolate(name)),
        or: "or with a password",
        oidc_down: |name| {
            format!(
                "{} does not answer right now. If you have a password, sign in with it.",
                isolate(name)
            )
        },
        oidc_refused: "That did not work. Try again; if it goes on, tell an administrator.",
        oidc_stale: "It took too long, or began in another browser. Try again.",
        oidc_role: "Your account is known, but has no role at this desk. Ask an administrator for one.",
        oidc_disabled: "Your account is known, but disabled at this desk. Ask an administrator.",
        oidc_name: "Your account is known, but somebody else has its name at this desk. Ask an administrator.",
    },
    overview: OverviewWords {
        title: "Overview",
        needs: "Needs a person",
        needs_count: mails,
        asked_beside: |n| format!(", and {} still being looked up", grouped(n)),
        asked_of: |n| format!("{} being looked up", grouped(n)),
        idle: |n| {
            let due = if n == 1 { "is due" } else { "are due" };
            format!(
                "{} {due}, and no sending process was seen for a minute. Nothing is sent until one runs. Tell an administrator.",
                mails(n)
            )
        },
        with_note: |text, note| format!("{text} ({note})"),
        by_age: "by age",
        refused_note: "need a look",
        final_note: "no retry planned",
        held: "On hold",
        held_note: "not sent for now",
        held_too: |n| format!("{} counted under another head too", grouped(n)),
        bounced: |n| {
            format!(
                "Bounced or reported as spam, of mails recorded in the last 30 days: {}",
                count(n)
            )
        },
        all_clear: "No mail needs a person.",
        counts: "Counts by status",
        counts_note: "All time",
        retrying: |n| format!("{} will be retried", grouped(n)),
        assumed: |n| format!("{} assumed", grouped(n)),
        histogram: "Attempts",
        histogram_note: "Mails recorded in the last 30 days; those never attempted are left out",
        histogram_empty: "No mail was attempted in the last 30 days.",
        histogram_caption: "Mails by number of attempts, stacked by how they ended",
        attempts: "Attempts",
        bars: ["1", "2", "3", "4", "5+"],
        cut: "The bar for 1 is cut short",
        open: "Sending or unclear",
        sum: "All",
        share: "Share, %",
        workers: "Sending processes",
        workers_note: "Seen in the last hour",
        lookups: |open, failing| match (open, failing) {
            (0, _) => "No mail is being looked up.".into(),
            (_, 0) => format!("Being looked up: {}", mails(open)),
            _ => format!(
                "Being looked up: {}; without a clear answer three times in a row: {}",
                mails(open),
                grouped(failing)
            ),
        },
        no_workers: |service| {
            if service {
                "No sending process was seen in the last hour. Waiting mails are not sent until one runs."
            } else {
                "None, because no mail service is set."
            }
        },
        worker_columns: ["Name", "Last seen", "In flight", "Accepted, last hour"],
        worker_silent: "no sign since then",
        resends_only: "resends only",
    },
    list: en_list::LIST,
    mail: en_mail::MAIL,
    stuck: en_mail::STUCK,
    reason: en_plan::REASON,
    agent: en_agent::AGENT,
    bulk: en_bulk::BULK,
    reports: en_reports::REPORTS,
    sending: en_sending::SENDING,
    exports: exports::EN,
    errors: errors::EN,
    help: help::EN,
    settings: en_settings::SETTINGS,
    people: en_people::PEOPLE,
    trail: en_people::TRAIL,
    tokens: en_settings::TOKENS,
    fault: FaultWords {
        not_found: [
            "Page not found",
            "Check the address or the number. The list of mails can be searched by order number.",
        ],
        signed_out: [
            "Sign in first",
            "The session has ended or was signed out. Sign in again.",
        ],
        forbidden: [
            "Not allowed",
            "Ask an administrator if you need this. Nothing was changed.",
        ],
        bad_input: [
            "This could not be read",
            "Nothing was changed. Open the page again and retry.",
        ],
        unavailable: [
            "Not available right now",
            "The database does not answer. Nothing was changed. Wait a moment, then try again.",
        ],
        no_connection: [
            "The server cannot be reached",
            "Check the connection and try again. Whether the last act arrived shows once the page is opened again.",
        ],
        act: "That did not work.",
        act_lost: [
            "The server gives no answer.",
            "Whether the act arrived is not known yet. What you wrote is still here: once connected, press again. If it did arrive, the same mail is not sent twice, and you are told so.",
        ],
        reference: "Reference",
        home: "To the overview",
        again: "Open again",
    },
    notice: en_mail::notice,
};

pub(super) fn face(face: Face) -> &'static str {
    match face {
        Face::Waiting => "Waiting to send",
        Face::Sending => "Sending",
        Face::NeedsChecking => "Needs checking",
        Face::Accepted => "Accepted",
        Face::Delivered => "Delivered",
        Face::Bounced => "Bounced",
        Face::Complained => "Reported as spam",
        Face::NotSent => "Not sent, can be sent again",
        Face::Refused => "Refused",
        Face::CalledOff => "Called off",
    }
}

pub(super) fn status(status: Status) -> &'static str {
    face(Face::of(status, false, None))
}

pub(super) fn date(d: NaiveDate) -> String {
    format!("{} {} {}", d.day(), month_short(d.month()), d.year())
}

pub(super) fn mails(n: i64) -> String {
    if n == 1 {
        "1 mail".into()
    } else {
        format!("{} mails", grouped(n))
    }
}

pub(super) fn count(count: Count) -> String {
    match count {
        Count::Exact(n) => grouped(n),
        Count::AtLeast(n) => format!("{}+", grouped(n)),
        Count::About(n) if n >= 1_000_000 => {
            let n = (n + 5000) / 10_000;
            format!("about {}.{:02} M", grouped(n / 100), n % 100)
        }
        Count::About(n) => format!("about {}", grouped(n)),
        Count::Unknown => "—".into(),
    }
}

/// `14:02:11`, with the day where it is another one than `today`.
pub(super) fn when(moment: &Moment, today: &Moment) -> String {
    if moment.same_day(today) {
        moment.clock()
    } else {
        (WORDS.date_time)(moment)
    }
}
