//! The desk's door, from the server's side: asks the outbox, and turns rows into what pages show.

mod agent;
mod bulk;
mod cases;
mod days;
mod errors;
mod mask;
mod notice;
mod pages;
mod people;
mod posts;
mod release;
pub mod reports;
mod resend;
mod rows;
mod sending;
mod settings;
mod trail;

pub use bulk::kind_word;
pub use notice::Winner;
pub use posts::Posts;
pub use resend::ResendAnswer;
pub(crate) use resend::unsendable;
use rows::shown;

use crate::config::Config;
use crate::db::{Db, DbError, Stamp};
use crate::outbox::claim::Resend;
use crate::outbox::list::Where;
use crate::outbox::operate::{self, Answered};
use crate::outbox::pause;
use crate::outbox::read;
use crate::outbox::search::{self, Search};
use crate::sender::Sender;
use crate::users::is_hidden;
use crate::web::reference;
use crate::web::signin::Attempts;
use app::desk::{Answer, Desk, Note, Ticket};
use app::error::AppError;
use app::model::filter::Hint;
use app::model::views::{
    Cases, Errors, Frame, LONGEST_REASON, ListNews, LotAnswer, Mail, MailList, Me, News,
    NoticeKind, Overview, Seen, ServiceState, Told,
};
use app::model::{Cursor, Filter, Moment, Role, Status};
use async_trait::async_trait;
use chrono::{Days, NaiveDate, NaiveTime, TimeZone, Utc};
use std::sync::Arc;

/// The outbox, as pages see it.
pub struct Office {
    db: Db,
    config: Arc<Config>,
    /// Sends people's resends; none where no service is set.
    sender: Option<Arc<Sender>>,
    /// Slows down guesses of somebody's own old password.
    guesses: Attempts,
    /// Where browsers reach the desk, as far as that is known.
    base_url: Option<String>,
    posts: Posts,
    fresh: settings::Fresh,
}

impl Office {
    /// An office over a database.
    pub fn new(db: Db, config: Arc<Config>, sender: Option<Arc<Sender>>) -> Office {
        Office {
            base_url: config.base_url.clone(),
            db,
            config,
            sender,
            guesses: Attempts::default(),
            posts: Posts::default(),
            fresh: settings::Fresh::default(),
        }
    }

    /// The same, reached under this address.
    pub fn at(mut self, base_url: &str) -> Office {
        self.base_url = Some(base_url.to_owned());
        self
    }

    /// The posts of events that this process had.
    pub fn posts(&self) -> &Posts {
        &self.posts
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

    /// The first moment of the one day, and the first after the other.
    fn span(
        &self,
        from: Option<NaiveDate>,
        to: Option<NaiveDate>,
    ) -> (Option<Stamp>, Option<Stamp>) {
        let after = to.and_then(|day| day.checked_add_days(Days::new(1)));
        let begins = |day: Option<NaiveDate>| day.and_then(|day| self.day_begins(day));
        (begins(from), begins(after))
    }

    /// A time in the business's zone.
    pub fn local(&self, at: Stamp) -> chrono::DateTime<chrono_tz::Tz> {
        at.utc().with_timezone(&self.config.time_zone)
    }

    /// The zone's name.
    pub fn zone(&self) -> &'static str {
        self.config.time_zone.name()
    }

    /// A list's filter as it was understood, and what of it was not.
    pub async fn export_filter(&self, query: &str) -> Result<(Filter, Vec<Hint>), DbError> {
        let (filter, hints) = self.read_filter(query).await?;
        Ok((filter.first_page(), hints))
    }

    /// A filter as a condition, and what this person's search text came to.
    pub async fn filter_where(&self, me: &Me, filter: &Filter) -> Result<(Where, Search), DbError> {
        let search = search::resolve(&self.db, filter, !self.masks(me)).await?;
        let condition = self.filter_days(filter).with(&search);
        let condition = condition.failed(&self.db, filter.failed.as_ref()).await?;
        Ok((condition, search))
    }

