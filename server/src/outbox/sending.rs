//! What became of the sends of the mails decided in a month: tries, hours, delays, and sends whose
//! outcome nobody knew. The accepted mails come from one covering index. Only few of them can have
//! a try that was not answered with yes; those tries are looked up mail by mail.

use crate::db::{Db, DbError, LooseText, Sql, Stamp};
use crate::on_limited;
use app::model::Status;
use app::model::sending::{Doubt, Quarter, Tried};
use app::model::views::Outcome;
use std::time::Duration;

/// By the columns as they are: SQLite sorts to group, and what it sorts had better be short. It is
/// told which index serves which set, since it keeps no statistics that would tell it.
macro_rules! tries {
    ($accepted:literal, $unsettled:literal) => {
        concat!(
            "SELECT kind, provider, 'synced' AS status, attempts, COUNT(*) FROM email_submissions",
            $accepted,
            " WHERE status = 'synced' AND created_at >= $1 AND created_at < $2 \
             GROUP BY kind, provider, attempts \
             UNION ALL SELECT kind, provider, status, attempts, COUNT(*) FROM email_submissions",
            $unsettled,
            " WHERE status <> 'synced' AND created_at >= $1 AND created_at < $2 \
             GROUP BY kind, provider, status, attempts"
        )
    };
}
const TRIES: Sql = Sql {
    sqlite: tries!(
        " INDEXED BY email_submissions_accepted",
        " INDEXED BY email_submissions_unsettled"
    ),
    postgres: tries!("", ""),
};

/// Mails of the month that may have a try that was not answered with yes: all others are accepted,
/// at the first try, by its answer. An answer may have come after the question was opened; then
/// there is an observation of it.
macro_rules! doubtful {
    ($accepted:literal, $unsettled:literal, $late:literal) => {
        concat!(
            "(SELECT id, attempts FROM email_submissions",
            $accepted,
            " WHERE status = 'synced' AND created_at >= $1 AND created_at < $2 \
             AND (attempts > 1 OR COALESCE(settled_by, '') <> 'response') \
             UNION SELECT id, attempts FROM email_submissions",
            $unsettled,
            " WHERE status <> 'synced' AND created_at >= $1 AND created_at < $2 AND attempts > 0 \
             UNION SELECT s.id, s.attempts FROM submission_observations o",
            $late,
            " JOIN email_submissions s ON s.id = o.submission_id WHERE o.kind = 'late_accepted' \
             AND o.at >= $1 AND s.created_at >= $1 AND s.created_at < $2) AS doubtful \
             JOIN submission_attempts a ON a.submission_id = doubtful.id"
        )
    };
}
macro_rules! doubtful_sqlite {
    () => {
        doubtful!(
            " INDEXED BY email_submissions_accepted",
            " INDEXED BY email_submissions_unsettled",
            " INDEXED BY submission_observations_late"
        )
    };
}
macro_rules! doubtful_postgres {
    () => {
        doubtful!("", "", "")
    };
}

