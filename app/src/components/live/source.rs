//! The browser's `EventSource`, and the cookie that remembers a pause. Asked for by name: the
//! bindings would cost more than what is used of them.

use js_sys::{Array, Function, Reflect};
use leptos::prelude::{document, window};
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue};
use leptos::web_sys::MessageEvent;

/// An open stream; closed when dropped.
pub struct Source {
    js: JsValue,
    _heard: Closure<dyn FnMut(MessageEvent)>,
    _failed: Closure<dyn FnMut()>,
}

impl Source {
    /// Opens a stream. It never tries again by itself: when and how often is for the caller.
    pub fn open(
        url: &str,
        mut heard: impl FnMut(String) + 'static,
        failed: impl FnMut() + 'static,
    ) -> Option<Source> {
        let heard: Closure<dyn FnMut(MessageEvent)> = Closure::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                heard(text);
            }
        });
        let failed: Closure<dyn FnMut()> = Closure::new(failed);
        let open = || -> Result<JsValue, JsValue> {
            let class: Function = Reflect::get(&window(), &"EventSource".into())?.dyn_into()?;
            let js = Reflect::construct(&class, &Array::of1(&url.into()))?;
            Reflect::set(&js, &"onmessage".into(), heard.as_ref())?;
            Reflect::set(&js, &"onerror".into(), failed.as_ref())?;
            Ok(js)
        };
        Some(Source {
            js: open().ok()?,
            _heard: heard,
            _failed: failed,
        })
    }

    /// Closes it; nothing is heard of it any more.
    pub fn close(&self) {
        let close = || -> Result<JsValue, JsValue> {
            Reflect::set(&self.js, &"onmessage".into(), &JsValue::NULL)?;
            Reflect::set(&self.js, &"onerror".into(), &JsValue::NULL)?;
            let close: Function = Reflect::get(&self.js, &"close".into())?.dyn_into()?;
            close.call0(&self.js)
        };
        // What cannot be closed is gone already.
        let _ = close();
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.close();
    }
}

/// Remembers that updates are paused, for this browser.
pub fn remember(paused: bool) {
    let age = if paused { 31_536_000 } else { 0 };
    let cookie = format!("live=off; Path=/; Max-Age={age}; SameSite=Lax");
    // Where cookies are refused it is forgotten at the next page.
    let _ = Reflect::set(&document(), &"cookie".into(), &cookie.into());
}

/// Whether updates were paused.
pub fn remembered() -> bool {
    let cookies = Reflect::get(&document(), &"cookie".into());
    let cookies = cookies.ok().and_then(|text| text.as_string());
    cookies.is_some_and(|text| text.split(';').any(|pair| pair.trim() == "live=off"))
}
