//! What each page shows.

use super::{Office, shown};
use crate::db::limited::PATIENCE;
use crate::db::{DbError, LooseText, Stamp};
use crate::outbox::decided_by_after;
use crate::outbox::list::{Page, Where};
use crate::outbox::row::Row;
use crate::outbox::search::Search;
use crate::outbox::{asked, conditions, copies, list, read, state, workers};
use app::model::filter::{Hint, Only};
use app::model::views::{
    Count, Counts, Histogram, ListNews, MOST_NEWER, Mail, MailList, Me, Overview, SearchNote,
    Worker,
};
use app::model::{Cursor, Filter, Intake, Moment, Role, Status};
use std::time::Duration;

const PAGE: i64 = 50;
/// Counting a filter stops here.
const COUNTED: i64 = 10_000;
/// Longest that a search waits for its count.
const COUNT_PATIENCE: Duration = Duration::from_millis(700);

/// A number that was counted up to [`COUNTED`].
fn counted(n: i64) -> Count {
    if n > COUNTED {
        Count::AtLeast(COUNTED)
    } else {
        Count::Exact(n)
    }
}

/// A query string as understood at this moment, and what of it was not.
pub(super) fn filter_at(query: &str, as_of: Moment) -> (Filter, Vec<Hint>) {
    let params = params(query);
    Filter::parse(pairs(&params), as_of.0.date_naive())
}

/// What a query string says.
pub(super) fn params(query: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect()
}

