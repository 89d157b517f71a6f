//! What became of a month's sends: how many tries mails took, at which hours services took them,
//! how long that took, and what the other sides of `DENPYO_ON_UNKNOWN` would have done. Pure rules
//! from grouped rows to figures.

use super::Status;
use super::protocol::OnUnknown;
use super::views::{Bar, Delay, Delays, Histogram, Hour, Outcome, Tries, Unknowns};
use std::collections::BTreeMap;

/// Lines of kind and service; what is smaller shares the last line.
const LINES: usize = 60;

impl Bar {
    /// Counts mails of this status.
    pub fn add(&mut self, status: Status, count: i64) {
        match status {
            Status::Synced => self.accepted += count,
            // Given back, it waits for its next try.
            Status::Failed | Status::Pending => self.failed += count,
            Status::Rejected => self.rejected += count,
            Status::Canceled => self.canceled += count,
            Status::Requesting => self.open += count,
        }
    }
}

impl Histogram {
    /// The bar of mails tried this often; none for those never tried.
    pub fn bar(&mut self, tries: i32) -> Option<&mut Bar> {
        let place = usize::try_from(tries).ok()?.checked_sub(1)?;
        self.bars.get_mut(place.min(4))
    }

    fn plus(mut self, other: &Histogram) -> Histogram {
        for (mine, theirs) in self.bars.iter_mut().zip(&other.bars) {
            mine.accepted += theirs.accepted;
            mine.failed += theirs.failed;
            mine.rejected += theirs.rejected;
            mine.canceled += theirs.canceled;
            mine.open += theirs.open;
        }
        self
    }

    /// All of it.
    pub fn sum(&self) -> i64 {
        self.bars.iter().map(Bar::sum).sum()
    }
}

impl Tries {
    /// All mails of the line.
    pub fn sum(&self) -> i64 {
        self.histogram.sum() + self.never
    }

    fn plus(self, other: &Tries) -> Tries {
        Tries {
            histogram: self.histogram.plus(&other.histogram),
            never: self.never + other.never,
            ..self
        }
    }
}

/// Mails of one kind, service, status and number of tries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// As stored.
    pub kind: String,
    /// As stored; blank where none had them yet.
    pub service: String,
    /// As stored.
    pub status: Status,
    /// 0 for those never tried.
    pub tries: i32,
    /// How many.
    pub count: i64,
}

/// From groups to lines of kind and service: the largest kind first, and of each those never tried last.
pub fn tries(groups: impl IntoIterator<Item = Tried>) -> Vec<Tries> {
    let mut lines: BTreeMap<(String, String), Tries> = BTreeMap::new();
    for group in groups {
        let line =
            lines
                .entry((group.kind, group.service))
                .or_insert_with_key(|(kind, service)| Tries {
                    kind: kind.clone(),
                    service: service.clone(),
                    ..Tries::default()
                });
        match line.histogram.bar(group.tries) {
            Some(bar) => bar.add(group.status, group.count),
            None => line.never += group.count,
        }
    }
    let mut lines: Vec<Tries> = lines.into_values().collect();
    let mut kinds: BTreeMap<String, i64> = BTreeMap::new();
    for line in &lines {
        *kinds.entry(line.kind.clone()).or_default() += line.sum();
    }
    lines.sort_by(|a, b| {
        let all = |line: &Tries| kinds.get(&line.kind).copied();
        let none = |line: &Tries| line.service.is_empty();
        all(b)
            .cmp(&all(a))
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(|| none(a).cmp(&none(b)))
            .then_with(|| b.sum().cmp(&a.sum()))
    });
    if lines.len() > LINES {
        let rest = lines.split_off(LINES - 1);
        lines.push(total(&rest));
    }
    lines
}

/// All lines in one.
pub fn total(lines: &[Tries]) -> Tries {
    lines
        .iter()
        .fold(Tries::default(), |sum, line| sum.plus(line))
}

/// The lines of a kind, of a service, of both or of all, in one.
pub fn narrowed(lines: &[Tries], kind: Option<&str>, service: Option<&str>) -> Histogram {
    lines
        .iter()
        .filter(|line| kind.is_none_or(|kind| line.kind == kind))
        .filter(|line| service.is_none_or(|service| line.service == service))
        .fold(Histogram::default(), |sum, line| sum.plus(&line.histogram))
}

/// Tries of one outcome in a quarter of an hour of the day, which is what zones differ by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quarter {
    /// How they ended; an accepted one stands for the mail.
    pub outcome: Outcome,
    /// Of the day as UTC counts it, 0 to 95.
    pub quarter: i64,
    /// Seconds by which the zone was ahead of UTC then.
    pub ahead: i32,
    /// How many.
    pub count: i64,
}

/// From quarters to the zone's hours. What was given back before its first byte was no try.
pub fn hours(quarters: impl IntoIterator<Item = Quarter>) -> [Hour; 24] {
    let mut hours = [Hour::default(); 24];
    for q in quarters {
        let second = (q.quarter * 900 + i64::from(q.ahead)).rem_euclid(86_400);
        let Some(hour) = usize::try_from(second / 3600)
            .ok()
            .and_then(|hour| hours.get_mut(hour))
        else {
            continue;
        };
        match q.outcome {
            Outcome::Accepted => hour.accepted += q.count,
            Outcome::Unknown => hour.unclear += q.count,
            Outcome::Released => {}
            Outcome::NeverLeft | Outcome::Temporary | Outcome::Refused | Outcome::Account => {
                hour.not_accepted += q.count;
            }
        }
    }
    hours
}

