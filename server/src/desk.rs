//! The desk's door, from the server's side: asks the outbox, and turns rows into what pages show.

use crate::config::Config;
use crate::db::{Db, DbError, LooseText, Stamp};
use crate::outbox::claim::{self, Resend, Resent};
use crate::outbox::operate::{self, Answered};
use crate::outbox::read::{self, ActRow, AttemptRow, Where};
use crate::outbox::row::Row;
use crate::outbox::{audit, pause, workers};
use crate::sender::Sender;
use crate::web::reference;
use app::desk::{Answer, Desk, Ticket};
use app::error::AppError;
use app::model::views::{
    ActRecord, Attempt, Bar, Case, Cases, Cause, Count, Counts, Frame, Histogram, Mail, MailList,
    MailRow, Me, Notice, NoticeKind, Observation, Outcome, Overview, ServiceState, Worker,
};
use app::model::{Filter, Moment, Status};
use async_trait::async_trait;
use chrono::{Days, NaiveDate, NaiveTime, TimeZone, Utc};
use std::sync::Arc;

/// The outbox, as pages see it.
pub struct Office {
    db: Db,
    config: Arc<Config>,
    /// Sends people's resends; none where no service is set.
    sender: Option<Arc<Sender>>,
}

const PAGE: i64 = 50;
const CASES: i64 = 100;
/// Counting a filter stops here.
const COUNTED: i64 = 10_000;

impl Office {
    /// An office over a database.
    pub fn new(db: Db, config: Arc<Config>, sender: Option<Arc<Sender>>) -> Office {
        Office { db, config, sender }
    }

    fn moment(&self, at: Stamp) -> Moment {
        Moment(
            at.utc()
                .with_timezone(&self.config.time_zone)
                .fixed_offset(),
        )
    }

    fn maybe(&self, at: Option<Stamp>) -> Option<Moment> {
        at.map(|at| self.moment(at))
    }

    /// The first point in time of a day of the zone.
    fn day_begins(&self, day: NaiveDate) -> Option<Stamp> {
        // Where a clock change skips midnight, the day begins at the first time there is.
        let zone = self.config.time_zone;
        let midnight = day.and_time(NaiveTime::MIN);
        (0..4).find_map(|hours| {
            zone.from_local_datetime(&(midnight + chrono::Duration::hours(hours)))
                .earliest()
                .map(|at| Stamp::new(at.with_timezone(&Utc)))
        })
    }

    fn filter_where(&self, filter: &Filter) -> Where {
        let from = filter.from.and_then(|day| self.day_begins(day));
        let until = filter
            .to
            .and_then(|day| day.checked_add_days(Days::new(1)))
            .and_then(|day| self.day_begins(day));
        Where::new(filter, from, until, None)
    }

    fn line(&self, row: &Row) -> Result<MailRow, DbError> {
        Ok(MailRow {
            id: row.id,
            order_id: row.order_id.shown().to_owned(),
            kind: row.kind.shown().to_owned(),
            copy: row.copy,
            occasion: row.occasion.shown().to_owned(),
            recipient: shown(&row.recipient),
            face: row.face()?,
            assumed: row.assumed(),
            held: row.held_reason.is_some(),
            attempts: row.attempts,
            created_at: self.moment(row.created_at),
            sent_at: self.maybe(row.sent_at),
        })
    }

    fn attempt(&self, row: AttemptRow) -> Attempt {
        Attempt {
            attempt: row.attempt,
            recipient: shown(&row.recipient),
            claimed_at: self.moment(row.claimed_at),
            closed_at: self.maybe(row.closed_at),
            outcome: row.outcome.as_deref().and_then(Outcome::parse),
            cause: row.cause.as_deref().and_then(Cause::parse),
            code: row.code,
            error: row.error,
            took_ms: row.took_ms,
            next_attempt_at: self.maybe(row.next_attempt_at),
            worker: row.worker,
            actor: row.actor,
            provider: row.provider,
        }
    }

    fn act(&self, row: ActRow) -> ActRecord {
        ActRecord {
            at: self.moment(row.at),
            actor: row.actor,
            act: row.act,
            reason: row.reason,
            before: row.before_status.as_deref().and_then(Status::parse),
            after: row.after_status.as_deref().and_then(Status::parse),
            attempt: row.attempt,
        }
    }

