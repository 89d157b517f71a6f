//! Lists: a filter as SQL, pages by keyset, and counts up to a limit.

mod choices;
#[cfg(test)]
mod tests;

use choices::{condition_of, condition_of_only, stored, unsettled};
pub(super) use choices::{number, with_recipient};

use super::conditions::NEEDS_PERSON;
use super::failures;
use super::keyset;
use super::row::{Row, columns, columns_without_bodies};
use super::search::{Piece, Search};
use crate::db::{Db, DbError, Stamp, id_list};
use crate::{on_limited, on_read};
use app::model::filter::{Basis, Failed, Needs};
use app::model::views::Seen;
use app::model::{Cursor, Filter, Status};
use std::time::Duration;

#[derive(Clone)]
pub(super) enum Arg {
    Int(i64),
    Text(String),
    Time(Stamp),
}

/// A filter with its days turned into points in time.
#[derive(Clone)]
pub struct Where {
    conditions: Vec<String>,
    pub(super) args: Vec<Arg>,
    pub(super) basis: Basis,
}

impl Where {
    /// `from` and `until` bound the time that the filter's days mean, the first included, the
    /// second not. The search text comes by [`Where::with`].
    pub fn new(
        filter: &Filter,
        from: Option<Stamp>,
        until: Option<Stamp>,
        exact_order: Option<&str>,
    ) -> Where {
        let mut w = Where {
            conditions: Vec::new(),
            args: Vec::new(),
            basis: filter.basis,
        };
        if !filter.statuses.is_empty() {
            // Each once, however often it was named: SQLite takes no more than 1,000 in one
            // condition.
            let mut any: Vec<&str> = Vec::new();
            for condition in filter.statuses.iter().map(|s| condition_of(*s)) {
                if !any.contains(&condition) {
                    any.push(condition);
                }
            }
            let stored: Vec<Status> = filter.statuses.iter().map(|s| stored(*s)).collect();
            if !stored.contains(&Status::Synced) {
                w.conditions.push(unsettled(&stored));
            }
            w.conditions.push(format!("({})", any.join(" OR ")));
        }
        if let Some(needs) = filter.needs {
            w.conditions.push(match needs {
                Needs::Final => unsettled(&[Status::Failed]) + " AND next_attempt_at IS NULL",
                Needs::Held => "held_reason IS NOT NULL".to_owned(),
                Needs::Person => {
                    let moving = [
                        Status::Pending,
                        Status::Requesting,
                        Status::Failed,
                        Status::Rejected,
                    ];
                    format!("{} AND {NEEDS_PERSON}", unsettled(&moving))
                }
            });
        }
        if let Some(kind) = &filter.kind {
            w.push("kind = ", Arg::Text(kind.clone()));
        }
        if let Some(order) = exact_order {
            w.push("order_id = ", Arg::Text(order.to_owned()));
        }
        for only in &filter.only {
            w.conditions.push(condition_of_only(*only).to_owned());
        }
        let time = w.time();
        if filter.basis == Basis::Accepted {
            // In the words of the index.
            w.conditions.push("sent_at IS NOT NULL".to_owned());
        }
        if let Some(from) = from {
            w.push(&format!("{time} >= "), Arg::Time(from));
        }
        if let Some(until) = until {
            w.push(&format!("{time} < "), Arg::Time(until));
        }
        w
    }

    /// Narrowed to what the filter's search text came to.
    pub fn with(mut self, search: &Search) -> Where {
        if let Some(piece) = &search.condition {
            self.add(piece);
        }
        self
    }

    /// Narrowed to mails with such a failure.
    pub async fn failed(mut self, db: &Db, failed: Option<&Failed>) -> Result<Where, DbError> {
        if let Some(failed) = failed {
            self.add(&failures::condition(db, failed).await?);
        }
        Ok(self)
    }

    fn add(&mut self, (text, args): &Piece) {
        let mut next = self.args.len();
        self.conditions.push(number(text, &mut next));
        self.args.extend(args.iter().cloned());
    }

    /// The column that days mean and that the list is ordered by.
    fn time(&self) -> &'static str {
        match self.basis {
            Basis::Decided => "created_at",
            Basis::Accepted => "sent_at",
        }
    }

    fn push(&mut self, before: &str, arg: Arg) {
        if matches!(&arg, Arg::Text(text) if text.contains('\0')) {
            // No stored text holds a NUL, and PostgreSQL does not even take the question.
            self.conditions.push("1 = 0".to_owned());
            return;
        }
        self.args.push(arg);
        self.conditions
            .push(format!("{before}${}", self.args.len()));
    }

    pub(super) fn sql(&self, db: &Db, head: &str, tail: &str) -> String {
        let conditions = if self.conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", self.conditions.join(" AND "))
        };
        db.expand(&with_recipient(db, &format!("{head}{conditions}{tail}")))
    }
}

