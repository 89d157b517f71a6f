//! A field for one address, as people paste them: what is trimmed is shown before anything is
//! sent, and what is wrong inside is pointed at.

use super::words;
use crate::model::address::tidy;
use crate::model::{Address, AddressFault};
use leptos::either::EitherOf3;
use leptos::prelude::*;

/// The field. Goes into a form; beside `recipient` it sends, as `shown`, what the page showed of it.
#[component]
pub fn AddressField(
    /// The field's id in the page.
    field: String,
    /// What is asked for.
    label: &'static str,
    /// What else there is to say.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// What stands in it at first.
    value: String,
    /// Whether it may be left empty.
    #[prop(optional)]
    may_be_empty: bool,
) -> impl IntoView {
    let a = &words().agent.address;
    let first = value.clone();
    let (text, set_text) = signal(value);
    let shown = move || tidy(&text.get());
    let state = format!("{field}-state");
    let hint_id = hint.map(|_| format!("{field}-hint"));
    let described = match &hint_id {
        Some(hint) => format!("{hint} {state}"),
        None => state.clone(),
    };
    let fault = move || {
        let tidied = shown();
        if tidied.is_empty() {
            return None;
        }
        Address::parse(&tidied).err().map(|fault| (fault, tidied))
    };
    let trimmed = move || {
        let tidied = shown();
        (!tidied.is_empty() && tidied != text.get()).then_some(tidied)
    };
    view! {
        <div class="field">
            <label for=field.clone()>{label}</label>
            {hint
                .map(|hint| {
                    view! {
                        <span class="hint" id=hint_id>
                            {hint}
                        </span>
                    }
                })}
            // No type=email: browsers trim, reword and refuse on their own.
            <input
                id=field
                name="recipient"
                type="text"
                inputmode="email"
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                maxlength="1000"
                required=!may_be_empty
                value=first
                aria-describedby=described
                aria-invalid=move || fault().map(|_| "true")
                on:input=move |event| set_text.set(event_target_value(&event))
            />
            <input type="hidden" name="shown" value=shown prop:value=shown />
            <span class="state" id=state role="status">
                {move || match (fault(), trimmed()) {
                    (Some((fault, text)), _) => {
                        EitherOf3::A(
                            view! {
                                <span class="error">{(a.fault)(fault)}</span>
                                <Pointed fault text />
                            },
                        )
                    }
                    (None, Some(address)) => {
                        EitherOf3::B(view! { <span class="hint">{(a.tidied)(&address)}</span> })
                    }
                    (None, None) => EitherOf3::C(()),
                }}
            </span>
        </div>
    }
    .into_any()
}

/// The address with the faulty character marked, where the fault has a place.
#[component]
fn Pointed(fault: AddressFault, text: String) -> impl IntoView {
    let a = &words().agent.address;
    fault.place().map(|place| {
        let at = place.saturating_sub(1);
        let before: String = text.chars().take(at).collect();
        let sign = text.chars().nth(at).map(visible).unwrap_or_default();
        let after: String = text.chars().skip(at + 1).collect();
        view! {
            <span class="pointed">
                {a.place} " " <code>{before} <mark>{sign}</mark> {after}</code>
            </span>
        }
    })
}

/// What cannot be seen is shown by its number.
fn visible(c: char) -> String {
    if c == ' ' {
        "␣".to_owned()
    } else if c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    {
        format!("U+{:04X}", u32::from(c))
    } else {
        c.to_string()
    }
}
