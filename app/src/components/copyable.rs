//! A number with a button that copies it.

use super::{awake, words};
use leptos::prelude::*;

/// A number; with scripts also a button that copies it.
#[component]
pub fn Copyable(
    /// What is copied.
    text: String,
    /// What it is called.
    what: String,
) -> impl IntoView {
    let shown = text.clone();
    view! {
        <span class="copyable">
            <code>{shown}</code>
            <CopyButton text what />
        </span>
    }
}

/// With scripts, a button that copies a text.
#[component]
pub fn CopyButton(
    /// What is copied.
    text: String,
    /// What it is called.
    what: String,
) -> impl IntoView {
    let w = &words().mail;
    let (done, set_done) = signal(false);
    let label = (w.copy_what)(&what);
    move || {
        awake().then(|| {
            let text = text.clone();
            view! {
                <button
                    class="btn plain small"
                    type="button"
                    aria-label=label.clone()
                    on:click=move |_| set_done.set(put_on_clipboard(&text))
                >
                    {move || if done.get() { w.copied } else { w.copy_button }}
                </button>
            }
        })
    }
}

/// Hands `text` to the browser's clipboard; whether there is one.
#[cfg(feature = "hydrate")]
fn put_on_clipboard(text: &str) -> bool {
    use js_sys::{Function, Reflect};
    use leptos::wasm_bindgen::{JsCast, JsValue};
    let write = || -> Result<JsValue, JsValue> {
        let navigator = Reflect::get(&window(), &"navigator".into())?;
        let clipboard = Reflect::get(&navigator, &"clipboard".into())?;
        let write: Function = Reflect::get(&clipboard, &"writeText".into())?.dyn_into()?;
        write.call1(&clipboard, &text.into())
    };
    write().is_ok()
}

#[cfg(not(feature = "hydrate"))]
fn put_on_clipboard(_: &str) -> bool {
    false
}
