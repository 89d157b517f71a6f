//! What a customer can be told of a mail, in Japanese and in English: what is known, and no more.
//! "Sent" is not said where only acceptance is known, nor "not sent" where nothing is.

use super::Lang;
use super::numbers::zone_label;
use crate::model::unsendable::Unsendable;
use crate::model::verdict::{Answer, Basis, verdict};
use crate::model::views::{Mail, ServiceState};
use crate::model::{DeliveryState, Moment};

/// As much as there is to say.
enum Known<'a> {
    /// Not sent yet, and due by itself; from then on, where that is set.
    Waiting(Option<&'a Moment>),
    /// Not sent yet, and nothing will send it for now.
    Delayed,
    /// Not sent yet; something is looked into first.
    Held,
    /// Whether it was sent is being found out.
    Checking,
    /// Being sent.
    Sending,
    /// Tried then; nobody knows more.
    Unclear(Option<&'a Moment>),
    /// Accepted then.
    Accepted(Option<&'a Moment>),
    /// A person found that it was accepted.
    Checked,
    /// Another system said so.
    Imported,
    /// Accepted, and what became of it.
    Delivery(DeliveryState, Option<&'a Moment>, Option<&'a Moment>),
    /// Not accepted; tried again by itself then, where that is so.
    NotAccepted(Option<&'a Moment>),
    /// Refused by the service.
    Refused,
    /// Found before sending to be what no service takes: for its address, or for something of ours.
    Screened { address: bool },
    /// Called off.
    CalledOff,
}

fn known(mail: &Mail) -> Known<'_> {
    let v = verdict(mail);
    let sent = mail.row.sent_at.as_ref();
    let tried = mail.attempts.last().map(|a| &a.claimed_at);
    let delivery = |state| Known::Delivery(state, sent, mail.delivery_at.as_ref());
    match v.answer {
        Answer::WaitingToSend if mail.idle || mail.service == ServiceState::None => Known::Delayed,
        Answer::WaitingToSend => {
            Known::Waiting(mail.not_before.as_ref().filter(|at| **at > mail.as_of))
        }
        Answer::Held => Known::Held,
        Answer::HeldAfterBackup => Known::Checking,
        Answer::Sending { .. } => Known::Sending,
        Answer::NotKnown | Answer::NotSentAssumed | Answer::Accepted(Basis::Assumed) => {
            Known::Unclear(tried)
        }
        Answer::Accepted(Basis::Service) => Known::Accepted(sent),
        Answer::Accepted(Basis::Person) => Known::Checked,
        Answer::Accepted(Basis::Imported) => Known::Imported,
        Answer::Delivered => delivery(DeliveryState::Delivered),
        Answer::Bounced => delivery(DeliveryState::Bounced),
        Answer::Complained => delivery(DeliveryState::Complained),
        // It may still turn up at the service: a person's word is not yet enough for a customer.
        Answer::NotSentByPerson if v.until.is_some() => Known::Unclear(tried),
        Answer::Refused | Answer::CalledOff if v.doubt.is_some() => Known::Unclear(tried),
        Answer::SafeToResend | Answer::NotSentByPerson => {
            let by_itself = !mail.row.held && matches!(mail.service, ServiceState::Ready { .. });
            let at = mail.next_attempt_at.as_ref();
            Known::NotAccepted(at.filter(|at| **at > mail.as_of && by_itself && !mail.idle))
        }
        Answer::Refused if mail.attempts.is_empty() => Known::Screened {
            // With a recipient that is fine by now, what was stored says what was not.
            address: mail
                .standing()
                .fault
                .or_else(|| Unsendable::parse(mail.error.as_deref()?))
                .is_some_and(|fault| fault.field() == "recipient"),
        },
        Answer::Refused => Known::Refused,
        Answer::CalledOff => Known::CalledOff,
    }
}

/// A reply in that language, ready to be pasted.
pub fn reply(lang: Lang, mail: &Mail) -> String {
    match lang {
        Lang::Ja => japanese(mail),
        Lang::En => english(mail),
    }
}

fn japanese(mail: &Mail) -> String {
    let time = |at: &Moment| {
        let text = (Lang::Ja.words().date_time)(at);
        match zone_label(at).as_str() {
            "JST" => text,
            zone => format!("{text}（{zone}）"),
        }
    };
    let kind = (Lang::Ja.words().kind)(&mail.row.kind)
        .map_or_else(|| "メール".to_owned(), |kind| format!("{kind}のメール"));
    let head = format!("ご注文 {} の{kind}", mail.row.order_id);
    let taken = |at: Option<&Moment>| match at {
        Some(at) => format!("{} にメール配信サービスへの受け渡しが完了し", time(at)),
        None => "メール配信サービスへの受け渡しが完了し".to_owned(),
    };
    let spam = "迷惑メールのフォルダーもご確認ください。";
    let sorry = "ご不便をおかけし、申し訳ございません。";
    let later = "確認のうえ、改めてご連絡いたします。";
    let address = "お手数ですが、メールアドレスをご確認のうえ、お知らせください。";
    match known(mail) {
        Known::Waiting(Some(at)) => format!(
            "{head}は、{} 以降にお送りする予定です。まだお送りしておりません。",
            time(at)
        ),
        Known::Waiting(None) => format!(
            "{head}は、まだお送りしておりません。順にお送りしておりますので、いましばらくお待ちください。"
        ),
        Known::Delayed => {
            format!("{head}は、まだお送りしておりません。お待たせして申し訳ございません。{later}")
        }
        Known::Held => format!(
            "{head}は、まだお送りしておりません。お送りする前の確認をしております。お待たせして申し訳ございません。{later}"
        ),
        Known::Checking => format!(
            "{head}は、お送りできているかどうかを、ただいま確認しております。お待たせして申し訳ございません。確認できましたら、改めてご連絡いたします。"
        ),
        Known::Sending => format!("{head}は、ただいまお送りする手続きをしております。"),
        Known::Unclear(at) => {
            let tried = at.map_or_else(String::new, |at| {
                format!("{} にお送りする手続きをいたしましたが、", time(at))
            });
            format!(
                "{head}は、{tried}メール配信サービスへの受け渡しが完了したかどうかを、まだ確認できておりません。ご心配をおかけし、申し訳ございません。確認できましたら、改めてご連絡いたします。"
            )
        }
        Known::Accepted(at) => format!(
            "{head}は、{}ております。お客様のメールサーバーへの配信は、まだ確認できておりません。{spam}",
            taken(at)
        ),
        Known::Checked => format!(
            "{head}は、メール配信サービスへの受け渡しが完了していることを、担当者が確認しております。お客様のメールサーバーへの配信は、まだ確認できておりません。{spam}"
        ),
        Known::Imported => format!(
            "{head}は、以前のシステムの記録では、メール配信サービスへの受け渡しが完了しております。お客様のメールサーバーへの配信は、確認できておりません。{spam}"
        ),
        Known::Delivery(state, sent, at) => {
            let at = at.map_or_else(String::new, |at| format!("{} に", time(at)));
            let taken = taken(sent);
            match state {
                DeliveryState::Delivered => format!(
                    "{head}は、{taken}、{at}お客様のメールサーバーへの配信を確認しております。お手元に見当たらないときは、{spam}"
                ),
                DeliveryState::Bounced => format!(
                    "{head}は、{taken}ましたが、{at}お客様のメールサーバーに届かなかったとの通知を受けております。{sorry}{address}"
                ),
                DeliveryState::Complained => format!(
                    "{head}は、{taken}ておりますが、{at}迷惑メールとして扱われたとの通知を受けております。お手元に見当たらないときは、{spam}"
                ),
            }
        }
        Known::NotAccepted(Some(at)) => format!(
            "{head}は、まだお送りできておりません。{sorry}{} ごろに、自動でもう一度お送りします。",
            time(at)
        ),
        Known::NotAccepted(None) => {
            format!("{head}は、お客様にお送りできておりません。{sorry}{later}")
        }
        Known::Refused => format!(
            "{head}は、宛先または内容を理由に受け付けられず、お送りできておりません。{sorry}{address}"
        ),
        Known::Screened { address: true } => format!(
            "{head}は、宛先に送れないところがあり、お送りできておりません。{sorry}{address}"
        ),
        Known::Screened { address: false } => format!(
            "{head}は、当方で用意した内容に送れないところがあり、お送りできておりません。{sorry}{later}"
        ),
        Known::CalledOff => format!(
            "{head}は、お送りする前に送信を取りやめたため、お届けしておりません。申し訳ございませんが、ご入用でしたらお申し付けください。"
        ),
    }
}

fn english(mail: &Mail) -> String {
    let time = |at: &Moment| (Lang::En.words().date_time)(at);
    let kind = (Lang::En.words().kind)(&mail.row.kind).map_or_else(
        || "The mail".to_owned(),
        |kind| format!("The mail “{kind}”"),
    );
    let head = format!("{kind} for your order {}", mail.row.order_id);
    let taken = |at: Option<&Moment>| match at {
        Some(at) => format!("was accepted by our mail service on {}", time(at)),
        None => "was accepted by our mail service".to_owned(),
    };
    let spam = "Please look in your spam folder as well.";
    match known(mail) {
        Known::Waiting(Some(at)) => format!(
            "{head} has not been sent yet. It is due to go out from {}.",
            time(at)
        ),
        Known::Waiting(None) => {
            format!("{head} has not been sent yet. It is waiting for its turn.")
        }
        Known::Delayed => format!(
            "{head} has not been sent yet. We are sorry for the delay, and will write again."
        ),
        Known::Held => format!(
            "{head} has not been sent yet. We are sorry for the delay: we are checking it before it goes out, and will write again."
        ),
        Known::Checking => format!(
            "{head}: we are just checking whether it was sent. We are sorry for the delay, and will write again as soon as we know."
        ),
        Known::Sending => format!("{head} is just being handed to our mail service."),
        Known::Unclear(at) => {
            let tried = at.map_or_else(String::new, |at| {
                format!("was being handed to our mail service on {}, but ", time(at))
            });
            let we = if tried.is_empty() { ": " } else { " " };
            format!(
                "{head}{we}{tried}we cannot confirm yet whether the service accepted it. We are sorry for the trouble, and will write again as soon as we know."
            )
        }
        Known::Accepted(at) => format!(
            "{head} {}. Its delivery to your mail server has not been confirmed yet. {spam}",
            taken(at)
        ),
        Known::Checked => format!(
            "{head} was accepted by our mail service, as our staff have checked. Its delivery to your mail server has not been confirmed yet. {spam}"
        ),
        Known::Imported => format!(
            "{head} was accepted by a mail service, according to the records of our earlier system. Its delivery to your mail server has not been confirmed. {spam}"
        ),
        Known::Delivery(state, sent, at) => {
            let at = at.map_or_else(String::new, |at| format!(" on {}", time(at)));
            let taken = taken(sent);
            match state {
                DeliveryState::Delivered => format!(
                    "{head} {taken}, and its delivery to your mail server was confirmed{at}. If it is not in your inbox, please look in your spam folder."
                ),
                DeliveryState::Bounced => format!(
                    "{head} {taken}, but we were told{at} that your mail server did not take it. We are sorry for the trouble. Please check your address and let us know."
                ),
                DeliveryState::Complained => format!(
                    "{head} {taken}, but we were told{at} that it was treated as spam. If it is not in your inbox, please look in your spam folder."
                ),
            }
        }
        Known::NotAccepted(Some(at)) => format!(
            "{head} has not reached you yet. We are sorry for the delay; it will be sent once more, automatically, around {}.",
            time(at)
        ),
        Known::NotAccepted(None) => format!(
            "{head} could not be sent, so it has not reached you. We are sorry for the trouble; we will look into it and write again."
        ),
        Known::Refused => format!(
            "{head} could not be sent: it was refused for its recipient or its content. We are sorry for the trouble. Please check your address and let us know."
        ),
        Known::Screened { address: true } => format!(
            "{head} could not be sent, because of its address. We are sorry for the trouble. Please check your address and let us know."
        ),
        Known::Screened { address: false } => format!(
            "{head} could not be sent, because of a mistake of ours in it. We are sorry for the trouble; we will look into it and write again."
        ),
        Known::CalledOff => format!(
            "{head} was not sent: we stopped it before it left. We are sorry; please let us know if you need it."
        ),
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
