//! Japanese: one mail, what needs checking, and what came of an act.

use super::isolate;
use super::ja::{WORDS, status, when};
use super::ja_cause::cause;
use super::ja_line::{changed, did, sending, service, stop, stop_note, tight};
use super::ja_list::age;
use super::ja_plan::plan;
use super::ja_proof::known;
use super::numbers::grouped;
use super::{MailWords, StuckWords};
use crate::model::service::is_mail_server;
use crate::model::verdict::{Answer, Basis, Next, Verdict, in_doubt, sender_at_fault};
use crate::model::views::{Case, Cause, Mail, Notice, NoticeKind, Outcome, ServiceState};
use crate::model::{DeliveryState, HeldBy, Status};

pub(super) const MAIL: MailWords = MailWords {
    title: |order| format!("注文 {}", isolate(order)),
    kind: "種類",
    copy: "区分",
    occasion: "用件",
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
    decided: "登録",
    accepted: "受付",
    not_accepted: "受け付けられていません",
    accepted_unknown: "まだわかりません",
    accepted_by_person: "時刻は不明（担当者が確定）",
    delivered: |state| match state {
        Some(DeliveryState::Bounced) => "不達",
        Some(DeliveryState::Complained) => "迷惑メール報告",
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
    too_complex: "このメールの HTML は、大きすぎるか入れ子が深すぎるため、ここには表示できません。",
    judged: |m| format!("{} 時点の判定です。", m.clock()),
    resend: |attempts| {
        if attempts == 0 {
            "送信する"
        } else {
            "再送する"
        }
    },
    resending: |attempts| {
        if attempts == 0 {
            "送信中…"
        } else {
            "再送中…"
        }
    },
    check: "確認の結果を答える",
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
    other_columns: ["種類", "状態", "登録"],
    ids: "番号",
    mail_id: "メールID",
    provider_id: |provider| match provider {
        Some(p) if is_mail_server(p) => "メールサーバーの ID".into(),
        Some(p) => format!("{} の ID", service(p)),
        None => "送信サービスの ID".into(),
    },
    no_provider_id: |mail| {
        if in_doubt(mail) {
            "まだわかりません"
        } else if mail.status == Status::Synced {
            "わかりません"
        } else {
            "ありません"
        }
    },
    copy_button: "コピー",
    copy_what: |what| format!("{what}をコピー"),
    copied: "コピーしました",
};

pub(super) const STUCK: StuckWords = StuckWords {
    title: "要確認",
    count: |n| format!("{n}件。古い順。受け付けられたかどうか、まだわからないメールです。"),
    shown: |shown, total| {
        format!("{total}件のうち、古い{shown}件を表示しています。答えると次が表示されます。")
    },
    ages: "送信を始めてからの時間",
    every_age: "すべて",
    age,
    none_of_age: "この経過時間の要確認はありません。",
    see_all: |n| format!("要確認をすべて見る（{}件）", grouped(n)),
    none: "確認が必要なメールはありません。",
    none_help: "送信の途中で応答が途絶えたメールがあると、ここに表示されます。",
    settled: "確認は済みました。結果は、注文番号からメールを開いてご覧ください。",
    since: |time| format!("{time} から"),
    why: "確認が必要な理由",
    why_text,
    next: "このあとの自動処理",
    how_head: "確かめ方",
    how: |attempt| {
        match attempt {
        Some(a) if is_mail_server(&a.provider) => {
            "メールサーバーのログを見られる人に、次の Message-ID で探してもらうか、お客様にうかがってください。".into()
        }
        Some(a) => format!(
            "{} の管理画面を見られる人に、宛先と時刻から探してもらうか、お客様にうかがってください。",
            service(&a.provider)
        ),
        None => "送信サービスの管理画面を見られる人に、宛先と時刻から探してもらうか、お客様にうかがってください。".into(),
    }
    },
    reason_note: "必須。どうやって確かめたかを書いてください。操作の記録に残ります。",
    sent: "送信されていた",
    not_sent: "送信されていなかった",
    sent_note: "確定すると「送信済み」になり、このメールは再送できなくなります。",
    not_sent_note: "確定すると「未達・再送可」になり、再送できるようになります。実は届いていた場合、再送すると二重に届きます。",
    sent_example: "例：お客様から、届いているとお電話でうかがいました。",
    not_sent_example: |attempt| match attempt {
        Some(a) if is_mail_server(&a.provider) => {
            "例：メールサーバーのログに、この Message-ID がありませんでした。"
        }
        _ => "例：送信サービスの管理画面に、この宛先への送信がありませんでした。",
    },
    confirm_sent: "送信済みと確定する",
    confirm_not_sent: "未達と確定する",
};

fn answer(verdict: &Verdict, mail: &Mail) -> String {
    match verdict.answer {
        Answer::WaitingToSend => match mail.not_before {
            _ if mail.service == ServiceState::None => {
                "まだ送られていません。送信サービスが設定されるまで送りません。".into()
            }
            _ if mail.idle => {
                "まだ送られていません。動いている送信プロセスがないため、動き出すまで送りません。".into()
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
        Answer::Held => "まだ送られていません。登録から時間がたちすぎたため、保留しています。".into(),
        Answer::HeldAfterBackup => match mail.held_by {
            Some(HeldBy::Installation) => {
                "データベースの復元か複製のあとのため、保留しています。バックアップのあとに送信されていたかどうかは、ここではわかりません。"
            }
            _ => {
                "管理者が保留しています。データベースを復元したあとの保留であれば、バックアップのあとに送信されていたかどうかは、ここではわかりません。"
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
        Answer::Accepted(Basis::Person) => {
            "担当者が確かめ、「送信されていた」と答えています。".into()
        }
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
            "担当者が確かめ、「送信されていなかった」と答えています。再送できます。".into()
        }
        Answer::NotSentAssumed => {
            "受け付けられたかは不明です。再送できますが、二重に届くおそれがあります。".into()
        }
        Answer::Refused if mail.attempts.is_empty() => {
            "送っていません。送る前の検査で、送れないところが見つかりました。".into()
        }
        Answer::Refused => "受け付けを断られました。宛先か内容に原因があります。".into(),
        Answer::CalledOff => "送信は取りやめになりました。".into(),
    }
}

fn next(verdict: &Verdict, mail: &Mail) -> String {
    match verdict.next {
        Next::Resend { attempt, by_itself: Some(at) } if at > mail.as_of && !mail.idle => format!(
            "すぐに{attempt}回目として送ります。押さなくても {} に自動で再送します。",
            when(&at, &mail.as_of)
        ),
        Next::Resend { attempt, .. } if verdict.answer == Answer::Refused => format!(
            "{attempt}回目として送ります。宛先が誤っているときは、直してから送ってください。同じ内容のまま再送すると、原因が残っているかぎり、また断られます。"
        ),
        Next::Resend { attempt, .. } => format!("すぐに{attempt}回目として送ります。"),
        Next::NeedsChange if mail.standing().correct().is_ok() => {
            "このままでは送れません。宛先を直すと、送れます。".into()
        }
        Next::NeedsChange if sender_at_fault(mail) => {
            "差出人の設定に問題があるため、再送できません。管理者に伝えてください。".into()
        }
        Next::NeedsChange => "この内容のままでは送れないため、再送できません。".into(),
        Next::Release if mail.after_backup() => {
            "保留を解く前に、すでに送られていないかどうかを、送信サービスの記録を見られる人に確かめてもらってください。".into()
        }
        Next::Release => match mail.status {
            Status::Pending => "保留を解くと、自動で送ります。",
            Status::Failed if mail.next_attempt_at.is_some() => {
                "保留されているため、再送できません。保留を解くと、自動で再送します。"
            }
            _ => "保留されているため、再送できません。保留を解くと、再送できるようになります。",
        }
        .into(),
        Next::NeedsService => "送信サービスが設定されていないため、再送できません。管理者に伝えてください。".into(),
        Next::Check => "いま再送すると、二重に届くおそれがあります。先に、送信されていたかどうかを確かめてください。".into(),
        Next::Wait if mail.idle && mail.status == Status::Pending => "送信プロセスが動いているかどうか、管理者に確かめてください。".into(),
        Next::Wait if mail.status == Status::Pending => "自動で送るため、操作はいりません。".into(),
        Next::Wait => "いま再送すると、二重に届くおそれがあります。".into(),
        Next::WouldDouble => match verdict.answer {
            Answer::Accepted(Basis::Assumed) => "届いている場合に二重になるため、再送はできません。".into(),
            _ => "同じメールが2通届くため、再送はできません。".into(),
        },
        Next::Nothing => match verdict.answer {
            Answer::Bounced => "同じ宛先に再送しても届かないため、再送はできません。宛先をお客様に確かめ、控えを送ってください。".into(),
            Answer::Complained => "この方には、再送も控えの送信もできません。ご用件は、お電話など別の方法でお伝えください。".into(),
            _ => "取りやめたメールは再送できません。やはり必要なときは、別のメールとして登録してもらえるかどうか、管理者に相談してください。".into(),
        },
    }
}

fn why_text(case: &Case) -> String {
    tight(&why_here(case))
}

fn why_here(case: &Case) -> String {
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
    let by = notice.by.as_deref();
    // Who was first, and when.
    let first = match (by, notice.attempt) {
        (Some(by), Some(n)) => format!("{at}{}（{n}回目）。", sending(by, n)),
        (Some(by), None) => format!("{at}{}。", changed(by)),
        (None, _) => String::new(),
    };
    if let Some(text) = super::ja_agent::notice(notice) {
        return text;
    }
    match notice.what {
        NoticeKind::Resent => match notice.attempt {
            Some(1) => format!("注文 {order} の送信を始めました。"),
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
        NoticeKind::Changed => match (by, notice.attempt) {
            (Some(by), Some(1)) => {
                format!("{at}{}。最新の状態を表示しました。", sending(by, 1))
            }
            (Some(by), Some(_)) => {
                let did = did(by, "再送済みです", "再送済みです");
                format!("{at}{did}。最新の状態を表示しました。")
            }
            (Some(by), None) => {
                format!("{at}{}。最新の状態を表示しました。", changed(by))
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
        NoticeKind::NotHeld => match by {
            Some(by) => {
                let did = did(
                    by,
                    &format!("注文 {order} の保留を解いています"),
                    &format!("注文 {order} の保留が解かれています"),
                );
                format!("{at}{did}。最新の状態を表示しました。")
            }
            None => format!("注文 {order} はもう保留されていません。最新の状態を表示しました。"),
        },
        NoticeKind::NoService => {
            "送信サービスが設定されていないため、再送しませんでした。管理者に伝えてください。"
                .into()
        }
        NoticeKind::LeaseAlive => format!(
            "注文 {order} はまだ送信中で、返事が届くかもしれません。答えは記録しませんでした。少し待ってから、もう一度お試しください。"
        ),
        NoticeKind::ReasonMissing => WORDS.reason.missing.into(),
        NoticeKind::BadRecipient => "宛先の形式が正しくありません。再送しませんでした。".into(),
        NoticeKind::BadContent => {
            "メールの内容に送れないものが含まれています。再送しませんでした。".into()
        }
        // Said above.
        _ => String::new(),
    }
}
