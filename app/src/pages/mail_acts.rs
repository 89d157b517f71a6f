//! What may be done with a mail beside sending it again: each act is a button that opens a form.

use crate::components::{Acts, AddressField, ReasonFields, words};
use crate::model::views::{Draft, Form, Mail};
use crate::words::FormWords;
use leptos::either::EitherOf4;
use leptos::prelude::*;

/// The acts that the mail's state allows; closed each is a button, open it asks for the reason.
#[component]
pub fn MoreActs(
    /// The mail.
    mail: Mail,
    /// A form that was not taken is shown again as it was filled in.
    draft: Option<Draft>,
    /// Correcting the address is the main thing to do, and stands above.
    corrects: bool,
) -> impl IntoView {
    let standing = mail.standing();
    let of = |form: Form| draft.clone().filter(|draft| draft.form == form);
    let correct = standing.correct().is_ok() && !corrects;
    let copy = standing.copy().is_ok();
    view! {
        {correct
            .then(|| view! { <CorrectForm mail=mail.clone() draft=of(Form::Correct) main=false /> })}
        {copy.then(|| view! { <CopyForms mail=mail.clone() draft=of(Form::Copy) /> })}
        {standing
            .call_off()
            .then(|| view! { <CallOffForm mail=mail.clone() draft=of(Form::CallOff) /> })}
    }
    .into_any()
}

/// Sends it again, to a corrected address.
#[component]
pub fn CorrectForm(
    /// The mail.
    mail: Mail,
    /// The form as it was filled in, where it was not taken.
    draft: Option<Draft>,
    /// It is the main thing to do.
    main: bool,
) -> impl IntoView {
    let a = &words().agent;
    let acts = Acts::of_page();
    let pending = acts.correct.pending();
    let open = draft.is_some();
    let class = if main { "btn main" } else { "btn" };
    let value = match &draft {
        Some(draft) => draft.recipient.clone(),
        // A mask is nothing to correct.
        None if mail.masked => String::new(),
        None => mail.row.recipient.clone(),
    };
    view! {
        <details class="ask act" open=open>
            <summary class=class>{a.correct.open}</summary>
            <ActionForm action=acts.correct attr:class="answer">
                <input type="hidden" name="id" value=mail.row.id.to_string() />
                <input type="hidden" name="version" value=mail.version.to_string() />
                <input type="hidden" name="attempt" value=mail.row.attempts.to_string() />
                <p class="note">{(a.correct.note)(&mail)}</p>
                <AddressField field="correct-to".to_owned() label=a.address.correct value />
                <Reason name="correct" form=&a.correct mail=mail.clone() draft pending />
            </ActionForm>
        </details>
    }
    .into_any()
}

/// The form for the next further copy. Once that is made, another form takes its place, closed and empty, so
/// that one more press makes no further one; until then it stays as it is filled in, whatever is read again.
#[component]
fn CopyForms(mail: Mail, draft: Option<Draft>) -> impl IntoView {
    let number = mail.next_copy;
    let form = view! { <CopyForm mail draft /> };
    // Another branch is another form in the page.
    match number.rem_euclid(4) {
        0 => EitherOf4::A(form),
        1 => EitherOf4::B(form),
        2 => EitherOf4::C(form),
        _ => EitherOf4::D(form),
    }
}

/// Sends a further copy.
#[component]
fn CopyForm(mail: Mail, draft: Option<Draft>) -> impl IntoView {
    let a = &words().agent;
    let acts = Acts::of_page();
    let pending = acts.copy.pending();
    let open = draft.is_some();
    let value = draft.as_ref().map(|d| d.recipient.clone());
    view! {
        <details class="ask act" open=open>
            <summary class="btn">{a.copy.open}</summary>
            <ActionForm action=acts.copy attr:class="answer">
                <input type="hidden" name="id" value=mail.row.id.to_string() />
                <input type="hidden" name="copy" value=mail.next_copy.to_string() />
                <p class="note">{(a.copy.note)(&mail)}</p>
                <AddressField
                    field="copy-to".to_owned()
                    label=a.address.copy
                    hint=a.address.copy_hint
                    value=value.unwrap_or_default()
                    may_be_empty=true
                />
                <Reason name="copy" form=&a.copy mail=mail.clone() draft pending />
            </ActionForm>
        </details>
    }
    .into_any()
}

/// Calls it off.
#[component]
fn CallOffForm(mail: Mail, draft: Option<Draft>) -> impl IntoView {
    let a = &words().agent;
    let acts = Acts::of_page();
    let pending = acts.call_off.pending();
    let open = draft.is_some();
    view! {
        <details class="ask act" open=open>
            <summary class="btn">{a.call_off.open}</summary>
            <ActionForm action=acts.call_off attr:class="answer">
                <input type="hidden" name="id" value=mail.row.id.to_string() />
                <input type="hidden" name="version" value=mail.version.to_string() />
                <p class="note">{(a.call_off.note)(&mail)}</p>
                <Reason name="call-off" form=&a.call_off mail=mail.clone() draft pending />
            </ActionForm>
        </details>
    }
    .into_any()
}

/// Shows the addresses for a while.
#[component]
pub fn RevealForm(
    /// The mail, its addresses masked.
    mail: Mail,
) -> impl IntoView {
    let a = &words().agent;
    let acts = Acts::of_page();
    let pending = acts.reveal.pending();
    view! {
        <details class="ask act reveal">
            <summary class="btn small">{a.reveal.open}</summary>
            <ActionForm action=acts.reveal attr:class="answer">
                <input type="hidden" name="id" value=mail.row.id.to_string() />
                <p class="note">{(a.reveal.note)(&mail)}</p>
                <Reason name="reveal" form=&a.reveal mail=mail.clone() draft=None pending />
            </ActionForm>
        </details>
    }
    .into_any()
}

/// The reason and the button, as they were filled in where the form was not taken.
#[component]
fn Reason(
    name: &'static str,
    form: &'static FormWords,
    mail: Mail,
    draft: Option<Draft>,
    pending: Memo<bool>,
) -> impl IntoView {
    let missing = draft.as_ref().is_some_and(Draft::lacks_reason);
    view! {
        <ReasonFields
            field=format!("why-{name}")
            note=form.reason_note
            example=form.example
            confirm=(form.confirm)(&mail)
            value=draft.map(|d| d.reason).unwrap_or_default()
            missing
            pending
        />
    }
    .into_any()
}