macro_rules! bind_all {
    ($query:expr, $args:expr) => {{
        let mut query = $query;
        for arg in $args {
            query = match arg {
                $crate::outbox::list::Arg::Int(i) => query.bind(*i),
                $crate::outbox::list::Arg::Text(t) => query.bind(t.as_str()),
                $crate::outbox::list::Arg::Time(t) => query.bind(*t),
            };
        }
        query
    }};
}
pub(super) use bind_all;

/// A page of rows, newest first, and whether there are newer and older ones.
#[derive(Default)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Where the page of newer rows begins.
    pub newer: Option<Cursor>,
    /// Where the page of older rows begins.
    pub older: Option<Cursor>,
    /// Where rows newer than these would begin, on the first page.
    pub top: Option<Cursor>,
}

/// The filter of a page that begins at this place, and how its statement ends: the list's order
/// and how many rows.
pub(super) fn page_of(
    filter: &Where,
    cursor: Option<Cursor>,
    limit: i64,
    older: bool,
) -> (Where, String) {
    let mut filter = filter.clone();
    let time = filter.time();
    if let Some((at, id)) = keyset::place(cursor) {
        filter.args.push(Arg::Time(at));
        filter.args.push(Arg::Int(id));
        let n = filter.args.len();
        let side = if older { '<' } else { '>' };
        filter
            .conditions
            .push(format!("({time}, id) {side} (${}, ${n})", n - 1));
    }
    filter.args.push(Arg::Int(limit));
    let direction = if older { "DESC" } else { "ASC" };
    let tail = format!(
        " ORDER BY {time} {direction}, id {direction} LIMIT ${}",
        filter.args.len()
    );
    (filter, tail)
}

/// Reads a page by keyset on `(created_at, id)`, or on `(sent_at, id)`, at full precision,
/// without the bodies.
pub async fn list(
    db: &Db,
    filter: &Where,
    cursor: Option<Cursor>,
    limit: i64,
) -> Result<Page, DbError> {
    let (sql, args) = page_sql(db, filter, cursor, limit);
    let rows = on_read!(db, c => bind_all!(sqlx::query_as(&sql), &args).fetch_all(c).await)?;
    Ok(page_from(rows, filter.basis, cursor, limit))
}

/// The same, given up after a while; none then.
pub async fn list_within(
    db: &Db,
    filter: &Where,
    cursor: Option<Cursor>,
    limit: i64,
    patience: Duration,
) -> Result<Option<Page>, DbError> {
    let (sql, args) = page_sql(db, filter, cursor, limit);
    let rows: Option<Vec<Row>> = on_limited!(db, patience, c => {
        bind_all!(sqlx::query_as(&sql), &args).fetch_all(c).await
    })?;
    Ok(rows.map(|rows| page_from(rows, filter.basis, cursor, limit)))
}

fn page_sql(db: &Db, filter: &Where, cursor: Option<Cursor>, limit: i64) -> (String, Vec<Arg>) {
    let older = keyset::is_older(cursor);
    // One more than fits says whether there are others.
    let (filter, tail) = page_of(filter, cursor, limit + 1, older);
    let head = concat!(
        "SELECT ",
        columns_without_bodies!(),
        " FROM email_submissions"
    );
    (filter.sql(db, head, &tail), filter.args)
}

fn page_from(mut rows: Vec<Row>, basis: Basis, cursor: Option<Cursor>, limit: i64) -> Page {
    let beside = keyset::page(&mut rows, cursor, limit, |row| {
        let at = match basis {
            Basis::Decided => row.created_at,
            // The condition leaves out those without.
            Basis::Accepted => row.sent_at.unwrap_or(row.created_at),
        };
        (at, row.id)
    });
    Page {
        top: beside.top,
        newer: beside.newer,
        older: beside.older,
        rows,
    }
}

/// A part of a list, with bodies.
pub struct Part {
    /// The rows, newest first.
    pub rows: Vec<Row>,
    /// Where the list goes on, if it does.
    pub next: Option<Cursor>,
}

