//! What reports count, and months that were closed. The month's rows come from the index on their
//! time alone; the sets that are not simply accepted are small, and counted through their partial
//! indexes.

mod statements;

pub(super) use statements::STATEMENTS;

use super::audit::{self, Matter};
use crate::db::{Db, DbError, LooseText, Sql, Stamp, Tx};
use crate::{in_tx, on_limited, on_read};
use app::model::filter::Basis;
use app::model::report::{Column, Figures, Group, Month};
use app::model::views::Unsettled;
use app::model::{ActKind, Role, Status};
use statements::{
    ACCEPTED, CHECKING, CLOSE, CLOSED, DECIDED, KEEP, KEPT, LIMIT, ONE_MOMENT, TOTALS_ACCEPTED,
    TOTALS_DECIDED, UNSETTLED, UNTIMED,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Part, kind, further copy, status, open question, assumed, rows.
type Line = (String, LooseText, bool, String, bool, bool, i64);

fn grouped(lines: Vec<Line>) -> BTreeMap<String, Figures> {
    let groups =
        lines
            .into_iter()
            .filter_map(|(part, kind, further, status, open_question, assumed, n)| {
                let group = match part.as_str() {
                    "all" => Group::All { further },
                    "assumed" => Group::Assumed,
                    "bounced" => Group::Bounced,
                    _ => Group::Unsettled {
                        status: Status::parse(&status)?,
                        open_question,
                        assumed,
                    },
                };
                Some((kind.shown().to_owned(), group, n))
            });
    app::model::report::tally(groups)
}

fn figures_of(basis: Basis) -> Sql {
    match basis {
        Basis::Decided => DECIDED,
        Basis::Accepted => ACCEPTED,
    }
}

/// The figures between two points in time by kind; none where counting took too long.
pub async fn figures(
    db: &Db,
    basis: Basis,
    from: Stamp,
    until: Stamp,
    patience: Duration,
) -> Result<Option<BTreeMap<String, Figures>>, DbError> {
    let sql = db.text(figures_of(basis));
    let lines: Option<Vec<Line>> = on_limited!(db, patience, c => sqlx::query_as(&sql)
        .bind(from).bind(until).fetch_all(c).await)?;
    Ok(lines.map(grouped))
}

/// How many rows there are between two points in time, by kind; none where counting took too
/// long.
pub async fn totals(
    db: &Db,
    basis: Basis,
    from: Stamp,
    until: Stamp,
    patience: Duration,
) -> Result<Option<BTreeMap<String, i64>>, DbError> {
    let sql = db.text(match basis {
        Basis::Decided => TOTALS_DECIDED,
        Basis::Accepted => TOTALS_ACCEPTED,
    });
    let lines: Option<Vec<(LooseText, i64)>> = on_limited!(db, patience, c => sqlx::query_as(&sql)
        .bind(from).bind(until).fetch_all(c).await)?;
    Ok(lines.map(|lines| {
        let mut totals = BTreeMap::new();
        for (kind, n) in lines {
            *totals.entry(kind.shown().to_owned()).or_default() += n;
        }
        totals
    }))
}

/// Rows decided between two points in time that need checking.
pub async fn checking(db: &Db, from: Stamp, until: Stamp) -> Result<i64, DbError> {
    let sql = db.text(CHECKING);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(from).bind(until).fetch_one(c).await)?)
}

/// Rows decided between two points in time whose state may still change without a resend.
pub async fn unsettled(db: &Db, from: Stamp, until: Stamp) -> Result<Unsettled, DbError> {
    let sql = db.text(UNSETTLED);
    let (waiting, retrying, held, open): (i64, i64, i64, i64) =
        on_read!(db, c => sqlx::query_as(&sql).bind(from).bind(until).fetch_one(c).await)?;
    Ok(Unsettled {
        waiting,
        retrying,
        held,
        open,
    })
}

/// Rows decided between two points in time that are accepted, nobody knows when.
pub async fn untimed(db: &Db, from: Stamp, until: Stamp) -> Result<i64, DbError> {
    let sql = db.text(UNTIMED);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(from).bind(until).fetch_one(c).await)?)
}

/// A closed month as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ClosedRow {
    /// When.
    pub closed_at: Stamp,
    /// By whom.
    pub closed_by: String,
    /// Why.
    pub reason: Option<String>,
    /// The zone that its days were counted in.
    pub zone: String,
}

/// Who closed a month, where somebody did.
pub async fn closed(db: &Db, month: Month) -> Result<Option<ClosedRow>, DbError> {
    let sql = db.text(CLOSED);
    Ok(on_read!(db, c => sqlx::query_as(&sql).bind(month.to_string()).fetch_optional(c).await)?)
}

