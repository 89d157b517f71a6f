//! Resending many mails.

use super::{Count, NoticeKind, Outcome};
use crate::model::filter::{Filter, Hint};
use crate::model::{Face, Moment};
use serde::{Deserialize, Serialize};

/// So many mails may be resent together.
pub const LARGEST_BULK: i64 = 5_000;

/// What a filter would take, before anything is kept of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkNew {
    /// The filter as understood.
    pub filter: Filter,
    /// What was not understood.
    pub hints: Vec<Hint>,
    /// Mails in the filter now.
    pub count: Count,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BulkState {
    /// Looked at, not started.
    Preview,
    /// Under way.
    Running,
    /// Stopped before its end.
    Stopped,
    /// Every mail has had its turn.
    Done,
}

impl BulkState {
    /// Every state.
    pub const ALL: [BulkState; 4] = [
        BulkState::Preview,
        BulkState::Running,
        BulkState::Stopped,
        BulkState::Done,
    ];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            BulkState::Preview => "preview",
            BulkState::Running => "running",
            BulkState::Stopped => "stopped",
            BulkState::Done => "done",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<BulkState> {
        BulkState::ALL.into_iter().find(|s| s.as_str() == word)
    }
}

/// Who did something, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doing {
    /// The sign-in name.
    pub by: String,
    /// When.
    pub at: Moment,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bulk {
    /// Its id.
    pub id: i64,
    /// When this was read.
    pub as_of: Moment,
    /// How far it is.
    pub state: BulkState,
    /// The list's filter.
    pub filter: Filter,
    /// Its search is masked for who reads this, so that it leads to no list.
    pub filter_masked: bool,
    /// Not started, and seen too long ago to be started.
    pub outdated: bool,
    /// Who froze what they saw.
    pub frozen: Doing,
    /// Why it was started.
    pub reason: Option<String>,
    /// Who started it.
    pub started: Option<Doing>,
    /// Who stopped it.
    pub stopped: Option<Doing>,
    /// It stopped by itself, since whoever started it may not any more.
    pub revoked: bool,
    /// When it ended.
    pub ended_at: Option<Moment>,
    /// How its mails stand.
    pub counts: BulkCounts,
}

/// How the mails of a job stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkCounts {
    /// All of them.
    pub total: i64,
    /// Left out from the beginning, by reason, the commonest first.
    pub refused: Vec<(NoticeKind, i64)>,
    /// Their turn is still to come.
    pub waiting: i64,
    /// Resent, by what has become of them.
    pub resent: Vec<(Face, i64)>,
    /// Left alone when their turn came.
    pub skipped: i64,
}

impl BulkCounts {
    /// Mails that are resent or were to be.
    pub fn eligible(&self) -> i64 {
        self.waiting + self.had_turn()
    }

    /// Those whose turn has been.
    pub fn had_turn(&self) -> i64 {
        self.skipped + self.resent.iter().map(|(_, n)| n).sum::<i64>()
    }
}

/// A job with some of its mails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkPage {
    /// The job.
    pub bulk: Bulk,
    /// Some of its mails, in the order of their turns.
    pub rows: Vec<BulkRow>,
    /// Of all those still to be resent, the ones of which nobody knows whether they were accepted before.
    pub doubtful: i64,
    /// The place before the first one.
    pub from: i32,
    /// Mails a page holds at most.
    pub page_size: i64,
}

/// A mail of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkRow {
    /// Its place.
    pub place: i32,
    /// Its id.
    pub id: i64,
    /// What it is about.
    pub order_id: String,
    /// What sort of mail it is.
    pub kind: String,
    /// Which copy.
    pub copy: i32,
    /// To whom.
    pub recipient: String,
    /// What became of it.
    pub result: BulkResult,
    /// When.
    pub at: Option<Moment>,
}

/// What became of a mail of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BulkResult {
    /// Left out from the beginning.
    Refused(NoticeKind),
    /// Its turn is still to come.
    Waiting {
        /// Nobody knows whether it was accepted before: it may arrive twice.
        doubtful: bool,
    },
    /// Resent.
    Resent {
        /// The last attempt made of it; a person's later one is not the job's.
        attempt: i32,
        /// What has become of it.
        face: Face,
    },
    /// Left alone when its turn came.
    Skipped {
        /// Why.
        why: NoticeKind,
        /// Who was faster.
        by: Option<String>,
    },
}

/// How the last attempt before a person sent the mail again is shown: whatever was in doubt then had been
/// found not to have been accepted.
pub fn face_of(outcome: Outcome) -> Face {
    match outcome {
        Outcome::Accepted => Face::Accepted,
        Outcome::Refused => Face::Refused,
        Outcome::Unknown
        | Outcome::NeverLeft
        | Outcome::Temporary
        | Outcome::Account
        | Outcome::Released => Face::NotSent,
    }
}

/// What came of an act on a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BulkAnswer {
    /// It is under way.
    Started,
    /// It is stopped.
    Stopped,
    /// Refused: a reason is needed.
    ReasonMissing,
    /// Refused: there is nothing to start, it was seen too long ago, or somebody has started it.
    NotStarted,
    /// Refused: it does not run any more.
    NotRunning,
    /// Refused: more mails than may be resent together.
    TooMany,
    /// Refused: the filter has no mails, or was not understood.
    Nothing,
}
