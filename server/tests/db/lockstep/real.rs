//! The steps as the product takes them.

use crate::common::{
    Keyed, TestDb, accepted, account_refused, eventually, keyed_claimant, never_left, refused,
    temporary, unknown,
};
use app::desk::Answer;
use app::model::Status;
use app::model::protocol::{Attempt, Due, Lease, Question, Row, Rules, Step, Taken};
use app::model::views::{Cause, Outcome};
use denpyo::outbox::claim::replay::{self, Replay, Replaying};
use denpyo::outbox::claim::{Claim, Claimant, Resend, Resent, claim_due, claim_for_person};
use denpyo::outbox::hold::{By, hold_all, release_all};
use denpyo::outbox::lapse::mark_lapsed;
use denpyo::outbox::lookup::{self, Open, Undecided, Written};
use denpyo::outbox::operate::{Answered, answer};
use denpyo::outbox::retry::Retries;
use denpyo::outbox::settle::{Settled, release, settle};
use denpyo::provider::SendOutcome;
use denpyo::provider::asking::FoundMail;
use rand::Rng;
use rand::rngs::StdRng;
use std::time::Duration;

/// Longer than any walk.
const PATIENCE: Duration = Duration::from_secs(3600);

/// One row, and what processes hold of it.
pub struct Real<'a> {
    db: &'a TestDb,
    id: i64,
    rules: Rules,
    who: Claimant,
    claims: Vec<Claim>,
    opens: Vec<Open>,
    replays: Vec<(Replay, String)>,
    /// As last read.
    pub version: i64,
}

fn outcome_of(word: Outcome) -> SendOutcome {
    match word {
        Outcome::Accepted => accepted("m-1"),
        Outcome::NeverLeft => never_left(),
        Outcome::Temporary => temporary(None),
        Outcome::Refused => refused(),
        Outcome::Account => account_refused(),
        Outcome::Unknown | Outcome::Released => unknown(),
    }
}

