//! Japanese.

use super::isolate;
use super::ja_line::{service, tight};
use super::numbers::{grouped, parts, seconds};
use super::*;
use crate::model::filter::{Basis, Hint, ListStatus, Needs, Only};
use crate::model::views::{Count, SearchNote, ServiceState};
use crate::model::{Face, Moment, Role, Status, Theme};
use chrono::{Datelike, NaiveDate, Timelike};

/// The catalogue.
pub static WORDS: Words = Words {
    lang: Lang::Ja,
    other_lang: "English",
    theme: |theme| match theme {
        Theme::Auto => "表示：自動",
        Theme::Light => "表示：明",
        Theme::Dark => "表示：暗",
    },
    theme_next: |next| match next {
        Theme::Auto => "（自動に切り替える）",
        Theme::Light => "（明るい表示に切り替える）",
        Theme::Dark => "（暗い表示に切り替える）",
    },
    product: "伝票 Denpyo",
    face,
    face_short: |f| {
        if f == Face::NotSent {
            "未達"
        } else {
            face(f)
        }
    },
    role: |role| match role {
        Role::Support => "サポート",
        Role::Lead => "リーダー",
        Role::Admin => "管理者",
    },
    kind: |kind| {
        Some(match kind {
            "order_confirmation" => "注文確認",
            "invoice" => "請求書",
            "shipping_notice" => "発送のお知らせ",
            "payment_confirmation" => "入金確認",
            "refund_notice" => "返金のお知らせ",
            _ => return None,
        })
    },
    copy: |n| {
        if n == 0 {
            "原本".into()
        } else {
            format!("控え{n}")
        }
    },
    day: |m| {
        let (y, mo, d, w) = m.day();
        let w = ["日", "月", "火", "水", "木", "金", "土"][w];
        format!("{y}年{mo}月{d}日（{w}）")
    },
    date,
    date_time: |m| {
        let (y, mo, d, _) = m.day();
        format!("{y}年{mo}月{d}日 {:02}:{:02}", m.0.hour(), m.0.minute())
    },
    date_time_short: |m| {
        let (_, mo, d, _) = m.day();
        format!("{mo}/{d} {:02}:{:02}", m.0.hour(), m.0.minute())
    },
    span: |s| match parts(s) {
        [0, 0, 0, s] => format!("{s}秒"),
        [0, 0, m, _] => format!("{m}分"),
        [0, h, 0, _] => format!("{h}時間"),
        [0, h, m, _] => format!("{h}時間{m}分"),
        [d, 0, _, _] => format!("{d}日"),
        [d, h, _, _] => format!("{d}日と{h}時間"),
    },
    took: |ms| format!("{}秒", seconds(ms)),
    count,
    assumed: "推定",
    held: "保留",
    frame: FrameWords {
        skip: "本文へ",
        pages: "ページ",
        search: "メールを探す",
        search_hint: "注文番号・宛先（一部でも）・ID",
        find: "探す",
        as_of: |m| format!("{} 現在", m.clock()),
        sign_out: "サインアウト",
        service: |state| match state {
            ServiceState::Ready { .. } => None,
            ServiceState::None => Some(
                "送信サービスが設定されていません。メールの登録は受け付けますが、送信はしません。"
                    .into(),
            ),
            ServiceState::Paused {
                name, code, until, ..
            } => {
                let name = service(name);
                let why = match code {
                    Some(code) => format!(
                        "{name} がこのアカウントからの送信を受け付けないため、送信を止めています（{code}）。"
                    ),
                    None => format!(
                        "{name} が設定どおりの接続に対応していないため、送信を止めています。"
                    ),
                };
                let why = tight(&why);
                Some(format!(
                    "{why}メールは失われません。{} に1通だけ試し、受け付けられれば再開します。",
                    until.clock()
                ))
            }
        },
        since: |m| format!("{} から", (WORDS.date_time)(m)),
        close: "閉じる",
    },
    live: ja_live::LIVE,
    sign_in: SignInWords {
        title: "サインイン",
        name: "サインイン名",
        password: "パスワード",
        submit: "サインインする",
        wrong: "サインイン名かパスワードが違います。",
        later: "いまは確かめられません。少し待ってから、もう一度お試しください。",
        wait: "続けて間違えたため、しばらくサインインできません。少し待ってから、もう一度お試しください。",
        oidc: |name| format!("{} でサインインする", isolate(name)),
        or: "または、パスワードで",
        oidc_down: |name| {
            format!(
                "{} がいま応答しません。パスワードをお持ちの方は、パスワードでサインインできます。",
                isolate(name)
            )
        },
        oidc_refused: "サインインできませんでした。もう一度お試しください。続くときは、管理者にお知らせください。",
        oidc_stale: "時間がかかりすぎたか、別のブラウザーで始めたサインインです。もう一度お試しください。",
        oidc_role: "アカウントは確認できましたが、この画面を使う権限がありません。管理者に権限を頼んでください。",
        oidc_disabled: "アカウントは確認できましたが、この画面では無効にされています。管理者にお問い合わせください。",
        oidc_name: "アカウントは確認できましたが、同じ名前の利用者がいるため、登録できません。管理者にお問い合わせください。",
    },
    overview: OverviewWords {
        title: "概要",
        needs: "対応が必要",
        needs_count: |n, asked| match asked {
            0 => format!("{}件", grouped(n)),
            _ => format!(
                "{}件（ほかに、自動で照会中のもの{}件）",
                grouped(n),
                grouped(asked)
            ),
        },
        idle: |n| {
            format!(
                "送る時刻になったメールが{}件ありますが、1分以上、動いている送信プロセスがありません。動き出すまで送られません。管理者に伝えてください。",
                grouped(n)
            )
        },
        by_age: "送信を始めてからの時間",
        ages: ["15分未満", "15分〜1時間", "1時間〜1日", "1日以上"],
        refused_note: "確認が必要",
        final_note: "自動の再送は終了",
        held: "保留",
        held_note: "止めているもの",
        all_clear: "対応が必要なメールはありません。",
        counts: "状態ごとの件数",
        counts_note: "全期間",
        retrying: |n| format!("{}件は自動で再送", grouped(n)),
        assumed: |n| format!("{}件は推定", grouped(n)),
        histogram: "送信回数",
        histogram_note: "過去30日に登録されたメール（まだ一度も送っていないものは除く）",
        histogram_empty: "過去30日に送信したメールはありません。",
        histogram_caption: "送信回数ごとの件数、結果別の積み上げ",
        attempts: "回数",
        bars: ["1回", "2回", "3回", "4回", "5回以上"],
        cut: "1回の棒は途中を省略",
        open: "送信中・要確認",
        sum: "計",
        share: "割合（%）",
        workers: "送信プロセス",
        workers_note: "過去1時間に動いていたもの",
        no_workers: |service| {
            if service {
                "過去1時間に動いていた送信プロセスはありません。送信待ちのメールは、動き出すまで送られません。"
            } else {
                "送信サービスが設定されていないため、ありません。"
            }
        },
        worker_columns: ["名前", "最後の応答", "送信中", "直近1時間の受付"],
        worker_silent: "その後、応答なし",
        resends_only: "再送だけ",
    },
    list: ListWords {
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
            Needs::Final => "自動の再送は終了",
            Needs::Held => "保留",
        },
        only: |only| match only {
            Only::Assumed => "推定",
            Only::Bounced => face(Face::Bounced),
            Only::Complained => face(Face::Complained),
            Only::BouncedOrComplained => "不達・迷惑メール報告",
            Only::Further => "控えのみ",
            Only::Original => "原本のみ",
            Only::Untimed => "受付時刻不明",
        },
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
        none_help: "注文番号や宛先を確かめるか、条件を外してください。メールがまだ登録されていないこともあります。",
        empty: "メールはまだありません",
        empty_help: "注文処理からメールが登録されると、ここに表示されます。",
        pager: "前後の行",
        newer: |n| format!("新しい{n}件"),
        older: |n| format!("古い{n}件"),
        page_size: |n| format!("1ページ {n}件"),
        no_recipient: "宛先なし",
    },
    mail: ja_mail::MAIL,
    stuck: ja_mail::STUCK,
    reason: ja_plan::REASON,
    agent: ja_agent::AGENT,
    bulk: ja_bulk::BULK,
    reports: ja_reports::REPORTS,
    sending: ja_sending::SENDING,
    exports: exports::JA,
    errors: errors::JA,
    help: help::JA,
    settings: ja_settings::SETTINGS,
    people: ja_people::PEOPLE,
    trail: ja_people::TRAIL,
    tokens: ja_settings::TOKENS,
    fault: FaultWords {
        not_found: [
            "ページが見つかりません",
            "URL か番号を確かめてください。注文番号からは、メール一覧で探せます。",
        ],
        signed_out: [
            "サインインが必要です",
            "サインインの期限が切れたか、サインアウトされています。もう一度サインインしてください。",
        ],
        forbidden: [
            "この操作は許可されていません",
            "必要なときは、管理者に権限を頼んでください。何も変更していません。",
        ],
        bad_input: [
            "内容を読み取れませんでした",
            "何も変更していません。ページを開き直して、もう一度お試しください。",
        ],
        unavailable: [
            "いまは表示できません",
            "データベースが応答しません。何も変更していません。少し待ってから、もう一度お試しください。",
        ],
        no_connection: [
            "サーバーにつながりません",
            "通信を確かめてから、もう一度お試しください。押した操作が届いたかどうかは、開き直すとわかります。",
        ],
        act: "操作できませんでした。",
        reference: "お問い合わせ番号",
        home: "概要へ",
        again: "もう一度開く",
    },
    notice: ja_mail::notice,
};

