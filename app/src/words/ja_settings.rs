//! The settings' pages, in Japanese.

use super::ja::WORDS;
use super::numbers::{grouped, size};
use super::{SettingsWords, TokenWords, isolate};
use crate::model::Face;
use crate::model::views::{
    Count, LookupWay, PostRefusal, SettingGroup, SettingSource, TokenAnswer, TokenScope,
    WebhookState,
};

pub(super) const SETTINGS: SettingsWords = SettingsWords {
    title: "設定",
    pages: "設定のページ",
    page: ["設定と稼働状況", "利用者", "API トークン", "操作履歴"],
    group: |group| match group {
        SettingGroup::Desk => "データベースと画面",
        SettingGroup::Service => "送信サービス",
        SettingGroup::Sending => "送信のしかた",
        SettingGroup::Doubt => "結果がわからないメール",
        SettingGroup::Access => "権限",
        SettingGroup::Alerts => "通知",
    },
    about,
    settings: "有効な設定",
    settings_note: "変更するには、設定ファイルか環境変数を直し、プロセスを起動し直します。環境変数が設定ファイルより優先されます。鍵などの秘密の値は表示しません。",
    file: |path| format!("設定ファイル：{}", isolate(path)),
    columns: ["設定", "値", "設定元"],
    source: |source| match source {
        SettingSource::Default => "既定値",
        SettingSource::File => "設定ファイル",
        SettingSource::Environment => "環境変数",
    },
    secret: "設定済み（表示しません）",
    unset: "未設定",
    warnings: "起動時の警告",
    installation: "この環境",
    facts: [
        "環境の名前",
        "Denpyo の版",
        "データベース",
        "スキーマの版",
        "データベースの大きさ",
        "メール",
    ],
    size,
    mails: |count| match count {
        Count::Unknown => "—".into(),
        c => format!("{}通", (WORDS.count)(c)),
    },
    processes: "送信プロセス",
    process_columns: ["ホスト", "プロセス", "版", "起動", "最後の応答", "送信中"],
    services: "送信サービスの状態",
    service_columns: ["サービス", "アカウント", "状態"],
    no_services: "送信サービスが設定されていません。",
    ready: "送信できます",
    former: "いまは設定されていません",
    paused: |code| match code {
        Some(code) => format!("停止中：このアカウントからの送信を受け付けません（{code}）"),
        None => "停止中：設定どおりの接続に対応していません".into(),
    },
    paused_times: |since, until| {
        format!(
            "{} から。{} に1通だけ試します。",
            (WORDS.date_time)(since),
            (WORDS.date_time)(until)
        )
    },
    last_accepted: |at, service| {
        format!(
            "最後に受け付けられたメール：{}（{}）",
            (WORDS.date_time)(at),
            isolate(service)
        )
    },
    never_accepted: "受け付けられたメールはまだありません。",
    lookups: "照会",
    way: |way| match way {
        LookupWay::NoService => "送信サービスが設定されていないため、照会しません。",
        LookupWay::Never => {
            "このサービスには照会できません。結果がわからないメールは、人が調べるか、サービスからの通知を待ちます。"
        }
        LookupWay::Lookup => "結果がわからないメールは、送信サービスの記録に照会します。",
        LookupWay::Replay => {
            "結果がわからないメールは、同じ依頼を同じ鍵で送り直して確かめます。二重には送られません。"
        }
    },
    lookup_facts: [
        "照会中",
        "そのうち、3回続けて答えがはっきりしないもの",
        "照会を終え、人の確認を待つもの",
        "次の照会",
    ],
    no_next: "予定なし",
    answers: "最近の答え",
    answer_columns: ["日時", "注文", "答え"],
    no_answers: "最近の照会はありません。",
    answer: |kind| match kind {
        "lookup_found" => "受け付けられていた",
        "lookup_not_yet" => "まだ見つからない",
        "lookup_no" => "受け付けられていなかった",
        _ => "はっきりしない",
    },
    webhook: "サービスからの通知（Webhook）",
    webhook_state: |state| match state {
        WebhookState::NoService => "送信サービスが設定されていません。",
        WebhookState::NotOffered => "メールサーバー（SMTP）は、結果を通知しません。",
        WebhookState::NoKey => {
            "DENPYO_WEBHOOK_KEY が設定されていないため、通知を受け取りません。新しい配信や不達は届きません。"
        }
        WebhookState::On => "署名を確かめてから受け取ります。",
    },
    webhook_facts: [
        "サービスに登録する URL",
        "受け取った通知",
        "最後に受け取った時刻",
        "断った通知",
        "最後に断った通知",
        "最後のできごと",
    ],
    taken: |posts| {
        format!(
            "{}回（できごと{}件）",
            grouped(posts.taken),
            grouped(posts.events)
        )
    },
    posts_note: "回数は、このプロセスが起動してからのものです。",
    refusal: |why| match why {
        PostRefusal::Off => "確かめるための鍵が設定されていません",
        PostRefusal::Signature => "署名が合いません",
        PostRefusal::Stale => "署名の日時が古すぎます",
        PostRefusal::NotNow => "署名を確かめられませんでした（サービスがあとで送り直します）",
        PostRefusal::Unreadable => "内容を読み取れません",
        PostRefusal::Database => "データベースに記録できませんでした",
    },
    event: |kind| match kind {
        "event_delivered" => super::ja::face(Face::Delivered),
        "event_bounced" => super::ja::face(Face::Bounced),
        "event_complained" => super::ja::face(Face::Complained),
        _ => "受け付け",
    },
    none: "まだありません",
    alerts: "担当者への通知",
    told: |url, slack| match (url, slack) {
        (true, true) => "DENPYO_ALERT_URL と Slack に通知します。",
        (true, false) => "DENPYO_ALERT_URL に通知します。",
        (false, true) => "Slack に通知します。",
        (false, false) => "通知先が設定されていません。ログにだけ残ります。",
    },
    no_alerts: "いま通知している問題はありません。",
    alert_columns: ["問題", "いつから", "最後の通知"],
    condition: |word| match word {
        "needs_person" => "人の対応を待つメールがある",
        "lookups_failing" => "照会の答えが得られない",
        "service_paused" => "送信を止めている",
        "queue_old" => "送信待ちが長い",
        _ => "その他",
    },
};

