//! Japanese: a support agent's acts on one mail.

use super::ja::{WORDS, when};
use super::ja_line::{changed, did};
use super::{AddressWords, AgentWords, FormWords, ReplyWords, isolate};
use crate::model::Status;
use crate::model::service::is_mail_server;
use crate::model::unsendable::Unsendable;
use crate::model::views::{Mail, Notice, NoticeKind};

pub(super) const AGENT: AgentWords = AgentWords {
    early: |until, today, went_to| {
        format!(
            "{} まで待ってください。それまでは、{}にあとから現れることがあります。いまないだけでは、送信されていなかったとは言えません。",
            when(until, today),
            records(went_to)
        )
    },
    until: |until, today, went_to| {
        format!(
            "{} までは、{}にあとから現れることがあります。",
            when(until, today),
            records(went_to)
        )
    },
    address: AddressWords {
        correct: "正しい宛先",
        copy: "宛先",
        copy_hint: "空のままなら、元のメールと同じ宛先に送ります。",
        tidied: |address| format!("余分な文字を除き、この宛先に送ります：{address}"),
        fault: |fault| (WORDS.mail.cause)(&Unsendable::RecipientBad(fault).to_string()),
        place: "この文字です：",
    },
    correct: FormWords {
        open: "宛先を直して送る",
        note: |mail| {
            format!(
                "すぐに{}回目として、直した宛先に送ります。直す前の宛先も経過に残ります。",
                mail.row.attempts + 1
            )
        },
        reason_note: "必須。どうやって正しい宛先を知ったかを書いてください。操作の記録に残ります。",
        example: "例：お電話で正しい宛先をうかがいました。",
        confirm: |_| "この宛先に送る".into(),
    },
    copy: FormWords {
        open: "控えをもう1通送る",
        note: |mail| {
            let mails = match mail.with_one_more() {
                ..=1 => String::new(),
                n if mail.row.assumed => format!(
                    "実は送信されていた場合、お客様に届く同じメールは、あわせて{n}通になります。"
                ),
                n => format!("お客様に届く同じメールは、あわせて{n}通になります。"),
            };
            format!(
                "同じ内容のメールを、{}として別に送ります。元のメールはそのまま残ります。{mails}",
                (WORDS.copy)(mail.next_copy)
            )
        },
        reason_note: "必須。もう1通送る理由を書いてください。操作の記録に残ります。",
        example: "例：届いたメールを削除したので、もう一度送ってほしいとのことです。",
        confirm: |mail| format!("{}を送る", (WORDS.copy)(mail.next_copy)),
    },
    call_off: FormWords {
        open: "送信を取りやめる",
        note: |mail| {
            match mail.status {
                Status::Pending => {
                    "このメールは送られません。取りやめたあとで、元に戻すことはできません。"
                }
                _ => "このメールはもう再送されません。取りやめたあとで、元に戻すことはできません。",
            }
            .into()
        },
        reason_note: "必須。取りやめる理由を書いてください。操作の記録に残ります。",
        example: "例：ご注文が取り消されたため、お知らせは不要です。",
        confirm: |_| "取りやめる".into(),
    },
    reveal: FormWords {
        open: "宛先を表示する",
        note: |_| "10分のあいだ表示します。表示したことは経過に残ります。".into(),
        reason_note: "必須。宛先を見る理由を書いてください。操作の記録に残ります。",
        example: "例：お電話で、宛先を確かめたいとのことです。",
        confirm: |_| "表示する".into(),
    },
    typed: "入力していた内容（使っていません）",
    between: "",
    theirs: |to| format!("その控えの宛先は {} です。", isolate(to)),
    original: "原本を見る",
    reply: ReplyWords {
        title: "お客様への返信文",
        langs: ["日本語", "英語"],
        copy: ["日本語の返信文", "英語の返信文"],
    },
};

/// Where a person looks.
fn records(went_to: Option<&str>) -> &'static str {
    if went_to.is_some_and(is_mail_server) {
        "メールサーバーのログ"
    } else {
        "送信サービスの記録"
    }
}

/// What a person's act came to, where it is one of these.
pub(super) fn notice(notice: &Notice) -> Option<String> {
    let at = notice
        .at
        .map(|m| format!("{} に ", m.clock()))
        .unwrap_or_default();
    let order = isolate(&notice.order_id);
    let first = match (&notice.by, notice.attempt) {
        (Some(by), Some(_)) => format!("{at}{}。", did(by, "再送済みです", "再送済みです")),
        (Some(by), None) => format!("{at}{}。", changed(by)),
        (None, _) => String::new(),
    };
    let copy = notice
        .copy
        .map_or_else(|| "控え".into(), |(_, n)| (WORDS.copy)(n));
    Some(match notice.what {
        NoticeKind::Tidied => {
            "宛先から余分な文字を除きました。まだ送っていません。宛先を確かめて、もう一度押してください。"
                .into()
        }
        NoticeKind::Copied => format!("注文 {order} の{copy}の送信を受け付けました。"),
        NoticeKind::CopyTaken => match &notice.by {
            Some(by) => {
                let did = did(
                    by,
                    &format!("{copy}の送信を登録しています"),
                    &format!("{copy}の送信が登録されています"),
                );
                format!("{at}{did}。もう1通は送りませんでした。最新の状態を表示しました。")
            }
            None => "控えの番号が変わっています。送りませんでした。最新の状態を表示しました。".into(),
        },
        NoticeKind::NotAccepted => format!(
            "{first}注文 {order} は、まだ送信サービスに受け付けられていません。控えは送りませんでした。"
        ),
        NoticeKind::Complained => {
            "受け取った方が迷惑メールとして報告しています。控えは送りませんでした。".into()
        }
        NoticeKind::Canceled => format!("注文 {order} の送信を取りやめました。"),
        NoticeKind::TooLate => {
            format!("{first}取りやめませんでした。最新の状態を表示しました。")
        }
        NoticeKind::Revealed => "宛先を10分のあいだ表示します。表示したことを記録しました。".into(),
        _ => return None,
    })
}

/// What an act's stop on the time-line is called, where it is one of these.
pub(super) fn act(act: &crate::model::views::ActRecord, mail: &Mail) -> Option<String> {
    let name = &act.actor;
    Some(match (act.act.as_str(), act.copy) {
        ("copy", copy) if copy.is_none_or(|(id, _)| mail.row.id == id) => did(
            name,
            "この控えの送信を登録しました",
            "この控えの送信が登録されました",
        ),
        ("copy", Some((_, n))) => {
            let copy = (WORDS.copy)(n);
            did(
                name,
                &format!("{copy}の送信を登録しました"),
                &format!("{copy}の送信が登録されました"),
            )
        }
        ("reveal", _) => did(name, "宛先を表示しました", "宛先が表示されました"),
        ("resend", _) if act.to.is_some() => {
            did(name, "宛先を直して送りました", "宛先を直して送られました")
        }
        _ => return None,
    })
}
