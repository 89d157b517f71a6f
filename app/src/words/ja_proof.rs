//! Japanese: what a verdict rests on.

use super::ja_cause::cause;
use super::ja_line::{did, service, tight};
use super::ja_plan::why;
use crate::model::DeliveryState;
use crate::model::verdict::Known;
use crate::model::views::{Cause, Outcome};

fn times(first: i32, last: i32) -> String {
    match last - first {
        0 => format!("{first}回目"),
        1 => format!("{first}・{last}回目"),
        _ => format!("{first}〜{last}回目"),
    }
}

pub(super) fn known(known: &Known) -> String {
    tight(&said(known))
}

fn said(known: &Known) -> String {
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
                        format!("{n}は送信データを作れず、何も送っていません")
                    }
                    Some(Cause::Fault) => {
                        format!("{n}はプログラムの不具合で止まり、何も送っていません")
                    }
                    _ => format!("{n}は接続できず、何も送っていません"),
                },
                Some(Outcome::Temporary) => {
                    format!("{n}は {p} が一時的に受け付けませんでした{code}")
                }
                Some(Outcome::Refused) => format!("{n}を {p} が断りました{code}"),
                Some(Outcome::Account) if code.is_empty() => {
                    format!("{n}は {p} が設定どおりの接続に対応していないため、何も送っていません")
                }
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
        Known::LookupNotYet(_) => "照会しましたが、まだ見つかりません".into(),
        Known::LookupUnclear(reason) if reason.was_asked() => {
            format!("照会しましたが、{}ため、わかりません", why(*reason))
        }
        Known::LookupUnclear(reason) => format!("{}ため、照会できません", why(*reason)),
        Known::EventAccepted(Some(n)) => format!("通知で、{n}回目の受け付けを確認"),
        Known::EventAccepted(None) => "通知で、受け付けを確認".into(),
        Known::Screened(Some(fault)) => {
            format!("送る前の検査で止めました：{}", cause(&fault.to_string()))
        }
        Known::Screened(None) => {
            "送る前の検査で、宛先か内容に送れないところが見つかりました".into()
        }
        Known::Person { name, sent: true } => did(
            name,
            "「送信されていた」と回答",
            "「送信されていた」との回答",
        ),
        Known::Person { name, sent: false } => did(
            name,
            "「送信されていなかった」と回答",
            "「送信されていなかった」との回答",
        ),
        Known::CalledOff(name) => did(name, "取りやめ", "取りやめ"),
        Known::Delivery(DeliveryState::Delivered) => "配信の通知を受信".into(),
        Known::Delivery(DeliveryState::Bounced) => "不達の通知を受信".into(),
        Known::Delivery(DeliveryState::Complained) => "迷惑メールの報告を受信".into(),
    }
}
