//! The settings' pages, in English.

use super::en::WORDS;
use super::numbers::{grouped, size};
use super::{SettingsWords, TokenWords, isolate};
use crate::model::Face;
use crate::model::views::{
    LookupWay, PostRefusal, SettingGroup, SettingSource, TokenAnswer, TokenScope, WebhookState,
};

pub(super) const SETTINGS: SettingsWords = SettingsWords {
    title: "Settings",
    pages: "Pages of the settings",
    page: ["Settings and state", "Users", "API tokens", "Audit trail"],
    group: |group| match group {
        SettingGroup::Desk => "Database and desk",
        SettingGroup::Service => "Mail service",
        SettingGroup::Sending => "How mails are sent",
        SettingGroup::Doubt => "Mails whose outcome is not known",
        SettingGroup::Access => "Access",
        SettingGroup::Alerts => "Alerts",
    },
    about,
    settings: "Settings in effect",
    settings_note: "To change one, edit the settings file or the environment and start the process again. The environment wins over the file. Keys and other secrets are not shown.",
    file: |path| format!("Settings file: {}", isolate(path)),
    columns: ["Setting", "Value", "From"],
    source: |source| match source {
        SettingSource::Default => "Default",
        SettingSource::File => "Settings file",
        SettingSource::Environment => "Environment",
    },
    secret: "set (not shown)",
    unset: "not set",
    warnings: "Warnings at the start",
    installation: "This installation",
    facts: [
        "Its name",
        "Denpyo’s version",
        "Database",
        "Schema version",
        "Database size",
        "Mails",
    ],
    size,
    mails: |count| (WORDS.count)(count),
    processes: "Sending processes",
    process_columns: [
        "Host",
        "Process",
        "Version",
        "Started",
        "Last seen",
        "In flight",
    ],
    services: "Mail services",
    service_columns: ["Service", "Account", "State"],
    no_services: "No mail service is set.",
    ready: "Takes mails",
    former: "Not the one that is set",
    paused: |code| match code {
        Some(code) => format!("Paused: it refuses this account ({code})"),
        None => "Paused: it does not offer what the settings ask for".into(),
    },
    paused_times: |since, until| {
        format!(
            "Since {}. One mail is tried at {}.",
            (WORDS.date_time)(since),
            (WORDS.date_time)(until)
        )
    },
    last_accepted: |at, service| {
        format!(
            "Last mail accepted: {} ({})",
            (WORDS.date_time)(at),
            isolate(service)
        )
    },
    never_accepted: "No mail was accepted yet.",
    lookups: "Look-ups",
    way: |way| match way {
        LookupWay::NoService => "None, because no mail service is set.",
        LookupWay::Never => {
            "This service cannot be asked. A mail in doubt waits for a person, or for an event."
        }
        LookupWay::Lookup => "Mails in doubt are looked up in the service’s records.",
        LookupWay::Replay => {
            "Mails in doubt are posted again under their own key, which never sends twice."
        }
    },
    lookup_facts: [
        "Being asked",
        "of those, no clear answer three times in a row",
        "Asked no more, waiting for a person",
        "Next question",
    ],
    no_next: "none is due",
    answers: "Last answers",
    answer_columns: ["When", "Order", "Answer"],
    no_answers: "Nothing was asked lately.",
    answer: |kind| match kind {
        "lookup_found" => "accepted after all",
        "lookup_not_yet" => "not found yet",
        "lookup_no" => "never accepted",
        _ => "no clear answer",
    },
    webhook: "Events from the service (webhook)",
    webhook_state: |state| match state {
        WebhookState::NoService => "No mail service is set.",
        WebhookState::NotOffered => "A mail server (SMTP) tells nothing by itself.",
        WebhookState::NoKey => {
            "Events are not taken, because DENPYO_WEBHOOK_KEY is not set. No new deliveries or bounces come in."
        }
        WebhookState::On => "Taken once their signature is checked.",
    },
    webhook_facts: [
        "Address",
        "Posts taken",
        "Last taken",
        "Posts refused",
        "Last refused",
        "Last event",
    ],
    taken: |posts| {
        let noun = if posts.events == 1 { "event" } else { "events" };
        format!(
            "{} ({} {noun})",
            grouped(posts.taken),
            grouped(posts.events)
        )
    },
    posts_note: "Counted since this process started.",
    refusal: |why| match why {
        PostRefusal::Off => "no key to check it with is set",
        PostRefusal::Signature => "its signature does not fit",
        PostRefusal::Stale => "it was signed too long ago",
        PostRefusal::NotNow => "it could not be checked then; the service posts it again",
        PostRefusal::Unreadable => "it could not be read",
        PostRefusal::Database => "the database did not take it",
    },
    event: |kind| match kind {
        "event_delivered" => super::en::face(Face::Delivered),
        "event_bounced" => super::en::face(Face::Bounced),
        "event_complained" => super::en::face(Face::Complained),
        _ => "Accepted",
    },
    none: "none yet",
    alerts: "Alerts",
    told: |url, slack| match (url, slack) {
        (true, true) => "They go to DENPYO_ALERT_URL and to Slack.",
        (true, false) => "They go to DENPYO_ALERT_URL.",
        (false, true) => "They go to Slack.",
        (false, false) => "Nobody is told: no address is set. They stand in the log alone.",
    },
    no_alerts: "Nothing is being alerted about.",
    alert_columns: ["Condition", "Since", "Last told"],
    condition: |word| match word {
        "needs_person" => "Mails wait for a person",
        "lookups_failing" => "Look-ups get no clear answer",
        "service_paused" => "Sending is paused",
        "queue_old" => "Mails wait too long to be sent",
        _ => "Something else",
    },
};

