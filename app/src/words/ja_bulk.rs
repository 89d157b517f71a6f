//! Resending many mails, in Japanese.

use super::BulkWords;
use super::ja::WORDS;
use super::{grouped, isolate};
use crate::model::views::{BulkAnswer, BulkState, NoticeKind};

pub(super) const BULK: BulkWords = BulkWords {
    title: "まとめて再送",
    how: "メール一覧を絞り込み、その上の「まとめて再送」を選んでください。",
    no_jobs: "まとめて再送したことは、まだありません。",
    job_columns: ["開始", "絞り込み", "状態", "担当"],
    new_title: "まとめて再送",
    job_title: |id| format!("まとめて再送 {id}"),
    all_jobs: "これまでのまとめて再送",
    state: |state| match state {
        BulkState::Preview => "開始前",
        BulkState::Running => "再送中",
        BulkState::Stopped => "中止",
        BulkState::Done => "完了",
    },
    filter: "絞り込み",
    to_list: "一覧を見る",
    now: "現在の件数",
    mails: |count| format!("{}件", (WORDS.count)(count)),
    prepare_note: "いま一覧にあるメールを対象として記録し、再送できるものと、できないものとその理由を表示します。まだ何も送信しません。あとから一覧に加わったメールは再送しません。",
    prepare: "対象を確かめる",
    preparing: "確かめています…",
    no_filter: "先に一覧を絞り込んでください。まとめて再送できるのは、絞り込んだ一覧のメールだけです。",
    nothing: "この一覧にメールはありません。",
    too_many: |most| {
        format!(
            "まとめて再送できるのは{}件までです。一覧をさらに絞り込んでください。",
            grouped(most)
        )
    },
    frozen: "対象の確認",
    started: "開始",
    stopped: "中止",
    revoked: "開始した人がまとめて再送できなくなったため（利用の停止、権限の変更など）、自動で中止しました。まだ再送していないメールは、一覧から再送できます。",
    outdated: "対象を確かめてから1日以上たったため、再送を始められません。一覧からもう一度確かめてください。",
    ended: "完了",
    eligible: |eligible, total| {
        format!(
            "{}件のうち{}件を再送できます",
            grouped(total),
            grouped(eligible)
        )
    },
    left_unsent: |turns, waiting| match waiting {
        0 => format!("{}件の処理が済んでから中止しました", grouped(turns)),
        n => format!(
            "中止したため、残り{}件は送っていません（処理済み{}件）",
            grouped(n),
            grouped(turns)
        ),
    },
    prepare_rest: "残りの再送を準備する",
    prepare_rest_note: "同じ絞り込みで、いま一覧にあるメールを確かめ直します。",
    doubtful_count: |n| format!("受け付けられたか不明（二重に届くおそれ）：{}件", grouped(n)),
    doubtful_warning: |n| {
        format!(
            "このうち{}件は、前の送信が受け付けられたかどうかがわかっていません。届いていた場合、再送すると二重になります。",
            grouped(n)
        )
    },
    doubtful: "二重に届くおそれ",
    left_out: "再送しないもの",
    refused: |kind, n| format!("{}：{}件", why(kind), grouped(n)),
    why,
    none_eligible: "再送できるメールはありません。",
    start: |n| format!("{}件を再送する", grouped(n)),
    start_note: "1件ずつ、1秒に10件までの速さで再送します。確かめたあとに状態が変わったメールは、再送せずに残します。この画面を離れても続き、いつでも中止できます。",
    reason_note: "必須。まとめて再送する理由を書いてください。それぞれのメールの経過に残ります。",
    reason_example: "例：9時から9時40分まで送信サービスに断られていました。復旧したので再送します。",
    start_confirm: |n| format!("{}件の再送を始める", grouped(n)),
    stop: "再送を中止する",
    stopping: "中止しています…",
    stop_note: "送信中のものは最後まで処理し、次のメールからは送りません。",
    progress: "処理の済んだメール",
    turns: |done, of| format!("{}／{}件", grouped(done), grouped(of)),
    skipped_count: |n| format!("再送せず：{}件", grouped(n)),
    caption: "再送する順に並べたメール",
    columns: ["注文", "種類", "宛先", "結果"],
    waiting: |state| match state {
        BulkState::Preview => "再送できます",
        BulkState::Running => "順番待ち",
        BulkState::Stopped | BulkState::Done => "中止したため、再送していません",
    },
    attempt: |n| format!("{n}回目"),
    skipped: |kind, by| match by {
        Some(by) => format!("再送せず：{}（{} が先に処理）", why(kind), isolate(by)),
        None => format!("再送せず：{}", why(kind)),
    },
    pager: "ほかのメール",
    before: |n| format!("前の{n}件"),
    after: |n| format!("次の{n}件"),
    notice: |answer| match answer {
        BulkAnswer::Started => "再送を始めました。",
        BulkAnswer::Stopped => "再送を中止しました。次のメールからは送りません。",
        BulkAnswer::ReasonMissing => "理由を入れてください。まだ何も送信していません。",
        BulkAnswer::NotStarted => {
            "すでに始まっているか、確かめてから時間がたちすぎたか、再送できるメールがありません。最新の状態を表示しました。"
        }
        BulkAnswer::NotRunning => "すでに終わっています。最新の状態を表示しました。",
        BulkAnswer::TooMany => "件数が多すぎます。一覧をさらに絞り込んでください。",
        BulkAnswer::Nothing => "再送できるものがありません。絞り込みを確かめてください。",
    },
};

fn why(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::InFlight => "送信中か要確認",
        NoticeKind::AlreadyAccepted => "送信済み",
        NoticeKind::CalledOff => "取りやめ",
        NoticeKind::Held => "保留中",
        NoticeKind::StillWaiting => "自動で送信されるのを待っている",
        NoticeKind::BadRecipient => "宛先が正しくない",
        NoticeKind::BadContent => "内容に送信できないところがある",
        NoticeKind::NoService => "送信サービスが設定されていない",
        _ => "確かめたあとに状態が変わった",
    }
}