pub(super) fn face(face: Face) -> &'static str {
    match face {
        Face::Waiting => "送信待ち",
        Face::Sending => "送信中",
        Face::NeedsChecking => "要確認",
        Face::Accepted => "送信済み",
        Face::Delivered => "配信済み",
        Face::Bounced => "不達",
        Face::Complained => "迷惑メール報告",
        Face::NotSent => "未達・再送可",
        Face::Refused => "受付拒否",
        Face::CalledOff => "取りやめ",
    }
}

pub(super) fn status(status: Status) -> &'static str {
    face(Face::of(status, false, None))
}

fn date(d: NaiveDate) -> String {
    format!("{}年{}月{}日", d.year(), d.month(), d.day())
}

fn count(count: Count) -> String {
    match count {
        Count::Exact(n) => grouped(n),
        Count::AtLeast(n) => format!("{}+", grouped(n)),
        Count::About(n) if n >= 10_000 => format!("約{}万", grouped((n + 5000) / 10_000)),
        Count::About(n) => format!("約{}", grouped(n)),
        Count::Unknown => "—".into(),
    }
}

/// `14:02:11`, with the day where it is another one than `today`.
pub(super) fn when(moment: &Moment, today: &Moment) -> String {
    if moment.same_day(today) {
        moment.clock()
    } else {
        (WORDS.date_time)(moment)
    }
}