fn about(key: &str) -> &'static str {
    match key {
        "alert_queue_age" => "A mail waiting longer than this is worth an alert",
        "alert_reminder" => "How often what lasts is told again",
        "alert_slack_url" => "Where alerts go in Slack",
        "alert_url" => "Where alerts go, as JSON",
        "api_token" => {
            "A token of the API that may do everything; administrators make others at the desk"
        }
        "base_url" => "Where browsers reach the desk",
        "concurrency" => "Mails that one process sends at once",
        "database_url" => "The database; its password is not shown",
        "from" => "The sender",
        "installation" => {
            "This installation’s name; where the database has another, sending is put on hold"
        }
        "lease" => "How long an attempt may take before the mail needs checking",
        "listen" => "The address that is listened on",
        "log_format" => "The log’s format",
        "lookup_horizon" => "How long “not found” proves nothing",
        "mask_addresses" => "The highest role that sees addresses masked",
        "max_age" => "Older mails are put on hold instead of sent",
        "max_attempts" => "Attempts that are made automatically",
        "notify" => "Sending begins as soon as a mail is inserted (PostgreSQL)",
        "oidc_client_id" => "OpenID Connect: the id that the provider gave this client",
        "oidc_client_secret" => "OpenID Connect: the client’s secret",
        "oidc_issuer" => {
            "OpenID Connect: the provider; without one, people sign in with passwords alone"
        }
        "oidc_name" => "OpenID Connect: what stands on the sign-in button",
        "oidc_role_claim" => "OpenID Connect: the claim that decides the role",
        "oidc_roles" => "OpenID Connect: values of the claim, and the role that each gives",
        "on_unknown" => {
            "What an unknown outcome becomes: hold needs checking, synced counts as accepted, failed as not sent"
        }
        "poll_interval" => "How often waiting mails are looked for",
        "provider" => "The mail service",
        "provider_key" => "The key of the account there",
        "provider_url" => "The service’s address, else its own; a password is not shown",
        "request_timeout" => "How long the service’s answer is waited for",
        "smtp_name" => "The host name given to mail servers",
        "time_zone" => "The zone of the desk’s times",
        "webhook_key" => "What the service’s events are checked with",
        _ => "",
    }
}

pub(super) const TOKENS: TokenWords = TokenWords {
    intro: "Programs send a token with each request to the API. With one for each program you see which is used, and can end one alone.",
    by_setting: "DENPYO_API_TOKEN is set as well; that token may use all of the API.",
    caption: "API tokens, newest first",
    columns: ["Name", "May", "Made", "Last used", "State"],
    none: "No token has been made yet.",
    scope: |scope| match scope {
        TokenScope::Read => "Read",
        TokenScope::Write => "Read and write",
    },
    scope_note: |scope| match scope {
        TokenScope::Read => "Lists and reads mails.",
        TokenScope::Write => "Also hands mails over, sends them again and makes further copies.",
    },
    unused: "never",
    to_the_hour: "or within the hour after",
    made: |by, at| format!("{} by {}", (WORDS.date_time)(at), isolate(by)),
    live: "In use",
    ended: |by, at| format!("Ended {} by {}", (WORDS.date_time)(at), isolate(by)),
    make: "Make a token",
    name: "Name",
    name_hint: "Name the program that uses it. The audit trail shows this name. It cannot be changed later.",
    may: "It may",
    make_note: "The token is shown once, right after it is made, and never again.",
    make_confirm: "Make the token",
    make_busy: "Making…",
    end: "End",
    end_note: "Programs that use this token are refused at once. This cannot be undone.",
    end_reason: "Required. Say why it is ended; this stays in the audit trail.",
    end_example: "For example: the order system was replaced.",
    end_confirm: |name| format!("End “{}”", isolate(name)),
    notice: |n| {
        let name = isolate(&n.name);
        match n.what {
            TokenAnswer::Made if n.secret.is_some() => format!(
                "The token “{name}” is made. Copy it now: once you leave this page it cannot be shown again."
            ),
            TokenAnswer::Made => format!(
                "The token “{name}” was made, but cannot be shown any more. If nobody copied it, end it and make another."
            ),
            TokenAnswer::BadName => {
                "No token was made. Write a name of 1 to 64 characters, without line breaks or characters that cannot be seen.".into()
            }
            TokenAnswer::NameTaken => {
                "No token was made. One has, or had, that name. Choose another, so that the audit trail tells them apart.".into()
            }
            TokenAnswer::Ended => format!("The token “{name}” is ended."),
            TokenAnswer::EndedBefore => match &n.ended {
                Some(end) => format!(
                    "The token “{name}” was ended before, {} by {}.",
                    (WORDS.date_time)(&end.at),
                    isolate(&end.by)
                ),
                None => "There is no such token.".into(),
            },
            TokenAnswer::ReasonMissing => "It was not ended. Say why.".into(),
        }
    },
    secret: "the token",
};
