//! What a page shows when it cannot show what was asked for.

use super::wishes::{clean_address, sign_in_for};
use super::words;
use crate::error::{AppError, Reference};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

/// A head, what to do about it, and the number to quote.
pub fn fault_words(error: &AppError) -> ([&'static str; 2], Option<Reference>) {
    let f = &words().fault;
    match error {
        AppError::SignedOut => (f.signed_out, None),
        AppError::Forbidden => (f.forbidden, None),
        AppError::NotFound => (f.not_found, None),
        AppError::BadInput => (f.bad_input, None),
        AppError::Unavailable { reference } => (f.unavailable, Some(*reference)),
        AppError::NoConnection => (f.no_connection, None),
    }
}

/// The page for an error. On the server it sets the status of the answer too.
#[component]
pub fn Fault(
    /// What went wrong.
    error: AppError,
) -> impl IntoView {
    #[cfg(feature = "ssr")]
    set_status(&error);
    let w = words();
    let ([head, help], reference) = fault_words(&error);
    let place = use_location();
    let here = clean_address(
        &place.pathname.get_untracked(),
        &place.search.get_untracked(),
    );
    let step = match error {
        AppError::SignedOut => Some((sign_in_for(&here), w.sign_in.submit)),
        AppError::NotFound | AppError::Forbidden => None,
        _ => Some((here, w.fault.again)),
    };
    view! {
        <Title text=head />
        <div class="fault">
            <h1>{head}</h1>
            <p>{help}</p>
            {reference
                .map(|r| {
                    view! {
                        <p class="ref">{w.fault.reference} " " <code>{r.to_string()}</code></p>
                    }
                })}
            <div class="acts">
                {step
                    .map(|(href, text)| {
                        view! { <a class="btn main" href=href rel="external">{text}</a> }
                    })} <a class="btn" href="/">{w.fault.home}</a>
            </div>
        </div>
    }
    .into_any()
}

#[cfg(feature = "ssr")]
fn set_status(error: &AppError) {
    use axum::http::StatusCode;
    let status = match error {
        AppError::SignedOut => StatusCode::UNAUTHORIZED,
        AppError::Forbidden => StatusCode::FORBIDDEN,
        AppError::NotFound => StatusCode::NOT_FOUND,
        AppError::BadInput => StatusCode::BAD_REQUEST,
        AppError::Unavailable { .. } | AppError::NoConnection => StatusCode::SERVICE_UNAVAILABLE,
    };
    if let Some(options) = use_context::<leptos_axum::ResponseOptions>() {
        options.set_status(status);
    }
}
