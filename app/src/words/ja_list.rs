//! The list, in Japanese.

use super::ja::{count, date, face};
use super::{ListWords, isolate};
use crate::model::filter::{Basis, Hint, ListStatus, Needs, Only};
use crate::model::views::{Count, SearchNote};
use crate::model::{Age, Face, Status};

pub(super) const LIST: ListWords = ListWords {
    title: "メール一覧",
    count: |c| match c {
        Count::Unknown => "件数 —（数え終わりませんでした）。新しい順。".into(),
        Count::AtLeast(_) => format!("{}件以上。新しい順。", count(c).trim_end_matches('+')),
        c => format!("{}件。新しい順。", count(c)),
    },
    filters: "絞り込み",
    status: "状態",
    kind: "種類",
    period: "期間",
    any_kind: "すべて",
    from: "この日から",
    to: "この日まで",
    date_hint: |basis| match basis {
        Basis::Decided => "登録日です。2026/11/30、11/30、令和8年11月30日のように書けます。",
        Basis::Accepted => "受付日です。2026/11/30、11/30、令和8年11月30日のように書けます。",
    },
    apply: "絞り込む",
    list_status: |s| match s {
        ListStatus::Check => face(Face::NeedsChecking),
        ListStatus::Sending => face(Face::Sending),
        ListStatus::Stored(Status::Requesting) => "送信中・要確認",
        ListStatus::Stored(s) => face(Face::of(s, false, None)),
    },
    needs: |n| match n {
        Needs::Person => "対応が必要",
        Needs::Final => "自動の再送の予定なし",
        Needs::Held => "保留",
    },
    only: |only| match only {
        Only::Assumed => "推定",
        Only::Delivered => face(Face::Delivered),
        Only::Bounced => face(Face::Bounced),
        Only::Complained => face(Face::Complained),
        Only::BouncedOrComplained => "不達・迷惑メール報告",
        Only::Further => "控えのみ",
        Only::Original => "原本のみ",
        Only::Untimed => "受付時刻不明",
    },
    delivery: "配信",
    only_label: "内訳",
    days_of: |basis| match basis {
        Basis::Decided => "登録日",
        Basis::Accepted => "受付日",
    },
    needs_label: "対応",
    query: "検索",
    error: "エラー",
    query_part: "検索（一部）",
    search_note: |note| match note {
        SearchNote::Short => {
            "この文字とちょうど同じ注文番号や宛先はありません。一部で探すには、3文字以上入力してください。"
        }
        SearchNote::NoParts => {
            "このデータベースでは、番号や宛先の一部では探せません。注文番号か宛先を全部入力してください。"
        }
        SearchNote::Masked => {
            "宛先を伏せて表示しているため、宛先は全部を入力したときだけ見つかります。注文番号は一部でも探せます。"
        }
        SearchNote::Behind => {
            "検索の準備が終わっていないため、古いメールはまだ一部では見つかりません。"
        }
        SearchNote::TooCommon => {
            "多くのメールに当てはまり、時間内に探し終わりませんでした。文字を足すか、状態や期間で絞り込んでください。"
        }
    },
    found_whole: "ちょうど一致するメールです。",
    parts_too: |q| format!("「{}」を一部に含むメールも探す", isolate(q)),
    span: |from, to| match (from, to) {
        (Some(a), Some(b)) if a == b => date(a),
        (a, b) => format!(
            "{} 〜 {}",
            a.map(date).unwrap_or_default(),
            b.map(date).unwrap_or_default()
        )
        .trim()
        .to_owned(),
    },
    remove: |what| format!("「{}」の条件を外す", isolate(what)),
    clear: "条件をすべて外す",
    hint: |hint| match hint {
        Hint::Status => "この状態はありません。状態の条件は使わずに表示しています。",
        Hint::Needs => "この条件はありません。使わずに表示しています。",
        Hint::Basis => "日付の数え方を読めなかったため、登録日で表示しています。",
        Hint::Only => "この内訳はありません。使わずに表示しています。",
        Hint::Act => "この操作はないため、操作では絞り込んでいません。",
        Hint::Age => "この経過時間の区分はないため、すべて表示しています。",
        Hint::From => {
            "「この日から」を日付として読めませんでした。2026/11/30 のように書いてください。"
        }
        Hint::To => {
            "「この日まで」を日付として読めませんでした。2026/11/30 のように書いてください。"
        }
        Hint::FromAfterTo => {
            "「この日から」が「この日まで」より後になっています。入れ替わっていないか確かめてください。"
        }
        Hint::Cursor => "ページの位置を読めなかったため、先頭から表示しています。",
        Hint::Query => "検索の文字が長すぎます。320文字までで探してください。",
        Hint::Error => "このエラーの条件を読めませんでした。使わずに表示しています。",
        Hint::Match => "この探し方はありません。使わずに表示しています。",
    },
    caption: |basis| match basis {
        Basis::Decided => "メール一覧、登録の新しい順",
        Basis::Accepted => "メール一覧、受付の新しい順",
    },
    columns: ["注文", "種類", "宛先", "状態", "送信回数", "登録", "受付"],
    next_day: "翌",
    none_for: |q| format!("「{}」のメールはありません", isolate(q)),
    none: "この条件に合うメールはありません",
    none_help: "お客様のお名前では探せません。注文番号や宛先を確かめるか、条件を外してください。メールがまだ登録されていないこともあります。",
    empty: "メールはまだありません",
    empty_help: "注文処理からメールが登録されると、ここに表示されます。",
    pager: "前後の行",
    newer: |n| format!("新しい{n}件"),
    older: |n| format!("古い{n}件"),
    page_size: |n| format!("1ページ {n}件"),
    no_recipient: "宛先なし",
};

pub(super) fn age(age: Age) -> &'static str {
    match age {
        Age::Minutes => "15分未満",
        Age::Hour => "15分〜1時間",
        Age::Day => "1時間〜1日",
        Age::Older => "1日以上",
    }
}