    async fn service(&self) -> Result<ServiceState, DbError> {
        let Some(sender) = &self.sender else {
            return Ok(ServiceState::None);
        };
        let who = sender.claimant();
        let name = sender.provider().label().to_owned();
        Ok(
            match pause::read(&self.db, &who.provider, &who.account).await? {
                None => ServiceState::Ready { name },
                Some(pause) => ServiceState::Paused {
                    name,
                    code: pause.code,
                    since: self.moment(pause.paused_since),
                    until: self.moment(pause.paused_until),
                },
            },
        )
    }

    async fn read_overview(&self) -> Result<Overview, DbError> {
        let now = self.db.now().await?;
        let (sending, check_by_age) = read::open(&self.db).await?;
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
        let (total, exact) = read::total(&self.db).await?;
        let others: i64 = unsettled.iter().map(|(_, n, _)| n).sum();
        let synced = (total - others).max(0);
        let (failed, failed_retrying) = of(Status::Failed);
        let since = Stamp::new(now.utc() - chrono::Duration::days(30));
        let mut histogram = Histogram::default();
        for (bar, status, count) in read::histogram(&self.db, since).await? {
            let Some(bar) = usize::try_from(bar - 1)
                .ok()
                .and_then(|i| histogram.bars.get_mut(i))
            else {
                continue;
            };
            add(bar, Status::parse(&status), count);
        }
        let workers = workers::seen(&self.db).await?;
        Ok(Overview {
            as_of: self.moment(now),
            check_by_age,
            rejected: of(Status::Rejected).0,
            failed_final: failed - failed_retrying,
            held: read::held(&self.db).await?,
            counts: Counts {
                pending: of(Status::Pending).0,
                sending,
                check,
                synced: if exact {
                    Count::Exact(synced)
                } else {
                    Count::About(synced)
                },
                synced_assumed: assumed(Status::Synced),
                failed,
                failed_retrying,
                failed_assumed: assumed(Status::Failed),
                rejected: of(Status::Rejected).0,
                canceled: of(Status::Canceled).0,
            },
            histogram,
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

    async fn read_list(&self, query: &str) -> Result<MailList, DbError> {
        let now = self.db.now().await?;
        let as_of = self.moment(now);
        let params: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        let pairs = params
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let (filter, hints) = Filter::parse(pairs, as_of.0.date_naive());
        let condition = self.filter_where(&filter);
        let page = read::list(&self.db, &condition, filter.cursor, PAGE).await?;
        let count = if filter.is_any() {
            match read::total(&self.db).await? {
                (total, true) => Count::Exact(total),
                (total, false) => Count::About(total),
            }
        } else {
            match read::count_up_to(&self.db, &condition, COUNTED).await? {
                n if n > COUNTED => Count::AtLeast(COUNTED),
                n => Count::Exact(n),
            }
        };
        let at = |cursor| Filter {
            cursor: Some(cursor),
            ..filter.clone()
        };
        Ok(MailList {
            as_of,
            hints,
            rows: page
                .rows
                .iter()
                .map(|row| self.line(row))
                .collect::<Result<_, _>>()?,
            newer: page.newer.map(at),
            older: page.older.map(at),
            count,
            kinds: read::kinds(&self.db).await?,
            page_size: PAGE,
            filter,
        })
    }

    async fn read_mail(&self, id: i64) -> Result<Option<Mail>, DbError> {
        let Some(row) = read::by_id(&self.db, id).await? else {
            return Ok(None);
        };
        let now = self.db.now().await?;
        let order = row.order_id.shown();
        let others = read::by_order(&self.db, order, 51).await?;
        let observations = read::observations(&self.db, id).await?;
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
            has_body: !shown(&row.body_html).is_empty() || !shown(&row.body_text).is_empty(),
            error: row.error.clone(),
            held_reason: row.held_reason.clone(),
            possible_duplicate: row.possible_duplicate,
            not_before: self.maybe(row.not_before),
            next_attempt_at: self.maybe(row.next_attempt_at),
            lease_until: self.maybe(row.lease_until),
            unknown_at: self.maybe(row.unknown_at),
            provider_message_id: row.provider_message_id.clone(),
            provider: row.provider.clone(),
            max_attempts: self.config.max_attempts,
            service: self.service().await?,
            attempts: read::attempts(&self.db, id)
                .await?
                .into_iter()
                .map(|a| self.attempt(a))
                .collect(),
            observations: observations
                .into_iter()
                .map(|o| Observation {
                    at: self.moment(o.at),
                    kind: o.kind,
                    attempt: o.attempt,
                    detail: o.detail,
                })
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

    async fn read_cases(&self) -> Result<Cases, DbError> {
        let now = self.db.now().await?;
        let total = read::needs_checking(&self.db).await?;
        let rows = read::cases(&self.db, CASES).await?;
        let ids = crate::db::id_list(rows.iter().map(|row| row.id));
        let mut attempts = read::last_attempts(&self.db, &ids).await?;
        let mut cases = Vec::with_capacity(rows.len());
        for row in &rows {
            // The table's own check keeps these set while it is requesting.
            let (Some(claimed), Some(lease)) = (row.claimed_at, row.lease_until) else {
                continue;
            };
            let at = attempts.iter().position(|(id, _)| *id == row.id);
            cases.push(Case {
                row: self.line(row)?,
                version: row.version,
                claimed_at: self.moment(claimed),
                lease_until: self.moment(lease),
                attempt: at.map(|i| self.attempt(attempts.swap_remove(i).1)),
            });
        }
        Ok(Cases {
            as_of: self.moment(now),
            total,
            cases,
            page_size: CASES,
        })
    }

    /// Resends a mail for a person; used by pages and by the API.
    pub async fn resend_as(&self, id: i64, resend: &Resend<'_>) -> Result<ResendAnswer, DbError> {
        let Some(sender) = &self.sender else {
            return Ok(match read::by_id(&self.db, id).await? {
                Some(_) => ResendAnswer::Refused(NoticeKind::NoService),
                None => ResendAnswer::NotFound,
            });
        };
        Ok(
            match claim::claim_for_person(&self.db, sender.claimant(), id, resend).await? {
                Resent::Claimed(claim) => {
                    let attempt = claim.attempt();
                    sender.spawn(*claim, ());
                    ResendAnswer::Begun {
                        attempt: Some(attempt),
                    }
                }
                Resent::Before { attempt } => ResendAnswer::Begun { attempt },
                Resent::Refused(row) => ResendAnswer::Refused(why_not(&row)?),
                Resent::Unsendable(fault) if fault.field() == "recipient" => {
                    ResendAnswer::Refused(NoticeKind::BadRecipient)
                }
                Resent::Unsendable(fault) => ResendAnswer::Unsendable(fault.to_string()),
                Resent::NotFound => ResendAnswer::NotFound,
            },
        )
    }

    /// Who was first, for a refusal: the last person or process that changed the row.
    pub async fn winner(&self, id: i64) -> Result<Option<Winner>, DbError> {
        let claim = read::attempts(&self.db, id)
            .await?
            .pop()
            .map(|last| Winner {
                resend: last.actor.is_some(),
                by: last.actor.unwrap_or(last.worker),
                at: last.claimed_at,
                attempt: last.attempt,
            });
        let act = audit::last_act(&self.db, id).await?;
        Ok(match (claim, act) {
            (Some(claim), Some((by, at, act))) if at > claim.at && act != "resend" => {
                Some(Winner {
                    resend: false,
                    by,
                    at,
                    ..claim
                })
            }
            (Some(claim), _) => Some(claim),
            (None, Some((by, at, _))) => Some(Winner {
                by,
                at,
                attempt: 0,
                resend: false,
            }),
            (None, None) => None,
        })
    }
}

/// Who changed a row last.
#[derive(Debug)]
pub struct Winner {
    /// A sign-in name, `api`, or a process.
    pub by: String,
    /// When.
    pub at: Stamp,
    /// The row's last attempt.
    pub attempt: i32,
    /// The change was a person's resend.
    pub resend: bool,
}

/// How a resend was answered.
#[derive(Debug)]
pub enum ResendAnswer {
    /// Being sent, or was already under the same request.
    Begun {
        /// The attempt's number.
        attempt: Option<i32>,
    },
    /// Not now, and why.
    Refused(NoticeKind),
    /// Its content cannot be sent.
    Unsendable(String),
    /// No such mail.
    NotFound,
}

fn shown(text: &Option<LooseText>) -> String {
    text.as_ref()
        .map(|t| t.shown().to_owned())
        .unwrap_or_default()
}

fn add(bar: &mut Bar, status: Option<Status>, count: i64) {
    match status {
        Some(Status::Synced) => bar.accepted += count,
        Some(Status::Failed | Status::Pending) => bar.failed += count,
        Some(Status::Rejected | Status::Canceled) => bar.rejected += count,
        Some(Status::Requesting) => bar.open += count,
        None => {}
    }
}

/// Why a row as it stands is not resent.
fn why_not(row: &Row) -> Result<NoticeKind, DbError> {
    Ok(match row.status()? {
        _ if row.held_reason.is_some() => NoticeKind::Held,
        Status::Requesting => NoticeKind::InFlight,
        Status::Synced => NoticeKind::AlreadyAccepted,
        Status::Canceled => NoticeKind::CalledOff,
        Status::Pending => NoticeKind::StillWaiting,
        Status::Failed | Status::Rejected => NoticeKind::Changed,
    })
}

/// To the browser goes a number; what happened goes to the log under it.
fn hide(error: DbError) -> AppError {
    let reference = reference();
    tracing::error!(%reference, error = %error, "the desk could not be served");
    AppError::Unavailable { reference }
}

#[async_trait]
impl Desk for Office {
    async fn frame(&self, me: &Me) -> Result<Frame, AppError> {
        let read = async {
            Ok::<_, DbError>(Frame {
                me: me.clone(),
                as_of: self.moment(self.db.now().await?),
                zone: self.config.time_zone.name().to_owned(),
                needs_checking: read::needs_checking(&self.db).await?,
                service: self.service().await?,
            })
        };
        read.await.map_err(hide)
    }

    async fn overview(&self) -> Result<Overview, AppError> {
        self.read_overview().await.map_err(hide)
    }

    async fn list(&self, query: &str) -> Result<MailList, AppError> {
        self.read_list(query).await.map_err(hide)
    }

    async fn mail(&self, id: i64) -> Result<Mail, AppError> {
        self.read_mail(id)
            .await
            .map_err(hide)?
            .ok_or(AppError::NotFound)
    }

    async fn cases(&self) -> Result<Cases, AppError> {
        self.read_cases().await.map_err(hide)
    }

    async fn resend(&self, me: &Me, id: i64, ticket: Ticket) -> Result<NoticeKind, AppError> {
        let resend = Resend {
            actor: &me.name,
            version: Some(ticket.version),
            attempt: Some(ticket.attempt),
            ..Resend::default()
        };
        match self.resend_as(id, &resend).await.map_err(hide)? {
            ResendAnswer::Begun { .. } => Ok(NoticeKind::Resent),
            ResendAnswer::Refused(kind) => Ok(kind),
            ResendAnswer::Unsendable(_) => Ok(NoticeKind::BadContent),
            ResendAnswer::NotFound => Err(AppError::NotFound),
        }
    }

    async fn answer(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        answer: Answer,
        reason: &str,
    ) -> Result<NoticeKind, AppError> {
        let reason: String = reason
            .trim()
            .chars()
            .filter(|c| !c.is_control() || *c == '\n')
            .take(1000)
            .collect();
        if reason.is_empty() {
            return Ok(NoticeKind::ReasonMissing);
        }
        let done = operate::answer(&self.db, &me.name, id, version, answer, &reason)
            .await
            .map_err(hide)?;
        Ok(match done {
            Answered::Recorded if answer == Answer::Sent => NoticeKind::ConfirmedSent,
            Answered::Recorded => NoticeKind::ConfirmedNotSent,
            Answered::Refused(row) => match row.status().map_err(hide)? {
                Status::Requesting if !row.open_question => NoticeKind::LeaseAlive,
                _ => NoticeKind::Changed,
            },
            Answered::NotFound => return Err(AppError::NotFound),
        })
    }

    async fn notice(&self, id: i64, what: NoticeKind) -> Result<Notice, AppError> {
        let row = read::by_id(&self.db, id)
            .await
            .map_err(hide)?
            .ok_or(AppError::NotFound)?;
        let winner = self.winner(id).await.map_err(hide)?;
        // Which attempt it was is told of resends alone.
        let attempt = winner
            .as_ref()
            .filter(|w| w.resend || what == NoticeKind::Resent)
            .map(|w| w.attempt);
        let (by, at) = winner.map(|w| (w.by, self.moment(w.at))).unzip();
        Ok(Notice {
            id,
            order_id: row.order_id.shown().to_owned(),
            what,
            by,
            at,
            attempt,
        })
    }
}
