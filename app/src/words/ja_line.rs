//! Japanese: the stops of the time-line.

use super::isolate;
use super::ja::{status, when};
use super::ja_cause::cause;
use super::ja_plan::why;
use crate::model::Actor;
use crate::model::plan::Why;
use crate::model::timeline::What;
use crate::model::views::{ActRecord, Attempt, Cause, Mail, Outcome};
use crate::model::{DeliveryState, Intake, Status};

/// A mail service's name; a mail server is called what it is.
pub(super) fn service(stored: &str) -> &str {
    super::numbers::service(stored, "メールサーバー")
}

/// Without the blanks that stand around a name of Latin letters.
pub(super) fn tight(text: &str) -> String {
    text.replace(" メールサーバー", "メールサーバー")
        .replace("メールサーバー ", "メールサーバー")
}

/// Who did what: `active` behind a name, `passive` behind what has none.
pub(super) fn did(who: &str, active: &str, passive: &str) -> String {
    match Actor::of(who) {
        Actor::Person(name) => format!("{} さんが{active}", isolate(name)),
        Actor::Api => format!("API から{passive}"),
        Actor::Process(name) => format!("送信プロセス {} が{active}", isolate(name)),
    }
}

/// Who has changed it.
pub(super) fn changed(by: &str) -> String {
    did(by, "先に更新しています", "先に更新されています")
}

/// Who is sending it, as which attempt.
pub(super) fn sending(by: &str, attempt: i32) -> String {
    if attempt == 1 {
        did(by, "送信しています", "送信されています")
    } else {
        did(by, "再送しています", "再送されています")
    }
}

pub(super) fn stop(what: &What, mail: &Mail) -> String {
    match what {
        What::Decided(way) => match way {
            Intake::Insert => "データベースから登録されました".into(),
            Intake::Api => "API から登録されました".into(),
            Intake::Token(name) => format!("API（{}）から登録されました", isolate(name)),
            Intake::Command => "denpyo enqueue で登録されました".into(),
            Intake::Copy | Intake::Unknown => "登録されました".into(),
        },
        What::Attempt(a) => {
            let n = a.attempt;
            match (a.outcome, a.cause) {
                (None, _) => format!("{n}回目：送信を始めました"),
                (Some(Outcome::Accepted), _) => format!("{n}回目：受け付けられました"),
                (Some(Outcome::NeverLeft), Some(Cause::Build)) => {
                    format!("{n}回目：送信データを作れませんでした")
                }
                (Some(Outcome::NeverLeft), Some(Cause::Fault)) => {
                    format!("{n}回目：プログラムの不具合で送れませんでした")
                }
                (Some(Outcome::NeverLeft), _) => format!("{n}回目：接続できませんでした"),
                (Some(Outcome::Temporary), _) if a.code == Some(429) => {
                    format!("{n}回目：混み合っていて、一時的に受け付けられませんでした")
                }
                (Some(Outcome::Temporary), _) => {
                    format!("{n}回目：一時的に受け付けられませんでした")
                }
                (Some(Outcome::Refused), _) => format!("{n}回目：受け付けを断られました"),
                (Some(Outcome::Account), _) if a.code.is_none() => {
                    format!("{n}回目：設定どおりに接続できませんでした")
                }
                (Some(Outcome::Account), _) => format!("{n}回目：アカウントを理由に断られました"),
                (Some(Outcome::Unknown), Some(Cause::Cut)) => {
                    format!("{n}回目：途中で接続が切れました")
                }
                (Some(Outcome::Unknown), Some(Cause::Vanished)) => {
                    format!("{n}回目：送信プロセスが止まりました")
                }
                (Some(Outcome::Unknown), Some(Cause::Timeout)) => {
                    format!("{n}回目：応答がありませんでした")
                }
                (Some(Outcome::Unknown), Some(Cause::Fault)) => {
                    format!("{n}回目：プログラムの不具合で止まりました")
                }
                (Some(Outcome::Unknown), _) => format!("{n}回目：結果がわかりませんでした"),
                (Some(Outcome::Released), _) => format!("{n}回目：送る前に取り消しました"),
            }
        }
        What::LeasePassed => "応答の期限を過ぎました".into(),
        What::Assumed(Status::Synced) => "設定により「送信済み」とみなしました".into(),
        What::Assumed(_) => "設定により「未達」とみなしました".into(),
        What::Observed(o) => match (o.kind.as_str(), o.attempt) {
            ("late_accepted", Some(n)) => format!("遅れた返事：{n}回目は受け付けられていました"),
            ("late_accepted", None) => "遅れた返事：受け付けられていました".into(),
            ("late_refused", Some(n)) => {
                format!("遅れた返事：{n}回目は受け付けられていませんでした")
            }
            ("late_refused", None) => "遅れた返事：受け付けられていませんでした".into(),
            ("late_released", Some(n)) => {
                format!("あとから判明：{n}回目は送る前に取り消されていました")
            }
            ("late_released", None) => "あとから判明：送る前に取り消されていました".into(),
            ("late_unknown", _) => "遅れた返事：結果はわかりませんでした".into(),
            ("lookup_found", Some(n)) => format!("照会：{n}回目は受け付けられていました"),
            ("lookup_found", None) => "照会：受け付けられていました".into(),
            ("lookup_no", Some(n)) => format!("照会：{n}回目は受け付けられていませんでした"),
            ("lookup_no", None) => "照会：受け付けられていませんでした".into(),
            ("event_accepted", Some(n)) => format!("通知：{n}回目は受け付けられていました"),
            ("event_accepted", None) => "通知：受け付けられていました".into(),
            ("event_delivered", _) => "配信の通知".into(),
            ("event_bounced", _) => "不達の通知".into(),
            ("event_complained", _) => "迷惑メールの報告".into(),
            ("held", _) => "保留しました".into(),
            ("screened", _) => "送る前の検査で断りました".into(),
            _ => "あとからわかったこと".into(),
        },
        What::Asked { seen, .. } if seen.kind == "lookup_not_yet" => {
            "照会：まだ見つかりません".into()
        }
        What::Asked { seen, .. } if !Why::parse(seen.detail.as_deref()).was_asked() => {
            "照会できません".into()
        }
        What::Asked { .. } => "照会：はっきりした答えがありません".into(),
        What::Delivery { state, .. } => match state {
            DeliveryState::Delivered => "配信の通知",
            DeliveryState::Bounced => "不達の通知",
            DeliveryState::Complained => "迷惑メールの報告",
        }
        .into(),
        What::Act(act) => super::ja_agent::act(act, mail).unwrap_or_else(|| act_head(act)),
    }
}

