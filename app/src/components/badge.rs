//! A state: one word, one shape, one colour.

use super::words;
use crate::model::Face;
use leptos::prelude::*;

/// The shapes, defined once in every page.
pub const SHAPES: &str = concat!(
    r##"<symbol id="s-pending" viewBox="0 0 12 12"><circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" stroke-width="1.6"/></symbol>"##,
    r##"<symbol id="s-sending" viewBox="0 0 12 12"><path d="M0 6h12" stroke="currentColor" stroke-width="2.6" stroke-dasharray="4.5 3"/></symbol>"##,
    r##"<symbol id="s-check" viewBox="0 0 12 12"><path d="M6 .8 11.8 11.2H.2z" fill="currentColor"/></symbol>"##,
    r##"<symbol id="s-accepted" viewBox="0 0 12 12"><circle cx="6" cy="6" r="5.2" fill="currentColor"/></symbol>"##,
    r##"<symbol id="s-delivered" viewBox="0 0 12 12"><path d="m1 6.4 3.4 3.6L11 2.4" fill="none" stroke="currentColor" stroke-width="2.2"/></symbol>"##,
    r##"<symbol id="s-bounced" viewBox="0 0 12 12"><path d="m1.8 1.8 8.4 8.4m0-8.4-8.4 8.4" fill="none" stroke="currentColor" stroke-width="2.2"/></symbol>"##,
    r##"<symbol id="s-complained" viewBox="0 0 12 12"><path d="M2 .6v11" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M2 1h9.2L8.6 4.2l2.6 3.2H2z" fill="currentColor"/></symbol>"##,
    r##"<symbol id="s-failed" viewBox="0 0 12 12"><circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" stroke-width="1.4"/><path d="M6 .8a5.2 5.2 0 0 0 0 10.4z" fill="currentColor"/></symbol>"##,
    r##"<symbol id="s-rejected" viewBox="0 0 12 12"><path d="M1.2 1.2h9.6v9.6H1.2z" fill="currentColor"/></symbol>"##,
    r##"<symbol id="s-canceled" viewBox="0 0 12 12"><path d="M1 6h10" stroke="currentColor" stroke-width="1.6"/></symbol>"##,
    r##"<symbol id="i-x" viewBox="0 0 10 10"><path d="m1 1 8 8m0-8-8 8" fill="none" stroke="currentColor" stroke-width="1.4"/></symbol>"##,
);

/// The name of a state's shape, and of its colour behind `c-`.
pub fn face_class(face: Face) -> &'static str {
    match face {
        Face::Waiting => "pending",
        Face::Sending => "sending",
        Face::NeedsChecking => "check",
        Face::Accepted => "accepted",
        Face::Delivered => "delivered",
        Face::Bounced => "bounced",
        Face::Complained => "complained",
        Face::NotSent => "failed",
        Face::Refused => "rejected",
        Face::CalledOff => "canceled",
    }
}

/// Whether a state wants nobody: its word stays in ink.
fn quiet(face: Face) -> bool {
    !matches!(
        face,
        Face::NeedsChecking | Face::Bounced | Face::Complained | Face::NotSent | Face::Refused
    )
}

/// A shape alone; its word stands beside it.
#[component]
pub fn Shape(
    /// `check` for the triangle, and so on.
    name: &'static str,
    /// `s` for states, `i` for the rest.
    #[prop(default = "s")]
    set: &'static str,
) -> impl IntoView {
    view! { <svg aria-hidden="true" inner_html=format!("<use href=\"#{set}-{name}\"/>")></svg> }
}

/// A state with its word.
#[component]
pub fn Badge(
    /// The state.
    face: Face,
    /// The short word, for columns and counts.
    #[prop(optional)]
    short: bool,
    /// The word stays in ink whatever the state.
    #[prop(optional)]
    calm: bool,
    /// The word is set in bold.
    #[prop(optional)]
    loud: bool,
    /// A state of the past, on a time-line.
    #[prop(optional)]
    past: bool,
    /// The state was only assumed.
    #[prop(optional)]
    assumed: bool,
) -> impl IntoView {
    let w = words();
    let mut class = format!("st c-{}", face_class(face));
    for (on, name) in [
        (past, " past"),
        (loud, " loud"),
        (!loud && (calm || quiet(face)), " quiet"),
    ] {
        if on {
            class.push_str(name);
        }
    }
    let word = if short {
        (w.face_short)(face)
    } else {
        (w.face)(face)
    };
    view! {
        <span class=class>
            <Shape name=face_class(face) />
            {word}
            {assumed.then(|| view! { <small>{w.assumed}</small> })}
        </span>
    }
}
