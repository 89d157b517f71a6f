//! Mail services of a test's own: one that follows a script, and the sandbox.

use async_trait::async_trait;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use denpyo::envelope::Envelope;
use denpyo::outbox::claim::Permit;
use denpyo::provider::asking::{Asking, Finding, Question};
use denpyo::provider::{self, Provider, SendOutcome, Settings};
use denpyo::sandbox::{self, Faults, Sandbox};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Barrier, oneshot, watch};
use uuid::Uuid;

/// A post as the service saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// The row's `ref`.
    pub reference: Uuid,
    /// The order.
    pub order_id: String,
    /// The attempt's number.
    pub attempt: i32,
    /// To whom.
    pub recipient: String,
}

/// What the script says to a post.
pub enum Reply {
    /// Answered at once.
    Now(SendOutcome),
    /// Answered when [`Scripted::open_gate`] is called.
    AtGate(SendOutcome),
}

type Script = dyn Fn(&Post) -> Reply + Send + Sync;
type Finder = dyn FnMut(&Question) -> Finding + Send;

/// A service in memory.
pub struct Scripted {
    script: Box<Script>,
    posts: Mutex<Vec<Post>>,
    answers: Mutex<Option<Box<Finder>>>,
    questions: Mutex<Vec<Question>>,
    together: OnceLock<Barrier>,
    gate: watch::Sender<bool>,
}

impl Scripted {
    /// A service that answers as `script` says.
    pub fn new(script: impl Fn(&Post) -> Reply + Send + Sync + 'static) -> Arc<Scripted> {
        Arc::new(Scripted {
            script: Box::new(script),
            posts: Mutex::default(),
            answers: Mutex::default(),
            questions: Mutex::default(),
            together: OnceLock::new(),
            gate: watch::Sender::new(false),
        })
    }

    /// A service that takes everything.
    pub fn accepting() -> Arc<Scripted> {
        Scripted::new(|post| Reply::Now(super::accepted(&format!("m-{}", post.order_id))))
    }

    /// A service whose look-up answers as `answers` says.
    pub fn asked(answers: impl FnMut(&Question) -> Finding + Send + 'static) -> Arc<Scripted> {
        let service = Scripted::accepting();
        service.answer_with(answers);
        service
    }

    /// Answers look-ups otherwise from now on.
    pub fn answer_with(&self, answers: impl FnMut(&Question) -> Finding + Send + 'static) {
        *self.answers.lock().unwrap() = Some(Box::new(answers));
    }

    /// No look-up is answered before this many are under way.
    pub fn answer_together(&self, questions: usize) {
        self.together.get_or_init(|| Barrier::new(questions));
    }

    /// Every question so far, in their order.
    pub fn questions(&self) -> Vec<Question> {
        self.questions.lock().unwrap().clone()
    }

    /// Lets every waiting answer go, and those to come.
    pub fn open_gate(&self) {
        self.gate.send_replace(true);
    }

    /// Every post so far, in their order.
    pub fn posts(&self) -> Vec<Post> {
        self.posts.lock().unwrap().clone()
    }

    /// Posts of one order.
    pub fn posts_of(&self, order_id: &str) -> usize {
        self.posts()
            .iter()
            .filter(|p| p.order_id == order_id)
            .count()
    }
}

#[async_trait]
impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }
    fn label(&self) -> &'static str {
        "Scripted"
    }
    fn account(&self) -> &str {
        "account-1"
    }
    async fn send(&self, permit: Permit<'_>) -> SendOutcome {
        let envelope = permit.envelope();
        let post = Post {
            reference: envelope.labels.reference,
            order_id: envelope.labels.order_id.clone(),
            attempt: envelope.labels.attempt,
            recipient: envelope.content.recipient.as_str().to_owned(),
        };
        let reply = (self.script)(&post);
        self.posts.lock().unwrap().push(post);
        match reply {
            Reply::Now(outcome) => outcome,
            Reply::AtGate(outcome) => {
                self.gate.subscribe().wait_for(|open| *open).await.unwrap();
                outcome
            }
        }
    }
    async fn reachable(&self) -> Result<(), String> {
        Ok(())
    }
    fn asking(&self) -> Asking {
        match *self.answers.lock().unwrap() {
            None => Asking::Never,
            Some(_) => Asking::Lookup {
                horizon: Duration::from_secs(1800),
                retention: Duration::from_secs(30 * 86_400),
            },
        }
    }
    async fn lookup(&self, question: &Question) -> Finding {
        self.questions.lock().unwrap().push(question.clone());
        if let Some(barrier) = self.together.get() {
            barrier.wait().await;
        }
        (self.answers.lock().unwrap().as_mut().unwrap())(question)
    }
}