/// The same, as filters read it.
pub(super) fn pairs(params: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    params
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

impl Office {
    pub(super) async fn read_overview(&self) -> Result<Overview, DbError> {
        let now = self.db.now().await?;
        let (sending, check_by_age) = read::open(&self.db, now).await?;
        let check = check_by_age.iter().sum();
        let unsettled = read::unsettled(&self.db).await?;
        let of = |status: Status| {
            unsettled
                .iter()
                .find(|(word, ..)| word == status.as_str())
                .map_or((0, 0), |(_, all, retrying)| (*all, *retrying))
        };
        let assumed = read::assumed(&self.db).await?;
        let assumed = |status: Status| {
            assumed
                .iter()
                .find(|(word, _)| word == status.as_str())
                .map_or(0, |(_, n)| *n)
        };
        let others: i64 = unsettled.iter().map(|(_, n, _)| n).sum();
        let synced = read::synced(&self.db, others).await?;
        let (failed, failed_retrying) = of(Status::Failed);
        let since = Stamp::new(now.utc() - chrono::Duration::days(30));
        let mut histogram = Histogram::default();
        for (bar, status, count) in read::histogram(&self.db, since).await? {
            if let (Some(bar), Some(status)) = (histogram.bar(bar), Status::parse(&status)) {
                bar.add(status, count);
            }
        }
        let workers = workers::seen(&self.db).await?;
        let questions = state::questions(&self.db).await?;
        let needs = conditions::needs(&self.db).await?;
        Ok(Overview {
            as_of: self.moment(now),
            needs_person: needs.person,
            still_asked: needs.asked,
            asked_failed: needs.asked_failed,
            held_too: needs.held_too,
            bounced: self.bounced(now).await?,
            due: read::due(&self.db).await?,
            check_by_age,
            rejected: of(Status::Rejected).0,
            failed_final: failed - failed_retrying,
            held: read::held(&self.db).await?,
            counts: Counts {
                pending: of(Status::Pending).0,
                sending,
                check,
                synced,
                synced_assumed: assumed(Status::Synced),
                failed,
                failed_retrying,
                failed_assumed: assumed(Status::Failed),
                rejected: of(Status::Rejected).0,
                canceled: of(Status::Canceled).0,
            },
            histogram,
            days: self.accepted_days(now).await?,
            service: self.sender.is_some(),
            lookups: questions.open,
            lookups_failing: questions.failing,
            workers: workers
                .into_iter()
                .map(|w| Worker {
                    name: w.name,
                    resends_only: w.resends_only,
                    seen: self.moment(w.seen_at),
                    in_flight: w.in_flight,
                    accepted_last_hour: w.accepted_last_hour,
                })
                .collect(),
        })
    }

    /// Mails of the last 30 days that the recipients' side did not want: their list, and how many.
    async fn bounced(&self, now: Stamp) -> Result<(Filter, Count), DbError> {
        let today = self.moment(now).0.date_naive();
        let filter = Filter {
            only: vec![Only::BouncedOrComplained],
            from: today.checked_sub_days(chrono::Days::new(29)),
            ..Filter::default()
        };
        let from = filter.from.and_then(|day| self.day_begins(day));
        let condition = Where::new(&filter, from, None, None);
        let count = list::count_up_to(&self.db, &condition, COUNTED).await?;
        Ok((filter, counted(count)))
    }

    /// A query string as understood now, and what of it was not.
    pub(super) async fn read_filter(&self, query: &str) -> Result<(Filter, Vec<Hint>), DbError> {
        let as_of = self.moment(self.db.now().await?);
        Ok(filter_at(query, as_of))
    }

    pub(super) async fn read_list(&self, me: &Me, query: &str) -> Result<MailList, DbError> {
        let as_of = self.moment(self.db.now().await?);
        let (filter, hints) = filter_at(query, as_of);
        let (condition, search) = self.filter_where(me, &filter).await?;
        let (page, count) = self.read_page(&filter, &condition, &search).await?;
        let mut note = search.note;
        let page = page.unwrap_or_else(|| {
            note = Some(SearchNote::TooCommon);
            Page::default()
        });
        let straight = search
            .straight
            .or_else(|| {
                // A number that is nothing but the id of the only mail found.
                let [row] = &page.rows[..] else { return None };
                let by_id = search.id == Some(row.id) && page.newer.is_none();
                let digits = row.id.to_string();
                let also = |text: &str| text.contains(&digits);
                let address = row.recipient.as_ref().map(LooseText::shown);
                let nothing_else = !also(row.order_id.shown()) && !address.is_some_and(also);
                (by_id && nothing_else).then_some(row.id)
            })
            .filter(|_| {
                let as_typed = filter.is_search_alone() && !filter.part;
                as_typed && filter.cursor.is_none() && hints.is_empty()
            });
        let at = |cursor| Filter {
            cursor: Some(cursor),
            ..filter.clone()
        };
        let mut list = MailList {
            as_of,
            hints,
            rows: page
                .rows
                .iter()
                .map(|row| self.line(row))
                .collect::<Result<_, _>>()?,
            top: page.top,
            newer: page.newer.map(at),
            older: page.older.map(at),
            count,
            kinds: read::kinds(&self.db).await?,
            page_size: PAGE,
            search: note,
            failed: match &filter.failed {
                Some(failed) => self.failure(&failed.hash).await?,
                None => None,
            },
            parts: search.parts_too.then(|| Filter {
                part: true,
                ..filter.first_page()
            }),
            straight,
            may_resend: me.role >= Role::Lead,
            lot: self.lot(me, &filter, &condition).await?,
            filter,
        };
        self.mask_rows(me, &mut list.rows);
        Ok(list)
    }

    /// A page and its count. A page of what a common part names is given up where it takes too long.
    async fn read_page(
        &self,
        filter: &Filter,
        condition: &Where,
        search: &Search,
    ) -> Result<(Option<Page>, Count), DbError> {
        let db = &self.db;
        let page = if filter.q.is_some() {
            list::list_within(db, condition, filter.cursor, PAGE, PATIENCE).await?
        } else {
            Some(list::list(db, condition, filter.cursor, PAGE).await?)
        };
        let count = match page {
            Some(_) => self.count(filter, condition, search).await?,
            None => Count::Unknown,
        };
        Ok((page, count))
    }

    /// How many rows a filter has.
    pub(super) async fn count(
        &self,
        filter: &Filter,
        condition: &Where,
        search: &Search,
    ) -> Result<Count, DbError> {
        let db = &self.db;
        if filter.q.is_some() {
            // More than are counted were found on the way.
            if search.common && filter.is_search_alone() {
                return Ok(Count::AtLeast(COUNTED));
            }
            let n = list::count_within(db, condition, COUNTED, COUNT_PATIENCE).await?;
            return Ok(n.map_or(Count::Unknown, counted));
        }
        Ok(if filter.is_any() {
            read::total(db).await?
        } else {
            counted(list::count_up_to(db, condition, COUNTED).await?)
        })
    }

    pub(super) async fn read_list_news(
        &self,
        me: &Me,
        query: &str,
        ids: &[i64],
        top: Option<Cursor>,
    ) -> Result<ListNews, DbError> {
        let (filter, _) = self.read_filter(query).await?;
        let (condition, search) = self.filter_where(me, &filter).await?;
        let newer = match (top, filter.cursor, ids) {
            (None, None, []) | (Some(_), ..) => {
                // Where the list was empty, whatever it has now is new.
                let newer = list::count_beyond(&self.db, &condition, top, MOST_NEWER, PATIENCE);
                newer.await?.unwrap_or(0)
            }
            (None, ..) => 0,
        };
        let ids = crate::db::id_list(ids.iter().copied());
        let rows = read::summaries(&self.db, &ids).await?;
        let mut news = ListNews {
            rows: rows
                .iter()
                .map(|row| self.line(row))
                .collect::<Result<_, _>>()?,
            newer,
            count: self.count(&filter, &condition, &search).await?,
        };
        self.mask_rows(me, &mut news.rows);
        Ok(news)
    }

    /// One mail as the desk shows it.
    pub async fn read_mail(&self, id: i64) -> Result<Option<Mail>, DbError> {
        let Some(row) = read::by_id(&self.db, id).await? else {
            return Ok(None);
        };
        let now = self.db.now().await?;
        let order = row.order_id.shown();
        let others = read::by_order(&self.db, order, 51).await?;
        let observations = read::observations(&self.db, id).await?;
        let attempts = read::attempts(&self.db, id).await?;
        let standing = row.standing(None, self.config.from.as_ref(), self.sender.is_some())?;
        Ok(Some(Mail {
            as_of: self.moment(now),
            row: self.line(&row)?,
            status: row.status()?,
            settled_by: row.settled_by(),
            delivery: row.delivery(),
            delivery_at: self.maybe(row.delivery_at),
            version: row.version,
            reference: row.reference.clone(),
            subject: shown(&row.subject),
            sender: row
                .sender
                .as_ref()
                .map(|t| t.shown().to_owned())
                .filter(|t| !t.is_empty()),
            reply_to: row
                .reply_to
                .as_ref()
                .map(|t| t.shown().to_owned())
                .filter(|t| !t.is_empty()),
            has_body: row.has_body(),
            error: row.error.clone(),
            held_reason: row.held_reason.as_deref().map(str::to_owned),
            held_by: row.held_by(),
            lookup: asked::lookups(&self.db, &id.to_string())
                .await?
                .first()
                .map(|(_, row)| self.lookup(row)),
            possible_duplicate: row.possible_duplicate,
            not_before: self.maybe(row.not_before),
            next_attempt_at: self.maybe(row.next_attempt_at),
            lease_until: self.maybe(row.lease_until),
            unknown_at: self.maybe(row.unknown_at),
            message_id: self.message_id(&row),
            provider_message_id: row.provider_message_id.clone(),
            provider: row.provider.clone(),
            max_attempts: self.config.max_attempts,
            service: self.service().await?,
            idle: self.sender.is_some() && !workers::sending(&self.db).await?,
            shows_by: attempts.last().and_then(|last| self.shows_by(last)),
            intake: self.intake(&row).await?,
            original: row.original_id,
            next_copy: copies::next(&self.db, id).await?,
            masked: false,
            unsendable: standing.fault.map(|fault| fault.to_string()),
            attempts: attempts.into_iter().map(|a| self.attempt(a)).collect(),
            observations: observations
                .into_iter()
                .map(|o| self.observation(o))
                .collect(),
            acts: read::acts(&self.db, id)
                .await?
                .into_iter()
                .map(|a| self.act(a))
                .collect(),
            others: others
                .iter()
                .filter(|other| other.id != id)
                .map(|other| self.line(other))
                .collect::<Result<_, _>>()?,
        }))
    }

    /// By which way a mail was decided.
    async fn intake(&self, row: &Row) -> Result<Intake, DbError> {
        let written = match row.decided_by {
            Some(_) => true,
            None => row.id > decided_by_after(&self.db).await?,
        };
        Ok(Intake::of(row.decided_by.as_deref(), written))
    }
}
