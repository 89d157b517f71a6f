//! Japanese: users, one's own sign-in, and the audit trail.

use super::ja::{WORDS, status};
use super::{PeopleWords, TrailWords, UserFormWords, grouped, isolate};
use crate::model::password::Fault;
use crate::model::views::{AccountAnswer, UserAnswer, UserNotice, Value};
use crate::model::{ActKind, Role};

const RULES: &str =
    "10文字以上。サインイン名だけに近いもの、同じ文字の繰り返し、よく使われる言葉は使えません。";

pub(super) const PEOPLE: PeopleWords = PeopleWords {
    users: "利用者",
    count: |n| format!("{}人", grouped(n)),
    caption: "利用者の一覧",
    columns: [
        "サインイン名",
        "権限",
        "状態",
        "最後のサインイン",
        "サインイン中",
    ],
    you: "自分",
    may: |may| if may { "有効" } else { "停止中" },
    never: "まだありません",
    sign_ins: |n| format!("{}件", grouped(n)),
    role_note: |role| match role {
        Role::Support => "メールの確認、再送、要確認への回答",
        Role::Lead => "サポートの操作に加え、まとめて再送、保留の一括解除、月の締め",
        Role::Admin => "リーダーの操作に加え、利用者と設定の管理",
    },
    add: UserFormWords {
        open: "利用者を追加する",
        note: "追加すると、すぐにサインインできます。最初のパスワードは本人に安全な方法で伝え、サインイン後に変更してもらってください。",
        reason_note: "",
        example: "",
        confirm: "追加する",
    },
    name: "サインイン名",
    name_note: "64文字まで。空白は使えません。あとから変更できません。",
    role: "権限",
    password: "パスワード",
    rules: RULES,
    suggested: "入力済みのパスワードは自動で作成したものです。そのまま使うことも、書き換えることもできます。この画面を離れると、もう表示できません。",
    fault: |fault| match fault {
        Fault::Short => "パスワードは10文字以上にしてください。",
        Fault::Long => "パスワードが長すぎます。1024バイトまでにしてください。",
        Fault::Name => "サインイン名とほとんど同じパスワードは使えません。",
        Fault::Simple => "推測されやすいパスワードです。別のものにしてください。",
    },
    bad_name: "サインイン名は64文字までで、空白や目に見えない文字は使えません。「api」「denpyo」と、コロンと数字で終わる名前は、プログラムを表すため登録できません。",
    facts: ["権限", "状態", "追加", "最後のサインイン", "サインイン中"],
    disabled_because: |reason| format!("停止中（{}）", isolate(reason)),
    last_admin: "サインインできる管理者はこの人だけです。停止や権限の変更の前に、ほかの管理者を追加してください。",
    links: [
        "この利用者への操作",
        "この利用者が行った操作",
        "利用者の一覧へ",
    ],
    acts: "操作",
    change_role: UserFormWords {
        open: "権限を変更する",
        note: "次にページを開いたときから、新しい権限になります。",
        reason_note: "必須。変更する理由を書いてください。操作履歴に残ります。",
        example: "例：12月からリーダーを担当します。",
        confirm: "権限を変更する",
    },
    disable: UserFormWords {
        open: "利用を停止する",
        note: "すべてのサインインがすぐに終わり、サインインできなくなります。操作履歴はそのまま残り、あとで再開できます。",
        reason_note: "必須。停止する理由を書いてください。操作履歴に残ります。",
        example: "例：11月30日付で退職しました。",
        confirm: "停止する",
    },
    enable: UserFormWords {
        open: "利用を再開する",
        note: "前と同じパスワードで、もう一度サインインできるようになります。",
        reason_note: "必須。再開する理由を書いてください。操作履歴に残ります。",
        example: "例：休職から復帰しました。",
        confirm: "再開する",
    },
    set_password: UserFormWords {
        open: "新しいパスワードを設定する",
        note: "すべてのサインインがすぐに終わります。新しいパスワードは本人に安全な方法で伝えてください。",
        reason_note: "必須。設定し直す理由を書いてください。操作履歴に残ります。パスワードは残りません。",
        example: "例：本人がパスワードを忘れました。",
        confirm: "パスワードを設定する",
    },
    sign_out: UserFormWords {
        open: "すべてのサインインを終了する",
        note: "どの端末でもサインインし直しになります。パスワードは変わりません。",
        reason_note: "必須。終了する理由を書いてください。操作履歴に残ります。",
        example: "例：端末を紛失しました。",
        confirm: "終了する",
    },
    own_password: "自分のパスワードは「パスワードとサインイン」で変更してください。",
    notice,
    busy: "処理中…",
    account: "パスワードとサインイン",
    change: "パスワードの変更",
    change_note: "変更すると、ほかの端末のサインインはすべて終わります。",
    no_password: |provider| match provider {
        Some(name) => format!(
            "{0} でサインインしているため、この画面のパスワードはありません。{0} のパスワードは、そちらで変更してください。",
            isolate(name)
        ),
        None => {
            "この画面のパスワードはありません。必要なときは、管理者に頼んでください。".to_owned()
        }
    },
    old: "いまのパスワード",
    new: "新しいパスワード",
    again: "新しいパスワード（確認のためもう一度）",
    change_confirm: "パスワードを変更する",
    own_sign_ins: "サインイン中の端末",
    own_columns: ["サインインした日時", "端末"],
    this_one: "いま使っている端末",
    other_one: "ほかの端末",
    end_others: "ほかのサインインを終了する",
    no_others: "ほかにサインイン中の端末はありません。",
    account_notice: |answer| match answer {
        AccountAnswer::PasswordChanged => {
            "パスワードを変更しました。ほかの端末のサインインは終了しました。"
        }
        AccountAnswer::WrongPassword => "いまのパスワードが違います。何も変更していません。",
        AccountAnswer::Differ => {
            "新しいパスワードが2回とも同じになっていません。もう一度入れてください。"
        }
        AccountAnswer::SamePassword => "いまと同じパスワードです。別のものにしてください。",
        AccountAnswer::BadPassword(fault) => (WORDS.people.fault)(fault),
        AccountAnswer::Wait => {
            "続けて間違えたため、しばらく変更できません。少し待ってから、もう一度お試しください。"
        }
        AccountAnswer::OthersEnded => "ほかの端末のサインインを終了しました。",
    },
};

