//! The sheet of keys, and the keys themselves. Without scripts there are no keys, and the same text
//! is a page.

use super::{Badge, awake, fact, words};
use crate::model::Face;
use crate::model::keys::{Key, Press};
use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys;

/// Whether keys do anything on this page, which a browser remembers; and the sheet.
#[derive(Clone, Copy)]
struct KeyState {
    on: RwSignal<bool>,
    sheet: NodeRef<html::Dialog>,
}

/// To be called by what stands around every page.
pub fn provide_keys() {
    provide_context(KeyState {
        on: RwSignal::new(true),
        sheet: NodeRef::new(),
    });
}

/// Where the browser remembers it.
#[cfg(feature = "hydrate")]
const STORED: &str = "denpyo.keys";

/// The sheet, closed, and the keys that work on every page.
#[component]
pub fn Keys() -> impl IntoView {
    let h = &words().help;
    let Some(KeyState { on, sheet }) = use_context() else {
        return ().into_any();
    };
    Effect::new(move |_| {
        on.set(remembered());
        let handle = window_event_listener(leptos::ev::keydown, move |event| {
            pressed(&event, sheet, on);
        });
        on_cleanup(move || handle.remove());
    });
    view! {
        <dialog class="sheet" node_ref=sheet aria-labelledby="keys-head">
            <div class="head">
                <h2 id="keys-head">{h.title}</h2>
                <form method="dialog">
                    <button class="btn small" type="submit">
                        {h.close}
                    </button>
                </form>
            </div>
            <HelpText page=false />
        </dialog>
    }
    .into_any()
}

/// The link to the page of help; with scripts it opens the sheet on the page in view.
#[component]
pub fn HelpLink() -> impl IntoView {
    let state = use_context::<KeyState>();
    let open = move |event: leptos::ev::MouseEvent| {
        let plain = !event.ctrl_key() && !event.meta_key() && !event.shift_key();
        if plain && let Some(sheet) = state.and_then(|state| state.sheet.get_untracked()) {
            event.prevent_default();
            show(&sheet);
        }
    };
    view! {
        <a class="help" href="/help" on:click=open>
            {words().help.link}
        </a>
    }
}

/// Keys and the search box explained, on the sheet and on the page.
#[component]
pub fn HelpText(
    /// On the page, where its heads are of the second level.
    page: bool,
) -> impl IntoView {
    let h = &words().help;
    let state = use_context::<KeyState>();
    let head = move |text: &'static str| {
        if page {
            Either::Left(view! { <h2>{text}</h2> })
        } else {
            Either::Right(view! { <h3>{text}</h3> })
        }
    };
    let keys = move || {
        h.keys
            .iter()
            .map(|(key, does)| fact(view! { <kbd>{*key}</kbd> }, *does))
            .collect_view()
    };
    let search = h
        .search
        .iter()
        .map(|(what, how)| fact(*what, *how))
        .collect_view();
    let states = Face::ALL
        .into_iter()
        .map(|face| fact(view! { <Badge face short=true /> }, (h.state)(face)))
        .collect_view();
    view! {
        // Without scripts there are no keys.
        {move || {
            state
                .filter(|_| awake())
                .map(|KeyState { on, .. }| {
                    view! {
                        {head(h.keys_head)}
                        <dl class="facts keys">{keys()}</dl>
                        <p class="note">{h.keys_note}</p>
                        <label class="pick">
                            <input
                                type="checkbox"
                                role="switch"
                                prop:checked=move || on.get()
                                on:change=move |event| {
                                    let wanted = event_target_checked(&event);
                                    on.set(wanted);
                                    remember(wanted);
                                }
                            />
                            {h.switch}
                        </label>
                    }
                })
        }}
        {head(h.search_head)}
        <dl class="facts">{search}</dl>
        {head(h.states_head)}
        <dl class="facts">{states}</dl>
    }
    .into_any()
}

fn show(sheet: &web_sys::HtmlDialogElement) {
    // A sheet that is open already cannot be opened; it is in sight then.
    let _ = sheet.show_modal();
}

fn pressed(event: &leptos::ev::KeyboardEvent, sheet: NodeRef<html::Dialog>, on: RwSignal<bool>) {
    let field = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
        .and_then(|at| {
            let fields = "input:not([type=checkbox], [type=radio], [type=submit]), textarea, \
                          select, [contenteditable]:not([contenteditable=false])";
            at.closest(fields).ok().flatten()
        });
    let key = event.key();
    let press = Press {
        key: &key,
        code: event.key_code(),
        composing: event.is_composing(),
        held: event.ctrl_key() || event.alt_key() || event.meta_key(),
        writing: field.is_some(),
    };
    if key == "Enter" && press.composes() && field.is_some_and(|f| f.tag_name() == "INPUT") {
        // It confirms a conversion; some browsers would send the form as well.
        event.prevent_default();
        return;
    }
    let Some(meaning) = press.meaning().filter(|_| on.get_untracked()) else {
        return;
    };
    let Some(sheet) = sheet.get_untracked().filter(|sheet| !sheet.open()) else {
        return;
    };
    event.prevent_default();
    match meaning {
        Key::Help => show(&sheet),
        Key::Search => {
            let found = document().get_element_by_id("q");
            if let Some(input) =
                found.and_then(|at| at.dyn_into::<web_sys::HtmlInputElement>().ok())
            {
                let _ = input.focus();
                input.select();
            }
        }
    }
}

/// The browser's memory; none where it keeps none.
#[cfg(feature = "hydrate")]
fn storage(method: &str, args: &[&str]) -> Option<leptos::wasm_bindgen::JsValue> {
    use js_sys::{Array, Function, Reflect};
    use leptos::wasm_bindgen::JsValue;
    let ask = || -> Result<JsValue, JsValue> {
        let storage = Reflect::get(&window(), &"localStorage".into())?;
        let method: Function = Reflect::get(&storage, &method.into())?.dyn_into()?;
        let args: Array = args.iter().map(|arg| JsValue::from_str(arg)).collect();
        method.apply(&storage, &args)
    };
    ask().ok()
}

#[cfg(feature = "hydrate")]
fn remembered() -> bool {
    let stored = storage("getItem", &[STORED]).and_then(|value| value.as_string());
    stored.as_deref() != Some("off")
}

#[cfg(feature = "hydrate")]
fn remember(on: bool) {
    // Where the browser keeps nothing, it lasts as long as the page.
    let _ = if on {
        storage("removeItem", &[STORED])
    } else {
        storage("setItem", &[STORED, "off"])
    };
}

#[cfg(not(feature = "hydrate"))]
fn remembered() -> bool {
    true
}

#[cfg(not(feature = "hydrate"))]
fn remember(_: bool) {}
