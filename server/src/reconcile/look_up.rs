//! Where the service shows what it has, it is asked for the mail, and the answer is weighed.

use super::{Reconciler, Watch};
use crate::db::DbError;
use crate::outbox::lookup::{self, Open, Undecided, Written};
use crate::provider::Provider;
use crate::provider::asking::{Finding, Unclear};
use app::model::lookup::{Evidence, Judgement, Said, ask_again_after, judge, later_mail_decides};
use std::time::{Duration, Instant};

impl Reconciler {
    /// One question, and what its answer comes to; whether it settled the row.
    pub(super) async fn look_up(
        &self,
        provider: &dyn Provider,
        open: &Open,
        watch: &mut Watch,
        retention: Duration,
    ) -> Result<bool, DbError> {
        // No attempt that was claimed before can begin after its lease, whatever the database's
        // clock says.
        if watch.mark.is_none() && watch.first_seen.elapsed() >= self.config.lease {
            watch.mark = Some(lookup::highest_attempt(&self.db).await?);
        }
        let asked_at = Instant::now();
        // The service may take its time over a mail that it has: so much the horizon allows for.
        let late = chrono::TimeDelta::from_std(self.horizon(provider)).unwrap_or_default();
        let mut question = open.question.clone();
        question.until = question.until.and_then(|t| t.checked_add_signed(late));
        let finding = provider.lookup(&question).await;
        self.weigh(provider, open, watch, asked_at, finding, retention)
            .await
    }

    async fn weigh(
        &self,
        provider: &dyn Provider,
        open: &Open,
        watch: &mut Watch,
        asked_at: Instant,
        finding: Finding,
        retention: Duration,
    ) -> Result<bool, DbError> {
        let horizon = self.horizon(provider);
        let mut evidence = Evidence {
            horizon,
            since_lease_end: open.since_lease_end,
            since_claim: open.since_claim,
            retention,
            since_first_no: watch
                .first_no
                .map_or(Duration::ZERO, |first| asked_at.duration_since(first)),
            known_for: asked_at.duration_since(watch.first_seen),
            later_mail_shown: false,
        };
        let said = match &finding {
            Finding::Found(_) => Said::Found,
            Finding::NotFound => Said::NotFound,
            Finding::Unclear { .. } => Said::Unclear,
        };
        let mut judgement = judge(said, &evidence);
        if judgement == Judgement::NotYet && later_mail_decides(&evidence) {
            evidence.later_mail_shown = self.shows_later_mail(provider, open, watch).await?;
            judgement = judge(said, &evidence);
        }
        if said == Said::NotFound {
            watch.first_no.get_or_insert(asked_at);
        }
        let again = ask_again_after(judgement, open.asked, open.unclear + 1, &evidence);
        let written = match (judgement, finding) {
            (Judgement::Accepted, Finding::Found(mails)) => self.accepted(open, &mails).await?,
            (Judgement::Not, _) => self.not_there(open, &evidence).await?,
            (Judgement::NotYet, _) => {
                lookup::undecided(&self.db, open, Undecided::NotYet, Some(again)).await?;
                return Ok(false);
            }
            (_, Finding::Unclear { why, detail }) => {
                let more = why.may_pass() && open.since_claim < retention;
                let again = more.then_some(again);
                return self.unclear(open, why, &detail, again).await;
            }
            (_, _) => {
                let detail = "older than what the service keeps";
                return self.unclear(open, Unclear::TooOld, detail, None).await;
            }
        };
        Ok(written == Written::Recorded)
    }

    /// Whether the service shows a mail that was claimed when this attempt could not begin any
    /// more: then its look-up has come further than this attempt.
    async fn shows_later_mail(
        &self,
        provider: &dyn Provider,
        open: &Open,
        watch: &Watch,
    ) -> Result<bool, DbError> {
        let Some(mark) = watch.mark else {
            return Ok(false);
        };
        let later = lookup::witness(&self.db, mark, &open.provider, &open.account).await?;
        Ok(match later {
            Some(question) => matches!(provider.lookup(&question).await, Finding::Found(_)),
            None => false,
        })
    }
}
