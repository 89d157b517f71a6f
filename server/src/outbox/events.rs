//! What services tell by themselves. Every event of a mail that is known here proves that the
//! service accepted it; delivery is kept apart from that, in `delivery_state`.
//!
//! An event is kept once, as an observation at the service's own time. Services repeat whole
//! batches, for hours: what is known already is found with two questions for a whole batch, and
//! changes nothing.

use super::proof::{Proof, prove};
use super::row::shorten;
use crate::db::{Db, DbError, Sql, Stamp, Tx, id_list};
use crate::provider::events::{EventKind, MailEvent};
use crate::{in_tx, on_read};
use app::model::SettledBy;
use chrono::{DateTime, Datelike, Utc};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Of which mails the references are; `$1` is a text of references joined by commas.
const FIND: Sql = Sql {
    sqlite: "SELECT CAST(ref AS text), id FROM email_submissions \
             WHERE ref IN (SELECT value FROM json_each('[\"' || replace($1, ',', '\",\"') || '\"]'))",
    postgres: "SELECT CAST(ref AS text), id FROM email_submissions \
               WHERE ref = ANY(CAST(string_to_array($1, ',') AS uuid[]))",
};
const KNOWN: Sql = Sql::same(
    "SELECT submission_id, attempt, kind, at FROM submission_observations \
     WHERE submission_id {ids $1} AND kind IN ('event_accepted', 'event_delivered', \
     'event_bounced', 'event_complained')",
);
/// In the order of their ids: two batches about the same mails do not wait for each other. The
/// last column: whether more than a note is needed. What an answer settled at the first attempt
/// rests on the best ground, and has no other attempt.
const LOCK: Sql = Sql {
    sqlite: "SELECT id, status = 'requesting', \
             attempts <> 1 OR status <> 'synced' OR settled_by IS NOT 'response' \
             FROM email_submissions WHERE id {ids $1}",
    postgres: "SELECT id, status = 'requesting', \
               attempts <> 1 OR status <> 'synced' OR settled_by IS DISTINCT FROM 'response' \
               FROM email_submissions WHERE id {ids $1} ORDER BY id FOR UPDATE",
};
/// Writes down what is not there yet. An event with a time is looked for by that time, through
/// the index: one comparison for both sorts would read all of a mail's events for each. `$1`: a JSON array of arrays of submission, attempt, time,
/// kind and detail.
const NOTE: Sql = Sql {
    sqlite: "INSERT INTO submission_observations (submission_id, attempt, at, kind, provider, detail) \
             SELECT e.id, e.attempt, COALESCE(e.at, {now}), e.kind, $2, e.detail FROM ( \
             SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS attempt, \
             json_extract(value, '$[2]') AS at, json_extract(value, '$[3]') AS kind, \
             json_extract(value, '$[4]') AS detail FROM json_each($1)) AS e \
             WHERE NOT EXISTS (SELECT 1 FROM submission_observations o WHERE o.submission_id = e.id \
             AND o.kind = e.kind AND o.at = e.at AND COALESCE(o.attempt, 0) = COALESCE(e.attempt, 0)) \
             AND NOT (e.at IS NULL AND EXISTS (SELECT 1 FROM submission_observations o \
             WHERE o.submission_id = e.id AND o.kind = e.kind \
             AND COALESCE(o.attempt, 0) = COALESCE(e.attempt, 0))) \
             RETURNING submission_id, attempt, kind, at",
    postgres: "INSERT INTO submission_observations (submission_id, attempt, at, kind, provider, detail) \
               SELECT e.id, e.attempt, COALESCE(e.at, {now}), e.kind, $2, e.detail FROM ( \
               SELECT CAST(value->>0 AS bigint) AS id, CAST(value->>1 AS int) AS attempt, \
               CAST(value->>2 || '+00' AS timestamptz) AS at, value->>3 AS kind, value->>4 AS detail \
               FROM json_array_elements(CAST($1 AS json))) AS e \
               WHERE NOT EXISTS (SELECT 1 FROM submission_observations o WHERE o.submission_id = e.id \
               AND o.kind = e.kind AND o.at = e.at AND COALESCE(o.attempt, 0) = COALESCE(e.attempt, 0)) \
               AND NOT (e.at IS NULL AND EXISTS (SELECT 1 FROM submission_observations o \
               WHERE o.submission_id = e.id AND o.kind = e.kind \
               AND COALESCE(o.attempt, 0) = COALESCE(e.attempt, 0))) \
               RETURNING submission_id, attempt, kind, at",
};
/// The process that posts an attempt may die after the proof came: then nobody closes the
/// attempt. It is looked after once its lease is over.
const LOOK_AFTER: Sql = Sql::same(
    "INSERT INTO lookups (submission_id, attempt, lease_until, next_at) \
     SELECT submission_id, attempt, lease_until, lease_until FROM submission_attempts \
     WHERE submission_id = $1 AND closed_at IS NULL ON CONFLICT (submission_id) DO NOTHING",
);
/// The newest by the service's time. A complaint says that the mail was delivered, so that
/// delivered adds nothing to it.
const DELIVERY: Sql = Sql::same(
    "UPDATE email_submissions SET delivery_state = newest.state, delivery_at = newest.at, \
     version = version + 1, updated_at = {now} \
     FROM (SELECT submission_id, substr(kind, 7) AS state, at, row_number() OVER \
     (PARTITION BY submission_id ORDER BY at DESC, CASE kind WHEN 'event_complained' THEN 0 \
     WHEN 'event_bounced' THEN 1 ELSE 2 END, id) AS place FROM submission_observations o \
     WHERE submission_id {ids $1} AND (kind IN ('event_bounced', 'event_complained') \
     OR (kind = 'event_delivered' AND NOT EXISTS (SELECT 1 FROM submission_observations c \
     WHERE c.submission_id = o.submission_id AND c.kind = 'event_complained')))) AS newest \
     WHERE email_submissions.id = newest.submission_id AND newest.place = 1 \
     AND (delivery_state IS NULL OR delivery_state <> newest.state \
     OR delivery_at IS NULL OR delivery_at <> newest.at)",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("events::FIND", FIND),
    ("events::KNOWN", KNOWN),
    ("events::LOCK", LOCK),
    ("events::NOTE", NOTE),
    ("events::LOOK_AFTER", LOOK_AFTER),
    ("events::DELIVERY", DELIVERY),
];

