//! What there is to say. Plain text where nothing varies, a function where something does.

use super::Lang;
use super::{
    AgentWords, BulkWords, ErrorWords, ExportWords, HelpWords, LiveWords, MailWords, PeopleWords,
    ReasonWords, ReportWords, SendingWords, SettingsWords, StuckWords, TokenWords, TrailWords,
};
use crate::model::filter::{Basis, Hint, ListStatus, Needs, Only};
use crate::model::views::{Count, Notice, SearchNote, ServiceState};
use crate::model::{Face, Moment, Role, Theme};
use chrono::NaiveDate;

pub(super) type Text = &'static str;

/// Every string of the desk, in one language.
pub struct Words {
    /// Which language.
    pub lang: Lang,
    /// The other language, named in itself.
    pub other_lang: Text,
    /// The theme as it is.
    pub theme: fn(Theme) -> Text,
    /// What the theme's link does.
    pub theme_next: fn(Theme) -> Text,
    /// After the page's own title.
    pub product: Text,
    /// A state as shown.
    pub face: fn(Face) -> Text,
    /// A state where a column or a count has no room.
    pub face_short: fn(Face) -> Text,
    /// A role.
    pub role: fn(Role) -> Text,
    /// A sort of mail; unknown ones are shown as stored.
    pub kind: fn(&str) -> Option<Text>,
    /// `控え1`; 0 is the original.
    pub copy: fn(i32) -> String,
    /// A day with its day of the week.
    pub day: fn(&Moment) -> String,
    /// A day of a filter.
    pub date: fn(NaiveDate) -> String,
    /// A day and a time.
    pub date_time: fn(&Moment) -> String,
    /// A day and a time where a column has little room.
    pub date_time_short: fn(&Moment) -> String,
    /// A span of seconds.
    pub span: fn(i64) -> String,
    /// Milliseconds as a column shows them.
    pub took: fn(i64) -> String,
    /// A count.
    pub count: fn(Count) -> String,
    /// After a state that was only assumed.
    pub assumed: Text,
    /// After a kind, for a held mail.
    pub held: Text,
    /// Around every page.
    pub frame: FrameWords,
    /// Pages that follow the database.
    pub live: LiveWords,
    /// Signing in.
    pub sign_in: SignInWords,
    /// The overview.
    pub overview: OverviewWords,
    /// The list.
    pub list: ListWords,
    /// One mail.
    pub mail: MailWords,
    /// What needs checking.
    pub stuck: StuckWords,
    /// Forms that want a reason.
    pub reason: ReasonWords,
    /// A support agent's acts on one mail.
    pub agent: AgentWords,
    /// Resending many mails.
    pub bulk: BulkWords,
    /// Reports, and what leaves as a file.
    pub reports: ReportWords,
    /// What became of a month's sends.
    pub sending: SendingWords,
    /// What leaves as a file.
    pub exports: ExportWords,
    /// What went wrong with mails, by sort.
    pub errors: ErrorWords,
    /// Keys and the search box explained.
    pub help: HelpWords,
    /// The settings, and how the installation is.
    pub settings: SettingsWords,
    /// Users, and one's own sign-in.
    pub people: PeopleWords,
    /// The audit trail.
    pub trail: TrailWords,
    /// Tokens of the API.
    pub tokens: TokenWords,
    /// What went wrong.
    pub fault: FaultWords,
    /// What came of an act.
    pub notice: fn(&Notice) -> String,
}

/// Around every page.
pub struct FrameWords {
    /// The link over the bars.
    pub skip: Text,
    /// Names the bar.
    pub pages: Text,
    /// Where the search box leads.
    pub search: Text,
    /// In the empty search box.
    pub search_hint: Text,
    /// The search box's button.
    pub find: Text,
    /// When the page was read.
    pub as_of: fn(&Moment) -> String,
    /// The button.
    pub sign_out: Text,
    /// Whether mails can go out, where there is something to say.
    pub service: fn(&ServiceState) -> Option<String>,
    /// Since when.
    pub since: fn(&Moment) -> String,
}

/// Signing in.
pub struct SignInWords {
    /// Title.
    pub title: Text,
    /// First field.
    pub name: Text,
    /// Second field.
    pub password: Text,
    /// Button.
    pub submit: Text,
    /// Refused, without saying which of the two.
    pub wrong: Text,
    /// The database does not answer.
    pub later: Text,
    /// Too many tries.
    pub wait: Text,
    /// The button of OpenID Connect.
    pub oidc: fn(&str) -> String,
    /// Between it and the form for a password.
    pub or: Text,
    /// The provider does not answer.
    pub oidc_down: fn(&str) -> String,
    /// The provider, or what it sent, was refused.
    pub oidc_refused: Text,
    /// Not begun in this browser, or too long ago.
    pub oidc_stale: Text,
    /// Known there, and no role here.
    pub oidc_role: Text,
    /// Disabled here.
    pub oidc_disabled: Text,
    /// Every name is taken.
    pub oidc_name: Text,
}

