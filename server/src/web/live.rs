//! `GET /live`: tells an open page that something has changed. One look at the database serves
//! every page of a process; while no page is open nobody looks.

use super::extract::Query;
use super::{State, session};
use crate::config::Config;
use crate::db::{Db, Stamp};
use crate::outbox::pulse::{self, Look};
use crate::worker;
use app::model::Moment;
use app::model::live::{Changed, ELSEWHERE, ENDED, Pulse};
use axum::extract;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use futures_util::stream;
use serde::Deserialize;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;
use tower_sessions::Session;
use tower_sessions::session::Id;

/// Where streams are.
pub const PATH: &str = "/live";

/// Time between two looks.
const PACE: Duration = Duration::from_secs(1);
/// The same where an insert asks for one earlier: inserts come in crowds.
const HURRIED: Duration = Duration::from_millis(300);
/// A stream says something at least this often: proxies cut what is silent for a minute.
const BEAT: Duration = Duration::from_secs(15);
/// How often a stream makes sure that its session is not over; also before each message.
const ASSURE: Duration = Duration::from_secs(3);
/// Streams of one session at once. Over HTTP/1.1 a browser has six connections to a site, and the
/// pages themselves need some: an older stream makes room for a newer one.
const MOST: usize = 3;
/// Looks that a slow stream may fall behind before it is told that anything may have changed.
const BEHIND: usize = 32;

/// Looks at the database for all streams of this process.
pub struct Live {
    told: broadcast::Sender<Arc<Pulse>>,
    /// A stream began: whoever looks may be asleep.
    wanted: Notify,
    places: Mutex<HashMap<Id, Vec<(u64, CancellationToken)>>>,
    stopping: CancellationToken,
}

impl Live {
    /// Begins to look whenever there are streams.
    pub fn start(db: Db, config: &Config, stopping: CancellationToken) -> Arc<Live> {
        let live = Arc::new(Live {
            told: broadcast::channel(BEHIND).0,
            wanted: Notify::new(),
            places: Mutex::default(),
            stopping,
        });
        let (zone, listen) = (config.time_zone, config.notify && db.is_postgres());
        let of = Arc::clone(&live);
        tokio::spawn(async move {
            let stopping = of.stopping.clone();
            tokio::select! { () = stopping.cancelled() => {}, () = of.watch(db, zone, listen) => {} }
        });
        live
    }

    async fn watch(&self, db: Db, zone: chrono_tz::Tz, listen: bool) {
        let wake = Arc::new(Notify::new());
        let mut last: Option<Look> = None;
        let mut ears = Ears(None);
        let mut trouble = false;
        loop {
            if self.told.receiver_count() == 0 {
                last = None;
                ears = Ears(None);
                self.wanted.notified().await;
                continue;
            }
            if listen && ears.0.is_none() {
                let stopping = self.stopping.clone();
                let task = worker::listen(db.clone(), Arc::clone(&wake), stopping);
                ears = Ears(Some(tokio::spawn(task)));
            }
            match pulse::look(&db).await {
                Ok(now) => {
                    let changed = last
                        .as_ref()
                        .map_or(Changed::Nothing, |last| now.after(last));
                    let at = Moment(now.at.utc().with_timezone(&zone).fixed_offset());
                    let check = now.check;
                    // Nobody listens any more: seen at the next turn.
                    let _ = self.told.send(Arc::new(Pulse { at, check, changed }));
                    last = Some(now);
                    trouble = false;
                }
                Err(error) => {
                    if !trouble {
                        tracing::warn!(error = %error, "changes cannot be looked for; trying again");
                    }
                    trouble = true;
                }
            }
            tokio::select! {
                () = tokio::time::sleep(PACE) => {}
                () = wake.notified() => tokio::time::sleep(HURRIED).await,
            }
        }
    }

    /// A place for a stream of a session; the oldest one too many is told to end.
    fn enter(self: &Arc<Self>, session: Id) -> Place {
        let place = Place {
            live: Arc::clone(self),
            session,
            number: rand::random(),
            over: CancellationToken::new(),
        };
        if let Ok(mut places) = self.places.lock() {
            let of = places.entry(session).or_default();
            of.push((place.number, place.over.clone()));
            while of.len() > MOST {
                of.remove(0).1.cancel();
            }
        }
        place
    }
}

/// Listens for inserts until it is dropped.
struct Ears(Option<tokio::task::JoinHandle<()>>);