/// Events looked through with one question.
const CHUNK: usize = 1000;
/// Mails whose rows one transaction locks: no other writer waits long.
const ROWS: usize = 50;
/// Events that one transaction writes down, for the same reason: they may all be of one mail.
const WRITTEN: usize = 100;
/// Events that say no more than that the mail was accepted (opens and clicks above all) are kept
/// up to about this many a mail: the rest decides nothing, and some readers open without end.
const KEPT: usize = 200;

/// What a batch came to, in events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Written down, by kind: accepted, delivered, bounced, complained.
    pub fresh: [u64; 4],
    /// Known already, or of those that are not kept: opens beyond the first few hundred.
    pub repeated: u64,
    /// About mails that are not of this table, or that name none.
    pub foreign: u64,
}

/// Kinds in the order of [`Applied::fresh`].
pub const KINDS: [EventKind; 4] = [
    EventKind::Accepted,
    EventKind::Delivered,
    EventKind::Bounced,
    EventKind::Complained,
];

fn word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Accepted => "event_accepted",
        EventKind::Delivered => "event_delivered",
        EventKind::Bounced => "event_bounced",
        EventKind::Complained => "event_complained",
    }
}

/// An event of a mail that is known here.
struct Ours<'a> {
    id: i64,
    event: &'a MailEvent,
    /// Counted from 1.
    attempt: Option<i32>,
    at: Option<Stamp>,
}

impl<'a> Ours<'a> {
    fn of(id: i64, event: &'a MailEvent) -> Ours<'a> {
        Ours {
            id,
            event,
            attempt: event.attempt.filter(|n| *n > 0),
            at: event.at.and_then(plausible),
        }
    }

    fn kind(&self) -> &'static str {
        word(self.event.kind)
    }
}

/// A time that both databases can keep, and that a mail can have.
fn plausible(at: DateTime<Utc>) -> Option<Stamp> {
    (1970..3000).contains(&at.year()).then(|| Stamp::new(at))
}

