//! What needs checking.

use super::Office;
use super::pages::{pairs, params};
use crate::db::{DbError, id_list};
use crate::outbox::{asked, read};
use app::model::Age;
use app::model::filter::Hint;
use app::model::views::{Case, Cases};

/// Cases that a page holds at most.
const CASES: i64 = 100;

/// The age that a query string asks for, and whether what it asks for is none.
fn age_in(query: &str) -> (Option<Age>, Vec<Hint>) {
    let params = params(query);
    let words = pairs(&params).filter(|(name, _)| *name == "age");
    let word = words.map(|(_, word)| word.trim()).last();
    let word = word.filter(|word| !word.is_empty());
    let age = word.and_then(Age::parse);
    let hint = word.filter(|_| age.is_none()).map(|_| Hint::Age);
    (age, hint.into_iter().collect())
}

impl Office {
    /// What needs checking, of the age that the query string asks for; with it those that the page shows
    /// already, as far as they need checking still.
    pub(super) async fn read_cases(&self, query: &str, shown: &[i64]) -> Result<Cases, DbError> {
        let now = self.db.now().await?;
        let (age, hints) = age_in(query);
        let (_, by_age) = read::open(&self.db, now).await?;
        let rows = match age {
            None => read::cases(&self.db, CASES).await?,
            Some(age) => {
                let shown = id_list(shown.iter().copied());
                read::cases_of_age(&self.db, now, age, &shown, CASES).await?
            }
        };
        let ids = id_list(rows.iter().map(|row| row.id));
        let mut attempts = read::last_attempts(&self.db, &ids).await?;
        let lookups = asked::lookups(&self.db, &ids).await?;
        let mut answers = asked::last_answers(&self.db, &ids).await?;
        let mut cases = Vec::with_capacity(rows.len());
        for row in &rows {
            // The table's own check keeps these set while it is requesting.
            let (Some(claimed), Some(lease)) = (row.claimed_at, row.lease_until) else {
                continue;
            };
            let at = attempts.iter().position(|(id, _)| *id == row.id);
            let lookup = lookups.iter().find(|(id, _)| *id == row.id);
            let answer = answers.iter().position(|(id, _)| *id == row.id);
            cases.push(Case {
                row: self.line(row)?,
                version: row.version,
                claimed_at: self.moment(claimed),
                lease_until: self.moment(lease),
                message_id: self.message_id(row),
                shows_by: at.and_then(|i| self.shows_by(&attempts[i].1)),
                attempt: at.map(|i| self.attempt(attempts.swap_remove(i).1)),
                lookup: lookup.map(|(_, row)| self.lookup(row)),
                last_answer: answer.map(|i| self.observation(answers.swap_remove(i).1)),
            });
        }
        Ok(Cases {
            as_of: self.moment(now),
            age,
            hints,
            by_age,
            cases,
            page_size: CASES,
            service: self.service().await?,
            max_attempts: self.config.max_attempts,
        })
    }
}
