//! No such page.

use crate::components::Fault;
use crate::error::AppError;
use leptos::prelude::*;

/// What an address shows that leads nowhere.
#[component]
pub fn Lost() -> impl IntoView {
    view! { <Fault error=AppError::NotFound /> }
}