/// Applies what a service told. Safe to repeat, in part or in whole.
pub async fn apply(db: &Db, provider: &str, events: &[MailEvent]) -> Result<Applied, DbError> {
    let mut applied = Applied::default();
    for chunk in events.chunks(CHUNK) {
        let ids = find(db, chunk).await?;
        let mut known = known(db, &ids).await?;
        let mut fresh: BTreeMap<i64, Vec<Ours<'_>>> = BTreeMap::new();
        for event in chunk {
            let id = event.reference.and_then(|r| ids.get(&r.to_string()));
            let Some(id) = id else {
                applied.foreign += 1;
                continue;
            };
            let ours = Ours::of(*id, event);
            if !known.is_surplus(&ours) && known.learn(&ours) {
                fresh.entry(*id).or_default().push(ours);
            } else {
                applied.repeated += 1;
            }
        }
        for rows in parts(fresh.into_values()) {
            write(db, provider, &rows, &mut applied).await?;
        }
    }
    Ok(applied)
}

/// What each transaction writes: few mails, and few events in all.
fn parts<'a>(fresh: impl Iterator<Item = Vec<Ours<'a>>>) -> Vec<Vec<Vec<Ours<'a>>>> {
    let mut parts: Vec<Vec<Vec<Ours<'a>>>> = Vec::new();
    let mut room = 0;
    for mut of_one in fresh {
        if of_one.len() > WRITTEN {
            // The first of them says when the mail was accepted.
            of_one.sort_by_key(|ours| (ours.at.is_none(), ours.at));
        }
        while !of_one.is_empty() {
            let rest = of_one.split_off(of_one.len().min(WRITTEN));
            match parts.last_mut() {
                Some(part) if part.len() < ROWS && of_one.len() <= room => {
                    room -= of_one.len();
                    part.push(of_one);
                }
                _ => {
                    room = WRITTEN - of_one.len();
                    parts.push(vec![of_one]);
                }
            }
            of_one = rest;
        }
    }
    parts
}

async fn find(db: &Db, events: &[MailEvent]) -> Result<HashMap<String, i64>, DbError> {
    let references: HashSet<String> = events
        .iter()
        .filter_map(|e| e.reference.map(|r| r.to_string()))
        .collect();
    if references.is_empty() {
        return Ok(HashMap::new());
    }
    let list: Vec<String> = references.into_iter().collect();
    let sql = db.text(FIND);
    let found: Vec<(String, i64)> =
        on_read!(db, c => sqlx::query_as(&sql).bind(list.join(",")).fetch_all(c).await)?;
    Ok(found.into_iter().collect())
}

/// Events that were written down before, at a time and at all.
#[derive(Default)]
struct Known {
    at: HashSet<(i64, i32, String, Stamp)>,
    ever: HashSet<(i64, i32, String)>,
    /// How many say no more than that the mail was accepted.
    plain: HashMap<i64, usize>,
}

impl Known {
    /// It would be one too many, and is not the first that speaks of its attempt.
    fn is_surplus(&self, ours: &Ours<'_>) -> bool {
        let kind = ours.kind().to_owned();
        ours.event.kind == EventKind::Accepted
            && self.plain.get(&ours.id).is_some_and(|n| *n >= KEPT)
            && self
                .ever
                .contains(&(ours.id, ours.attempt.unwrap_or(0), kind))
    }

    /// True where the event was not known so far.
    fn learn(&mut self, ours: &Ours<'_>) -> bool {
        let attempt = ours.attempt.unwrap_or(0);
        let kind = ours.kind().to_owned();
        let first = self.ever.insert((ours.id, attempt, kind.clone()));
        let new = match ours.at {
            Some(at) => self.at.insert((ours.id, attempt, kind, at)),
            None => first,
        };
        if new && ours.event.kind == EventKind::Accepted {
            *self.plain.entry(ours.id).or_default() += 1;
        }
        new
    }
}

/// A line of the observations.
type Line = (i64, Option<i32>, String, Stamp);

