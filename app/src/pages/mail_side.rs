//! Beside the time-line: the message, its numbers, and other mails for the order.

use crate::components::{Badge, CopyButton, Copyable, Near, fact, kind_name, words};
use crate::model::views::Mail;
use crate::words::{Lang, reply};
use leptos::either::Either;
use leptos::prelude::*;

/// The column.
#[component]
pub fn Side(
    /// The mail in view.
    mail: Mail,
) -> impl IntoView {
    view! {
        <div class="side">
            <Reply mail=mail.clone() />
            <Message id=mail.row.id has_body=mail.has_body />
            {(!mail.others.is_empty()).then(|| view! { <Others mail=mail.clone() /> })}
            <Numbers mail />
        </div>
    }
    .into_any()
}

/// What the customer can be told, in both languages.
#[component]
fn Reply(mail: Mail) -> impl IntoView {
    let r = &words().agent.reply;
    let texts = [Lang::Ja, Lang::En]
        .into_iter()
        .enumerate()
        .map(|(i, lang)| {
            let text = reply(lang, &mail);
            view! {
                <div class="reply">
                    <p lang=lang.code()>{text.clone()}</p>
                    <div class="acts">
                        <span class="note">{r.langs[i]}</span>
                        <CopyButton text what=r.copy[i].to_owned() />
                    </div>
                </div>
            }
        })
        .collect_view();
    view! {
        <section aria-labelledby="rp">
            <h2 id="rp">{r.title}</h2>
            {texts}
        </section>
    }
    .into_any()
}

/// The message, in a frame that can run and load nothing.
#[component]
fn Message(id: i64, has_body: bool) -> impl IntoView {
    let w = &words().mail;
    view! {
        <section aria-labelledby="ms">
            <h2 id="ms">{w.body}</h2>
            {if has_body {
                Either::Left(
                    view! {
                        <div class="frame">
                            <iframe
                                sandbox=""
                                // So that the keyboard reaches what is below its fold.
                                tabindex="0"
                                title=w.body
                                src=format!("/submissions/{id}/body")
                            ></iframe>
                        </div>
                    },
                )
            } else {
                Either::Right(view! { <p class="note">{w.no_body}</p> })
            }}
        </section>
    }
    .into_any()
}

/// Other mails for the order.
#[component]
fn Others(mail: Mail) -> impl IntoView {
    let w = words();
    let [kind, status, decided] = w.mail.other_columns;
    let as_of = mail.as_of;
    let rows = mail
        .others
        .into_iter()
        .map(|row| {
            let name = if row.copy > 0 {
                format!("{} {}", kind_name(&row.kind), (w.copy)(row.copy))
            } else {
                kind_name(&row.kind)
            };
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/submissions/{}", row.id)>{name}</a>
                        <span class="to">{row.recipient}</span>
                    </th>
                    <td>
                        <Badge face=row.face short=true assumed=row.assumed />
                    </td>
                    <td class="n">
                        <Near at=row.created_at today=as_of />
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section aria-labelledby="ot">
            <h2 id="ot">{w.mail.others}</h2>
            <table class="tbl">
                <thead class="vh">
                    <tr>
                        <th scope="col">{kind}</th>
                        <th scope="col">{status}</th>
                        <th scope="col">{decided}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </section>
    }
    .into_any()
}

/// Numbers to quote and to look up.
#[component]
fn Numbers(mail: Mail) -> impl IntoView {
    let w = &words().mail;
    let provider = (w.provider_id)(mail.provider.as_deref());
    let called = provider.clone();
    let none = (w.no_provider_id)(&mail);
    let provider_id = match mail.provider_message_id.clone() {
        Some(text) => Some(Either::Left(view! { <Copyable text what=called /> })),
        // A mail server's own number is a help beside the Message-ID, and nothing is missing without.
        None if mail.message_id.is_some() => None,
        None => Some(Either::Right(view! { <span class="muted">{none}</span> })),
    };
    let number = |name: &'static str, text: String| {
        fact(name, view! { <Copyable text what=name.to_owned() /> })
    };
    view! {
        <section aria-labelledby="ids">
            <h2 id="ids">{w.ids}</h2>
            <dl class="facts">
                {number(w.mail_id, mail.row.id.to_string())} {number("ref", mail.reference)}
                {mail.message_id.map(|id| number("Message-ID", id))}
                {provider_id.map(|id| fact(provider, id))}
            </dl>
        </section>
    }
    .into_any()
}
