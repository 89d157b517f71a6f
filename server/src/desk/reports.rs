//! Reports: the month's figures, and closing a month.

use super::{Office, hide, reason_of};
use crate::db::limited::PATIENCE;
use crate::db::{DbError, Stamp};
use crate::export::Cell;
use crate::outbox::report::{self, ClosedRow};
use app::desk::Reports;
use app::error::AppError;
use app::model::Month;
use app::model::filter::Basis;
use app::model::report::{Column, Figures};
use app::model::views::{
    Closed, KindLine, Me, MonthAnswer, MonthNotice, MonthReport, MonthTable, Past, Sending,
};
use app::words::Words;
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};

/// The lines of the month's table: a shop has a handful of kinds. The rest share the last line.
const KINDS: usize = 200;

#[async_trait]
impl Reports for Office {
    async fn month_report(&self, me: &Me, query: &str) -> Result<MonthReport, AppError> {
        self.read_month(me, query).await.map_err(hide)
    }

    async fn month_sending(&self, query: &str) -> Result<Sending, AppError> {
        self.read_sending(query).await.map_err(hide)
    }

    async fn close_month(
        &self,
        me: &Me,
        month: &str,
        reason: &str,
    ) -> Result<(Month, MonthAnswer), AppError> {
        if !report::may_close(me.role) {
            return Err(AppError::Forbidden);
        }
        let month = Month::parse(month).ok_or(AppError::BadInput)?;
        let (from, until) = self.bounds(month).ok_or(AppError::BadInput)?;
        let close = async {
            if self.db.now().await? < until {
                return Ok(MonthAnswer::NotOver);
            }
            let reason = reason_of(reason);
            let zone = self.config.time_zone.name();
            let reason = reason.as_deref();
            let done =
                report::close(&self.db, month, (from, until), &me.name, reason, zone).await?;
            Ok::<_, DbError>(if done {
                MonthAnswer::Closed
            } else {
                MonthAnswer::ClosedBefore
            })
        };
        Ok((month, close.await.map_err(hide)?))
    }

    async fn month_notice(&self, month: Month, what: MonthAnswer) -> Result<MonthNotice, AppError> {
        let closed = report::closed(&self.db, month).await.map_err(hide)?;
        // Who and when is told; the reason stands on the page, as its reader may see it.
        let closed = closed.map(|row| {
            self.closed(ClosedRow {
                reason: None,
                ..row
            })
        });
        Ok(MonthNotice {
            month,
            what,
            closed,
        })
    }
}

/// The month and the basis of a query string; the month of `today` where there is none, and
/// whether there was one that is none.
pub fn asked(query: &str, today: Month) -> (Month, Basis, bool) {
    let mut month = None;
    let mut basis = Basis::default();
    let mut bad = false;
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "month" if !value.trim().is_empty() => {
                month = Month::parse(&value);
                bad = month.is_none();
            }
            "basis" => basis = Basis::parse(value.trim()).unwrap_or_default(),
            _ => {}
        }
    }
    (month.unwrap_or(today), basis, bad)
}

impl Office {
    /// A month's first moment, and the first after it.
    pub(super) fn bounds(&self, month: Month) -> Option<(Stamp, Stamp)> {
        Some((
            self.day_begins(month.first_day())?,
            self.day_begins(month.next().first_day())?,
        ))
    }

    fn closed(&self, row: ClosedRow) -> Closed {
        Closed {
            at: self.moment(row.closed_at),
            by: row.closed_by,
            reason: row.reason,
            zone: row.zone,
        }
    }

    /// A month to compare with: as it is now, and as it was kept where it was closed.
    async fn totals_of(&self, month: Month, basis: Basis) -> Result<Totals, DbError> {
        let now = match self.bounds(month) {
            Some((from, until)) => report::totals(&self.db, basis, from, until, PATIENCE).await?,
            None => None,
        };
        let kept = match report::closed(&self.db, month).await? {
            Some(_) => Some(report::kept(&self.db, month, basis).await?),
            None => None,
        };
        let total = |(kind, figures): (String, Figures)| (kind, figures.get(Column::Total));
        Ok(Totals {
            now,
            kept: kept.map(|kept| kept.into_iter().map(total).collect()),
        })
    }