async fn known(db: &Db, ids: &HashMap<String, i64>) -> Result<Known, DbError> {
    if ids.is_empty() {
        return Ok(Known::default());
    }
    let sql = db.text(KNOWN);
    let lines: Vec<Line> = on_read!(db, c => sqlx::query_as(&sql)
        .bind(id_list(ids.values().copied())).fetch_all(c).await)?;
    let mut known = Known::default();
    for (id, attempt, kind, at) in lines {
        let attempt = attempt.unwrap_or(0);
        if kind == word(EventKind::Accepted) {
            *known.plain.entry(id).or_default() += 1;
        }
        known.ever.insert((id, attempt, kind.clone()));
        known.at.insert((id, attempt, kind, at));
    }
    Ok(known)
}

/// Writes down what is new about some mails, in one transaction.
async fn write(
    db: &Db,
    provider: &str,
    rows: &[Vec<Ours<'_>>],
    applied: &mut Applied,
) -> Result<(), DbError> {
    let all = || rows.iter().flatten();
    let ids = id_list(rows.iter().filter_map(|of_one| Some(of_one.first()?.id)));
    let mut tx = db.begin().await?;
    let sql = db.text(LOCK);
    let locked: Vec<(i64, bool, bool)> =
        in_tx!(&mut tx, c => sqlx::query_as(&sql).bind(&ids).fetch_all(c).await)?;
    let written = note(db, &mut tx, provider, all()).await?;
    for (id, in_flight, needs_proof) in locked {
        let of_one = all().filter(|ours| ours.id == id);
        for (attempt, first) in firsts(of_one) {
            if !needs_proof && matches!(attempt, None | Some(1)) {
                continue;
            }
            let proof = Proof {
                by: SettledBy::Webhook,
                attempt,
                provider,
                message_id: first
                    .event
                    .message_id
                    .as_deref()
                    .filter(|m| !m.contains('\0')),
                at: first.at,
            };
            if prove(db, &mut tx, id, &proof).await? > 0 && in_flight {
                let sql = db.text(LOOK_AFTER);
                in_tx!(&mut tx, c => sqlx::query(&sql).bind(id).execute(c).await.map(|_| ()))?;
            }
        }
    }
    if all().any(|ours| ours.event.kind != EventKind::Accepted) {
        let sql = db.text(DELIVERY);
        in_tx!(&mut tx, c => sqlx::query(&sql).bind(&ids).execute(c).await.map(|_| ()))?;
    }
    tx.commit().await?;
    for (count, kind) in applied.fresh.iter_mut().zip(KINDS) {
        *count += written.iter().filter(|w| *w == word(kind)).count() as u64;
    }
    // Another process was quicker with the rest.
    applied.repeated += (all().count() - written.len()) as u64;
    Ok(())
}

/// The first event of each attempt.
fn firsts<'a>(events: impl Iterator<Item = &'a Ours<'a>>) -> BTreeMap<Option<i32>, &'a Ours<'a>> {
    let mut firsts: BTreeMap<Option<i32>, &Ours<'_>> = BTreeMap::new();
    for ours in events {
        let first = firsts.entry(ours.attempt).or_insert(ours);
        let earlier = |at: Stamp| first.at.is_none_or(|of_first| at < of_first);
        if ours.at.is_some_and(earlier) {
            *first = ours;
        }
    }
    firsts
}

/// Writes events down; returns the kinds of those that nobody wrote before.
async fn note<'a>(
    db: &Db,
    tx: &mut Tx,
    provider: &str,
    events: impl Iterator<Item = &'a Ours<'a>>,
) -> Result<Vec<String>, DbError> {
    let lines: Vec<Value> = events
        .map(|ours| {
            // As SQLite keeps it; PostgreSQL reads it with its zone.
            let at = ours
                .at
                .map(|at| at.utc().format("%Y-%m-%d %H:%M:%S%.6f").to_string());
            let detail = ours.event.detail.as_deref();
            // No database takes NUL in a text.
            let detail = detail.map(|d| shorten(d, 300).replace('\0', " "));
            json!([ours.id, ours.attempt, at, ours.kind(), detail])
        })
        .collect();
    let sql = db.text(NOTE);
    let written: Vec<Line> = in_tx!(tx, c => sqlx::query_as(&sql)
        .bind(Value::Array(lines).to_string()).bind(provider).fetch_all(c).await)?;
    Ok(written.into_iter().map(|(.., kind, _)| kind).collect())
}
