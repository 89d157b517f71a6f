//! Japanese: one mail, what needs checking, and what came of an act.

use super::isolate;
use super::ja::{WORDS, status, when};
use super::ja_cause::cause;
use super::ja_line::{stop, stop_note};
use super::ja_plan::{plan, why};
use super::numbers::service;
use super::{MailWords, StuckWords};
use crate::model::verdict::{Answer, Basis, Known, Next, Verdict};
use crate::model::views::{Case, Cause, Mail, Notice, NoticeKind, Outcome, ServiceState};
use crate::model::{DeliveryState, HeldBy, Status};

pub(super) const MAIL: MailWords = MailWords {
    title: |order| format!("注文 {}", isolate(order)),
    kind: "種類",
    copy: "控え",
    occasion: "回",
    to: "宛先",
    subject: "件名",
    from: "差出人",
    reply_to: "返信先",
    attempts: "送信回数",
    attempts_of: |mail| {
        let n = mail.row.attempts;
        if mail.status == Status::Failed && n >= mail.max_attempts {
            format!("{n}（自動の送信は上限の{}回まで）", mail.max_attempts)
        } else {
            n.to_string()
        }
    },
    decided: "決定",
    accepted: "受付",
    not_accepted: "受け付けられていません",
    accepted_unknown: "まだわかりません",
    delivered: |state| match state {
        Some(DeliveryState::Bounced) => "不達",
        Some(DeliveryState::Complained) => "苦情",
        Some(DeliveryState::Delivered) | None => "配信",
    },
    not_before: "送信の予定",
    held_by: "保留したのは",
    holder: |by| match by {
        HeldBy::Hold => "管理者（denpyo hold）",
        HeldBy::Installation => "自動（復元・複製のあと）",
        HeldBy::Age => "自動（期間の超過）",
    },
    held: "保留の理由",
    error: "原因",
    duplicate: "二重に届いたおそれがあります。新しい送信の途中で、前の送信が受け付けられていたとわかりました。お客様に確かめてください。",
    answer,
    known,
    next,
    doubt: |n| {
        format!(
            "{n}回目の送信が受け付けられたかどうかは、わかっていません。届いていた場合、再送すると二重になります。"
        )
    },
    plan,
    judged: |m| format!("{} の判定です。", m.clock()),
    resend: "再送する",
    resending: "再送中…",
    check: "要確認で答える",
    refresh: "最新の状態を表示する",
    timeline: "経過",
    stop,
    stop_note,
    cause,
    quoted: |text| format!("サービスの返事：{text}"),
    numbered: |provider, id| format!("{}：{id}", (WORDS.mail.provider_id)(provider)),
    recorded: |text| format!("記録された内容：{}", cause(text)),
    body: "お客様に届く文面",
    no_body: "文面は保存されていません。",
    others: "この注文のほかのメール",
    other_columns: ["種類", "状態", "決定"],
    ids: "番号",
    mail_id: "メールID",
    provider_id: |provider| match provider {
        Some(p) => format!("{} の番号", service(p)),
        None => "サービスの番号".into(),
    },
    no_provider_id: "ありません",
    copy_button: "写す",
    copy_what: |what| format!("{what}を写す"),
    copied: "写しました",
};

pub(super) const STUCK: StuckWords = StuckWords {
    title: "要確認",
    count: |n| format!("{n}件。古い順。受け付けられたかどうか、まだ言えないメールです。"),
    shown: |shown, total| {
        format!("{total}件のうち、古い{shown}件を表示しています。答えると次が表示されます。")
    },
    none: "確認が必要なメールはありません。",
    none_help: "送信の途中で応答が途絶えたメールがあると、ここに表示されます。",
    since: |time| format!("{time} から"),
    why: "ここにある理由",
    why_text,
    next: "次に Denpyo がすること",
    how_head: "確かめ方",
    how: |attempt| match attempt {
        Some(a) => format!(
            "{} の管理画面で宛先と時刻から探すか、お客様にうかがってください。",
            service(&a.provider)
        ),
        None => "送信サービスの管理画面で宛先と時刻から探すか、お客様にうかがってください。".into(),
    },
    sent: "送信されていた",
    not_sent: "送信されていなかった",
    sent_note: "確定すると「送信済み」になり、このメールは再送できなくなります。",
    not_sent_note: "確定すると「未達・再送可」になり、再送できるようになります。実は届いていた場合、再送すると二重に届きます。",
    sent_example: "例：お客様から、届いているとお電話でうかがいました。",
    not_sent_example: "例：送信サービスの管理画面に、この宛先への送信がありませんでした。",
    confirm_sent: "送信済みと確定する",
    confirm_not_sent: "未達と確定する",
};

