//! The verdict box: the answer, what it rests on, and the one thing to do about it.

use super::mail_acts::{CorrectForm, MoreActs};
use crate::components::{Acts, Near, ReasonFields, Shape, Submit, face_class, words};
use crate::model::verdict::{Answer, Next, verdict};
use crate::model::views::{Draft, Form, Mail};
use leptos::either::EitherOf4;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// The box.
#[component]
pub fn VerdictBox(
    /// The mail it judges.
    mail: Mail,
    /// A form that was not taken.
    draft: Option<Draft>,
) -> impl IntoView {
    let w = words();
    let m = &w.mail;
    let v = verdict(&mail);
    let shape = face_class(mail.row.face);
    let as_of = mail.as_of;
    let proofs = v
        .proofs
        .iter()
        .map(|proof| {
            view! {
                <li>
                    <Near at=proof.at today=as_of />
                    <span>{(m.known)(&proof.what)}</span>
                </li>
            }
        })
        .collect_view();
    // What was refused is most often the address.
    let corrects = mail.standing().correct().is_ok()
        && (v.next == Next::NeedsChange || v.answer == Answer::Refused);
    let of = |form: Form| draft.clone().filter(|draft| draft.form == form);
    let act = match v.next {
        Next::Resend { .. } => EitherOf4::A(view! {
            <ResendForm
                id=mail.row.id
                version=mail.version
                attempt=mail.row.attempts
                main=!corrects
            />
        }),
        Next::Check => EitherOf4::B(view! {
            <a class="btn main" href=format!("/stuck#case-{}", mail.row.id)>
                {m.check}
            </a>
        }),
        Next::Release => {
            EitherOf4::C(view! { <ReleaseForm mail=mail.clone() draft=of(Form::Release) /> })
        }
        Next::Wait => EitherOf4::D(Some(view! { <Refresh /> })),
        _ => EitherOf4::D(None),
    };
    let correct = corrects.then(|| {
        view! { <CorrectForm mail=mail.clone() draft=of(Form::Correct) main=true /> }
    });
    // The other answers say so themselves.
    let doubt = v.doubt.filter(|_| v.answer == Answer::Refused).map(m.doubt);
    let until = v
        .until
        .filter(|_| !matches!(v.answer, Answer::Sending { .. } | Answer::WaitingToSend))
        .map(|at| (w.agent.until)(&at, &as_of, mail.provider.as_deref()));
    let plan = mail.plan().map(|plan| (m.plan)(&plan));
    view! {
        <section class=format!("verdict c-{shape}") aria-labelledby="v">
            <div class="ans">
                <Shape name=shape />
                <h2 id="v">{(m.answer)(&v, &mail)}</h2>
            </div>
            {mail
                .possible_duplicate
                .then(|| {
                    view! {
                        <div class="say c-bounced">
                            <p>{m.duplicate}</p>
                        </div>
                    }
                })}
            {(!v.proofs.is_empty()).then(|| view! { <ol class="why">{proofs}</ol> })}
            {doubt.map(|text| view! { <p class="doubt">{text}</p> })}
            {until.map(|text| view! { <p class="doubt">{text}</p> })}
            {plan
                .map(|text| {
                    view! {
                        <p class="plan">
                            <b>{w.stuck.next}</b>
                            {text}
                        </p>
                    }
                })}
            <div class="acts">
                {correct} {act}
                <span class="note">
                    {(m.next)(&v, &mail)} <br />
                    <time datetime=as_of.machine()>{(m.judged)(&as_of)}</time>
                </span>
            </div>
            <div class="more-acts">
                <MoreActs mail draft corrects />
            </div>
        </section>
    }
    .into_any()
}

/// Reads the page again.
#[component]
fn Refresh() -> impl IntoView {
    let here = use_location().pathname;
    view! {
        <a class="btn" href=here rel="external">
            {words().mail.refresh}
        </a>
    }
    .into_any()
}

/// The button that sends again, with the row as this page shows it.
#[component]
fn ResendForm(id: i64, version: i64, attempt: i32, main: bool) -> impl IntoView {
    let w = &words().mail;
    let acts = Acts::of_page();
    let pending = acts.resend.pending();
    view! {
        <ActionForm action=acts.resend>
            <input type="hidden" name="id" value=id.to_string() />
            <input type="hidden" name="version" value=version.to_string() />
            <input type="hidden" name="attempt" value=attempt.to_string() />
            <Submit
                label=(w.resend)(attempt).to_owned()
                busy=(w.resending)(attempt)
                pending
                main
            />
        </ActionForm>
    }
    .into_any()
}

/// Lets a held mail go: closed it is a button, open it asks for the reason. What was written the last
/// time stays in its field; it is open where that was nothing.
#[component]
fn ReleaseForm(mail: Mail, draft: Option<Draft>) -> impl IntoView {
    let r = &words().reason;
    let acts = Acts::of_page();
    let pending = acts.release.pending();
    let missing = draft.as_ref().is_some_and(Draft::lacks_reason);
    view! {
        <details class="ask release" open=missing>
            <summary class="btn main">{r.release}</summary>
            <ActionForm action=acts.release attr:class="answer">
                <input type="hidden" name="id" value=mail.row.id.to_string() />
                <input type="hidden" name="version" value=mail.version.to_string() />
                <p class="note">{(r.release_note)(&mail)}</p>
                <ReasonFields
                    field="why-release".to_owned()
                    note=r.release_reason
                    example=r.release_example
                    confirm=r.release_confirm.to_owned()
                    value=draft.map(|draft| draft.reason).unwrap_or_default()
                    missing
                    pending
                />
            </ActionForm>
        </details>
    }
    .into_any()
}
