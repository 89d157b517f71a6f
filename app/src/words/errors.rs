//! What went wrong with mails, by sort, in both languages.

use super::catalogue::Text;
use super::numbers::{grouped, service};
use super::{Lang, isolate};
use crate::model::failure::{ADDRESS, ID, NUMBER, TIME, is_own};
use crate::model::views::Failure;

/// The page of errors.
pub struct ErrorWords {
    /// Title.
    pub title: Text,
    /// The link to it.
    pub link: Text,
    /// What is counted.
    pub note: Text,
    /// Names the choice of spans.
    pub windows: Text,
    /// The last so many days.
    pub window: fn(u16) -> String,
    /// Columns: what, mails, times, first, last.
    pub columns: [Text; 5],
    /// The service and its code.
    pub service: fn(&Failure) -> String,
    /// What went wrong.
    pub what: fn(&Failure) -> String,
    /// The link to the mails behind a number.
    pub behind: fn(i64, &str) -> String,
    /// A chip: what, and in the last so many days.
    pub chip: fn(&str, Option<u16>) -> String,
    /// In the chip of a name that nothing has.
    pub unknown: Text,
    /// Nothing went wrong.
    pub none: Text,
    /// It could not be read in time.
    pub not_read: Text,
    /// More than are shown.
    pub cut: fn(i64) -> String,
}

/// Denpyo's own words in the reader's language, the service's as they are; where something stands in
/// place of what differed, that is said in the reader's language, too.
fn what(
    failure: &Failure,
    lang: Lang,
    marks: [Text; 4],
    unplaced: &[(Text, Text)],
    unsaid: Text,
) -> String {
    let w = &lang.words().mail;
    let mut text = match failure.text.as_str() {
        "" => return unsaid.to_owned(),
        text if is_own(text) => (w.cause)(text),
        text => isolate(text),
    };
    if is_own(&failure.text) {
        // A fault's place is taken out by setting it to 0.
        for (place, without) in unplaced {
            text = text.replace(place, without);
        }
    }
    for (mark, word) in [ADDRESS, ID, NUMBER, TIME].into_iter().zip(marks) {
        text = text.replace(mark, word);
    }
    text
}

fn from(failure: &Failure, own: Text, mail_server: Text) -> String {
    let name = match failure.provider.as_str() {
        "" => own,
        stored => service(stored, mail_server),
    };
    match failure.code {
        Some(code) => format!("{name} {code}"),
        None => name.to_owned(),
    }
}

/// Japanese.
pub(super) const JA: ErrorWords = ErrorWords {
    title: "エラーの内訳",
    link: "エラーの内訳を見る",
    note: "送信できなかった理由を、送信サービス・コード・内容ごとにまとめています。宛先や番号など、メールごとに違う部分は除いています。その後に送信できたメールも含みます。",
    windows: "期間",
    window: |days| match days {
        1 => "24時間".to_owned(),
        days => format!("{days}日間"),
    },
    columns: ["内容", "メール", "回数", "最初", "最後"],
    service: |failure| from(failure, "送信前の確認", "メールサーバー"),
    what: |failure| {
        what(
            failure,
            Lang::Ja,
            ["〈宛先〉", "〈ID〉", "〈数〉", "〈時刻〉"],
            &[("（2つ目は0文字目から）", ""), ("の0文字目", "")],
            "理由は伝えられていません。",
        )
    },
    behind: |mails, what| format!("{}件のメールを見る：{what}", grouped(mails)),
    chip: |what, days| match days {
        Some(1) => format!("{what}（過去24時間）"),
        Some(days) => format!("{what}（過去{days}日間）"),
        None => what.to_owned(),
    },
    unknown: "該当なし",
    none: "この期間に、送信できなかったメールはありません。",
    not_read: "件数が多く、時間内にまとめられませんでした。期間を短くしてください。",
    cut: |most| format!("多い順に{}種類を表示しています。", grouped(most)),
};

/// English.
pub(super) const EN: ErrorWords = ErrorWords {
    title: "Errors by cause",
    link: "See errors by cause",
    note: "Why mails could not be sent, by service, code and words. Addresses, numbers and whatever else differs from mail to mail are left out. Mails that went out later are included.",
    windows: "Period",
    window: |days| match days {
        1 => "24 hours".to_owned(),
        days => format!("{days} days"),
    },
    columns: ["What went wrong", "Mails", "Times", "First", "Last"],
    service: |failure| from(failure, "Before sending", "Mail server"),
    what: |failure| {
        what(
            failure,
            Lang::En,
            ["‹address›", "‹id›", "‹number›", "‹time›"],
            &[
                (" (the second begins at character 0)", ""),
                (" at character 0", ""),
            ],
            "No reason was given.",
        )
    },
    behind: |mails, what| {
        let noun = if mails == 1 { "mail" } else { "mails" };
        format!("{} {noun}: {what}", grouped(mails))
    },
    chip: |what, days| match days {
        Some(1) => format!("{what} (last 24 hours)"),
        Some(days) => format!("{what} (last {days} days)"),
        None => what.to_owned(),
    },
    unknown: "no such error",
    none: "No mail failed in this period.",
    not_read: "There are too many to be read in time. Choose a shorter period.",
    cut: |most| format!("The {} most frequent are shown.", grouped(most)),
};