#[derive(sqlx::FromRow)]
struct KeptRow {
    kind: String,
    accepted: i64,
    accepted_assumed: i64,
    bounced: i64,
    pending: i64,
    sending: i64,
    checking: i64,
    failed: i64,
    failed_assumed: i64,
    rejected: i64,
    canceled: i64,
    total: i64,
    further: i64,
}

/// A closed month's figures by kind.
pub async fn kept(
    db: &Db,
    month: Month,
    basis: Basis,
) -> Result<BTreeMap<String, Figures>, DbError> {
    let sql = db.text(KEPT);
    let rows: Vec<KeptRow> = on_read!(db, c => sqlx::query_as(&sql)
        .bind(month.to_string()).bind(basis.as_str()).fetch_all(c).await)?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let figures = [
                r.accepted,
                r.accepted_assumed,
                r.bounced,
                r.pending,
                r.sending,
                r.checking,
                r.failed,
                r.failed_assumed,
                r.rejected,
                r.canceled,
                r.total,
                r.further,
            ];
            (r.kind, Figures::new(figures))
        })
        .collect())
}

/// Closes a month: its figures on both bases, who closed it and the act itself, in one
/// transaction. `false` where somebody had closed it before.
pub async fn close(
    db: &Db,
    month: Month,
    (from, until): (Stamp, Stamp),
    actor: &str,
    reason: Option<&str>,
    zone: &str,
) -> Result<bool, DbError> {
    let mut tx = db.begin().await?;
    if let Tx::Postgres(tx) = &mut tx {
        sqlx::query(ONE_MOMENT).execute(&mut **tx).await?;
        sqlx::query(LIMIT).execute(&mut **tx).await?;
    }
    let name = month.to_string();
    let sql = db.text(CLOSE);
    let done = in_tx!(&mut tx, c => sqlx::query(&sql)
        .bind(&name).bind(actor).bind(reason).bind(zone).execute(c).await.map(|r| r.rows_affected()));
    match done {
        Ok(1..) => {}
        Ok(0) => return Ok(false),
        // Somebody was faster by a moment: their row is none that this snapshot may see.
        Err(error) if is_serialization(&error) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let keep = db.text(KEEP);
    for basis in Basis::ALL {
        let sql = db.text(figures_of(basis));
        let lines: Vec<Line> = in_tx!(&mut tx, c => sqlx::query_as(&sql)
            .bind(from).bind(until).fetch_all(c).await)?;
        for (kind, figures) in grouped(lines) {
            in_tx!(&mut tx, c => {
                let mut query = sqlx::query(&keep)
                    .bind(&name).bind(basis.as_str()).bind(&kind);
                for column in Column::ALL {
                    query = query.bind(figures.get(column));
                }
                query.execute(c).await.map(|_| ())
            })?;
        }
    }
    let act = Matter {
        reason,
        ..Matter::of(actor, ActKind::CloseMonth, &name)
    };
    audit::record_matter(db, &mut tx, act).await?;
    tx.commit().await?;
    Ok(true)
}

fn is_serialization(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|e| e.code());
    code.as_deref() == Some("40001")
}

/// Whether a role may close months.
pub fn may_close(role: Role) -> bool {
    role >= Role::Lead
}

/// How many rows were accepted between each two neighbouring points in time; none where counting
/// took too long.
pub async fn accepted_between(
    db: &Db,
    bounds: &[Stamp],
    patience: Duration,
) -> Result<Option<Vec<i64>>, DbError> {
    if bounds.len() < 2 {
        return Ok(Some(Vec::new()));
    }
    let hint = if db.is_postgres() {
        ""
    } else {
        " INDEXED BY email_submissions_sent"
    };
    // Numbers alone differ from part to part, so that there is nothing to escape.
    let parts: Vec<String> = (1..bounds.len())
        .map(|n| {
            format!(
                "SELECT CAST({n} AS bigint) AS part, COUNT(*) FROM email_submissions{hint} \
                 WHERE sent_at >= ${n} AND sent_at < ${}",
                n + 1
            )
        })
        .collect();
    let sql = format!("{} ORDER BY part", parts.join(" UNION ALL "));
    let counts: Option<Vec<(i64, i64)>> = on_limited!(db, patience, c => {
        let mut query = sqlx::query_as(&sql);
        for bound in bounds {
            query = query.bind(*bound);
        }
        query.fetch_all(c).await
    })?;
    Ok(counts.map(|counts| counts.into_iter().map(|(_, n)| n).collect()))
}
