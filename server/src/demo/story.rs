//! What a shop sent in the last forty days: pure, and the same for the same moment.
//!
//! Orders come day by day, more of them at daytime and fewer at weekends, with a sale six days
//! ago. Each leads to the mails that its flow asks for. Most go out at once; the odd ones are
//! told in [`super::cases`].

use super::cases::{Case, Fate, cases};
use super::life::{Life, uuid};
use super::people::People;
use super::rows::{At, DAY, HOUR, MINUTE, SECOND};
use super::specials;
use super::text::{Basket, day};
use super::ways;
use crate::db::Stamp;
use crate::envelope::{RawContent, screen};
use crate::outbox::retry::Retries;
use app::model::Mailbox;
use app::model::trouble::Trouble;
use chrono::{Datelike, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Tz;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use std::collections::HashMap;

const SEED: u64 = 104_312;
const DAYS: i64 = 40;
/// The newest order's number.
const LAST_ORDER: i64 = 104_312;
const ORDERS_A_DAY: f64 = 29.0;
const SALE: i64 = 6;
/// Orders by hour of the day.
const HOURS: [u32; 24] = [
    10, 5, 3, 2, 2, 4, 10, 20, 40, 60, 70, 70, 90, 70, 60, 60, 60, 60, 70, 80, 100, 110, 80, 40,
];
/// Newer mails are told in `cases`, to the second.
const SETTLED: i64 = 5 * MINUTE;

/// One mail; members named as the columns, as first inserted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Mail {
    pub id: i64,
    pub r#ref: String,
    pub order_id: String,
    pub kind: &'static str,
    pub occasion: &'static str,
    pub copy: i32,
    pub original_id: Option<i64>,
    pub decided_by: Option<&'static str>,
    pub recipient: String,
    pub subject: String,
    pub body_text: String,
    pub body_html: Option<String>,
    pub reply_to: Option<&'static str>,
    pub created_at: At,
    pub updated_at: At,
    pub not_before: Option<At>,
    #[serde(skip)]
    pub life: Life,
}

struct Order {
    at: At,
    case: Option<Case>,
}

struct Teller {
    rng: StdRng,
    now: At,
    zone: Tz,
    from: Option<Mailbox>,
    mails: Vec<Mail>,
    people: People,
}

/// A time of day in the shop's zone, `seconds` after midnight.
pub(super) fn local(day: NaiveDate, seconds: u32, zone: Tz) -> Option<At> {
    let time = NaiveTime::from_num_seconds_from_midnight_opt(seconds, 0)?;
    let at = zone.from_local_datetime(&day.and_time(time)).earliest()?;
    Some(At(at.with_timezone(&Utc).timestamp_micros()))
}

/// Everything up to now, first to last.
pub(super) fn tell(now: Stamp, zone: Tz) -> Vec<Mail> {
    let mut teller = Teller {
        rng: StdRng::seed_from_u64(SEED),
        now: At(now.micros()),
        zone,
        from: Mailbox::parse(super::FROM).ok(),
        mails: Vec::new(),
        people: People::default(),
    };
    let orders = teller.orders();
    let first = LAST_ORDER + 1 - i64::try_from(orders.len()).unwrap_or(0);
    for (number, order) in (first..).zip(orders) {
        teller.order(number, order);
    }
    teller.finish()
}

impl Teller {
    fn orders(&mut self) -> Vec<Order> {
        let today = day(self.now, self.zone);
        let mut orders = Vec::new();
        for back in (0..=DAYS).rev() {
            let date = today - TimeDelta::days(back);
            let weekday = match date.weekday() {
                Weekday::Sat => 0.6,
                Weekday::Sun => 0.55,
                Weekday::Mon => 1.15,
                _ => 1.0,
            };
            let sale = match back {
                SALE => 4.2,
                back if back == SALE - 1 => 1.7,
                _ => 1.0,
            };
            let sway = self.rng.random_range(0.85..1.15);
            for _ in 0..(ORDERS_A_DAY * weekday * sale * sway) as u32 {
                let at = self.time_of_day(date);
                orders.extend(at.map(|at| Order { at, case: None }));
            }
        }
        orders.retain(|order| order.at <= self.now.plus(-SETTLED));
        for case in cases(self.now, self.zone) {
            let at = self.now.plus(-case.age - case.lead);
            let case = Some(case);
            orders.push(Order { at, case });
        }
        orders.sort_by_key(|order| order.at);
        orders
    }