fn notice(notice: &UserNotice) -> String {
    let name = isolate(&notice.name);
    match notice.what {
        UserAnswer::Added => {
            format!(
                "{name} さんを追加しました。サインイン名と、いま設定したパスワードを本人に伝えてください。パスワードは、あとから表示できません。"
            )
        }
        UserAnswer::RoleChanged => format!("{name} さんの権限を変更しました。"),
        UserAnswer::Disabled => {
            format!("{name} さんの利用を停止しました。サインインはすべて終了しました。")
        }
        UserAnswer::Enabled => format!("{name} さんの利用を再開しました。"),
        UserAnswer::PasswordSet => {
            format!("{name} さんの新しいパスワードを設定しました。サインインはすべて終了しました。")
        }
        UserAnswer::SignedOut => format!("{name} さんのサインインをすべて終了しました。"),
        UserAnswer::Stale => match (&notice.by, &notice.at) {
            (Some(by), Some(at)) => format!(
                "{} に {} さんが先に変更しています。何も変更していません。最新の状態を表示しました。",
                at.clock(),
                isolate(by)
            ),
            _ => "ほかの人が先に変更しています。何も変更していません。最新の状態を表示しました。"
                .into(),
        },
        UserAnswer::Same => "すでにその状態です。何も変更していません。".into(),
        UserAnswer::LastAdmin => format!(
            "サインインできる管理者は {name} さんだけなので、変更しませんでした。先にほかの管理者を追加してください。"
        ),
        UserAnswer::ReasonMissing => WORDS.reason.missing.into(),
        UserAnswer::NameTaken => {
            format!("「{name}」はすでに使われています。別のサインイン名にしてください。")
        }
        UserAnswer::BadName => WORDS.people.bad_name.into(),
        UserAnswer::BadPassword(fault) => (WORDS.people.fault)(fault).into(),
        UserAnswer::OwnPassword => WORDS.people.own_password.into(),
    }
}

pub(super) const TRAIL: TrailWords = TrailWords {
    title: "操作履歴",
    note: "新しい順。記録は変更も削除もできません。",
    caption: "操作履歴、新しい順",
    columns: ["時刻", "操作した人", "操作", "対象", "内容と理由"],
    filters: "絞り込み",
    filter: ["操作した人", "操作", "対象", "この日から", "この日まで"],
    day_example: "2026/11/30",
    about_note: "注文番号、メールの ID、利用者名、月（2026-11）のいずれか",
    any: "すべて",
    act: |act| match act {
        ActKind::Resend => "再送",
        ActKind::ConfirmSent => "「送信されていた」と回答",
        ActKind::ConfirmNotSent => "「送信されていなかった」と回答",
        ActKind::Release => "保留の解除",
        ActKind::Copy => "控えの送信",
        ActKind::Cancel => "送信の取りやめ",
        ActKind::Reveal => "宛先の表示",
        ActKind::BulkStart => "まとめて再送の開始",
        ActKind::BulkStop => "まとめて再送の中止",
        ActKind::BulkRevoked => "まとめて再送の自動中止（開始した人の権限がなくなったため）",
        ActKind::CloseMonth => "月の締め",
        ActKind::Export => "ファイルの保存（開始）",
        ActKind::ExportEnd => "ファイルの保存（終了）",
        ActKind::UserAdd => "利用者の追加",
        ActKind::UserRole => "権限の変更",
        ActKind::UserDisable => "利用の停止",
        ActKind::UserEnable => "利用の再開",
        ActKind::UserPassword => "パスワードの設定",
        ActKind::UserSignOut => "すべてのサインインの終了",
        ActKind::OwnPassword => "自分のパスワードの変更",
        ActKind::OwnSignOut => "自分のほかのサインインの終了",
        ActKind::TokenMade => "API トークンの発行",
        ActKind::TokenEnded => "API トークンの無効化",
    },
    actor: |actor| match actor {
        "api" => "API".into(),
        name => match name.strip_prefix("api ") {
            Some(token) => format!("API（{}）", isolate(token)),
            None => isolate(name),
        },
    },
    list: |count| match count {
        Some(count) => format!("メール一覧（{}件）", (WORDS.count)(count)),
        None => "メール一覧".into(),
    },
    report: "月の集計",
    broke_off: "途中で終了",
    value: |value| match value {
        Value::Status(s) => status(*s).into(),
        Value::Recipient(text) | Value::Other(text) => isolate(text),
        Value::Role(role) => (WORDS.role)(*role).into(),
        Value::Scope(scope) => (WORDS.tokens.scope)(*scope).into(),
        Value::MaySignIn(may) => (WORDS.people.may)(*may).into(),
    },
    change: |before, after| match (before, after) {
        (Some(before), Some(after)) => format!("{before} → {after}"),
        (None, Some(after)) => after.into(),
        (Some(before), None) => format!("{before} → なし"),
        (None, None) => String::new(),
    },
    attempt: |n| format!("{n}回目の送信"),
    reason: "理由",
    none: "この条件に合う操作はありません",
    none_help: "条件を外すか、日付を確かめてください。",
    empty: "操作はまだありません",
    empty_help: "再送や利用者の変更などを行うと、ここに残ります。",
};
