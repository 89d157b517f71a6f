//! The button that sends a form.

use leptos::prelude::*;

/// Says what is happening while the form is on its way, where that takes a moment, and cannot be
/// pressed twice. Kept focusable meanwhile, so that nobody loses their place.
#[component]
pub fn Submit(
    /// What it does.
    label: String,
    /// What it says while the form is on its way.
    busy: &'static str,
    /// The form is on its way.
    pending: Memo<bool>,
    /// It is the main button where it stands.
    #[prop(default = true)]
    main: bool,
    /// Called when it is pressed, before anything is sent.
    #[prop(optional, into)]
    pressed: Option<Callback<()>>,
) -> impl IntoView {
    // Under this nothing is seen to change.
    const SOON: std::time::Duration = std::time::Duration::from_millis(100);
    let late = RwSignal::new(false);
    Effect::new(move |_| {
        if pending.get() {
            let still = move || pending.try_get_untracked().unwrap_or(false);
            set_timeout(
                move || {
                    let _ = late.try_set(still());
                },
                SOON,
            );
        } else {
            late.set(false);
        }
    });
    view! {
        <button
            class=if main { "btn main" } else { "btn" }
            type="submit"
            aria-busy=move || pending.get().then_some("true")
            aria-disabled=move || pending.get().then_some("true")
            on:click=move |event| {
                if let Some(pressed) = pressed {
                    pressed.run(());
                }
                if pending.get_untracked() {
                    event.prevent_default();
                }
            }
        >
            {move || if pending.get() && late.get() { busy.to_owned() } else { label.clone() }}
        </button>
    }
    .into_any()
}