impl<'a> Real<'a> {
    pub async fn insert(db: &'a TestDb, order: u64, rules: Rules) -> Real<'a> {
        Real {
            db,
            id: db.insert(&order.to_string()).await,
            rules,
            // An attempt's own lease has always passed when anybody asks about it. The row's is
            // set after each claim, and passes when the walk says so.
            who: Claimant {
                lease: Duration::from_millis(1),
                ..keyed_claimant()
            },
            claims: Vec::new(),
            opens: Vec::new(),
            replays: Vec::new(),
            version: 1,
        }
    }

    /// The attempts that were taken to ask about, in that order.
    pub fn asked(&self) -> Vec<i32> {
        self.opens.iter().map(|open| open.attempt).collect()
    }

    pub fn replays(&self) -> u8 {
        self.replays.len() as u8
    }

    fn claim(&self, attempt: i32) -> &Claim {
        &self.claims[attempt as usize - 1]
    }

    fn open(&self, attempt: i32) -> &Open {
        let about = |open: &&Open| open.attempt == attempt;
        self.opens.iter().rev().find(about).unwrap()
    }

    async fn version(&self) -> i64 {
        let version = self.db.column(self.id, "version").await;
        version.unwrap().parse().unwrap()
    }

    /// Takes the question, if it stands in the schedule; whether it is new.
    pub async fn take(&mut self) -> bool {
        let past = self.db.at(-1);
        let id = self.id;
        self.db
            .run(&format!(
                "UPDATE lookups SET next_at = {past} WHERE submission_id = {id}"
            ))
            .await;
        let taken = lookup::take(self.db, "p", PATIENCE, 10).await.unwrap();
        let new = taken
            .first()
            .is_some_and(|o| !self.asked().contains(&o.attempt));
        self.opens.extend(taken);
        new
    }

    /// Takes a step. `said` is what the protocol says of it: steps of the clock that it refuses
    /// are none.
    pub async fn carry_out(&mut self, step: &Step, said: Taken, rng: &mut StdRng) -> Taken {
        match step {
            Step::LeasePasses | Step::ComesDue if said == Taken::Refused => said,
            Step::LeasePasses => {
                self.db.lapse(self.id).await;
                Taken::Noted
            }
            Step::ComesDue => {
                self.db.make_due(self.id).await;
                Taken::Noted
            }
            Step::Sweep => noted(lookup::sweep(self.db).await.unwrap() == 1),
            Step::Forget => {
                let before = self.scheduled().await;
                self.take().await;
                noted(self.scheduled().await < before)
            }
            step => {
                let done = self.act(step, said, self.version, rng).await;
                let leased = matches!(
                    step,
                    Step::ClaimByWorker | Step::ClaimByPerson { .. } | Step::Replay { .. }
                );
                if leased && done == Taken::Changed {
                    let later = self.db.at(600);
                    let set = format!("lease_until = {later}");
                    self.db.change(self.id, &set).await;
                }
                done
            }
        }
    }

    /// What is due later is due when the walk says so, and not when the walk takes long.
    pub async fn put_off(&self) {
        self.db.put_off(self.id).await;
    }

    async fn scheduled(&self) -> i64 {
        let id = self.id;
        self.db
            .number(&format!(
                "SELECT COUNT(*) FROM lookups WHERE submission_id = {id}"
            ))
            .await
    }

    async fn act(&mut self, step: &Step, said: Taken, version: i64, rng: &mut StdRng) -> Taken {
        let (db, id) = (self.db, self.id);
        match step {
            Step::ClaimByWorker => {
                // A row that a transaction still locks while it is rolled back is passed over, and
                // claimed at the next poll.
                let mut claims = claim_due(db, &self.who, 10).await.unwrap();
                if said == Taken::Changed {
                    eventually("the row is claimed", async || {
                        if claims.is_empty() {
                            claims = claim_due(db, &self.who, 10).await.unwrap();
                        }
                        !claims.is_empty()
                    })
                    .await;
                }
                let claimed = !claims.is_empty();
                self.claims.extend(claims);
                changed(claimed)
            }
            Step::ClaimByPerson { as_seen } => {
                let attempt = self.claims.len() as i32;
                let (version, attempt) = match (as_seen, rng.random_range(0..3)) {
                    (true, 0) => (None, None),
                    (true, 1) => (Some(version), None),
                    (true, _) => (Some(version), Some(attempt)),
                    (false, 0) => (None, Some(attempt + 1)),
                    (false, _) => (Some(version - 1), Some(attempt)),
                };
                let resend = Resend {
                    actor: "sato",
                    version,
                    attempt,
                    ..Resend::default()
                };
                match claim_for_person(db, &self.who, id, &resend).await.unwrap() {
                    Resent::Claimed(claim) => {
                        self.claims.push(*claim);
                        Taken::Changed
                    }
                    Resent::Refused(_) => Taken::Refused,
                    other => panic!("{other:?}"),
                }
            }
            Step::Settle { attempt, outcome } => {
                let (claim, outcome) = (self.claim(*attempt), outcome_of(*outcome));
                let most = self.rules.max_attempts;
                let settled = settle(db, claim, &outcome, self.rules.on_unknown, Retries { most })
                    .await
                    .unwrap();
                match settled {
                    Settled::Recorded => Taken::Changed,
                    Settled::Before => Taken::Refused,
                    // It may still have made the row a possible duplicate.
                    Settled::Late if self.version().await > version => Taken::Changed,
                    Settled::Late => Taken::Noted,
                }
            }
            Step::Release { attempt } => {
                let claim = self.claim(*attempt);
                match release(db, claim, Cause::Lease).await.unwrap() {
                    Settled::Recorded => Taken::Changed,
                    Settled::Late => Taken::Noted,
                    Settled::Before => Taken::Refused,
                }
            }
            Step::Lapse => {
                let side = self.rules.on_unknown;
                changed(mark_lapsed(db, |_| side).await.unwrap() == 1)
            }
            Step::Found { asked, mails } => {
                let mails: Vec<FoundMail> = mails
                    .iter()
                    .map(|attempt| FoundMail {
                        attempt: Some(*attempt),
                        ..FoundMail::default()
                    })
                    .collect();
                lookup::found(db, self.open(*asked), &mails).await.unwrap();
                if self.version().await > version {
                    Taken::Changed
                } else {
                    Taken::Noted
                }
            }
            Step::NotThere { attempt } => {
                let most = self.rules.max_attempts;
                let written = lookup::not_there(db, self.open(*attempt), "no", most).await;
                changed(written.unwrap() == Written::Recorded)
            }
            Step::Undecided { attempt, again } => {
                let again = again.then_some(PATIENCE);
                let written = lookup::undecided(db, self.open(*attempt), Undecided::NotYet, again);
                noted(written.await.unwrap() == Written::Recorded)
            }
            Step::Replay { attempt, .. } => {
                match replay::claim(db, &self.who, id, *attempt, Keyed::DIGEST)
                    .await
                    .unwrap()
                {
                    Replaying::Ready(replay) => {
                        let token = db.column(id, "replay_token").await.unwrap();
                        self.replays.push((*replay, token));
                        Taken::Changed
                    }
                    Replaying::Taken => Taken::Refused,
                    Replaying::Different => panic!("one request only"),
                }
            }
            Step::EndReplay { by } => {
                let (replay, _) = &self.replays[usize::from(*by) - 1];
                replay::end(db, replay).await.unwrap();
                changed(self.version().await > version)
            }
            Step::PersonSays { sent, as_seen } => {
                let said = if *sent { Answer::Sent } else { Answer::NotSent };
                let version = version - i64::from(!as_seen);
                let taken = answer(db, "sato", id, version, said, "asked")
                    .await
                    .unwrap();
                changed(matches!(taken, Answered::Recorded))
            }
            Step::Hold => changed(hold_all(db, By::Hold, "a restore").await.unwrap() == 1),
            Step::LetGo => changed(release_all(db, "sato", "checked").await.unwrap() == 1),
            Step::Sweep | Step::Forget | Step::LeasePasses | Step::ComesDue => unreachable!(),
        }
    }

    /// The row as the protocol sees it.
    pub async fn read(&mut self) -> Row {
        let (db, id) = (self.db, self.id);
        let row = db.row(id).await;
        self.version = row.version;
        let now = db.now().await.unwrap();
        let status = row.status().unwrap();
        // What only the outbox itself reads.
        let tokens = db
            .column(
                id,
                "COALESCE(claim_token, '') || ' ' || COALESCE(replay_token, '') || ' ' \
                 || COALESCE(claimed_from, '') || ' ' || COALESCE((SELECT attempt \
                 || CASE WHEN ended THEN ' ended' ELSE '' END FROM lookups WHERE submission_id = \
                 email_submissions.id), '')",
            )
            .await
            .unwrap();
        let tokens: Vec<&str> = tokens.split(' ').collect();
        let number = |token: &str| self.replays.iter().position(|(_, t)| t == token).unwrap();
        let log = self.log(row.attempts).await;
        Row {
            status,
            settled_by: row.settled_by(),
            counted: row.attempts_counted,
            token: !tokens[0].is_empty(),
            lease: row.lease_until.map(|end| {
                if end.micros() <= now.micros() {
                    Lease::Passed
                } else {
                    Lease::Lives
                }
            }),
            replay: (!tokens[1].is_empty()).then(|| number(tokens[1]) as u8 + 1),
            unknown: row.unknown_at.is_some(),
            due: match row.next_attempt_at {
                _ if status == Status::Pending => Due::Now,
                None => Due::Never,
                Some(at) if at.micros() <= now.micros() => Due::Now,
                Some(_) => Due::Later,
            },
            held: row.held_reason.is_some(),
            possible_duplicate: row.possible_duplicate,
            from_pending: status == Status::Requesting && tokens[2] == "pending",
            log,
            question: tokens[3].parse().ok().map(|attempt| Question {
                attempt,
                ended: tokens.get(4) == Some(&"ended"),
            }),
        }
    }

    /// Every attempt, from one list of words: `1 outcome`, `1 kind of observation`, …
    async fn log(&self, attempts: i32) -> Vec<Attempt> {
        let id = self.id;
        let list = format!(
            "SELECT string_agg(attempt || ' ' || word, ',') FROM (\
             SELECT attempt, outcome AS word FROM submission_attempts WHERE submission_id = {id} \
             UNION ALL SELECT attempt, kind FROM submission_observations \
             WHERE submission_id = {id}) AS words WHERE word IS NOT NULL"
        );
        let list = if self.db.is_postgres() {
            list
        } else {
            list.replace("string_agg", "group_concat")
        };
        let list = self.db.text_of(&list).await.unwrap_or_default();
        let mut log = vec![Attempt::default(); attempts as usize];
        for (attempt, word) in list.split(',').filter_map(|pair| pair.split_once(' ')) {
            let entry = &mut log[attempt.parse::<usize>().unwrap() - 1];
            match word {
                "late_accepted" => entry.late_accepted = true,
                "late_refused" => entry.late_refused = true,
                "late_unknown" => entry.late_unknown = true,
                "late_released" => entry.late_released = true,
                "lookup_found" => entry.found = true,
                "lookup_no" | "lookup_not_yet" | "lookup_unclear" => {}
                outcome => entry.outcome = Some(Outcome::parse(outcome).unwrap()),
            }
        }
        log
    }

    /// Ends the walk: later ones have the database to themselves.
    pub async fn retire(self) {
        match self.db.status(self.id).await {
            Status::Synced | Status::Canceled => {}
            Status::Requesting => {
                let set = "status = 'synced', settled_by = 'imported', claim_token = NULL, \
                           lease_until = NULL, unknown_at = NULL";
                self.db.change(self.id, set).await;
            }
            _ => {
                self.db
                    .change(self.id, "status = 'canceled', held_reason = NULL")
                    .await
            }
        }
        self.db
            .change(self.id, "settled_by = 'imported', held_reason = NULL")
            .await;
        let id = self.id;
        self.db
            .run(&format!("DELETE FROM lookups WHERE submission_id = {id}"))
            .await;
    }
}

fn changed(done: bool) -> Taken {
    if done { Taken::Changed } else { Taken::Refused }
}

fn noted(done: bool) -> Taken {
    if done { Taken::Noted } else { Taken::Refused }
}
