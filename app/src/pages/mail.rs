//! One mail: what it is, whether it went out, and what happened.

use super::mail_acts::RevealForm;
use super::mail_side::Side;
use super::verdict_box::VerdictBox;
use crate::api::read_mail;
use crate::components::{
    Acts, Badge, Clock, DateTime, Fault, Live, Waiting, fact, kind_name, words,
};
use crate::error::AppError;
use crate::model::plan::Why;
use crate::model::recorded::Recorded;
use crate::model::timeline::{Line, Stop, What, timeline};
use crate::model::verdict::in_doubt;
use crate::model::views::{Attempt, Cause, Draft, Form, Mail, News, Observation};
use crate::model::{DeliveryState, Moment, SettledBy, Status};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

/// The page.
#[component]
pub fn OneMail() -> impl IntoView {
    let acts = Acts::of_page();
    let params = use_params_map();
    let id = move || params.with(|p| p.get("id").and_then(|id| id.parse::<i64>().ok()));
    let own = Signal::derive(move || id().into_iter().collect());
    let shown = StoredValue::new(None::<Mail>);
    let follow = Live::of_page().follow_mail(own, move || async move {
        let Some(id) = shown.with_value(|shown| shown.as_ref().map(|shown| shown.row.id)) else {
            return false;
        };
        let now = read_mail(id).await;
        let shown = shown.try_get_value().flatten();
        now.is_ok_and(|now| shown.is_some_and(|shown| shown.still(&now)))
    });
    let mail = Resource::new(
        move || (id(), acts.done(), follow.version()),
        |(id, ..)| async move {
            match id {
                Some(id) => read_mail(id).await,
                None => Err(AppError::NotFound),
            }
        },
    );
    view! {
        <Waiting follow />
        <Transition>
            {move || Suspend::new(async move {
                match mail.await {
                    Ok(mail) => {
                        shown.set_value(Some(mail.clone()));
                        follow.shown();
                        let news = acts.notice.await.ok().flatten();
                        let of_this = match news {
                            Some(News::Mail(n)) if n.id == mail.row.id => Some(n),
                            _ => None,
                        };
                        // What was refused for good is told, and no form is opened for it. A mail
                        // that is held all the same may still be let go for that reason.
                        let draft = of_this.and_then(|n| {
                            let mends = n.what.mends();
                            n.draft.filter(|draft| mends || draft.form == Form::Release)
                        });
                        Either::Left(view! { <Whole mail draft /> })
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(mail: Mail, draft: Option<Draft>) -> impl IntoView {
    let w = words();
    let title = (w.mail.title)(&mail.row.order_id);
    let full = format!("{title} {}", kind_name(&mail.row.kind));
    view! {
        <Title text=full />
        <div class="mail-top">
            <div class="ident">
                <div class="head">
                    <h1>{title}</h1>
                    <Badge face=mail.row.face assumed=mail.row.assumed />
                    {mail.row.held.then(|| view! { <span class="tag">{w.held}</span> })}
                </div>
                <Facts mail=mail.clone() />
            </div>
            <VerdictBox mail=mail.clone() draft />
        </div>
        <div class="mail-split">
            <section aria-labelledby="tl">
                <h2 id="tl">{w.mail.timeline}</h2>
                <TimeLine mail=mail.clone() />
            </section>
            <Side mail />
        </div>
    }
    .into_any()
}

#[component]
fn Facts(mail: Mail) -> impl IntoView {
    let w = words();
    let m = &w.mail;
    let row = mail.row.clone();
    let known = (w.kind)(&row.kind).is_some();
    let accepted = match (row.sent_at, mail.status) {
        (Some(at), _) => Either::Left(view! { <DateTime at /> }),
        (None, Status::Synced) if mail.settled_by == Some(SettledBy::Person) => {
            Either::Right(view! { <span class="muted">{m.accepted_by_person}</span> })
        }
        (None, status) if status == Status::Synced || in_doubt(&mail) => {
            Either::Right(view! { <span class="muted">{m.accepted_unknown}</span> })
        }
        (None, _) => Either::Right(view! { <span class="muted">{m.not_accepted}</span> }),
    };
    let text = |label: &'static str, value: Option<String>| {
        value
            .filter(|v| !v.is_empty())
            .map(|value| fact(label, value))
    };
    let time = |label: &'static str, at: Option<Moment>| {
        at.map(|at| fact(label, view! { <DateTime at /> }))
    };
    // Why an earlier attempt failed says nothing of a mail under way or accepted since.
    let unsent = matches!(mail.status, Status::Failed | Status::Rejected);
    let later = mail
        .not_before
        .filter(|at| *at > mail.as_of && mail.status != Status::Canceled);
    let recipient = if row.recipient.is_empty() {
        w.list.no_recipient.to_owned()
    } else {
        row.recipient.clone()
    };
    let kind = view! {
        {kind_name(&row.kind)}
        {known.then(|| view! { " " <code class="muted">{row.kind.clone()}</code> })}
    };
    let copy = view! {
        {(w.copy)(row.copy)}
        {mail
            .original
            .map(|id| {
                view! {
                    " "
                    <a href=format!("/submissions/{id}")>{w.agent.original}</a>
                }
            })}
    };
    let to =
        view! { {recipient} {mail.masked.then(|| view! { <RevealForm mail=mail.clone() /> })} };
    view! {
        <dl class="facts">
            {fact(m.kind, kind)}
            {fact(m.copy, copy)}
            {text(m.occasion, Some(row.occasion.clone()))}
            {fact(m.to, to)}
            {text(m.subject, Some(mail.subject.clone()))}
            {text(m.from, mail.sender.clone())}
            {text(m.reply_to, mail.reply_to.clone())}
            {text(m.attempts, Some((m.attempts_of)(&mail)))}
            {time(m.decided, Some(row.created_at))}
            {fact(m.accepted, accepted)}
            {time((m.delivered)(mail.delivery), mail.delivery_at)}
            {time(m.not_before, later)}
            {row.held.then(|| text(m.held, Some(mail.held_reason.as_deref().map_or("—".into(), m.cause))))}
            {text(m.held_by, mail.held_by.map(|by| (m.holder)(by).to_owned()))}
            {text(m.error, mail.error.as_deref().filter(|_| unsent).map(m.cause))}
        </dl>
    }
    .into_any()
}

/// The words of an attempt: the service's where it answered, else what was recorded.
pub(super) fn attempt_words(a: &Attempt) -> Option<String> {
    let text = a.error.as_deref()?;
    Some(match a.cause {
        Some(Cause::Answer) => said(text),
        _ => (words().mail.recorded)(text),
    })
}

/// Somebody else's words as a quotation, Denpyo's own in the reader's language.
fn said(text: &str) -> String {
    let m = &words().mail;
    match Recorded::parse(text) {
        Some(_) => (m.recorded)(text),
        None => (m.quoted)(text),
    }
}

/// The words behind an answer that decided nothing.
fn asked_words(seen: &Observation) -> Option<&str> {
    let detail = seen.detail.as_deref()?;
    let (_, words) = detail.split_once(':')?;
    let words = words.trim();
    (Why::parse(Some(detail)).quotes_service() && !words.is_empty()).then_some(words)
}

/// The line: solid where we knew, dashed where we did not.
#[component]
fn TimeLine(mail: Mail) -> impl IntoView {
    let w = words();
    let stops = timeline(&mail);
    let present = stops.iter().rposition(|s| s.face.is_some());
    let mut day: Option<Moment> = None;
    let items = stops
        .into_iter()
        .enumerate()
        .map(|(i, stop)| {
            let new_day = day.is_none_or(|d| !d.same_day(&stop.at));
            day = Some(stop.at);
            let head = new_day.then(|| view! { <li class="date">{(w.day)(&stop.at)}</li> });
            view! {
                {head}
                <StopItem stop past=present != Some(i) mail=mail.clone() />
            }
        })
        .collect_view();
    view! { <ol class="line">{items}</ol> }
}

#[component]
fn StopItem(stop: Stop, past: bool, mail: Mail) -> impl IntoView {
    let w = words();
    let m = &w.mail;
    let class = match (stop.line, &stop.what) {
        (Line::BlindFrom, _) => "blind blind-first",
        (Line::Blind, _) => "blind",
        (Line::FoundOut, _) => "seen",
        (Line::Known, What::Act(_)) => "act",
        (Line::Known, _) => "",
    };
    let note = (m.stop_note)(&stop.what, &mail);
    let quoted = match &stop.what {
        What::Attempt(a) => attempt_words(a),
        What::Observed(o) => match o.kind.as_str() {
            "screened" | "lookup_no" => o.detail.as_deref().map(m.recorded),
            // Its note says it, or its line.
            "held" | "late_released" => None,
            "lookup_found" => {
                let number = |id: &str| (m.numbered)(mail.provider.as_deref(), id);
                o.detail.as_deref().map(number)
            }
            _ => o.detail.as_deref().map(said),
        },
        What::Asked { seen, .. } => asked_words(seen).map(said),
        What::Delivery { state, detail } if *state != DeliveryState::Delivered => {
            detail.as_deref().map(m.quoted)
        }
        _ => None,
    };
    let took = match &stop.what {
        What::Attempt(a) => a.took_ms,
        _ => None,
    };
    view! {
        <li class=class>
            <Clock at=stop.at />
            <span class="mark"></span>
            <div class="what">
                <b>{(m.stop)(&stop.what, &mail)}</b>
                {(!note.is_empty()).then(|| view! { <p>{note}</p> })}
                {quoted.map(|text| view! { <p class="quoted">{text}</p> })}
            </div>
            {took.map(|ms| view! { <span class="took">{(w.took)(ms)}</span> })}
            {stop
                .face
                .map(|face| {
                    view! {
                        <span class="now">
                            <Badge face past short=true />
                        </span>
                    }
                })}
        </li>
    }
    .into_any()
}