    /// A filter without its search text, its days turned into points in time.
    fn filter_days(&self, filter: &Filter) -> Where {
        let (from, until) = self.span(filter.from, filter.to);
        Where::new(filter, from, until, None)
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
}

/// A person's reason as it is kept; nothing where there is none.
fn reason_of(text: &str) -> Option<String> {
    let reason: String = text
        .trim()
        .chars()
        .filter(|c| !c.is_control() || *c == '\n')
        .take(LONGEST_REASON)
        .collect();
    let seen = |c: char| !c.is_whitespace() && !is_hidden(c);
    reason.contains(seen).then_some(reason)
}

/// Whether somebody may do what takes this role.
fn at_least(role: Role, me: &Me) -> Result<(), AppError> {
    if me.role < role {
        return Err(AppError::Forbidden);
    }
    Ok(())
}

/// Whether somebody administers.
fn admin(me: &Me) -> Result<(), AppError> {
    at_least(Role::Admin, me)
}

/// Whether somebody leads.
fn lead(me: &Me) -> Result<(), AppError> {
    at_least(Role::Lead, me)
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

    async fn list(&self, me: &Me, query: &str) -> Result<MailList, AppError> {
        self.read_list(me, query).await.map_err(hide)
    }

    async fn list_news(
        &self,
        me: &Me,
        query: &str,
        ids: &[i64],
        top: Option<Cursor>,
    ) -> Result<ListNews, AppError> {
        self.read_list_news(me, query, ids, top).await.map_err(hide)
    }

    async fn mail(&self, id: i64) -> Result<Mail, AppError> {
        self.read_mail(id)
            .await
            .map_err(hide)?
            .ok_or(AppError::NotFound)
    }

    async fn errors(&self, query: &str) -> Result<Errors, AppError> {
        self.read_errors(query).await.map_err(hide)
    }

    async fn cases(&self) -> Result<Cases, AppError> {
        self.read_cases("", &[]).await.map_err(hide)
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
            ResendAnswer::Unsendable(fault) => Ok(unsendable(fault)),
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
    ) -> Result<Told, AppError> {
        let refused = |what, reason: &str| Ok(Told::refused(what, answer.form(), reason));
        let Some(reason) = reason_of(reason) else {
            return refused(NoticeKind::ReasonMissing, "");
        };
        let done = operate::answer(&self.db, &me.name, id, version, answer, &reason)
            .await
            .map_err(hide)?;
        match done {
            Answered::Recorded if answer == Answer::Sent => Ok(NoticeKind::ConfirmedSent.into()),
            Answered::Recorded => Ok(NoticeKind::ConfirmedNotSent.into()),
            Answered::Refused(row) => match row.status().map_err(hide)? {
                Status::Requesting if !row.open_question => {
                    refused(NoticeKind::LeaseAlive, &reason)
                }
                _ => refused(NoticeKind::Changed, &reason),
            },
            Answered::NotFound => Err(AppError::NotFound),
        }
    }

    async fn release(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        reason: &str,
    ) -> Result<Told, AppError> {
        self.let_go(me, id, version, reason).await
    }

    async fn release_many(
        &self,
        me: &Me,
        query: &str,
        seen: Seen,
        reason: &str,
    ) -> Result<LotAnswer, AppError> {
        self.let_many_go(me, query, seen, reason).await
    }

    async fn news(&self, note: Note) -> Result<News, AppError> {
        match note {
            Note::Mail(id, what) => self.notice(id, what, None).await.map(News::Mail),
            Note::Month(month, what) => {
                use app::desk::Reports;
                self.month_notice(month, what).await.map(News::Month)
            }
            Note::Draft(id, what, draft) => {
                self.notice(id, what, Some(draft)).await.map(News::Mail)
            }
            Note::User(told) => {
                use app::desk::People;
                self.user_notice(told).await.map(News::User)
            }
            Note::Account(what) => Ok(News::Account(what)),
            Note::Bulk(what) => Ok(News::Bulk(what)),
            Note::Token(id, what) => {
                use app::desk::Settings;
                self.token_notice(id, what).await.map(News::Token)
            }
            Note::Lot(what) => self.lot_notice(what, None).await.map(News::Lot),
            Note::LotDraft(what, draft) => self.lot_notice(what, Some(draft)).await.map(News::Lot),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reason_of;

    #[test]
    fn a_reason_can_be_read() {
        for nothing in [
            "",
            " \r\n　",
            "\u{200b}",
            "\u{202e}\u{3164}\u{feff}",
            "\u{7}",
        ] {
            assert_eq!(reason_of(nothing), None, "{nothing:?}");
        }
        let lines = " お電話\r\nで確認\u{7}しました👨\u{200d}👩\u{200d}👧 ";
        let kept = reason_of(lines);
        assert_eq!(
            kept.as_deref(),
            Some("お電話\nで確認しました👨\u{200d}👩\u{200d}👧")
        );
        assert_eq!(
            reason_of(&"あ".repeat(1001)).map(|r| r.chars().count()),
            Some(1000)
        );
    }
}
