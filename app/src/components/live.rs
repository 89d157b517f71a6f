//! Pages that follow the database. The stream says that something has changed; pages then read
//! again what they show. On the server, and where scripts do not run, nothing of this happens.

#[cfg(feature = "hydrate")]
mod link;
#[cfg(feature = "hydrate")]
mod source;

use super::wishes::{clean_address, sign_in_for};
use super::{awake, words};
use crate::error::AppError;
use crate::model::Moment;
use crate::model::live::Changed;
use leptos::either::EitherOf4;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// How a page stands with the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "hydrate"),
    expect(dead_code, reason = "only a browser comes that far")
)]
pub enum Link {
    /// Not begun, paused, or out of sight.
    #[default]
    Off,
    /// Changes arrive.
    On,
    /// Cut; it is tried again.
    Lost,
    /// The session is over.
    Ended,
    /// Other windows of this session are live instead.
    Elsewhere,
}

/// The page's live state, provided to everything in the frame.
#[derive(Clone, Copy)]
pub struct Live {
    link: RwSignal<Link>,
    paused: RwSignal<bool>,
    /// The last time that the database was looked at.
    at: RwSignal<Option<Moment>>,
    /// What needs checking, as last told.
    check: RwSignal<Option<i64>>,
    /// Counts what changed, so that pages follow.
    tick: RwSignal<u64>,
    changed: RwSignal<Changed>,
}

impl Live {
    /// Provides it; the stream begins once the page says of when it is.
    pub fn provide(as_of: Signal<Option<Moment>>) -> Live {
        let live = Live {
            link: RwSignal::default(),
            paused: RwSignal::new(false),
            at: RwSignal::new(None),
            check: RwSignal::new(None),
            tick: RwSignal::new(0),
            changed: RwSignal::default(),
        };
        provide_context(live);
        #[cfg(feature = "hydrate")]
        live.run(as_of);
        #[cfg(not(feature = "hydrate"))]
        let _ = as_of;
        live
    }

    /// That of the page; outside the frame one that never tells anything.
    pub fn of_page() -> Live {
        use_context::<Live>().unwrap_or_else(|| Live::provide(Signal::stored(None)))
    }

    /// When what is shown was true, where it was read at `read`.
    pub fn as_of(&self, read: Moment) -> Moment {
        self.at.get().filter(|at| *at > read).unwrap_or(read)
    }

    /// What needs checking, where the page read `own` at `read`: what was told before, as while the page
    /// follows nothing, is older than that.
    pub fn check(&self, own: i64, read: Moment) -> i64 {
        let newer = self.at.get().is_some_and(|at| at > read);
        self.check.get().filter(|_| newer).unwrap_or(own)
    }

    /// Counts changes of anything, or of what `touches` picks.
    fn count(self, touches: impl Fn(&Changed) -> bool + Send + Sync + 'static) -> Memo<u64> {
        Memo::new(move |before: Option<&u64>| {
            self.tick.track();
            let touched = self.changed.with_untracked(&touches);
            before.copied().unwrap_or(0) + u64::from(touched)
        })
    }

    /// Follows everything.
    pub fn follow(self) -> Follow {
        Follow::new(self.count(|changed| *changed != Changed::Nothing), || {
            std::future::ready(false)
        })
    }

