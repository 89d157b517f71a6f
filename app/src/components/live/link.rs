//! When a page opens its stream, and when it tries again.

use super::source::{Source, remembered};
use super::{Link, Live};
use crate::api::read_frame;
use crate::error::AppError;
use crate::model::Moment;
use crate::model::filter::percent;
use crate::model::live::{Changed, ELSEWHERE, ENDED, Pulse};
use leptos::prelude::*;
use std::time::Duration;

/// A stream says something every 15 seconds; after this long without a word it is cut.
const SILENT_MS: f64 = 40_000.0;
const LOOK: Duration = Duration::from_secs(5);
/// Whose session is over is asked for once a minute, should they sign in again meanwhile.
const ENDED_MS: u32 = 60_000;

/// What a page keeps of its stream. Replaced as a whole, so that what an old stream still says
/// finds nobody.
#[derive(Clone, Copy)]
struct Held {
    source: StoredValue<Option<Source>, LocalStorage>,
    retry: StoredValue<Option<TimeoutHandle>, LocalStorage>,
    heard_at: StoredValue<f64>,
    tries: StoredValue<u32>,
    read: StoredValue<Option<Moment>>,
}

impl Live {
    pub(super) fn run(self, as_of: Signal<Option<Moment>>) {
        let held = Held {
            source: StoredValue::new_local(None),
            retry: StoredValue::new_local(None),
            heard_at: StoredValue::new(0.0),
            tries: StoredValue::new(0),
            read: StoredValue::new(None),
        };
        let shown = RwSignal::new(false);
        let begun = Memo::new(move |_| as_of.get().is_some());
        Effect::new(move |_| {
            self.paused.set(remembered());
            shown.set(!document().hidden());
            // A tab that nobody looks at gives its connection back, and catches up later.
            let seen = window_event_listener_untyped("visibilitychange", move |_| {
                shown.set(!document().hidden());
            });
            let chosen = window_event_listener_untyped("focus", move |_| {
                if self.link.get_untracked() == Link::Elsewhere {
                    self.open(held);
                }
            });
            let watch = set_interval_with_handle(move || self.look(held), LOOK).ok();
            on_cleanup(move || {
                seen.remove();
                chosen.remove();
                if let Some(watch) = watch {
                    watch.clear();
                }
            });
        });
        Effect::new(move |_| held.read.set_value(as_of.get()));
        Effect::new(move |_| {
            if begun.get() && shown.get() && !self.paused.get() {
                self.open(held);
            } else {
                self.close(held, Link::Off);
            }
        });
    }

    /// Opens a stream in the place of any other.
    fn open(self, held: Held) {
        let link = self.link.get_untracked();
        // What was said of a cut stays until the new stream has said something.
        self.close(
            held,
            if link == Link::Elsewhere {
                Link::Off
            } else {
                link
            },
        );
        let at = self.at.get_untracked().max(held.read.get_value());
        let mut url = "/live".to_owned();
        if let Some(at) = at {
            url.push_str("?since=");
            percent(&mut url, &at.0.to_rfc3339());
        }
        held.heard_at.set_value(js_sys::Date::now());
        let heard = move |text: String| self.heard(held, &text);
        let source = Source::open(&url, heard, move || self.failed(held));
        held.source.set_value(source);
    }

    fn close(self, held: Held, link: Link) {
        held.source.update_value(|source| {
            if let Some(source) = source {
                source.close();
            }
        });
        held.retry.update_value(|retry| {
            if let Some(retry) = retry.take() {
                retry.clear();
            }
        });
        if self.link.get_untracked() != link {
            self.link.set(link);
        }
    }

    fn heard(self, held: Held, text: &str) {
        held.heard_at.set_value(js_sys::Date::now());
        match text {
            // One's own new password gives the session another id, under which it goes on.
            ENDED => self.doubt(held, self.link.get_untracked()),
            ELSEWHERE => self.close(held, Link::Elsewhere),
            text => {
                let Some(pulse) = Pulse::parse(text) else {
                    return;
                };
                held.tries.set_value(0);
                if self.link.get_untracked() != Link::On {
                    self.link.set(Link::On);
                }
                self.at.set(Some(pulse.at));
                if self.check.get_untracked() != Some(pulse.check) {
                    self.check.set(Some(pulse.check));
                }
                if pulse.changed != Changed::Nothing {
                    self.changed.set(pulse.changed);
                    self.tick.update(|n| *n += 1);
                }
            }
        }
    }

    fn ended(self, held: Held) {
        self.close(held, Link::Ended);
        self.again(held, ENDED_MS);
    }

    /// The stream broke off, or could not be had. The browser does not say why; a question of ours
    /// does.
    fn failed(self, held: Held) {
        // That a session is over is not taken back by an answer that cannot be read.
        let link = match self.link.get_untracked() {
            Link::Ended => Link::Ended,
            _ => Link::Lost,
        };
        self.doubt(held, link);
    }

    /// The stream is closed; whether the session is over, a question of ours tells.
    fn doubt(self, held: Held, link: Link) {
        self.close(held, link);
        let tries = held.tries.get_value();
        held.tries.set_value(tries + 1);
        leptos::task::spawn_local(async move {
            let answer = read_frame().await;
            // Opened or paused in the meantime.
            if self.link.try_get_untracked() != Some(link) || self.paused.get_untracked() {
                return;
            }
            match answer {
                Err(AppError::SignedOut) => self.ended(held),
                // Spread out, so that not every desk comes back in the same moment.
                _ if tries < 2 => self.again(held, 500 + random(2500)),
                _ => self.again(held, 3000 + random(5000)),
            }
        });
    }

    fn again(self, held: Held, ms: u32) {
        let wait = Duration::from_millis(ms.into());
        let retry = set_timeout_with_handle(move || self.open(held), wait);
        held.retry.set_value(retry.ok());
    }

    /// A stream that says nothing any more is cut, though nobody said so.
    fn look(self, held: Held) {
        let silent = js_sys::Date::now() - held.heard_at.get_value();
        if self.link.get_untracked() == Link::On && silent > SILENT_MS {
            self.failed(held);
        }
    }
}

fn random(most: u32) -> u32 {
    (js_sys::Math::random() * f64::from(most)) as u32
}