fn answer(verdict: &Verdict, mail: &Mail) -> String {
    match verdict.answer {
        Answer::WaitingToSend => match mail.not_before {
            _ if mail.service == ServiceState::None => {
                "まだ送られていません。メールサービスが設定されるまで送りません。".into()
            }
            _ if matches!(mail.service, ServiceState::Paused { .. }) => {
                "まだ送られていません。送信が再開すると自動で送ります。".into()
            }
            Some(at) if at > mail.as_of => {
                format!(
                    "まだ送られていません。{} 以降に自動で送ります。",
                    when(&at, &mail.as_of)
                )
            }
            _ => "まだ送られていません。順番が来ると自動で送ります。".into(),
        },
        Answer::Held => match mail.held_by {
            Some(HeldBy::Age) => {
                "まだ送られていません。決定から時間がたちすぎたため、保留しています。"
            }
            Some(HeldBy::Installation) => {
                "まだ送られていません。データベースの復元か複製のあとのため、保留しています。"
            }
            Some(HeldBy::Hold) | None => {
                "まだ送られていません。保留されているため、送信もされません。"
            }
        }
        .into(),
        Answer::Sending { until } => {
            format!(
                "送信中です。{} まで待ってください。",
                when(&until, &mail.as_of)
            )
        }
        Answer::NotKnown => "送られたかどうか、わかりません。".into(),
        Answer::Accepted(Basis::Service) => {
            "送信サービスが受け付けています。相手に届いたかどうかは、まだわかりません。".into()
        }
        Answer::Accepted(Basis::Person) => "人が確かめ、「送信されていた」と答えています。".into(),
        Answer::Accepted(Basis::Assumed) => {
            "受け付けられたかは不明です。設定により「送信済み」とみなしています。".into()
        }
        Answer::Accepted(Basis::Imported) => {
            "移行前のシステムで「送信済み」だったメールです。".into()
        }
        Answer::Delivered => "送信済みです。相手のメールサーバーにも届いています。".into(),
        Answer::Bounced => {
            "送信サービスは受け付けましたが、相手のメールサーバーには届きませんでした。".into()
        }
        Answer::Complained => "届きましたが、受け取った方が迷惑メールとして報告しました。".into(),
        Answer::SafeToResend => "受け付けられていません。再送しても二重には届きません。".into(),
        Answer::NotSentByPerson => {
            "人が確かめ、「送信されていなかった」と答えています。再送できます。".into()
        }
        Answer::NotSentAssumed => {
            "受け付けられたかは不明です。再送できますが、二重に届くおそれがあります。".into()
        }
        Answer::Refused => "受け付けを断られました。宛先か内容に原因があります。".into(),
        Answer::CalledOff => "送信は取りやめになりました。".into(),
    }
}

fn times(first: i32, last: i32) -> String {
    match last - first {
        0 => format!("{first}回目"),
        1 => format!("{first}・{last}回目"),
        _ => format!("{first}〜{last}回目"),
    }
}