fn about(key: &str) -> &'static str {
    match key {
        "alert_queue_age" => "送信待ちがこれより長いと通知する",
        "alert_reminder" => "続いている問題をもう一度通知する間隔",
        "alert_slack_url" => "Slack の通知先",
        "alert_url" => "通知先（JSON）",
        "api_token" => "何でもできる API トークン。このほかに、管理者が画面で発行できる",
        "base_url" => "画面の URL",
        "concurrency" => "1プロセスが同時に送るメールの数",
        "database_url" => "データベース。パスワードは表示しない",
        "from" => "差出人",
        "installation" => "この環境の名前。データベースの名前と違うときは、送信を保留にする",
        "lease" => "送信の持ち時間。過ぎても結果がなければ要確認になる",
        "listen" => "待ち受けるアドレス",
        "log_format" => "ログの形式",
        "lookup_horizon" => "照会で「見つからない」を結論とするまでの時間",
        "mask_addresses" => "この権限まで、宛先を伏せて表示する",
        "max_age" => "これより古いメールは送らずに保留にする",
        "max_attempts" => "自動で送る回数の上限",
        "notify" => "登録されたらすぐに送信を始める（PostgreSQL）",
        "oidc_client_id" => "OpenID Connect：プロバイダーが発行したクライアント ID",
        "oidc_client_secret" => "OpenID Connect：クライアントの秘密の値",
        "oidc_issuer" => {
            "OpenID Connect：プロバイダーの URL。未設定ならパスワードだけでサインインする"
        }
        "oidc_name" => "OpenID Connect：サインインのボタンに書く名前",
        "oidc_role_claim" => "OpenID Connect：権限を決めるクレームの名前",
        "oidc_roles" => "OpenID Connect：クレームの値と権限の対応",
        "on_unknown" => {
            "結果がわからないメールの扱い：hold は要確認、synced は送信済み、failed は未達とみなす"
        }
        "poll_interval" => "送信待ちを見に行く間隔",
        "provider" => "送信サービス",
        "provider_key" => "送信サービスの鍵",
        "provider_url" => "送信サービスの URL。未設定ならサービスの既定。パスワードは表示しない",
        "request_timeout" => "送信サービスの答えを待つ時間",
        "smtp_name" => "メールサーバーに名乗るホスト名",
        "time_zone" => "画面の日時の時間帯",
        "webhook_key" => "サービスからの通知を確かめる鍵",
        _ => "",
    }
}

