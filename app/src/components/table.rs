//! Tables and facts.

use crate::words::grouped;
use leptos::prelude::*;

/// The heads of a table's columns; those of `figures` and after stand over figures.
pub fn heads(names: impl IntoIterator<Item = &'static str>, figures: usize) -> AnyView {
    names
        .into_iter()
        .enumerate()
        .map(|(i, name)| {
            let class = (i >= figures).then_some("n");
            view! {
                <th scope="col" class=class>
                    {name}
                </th>
            }
        })
        .collect_view()
        .into_any()
}

/// The heads of columns without figures.
pub fn plain(names: impl IntoIterator<Item = &'static str>) -> AnyView {
    heads(names, usize::MAX)
}

/// A figure in a table; none of something is said quietly.
pub fn figure(number: i64) -> impl IntoView {
    view! { <td class=if number == 0 { "n zero" } else { "n" }>{grouped(number)}</td> }
}

/// A table in a box that scrolls where it is wider than the page.
#[component]
pub fn Table(
    /// The id of the head that names it; else its caption does.
    #[prop(optional)]
    by: Option<&'static str>,
    /// What it is.
    #[prop(optional, into)]
    caption: Option<String>,
    /// Its classes.
    #[prop(default = "tbl")]
    class: &'static str,
    /// Of its columns.
    heads: AnyView,
    /// What stands under them.
    children: Children,
) -> impl IntoView {
    let label = caption.clone().filter(|_| by.is_none());
    view! {
        <div class="scroll" tabindex="0" role="group" aria-labelledby=by aria-label=label>
            <table class=class>
                {caption.map(|text| view! { <caption class="vh">{text}</caption> })}
                <thead>
                    <tr>{heads}</tr>
                </thead>
                {children()}
            </table>
        </div>
    }
    .into_any()
}

/// A line of a list of facts.
pub fn fact(name: impl IntoView, value: impl IntoView) -> impl IntoView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
        </div>
    }
}