fn known(known: &Known) -> String {
    match known {
        Known::Attempts {
            first,
            last,
            outcome,
            cause,
            code,
            provider,
        } => {
            let n = times(*first, *last);
            let p = service(provider);
            let code = code.map(|c| format!("（{c}）")).unwrap_or_default();
            match outcome {
                None => format!("{n}は結果がまだ記録されていません"),
                Some(Outcome::Accepted) => format!("{n}を {p} が受け付けました{code}"),
                Some(Outcome::NeverLeft) => match cause {
                    Some(Cause::Build) => {
                        format!("{n}は送る形に組み立てられず、何も送っていません")
                    }
                    Some(Cause::Fault) => {
                        format!("{n}はプログラムの不具合で止まり、何も送っていません")
                    }
                    _ => format!("{n}は接続できず、何も送っていません"),
                },
                Some(Outcome::Temporary) => {
                    format!("{n}は {p} が「いまは受け付けられない」と断りました{code}")
                }
                Some(Outcome::Refused) => format!("{n}を {p} が断りました{code}"),
                Some(Outcome::Account) => {
                    format!("{n}は {p} がアカウントを理由に断りました{code}")
                }
                Some(Outcome::Unknown) => match cause {
                    Some(Cause::Timeout) => format!("{n}は送ったあと応答がありませんでした"),
                    Some(Cause::Cut) => format!("{n}は送ったあと接続が切れました"),
                    Some(Cause::Vanished) => {
                        format!("{n}は送信プロセスが結果を残さずに止まりました")
                    }
                    Some(Cause::Fault) => {
                        format!("{n}はプログラムの不具合で止まり、受け付けられたか不明です")
                    }
                    _ => format!("{n}は受け付けられたか不明です{code}"),
                },
                Some(Outcome::Released) => format!("{n}は何も送らずに取り消しました"),
            }
        }
        Known::LateAccepted(Some(n)) => format!("遅れて届いた返事で、{n}回目の受け付けを確認"),
        Known::LateAccepted(None) => "遅れて届いた返事で、受け付けを確認".into(),
        Known::LookupFound(Some(n)) => format!("照会して、{n}回目の受け付けを確認"),
        Known::LookupFound(None) => "照会して、受け付けを確認".into(),
        Known::LookupNo(Some(n)) => {
            format!("照会して、{n}回目が受け付けられていないことを確認")
        }
        Known::LookupNo(None) => "照会して、受け付けられていないことを確認".into(),
        Known::LookupNotYet(_) => "照会したが、まだ見つからない".into(),
        Known::LookupUnclear(reason) => {
            format!("照会したが、{}ため、わからない", why(*reason))
        }
        Known::EventAccepted(Some(n)) => format!("通知で、{n}回目の受け付けを確認"),
        Known::EventAccepted(None) => "通知で、受け付けを確認".into(),
        Known::Screened => "送る前の検査で、宛先か内容が送れない形とわかりました".into(),
        Known::Person { name, sent: true } => format!("{name} さんが「送信されていた」と回答"),
        Known::Person { name, sent: false } => {
            format!("{name} さんが「送信されていなかった」と回答")
        }
        Known::CalledOff(name) => format!("{name} さんが取りやめ"),
        Known::Delivery(DeliveryState::Delivered) => "配信の通知を受信".into(),
        Known::Delivery(DeliveryState::Bounced) => "不達の通知を受信".into(),
        Known::Delivery(DeliveryState::Complained) => "迷惑メールの報告を受信".into(),
    }
}

fn next(verdict: &Verdict, mail: &Mail) -> String {
    match verdict.next {
        Next::Resend { attempt, by_itself: Some(at) } if at > mail.as_of => format!(
            "すぐに{attempt}回目として送ります。押さなくても {} に自動で再送します。",
            when(&at, &mail.as_of)
        ),
        Next::Resend { attempt, .. } if verdict.answer == Answer::Refused => {
            format!("{attempt}回目として同じ内容で送ります。原因が残っていると、また断られます。")
        }
        Next::Resend { attempt, .. } => format!("すぐに{attempt}回目として送ります。"),
        Next::NeedsChange if mail.standing().correct().is_ok() => {
            "このままでは送れません。宛先を直すと、送れます。".into()
        }
        Next::NeedsChange => "この内容のままでは送れないため、再送できません。".into(),
        Next::Release => match mail.status {
            Status::Pending => "保留を解くと、自動で送ります。",
            Status::Failed if mail.next_attempt_at.is_some() => {
                "保留されているため、再送できません。保留を解くと、自動で再送します。"
            }
            _ => "保留されているため、再送できません。保留を解くと、再送できるようになります。",
        }
        .into(),
        Next::NeedsService => "メールサービスが設定されていないため、再送できません。管理者に伝えてください。".into(),
        Next::Check => "いま再送すると、二重に届くおそれがあります。先に、送信されていたかどうかを確かめてください。".into(),
        Next::Wait if mail.status == Status::Pending => "自動で送るため、操作はいりません。".into(),
        Next::Wait => "いま再送すると、二重に届くおそれがあります。".into(),
        Next::WouldDouble => match verdict.answer {
            Answer::Accepted(Basis::Assumed) => "届いている場合に二重になるため、再送はできません。".into(),
            _ => "同じメールが2通届くため、再送はできません。".into(),
        },
        Next::Nothing => match verdict.answer {
            Answer::Bounced => "同じ宛先に再送しても届かないため、再送はできません。宛先をお客様に確かめ、控えを送ってください。".into(),
            Answer::Complained => "この方への再送はできません。".into(),
            _ => "取りやめたメールは再送できません。".into(),
        },
    }
}

