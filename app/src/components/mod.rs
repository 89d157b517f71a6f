//! The parts that pages are made of.

mod address_field;
mod badge;
mod copyable;
mod fault;
mod focus;
mod frame;
mod help;
mod list;
mod live;
mod reason;
mod settings_nav;
mod submit;
mod table;
mod told;
mod wishes;

pub use address_field::AddressField;
pub use badge::{Badge, Shape, face_class};
pub use copyable::{CopyButton, Copyable};
pub use fault::{Fault, fault_words};
#[cfg(feature = "hydrate")]
pub use focus::focus;
pub use focus::lead_to_told;
pub use frame::Frame;
pub use help::{HelpLink, HelpText, Keys, provide_keys};
pub use list::{DayField, DayTable, Hints, Pager};
pub use live::{Follow, Live, Waiting, fresh};
pub use reason::ReasonFields;
pub use settings_nav::SettingsNav;
pub use submit::Submit;
pub use table::{Table, fact, figure, heads, plain};
pub use told::{Acts, Told};
pub use wishes::{LangLink, ThemeLink, oidc_name, page_lang, page_theme};

use crate::model::Moment;
use crate::words::{Lang, Words, isolate};
use leptos::either::Either;
use leptos::prelude::*;

/// Everything the desk says, in the page's language.
pub fn words() -> &'static Words {
    use_context::<Lang>().unwrap_or_default().words()
}

/// Whether scripts run: false on the server and for the first render in the browser.
#[derive(Clone, Copy)]
struct Awake(ReadSignal<bool>);

/// To be called once, by the outermost component.
pub fn provide_awake() {
    let (awake, set_awake) = signal(false);
    Effect::new(move |_| {
        set_awake.set(true);
        // For style sheets, and for programs that drive a browser.
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-awake", "");
        }
    });
    provide_context(Awake(awake));
}

/// Whether scripts run, for what works with them only.
pub fn awake() -> bool {
    use_context::<Awake>().is_some_and(|a| a.0.get())
}

/// A part of a page made anew after each act, of which `act` is the count: nothing that was opened
/// or typed stays behind.
pub fn anew<V: IntoView>(act: usize, view: V) -> Either<V, V> {
    if act.is_multiple_of(2) {
        Either::Left(view)
    } else {
        Either::Right(view)
    }
}

/// A time of day.
#[component]
pub fn Clock(
    /// When.
    at: Moment,
) -> impl IntoView {
    view! { <time datetime=at.machine()>{at.clock()}</time> }
}

/// A day and a time.
#[component]
pub fn DateTime(
    /// When.
    at: Moment,
) -> impl IntoView {
    view! { <time datetime=at.machine()>{(words().date_time)(&at)}</time> }
}

/// A time of day where it is today's, else with its day.
#[component]
pub fn Near(
    /// When.
    at: Moment,
    /// What counts as today.
    today: Moment,
) -> impl IntoView {
    let text = if at.same_day(&today) {
        at.clock()
    } else {
        (words().date_time_short)(&at)
    };
    view! { <time datetime=at.machine()>{text}</time> }
}

/// What sort of mail it is, in people's words where there are any; else as the shop wrote it.
pub fn kind_name(kind: &str) -> String {
    (words().kind)(kind).map_or_else(|| isolate(kind), str::to_owned)
}