    fn time_of_day(&mut self, date: NaiveDate) -> Option<At> {
        let all: u32 = HOURS.iter().sum();
        let mut drawn = self.rng.random_range(0..all);
        let mut hour = 0;
        for weight in HOURS {
            if drawn < weight {
                break;
            }
            drawn -= weight;
            hour += 1;
        }
        let second = self.rng.random_range(0..3_600);
        let ms = self.rng.random_range(0..1_000);
        Some(local(date, hour * 3_600 + second, self.zone)?.plus(ms))
    }

    /// An hour at which parcels leave, so many days later; not on Sundays.
    fn working_hour(&mut self, from: At, days: i64) -> At {
        let mut date = day(from, self.zone) + TimeDelta::days(days);
        if date.weekday() == Weekday::Sun {
            date += TimeDelta::days(1);
        }
        let second = self.rng.random_range(10 * 3_600..17 * 3_600);
        let ms = self.rng.random_range(0..1_000);
        local(date, second, self.zone).map_or(from.plus(DAY), |at| at.plus(ms))
    }

    fn order(&mut self, number: i64, order: Order) {
        let at = order.at;
        let company = self.rng.random_bool(0.2);
        let english = self.rng.random_bool(0.04);
        let known = order.case.as_ref().and_then(|c| c.recipient);
        let to = match known {
            Some(known) => known.to_owned(),
            None => self.people.customer(&mut self.rng, company),
        };
        let basket = Basket::fill(&mut self.rng, at, self.zone, english);
        if let Some(case) = order.case {
            self.special(number, at, &case, &to, &basket);
            return;
        }
        let mut plan = vec![("order_confirmation", "", at)];
        let mut paid = at;
        if company {
            let ms = self.rng.random_range(5 * MINUTE..HOUR);
            plan.push(("invoice", "", at.plus(ms)));
        } else if self.rng.random_bool(0.5) {
            paid = at.plus(self.rng.random_range(HOUR..50 * HOUR));
            plan.push(("payment_confirmation", "", paid));
        }
        let days = self.rng.random_range(1..=2);
        let sent = self.working_hour(paid, days);
        plan.push(("shipping_notice", "", sent));
        if self.rng.random_bool(0.05) {
            let second = self.working_hour(sent, 1);
            plan.push(("shipping_notice", "2", second));
        }
        if self.rng.random_bool(0.035) {
            let days = self.rng.random_range(4..=9);
            let refund = self.working_hour(sent, days);
            plan.push(("refund_notice", "", refund));
        }
        for (kind, occasion, at) in plan {
            if at <= self.now.plus(-SETTLED) {
                self.ordinary(number, (kind, occasion), at, &to, &basket);
            }
        }
    }

    fn ordinary(
        &mut self,
        number: i64,
        key: (&'static str, &'static str),
        at: At,
        to: &str,
        basket: &Basket,
    ) {
        let mut mail = self.draft(number, key, at, to, basket);
        let troubled = self.troubled(at);
        goes_out(&mut mail.life, &mut self.rng, at, self.now, troubled);
        self.mails.push(mail);
    }

    /// How likely the first attempt is to fail: on the evening of the sale the service asked for
    /// patience.
    fn troubled(&self, at: At) -> f64 {
        let evening = local(
            day(self.now, self.zone) - TimeDelta::days(SALE),
            20 * 3_600,
            self.zone,
        );
        match evening.map(|evening| at.since(evening)) {
            Some(ms) if (0..2 * HOUR).contains(&ms) => 0.6,
            _ => 0.045,
        }
    }

    fn special(&mut self, number: i64, ordered: At, case: &Case, to: &str, basket: &Basket) {
        if case.kind != "order_confirmation" {
            // What is wrong with an address came in later, or is not wrong with this one.
            let first = match case.fate {
                Fate::Corrected(right) => right.to_owned(),
                Fate::Screened | Fate::Refused => self.people.customer(&mut self.rng, false),
                _ => to.to_owned(),
            };
            self.ordinary(number, ("order_confirmation", ""), ordered, &first, basket);
        }
        let at = self.now.plus(-case.age);
        if case.copy > 0 {
            self.ordinary(number, (case.kind, ""), ordered.plus(HOUR), to, basket);
        }
        let mut mail = self.draft(number, (case.kind, ""), at, to, basket);
        mail.copy = case.copy;
        mail.not_before = case.not_before;
        if let Some(subject) = case.subject {
            mail.subject = subject.to_owned();
        }
        let raw = RawContent {
            recipient: mail.recipient.as_str().into(),
            subject: mail.subject.as_str().into(),
            body_text: mail.body_text.as_str().into(),
            ..RawContent::default()
        };
        let fault = screen(&raw, self.from.as_ref())
            .err()
            .map(|f| f.to_string());
        specials::live(
            case,
            &mut mail.life,
            &mut self.rng,
            self.now,
            fault.as_deref(),
        );
        self.mails.push(mail);
    }

