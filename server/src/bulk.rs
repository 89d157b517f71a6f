//! Resends the mails of started jobs, one after the other at a measured pace. Whichever process has
//! a job's lease does; a mail's turn may come twice where one was killed, and then finds the
//! resend of the first time by its name.

use crate::db::DbError;
use crate::desk::{Office, ResendAnswer};
use crate::outbox::audit::OWN_REQUESTS;
use crate::outbox::bulk::{self, Came, Taken, Turn};
use crate::outbox::claim::Resend;
use crate::outbox::pause;
use crate::sender::Sender;
use crate::users;
use app::model::Role;
use app::model::views::NoticeKind;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time between two mails: ten a second, so that neither the service nor those who wait for single
/// mails notice.
const PACE: Duration = Duration::from_millis(100);
/// How long nobody else works on a job when its process has vanished.
const LEASE: Duration = Duration::from_secs(15);
/// How often new jobs are looked for, and a paused service.
const LOOK: Duration = Duration::from_secs(1);

/// Works on jobs.
pub struct Bulk {
    office: Office,
    sender: Arc<Sender>,
    /// As many mails at once as the worker sends.
    most: i64,
}

impl Bulk {
    /// `most`: mails in flight at once.
    pub fn new(office: Office, sender: Arc<Sender>, most: u32) -> Bulk {
        Bulk {
            office,
            sender,
            most: most.into(),
        }
    }

    /// Takes a job and works on it until it ends, is stopped, or the process is to stop; whether
    /// there was one.
    pub async fn run_once(&self, stopping: &CancellationToken) -> Result<bool, DbError> {
        let db = self.sender.db();
        let owner = &self.sender.claimant().worker;
        let Some(job) = bulk::take(db, owner, LEASE).await? else {
            return Ok(false);
        };
        tracing::info!(job = job.id, "resending many");
        let done = tokio::select! {
            done = self.work(&job) => done,
            () = stopping.cancelled() => Ok(()),
        };
        bulk::give_back(db, job.id, owner).await?;
        done.map(|()| true)
    }

    async fn work(&self, job: &Taken) -> Result<(), DbError> {
        let db = self.sender.db();
        let who = self.sender.claimant();
        // Asked before each mail: a stop comes before the next one.
        while bulk::keep(db, job.id, &who.worker, LEASE).await? {
            let Some(turn) = bulk::next(db, job.id).await? else {
                bulk::done(db, job.id, &who.worker).await?;
                tracing::info!(job = job.id, "resent many");
                return Ok(());
            };
            if !self.may_go_on(job).await? {
                bulk::revoke(db, job.id, &who.worker).await?;
                tracing::warn!(
                    job = job.id,
                    "resending many is stopped: who started it may not any more"
                );
                return Ok(());
            }
            let paused = pause::read(db, &who.provider, &who.account).await?;
            // A service that refuses the account would refuse every one of them.
            if paused.is_some_and(|pause| pause.active) || self.sender.in_flight() >= self.most {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let came = self.turn(job, &turn).await?;
            bulk::came(db, job.id, turn.place, &came).await?;
            tokio::time::sleep(PACE).await;
        }
        Ok(())
    }

    /// Whether whoever started a job might start it still: what goes out does so in their name.
    async fn may_go_on(&self, job: &Taken) -> Result<bool, DbError> {
        let user = users::by_name(self.sender.db(), &job.started_by).await?;
        Ok(user.is_some_and(|user| user.may(Role::Lead)))
    }

    /// One mail, through the claim of a single resend, as it was seen.
    async fn turn(&self, job: &Taken, turn: &Turn) -> Result<Came, DbError> {
        // The name by which a resend of this job is known again: nobody resends twice for one job.
        let name = format!("{OWN_REQUESTS}bulk/{}", job.id);
        let resend = Resend {
            actor: &job.started_by,
            version: Some(turn.version),
            attempt: Some(turn.attempt),
            recipient: None,
            reason: Some(&job.reason),
            request_id: Some(&name),
        };
        let id = turn.submission_id;
        let why = match self.office.resend_as(id, &resend).await? {
            ResendAnswer::Begun { attempt } => return Ok(Came::Resent(attempt)),
            ResendAnswer::Refused(kind) => kind,
            ResendAnswer::Unsendable(fault) => crate::desk::unsendable(fault),
            ResendAnswer::NotFound => NoticeKind::Changed,
        };
        let winner = self.office.winner(id).await?;
        Ok(Came::Skipped(
            crate::desk::kind_word(why),
            winner.map(|winner| (winner.by, winner.at)),
        ))
    }
}

/// Runs until the process is to stop.
pub async fn run(bulk: Bulk, stopping: CancellationToken) {
    while !stopping.is_cancelled() {
        match bulk.run_once(&stopping).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(error = %error, "many could not be resent; trying again"),
        }
        tokio::select! {
            () = stopping.cancelled() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}
