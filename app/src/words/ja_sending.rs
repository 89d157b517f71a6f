//! What the reports say of sends, in Japanese.

use super::SendingWords;
use super::ja::WORDS;
use super::ja_reports::{month, zone_name};
use super::numbers::{grouped, service};
use crate::model::protocol::OnUnknown;
use crate::model::views::{Delay, Unknowns};

pub(super) const SENDING: SendingWords = SendingWords {
    about: |m| format!("{}に登録されたメールの送信について", month(m)),
    not_kept: "締めたときの数字ではなく、いまの記録から数えています。",
    not_counted: "— 時間内に数え終わりませんでした。少し待ってから、もう一度開いてください。",
    tries: "送信回数",
    by_kind: "種類と送信サービスごと",
    by_kind_note: "送信サービスは最後に送信したものです。",
    by_kind_caption: |m| format!("{}、種類と送信サービスと送信回数ごとの件数", month(m)),
    tries_columns: ["種類", "送信サービス", "未送信"],
    service: |stored| service(stored, "メールサーバー"),
    no_service: "—",
    narrowed: |names| format!("{}だけのグラフです。", names.join("・")),
    none_of_these: "この条件で送信したメールはありません。",
    widen: "すべてを表示",
    no_mails: "この月に登録されたメールはありません。",
    none: "この月に登録されたメールには、送信の記録がまだありません。",
    hours: "時間帯ごとの受付",
    hours_note: |zone| {
        format!(
            "{}。受付の割合は、はっきりした返事のうち受け付けられたものです。",
            zone_name(zone)
        )
    },
    hours_caption: |m| format!("{}、時間帯ごとの送信の結果", month(m)),
    hours_columns: ["時間帯", "受付", "受付されず", "返事が不明", "受付の割合"],
    hour: |hour| format!("{hour}時台"),
    hour_short: |hour| format!("{hour}時"),
    delays: "登録から受付までの時間",
    delays_note: "送信の時刻を指定したメールは、その時刻から数えています。",
    delays_caption: |m| format!("{}、登録から受付までの時間、種類ごと", month(m)),
    delays_columns: ["種類", "受付", "半数が受付（p50）", "95%が受付（p95）"],
    delays_said: |all: &Delay| {
        format!(
            "半数は{}、95%は{}で受け付けられました。",
            within(all.p50),
            within(all.p95)
        )
    },
    under_a_second: "1秒未満",
    all_kinds: "すべての種類",
    unknowns: "結果がわからなかった送信と、設定の違い",
    unknowns_said: |u: &Unknowns| {
        let mut said = format!(
            "結果がわからなかった送信が{}件ありました。あとで、{}件は受け付けられていたこと、{}件は受け付けられていなかったことがわかりました。",
            grouped(u.sum()),
            grouped(u.accepted),
            grouped(u.not_accepted)
        );
        if u.open > 0 {
            said.push_str(&format!("{}件は、いまもわかりません。", grouped(u.open)));
        }
        said
    },
    unknowns_none: "結果がわからなかった送信はありません。どの設定でも同じでした。",
    unknowns_note: "「2通」は、送信できなかったとみて再送した場合です。「届かないまま」は、送信済みと表示されたまま届いていないものです。",
    unknowns_setting: "設定の名前：",
    unknowns_caption: |m| {
        format!(
            "{}、結果がわからないときの設定ごとに起きたはずのこと",
            month(m)
        )
    },
    unknowns_columns: [
        "結果がわからないとき",
        "同じメールが2通",
        "届かないまま",
        "結果待ち",
    ],
    setting: |setting| match setting {
        OnUnknown::Hold => "わかるまで待つ",
        OnUnknown::Synced => "送信済みとみなす",
        OnUnknown::Failed => "未達とみなす",
    },
    is_set: "いまの設定",
    range: |range| {
        if range.most > range.least {
            format!("{}〜{}件", grouped(range.least), grouped(range.most))
        } else {
            format!("{}件", grouped(range.least))
        }
    },
    waited: |u: &Unknowns| {
        let cleared = u.accepted + u.not_accepted;
        let mut said = match cleared {
            0 => String::new(),
            n => format!(
                "{}件（半数は{}、最長{}）",
                grouped(n),
                within(u.half_waited),
                within(u.all_waited)
            ),
        };
        if u.open > 0 {
            if !said.is_empty() {
                said.push('、');
            }
            said.push_str(&format!("いまも{}件", grouped(u.open)));
        }
        said
    },
};

fn within(seconds: i64) -> String {
    match seconds {
        0 => SENDING.under_a_second.to_owned(),
        s => (WORDS.span)(s),
    }
}
