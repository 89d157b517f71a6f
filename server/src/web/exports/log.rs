//! What is written down of downloads.

use super::Refusal;
use crate::db::DbError;
use crate::outbox::export;
use crate::web::State;
use app::model::ActKind;

/// What is written down of an export. It says so, too, when somebody goes away in between.
pub(super) struct Log {
    state: State,
    actor: String,
    detail: serde_json::Value,
    /// Rows written so far.
    pub(super) rows: i64,
    ended: bool,
}

impl Log {
    /// Written before the first byte leaves; without it nothing leaves.
    pub(super) async fn begin(
        state: &State,
        actor: &str,
        detail: serde_json::Value,
    ) -> Result<Log, Refusal> {
        export::record(&state.db, actor, ActKind::Export, &detail.to_string()).await?;
        Ok(Log {
            state: state.clone(),
            actor: actor.to_owned(),
            detail,
            rows: 0,
            ended: false,
        })
    }

    fn ending(&mut self, whole: bool) -> String {
        self.ended = true;
        let mut detail = self.detail.clone();
        detail["rows"] = self.rows.into();
        detail["whole"] = whole.into();
        detail.to_string()
    }

    /// The whole file has left.
    pub(super) async fn end(&mut self) -> Result<(), DbError> {
        let detail = self.ending(true);
        export::record(&self.state.db, &self.actor, ActKind::ExportEnd, &detail).await
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let detail = self.ending(false);
        let (state, actor) = (self.state.clone(), self.actor.clone());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(async move {
            let done = export::record(&state.db, &actor, ActKind::ExportEnd, &detail).await;
            if let Err(error) = done {
                tracing::warn!(error = %error, "the end of an export could not be written down");
            }
        });
    }
}