impl Hour {
    /// Everything in it.
    pub fn sum(&self) -> i64 {
        self.accepted + self.not_accepted + self.unclear
    }

    /// Hundredths of a percent of the clear answers that were a yes; cut, so that 100 % means all.
    pub fn success(&self) -> Option<i64> {
        let answered = self.accepted + self.not_accepted;
        (answered > 0).then(|| self.accepted * 10_000 / answered)
    }
}

/// How long acceptance took: kind, seconds, mails.
pub fn delays(groups: impl IntoIterator<Item = (String, i64, i64)>) -> Delays {
    let mut kinds: BTreeMap<String, BTreeMap<i64, i64>> = BTreeMap::new();
    let mut all: BTreeMap<i64, i64> = BTreeMap::new();
    for (kind, seconds, count) in groups {
        // Whoever brings a mail in may write its day ahead of time.
        let seconds = seconds.max(0);
        *kinds.entry(kind).or_default().entry(seconds).or_default() += count;
        *all.entry(seconds).or_default() += count;
    }
    let mut kinds: Vec<Delay> = kinds
        .into_iter()
        .map(|(kind, waits)| delay(kind, &waits))
        .collect();
    kinds.sort_by_key(|delay| std::cmp::Reverse(delay.count));
    kinds.truncate(LINES);
    Delays {
        all: delay(String::new(), &all),
        kinds,
    }
}

fn delay(kind: String, waits: &BTreeMap<i64, i64>) -> Delay {
    Delay {
        kind,
        count: waits.values().sum(),
        p50: percentile(waits, 50),
        p95: percentile(waits, 95),
    }
}

/// The least value that so many of a hundred do not exceed (nearest rank); 0 of none.
fn percentile(counts: &BTreeMap<i64, i64>, percent: i64) -> i64 {
    let all: i64 = counts.values().sum();
    let rank = (all * percent + 99) / 100;
    let mut seen = 0;
    for (value, count) in counts {
        seen += count;
        if seen >= rank {
            return *value;
        }
    }
    0
}

/// A send whose outcome was not known, and what came to be known of it. Times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Since when nobody knew.
    pub since: i64,
    /// Proof that the service has it.
    pub found: Option<i64>,
    /// Proof that it has not.
    pub not_there: Option<i64>,
    /// A person said that it went out.
    pub said_sent: Option<i64>,
    /// A person said that it did not.
    pub said_not: Option<i64>,
}

impl Doubt {
    /// Whether it had been accepted, and how long until anybody knew. Proof counts more than a
    /// person's word, and proof of acceptance more than anything.
    fn cleared(&self) -> Option<(bool, i64)> {
        let accepted = if self.found.is_some() {
            true
        } else if self.not_there.is_some() {
            false
        } else if self.said_sent.is_some() {
            true
        } else if self.said_not.is_some() {
            false
        } else {
            return None;
        };
        let first = [self.found, self.not_there, self.said_sent, self.said_not]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(self.since);
        Some((accepted, (first - self.since).max(0)))
    }
}

/// What the sends turned out to be.
pub fn unknowns(doubts: impl IntoIterator<Item = Doubt>) -> Unknowns {
    let mut sum = Unknowns::default();
    let mut waits: BTreeMap<i64, i64> = BTreeMap::new();
    for doubt in doubts {
        match doubt.cleared() {
            None => sum.open += 1,
            Some((accepted, waited)) => {
                if accepted {
                    sum.accepted += 1;
                } else {
                    sum.not_accepted += 1;
                }
                *waits.entry(waited).or_default() += 1;
            }
        }
    }
    sum.half_waited = percentile(&waits, 50);
    sum.all_waited = waits.keys().next_back().copied().unwrap_or(0);
    sum
}

/// What customers would have met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// The mail twice.
    pub twice: Range,
    /// No mail, while the desk says accepted.
    pub none: Range,
    /// A wait until somebody knew.
    pub waited: i64,
    /// A wait that is not over.
    pub waiting: i64,
}

/// At least, and at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Surely.
    pub least: i64,
    /// If all that nobody knows of were so.
    pub most: i64,
}

impl Unknowns {
    /// All of them.
    pub fn sum(&self) -> i64 {
        self.accepted + self.not_accepted + self.open
    }

    /// What customers would have met under a setting: taken for not accepted and sent again, what
    /// was accepted arrives twice; taken for accepted, what was not never arrives.
    pub fn met(&self, setting: OnUnknown) -> Met {
        let range = |least| Range {
            least,
            most: least + self.open,
        };
        match setting {
            OnUnknown::Hold => Met {
                waited: self.accepted + self.not_accepted,
                waiting: self.open,
                ..Met::default()
            },
            OnUnknown::Synced => Met {
                none: range(self.not_accepted),
                ..Met::default()
            },
            OnUnknown::Failed => Met {
                twice: range(self.accepted),
                ..Met::default()
            },
        }
    }
}

#[cfg(test)]
#[path = "sending_tests.rs"]
mod tests;