fn act_head(act: &ActRecord) -> String {
    let name = act.actor.as_str();
    match (act.act.as_str(), act.after) {
        ("release", _) if name == "denpyo release" => "denpyo release で保留を解きました".into(),
        ("release", _) => did(name, "保留を解きました", "保留が解かれました"),
        ("resend", _) if act.attempt == Some(1) => did(name, "送信しました", "送信されました"),
        ("resend", _) => did(name, "再送しました", "再送されました"),
        ("confirm_sent", _) => did(
            name,
            "「送信されていた」と答えました",
            "「送信されていた」と回答がありました",
        ),
        ("confirm_not_sent", _) => did(
            name,
            "「送信されていなかった」と答えました",
            "「送信されていなかった」と回答がありました",
        ),
        (_, Some(Status::Canceled)) => did(name, "取りやめました", "取りやめられました"),
        (_, Some(after)) if Some(after) != act.before => {
            let after = status(after);
            did(
                name,
                &format!("「{after}」に変えました"),
                &format!("「{after}」に変えられました"),
            )
        }
        _ => did(name, "操作しました", "操作がありました"),
    }
}

pub(super) fn stop_note(what: &What, mail: &Mail) -> String {
    match what {
        What::Attempt(a) => attempt_note(a, mail),
        What::LeasePassed => {
            "送信を担当したプロセスから、期限までに結果が届きませんでした。受け付けられていないとわかるまで、自動では再送しません。"
                .into()
        }
        What::Assumed(_) => "受け付けられたかどうかは、わかっていません。".into(),
        What::Observed(o) => match o.kind.as_str() {
            "screened" => "何も送っていません。".into(),
            "lookup_found" => "送信サービスの記録にありました。".into(),
            "lookup_no" => {
                "記録に現れるまでの期限を過ぎても、送信サービスの記録にありません。再送しても二重には届きません。"
                    .into()
            }
            "event_delivered" => delivery_note(DeliveryState::Delivered).into(),
            "event_bounced" => delivery_note(DeliveryState::Bounced).into(),
            "held" => held_note(o.detail.as_deref()),
            _ => String::new(),
        },
        What::Asked { seen, times, last } => {
            let mut text = if seen.kind == "lookup_not_yet" {
                "送信サービスの記録には、あとから現れることがあります。".to_owned()
            } else {
                match Why::parse(seen.detail.as_deref()) {
                    Why::Unsaid => String::new(),
                    reason => format!("{}ためです。", why(reason)),
                }
            };
            if *times > 1 {
                text += &format!(
                    "{times}回続けて同じ答えで、最後は {} でした。",
                    when(last, &seen.at)
                );
            }
            text
        }
        What::Delivery { state, .. } => delivery_note(*state).into(),
        What::Act(ActRecord { act, actor, .. })
            if act == "release" && actor == "denpyo release" =>
        {
            String::new()
        }
        What::Act(ActRecord {
            reason: Some(reason),
            ..
        }) => format!("理由：{reason}"),
        _ => String::new(),
    }
}