impl Drop for Ears {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// A session's stream, counted until it ends, however it ends.
struct Place {
    live: Arc<Live>,
    session: Id,
    number: u64,
    over: CancellationToken,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Ok(mut places) = self.live.places.lock()
            && let Some(of) = places.get_mut(&self.session)
        {
            of.retain(|(number, _)| *number != self.number);
            if of.is_empty() {
                places.remove(&self.session);
            }
        }
    }
}

/// What a stream may be asked for.
#[derive(Deserialize)]
pub struct Wish {
    /// What the page shows is of this time: where anything was written since, it is told so first.
    since: Option<String>,
}

/// A page's clock stands still while it is rendered, and a transaction may have begun before.
const OVERLAP: chrono::TimeDelta = chrono::TimeDelta::seconds(5);

/// Opens a stream. The middleware has sent away whoever is not signed in.
pub async fn stream(
    extract::State(state): extract::State<State>,
    session: Session,
    Query(wish): Query<Wish>,
) -> Response {
    let Some(id) = session.id() else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    let since = wish
        .since
        .and_then(|text| DateTime::parse_from_rfc3339(&text).ok())
        .and_then(|at| at.with_timezone(&Utc).checked_sub_signed(OVERLAP))
        .map(Stamp::new);
    let feed = Feed {
        place: state.live.enter(id),
        told: state.live.told.subscribe(),
        db: state.db.clone(),
        first: Some(since),
        kept: None,
        sent: Instant::now(),
        assured: Instant::now(),
        over: false,
    };
    state.live.wanted.notify_one();
    let events = stream::unfold(feed, |mut feed| async {
        let event = feed.next().await?;
        Some((Ok::<Event, Infallible>(event), feed))
    });
    let mut response = Sse::new(events).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would collect the messages.
    headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    response
}

/// One page's stream.
struct Feed {
    place: Place,
    told: broadcast::Receiver<Arc<Pulse>>,
    db: Db,
    /// Nothing was said yet; since when the page wants to know.
    first: Option<Option<Stamp>>,
    /// Heard, and not yet said.
    kept: Option<Pulse>,
    sent: Instant,
    assured: Instant,
    over: bool,
}

impl Feed {
    /// The next message; `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        if self.over {
            return None;
        }
        let live = Arc::clone(&self.place.live);
        loop {
            let silent = BEAT.saturating_sub(self.sent.elapsed());
            let unsure = ASSURE.saturating_sub(self.assured.elapsed());
            tokio::select! {
                () = live.stopping.cancelled() => return None,
                () = self.place.over.cancelled() => return Some(self.last(ELSEWHERE)),
                heard = self.told.recv() => self.hear(heard).await?,
                () = tokio::time::sleep(silent.min(unsure)) => {}
            }
            let news = self.first.is_none()
                && self
                    .kept
                    .as_ref()
                    .is_some_and(|p| p.changed != Changed::Nothing);
            let beat = self.sent.elapsed() >= BEAT;
            let greeting = self.first.is_some() && self.kept.is_some();
            if !(news || beat || greeting || self.assured.elapsed() >= ASSURE) {
                continue;
            }
            // Where the database does not answer, the page tries again.
            if !session::still(&self.db, &self.place.session).await? {
                return Some(self.last(ENDED));
            }
            self.assured = Instant::now();
            if !(news || beat || greeting) {
                continue;
            }
            self.sent = Instant::now();
            return Some(match self.kept.take() {
                Some(pulse) => {
                    self.first = None;
                    Event::default().data(pulse.to_string())
                }
                None => Event::default().comment(""),
            });
        }
    }

    /// Takes in what was heard; `None` where that is nothing to go on with.
    async fn hear(&mut self, heard: Result<Arc<Pulse>, broadcast::error::RecvError>) -> Option<()> {
        let pulse = match heard {
            Ok(pulse) => pulse,
            Err(broadcast::error::RecvError::Lagged(_)) => {
                self.first.get_or_insert(None);
                return Some(());
            }
            Err(broadcast::error::RecvError::Closed) => return None,
        };
        let mut pulse = Pulse::clone(&pulse);
        pulse.changed = match self.first {
            // What this look itself found is older than it.
            Some(Some(since)) if !pulse::since(&self.db, since).await.ok()? => Changed::Nothing,
            Some(_) => Changed::Anything,
            None => match self.kept.take() {
                Some(kept) => kept.changed.and(pulse.changed),
                None => pulse.changed,
            },
        };
        self.kept = Some(pulse);
        Some(())
    }

    fn last(&mut self, word: &str) -> Event {
        self.over = true;
        Event::default().data(word)
    }
}