pub(super) const TOKENS: TokenWords = TokenWords {
    intro: "受注システムなどのプログラムが API を呼び出すときに使う、認証用の文字列です。プログラムごとに発行しておくと、どれが使われたかがわかり、1つだけ無効にできます。",
    by_setting: "DENPYO_API_TOKEN も設定されています。このトークンは、すべての API を使えます。",
    caption: "API トークン、新しい順",
    columns: ["名前", "権限", "発行", "最後の使用", "状態"],
    none: "発行したトークンはまだありません。",
    scope: |scope| match scope {
        TokenScope::Read => "読み取り",
        TokenScope::Write => "読み書き",
    },
    scope_note: |scope| match scope {
        TokenScope::Read => "メールの一覧と内容を読めます。",
        TokenScope::Write => "メールの登録、再送、控えの送信もできます。",
    },
    unused: "未使用",
    to_the_hour: "または、その後の1時間以内",
    made: |by, at| format!("{}、{} さん", (WORDS.date_time)(at), isolate(by)),
    live: "有効",
    ended: |by, at| {
        format!(
            "{} に {} さんが無効にしました",
            (WORDS.date_time)(at),
            isolate(by)
        )
    },
    make: "トークンを発行する",
    name: "名前",
    name_hint: "使うプログラムがわかる名前にします。操作履歴にもこの名前が残ります。あとから変えることはできません。",
    may: "権限",
    make_note: "トークンは、発行した直後に一度だけ表示します。あとから見ることはできません。",
    make_confirm: "発行する",
    make_busy: "発行中…",
    end: "無効にする",
    end_note: "このトークンを使うプログラムは、すぐに API を使えなくなります。元に戻すことはできません。",
    end_reason: "必須。無効にする理由を書いてください。操作履歴に残ります。",
    end_example: "例：受注システムを入れ替えたため。",
    end_confirm: |name| format!("「{}」を無効にする", isolate(name)),
    notice: |n| {
        let name = isolate(&n.name);
        match n.what {
            TokenAnswer::Made if n.secret.is_some() => format!(
                "トークン「{name}」を発行しました。下の文字列をいますぐ控えてください。この画面を離れると、二度と表示できません。"
            ),
            TokenAnswer::Made => format!(
                "トークン「{name}」は発行されましたが、もう表示できません。控えていない場合は、無効にして、新しく発行してください。"
            ),
            TokenAnswer::BadName => {
                "発行しませんでした。名前を1〜64文字で書いてください。改行や目に見えない文字は使えません。".into()
            }
            TokenAnswer::NameTaken => {
                "発行しませんでした。同じ名前のトークンがあるか、以前にありました。記録を見分けられるよう、別の名前にしてください。".into()
            }
            TokenAnswer::Ended => format!("トークン「{name}」を無効にしました。"),
            TokenAnswer::EndedBefore => match &n.ended {
                Some(end) => format!(
                    "トークン「{name}」は、{} に {} さんがすでに無効にしています。",
                    (WORDS.date_time)(&end.at),
                    isolate(&end.by)
                ),
                None => "このトークンはありません。".into(),
            },
            TokenAnswer::ReasonMissing => {
                "無効にしませんでした。理由を書いてください。".into()
            }
        }
    },
    secret: "トークン",
};