fn why_text(case: &Case) -> String {
    let n = case.row.attempts;
    match case.attempt.as_ref().map(|a| (a.outcome, a.cause)) {
        Some((Some(Outcome::Unknown), Some(Cause::Timeout))) => {
            format!(
                "{n}回目の送信で、送ったあと応答がありませんでした。受け付けられたかは不明です。"
            )
        }
        Some((Some(Outcome::Unknown), Some(Cause::Cut))) => {
            format!("{n}回目の送信で、送ったあと接続が切れました。受け付けられたかは不明です。")
        }
        Some((Some(Outcome::Unknown), Some(Cause::Fault))) => format!(
            "{n}回目の送信中に、プログラムの不具合で止まりました。受け付けられたかは不明です。"
        ),
        Some((Some(Outcome::Unknown), Some(Cause::Vanished)) | (None, _)) => match &case.attempt {
            Some(a) => format!(
                "{n}回目の送信中に {} が止まりました。送ったかどうかの記録がありません。",
                a.worker
            ),
            None => format!("{n}回目の送信の記録がありません。"),
        },
        _ => match case.attempt.as_ref().and_then(|a| Some((a, a.code?))) {
            Some((a, code)) => format!(
                "{n}回目の送信で、{} が {code} と返しました。受け付けられたかは不明です。",
                service(&a.provider)
            ),
            None => format!("{n}回目の送信の結果がわからないままです。"),
        },
    }
}

pub(super) fn notice(notice: &Notice) -> String {
    let at = notice
        .at
        .map(|m| format!("{} に ", m.clock()))
        .unwrap_or_default();
    let order = isolate(&notice.order_id);
    let by = notice.by.as_deref().map(isolate);
    // Who was first, and when.
    let first = match (&by, notice.attempt) {
        (Some(by), Some(n)) => format!("{at}{by} さんが再送しています（{n}回目）。"),
        (Some(by), None) => format!("{at}{by} が先に更新しています。"),
        (None, _) => String::new(),
    };
    if let Some(text) = super::ja_agent::notice(notice) {
        return text;
    }
    match notice.what {
        NoticeKind::Resent => match notice.attempt {
            Some(n) => format!("注文 {order} の再送を始めました。{n}回目の送信です。"),
            None => format!("注文 {order} の再送を始めました。"),
        },
        NoticeKind::ConfirmedSent => format!(
            "注文 {order} を「{}」と確定しました。",
            status(Status::Synced)
        ),
        NoticeKind::ConfirmedNotSent => {
            format!(
                "注文 {order} を「{}」と確定しました。再送できます。",
                status(Status::Failed)
            )
        }
        NoticeKind::Changed => match (&by, notice.attempt) {
            (Some(by), Some(_)) => {
                format!("{at}{by} さんが再送済みです。最新の状態を表示しました。")
            }
            (Some(by), None) => {
                format!("{at}{by} が先に更新しています。最新の状態を表示しました。")
            }
            (None, _) => {
                format!("{at}ほかの操作で先に更新されています。最新の状態を表示しました。")
            }
        },
        NoticeKind::InFlight => format!(
            "{first}注文 {order} は送信中か、結果がまだわかっていません。二重に届くおそれがあるため、再送しませんでした。"
        ),
        NoticeKind::AlreadyAccepted => {
            format!(
                "{first}注文 {order} は、もう送信サービスが受け付けています。再送しませんでした。"
            )
        }
        NoticeKind::CalledOff => {
            format!("{first}注文 {order} は取りやめになっています。再送しませんでした。")
        }
        NoticeKind::StillWaiting => {
            format!("注文 {order} は送信待ちで、自動で送ります。再送しませんでした。")
        }
        NoticeKind::Held => format!("注文 {order} は保留されています。再送しませんでした。"),
        NoticeKind::Released => format!("注文 {order} の保留を解きました。"),
        NoticeKind::NotHeld => match &by {
            Some(by) => format!(
                "{at}{by} さんが注文 {order} の保留を解いています。最新の状態を表示しました。"
            ),
            None => format!("注文 {order} はもう保留されていません。最新の状態を表示しました。"),
        },
        NoticeKind::NoService => {
            "メールサービスが設定されていないため、再送しませんでした。管理者に伝えてください。"
                .into()
        }
        NoticeKind::LeaseAlive => format!(
            "注文 {order} はまだ送信中で、返事が届くかもしれません。答えは記録しませんでした。少し待ってから、もう一度お試しください。"
        ),
        NoticeKind::ReasonMissing => WORDS.reason.missing.into(),
        NoticeKind::BadRecipient => "宛先の形が正しくありません。再送しませんでした。".into(),
        NoticeKind::BadContent => {
            "メールの内容に送れないものが含まれています。再送しませんでした。".into()
        }
        // Said above.
        _ => String::new(),
    }
}
