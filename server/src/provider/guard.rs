//! Where a panic in a service's file ends. What came off the wire goes through code of ours and of
//! libraries that may stumble over it (lettre does over a blank line in an answer to EHLO); a mail
//! must not stay claimed without an outcome because of that, nor a process stop working.

use super::asking::{Asking, Finding, Question, Unclear};
use super::events::{Events, NotEvents, Post};
use super::{Provider, SendOutcome, SignIn};
use crate::envelope::Envelope;
use crate::outbox::claim::Permit;
use app::model::trouble::Trouble;
use app::model::views::Cause;
use async_trait::async_trait;
use futures_util::FutureExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// It panicked. The process's own hook has printed where.
pub(super) struct Panicked;

/// Runs to the end or to a panic. What the future held goes with it, so that nothing
/// half-changed is seen afterwards.
pub(super) async fn caught<T>(future: impl Future<Output = T>) -> Result<T, Panicked> {
    let ended = AssertUnwindSafe(future).catch_unwind().await;
    ended.map_err(|_| Panicked)
}

/// The same service, whose panics are outcomes: of a send that nobody knows what became of it, of
/// a look-up that there is no clear answer. A service that knows more (that no byte of the mail
/// had left) catches its own.
pub fn guarded(service: Arc<dyn Provider>) -> Arc<dyn Provider> {
    Arc::new(Guarded(service))
}

struct Guarded(Arc<dyn Provider>);

impl Guarded {
    fn tell(&self, step: &'static str) {
        tracing::error!(service = self.0.name(), step, "the service's code panicked");
    }
}

#[async_trait]
impl Provider for Guarded {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn label(&self) -> &'static str {
        self.0.label()
    }

    fn account(&self) -> &str {
        self.0.account()
    }

    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let (id, attempt) = {
            let labels = &permit.envelope().labels;
            (labels.reference, labels.attempt)
        };
        caught(self.0.send(permit)).await.unwrap_or_else(|_| {
            self.tell("send");
            tracing::error!(reference = %id, attempt, "the outcome of this mail is not known");
            SendOutcome::Unknown {
                cause: Cause::Fault,
                code: None,
                detail: Trouble::Fault.to_string(),
            }
        })
    }

    async fn reachable(&self) -> Result<(), String> {
        caught(self.0.reachable()).await.unwrap_or_else(|_| {
            self.tell("reachable");
            Err(Trouble::Fault.to_string())
        })
    }

    async fn suits(&self) -> Result<(), String> {
        caught(self.0.suits()).await.unwrap_or_else(|_| {
            self.tell("suits");
            Err(Trouble::Fault.to_string())
        })
    }

    async fn sign_in(&self) -> SignIn {
        caught(self.0.sign_in()).await.unwrap_or_else(|_| {
            self.tell("sign_in");
            SignIn::Untried(Trouble::Fault.to_string())
        })
    }

    fn asking(&self) -> Asking {
        self.0.asking()
    }

    async fn lookup(&self, question: &Question) -> Finding {
        caught(self.0.lookup(question)).await.unwrap_or_else(|_| {
            self.tell("lookup");
            Finding::Unclear {
                why: Unclear::Unreachable,
                detail: Trouble::Fault.to_string(),
            }
        })
    }

    fn request_digest(&self, envelope: &Envelope) -> Option<String> {
        catch_unwind(AssertUnwindSafe(|| self.0.request_digest(envelope))).unwrap_or_else(|_| {
            self.tell("request_digest");
            None
        })
    }

    /// The web's own guard answers 500 to a panic here, and the service posts again.
    async fn events(&self, post: Post<'_>) -> Result<Events, NotEvents> {
        self.0.events(post).await
    }
}
