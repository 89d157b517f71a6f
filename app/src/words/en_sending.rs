//! What the reports say of sends, in English.

use super::SendingWords;
use super::en::WORDS;
use super::en_reports::{month, zone_name};
use super::numbers::{grouped, service};
use crate::model::protocol::OnUnknown;
use crate::model::views::{Delay, Unknowns};

pub(super) const SENDING: SendingWords = SendingWords {
    about: |m| format!("Sending the mails recorded in {}", month(m)),
    not_kept: "Counted from the records as they are now, not from the figures of the closing.",
    not_counted: "— Counting took too long. Wait a moment, then open the page again.",
    tries: "Attempts",
    by_kind: "By kind and service",
    by_kind_note: "The service is the one that had the mail last.",
    by_kind_caption: |m| {
        format!(
            "{}: mails by kind, service and number of attempts",
            month(m)
        )
    },
    tries_columns: ["Kind", "Service", "Not tried"],
    service: |stored| service(stored, "Mail server"),
    no_service: "—",
    narrowed: |names| format!("The plot shows {} alone.", names.join(", ")),
    none_of_these: "No mail of these was tried.",
    widen: "Show all",
    no_mails: "No mail was recorded in this month.",
    none: "There is no attempt on record yet for the mails recorded in this month.",
    hours: "Accepted by hour",
    hours_note: |zone| {
        format!(
            "{}. The share is that of the clear answers that were a yes.",
            zone_name(zone)
        )
    },
    hours_caption: |m| format!("{}: what became of sends, by hour of day", month(m)),
    hours_columns: [
        "Hour",
        "Accepted",
        "Not accepted",
        "No clear answer",
        "Share accepted",
    ],
    hour: |hour| format!("{hour:02}:00"),
    hour_short: |hour| format!("{hour:02}"),
    delays: "From recording to acceptance",
    delays_note: "Mails that were to wait until a set time count from that time.",
    delays_caption: |m| format!("{}: time from recording to acceptance, by kind", month(m)),
    delays_columns: ["Kind", "Accepted", "Half within (p50)", "95% within (p95)"],
    delays_said: |all: &Delay| {
        format!(
            "Half were accepted within {}, 95% within {}.",
            within(all.p50),
            within(all.p95)
        )
    },
    under_a_second: "under 1 s",
    all_kinds: "All kinds",
    unknowns: "Sends without a clear answer, and what other settings would have done",
    unknowns_said: |u: &Unknowns| {
        let mut said = format!(
            "{}. As it turned out, {} had been accepted and {} had not.",
            match u.sum() {
                1 => "1 send had no clear answer".to_owned(),
                n => format!("{} sends had no clear answer", grouped(n)),
            },
            grouped(u.accepted),
            grouped(u.not_accepted)
        );
        if u.open > 0 {
            said.push_str(&format!(" Of {}, nobody knows yet.", grouped(u.open)));
        }
        said
    },
    unknowns_none: "Every send had a clear answer. All settings would have done the same.",
    unknowns_note: "Twice: taken for not sent, and sent again. None: shown as accepted, and never arrived.",
    unknowns_setting: "The setting’s name:",
    unknowns_caption: |m| format!("{}: what each setting would have done", month(m)),
    unknowns_columns: ["Without a clear answer", "Mail twice", "No mail", "Waited"],
    setting: |setting| match setting {
        OnUnknown::Hold => "wait until it is known",
        OnUnknown::Synced => "take it for accepted",
        OnUnknown::Failed => "take it for not sent",
    },
    is_set: "as set now",
    range: |range| {
        if range.most > range.least {
            format!("{} to {}", grouped(range.least), grouped(range.most))
        } else {
            grouped(range.least)
        }
    },
    waited: |u: &Unknowns| {
        let cleared = u.accepted + u.not_accepted;
        let mut said = match cleared {
            0 => String::new(),
            n => format!(
                "{} (half within {}, the last {})",
                grouped(n),
                within(u.half_waited),
                within(u.all_waited)
            ),
        };
        if u.open > 0 {
            if !said.is_empty() {
                said.push_str(", ");
            }
            said.push_str(&format!("{} to this day", grouped(u.open)));
        }
        said
    },
};

fn within(seconds: i64) -> String {
    match seconds {
        0 => SENDING.under_a_second.to_owned(),
        s => (WORDS.span)(s),
    }
}
