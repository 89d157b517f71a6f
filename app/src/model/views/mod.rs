//! What pages are given to show. Counts are exact unless they say otherwise.

mod act;
mod attempt;
mod bulk;
mod errors;
mod frame;
mod list;
mod mail;
mod overview;
mod people;
mod report;
mod sending;
mod settings;
mod token;
mod trail;

pub use act::{Draft, Form, LONGEST_REASON, Told, written};
pub use attempt::{Attempt, Cause, Outcome};
pub use bulk::{
    Bulk, BulkAnswer, BulkCounts, BulkNew, BulkPage, BulkResult, BulkRow, BulkState, Doing,
    LARGEST_BULK, face_of,
};
pub use errors::{ErrorGroup, Errors, Failure};
pub use frame::{Count, Frame, LotAnswer, LotNotice, Me, News, Notice, NoticeKind, ServiceState};
pub use list::{
    LARGEST_LOT, ListNews, Lot, MOST_NEWER, MOST_SHOWN, MailList, MailRow, SearchNote, Seen,
};
pub use mail::{ActRecord, Case, Cases, Lookup, Mail, Observation};
pub use overview::{Bar, Counts, DayCount, Days, Histogram, Overview, Worker};
pub use people::{
    Account, AccountAnswer, SignIn, UserAnswer, UserDraft, UserForm, UserNotice, UserPage, UserRow,
    Users,
};
pub use report::{
    Closed, KindLine, MonthAnswer, MonthNotice, MonthReport, MonthTable, Past, Unsettled,
};
pub use sending::{Delay, Delays, Hour, Sending, Tries, Unknowns};
pub use settings::{
    Alerts, Installation, LookupAnswer, LookupWay, Lookups, Paused, PostRefusal, Posts, Process,
    Service, Setting, SettingGroup, SettingSource, SettingValue, SettingsPage, Webhook,
    WebhookState,
};
pub use token::{Token, TokenAnswer, TokenEnd, TokenNotice, TokenScope, Tokens};
pub use trail::{Subject, Trail, TrailLine, Value};
