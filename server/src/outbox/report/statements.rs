//! The statements of the reports.

use crate::db::Sql;
use crate::outbox::row::needs_checking;

/// One statement, so that all figures are of one moment. `$1` and `$2` bound the time, the first
/// included, the second not. SQLite is told which index serves which set: it keeps no statistics
/// that would tell it.
macro_rules! figures {
    ($time:literal, $by_time:literal, $unsettled:literal, $assumed:literal, $bounced:literal) => {
        concat!(
            "SELECT 'all' AS part, kind, (copy > 0) AS further, '' AS status, \
             FALSE AS open_question, FALSE AS assumed, COUNT(*) FROM email_submissions",
            $by_time,
            " WHERE ",
            $time,
            " >= $1 AND ",
            $time,
            " < $2 GROUP BY kind, (copy > 0) \
             UNION ALL SELECT 'unsettled', kind, FALSE, status, (",
            needs_checking!(),
            "), (COALESCE(settled_by, '') = 'assumed'), COUNT(*) FROM email_submissions",
            $unsettled,
            " WHERE status <> 'synced' AND ",
            $time,
            " >= $1 AND ",
            $time,
            " < $2 GROUP BY 2, 4, 5, 6 \
             UNION ALL SELECT 'assumed', kind, FALSE, status, FALSE, TRUE, COUNT(*) \
             FROM email_submissions",
            $assumed,
            " WHERE settled_by = 'assumed' AND status = 'synced' AND ",
            $time,
            " >= $1 AND ",
            $time,
            " < $2 GROUP BY 2, 4 \
             UNION ALL SELECT 'bounced', kind, FALSE, status, FALSE, FALSE, COUNT(*) \
             FROM email_submissions",
            $bounced,
            " WHERE delivery_state IN ('bounced', 'complained') AND status = 'synced' AND ",
            $time,
            " >= $1 AND ",
            $time,
            " < $2 GROUP BY 2, 4"
        )
    };
}
pub(super) const DECIDED: Sql = Sql {
    sqlite: figures!(
        "created_at",
        " INDEXED BY email_submissions_time",
        " INDEXED BY email_submissions_unsettled",
        " INDEXED BY email_submissions_assumed",
        " INDEXED BY email_submissions_bounced"
    ),
    postgres: figures!("created_at", "", "", "", ""),
};
pub(super) const ACCEPTED: Sql = Sql {
    sqlite: figures!(
        "sent_at",
        " INDEXED BY email_submissions_sent",
        " INDEXED BY email_submissions_unsettled",
        " INDEXED BY email_submissions_assumed",
        " INDEXED BY email_submissions_bounced"
    ),
    postgres: figures!("sent_at", "", "", "", ""),
};
pub(super) const TOTALS_DECIDED: Sql = Sql {
    sqlite: "SELECT kind, COUNT(*) FROM email_submissions INDEXED BY email_submissions_time \
             WHERE created_at >= $1 AND created_at < $2 GROUP BY kind",
    postgres: "SELECT kind, COUNT(*) FROM email_submissions \
               WHERE created_at >= $1 AND created_at < $2 GROUP BY kind",
};
pub(super) const TOTALS_ACCEPTED: Sql = Sql {
    sqlite: "SELECT kind, COUNT(*) FROM email_submissions INDEXED BY email_submissions_sent \
             WHERE sent_at >= $1 AND sent_at < $2 GROUP BY kind",
    postgres: "SELECT kind, COUNT(*) FROM email_submissions \
               WHERE sent_at >= $1 AND sent_at < $2 GROUP BY kind",
};
/// Decided from `$1` on and before `$2`.
pub(super) const CHECKING: Sql = Sql::same(concat!(
    "SELECT COUNT(*) FROM email_submissions WHERE ",
    needs_checking!(),
    " AND created_at >= $1 AND created_at < $2"
));
/// What may still change by itself or because somebody lets go of it.
macro_rules! unsettled {
    ($hint:literal) => {
        concat!(
            "SELECT COUNT(*) FILTER (WHERE held_reason IS NULL AND status = 'pending'), \
             COUNT(*) FILTER (WHERE held_reason IS NULL AND status = 'failed' \
             AND next_attempt_at IS NOT NULL), COUNT(*) FILTER (WHERE held_reason IS NOT NULL), \
             COUNT(*) FILTER (WHERE held_reason IS NULL AND status = 'requesting') \
             FROM email_submissions",
            $hint,
            " WHERE status <> 'synced' AND created_at >= $1 AND created_at < $2"
        )
    };
}
pub(super) const UNSETTLED: Sql = Sql {
    sqlite: unsettled!(" INDEXED BY email_submissions_unsettled"),
    postgres: unsettled!(""),
};
pub(super) const UNTIMED: Sql = Sql::same(
    "SELECT COUNT(*) FROM email_submissions WHERE status = 'synced' AND sent_at IS NULL \
     AND created_at >= $1 AND created_at < $2",
);
pub(super) const CLOSED: Sql =
    Sql::same("SELECT closed_at, closed_by, reason, zone FROM closed_months WHERE month = $1");
pub(super) const KEPT: Sql = Sql::same(
    "SELECT kind, accepted, accepted_assumed, bounced, pending, sending, checking, failed, \
     failed_assumed, rejected, canceled, total, further FROM closed_figures \
     WHERE month = $1 AND basis = $2",
);
pub(super) const CLOSE: Sql = Sql::same(
    "INSERT INTO closed_months (month, closed_by, reason, zone) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (month) DO NOTHING",
);
pub(super) const KEEP: Sql = Sql::same(
    "INSERT INTO closed_figures (month, basis, kind, accepted, accepted_assumed, bounced, pending, \
     sending, checking, failed, failed_assumed, rejected, canceled, total, further) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
);
/// All figures that are kept are of one moment.
pub(super) const ONE_MOMENT: &str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";
pub(super) const LIMIT: &str = "SET LOCAL statement_timeout = '60s'";

pub(in crate::outbox) const STATEMENTS: &[(&str, Sql)] = &[
    ("report::DECIDED", DECIDED),
    ("report::ACCEPTED", ACCEPTED),
    ("report::TOTALS_DECIDED", TOTALS_DECIDED),
    ("report::TOTALS_ACCEPTED", TOTALS_ACCEPTED),
    ("report::CHECKING", CHECKING),
    ("report::UNSETTLED", UNSETTLED),
    ("report::UNTIMED", UNTIMED),
    ("report::CLOSED", CLOSED),
    ("report::KEPT", KEPT),
    ("report::CLOSE", CLOSE),
    ("report::KEEP", KEEP),
];