/// Which quarter of an hour of UTC's day. `$3`: when the zone's clock changes.
macro_rules! hours_sqlite {
    ($at:literal) => {
        concat!(
            "CAST(substr(",
            $at,
            ", 12, 2) AS integer) * 4 + CAST(substr(",
            $at,
            ", 15, 2) AS integer) / 15 AS quarter, ",
            $at,
            " >= $3 AS changed"
        )
    };
}
macro_rules! hours_postgres {
    ($at:literal) => {
        concat!(
            "CAST(floor(date_part('epoch', ",
            $at,
            ") / 900) AS bigint) % 96 AS quarter, ",
            $at,
            " >= $3 AS changed"
        )
    };
}
const HOURS: Sql = Sql {
    sqlite: concat!(
        "SELECT 'accepted' AS outcome, ",
        hours_sqlite!("sent_at"),
        ", COUNT(*) FROM email_submissions INDEXED BY email_submissions_accepted \
         WHERE status = 'synced' AND sent_at IS NOT NULL AND created_at >= $1 AND created_at < $2 \
         GROUP BY 2, 3 UNION ALL SELECT a.outcome, ",
        hours_sqlite!("a.closed_at"),
        ", COUNT(*) FROM ",
        doubtful_sqlite!(),
        " WHERE a.outcome <> 'accepted' GROUP BY 1, 2, 3"
    ),
    postgres: concat!(
        "SELECT 'accepted' AS outcome, ",
        hours_postgres!("sent_at"),
        ", COUNT(*) FROM email_submissions \
         WHERE status = 'synced' AND sent_at IS NOT NULL AND created_at >= $1 AND created_at < $2 \
         GROUP BY 2, 3 UNION ALL SELECT a.outcome, ",
        hours_postgres!("a.closed_at"),
        ", COUNT(*) FROM ",
        doubtful_postgres!(),
        " WHERE a.outcome <> 'accepted' GROUP BY 1, 2, 3"
    ),
};

/// Whole seconds up to ten minutes, whole minutes beyond: a handful of lines however many mails.
/// The limit keeps SQLite from working out the seconds once for each place they stand at.
const DELAYS: Sql = Sql {
    sqlite: "SELECT kind, CASE WHEN waited < 600 THEN waited ELSE waited - waited % 60 END AS waited, \
             COUNT(*) FROM (SELECT kind, unixepoch(sent_at) - unixepoch(CASE WHEN not_before > created_at \
             THEN not_before ELSE created_at END) AS waited \
             FROM email_submissions INDEXED BY email_submissions_accepted \
             WHERE status = 'synced' AND sent_at IS NOT NULL AND created_at >= $1 AND created_at < $2 \
             LIMIT -1) AS waits GROUP BY 1, 2",
    postgres: "SELECT kind, CASE WHEN waited < 600 THEN waited ELSE waited - waited % 60 END AS waited, \
               COUNT(*) FROM (SELECT kind, CAST(floor(date_part('epoch', \
               sent_at - GREATEST(created_at, not_before))) AS bigint) AS waited FROM email_submissions \
               WHERE status = 'synced' AND sent_at IS NOT NULL AND created_at >= $1 AND created_at < $2) \
               AS waits GROUP BY 1, 2",
};

/// An event that names no attempt speaks of the last one.
macro_rules! doubts {
    ($doubtful:expr) => {
        concat!(
            "SELECT a.closed_at AS since, \
             (SELECT MIN(o.at) FROM submission_observations o WHERE o.submission_id = a.submission_id \
             AND COALESCE(o.attempt, doubtful.attempts) = a.attempt \
             AND o.kind IN ('late_accepted', 'lookup_found', 'event_accepted', 'event_delivered', \
             'event_bounced', 'event_complained')) AS found, \
             (SELECT MIN(o.at) FROM submission_observations o WHERE o.submission_id = a.submission_id \
             AND o.attempt = a.attempt AND o.kind = 'lookup_no') AS not_there, \
             (SELECT MIN(e.at) FROM audit_events e WHERE e.submission_id = a.submission_id \
             AND e.attempt = a.attempt AND e.act = 'confirm_sent') AS said_sent, \
             (SELECT MIN(e.at) FROM audit_events e WHERE e.submission_id = a.submission_id \
             AND e.attempt = a.attempt AND e.act = 'confirm_not_sent') AS said_not FROM ",
            $doubtful,
            " WHERE a.outcome = 'unknown'"
        )
    };
}
const DOUBTS: Sql = Sql {
    sqlite: doubts!(doubtful_sqlite!()),
    postgres: doubts!(doubtful_postgres!()),
};

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("sending::TRIES", TRIES),
    ("sending::HOURS", HOURS),
    ("sending::DELAYS", DELAYS),
    ("sending::DOUBTS", DOUBTS),
];

