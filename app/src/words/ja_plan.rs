//! Japanese: what Denpyo does by itself, and forms that want a reason.

use super::ReasonWords;
use super::ja::when;
use super::ja_line::{did, service};
use super::numbers::grouped;
use crate::model::Status;
use crate::model::plan::{Plan, Step, Why};
use crate::model::views::{LotAnswer, LotNotice};

/// Before what was held after a restore is let go.
const RESTORED: &str = "データベースを復元したあとの場合、バックアップのあとに一度送られたものは、お客様に2通届きます。先に、すでに送られているものがないかどうかを、送信サービスの記録を見られる人に確かめてもらってください。";

pub(super) const REASON: ReasonWords = ReasonWords {
    reason: "理由",
    missing: "理由を入れてください。操作の記録に残ります。",
    busy: "記録中…",
    release: "保留を解く",
    release_note: |mail| {
        let backup = mail.after_backup();
        let then = match mail.status {
            Status::Pending if mail.idle => {
                "保留を解くと、送信待ちに戻ります。動いている送信プロセスがないため、動き出すまで送りません。"
            }
            Status::Pending => "保留を解くと、すぐに自動で送ります。",
            Status::Failed if mail.next_attempt_at.is_some() && !mail.idle => {
                "保留を解くと、自動で再送します。"
            }
            _ => "保留を解いても自動では送りません。再送できるようになります。",
        };
        let first = match (backup, mail.status) {
            (true, _) => RESTORED,
            (false, Status::Pending | Status::Failed) => {
                "いま送ってよい内容か、先に確かめてください。"
            }
            _ => "",
        };
        format!("{then}{first}")
    },
    release_reason: "必須。保留を解いてよい理由を書いてください。操作の記録に残ります。",
    release_example: "例：お客様に、いま送ってよいとお電話でうかがいました。",
    release_confirm: "この理由で保留を解く",
    release_lot: |n| format!("この一覧の保留{}件を解く", grouped(n)),
    release_lot_note: |n| {
        format!(
            "いま表示している条件に合う{}件の保留をまとめて解きます。送信待ちのものは、すぐに自動で送ります。{RESTORED}",
            grouped(n)
        )
    },
    release_lot_confirm: |n| format!("この理由で{}件の保留を解く", grouped(n)),
    release_lot_role: "まとめて保留を解けるのは、リーダーと管理者です。1件ずつなら、メールのページで解けます。",
    release_lot_too_many: |most| {
        format!(
            "一度に保留を解けるのは{}件までです。条件を絞ってください。",
            grouped(most)
        )
    },
    lot_notice,
};

fn lot_notice(notice: &LotNotice) -> String {
    match notice.what {
        LotAnswer::Released(n) => format!("{}件の保留を解きました。", grouped(n)),
        LotAnswer::Changed { shown, now } => {
            let first = match (notice.by.as_deref(), notice.at) {
                (Some(by), Some(at)) => {
                    let did = did(by, "保留を解いています", "保留が解かれています");
                    format!("{} に {did}。", at.clock())
                }
                _ => String::new(),
            };
            let numbers = if shown == now {
                "表示したあとに内容が変わっています。".to_owned()
            } else {
                format!(
                    "表示したときは{}件、いまは{}件です。",
                    grouped(shown),
                    grouped(now)
                )
            };
            format!("{first}{numbers}保留は解きませんでした。最新の一覧を確かめてください。")
        }
        LotAnswer::TooMany => {
            "一度に解ける件数を超えています。保留は解きませんでした。条件を絞ってください。".into()
        }
        LotAnswer::ReasonMissing => REASON.missing.into(),
    }
}

/// Why a service cannot tell, before 「ため」.
pub(super) fn why(why: Why) -> &'static str {
    match why {
        Why::NoService => "送信サービスが設定されていない",
        Why::NoLookup => "このサービスには照会の手段がない",
        Why::Refused => "送信サービスが照会に応じない",
        Why::Unreachable => "送信サービスから答えが届かない",
        Why::Incomplete => "送信サービスの答えだけでは決められない",
        Why::Elsewhere => "いまの設定とは別のサービスかアカウントで送った",
        Why::TooOld => "送信サービスに記録が残る期間を過ぎた",
        Why::Unsaid => "照会しても答えが得られない",
    }
}

/// What the service has answered so far.
fn asked(not_found: i32, unclear: i32, last: Option<Why>) -> String {
    let reason = last.map_or_else(String::new, |last| format!("（前回は、{}ため）", why(last)));
    match (not_found, unclear) {
        (..=0, ..=0) => String::new(),
        (n, ..=0) => format!("これまで{n}回照会し、まだ見つかっていません。"),
        (..=0, n) => format!("これまで{n}回照会し、はっきりした答えがありませんでした{reason}。"),
        (a, b) => format!(
            "これまで{}回照会し、{a}回は見つからず、{b}回ははっきりした答えがありませんでした{reason}。",
            a + b
        ),
    }
}

pub(super) fn plan(plan: &Plan) -> String {
    let name = plan.service.as_deref().map_or("送信サービス", service);
    match plan.next {
        Step::Person(reason) => {
            let rest = match plan.assumed {
                None => "担当者が確かめる必要があります。",
                Some(Status::Synced) => {
                    "「送信済み」とみなしたままです。送信されていなかったとわかったときは、控えを送ってください。"
                }
                Some(_) => "「未達」とみなしたままです。再送するかどうかは、担当者が決めます。",
            };
            format!("自動では何もしません。{}ため、{rest}", why(reason))
        }
        Step::Ask {
            at,
            again,
            not_found,
            unclear,
            last,
        } => {
            let again = if again { "もう一度" } else { "" };
            let mut text = match at {
                Some(at) => format!("{} に {name} へ{again}照会します。", when(&at, &plan.as_of)),
                None => format!("まもなく {name} へ{again}照会します。"),
            };
            text += &asked(not_found, unclear, last);
            let missing = match plan.deadline {
                Some(at) if at <= plan.as_of && not_found > 0 => {
                    "このあとの照会でもなければ".into()
                }
                Some(at) if at <= plan.as_of => "このあとの照会でなければ".into(),
                Some(at) => format!("照会の期限（{}）を過ぎてもなければ", when(&at, &plan.as_of)),
                None => "照会の期限を過ぎてもなければ".to_owned(),
            };
            text += &if plan.resends {
                format!("あれば「送信済み」とし、{missing}、自動で再送します。")
            } else {
                format!("あれば「送信済み」、{missing}「未達・再送可」とします。")
            };
            text
        }
    }
}
