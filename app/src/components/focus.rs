//! Where the focus goes when what had it is gone.

#[cfg(feature = "hydrate")]
use super::Acts;
#[cfg(feature = "hydrate")]
use leptos::prelude::*;

/// Leads to what the last act came to, where its form is gone and with it the place on the page:
/// for pages that are read again after an act, at each reading.
pub fn lead_to_told() {
    #[cfg(feature = "hydrate")]
    {
        let acts = Acts::of_page();
        if untrack(|| acts.done()) > 0 {
            Effect::new(move |_| lead(acts, 30));
        }
    }
}

/// What was there before goes away within some frames.
#[cfg(feature = "hydrate")]
fn lead(acts: Acts, frames: u32) {
    request_animation_frame(move || {
        let told = matches!(acts.notice.try_get_untracked().flatten(), Some(Ok(Some(_))));
        let active = document().active_element();
        if told && active.is_none_or(|element| element.tag_name() == "BODY") {
            focus("told");
        } else if frames > 0 {
            lead(acts, frames - 1);
        }
    });
}

/// Gives an element the focus.
#[cfg(feature = "hydrate")]
pub fn focus(id: &str) {
    use leptos::wasm_bindgen::JsCast;
    let element = document().get_element_by_id(id);
    let element = element.and_then(|e| e.dyn_into::<leptos::web_sys::HtmlElement>().ok());
    if let Some(element) = element {
        // Where it cannot have the focus, the page keeps it.
        let _ = element.focus();
    }
}
