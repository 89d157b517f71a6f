//! Reports, in Japanese.

use super::ReportWords;
use super::catalogue_reports::{is_japan, last_moment};
use super::isolate;
use super::ja::WORDS;
use super::numbers::grouped;
use crate::model::filter::Basis;
use crate::model::report::Column;
use crate::model::views::{Count, MonthAnswer, MonthReport};
use crate::model::{Face, Month};

pub(super) const REPORTS: ReportWords = ReportWords {
    title: "集計",
    month,
    month_title: |m| format!("{}の集計", month(m)),
    months: "月",
    other: "ほかの月",
    show: "表示する",
    bad_month: "月を読めませんでした。2026-11 のように書いてください。今月を表示しています。",
    under_way: "月の途中です",
    ahead: "これからの月です",
    open: "まだ締めていません",
    closed: |closed, zone| {
        let counted = if closed.zone == zone {
            String::new()
        } else {
            format!("（{}の日付で数えたものです）", zone_name(&closed.zone))
        };
        let why = closed
            .reason
            .as_ref()
            .map(|reason| format!("理由：{}", isolate(reason)))
            .unwrap_or_default();
        format!(
            "{} に {} さんが締めました{counted}。{why}",
            (WORDS.date_time)(&closed.at),
            isolate(&closed.by)
        )
    },
    closed_note: "数字は締めたときのものです。",
    closed_changed: "その後に変わったところには、いまの件数と差を添えています。",
    basis_label: "数え方",
    basis: |basis| match basis {
        Basis::Decided => "登録日",
        Basis::Accepted => "受付日",
    },
    stated,
    caption: |m| format!("{}、種類と状態ごとの件数", month(m)),
    kind: "種類",
    column: |column| match column {
        Column::Accepted => (WORDS.face)(Face::Accepted),
        Column::AcceptedAssumed | Column::FailedAssumed => "うち推定",
        Column::Bounced => "うち不達・迷惑メール報告",
        Column::Pending => (WORDS.face)(Face::Waiting),
        Column::Sending => (WORDS.face)(Face::Sending),
        Column::Check => (WORDS.face)(Face::NeedsChecking),
        Column::Failed => (WORDS.face)(Face::NotSent),
        Column::Rejected => (WORDS.face)(Face::Refused),
        Column::Canceled => (WORDS.face)(Face::CalledOff),
        Column::Total => "計",
        Column::Further => "うち控え",
    },
    last_month: "前月",
    last_year: "前年同月",
    pasts_kept: |months| {
        let names: Vec<String> = months.iter().map(|m| month(*m)).collect();
        format!("{}の件数は、締めたときの数字です。", names.join("と"))
    },
    rest: "その他の種類",
    sum: "計",
    none: "この月のメールはありません。",
    not_counted: "時間内に数え終わらなかったため、件数を「—」としています。少し待ってから、もう一度開いてください。",
    still: |n| format!("まだ確認中：{}件", grouped(n)),
    still_note: |basis| match basis {
        Basis::Decided => "決まると、合計は変わらず状態の内訳が動きます。",
        Basis::Accepted => {
            "月末までに登録され、まだ結果のわからないものです。受け付けられていれば、この表に加わることがあります。"
        }
    },
    still_none: "要確認のメールはありません。",
    untimed: |n| format!("受付の時刻が不明：{}件", grouped(n)),
    untimed_note: "この月に登録され、推定や担当者の確認で送信済みとしたものです。日がわからないため、どの月の表にも入りません。",
    adjusted: |now, by| format!("いま {} ({})", grouped(now), signed(by)),
    close: |m| format!("{}を締める", month(m)),
    close_open: |open| {
        let parts = [
            ((WORDS.face)(Face::Waiting), open.waiting),
            ("自動で再送するもの", open.retrying),
            (WORDS.held, open.held),
            ("送信中・要確認", open.open),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(what, n)| format!("{what}{}件", grouped(n)))
            .collect();
        format!(
            "結果がまだ決まっていないメールが{}件あります（{}）。締めたあとに状態が変わると、残した数字との差として表示されます。",
            grouped(open.sum()),
            parts.join("、")
        )
    },
    close_note: "いまの数字を残します。元には戻せません。締めたあとに変わった件数は、残した数字に添えて表示します。",
    close_reason: "理由（任意）",
    close_example: "例：月次報告を提出したため",
    close_confirm: |m| format!("{}を締める", month(m)),
    close_busy: "締めています…",
    month_notice: |n| {
        let name = month(n.month);
        let by = n.closed.as_ref().map(|closed| {
            format!(
                "{} に {} さんが締めています。",
                (WORDS.date_time)(&closed.at),
                isolate(&closed.by)
            )
        });
        match n.what {
            MonthAnswer::Closed => format!("{name}を締めました。"),
            MonthAnswer::ClosedBefore => format!(
                "{name}は、すでに締められています。{}",
                by.unwrap_or_default()
            ),
            MonthAnswer::NotOver => {
                format!(
                    "{name}はまだ終わっていないため、締められません。翌月1日になると締められます。"
                )
            }
            MonthAnswer::NotCounted => format!(
                "{name}を時間内に数え終わらなかったため、締めていません。少し待ってから、もう一度お試しください。"
            ),
        }
    },
    save_table: |format, rows| format!("この表を {format} で保存（{}行）", grouped(rows)),
    save_rows: |format, rows| {
        let rows = match rows {
            Count::AtLeast(n) => format!("{}行以上", grouped(n)),
            Count::Unknown => "行数は数え中".into(),
            count => format!("{}行", (WORDS.count)(count)),
        };
        format!("明細を {format} で保存（{rows}）")
    },
    save: "保存",
    days: "1日ごとの受付",
    days_note: |zone| format!("過去30日、{}。今日は途中です。", zone_name(zone)),
    days_empty: "過去30日に受け付けられたメールはありません。",
    days_caption: "過去30日に受け付けられたメール、1日ごとの件数",
    as_table: "表で見る",
    day_short: |month, day| format!("{month}/{day}"),
    so_far: "（途中）",
    days_columns: ["日", "受付"],
};

pub(super) fn month(m: Month) -> String {
    format!("{}年{}月", m.year(), m.number())
}

pub(super) fn zone_name(zone: &str) -> String {
    if is_japan(zone) {
        "日本時間".into()
    } else {
        format!("{zone} の時刻")
    }
}

fn signed(by: i64) -> String {
    if by > 0 {
        format!("+{}", grouped(by))
    } else {
        grouped(by)
    }
}

fn stated(r: &MonthReport) -> String {
    let what = match r.basis {
        Basis::Decided => "登録日で数えています。",
        Basis::Accepted => "受付日（送信サービスに受け付けられた日）で数えています。",
    };
    let (_, month, _, _) = r.from.day();
    let zone = zone_name(&r.zone);
    let until = if r.over {
        let (_, month, day, _) = last_moment(&r.until).day();
        format!("{month}月{day}日の終わり")
    } else {
        let (_, month, day, _) = r.until.day();
        format!("{month}月{day}日 {}", &r.until.clock()[..5])
    };
    if r.ahead {
        return format!("{what}{zone}の{month}月1日からです。");
    }
    format!(
        "{what}{zone}の{month}月1日 {} から{until}までです。",
        &r.from.clock()[..5]
    )
}
