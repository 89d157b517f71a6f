//! Japanese.

use super::isolate;
use super::ja_line::{service, tight};
use super::numbers::{grouped, parts, seconds};
use super::*;
use crate::model::views::{Count, ServiceState};
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
        search_hint: "注文番号・宛先・ID",
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
        oidc_disabled: "アカウントは確認できましたが、この画面の利用は停止されています。管理者にお問い合わせください。",
        oidc_name: "アカウントは確認できましたが、同じ名前の利用者がいるため、登録できません。管理者にお問い合わせください。",
    },
    overview: OverviewWords {
        title: "概要",
        needs: "対応が必要",
        needs_count: |n| format!("{}件", grouped(n)),
        asked_beside: |n| format!("（ほかに、自動で照会中のもの{}件）", grouped(n)),
        asked_of: |n| format!("うち照会中{}件", grouped(n)),
        idle: |n| {
            format!(
                "送る時刻になったメールが{}件ありますが、1分以上、動いている送信プロセスがありません。動き出すまで送られません。管理者に伝えてください。",
                grouped(n)
            )
        },
        with_note: |text, note| format!("{text}（{note}）"),
        by_age: "送信を始めてからの時間",
        refused_note: "確認が必要",
        final_note: "自動の再送の予定なし",
        held: "保留",
        held_note: "止めているもの",
        held_too: |n| format!("うち{}件は、ほかの欄にも含む", grouped(n)),
        bounced: |n| {
            format!(
                "過去30日に登録されたメールの不達・迷惑メール報告：{}件",
                count(n)
            )
        },
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
        lookups: |open, failing| match (open, failing) {
            (0, _) => "照会中のメールはありません。".into(),
            (_, 0) => format!("照会中のメール：{}件", grouped(open)),
            _ => format!(
                "照会中のメール：{}件（うち、3回続けて答えがはっきりしないもの：{}件）",
                grouped(open),
                grouped(failing)
            ),
        },
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
    list: ja_list::LIST,
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
        act_lost: [
            "サーバーから応答がありません。",
            "操作が届いたかどうかは、まだわかりません。入力した内容は残っています。つながったら、もう一度押してください。前の操作が届いていたときは、同じメールを2回送ることはなく、そのことをお知らせします。",
        ],
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

pub(super) fn date(d: NaiveDate) -> String {
    format!("{}年{}月{}日", d.year(), d.month(), d.day())
}

pub(super) fn count(count: Count) -> String {
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
