//! Keys and the search box explained, in both languages.

use super::catalogue::Text;
use crate::model::Face;

/// The page of help, and the sheet of keys.
pub struct HelpWords {
    /// The link in the top line.
    pub link: Text,
    /// Title.
    pub title: Text,
    /// Closes the sheet.
    pub close: Text,
    /// Head over the keys.
    pub keys_head: Text,
    /// Each key, and what it does.
    pub keys: [(Text, Text); 3],
    /// When keys do nothing.
    pub keys_note: Text,
    /// Switches the keys off and on.
    pub switch: Text,
    /// Head over the search.
    pub search_head: Text,
    /// What can be searched for, and how.
    pub search: [(Text, Text); 6],
    /// Head over the states.
    pub states_head: Text,
    /// What a state means.
    pub state: fn(Face) -> Text,
}

/// Japanese.
pub(super) const JA: HelpWords = HelpWords {
    link: "使い方",
    title: "使い方",
    close: "閉じる",
    keys_head: "キー操作",
    keys: [
        ("/", "検索欄へ移動します。"),
        ("?", "この使い方を開きます。"),
        ("Esc", "この使い方や、開いている絞り込みを閉じます。"),
    ],
    keys_note: "入力欄に文字を打っているあいだと、かな漢字変換のあいだは働きません。",
    switch: "「/」と「?」のキー操作を使う（このブラウザーに記憶します）",
    search_head: "検索",
    search: [
        (
            "注文番号",
            "その注文のメールを、控えや別の宛先のものも含めてすべて表示します。「注文104292」「No.104292」のように書いても探せます。",
        ),
        (
            "宛先",
            "大文字と小文字は区別しません。メールソフトから貼り付けたままでも探せます。",
        ),
        (
            "一部",
            "番号や宛先の一部を3文字以上。「_」や「%」も文字どおりに探します。宛先を伏せて表示しているときは、宛先は全部を入力してください。",
        ),
        (
            "IDで直接",
            "「#42」のようなID、ref、送信サービスのIDでは、そのメールを直接開きます。",
        ),
        (
            "組み合わせ",
            "状態・種類・期間の条件と合わせて使えます。結果は新しい順です。",
        ),
        ("お名前", "お客様のお名前や、件名・本文では探せません。"),
    ],
    states_head: "状態",
    state: |face| match face {
        Face::Waiting => "登録され、まだ送っていません。順番が来ると自動で送ります。",
        Face::Sending => "送信サービスに渡しているところです。",
        Face::NeedsChecking => {
            "送ったあとの返事がなく、受け付けられたかどうかがわかりません。確かめるまで再送しないでください。"
        }
        Face::Accepted => {
            "送信サービスが受け付けました。お客様に届いたかどうかは、まだわかりません。"
        }
        Face::Delivered => "お客様のメールサーバーに届きました。",
        Face::Bounced => {
            "送信サービスは受け付けましたが、お客様のメールサーバーには届きませんでした。"
        }
        Face::Complained => "届きましたが、受け取った方が迷惑メールとして報告しました。",
        Face::NotSent => "受け付けられていません。再送できます。",
        Face::Refused => "宛先か内容を理由に断られました。直してから送ってください。",
        Face::CalledOff => "送らないことにしたメールです。送られることはありません。",
    },
};

/// English.
pub(super) const EN: HelpWords = HelpWords {
    link: "Help",
    title: "Help",
    close: "Close",
    keys_head: "Keys",
    keys: [
        ("/", "Goes to the search box."),
        ("?", "Opens this sheet."),
        ("Esc", "Closes this sheet, or an open filter."),
    ],
    keys_note: "They do nothing while you write in a field or an input method composes.",
    switch: "Use the keys / and ? (this browser remembers)",
    search_head: "Search",
    search: [
        (
            "Order number",
            "Shows every mail for the order, further copies and other recipients included. “No.104292” finds order 104292 as well.",
        ),
        (
            "Address",
            "Upper and lower case are one. It may be pasted as a mail program shows it.",
        ),
        (
            "A part",
            "Three characters or more of a number or an address. “_” and “%” are taken literally. Where addresses are masked, write them in full.",
        ),
        (
            "An id",
            "An id such as #42, a ref, or a mail service’s id opens the mail itself.",
        ),
        (
            "Together",
            "Goes with filters by status, kind and period. Newest first.",
        ),
        (
            "A name",
            "Customers’ names, subjects and texts are not searched.",
        ),
    ],
    states_head: "States",
    state: |face| match face {
        Face::Waiting => "Recorded and not sent yet. It goes out by itself when its turn comes.",
        Face::Sending => "Being handed to the mail service.",
        Face::NeedsChecking => {
            "No answer came after it was sent, so nobody knows whether it was accepted. Do not send it again before that is found out."
        }
        Face::Accepted => {
            "The mail service has accepted it. Whether it has reached the customer is not known yet."
        }
        Face::Delivered => "The customer’s mail server has it.",
        Face::Bounced => "The mail service accepted it, but the customer’s mail server did not.",
        Face::Complained => "It arrived, but the recipient reported it as spam.",
        Face::NotSent => "It was not accepted. It can be sent again.",
        Face::Refused => {
            "It was refused, for its recipient or its content. Correct it before it is sent."
        }
        Face::CalledOff => "Somebody decided that it is not sent.",
    },
};