/// A service that knows idempotency keys: every request's digest is the same.
pub struct Keyed;

impl Keyed {
    /// The digest.
    pub const DIGEST: &str = "the request";
}

#[async_trait]
impl Provider for Keyed {
    fn name(&self) -> &'static str {
        "scripted"
    }
    fn label(&self) -> &'static str {
        "Scripted"
    }
    fn account(&self) -> &str {
        "account-1"
    }
    async fn send(&self, _: Permit<'_>) -> SendOutcome {
        super::unknown()
    }
    async fn reachable(&self) -> Result<(), String> {
        Ok(())
    }
    fn request_digest(&self, _: &Envelope) -> Option<String> {
        Some(Keyed::DIGEST.to_owned())
    }
}

/// The sandbox on a free port of its own; it ends with this value.
pub struct RunningSandbox {
    /// What it holds.
    pub sandbox: Sandbox,
    /// Where it listens: what `DENPYO_PROVIDER_URL` would be.
    pub url: String,
    answers: Arc<Answers>,
    _stop: oneshot::Sender<()>,
}

/// What the sandbox says to posts of mails.
#[derive(Default)]
struct Answers {
    made: AtomicUsize,
    kept: watch::Sender<bool>,
}

impl RunningSandbox {
    /// Starts one that behaves.
    pub async fn start() -> RunningSandbox {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sandbox = Sandbox::new();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(sandbox::serve(listener, sandbox.clone(), async {
            stopped.await.ok();
        }));
        RunningSandbox {
            sandbox,
            url,
            answers: Arc::default(),
            _stop: stop,
        }
    }

    /// Starts one whose answers can be kept back; it cuts no connections.
    pub async fn patient() -> RunningSandbox {
        let (sandbox, answers) = (Sandbox::new(), Arc::<Answers>::default());
        let keeper = Arc::clone(&answers);
        let keep = from_fn(move |request: Request, next: Next| {
            let keeper = Arc::clone(&keeper);
            async move {
                let post = request.uri().path() == "/v3/mail/send";
                let answer = next.run(request).await;
                if post {
                    keeper.made.fetch_add(1, Ordering::SeqCst);
                    let mut kept = keeper.kept.subscribe();
                    kept.wait_for(|kept| !kept).await.ok();
                }
                answer
            }
        });
        let url = super::listening(sandbox::router(sandbox.clone()).layer(keep)).await;
        RunningSandbox {
            sandbox,
            url,
            answers,
            _stop: oneshot::channel().0,
        }
    }

    /// From now on mails are taken or refused, and nobody hears of it.
    pub fn keep_answers(&self) {
        self.answers.kept.send_replace(true);
    }

    /// How many posts were taken or refused, whether or not anybody has heard of it.
    pub fn answers(&self) -> usize {
        self.answers.made.load(Ordering::SeqCst)
    }

    /// Sends what was kept back, and keeps nothing back any more.
    pub fn send_answers(&self) {
        self.answers.kept.send_replace(false);
    }

    /// Starts one that misbehaves.
    pub async fn with(faults: Faults) -> RunningSandbox {
        let running = RunningSandbox::start().await;
        running.sandbox.set_faults(faults).unwrap();
        running
    }

    /// The service as Denpyo speaks to it.
    pub fn provider(&self, timeout: Duration) -> Arc<dyn Provider> {
        let settings = Settings {
            url: Some(self.url.clone()),
            key: Some("SG.key".to_owned()),
            timeout,
            ..Settings::default()
        };
        provider::build("sendgrid", &settings).unwrap()
    }

    /// How many mails of an order it holds.
    pub fn holds(&self, order_id: &str) -> usize {
        let of_order = |m: &sandbox::store::Message| {
            m.custom_args.get("order_id").map(String::as_str) == Some(order_id)
        };
        self.sandbox
            .messages()
            .iter()
            .filter(|m| of_order(m))
            .count()
    }
}
