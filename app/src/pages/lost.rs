//! No such page.

use crate::components::Fault;
use crate::error::AppError;
use leptos::prelude::*;

/// What an address shows that leads nowhere.
#[component]
pub fn Lost() -> impl IntoView {
    view! {
        <div class="lone">
            <main id="main">
                <Fault error=AppError::NotFound />
            </main>
        </div>
    }
    .into_any()
}