    /// Follows some mails, one of which is the page's own. `same` finds out whether what is shown
    /// is still so.
    pub fn follow_mail<F>(self, ids: Signal<Vec<i64>>, same: impl Fn() -> F + 'static) -> Follow
    where
        F: Future<Output = bool> + 'static,
    {
        let touched = self.count(move |changed| {
            ids.with_untracked(|ids| ids.iter().any(|id| changed.touches(*id)))
        });
        Follow::new(touched, same)
    }

    /// Follows only what may concern anything, as the state of the service does.
    pub fn follow_all(self) -> Follow {
        Follow::new(self.count(|changed| *changed == Changed::Anything), || {
            std::future::ready(false)
        })
    }
}

/// What a page reads again by: it goes up with each change, but not while somebody fills in a form
/// of the page.
#[derive(Clone, Copy)]
pub struct Follow {
    version: RwSignal<u64>,
    waiting: RwSignal<bool>,
    seen: Memo<u64>,
}

impl Follow {
    fn new<F>(seen: Memo<u64>, same: impl Fn() -> F + 'static) -> Follow
    where
        F: Future<Output = bool> + 'static,
    {
        let follow = Follow {
            version: RwSignal::new(0),
            waiting: RwSignal::new(false),
            seen,
        };
        Effect::new(move |_| {
            if seen.get() == follow.version.get_untracked() {
                return;
            }
            if !filling_in() {
                follow.now();
                return;
            }
            // What people did themselves, and the page shows already, is no news to them.
            let same = same();
            leptos::task::spawn_local(async move {
                if !same.await {
                    let _ = follow.waiting.try_set(true);
                }
            });
        });
        follow
    }

    /// The page shows things as they are: nothing waits any more.
    pub fn shown(&self) {
        if self.waiting.get_untracked() {
            self.waiting.set(false);
        }
    }

    /// To be read where the page reads its matter.
    pub fn version(&self) -> u64 {
        self.version.get()
    }

    /// Shows things as they are, whatever is open.
    pub fn now(&self) {
        self.waiting.set(false);
        self.version.set(self.seen.get_untracked());
    }
}

/// Whether a form that wants a reason is open: what it is about must not change under it.
fn filling_in() -> bool {
    #[cfg(feature = "hydrate")]
    {
        let open = document().query_selector("main details.ask[open]");
        matches!(open, Ok(Some(_)))
    }
    #[cfg(not(feature = "hydrate"))]
    false
}

/// Asks again at each change that is followed, one question at a time, and keeps the last good
/// answer.
pub fn fresh<T, F>(follow: Follow, ask: impl Fn() -> F + 'static) -> RwSignal<Option<T>>
where
    T: Send + Sync + 'static,
    F: Future<Output = Result<T, AppError>> + 'static,
{
    let fresh = RwSignal::new(None);
    let busy = RwSignal::new(false);
    let asked = StoredValue::new(follow.version.get_untracked());
    Effect::new(move |_| {
        let wanted = follow.version.get();
        if busy.get() || asked.get_value() == wanted {
            return;
        }
        asked.set_value(wanted);
        busy.set(true);
        let answer = ask();
        leptos::task::spawn_local(async move {
            let answer = answer.await;
            // The page may have gone meanwhile.
            if let Ok(answer) = answer {
                let _ = fresh.try_set(Some(answer));
            }
            let _ = busy.try_set(false);
        });
    });
    fresh
}

/// Says so where changes wait because a form is open.
#[component]
pub fn Waiting(
    /// What the page follows.
    follow: Follow,
) -> impl IntoView {
    let w = &words().live;
    view! {
        <div class="waits" role="status">
            {move || {
                follow
                    .waiting
                    .get()
                    .then(|| {
                        view! {
                            <div class="say c-check">
                                <p>{w.waiting}</p>
                                <button
                                    class="btn small"
                                    type="button"
                                    on:click=move |_| follow.now()
                                >
                                    {w.show}
                                </button>
                            </div>
                        }
                    })
            }}
        </div>
    }
    .into_any()
}

/// When what is shown was true, and with scripts the switch that stops it from following.
#[component]
pub fn AsOf(
    /// When the page was read.
    read: Moment,
) -> impl IntoView {
    let w = words();
    let live = Live::of_page();
    let class = move || match (live.link.get(), live.paused.get()) {
        (Link::On, false) => "asof on",
        (Link::Off, false) => "asof",
        _ => "asof still",
    };
    let still = move || {
        let lost = !matches!(live.link.get(), Link::On | Link::Off);
        (lost || live.paused.get()).then_some(w.live.still)
    };
    let switch = move || {
        awake().then(|| {
            view! {
                <button type="button" class="follow" on:click=move |_| live.switch()>
                    {move || if live.paused.get() { w.live.resume } else { w.live.pause }}
                </button>
            }
        })
    };
    view! {
        <span class=class>
            <time datetime=move || live.as_of(read).machine()>
                {move || (w.frame.as_of)(&live.as_of(read))}
            </time>
            {still}
        </span>
        {switch}
    }
    .into_any()
}

impl Live {
    /// Pauses, or goes on.
    fn switch(self) {
        let paused = !self.paused.get_untracked();
        self.paused.set(paused);
        #[cfg(feature = "hydrate")]
        source::remember(paused);
    }
}

/// Says so where changes do not arrive, at once.
#[component]
pub fn LinkState() -> impl IntoView {
    let w = &words().live;
    let live = Live::of_page();
    let place = use_location();
    let sign_in = move || sign_in_for(&clean_address(&place.pathname.get(), &place.search.get()));
    view! {
        <div class="linked" role="status">
            {move || match live.link.get() {
                Link::Off | Link::On => EitherOf4::A(()),
                Link::Lost => {
                    EitherOf4::B(
                        view! {
                            <div class="say c-check">
                                <p>{w.lost}</p>
                            </div>
                        },
                    )
                }
                Link::Ended => {
                    EitherOf4::C(
                        view! {
                            <div class="say c-rejected">
                                <p>{w.ended}</p>
                                <a class="btn small" href=sign_in rel="external">
                                    {words().sign_in.submit}
                                </a>
                            </div>
                        },
                    )
                }
                Link::Elsewhere => {
                    EitherOf4::D(
                        view! {
                            <div class="say">
                                <p>{w.elsewhere}</p>
                            </div>
                        },
                    )
                }
            }}
        </div>
    }
    .into_any()
}