/// A span of the business's time: its first moment, and the first after it.
pub type Span = (Stamp, Stamp);

/// The mails decided in a span, by kind, service, status and tries; none where counting took too
/// long, as below.
pub async fn tries(
    db: &Db,
    (from, until): Span,
    patience: Duration,
) -> Result<Option<Vec<Tried>>, DbError> {
    type Line = (LooseText, Option<String>, String, i32, i64);
    let sql = db.text(TRIES);
    let lines: Option<Vec<Line>> = on_limited!(db, patience, c => sqlx::query_as(&sql)
            .bind(from).bind(until).fetch_all(c).await)?;
    Ok(lines.map(|lines| {
        lines
            .into_iter()
            .filter_map(|(kind, service, status, tries, count)| {
                Some(Tried {
                    kind: kind.shown().to_owned(),
                    service: service.unwrap_or_default(),
                    status: Status::parse(&status)?,
                    tries,
                    count,
                })
            })
            .collect()
    }))
}

/// A zone's offset from UTC in seconds, and the one that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// At first.
    pub before: i32,
    /// From when on the other holds.
    pub change: Stamp,
    /// Then.
    pub after: i32,
}

/// At which quarter of an hour the mails decided in a span were accepted, and the tries of theirs
/// ended that were not.
pub async fn quarters(
    db: &Db,
    (from, until): Span,
    offsets: Offsets,
    patience: Duration,
) -> Result<Option<Vec<Quarter>>, DbError> {
    let sql = db.text(HOURS);
    let lines: Option<Vec<(String, i64, bool, i64)>> = on_limited!(db, patience, c => sqlx::query_as(&sql)
            .bind(from).bind(until).bind(offsets.change).fetch_all(c).await)?;
    Ok(lines.map(|lines| {
        lines
            .into_iter()
            .filter_map(|(outcome, quarter, changed, count)| {
                Some(Quarter {
                    outcome: Outcome::parse(&outcome)?,
                    quarter,
                    ahead: if changed {
                        offsets.after
                    } else {
                        offsets.before
                    },
                    count,
                })
            })
            .collect()
    }))
}

/// How many seconds acceptance took, by kind, of the mails decided in a span.
pub async fn waits(
    db: &Db,
    (from, until): Span,
    patience: Duration,
) -> Result<Option<Vec<(String, i64, i64)>>, DbError> {
    let sql = db.text(DELAYS);
    let lines: Option<Vec<(LooseText, i64, i64)>> = on_limited!(db, patience, c => sqlx::query_as(&sql)
            .bind(from).bind(until).fetch_all(c).await)?;
    Ok(lines.map(|lines| {
        lines
            .into_iter()
            .map(|(kind, seconds, count)| (kind.shown().to_owned(), seconds, count))
            .collect()
    }))
}

/// The tries without a clear answer of the mails decided in a span.
pub async fn doubts(
    db: &Db,
    (from, until): Span,
    patience: Duration,
) -> Result<Option<Vec<Doubt>>, DbError> {
    type Line = (
        Option<Stamp>,
        Option<Stamp>,
        Option<Stamp>,
        Option<Stamp>,
        Option<Stamp>,
    );
    let sql = db.text(DOUBTS);
    let lines: Option<Vec<Line>> = on_limited!(db, patience, c => sqlx::query_as(&sql)
        .bind(from).bind(until).fetch_all(c).await)?;
    let seconds = |at: Option<Stamp>| at.map(|at| at.micros() / 1_000_000);
    Ok(lines.map(|lines| {
        lines
            .into_iter()
            .filter_map(|(since, found, not_there, said_sent, said_not)| {
                Some(Doubt {
                    since: seconds(since)?,
                    found: seconds(found),
                    not_there: seconds(not_there),
                    said_sent: seconds(said_sent),
                    said_not: seconds(said_not),
                })
            })
            .collect()
    }))
}