/// Reads the rows that follow `cursor` with their bodies: at most `limit`, and no more than have
/// `bytes` of bodies together, but at least one. Sizes are read first, which costs no body.
/// A row that no longer fits the filter by then is left out.
pub async fn list_with_bodies(
    db: &Db,
    filter: &Where,
    cursor: Option<Cursor>,
    limit: i64,
    bytes: i64,
) -> Result<Part, DbError> {
    let older = keyset::is_older(cursor);
    let (sized, tail) = page_of(filter, cursor, limit + 1, older);
    let head = "SELECT id, created_at, CAST(COALESCE(octet_length(body_text), 0) AS bigint) \
                + COALESCE(octet_length(body_html), 0) FROM email_submissions";
    let sql = sized.sql(db, head, &tail);
    let mut sizes: Vec<(i64, Stamp, i64)> =
        on_read!(db, c => bind_all!(sqlx::query_as(&sql), &sized.args).fetch_all(c).await)?;
    let found = sizes.len();
    sizes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let mut left = bytes;
    let fit = sizes.iter().take_while(|(_, _, size)| {
        left = left.saturating_sub(*size);
        left >= 0
    });
    sizes.truncate(fit.count().max(1));
    let more = found > sizes.len();
    if !older {
        sizes.reverse();
    }
    let next = sizes
        .last()
        .map(|(id, created_at, _)| Cursor {
            older: true,
            micros: created_at.micros(),
            id: *id,
        })
        .filter(|_| more || !older);
    let mut rest = filter.clone();
    let ids = id_list(sizes.iter().map(|(id, ..)| *id));
    rest.args.push(Arg::Text(ids));
    rest.conditions
        .push(format!("id {{ids ${}}}", rest.args.len()));
    let head = concat!("SELECT ", columns!(), " FROM email_submissions");
    let sql = rest.sql(db, head, " ORDER BY created_at DESC, id DESC");
    let rows = on_read!(db, c => bind_all!(sqlx::query_as(&sql), &rest.args).fetch_all(c).await)?;
    Ok(Part { rows, next })
}

/// Counts the rows of a filter up to `limit`, and one more where there are more.
pub async fn count_up_to(db: &Db, filter: &Where, limit: i64) -> Result<i64, DbError> {
    let sql = count_sql(db, filter, limit);
    Ok(on_read!(db, c => bind_all!(sqlx::query_scalar(&sql), &filter.args).fetch_one(c).await)?)
}

/// The same, given up after a while; none then.
pub async fn count_within(
    db: &Db,
    filter: &Where,
    limit: i64,
    patience: Duration,
) -> Result<Option<i64>, DbError> {
    let sql = count_sql(db, filter, limit);
    on_limited!(db, patience, c => bind_all!(sqlx::query_scalar(&sql), &filter.args).fetch_one(c).await)
}

fn count_sql(db: &Db, filter: &Where, limit: i64) -> String {
    let tail = format!(" LIMIT {}) AS counted", limit + 1);
    filter.sql(
        db,
        "SELECT COUNT(*) FROM (SELECT 1 FROM email_submissions",
        &tail,
    )
}

/// Counts the rows of a filter beyond this place up to `limit`; none where that takes too long.
pub async fn count_beyond(
    db: &Db,
    filter: &Where,
    cursor: Option<Cursor>,
    limit: i64,
    patience: Duration,
) -> Result<Option<i64>, DbError> {
    let older = keyset::is_older(cursor);
    let (filter, tail) = page_of(filter, cursor, limit, older);
    let sql = filter.sql(
        db,
        "SELECT COUNT(*) FROM (SELECT 1 FROM email_submissions",
        &format!("{tail}) AS counted"),
    );
    on_limited!(db, patience, c => bind_all!(sqlx::query_scalar(&sql), &filter.args).fetch_one(c).await)
}

/// The rows of a filter as somebody sees them: how many, the newest, and their versions.
pub async fn seen(db: &Db, filter: &Where) -> Result<Seen, DbError> {
    let sql = filter.sql(
        db,
        "SELECT COUNT(*), CAST(COALESCE(MAX(id), 0) AS bigint), \
         CAST(COALESCE(SUM(version), 0) AS bigint) FROM email_submissions",
        "",
    );
    let (count, newest, versions) =
        on_read!(db, c => bind_all!(sqlx::query_as(&sql), &filter.args).fetch_one(c).await)?;
    Ok(Seen {
        count,
        newest,
        versions,
    })
}

/// The held rows of a filter, at most `limit`: their ids and versions.
pub async fn held(db: &Db, filter: &Where, limit: i64) -> Result<Vec<(i64, i64)>, DbError> {
    let sql = filter.sql(
        db,
        "SELECT id, version FROM email_submissions",
        &format!(" LIMIT {limit}"),
    );
    Ok(on_read!(db, c => bind_all!(sqlx::query_as(&sql), &filter.args).fetch_all(c).await)?)
}
