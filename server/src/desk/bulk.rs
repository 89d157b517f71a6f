//! Resending many mails.

use super::pages::filter_at;
use super::{Office, hide, lead, reason_of, shown};
use crate::db::{DbError, id_list};
use crate::outbox::bulk::{self, CountRow, ItemRow, JobRow, Seen};
use crate::outbox::row::Row;
use crate::outbox::{list, read};
use app::desk::Many;
use app::error::AppError;
use app::model::mask::mask;
use app::model::views::{
    Bulk, BulkAnswer, BulkCounts, BulkNew, BulkPage, BulkResult, BulkRow, BulkState, Doing,
    LARGEST_BULK, Me, NoticeKind,
};
use app::model::{Face, Moment, Status};
use async_trait::async_trait;

/// Mails of a job on a page.
const PAGE: i64 = 100;
/// Jobs listed.
const JOBS: i64 = 20;
/// Mails whose bodies are looked through at once: each may have 20 MB.
const TOGETHER: usize = 10;

/// The word by which a refusal is stored.
pub fn kind_word(kind: NoticeKind) -> String {
    let word = serde_json::to_value(kind).ok();
    word.and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Reads it; an unknown one says that something has changed.
fn kind_of(word: &str) -> NoticeKind {
    serde_json::from_value(word.into()).unwrap_or(NoticeKind::Changed)
}

impl Office {
    /// The mails as they stand, each with why it cannot be resent, where it cannot: by the rule
    /// that a single resend is judged by.
    async fn judged(&self, rows: &[Row]) -> Result<Vec<Seen>, DbError> {
        let mut seen = Vec::with_capacity(rows.len());
        for part in rows.chunks(TOGETHER) {
            // Only what could be resent is looked through, bodies and all.
            let open = part.iter().filter(|row| {
                matches!(row.status(), Ok(Status::Failed | Status::Rejected))
                    && row.held_reason.is_none()
            });
            let whole = read::whole(&self.db, &id_list(open.map(|row| row.id))).await?;
            for row in part {
                // What is judged is what is kept: the version that was read with the bodies.
                let row = whole.iter().find(|w| w.id == row.id).unwrap_or(row);
                let from = self.config.from.as_ref();
                let standing = row.standing(None, from, self.sender.is_some())?;
                seen.push(Seen {
                    id: row.id,
                    version: row.version,
                    attempt: row.attempts,
                    refusal: standing.resend().err().map(kind_word),
                });
            }
        }
        Ok(seen)
    }

    async fn prepare(&self, me: &Me, query: &str) -> Result<Result<i64, BulkAnswer>, DbError> {
        let (filter, hints) = self.read_filter(query).await?;
        let filter = filter.first_page();
        // A filter that was not understood would take more than was meant.
        if !hints.is_empty() || filter.is_any() {
            return Ok(Err(BulkAnswer::Nothing));
        }
        let (condition, _) = self.filter_where(me, &filter).await?;
        let page = list::list(&self.db, &condition, None, LARGEST_BULK + 1).await?;
        if i64::try_from(page.rows.len()).is_ok_and(|n| n > LARGEST_BULK) {
            return Ok(Err(BulkAnswer::TooMany));
        }
        if page.rows.is_empty() {
            return Ok(Err(BulkAnswer::Nothing));
        }
        // Those that have waited longest go first.
        let mut rows = page.rows;
        rows.reverse();
        let seen = self.judged(&rows).await?;
        let job = bulk::freeze(&self.db, &filter.to_query(), &me.name, &seen).await?;
        Ok(Ok(job))
    }

    /// Jobs with what became of their mails.
    async fn jobs(&self, me: &Me, rows: Vec<JobRow>) -> Result<Vec<Bulk>, DbError> {
        let as_of = self.moment(self.db.now().await?);
        let counts = bulk::counts(&self.db, &id_list(rows.iter().map(|row| row.id))).await?;
        rows.into_iter()
            .map(|row| {
                let counts = counted(counts.iter().filter(|count| count.job_id == row.id));
                self.job(me, row, counts, as_of)
            })
            .collect()
    }

    fn job(
        &self,
        me: &Me,
        row: JobRow,
        counts: BulkCounts,
        as_of: Moment,
    ) -> Result<Bulk, DbError> {
        let doing = |by: Option<String>, at| {
            let at = self.maybe(at)?;
            by.map(|by| Doing { by, at })
        };
        let state = BulkState::parse(&row.state).ok_or(DbError::Corrupt {
            column: "state",
            id: row.id,
        })?;
        let mut filter = filter_at(&row.query, as_of).0;
        let sought = filter.q.clone();
        filter.q = filter.q.map(|q| self.text_for(me, q));
        let frozen_at = self.moment(row.created_at);
        let age = (as_of.0 - frozen_at.0).to_std().unwrap_or_default();
        Ok(Bulk {
            id: row.id,
            as_of,
            state,
            filter_masked: filter.q != sought,
            filter,
            outdated: state == BulkState::Preview && age >= bulk::FRESH,
            frozen: Doing {
                by: row.created_by,
                at: frozen_at,
            },
            reason: row.reason.map(|reason| self.text_for(me, reason)),
            revoked: state == BulkState::Stopped && row.stopped_by.is_none(),
            started: doing(row.started_by, row.started_at),
            stopped: doing(row.stopped_by, row.ended_at),
            ended_at: self.maybe(row.ended_at),
            counts,
        })
    }

    fn item(&self, me: &Me, row: ItemRow, doubtful: bool) -> BulkRow {
        let result = match (&row.refusal, row.result.as_deref()) {
            (Some(why), _) => BulkResult::Refused(kind_of(why)),
            (None, None) => BulkResult::Waiting { doubtful },
            (None, Some("resent")) => BulkResult::Resent {
                attempt: row.attempt,
                face: row.became.face(),
            },
            (None, Some(_)) => BulkResult::Skipped {
                why: kind_of(row.why.as_deref().unwrap_or_default()),
                by: row.by_whom,
            },
        };
        let recipient = shown(&row.recipient);
        BulkRow {
            place: row.place,
            id: row.submission_id,
            order_id: row.order_id.shown().to_owned(),
            kind: row.kind.shown().to_owned(),
            copy: row.copy,
            recipient: if self.masks(me) {
                mask(&recipient)
            } else {
                recipient
            },
            result,
            at: self.maybe(row.at),
        }
    }
}

/// Sums up how the mails of a job stand.
fn counted<'a>(rows: impl Iterator<Item = &'a CountRow>) -> BulkCounts {
    let mut counts = BulkCounts::default();
    for row in rows {
        counts.total += row.count;
        match (&row.refusal, row.result.as_deref()) {
            (Some(why), _) => add(&mut counts.refused, kind_of(why), row.count),
            (None, None) => counts.waiting += row.count,
            (None, Some("resent")) => add(&mut counts.resent, row.became.face(), row.count),
            (None, Some(_)) => counts.skipped += row.count,
        }
    }
    counts.refused.sort_by_key(|(_, n)| -n);
    counts
        .resent
        .sort_by_key(|(face, _)| ORDER.iter().position(|f| f == face));
    counts
}

