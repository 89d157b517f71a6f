//! The WebAssembly entry: wakes the page that the server rendered.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the script that the server puts into each page.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}
