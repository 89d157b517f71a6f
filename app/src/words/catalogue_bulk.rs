//! Resending many mails.

use super::catalogue::Text;
use crate::model::views::{BulkAnswer, BulkState, Count, NoticeKind};

/// Resending many mails.
pub struct BulkWords {
    /// The page of all jobs, and the link on a list.
    pub title: Text,
    /// On the page of all jobs: where a new one begins.
    pub how: Text,
    /// No job yet.
    pub no_jobs: Text,
    /// Columns of the jobs: started, filter, state, by whom.
    pub job_columns: [Text; 4],
    /// The page of a new one.
    pub new_title: Text,
    /// One job.
    pub job_title: fn(i64) -> String,
    /// Leads to all jobs.
    pub all_jobs: Text,
    /// How far it is.
    pub state: fn(BulkState) -> Text,
    /// The list's filter.
    pub filter: Text,
    /// Leads to the list.
    pub to_list: Text,
    /// Mails in the filter now.
    pub now: Text,
    /// So many mails.
    pub mails: fn(Count) -> String,
    /// What preparing does.
    pub prepare_note: Text,
    /// Its button.
    pub prepare: Text,
    /// Its button, while it works.
    pub preparing: Text,
    /// No filter, or one that was not understood.
    pub no_filter: Text,
    /// No mails in it.
    pub nothing: Text,
    /// More than may be resent together.
    pub too_many: fn(i64) -> String,
    /// When and by whom it was frozen.
    pub frozen: Text,
    /// When and by whom it was started.
    pub started: Text,
    /// When and by whom it was stopped.
    pub stopped: Text,
    /// It stopped by itself, since whoever started it may not any more.
    pub revoked: Text,
    /// It was seen too long ago to be started.
    pub outdated: Text,
    /// When it ended.
    pub ended: Text,
    /// Of all that was seen, so many are resent.
    pub eligible: fn(eligible: i64, total: i64) -> String,
    /// It was stopped: so many had their turn, and so many did not.
    pub left_unsent: fn(turns: i64, waiting: i64) -> String,
    /// Leads to another one with the same filter.
    pub prepare_rest: Text,
    /// What that takes.
    pub prepare_rest_note: Text,
    /// Of so many nobody knows whether they were accepted before.
    pub doubtful_count: fn(i64) -> String,
    /// Before they are started.
    pub doubtful_warning: fn(i64) -> String,
    /// Beside one of them.
    pub doubtful: Text,
    /// Head over why the others are not.
    pub left_out: Text,
    /// So many are not, and why.
    pub refused: fn(NoticeKind, i64) -> String,
    /// Why one is not.
    pub why: fn(NoticeKind) -> Text,
    /// None can be resent.
    pub none_eligible: Text,
    /// Opens the form.
    pub start: fn(i64) -> String,
    /// What starting does.
    pub start_note: Text,
    /// Beside the field.
    pub reason_note: Text,
    /// In the empty field.
    pub reason_example: Text,
    /// The form's button.
    pub start_confirm: fn(i64) -> String,
    /// The button.
    pub stop: Text,
    /// The button, while it works.
    pub stopping: Text,
    /// What stopping does.
    pub stop_note: Text,
    /// Names the bar.
    pub progress: Text,
    /// So many of those had their turn.
    pub turns: fn(i64, i64) -> String,
    /// So many were left alone when their turn came.
    pub skipped_count: fn(i64) -> String,
    /// What the table is.
    pub caption: Text,
    /// Columns: order, kind, recipient, result.
    pub columns: [Text; 4],
    /// Its turn is still to come, or was to.
    pub waiting: fn(BulkState) -> Text,
    /// The last attempt made of it.
    pub attempt: fn(i32) -> String,
    /// Why it was left alone, and who was faster.
    pub skipped: fn(NoticeKind, Option<&str>) -> String,
    /// Names the pager.
    pub pager: Text,
    /// The mails before.
    pub before: fn(i64) -> String,
    /// The mails after.
    pub after: fn(i64) -> String,
    /// What came of an act.
    pub notice: fn(BulkAnswer) -> Text,
}