    /// The month's page.
    pub async fn read_month(&self, me: &Me, query: &str) -> Result<MonthReport, DbError> {
        let now = self.db.now().await?;
        let as_of = self.moment(now);
        let this = Month::of(as_of.0.date_naive());
        let (month, basis, bad_month) = asked(query, this);
        // Every month that can be asked for has a beginning in every zone.
        let (from, until) = self.bounds(month).unwrap_or((now, now));
        let figures = report::figures(&self.db, basis, from, until, PATIENCE).await?;
        let closed = report::closed(&self.db, month).await?;
        let kept = match &closed {
            Some(_) => Some(report::kept(&self.db, month, basis).await?),
            None => None,
        };
        let pasts = [month.previous(), month.year_before()];
        let before = self.totals_of(pasts[0], basis).await?;
        let year_before = self.totals_of(pasts[1], basis).await?;
        let kept_pasts = pasts
            .into_iter()
            .zip([&before, &year_before])
            .filter_map(|(month, totals)| totals.kept.as_ref().map(|_| month))
            .collect();
        let (checking_from, over) = match basis {
            Basis::Decided => (from, until <= now),
            Basis::Accepted => (first_stamp(), until <= now),
        };
        let may_close = report::may_close(me.role) && over && closed.is_none();
        Ok(MonthReport {
            as_of,
            zone: self.config.time_zone.name().to_owned(),
            month,
            bad_month,
            basis,
            from: self.moment(from),
            until: self.moment(if over { until } else { now }),
            over,
            ahead: from > now,
            table: figures.map(|now| table(now, kept, &before, &year_before)),
            still_checking: Some(report::checking(&self.db, checking_from, until).await?),
            untimed: match basis {
                Basis::Decided => None,
                Basis::Accepted => Some(report::untimed(&self.db, from, until).await?),
            },
            closed: closed.map(|row| {
                self.closed(ClosedRow {
                    reason: row.reason.map(|reason| self.text_for(me, reason)),
                    ..row
                })
            }),
            kept_pasts,
            may_close: match may_close {
                true => Some(report::unsettled(&self.db, from, until).await?),
                false => None,
            },
        })
    }
}

/// Before anything that was ever decided.
fn first_stamp() -> Stamp {
    Stamp::from_micros(-62_135_596_800_000_000).unwrap_or(Stamp::new(chrono::DateTime::UNIX_EPOCH))
}

/// All mails of a month by kind.
struct Totals {
    /// None where not counted in time.
    now: Option<BTreeMap<String, i64>>,
    /// None where the month was not closed.
    kept: Option<BTreeMap<String, i64>>,
}

impl Totals {
    fn kinds(&self) -> impl Iterator<Item = &String> {
        self.now.iter().chain(&self.kept).flat_map(BTreeMap::keys)
    }

    fn of(&self, kind: &str) -> Past {
        let count = |of: &Option<BTreeMap<String, i64>>| {
            of.as_ref().map(|of| of.get(kind).copied().unwrap_or(0))
        };
        Past {
            now: count(&self.now),
            kept: count(&self.kept),
        }
    }
}

/// The sum of several lines' figures of a month.
fn sum_of(totals: &Totals, pasts: impl Iterator<Item = Past> + Clone) -> Past {
    let now = pasts.clone().filter_map(|past| past.now).sum();
    let kept = pasts.filter_map(|past| past.kept).sum();
    Past {
        now: totals.now.as_ref().map(|_| now),
        kept: totals.kept.as_ref().map(|_| kept),
    }
}

