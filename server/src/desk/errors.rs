//! What went wrong, by sort.

use super::Office;
use crate::db::DbError;
use crate::outbox::failures::{self, GROUPS_SHOWN, Group};
use app::model::filter::Failed;
use app::model::views::{ErrorGroup, Errors, Failure};

/// The windows to choose from, in days.
const WINDOWS: [u16; 4] = [1, 7, 30, 90];
/// The one shown first.
const USUAL: u16 = 7;

fn failure_of(group: Group) -> Failure {
    Failure {
        provider: group.provider,
        code: group.code,
        text: group.text,
    }
}

impl Office {
    /// What has this name; none where nothing has.
    pub(super) async fn failure(&self, hash: &str) -> Result<Option<Failure>, DbError> {
        Ok(failures::group(&self.db, hash).await?.map(failure_of))
    }

    pub(super) async fn read_errors(&self, query: &str) -> Result<Errors, DbError> {
        let wanted = url::form_urlencoded::parse(query.as_bytes())
            .find(|(name, _)| name == "days")
            .and_then(|(_, days)| days.parse().ok());
        let days = wanted
            .filter(|days| WINDOWS.contains(days))
            .unwrap_or(USUAL);
        let as_of = self.moment(self.db.now().await?);
        let groups = failures::groups(&self.db, days.into()).await?;
        let groups = groups.map(|groups| {
            let line = |one: failures::Counted| ErrorGroup {
                failed: Failed {
                    hash: one.group.hash.clone(),
                    days: Some(days),
                },
                what: failure_of(one.group),
                mails: one.mails,
                failures: one.failures,
                first: self.moment(one.first_at),
                last: self.moment(one.last_at),
            };
            groups.into_iter().map(line).collect()
        });
        Ok(Errors {
            as_of,
            days,
            windows: WINDOWS.to_vec(),
            groups,
            most: GROUPS_SHOWN,
        })
    }
}