/// The overview.
pub struct OverviewWords {
    /// Title.
    pub title: Text,
    /// What needs a person.
    pub needs: Text,
    /// How many of them; leads to their list.
    pub needs_count: fn(i64) -> String,
    /// Beside them, so many that are still asked about.
    pub asked_beside: fn(i64) -> String,
    /// Of a figure, so many that are still asked about.
    pub asked_of: fn(i64) -> String,
    /// So many mails are due, and nothing sends them.
    pub idle: fn(i64) -> String,
    /// Words under a figure, with what is to be said of a part of it.
    pub with_note: fn(&str, note: &str) -> String,
    /// By what the ages count.
    pub by_age: Text,
    /// Under the number of refused ones.
    pub refused_note: Text,
    /// Under the number of those not tried again.
    pub final_note: Text,
    /// Head over the held ones.
    pub held: Text,
    /// Under their number.
    pub held_note: Text,
    /// Of those held, so many stand under another head too.
    pub held_too: fn(i64) -> String,
    /// Bounced or reported as spam in the last 30 days; leads to their list.
    pub bounced: fn(Count) -> String,
    /// Nothing to do.
    pub all_clear: Text,
    /// Counts by state.
    pub counts: Text,
    /// Of which time.
    pub counts_note: Text,
    /// Of those not sent, these go again by themselves.
    pub retrying: fn(i64) -> String,
    /// Of those, these are only assumed.
    pub assumed: fn(i64) -> String,
    /// The histogram.
    pub histogram: Text,
    /// What is in it.
    pub histogram_note: Text,
    /// Nothing is in it.
    pub histogram_empty: Text,
    /// What it is, for those who do not see it.
    pub histogram_caption: Text,
    /// Head of its first column.
    pub attempts: Text,
    /// Heads of its bars.
    pub bars: [Text; 5],
    /// Beside a bar cut short.
    pub cut: Text,
    /// Sending or needs checking.
    pub open: Text,
    /// Sums.
    pub sum: Text,
    /// Shares.
    pub share: Text,
    /// The processes.
    pub workers: Text,
    /// Where they come from.
    pub workers_note: Text,
    /// Look-ups that are open, and those of them that get no clear answer.
    pub lookups: fn(i64, i64) -> String,
    /// None was seen, whether or not a service is set.
    pub no_workers: fn(service: bool) -> Text,
    /// Their columns: name, last seen, in flight, accepted in the last hour.
    pub worker_columns: [Text; 4],
    /// A process that has not said for a while that it lives.
    pub worker_silent: Text,
    /// A process that sends only what people resend.
    pub resends_only: Text,
}

/// The list.
pub struct ListWords {
    /// Title.
    pub title: Text,
    /// How many rows, and their order.
    pub count: fn(Count) -> String,
    /// Names the filter line.
    pub filters: Text,
    /// The menus.
    pub status: Text,
    /// The menus.
    pub kind: Text,
    /// The menus.
    pub period: Text,
    /// No kind chosen.
    pub any_kind: Text,
    /// First day.
    pub from: Text,
    /// Last day.
    pub to: Text,
    /// What days mean, and how they may be written.
    pub date_hint: fn(Basis) -> Text,
    /// Button of the menus.
    pub apply: Text,
    /// A status in a menu or a chip.
    pub list_status: fn(ListStatus) -> Text,
    /// Who is waiting for whom.
    pub needs: fn(Needs) -> Text,
    /// The menus: what became of accepted mails.
    pub delivery: Text,
    /// A part of a status or of everything.
    pub only: fn(Only) -> Text,
    /// Before its chip.
    pub only_label: Text,
    /// Before the chip of the days: what they mean.
    pub days_of: fn(Basis) -> Text,
    /// Before the chip of `needs`.
    pub needs_label: Text,
    /// Before the chip of the search text.
    pub query: Text,
    /// The same, where it is a part.
    pub query_part: Text,
    /// What is to be said of a search text.
    pub search_note: fn(SearchNote) -> Text,
    /// Something has just this number or address.
    pub found_whole: Text,
    /// The link to everything that has it as a part.
    pub parts_too: fn(&str) -> String,
    /// A chip's days.
    pub span: fn(Option<NaiveDate>, Option<NaiveDate>) -> String,
    /// Before the chip of what went wrong.
    pub error: Text,
    /// Takes a condition away.
    pub remove: fn(&str) -> String,
    /// Takes all of them away.
    pub clear: Text,
    /// What was not understood.
    pub hint: fn(Hint) -> Text,
    /// What the table is.
    pub caption: fn(Basis) -> Text,
    /// Columns: order, kind, recipient, status, attempts, decided, accepted.
    pub columns: [Text; 7],
    /// Accepted on the next day.
    pub next_day: Text,
    /// Nothing found, for a search text.
    pub none_for: fn(&str) -> String,
    /// Nothing found.
    pub none: Text,
    /// What to do about it.
    pub none_help: Text,
    /// No mails at all.
    pub empty: Text,
    /// What to do about it.
    pub empty_help: Text,
    /// Names the pager.
    pub pager: Text,
    /// Newer rows.
    pub newer: fn(i64) -> String,
    /// Older rows.
    pub older: fn(i64) -> String,
    /// Rows a page.
    pub page_size: fn(i64) -> String,
    /// Where a row has no recipient.
    pub no_recipient: Text,
}

/// What went wrong: a head, and what to do.
pub struct FaultWords {
    /// No such page.
    pub not_found: [Text; 2],
    /// Not signed in.
    pub signed_out: [Text; 2],
    /// Not allowed.
    pub forbidden: [Text; 2],
    /// Not understood.
    pub bad_input: [Text; 2],
    /// The database does not answer.
    pub unavailable: [Text; 2],
    /// The server does not answer.
    pub no_connection: [Text; 2],
    /// Head where an act failed, not a page.
    pub act: Text,
    /// An act that no answer came to: what it is, and what to do. The form is still there.
    pub act_lost: [Text; 2],
    /// Before the number to quote.
    pub reference: Text,
    /// Link.
    pub home: Text,
    /// Link.
    pub again: Text,
}