    fn draft(
        &mut self,
        number: i64,
        (kind, occasion): (&'static str, &'static str),
        at: At,
        to: &str,
        basket: &Basket,
    ) -> Mail {
        let content = basket.write(kind, number, day(at, self.zone));
        Mail {
            id: 0,
            r#ref: uuid(&mut self.rng),
            order_id: number.to_string(),
            kind,
            occasion,
            copy: 0,
            original_id: None,
            decided_by: ways::of(kind),
            recipient: to.to_owned(),
            subject: content.subject,
            body_text: content.text,
            body_html: content.html,
            reply_to: (kind == "invoice").then_some("株式会社サンプル 経理 <keiri@example.jp>"),
            created_at: at,
            updated_at: at,
            not_before: None,
            life: Life::new(at, Some(to)),
        }
    }

    /// Numbers the mails in the order in which they were decided.
    fn finish(mut self) -> Vec<Mail> {
        self.mails.sort_by_key(|mail| mail.created_at);
        let mut originals = HashMap::new();
        let mut copies = Vec::new();
        for (id, mail) in (1..).zip(&mut self.mails) {
            mail.id = id;
            let key = (mail.order_id.clone(), mail.kind, mail.occasion);
            if mail.copy == 0 {
                originals.insert(key, id);
            } else {
                mail.original_id = originals.get(&key).copied();
                let asked = mail.life.take_copied();
                mail.decided_by = asked.as_ref().map(|act| act.actor);
                copies.extend(asked.map(|act| (mail.original_id, id, act)));
            }
        }
        for (original, id, act) in copies {
            let of = self.mails.iter_mut().find(|mail| Some(mail.id) == original);
            if let Some(of) = of {
                of.life.made_copy(id, act);
            }
        }
        self.mails
    }
}

/// A mail that comes through in the end. `troubled`: how likely each attempt is to fail.
pub(super) fn goes_out(life: &mut Life, rng: &mut StdRng, from: At, now: At, troubled: f64) {
    let worker = |rng: &mut StdRng| {
        ["worker-1", "worker-1", "worker-2"]
            .choose(rng)
            .copied()
            .unwrap_or("worker-1")
    };
    let mut due = from;
    for counted in 1..=3 {
        if !rng.random_bool(troubled) {
            break;
        }
        let claimed = due.plus(rng.random_range(60..1_050));
        let by = worker(rng);
        life.claim(rng, claimed, by, None);
        let wait;
        if rng.random_bool(0.7) {
            wait = rng.random_range(8 * SECOND..25 * SECOND);
            let at = claimed.plus(rng.random_range(110..400));
            life.refuse(at, 429, "too many requests", Some(wait));
            due = at.plus(wait);
        } else {
            let pause = Retries::wait(counted, rng.random());
            wait = i64::try_from(pause.as_millis()).unwrap_or(SECOND);
            let at = claimed.plus(rng.random_range(2..40));
            life.refuse(at, 0, Trouble::Refused.as_str(), Some(wait));
            due = at.plus(wait);
        }
    }
    let claimed = due.plus(rng.random_range(60..1_050));
    let by = worker(rng);
    life.claim(rng, claimed, by, None);
    let took = if rng.random_bool(0.04) {
        rng.random_range(900..4_000)
    } else {
        rng.random_range(140..520)
    };
    let accepted = claimed.plus(took);
    life.accept(rng, accepted);
    let (state, wait) = match rng.random_range(0..1_000) {
        0..=859 => ("delivered", rng.random_range(2 * SECOND..40 * SECOND)),
        860..=881 => ("bounced", rng.random_range(SECOND..90 * SECOND)),
        882..=884 => ("complained", rng.random_range(HOUR..30 * HOUR)),
        _ => return,
    };
    if accepted.plus(wait) <= now {
        life.deliver(accepted.plus(wait), state);
    }
}
