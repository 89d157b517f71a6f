//! What the settings' pages say.

use super::catalogue::Text;
use crate::model::Moment;
use crate::model::views::{
    Count, LookupWay, PostRefusal, Posts, SettingGroup, SettingSource, TokenNotice, TokenScope,
    WebhookState,
};

/// The settings, and how the installation is.
pub struct SettingsWords {
    /// In the bar.
    pub title: Text,
    /// Names the links between the settings' pages.
    pub pages: Text,
    /// Those links: settings and state, users, tokens, audit trail.
    pub page: [Text; 4],
    /// A group of settings.
    pub group: fn(SettingGroup) -> Text,
    /// What a setting does, by its key in the file.
    pub about: fn(&str) -> Text,
    /// Head of the table.
    pub settings: Text,
    /// What it shows, and how a setting is changed.
    pub settings_note: Text,
    /// The file that was read.
    pub file: fn(&str) -> String,
    /// Columns: setting, value, from.
    pub columns: [Text; 3],
    /// Where a value comes from.
    pub source: fn(SettingSource) -> Text,
    /// A secret that is set.
    pub secret: Text,
    /// Nothing is set.
    pub unset: Text,
    /// Head over what the start warned of.
    pub warnings: Text,
    /// The installation.
    pub installation: Text,
    /// Its facts: name, version, database, schema, size, mails.
    pub facts: [Text; 6],
    /// A size in bytes.
    pub size: fn(i64) -> String,
    /// A number of mails.
    pub mails: fn(Count) -> String,
    /// Processes that send.
    pub processes: Text,
    /// Columns: host, process, version, since, last seen, in flight.
    pub process_columns: [Text; 6],
    /// Mail services.
    pub services: Text,
    /// Columns: service, account, state.
    pub service_columns: [Text; 3],
    /// No service is set, and none stands paused.
    pub no_services: Text,
    /// Nothing is known to be wrong.
    pub ready: Text,
    /// It is not the one that is set.
    pub former: Text,
    /// Why it stands paused.
    pub paused: fn(Option<i32>) -> String,
    /// Since when, and when one mail tries again.
    pub paused_times: fn(&Moment, &Moment) -> String,
    /// The last accepted mail.
    pub last_accepted: fn(&Moment, service: &str) -> String,
    /// None was ever accepted.
    pub never_accepted: Text,
    /// Look-ups.
    pub lookups: Text,
    /// How the service can be asked.
    pub way: fn(LookupWay) -> Text,
    /// Facts: open, without a clear answer, ended, next.
    pub lookup_facts: [Text; 4],
    /// Nothing is due.
    pub no_next: Text,
    /// Head over the last answers.
    pub answers: Text,
    /// Columns: when, order, answer.
    pub answer_columns: [Text; 3],
    /// None in what was looked through.
    pub no_answers: Text,
    /// An answer, by its stored word.
    pub answer: fn(&str) -> Text,
    /// What services tell by themselves.
    pub webhook: Text,
    /// Whether it is taken.
    pub webhook_state: fn(WebhookState) -> Text,
    /// Facts: address, good posts, last good one, refused posts, last refused one, last event.
    pub webhook_facts: [Text; 6],
    /// Good posts, and the events in them.
    pub taken: fn(&Posts) -> String,
    /// Under the counts: since when they count.
    pub posts_note: Text,
    /// Why a post was refused.
    pub refusal: fn(PostRefusal) -> Text,
    /// An event, by its stored word.
    pub event: fn(&str) -> Text,
    /// Nothing yet.
    pub none: Text,
    /// Who is told.
    pub alerts: Text,
    /// Where alerts go: by JSON, by Slack.
    pub told: fn(url: bool, slack: bool) -> Text,
    /// Nothing is wrong.
    pub no_alerts: Text,
    /// Columns: condition, since, last told.
    pub alert_columns: [Text; 3],
    /// A condition, by its stored word.
    pub condition: fn(&str) -> Text,
}

/// Tokens of the API.
pub struct TokenWords {
    /// What they are for.
    pub intro: Text,
    /// `DENPYO_API_TOKEN` is set.
    pub by_setting: Text,
    /// Names the table.
    pub caption: Text,
    /// Columns: name, may, made, last used, state.
    pub columns: [Text; 5],
    /// None yet.
    pub none: Text,
    /// What a token may do.
    pub scope: fn(TokenScope) -> Text,
    /// What that means.
    pub scope_note: fn(TokenScope) -> Text,
    /// Never used.
    pub unused: Text,
    /// Beside the time of the last use.
    pub to_the_hour: Text,
    /// Who made it, and when.
    pub made: fn(&str, &Moment) -> String,
    /// May be used.
    pub live: Text,
    /// Who ended it, and when.
    pub ended: fn(&str, &Moment) -> String,
    /// Opens the form.
    pub make: Text,
    /// The field.
    pub name: Text,
    /// Beside it.
    pub name_hint: Text,
    /// The choice.
    pub may: Text,
    /// What happens then.
    pub make_note: Text,
    /// The button.
    pub make_confirm: Text,
    /// The button, while it works.
    pub make_busy: Text,
    /// Opens the form of a token.
    pub end: Text,
    /// What it does.
    pub end_note: Text,
    /// Beside the field for the reason.
    pub end_reason: Text,
    /// In the empty field.
    pub end_example: Text,
    /// Its button.
    pub end_confirm: fn(&str) -> String,
    /// What came of an act.
    pub notice: fn(&TokenNotice) -> String,
    /// What the button beside a new token copies.
    pub secret: Text,
}