fn table(
    now: BTreeMap<String, Figures>,
    kept: Option<BTreeMap<String, Figures>>,
    before: &Totals,
    year_before: &Totals,
) -> MonthTable {
    let mut kinds: BTreeSet<String> = now.keys().cloned().collect();
    kinds.extend(kept.iter().flatten().map(|(kind, _)| kind.clone()));
    kinds.extend(before.kinds().chain(year_before.kinds()).cloned());
    let mut lines: Vec<KindLine> = kinds
        .into_iter()
        .map(|kind| KindLine {
            now: now.get(&kind).copied().unwrap_or_default(),
            kept: kept
                .as_ref()
                .map(|kept| kept.get(&kind).copied().unwrap_or_default()),
            last_month: before.of(&kind),
            last_year: year_before.of(&kind),
            linked: !kind.contains(['\u{fffd}', '\0']),
            kind,
        })
        .collect();
    lines.sort_by(|a, b| {
        let total = |line: &KindLine| line.now.get(Column::Total);
        total(b).cmp(&total(a)).then_with(|| a.kind.cmp(&b.kind))
    });
    let all = |lines: &[KindLine], linked| KindLine {
        kind: String::new(),
        linked,
        now: lines
            .iter()
            .fold(Figures::default(), |sum, line| sum.plus(&line.now)),
        kept: kept.as_ref().map(|_| {
            lines
                .iter()
                .filter_map(|line| line.kept.as_ref())
                .fold(Figures::default(), |sum, kept| sum.plus(kept))
        }),
        last_month: sum_of(before, lines.iter().map(|line| line.last_month)),
        last_year: sum_of(year_before, lines.iter().map(|line| line.last_year)),
    };
    let sum = all(&lines, true);
    if lines.len() > KINDS {
        let rest = all(&lines[KINDS - 1..], false);
        lines.truncate(KINDS - 1);
        lines.push(rest);
    }
    MonthTable { lines, sum }
}

/// The month's table as it leaves in a file.
pub struct ReportFile {
    /// The heads.
    pub heads: Vec<String>,
    /// A line a kind, and the sums.
    pub rows: Vec<Vec<Cell>>,
}

impl ReportFile {
    /// The table of a report; none where it was not counted.
    pub fn of(report: &MonthReport, words: &Words) -> Option<ReportFile> {
        let table = report.table.as_ref()?;
        let (r, e) = (&words.reports, &words.exports);
        let closed = report.closed.is_some();
        let mut heads: Vec<String> = e.report_columns.map(str::to_owned).into();
        let names = Column::ALL.map(|column| {
            // In a file a part has no column beside it that says of what.
            let of = match column {
                Column::AcceptedAssumed | Column::Bounced => (r.column)(Column::Accepted),
                Column::FailedAssumed => (r.column)(Column::Failed),
                _ => return (r.column)(column).to_owned(),
            };
            format!("{of} / {}", (r.column)(column))
        });
        heads.extend(names.iter().cloned());
        let pasts = [
            (r.last_month, report.month.previous()),
            (r.last_year, report.month.year_before()),
        ];
        heads.extend(pasts.map(|(name, month)| {
            if report.kept_pasts.contains(&month) {
                (e.kept)(name)
            } else {
                name.to_owned()
            }
        }));
        // The figures that count come first, as on the screen; those of now stand behind them.
        if closed {
            heads.extend(names.iter().map(|name| (e.now)(name)));
        }
        let line = |line: &KindLine, name: &str| {
            let mut cells = vec![
                Cell::Text(report.month.to_string()),
                Cell::Text((r.basis)(report.basis).to_owned()),
                Cell::Text(name.to_owned()),
                Cell::text(Some(&line.kind)),
            ];
            let figures = |of: Figures| Column::ALL.map(|column| Cell::Number(of.get(column)));
            cells.extend(figures(line.kept.unwrap_or(line.now)));
            let count = |past: Past| past.figure().map_or(Cell::Empty, Cell::Number);
            cells.extend([count(line.last_month), count(line.last_year)]);
            if closed {
                cells.extend(figures(line.now));
            }
            cells
        };
        let mut rows: Vec<Vec<Cell>> = table
            .lines
            .iter()
            .map(|l| {
                let name = match l.kind.as_str() {
                    "" => r.rest,
                    kind => (words.kind)(kind).unwrap_or(kind),
                };
                line(l, name)
            })
            .collect();
        rows.push(line(&table.sum, r.sum));
        Some(ReportFile { heads, rows })
    }
}