fn delivery_note(state: DeliveryState) -> &'static str {
    match state {
        DeliveryState::Delivered => "相手のメールサーバーが受け取りました。",
        DeliveryState::Bounced => "相手のメールサーバーが受け取りませんでした。",
        DeliveryState::Complained => "",
    }
}

fn held_note(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!("理由：{}", cause(reason)))
}

fn attempt_note(a: &Attempt, mail: &Mail) -> String {
    let p = service(&a.provider);
    let again = if a.attempt == 1 { "送信" } else { "再送" };
    let mut text = match a.actor.as_deref().map(Actor::of) {
        Some(Actor::Person(name)) => {
            format!(
                "{} さんの{again}を {} が担当しました。",
                isolate(name),
                a.worker
            )
        }
        Some(_) => format!("API からの{again}を {} が担当しました。", a.worker),
        None => format!("{} が担当しました。", a.worker),
    };
    if !a.recipient.is_empty() && a.recipient != mail.row.recipient {
        text += &format!("宛先は {} でした。", isolate(&a.recipient));
    } else if mail.masked && mail.corrected_after(a) {
        // Two addresses may look alike once they are masked.
        text += &format!(
            "宛先は {} でした。そのあとで直しています。",
            isolate(&a.recipient)
        );
    }
    text += &match (a.outcome, a.code) {
        (None, _) => "結果はまだ記録されていません。".into(),
        (Some(Outcome::Accepted), Some(code)) => format!("{p} の返事は {code} でした。"),
        (Some(Outcome::Accepted), None) => format!("{p} が受け付けました。"),
        (Some(Outcome::NeverLeft | Outcome::Released), _) => "何も送っていません。".into(),
        (Some(Outcome::Unknown), _) if a.cause == Some(Cause::Vanished) => {
            "そのあと止まったため、送ったかどうかの記録がありません。".into()
        }
        (Some(Outcome::Unknown), Some(code)) => {
            format!("{p} の返事は {code} でした。受け付けられたかは不明です。")
        }
        (Some(Outcome::Unknown), None) => {
            "送り始めたあとなので、受け付けられたかは不明です。".into()
        }
        (Some(_), Some(code)) => format!("{p} の返事は {code} でした。"),
        (Some(Outcome::Account), None) => "何も送っていません。".into(),
        (Some(_), None) => String::new(),
    };
    if let Some(at) = a.next_attempt_at {
        text += &format!("次の送信は {} の予定としました。", when(&at, &a.claimed_at));
    } else if a
        .outcome
        .is_some_and(|o| matches!(o, Outcome::NeverLeft | Outcome::Temporary))
        && a.attempt >= mail.max_attempts
    {
        text += &format!(
            "上限の{}回に達したので、自動では再送しません。",
            mail.max_attempts
        );
    }
    tight(&text)
}
