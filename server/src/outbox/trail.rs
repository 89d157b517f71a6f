//! The audit trail, read newest first by keyset.

use super::keyset;
use super::list::{Arg, bind_all};
use crate::db::{Db, DbError, LooseText, Sql, Stamp, id_list};
use crate::on_read;
use app::model::Cursor;
use app::model::trail::TrailFilter;

/// Mails of the order or of the id that somebody looks for.
const MAILS: Sql = Sql::same(
    "SELECT id FROM email_submissions WHERE order_id = $1 OR order_id = $2 OR id = $3 \
     ORDER BY id DESC LIMIT 1000",
);
const NAMES: Sql = Sql::same("SELECT name FROM users ORDER BY name LIMIT 1000");

pub(super) const STATEMENTS: &[(&str, Sql)] = &[("trail::MAILS", MAILS), ("trail::NAMES", NAMES)];

/// An act, with what it was about.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Line {
    /// Its id.
    pub id: i64,
    /// When.
    pub at: Stamp,
    /// Who.
    pub actor: String,
    /// What.
    pub act: String,
    /// The mail.
    pub submission_id: Option<i64>,
    /// Its order.
    pub order_id: Option<LooseText>,
    /// Its number.
    pub copy: Option<i32>,
    /// The further copy that was made.
    pub copy_id: Option<i64>,
    /// Its number.
    pub made: Option<i32>,
    /// Why.
    pub reason: Option<String>,
    /// Status before.
    pub before_status: Option<String>,
    /// Status after.
    pub after_status: Option<String>,
    /// Recipient before, where it changed.
    pub before_recipient: Option<LooseText>,
    /// Recipient after, where it changed.
    pub after_recipient: Option<LooseText>,
    /// Something else before.
    pub before_value: Option<String>,
    /// Something else after.
    pub after_value: Option<String>,
    /// The attempt it began or judged.
    pub attempt: Option<i32>,
    /// What it was about, where it was no mail.
    pub detail: Option<String>,
    /// The user of that name.
    pub user_id: Option<i64>,
}

/// A page of it, and whether there are newer and older lines.
#[derive(Debug)]
pub struct Page {
    /// Newest first.
    pub lines: Vec<Line>,
    /// Where the page of newer lines begins.
    pub newer: Option<Cursor>,
    /// Where the page of older lines begins.
    pub older: Option<Cursor>,
}

/// Reads a page. `from` and `until` bound the time, the first included, the second not.
pub async fn page(
    db: &Db,
    filter: &TrailFilter,
    (from, until): (Option<Stamp>, Option<Stamp>),
    limit: i64,
) -> Result<Page, DbError> {
    let mut args = Vec::new();
    let mut conditions: Vec<String> = Vec::new();
    let mut bind = |arg: Arg| {
        args.push(arg);
        args.len()
    };
    let no_nul = |text: &Option<String>| text.clone().filter(|t| !t.contains('\0'));
    let (who, q) = (no_nul(&filter.who), no_nul(&filter.q));
    if who != filter.who || q != filter.q {
        // No stored text holds a NUL, and PostgreSQL does not even take the question.
        conditions.push("1 = 0".to_owned());
    }
    if let Some(who) = who {
        conditions.push(format!("actor = ${}", bind(Arg::Text(who))));
    }
    if let Some(act) = filter.act {
        let n = bind(Arg::Text(act.as_str().to_owned()));
        conditions.push(format!("act = ${n}"));
    }
    if let Some(q) = q {
        let ids = bind(Arg::Text(id_list(mails(db, &q).await?)));
        let about = bind(Arg::Text(q));
        conditions.push(format!(
            "(submission_id {{ids ${ids}}} OR copy_id {{ids ${ids}}} \
             OR (submission_id IS NULL AND detail = ${about}))"
        ));
    }
    if let Some(from) = from {
        conditions.push(format!("at >= ${}", bind(Arg::Time(from))));
    }
    if let Some(until) = until {
        conditions.push(format!("at < ${}", bind(Arg::Time(until))));
    }
    let cursor = filter.cursor;
    let older = keyset::is_older(cursor);
    if let Some((at, id)) = keyset::place(cursor) {
        let side = if older { '<' } else { '>' };
        let (at, id) = (bind(Arg::Time(at)), bind(Arg::Int(id)));
        conditions.push(format!("(at, id) {side} (${at}, ${id})"));
    }
    let limit_at = bind(Arg::Int(limit + 1));
    let conditions = if conditions.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", conditions.join(" AND "))
    };
    let direction = if older { "DESC" } else { "ASC" };
    // The page first, and then what its lines are about.
    let sql = db.expand(&format!(
        "SELECT a.id, a.at, a.actor, a.act, a.submission_id, s.order_id, s.copy, a.copy_id, \
         c.copy AS made, a.reason, a.before_status, a.after_status, a.before_recipient, \
         a.after_recipient, a.before_value, a.after_value, a.attempt, a.detail, u.id AS user_id \
         FROM (SELECT * FROM audit_events{conditions} \
         ORDER BY at {direction}, id {direction} LIMIT ${limit_at}) AS a \
         LEFT JOIN email_submissions AS s ON s.id = a.submission_id \
         LEFT JOIN email_submissions AS c ON c.id = a.copy_id \
         LEFT JOIN users AS u ON u.name = a.detail AND a.submission_id IS NULL \
         ORDER BY a.at {direction}, a.id {direction}"
    ));
    let mut lines: Vec<Line> =
        on_read!(db, c => bind_all!(sqlx::query_as(&sql), &args).fetch_all(c).await)?;
    let beside = keyset::page(&mut lines, cursor, limit, |line| (line.at, line.id));
    Ok(Page {
        newer: beside.newer,
        older: beside.older,
        lines,
    })
}

/// The mails of an order as typed, or as it reads with full-width characters made narrow; or the
/// mail of that id.
async fn mails(db: &Db, q: &str) -> Result<Vec<i64>, DbError> {
    let narrow: String = q.chars().map(app::model::date::narrow).collect();
    let id: i64 = narrow
        .strip_prefix('#')
        .unwrap_or(&narrow)
        .parse()
        .unwrap_or(0);
    let sql = db.text(MAILS);
    Ok(
        on_read!(db, c => sqlx::query_scalar(&sql).bind(q).bind(&narrow).bind(id)
        .fetch_all(c).await)?,
    )
}

/// The users' names, to choose from.
pub async fn names(db: &Db) -> Result<Vec<String>, DbError> {
    let sql = db.text(NAMES);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).fetch_all(c).await)?)
}