/// The order in which what became of the resent ones is told.
const ORDER: [Face; 6] = [
    Face::Accepted,
    Face::Sending,
    Face::NeedsChecking,
    Face::Refused,
    Face::NotSent,
    Face::CalledOff,
];

fn add<T: PartialEq>(to: &mut Vec<(T, i64)>, what: T, count: i64) {
    match to.iter_mut().find(|(one, _)| *one == what) {
        Some((_, n)) => *n += count,
        None => to.push((what, count)),
    }
}

#[async_trait]
impl Many for Office {
    async fn bulk_new(&self, me: &Me, query: &str) -> Result<BulkNew, AppError> {
        lead(me)?;
        let read = async {
            let (filter, hints) = self.read_filter(query).await?;
            let filter = filter.first_page();
            let (condition, search) = self.filter_where(me, &filter).await?;
            Ok::<_, DbError>(BulkNew {
                count: self.count(&filter, &condition, &search).await?,
                filter,
                hints,
            })
        };
        read.await.map_err(hide)
    }

    async fn bulk_prepare(
        &self,
        me: &Me,
        query: &str,
    ) -> Result<Result<i64, BulkAnswer>, AppError> {
        lead(me)?;
        self.prepare(me, query).await.map_err(hide)
    }

    async fn bulk(&self, me: &Me, id: i64, from: i32) -> Result<BulkPage, AppError> {
        lead(me)?;
        let from = from.max(0);
        let read = async {
            let job = bulk::job(&self.db, id).await?;
            let Some(bulk) = self.jobs(me, job.into_iter().collect()).await?.pop() else {
                return Ok(None);
            };
            let rows = bulk::items(&self.db, id, from, PAGE).await?;
            let doubtful = bulk::doubtful(&self.db, id).await?;
            let item = |row: ItemRow| {
                let doubtful = doubtful.contains(&row.submission_id);
                self.item(me, row, doubtful)
            };
            Ok::<_, DbError>(Some(BulkPage {
                bulk,
                rows: rows.into_iter().map(item).collect(),
                doubtful: i64::try_from(doubtful.len()).unwrap_or(i64::MAX),
                from,
                page_size: PAGE,
            }))
        };
        read.await.map_err(hide)?.ok_or(AppError::NotFound)
    }

    async fn bulks(&self, me: &Me) -> Result<Vec<Bulk>, AppError> {
        lead(me)?;
        let read = async { self.jobs(me, bulk::jobs(&self.db, JOBS).await?).await };
        read.await.map_err(hide)
    }

    async fn bulk_start(&self, me: &Me, id: i64, reason: &str) -> Result<BulkAnswer, AppError> {
        lead(me)?;
        let Some(reason) = reason_of(reason) else {
            return Ok(BulkAnswer::ReasonMissing);
        };
        let started = bulk::start(&self.db, id, &me.name, &reason).await;
        Ok(match started.map_err(hide)? {
            true => BulkAnswer::Started,
            false => BulkAnswer::NotStarted,
        })
    }

    async fn bulk_stop(&self, me: &Me, id: i64) -> Result<BulkAnswer, AppError> {
        lead(me)?;
        let stopped = bulk::stop(&self.db, id, &me.name).await;
        Ok(match stopped.map_err(hide)? {
            true => BulkAnswer::Stopped,
            false => BulkAnswer::NotRunning,
        })
    }
}
